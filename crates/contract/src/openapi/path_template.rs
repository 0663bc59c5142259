//! Path templates: literal text and variables, by segment.

/// A path template such as `/files/{name}.json`.
///
/// ```
/// use foolproof_contract::openapi::{PathTemplate, TemplatePiece};
///
/// let template = PathTemplate::parse("/files/{name}.json");
/// let [files, last] = template.segments() else { panic!("it has two segments") };
/// assert_eq!(files, &[TemplatePiece::Literal("files".into())]);
/// assert_eq!(last[0], TemplatePiece::Variable("name".into()));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathTemplate {
    segments: Vec<Vec<TemplatePiece>>,
    query: Vec<String>,
}

/// A part of a segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TemplatePiece {
    /// Text as written.
    Literal(String),
    /// The name of a parameter.
    Variable(String),
}

impl PathTemplate {
    /// Reads a template. A brace without its partner is literal text. What follows `#` is never sent,
    /// and what follows `?` is a fixed part of the query; some documents tell operations apart by it.
    #[must_use]
    pub fn parse(path: &str) -> Self {
        let path = path.split('#').next().unwrap_or_default();
        let (path, query) = path.split_once('?').unwrap_or((path, ""));
        let query = query.split('&').filter(|pair| !pair.is_empty()).map(str::to_owned);
        let segments = path.strip_prefix('/').unwrap_or(path).split('/').map(pieces);
        Self { segments: segments.collect(), query: query.collect() }
    }

    /// The segments, each at least one piece; that of an empty segment is empty text.
    #[must_use]
    pub fn segments(&self) -> &[Vec<TemplatePiece>] {
        &self.segments
    }

    /// The pairs of the query that belong to the template.
    #[must_use]
    pub fn query(&self) -> &[String] {
        &self.query
    }

    /// The segment that the variable `name` is part of, and its index in there.
    pub(super) fn segment_of(&self, name: &str) -> Option<(&[TemplatePiece], usize)> {
        let is_it =
            |piece: &TemplatePiece| matches!(piece, TemplatePiece::Variable(it) if it == name);
        let index = |segment: &[TemplatePiece]| segment.iter().position(is_it);
        self.segments.iter().find_map(|segment| Some((segment.as_slice(), index(segment)?)))
    }
}

fn pieces(segment: &str) -> Vec<TemplatePiece> {
    let mut pieces = Vec::new();
    let mut rest = segment;
    while let Some((before, name, after)) = next_variable(rest) {
        if !before.is_empty() {
            pieces.push(TemplatePiece::Literal(before.to_owned()));
        }
        pieces.push(TemplatePiece::Variable(name.to_owned()));
        rest = after;
    }
    if !rest.is_empty() || pieces.is_empty() {
        pieces.push(TemplatePiece::Literal(rest.to_owned()));
    }
    pieces
}

fn next_variable(text: &str) -> Option<(&str, &str, &str)> {
    let (before, rest) = text.split_once('{')?;
    let (name, after) = rest.split_once('}')?;
    Some((before, name, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(path: &str) -> String {
        let template = PathTemplate::parse(path);
        let piece = |piece: &TemplatePiece| match piece {
            TemplatePiece::Literal(text) => text.clone(),
            TemplatePiece::Variable(name) => format!("<{name}>"),
        };
        let segment = |segment: &Vec<TemplatePiece>| segment.iter().map(piece).collect::<String>();
        template.segments().iter().map(segment).collect::<Vec<_>>().join("/")
    }

    #[test]
    fn segments_have_text_and_variables() {
        assert_eq!(shown("/a/{b}.json"), "a/<b>.json");
        assert_eq!(shown("/{x},{y}"), "<x>,<y>");
        assert_eq!(shown("/"), "");
        assert_eq!(shown("/a/"), "a/");
        assert_eq!(shown("/a{b"), "a{b");
        assert_eq!(shown("a?x=1&y={z}#part"), "a");
        assert_eq!(PathTemplate::parse("a?x=1&y=2#part").query(), ["x=1", "y=2"]);
    }
}

//! Which operation a URL belongs to.
//!
//! A path is compared as it is written, segment by segment, and its variables are percent-decoded only by
//! who reads them: a decoded slash does not end a segment. If several templates match, literal text comes
//! before variables, from left to right (OpenAPI 3.1 §4.8.8.2).

use std::{cmp::Reverse, collections::BTreeSet};

use foolproof_contract::openapi::{Api, Operation, PathTemplate, TemplatePiece};

use crate::{RequestError, base_url, escape};

/// The paths of an API.
///
/// ```
/// use foolproof_contract::{Document, openapi::Api};
/// use foolproof_http::Router;
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "openapi": "3.1.0", "info": {}, "servers": [{ "url": "https://example.org/v1" }],
///     "paths": { "/pets/{id}": { "get": { "parameters": [{ "name": "id", "in": "path" }] } } }
/// }))?;
/// let router = Router::new(&Api::of(&document)?);
/// let found = router.route("GET", "http://localhost/v1/pets/a%2Fb?x=1").unwrap();
/// assert_eq!(found.operation, 0);
/// assert_eq!(found.variables, [("id".to_owned(), "a%2Fb".to_owned())]);
/// assert!(router.route("GET", "http://localhost/pets/a").is_none());
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Router(Vec<Route>);

/// The operation that a URL belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RouteMatch {
    /// The index of the operation in [`Api::operations`].
    pub operation: usize,
    /// The variables of the template with their texts, as written in the URL.
    pub variables: Vec<(String, String)>,
    /// The pieces of the query that are not part of the template, as written.
    pub query: Vec<String>,
}

#[derive(Clone, Debug)]
struct Route {
    operation: usize,
    method: String,
    /// What the URL must start with before its path, if the caller said so.
    origin: Option<String>,
    /// The segments of the base path and of the template.
    segments: Vec<Vec<TemplatePiece>>,
    /// How many segments belong to the base path.
    base_length: usize,
    query: Vec<String>,
}

impl Router {
    /// The paths below every server of the API. Hosts are not compared: traffic is often recorded where
    /// the document does not know of.
    #[must_use]
    pub fn new(api: &Api) -> Self {
        let mut routes = Vec::new();
        for (index, operation) in api.operations().iter().enumerate() {
            let bases: BTreeSet<&str> =
                operation.servers.iter().map(|url| base_path(url)).collect();
            routes.extend(bases.into_iter().map(|base| Route::new(index, operation, None, base)));
        }
        Self(routes)
    }

    /// The paths below `base_url` alone, whose scheme and host are compared.
    pub fn below(api: &Api, base_url: &str) -> Result<Self, RequestError> {
        let url = base_url::split(base_url);
        let (Some(origin), "") = (url.origin, url.query) else {
            return Err(RequestError::InvalidBaseUrl { url: base_url.to_owned() });
        };
        let origin = base_url::comparable_origin(origin);
        let operations = api.operations().iter().enumerate();
        let route = |(index, operation): (usize, &Operation)| {
            Route::new(index, operation, Some(origin.clone()), url.path)
        };
        Ok(Self(operations.map(route).collect()))
    }

    /// The operation that a request with this method and URL belongs to.
    #[must_use]
    pub fn route(&self, method: &str, url: &str) -> Option<RouteMatch> {
        let url = base_url::split(url);
        let origin = url.origin.map(base_url::comparable_origin);
        let path = url.path.strip_prefix('/').unwrap_or(url.path);
        let segments: Vec<&str> = path.split('/').collect();
        let query: Vec<&str> = url.query.split('&').filter(|piece| !piece.is_empty()).collect();
        let is_candidate = |route: &&Route| {
            route.segments.len() == segments.len()
                && route.method.eq_ignore_ascii_case(method)
                && (route.origin.is_none() || route.origin == origin)
                && route.query.iter().all(|piece| query.contains(&piece.as_str()))
        };
        let matching = self.0.iter().filter(is_candidate).filter_map(|route| {
            let variables = route.variables(&segments)?;
            Some((route, variables))
        });
        // The first of those that are equally specific.
        let (route, variables) = matching.min_by_key(|(route, _)| route.specificity())?;
        let rest = query.into_iter().filter(|piece| !route.query.iter().any(|it| it == piece));
        let query = rest.map(str::to_owned).collect();
        Some(RouteMatch { operation: route.operation, variables, query })
    }
}

/// The path of a server's URL.
fn base_path(url: &str) -> &str {
    let url =
        url.strip_prefix("//").map_or(url, |rest| rest.find('/').map_or("", |at| &rest[at..]));
    base_url::split(url).path
}

impl Route {
    fn new(index: usize, operation: &Operation, origin: Option<String>, base: &str) -> Self {
        let base = base.trim_matches('/');
        let mut segments = match base {
            "" => Vec::new(),
            base => PathTemplate::parse(base).segments().to_vec(),
        };
        let base_length = segments.len();
        let template = PathTemplate::parse(&operation.path);
        segments.extend(template.segments().iter().cloned());
        Self {
            operation: index,
            method: operation.method.clone(),
            origin,
            segments,
            base_length,
            query: template.query().to_vec(),
        }
    }

    /// The variables of the template, if it matches.
    fn variables(&self, segments: &[&str]) -> Option<Vec<(String, String)>> {
        let mut variables = Vec::new();
        for (index, (pieces, text)) in self.segments.iter().zip(segments).enumerate() {
            let found = SegmentMatch { pieces, text }.variables()?;
            if index >= self.base_length {
                variables.extend(found);
            }
        }
        Some(variables)
    }

    /// Less is more specific: by segment, literal text, then text with variables, then a variable alone.
    fn specificity(&self) -> (Vec<(u8, Reverse<usize>)>, Reverse<usize>) {
        let of = |pieces: &Vec<TemplatePiece>| {
            let literal: usize = pieces.iter().map(literal_length).sum();
            let class = match pieces.as_slice() {
                [TemplatePiece::Literal(_)] => 0,
                [TemplatePiece::Variable(_)] => 2,
                _ => 1,
            };
            (class, Reverse(literal))
        };
        (self.segments.iter().map(of).collect(), Reverse(self.query.len()))
    }
}

fn literal_length(piece: &TemplatePiece) -> usize {
    match piece {
        TemplatePiece::Literal(text) => text.len(),
        TemplatePiece::Variable(_) => 0,
    }
}

/// A segment of a template beside one of a URL.
struct SegmentMatch<'a> {
    pieces: &'a [TemplatePiece],
    text: &'a str,
}

impl<'a> SegmentMatch<'a> {
    fn variables(&self) -> Option<Vec<(String, String)>> {
        if let [TemplatePiece::Literal(literal)] = self.pieces {
            let is_equal =
                literal == self.text || escape::decode(literal) == escape::decode(self.text);
            return is_equal.then(Vec::new);
        }
        let mut ends = Vec::new();
        self.find(0, 0, &mut ends, &mut BTreeSet::new())?;
        ends.reverse();
        let mut start = 0;
        let mut variables = Vec::new();
        for (piece, end) in self.pieces.iter().zip(ends) {
            if let TemplatePiece::Variable(name) = piece {
                variables.push((name.clone(), self.text[start..end].to_owned()));
            }
            start = end;
        }
        Some(variables)
    }

    /// Where each piece from `piece` on ends, last first, if they match the text from `start` on. A variable
    /// is not empty and as short as possible. What did not match is not tried again.
    fn find(
        &self,
        piece: usize,
        start: usize,
        ends: &mut Vec<usize>,
        failed: &mut BTreeSet<(usize, usize)>,
    ) -> Option<()> {
        let rest: &'a str = &self.text[start..];
        let Some(current) = self.pieces.get(piece) else { return rest.is_empty().then_some(()) };
        if failed.contains(&(piece, start)) {
            return None;
        }
        let candidates: Vec<usize> = match current {
            TemplatePiece::Literal(text) if rest.starts_with(text.as_str()) => vec![text.len()],
            TemplatePiece::Literal(_) => Vec::new(),
            TemplatePiece::Variable(_) if piece + 1 == self.pieces.len() => {
                if rest.is_empty() {
                    Vec::new()
                } else {
                    vec![rest.len()]
                }
            }
            TemplatePiece::Variable(_) => {
                rest.char_indices().skip(1).map(|(at, _)| at).chain([rest.len()]).collect()
            }
        };
        for length in candidates {
            if self.find(piece + 1, start + length, ends, failed).is_some() {
                ends.push(start + length);
                return Some(());
            }
        }
        failed.insert((piece, start));
        None
    }
}

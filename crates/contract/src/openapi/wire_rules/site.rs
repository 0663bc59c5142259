//! Where a parameter stands in its operation: its path segment, and the names beside it.

use crate::openapi::{
    excerpt::Excerpt,
    name_claims::NameClaims,
    operation::{Parameter, ParameterPlace},
    path_template::{PathTemplate, TemplatePiece},
};

/// What is around a parameter.
#[derive(Default)]
pub(super) struct Site {
    pub(super) name: String,
    pub(super) place: Option<ParameterPlace>,
    pub(super) segment: SegmentSite,
    pub(super) neighbours: Option<Neighbours>,
    /// Characters that names of members must not have, besides those of the style.
    pub(super) excluded_in_names: &'static str,
}

/// What a path segment has besides the parameter.
#[derive(Default, PartialEq, Eq)]
pub(super) enum SegmentSite {
    /// Nothing.
    #[default]
    Whole,
    /// Text, or parameters before it.
    Part,
    /// This text and then another parameter: the parameter ends where the text starts.
    Before(String),
}

/// The other parameters of the same place.
pub(super) struct Neighbours {
    pub(super) claims: NameClaims,
    pub(super) index: usize,
}

impl Site {
    pub(super) fn of(excerpt: &Excerpt<'_, '_>, parameter: &Parameter) -> Self {
        let segment = match (parameter.place, excerpt.operation) {
            (ParameterPlace::Path, Some(operation)) => {
                segment_site(&operation.path, &parameter.name)
            }
            _ => SegmentSite::Whole,
        };
        let (name, place) = (parameter.name.clone(), Some(parameter.place));
        Self { name, place, segment, ..Self::default() }
    }

    /// Finds out which names the parameters beside it use.
    pub(super) fn find_neighbours(&mut self, excerpt: &Excerpt<'_, '_>, parameter: &Parameter) {
        let Some(operation) = excerpt.operation else { return };
        let index = operation.parameters.iter().position(|it| it == parameter);
        self.neighbours = index.map(|index| Neighbours {
            claims: NameClaims::in_excerpt(excerpt, operation, parameter.place),
            index,
        });
    }
}

fn segment_site(path: &str, name: &str) -> SegmentSite {
    let template = PathTemplate::parse(path);
    let Some((segment, index)) = template.segment_of(name) else { return SegmentSite::Whole };
    let after = &segment[index + 1..];
    let is_variable = |piece: &TemplatePiece| matches!(piece, TemplatePiece::Variable(_));
    match after.first() {
        Some(TemplatePiece::Literal(text)) if after.iter().any(is_variable) => {
            SegmentSite::Before(text.clone())
        }
        _ if segment.len() == 1 => SegmentSite::Whole,
        _ => SegmentSite::Part,
    }
}

//! Which body of a request and which response of an operation is generated and observed.
//!
//! The rules are those of the requirements, section 3.3: of requests the first JSON media type in
//! lexicographic order; of responses `200` with a JSON media type, otherwise the first 2xx code with one
//! (`2XX` after explicit codes), otherwise the first pair of status and JSON media type.

use super::operation::{Content, MediaKind, MediaType, Operation, Response};

/// What is generated for one side of an operation, and whether it is observed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SelectedBody<'a> {
    /// The media type.
    pub media_type: &'a MediaType,
    /// Whether its schema has targets. Forms and texts are generated without.
    pub is_observed: bool,
}

/// The response that is generated for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SelectedResponse<'a> {
    /// The response.
    pub response: &'a Response,
    /// Its media type.
    pub media_type: &'a MediaType,
    /// Whether it is a success, so that it counts.
    pub is_observed: bool,
}

impl Operation {
    /// The body of its requests that is generated: JSON if there is one, otherwise a sequence of JSON
    /// documents, otherwise a form, otherwise a text.
    #[must_use]
    pub fn selected_body(&self) -> Option<SelectedBody<'_>> {
        let body = self.body.as_ref()?;
        let of = |kind: MediaKind| first(&body.media_types, kind);
        let json = of(MediaKind::Json).or_else(|| of(MediaKind::JsonSequence));
        let form = || of(MediaKind::Form).or_else(|| of(MediaKind::Multipart));
        let other = || form().or_else(|| body.media_types.iter().find(|it| it.is_text));
        let observed = json.map(|media_type| SelectedBody { media_type, is_observed: true });
        observed.or_else(|| Some(SelectedBody { media_type: other()?, is_observed: false }))
    }

    /// The response that is generated.
    ///
    /// ```
    /// use foolproof_contract::{Document, openapi::Api};
    /// use serde_json::json;
    ///
    /// let body = json!({ "description": "", "content": { "application/json": { "schema": {} } } });
    /// let document = Document::from_value(json!({
    ///     "openapi": "3.1.0", "info": {}, "paths": { "/a": { "get": {
    ///         "responses": { "default": body, "201": body, "2XX": body, "404": body }
    ///     } } }
    /// }))?;
    /// let api = Api::of(&document)?;
    /// let selected = api.operations()[0].selected_response().unwrap();
    /// assert_eq!((&*selected.response.status, selected.is_observed), ("201", true));
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn selected_response(&self) -> Option<SelectedResponse<'_>> {
        [MediaKind::Json, MediaKind::JsonSequence].into_iter().find_map(|kind| {
            let with_body = || {
                let responses = self.responses.iter();
                responses
                    .filter_map(|response| Some((response, first(&response.media_types, kind)?)))
            };
            let is_range = |response: &Response| response.status.ends_with(['X', 'x']);
            let success = with_body().filter(|(response, _)| response.is_success()).min_by_key(
                |(response, _)| {
                    (response.status != "200", is_range(response), response.status.clone())
                },
            );
            let any = || with_body().min_by_key(|(response, _)| response.status.clone());
            let (response, media_type) = success.or_else(any)?;
            Some(SelectedResponse { response, media_type, is_observed: response.is_success() })
        })
    }

    /// The response of this status, as the document writes it, with its first JSON media type.
    pub(super) fn response_of(&self, status: &str) -> Option<SelectedResponse<'_>> {
        let response = self.responses.iter().find(|response| response.status == status)?;
        let kinds = [MediaKind::Json, MediaKind::JsonSequence];
        let media_type = kinds.into_iter().find_map(|kind| first(&response.media_types, kind))?;
        Some(SelectedResponse { response, media_type, is_observed: false })
    }
}

/// The first of a family. Media types are sorted.
fn first(media_types: &[MediaType], kind: MediaKind) -> Option<&MediaType> {
    let is_usable = |media_type: &&MediaType| {
        let is_sequence = matches!(media_type.content, Content::Items(_));
        match kind {
            // A document may describe the items of any media type that is a sequence.
            MediaKind::JsonSequence => is_sequence,
            MediaKind::Json | MediaKind::Form | MediaKind::Multipart | MediaKind::Other => {
                media_type.kind() == kind && !is_sequence
            }
        }
    };
    media_types.iter().find(is_usable)
}

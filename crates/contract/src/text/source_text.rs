//! The text of one document of a contract, in which values are found by their pointers.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::Value;

use super::{Syntax, locate_offsets};
use crate::Pointer;

/// The text of a document, for reports that show parts of it.
///
/// ```
/// use foolproof_contract::{Document, Pointer};
///
/// let document = Document::from_text("age.yaml", "type: integer\nminimum: 18\n")?;
/// let text = document.source_texts().remove(0);
/// assert_eq!((text.name(), text.uri()), ("age.yaml", None));
/// let minimum = Pointer::root().key("minimum");
/// assert_eq!(text.offsets([&minimum])[&minimum], 23);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct SourceText {
    name: String,
    uri: Option<String>,
    text: Arc<str>,
    syntax: Syntax,
}

impl SourceText {
    pub(crate) fn new(name: &str, uri: Option<&str>, text: Arc<str>, syntax: Syntax) -> Self {
        Self { name: name.to_owned(), uri: uri.map(str::to_owned), text, syntax }
    }

    /// A document that has no text of its own, as indented JSON.
    #[must_use]
    pub fn of_value(name: &str, value: &Value) -> Self {
        Self::new(name, None, format!("{value:#}").into(), Syntax::Json)
    }

    /// The same, as the document at `uri`.
    pub(crate) fn at_uri(mut self, uri: Option<&str>) -> Self {
        self.uri = uri.map(str::to_owned);
        self
    }

    /// How messages name the document.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The URI of a document that the contract refers to; `None` for the contract itself.
    #[must_use]
    pub fn uri(&self) -> Option<&str> {
        self.uri.as_deref()
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The format of the text.
    #[must_use]
    pub fn syntax(&self) -> Syntax {
        self.syntax
    }

    /// The bytes of the text at which the values at `pointers` start. Pointers that the text does not
    /// contain are absent. One pass for any number of pointers.
    #[must_use]
    pub fn offsets<'p>(
        &self,
        pointers: impl IntoIterator<Item = &'p Pointer>,
    ) -> BTreeMap<&'p Pointer, usize> {
        locate_offsets(&self.text, self.syntax, pointers)
    }
}

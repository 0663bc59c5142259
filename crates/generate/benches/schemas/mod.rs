//! The five schemas that everything is measured with, by rising size.
//!
//! Four are files, so that a reader sees what is measured; the largest is made by a rule.

use foolproof_contract::{Document, Error};

mod large;

/// A schema with the name it has in tables.
#[derive(Clone, Debug)]
pub(crate) struct Schema {
    /// What tables call it.
    pub(crate) name: &'static str,
    /// The schema as JSON.
    pub(crate) text: String,
}

impl Schema {
    /// The schema, read.
    pub(crate) fn document(&self) -> Result<Document, Error> {
        Document::from_text(self.name, &self.text)
    }
}

/// The one of middle size, which the promises are about.
pub(crate) const MEDIUM: &str = "order";

/// All five, the smallest first.
pub(crate) fn all() -> Vec<Schema> {
    let written = [
        ("tiny", include_str!("tiny.json")),
        ("record", include_str!("record.json")),
        (MEDIUM, include_str!("order.json")),
        ("configuration", include_str!("configuration.json")),
    ];
    let mut schemas: Vec<Schema> =
        written.into_iter().map(|(name, text)| Schema { name, text: text.to_owned() }).collect();
    schemas.push(Schema { name: "large", text: large::schema().to_string() });
    schemas
}

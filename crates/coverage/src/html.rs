//! A report as one HTML page: the contract as a tree, with every target and what became of it.
//!
//! The page is one file: style and script are part of it, and nothing is loaded. All of it can be read
//! without the script, which adds search, filter and links that open what they lead to. A page is a
//! function of the report and of the texts of the contract; times are not shown.
//!
//! Everything that comes from a contract or from data passes through [`escape`], also in attributes. The
//! script is constant: no data is written into it, and the page names its hash as the only one that may run.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use foolproof_contract::SourceText;
use sha2::{Digest as _, Sha256};

use crate::{Report, ReportMode, report::by_id};

mod bars;
mod escape;
mod examples;
mod excerpt;
mod operation_sets;
mod overview;
mod target;
mod tree;
mod tree_view;

use escape::text;
use examples::Examples;
use tree::Tree;

const STYLE: &str = include_str!("html/page.css");
const SCRIPT: &str = include_str!("html/page.js");

/// Why there is no page of a report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HtmlError {
    /// It does not list its targets.
    #[error(
        "the report is a summary and does not list its targets; write it with `--coverage-report-mode full`"
    )]
    Summary,
    /// It lists a target twice.
    #[error("the report lists `{id}` twice")]
    Twice {
        /// The target.
        id: String,
    },
}

impl HtmlError {
    /// A stable identifier for documentation and scripts.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Summary => "coverage::summary-report",
            Self::Twice { .. } => "coverage::repeated-target",
        }
    }
}

/// The page of `report`. `texts` are those of the contract, as
/// [`Document::source_texts`](foolproof_contract::Document::source_texts) gives them; without any, the page
/// does not show the text at a location.
///
/// ```
/// use foolproof_contract::Document;
/// use foolproof_coverage::{Measurement, Settings, html_page};
/// use serde_json::json;
///
/// let document = Document::from_text("size.json", r#"{ "enum": ["S", "M"] }"#)?;
/// let mut measurement = Measurement::new(&document, Settings::measure(0))?;
/// assert!(measurement.accept(json!("M")));
///
/// let page = html_page(&measurement.finish(None), &document.source_texts())?;
/// assert!(page.starts_with("<!DOCTYPE html>"));
/// // The id of a target is the address of its entry in the page, percent-encoded.
/// assert!(page.contains(r#"<li id="enum:%23:0" class="m""#));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn html_page(report: &Report, texts: &[SourceText]) -> Result<String, HtmlError> {
    if report.report_mode == ReportMode::Summary {
        return Err(HtmlError::Summary);
    }
    by_id(&report.targets).map_err(|id| HtmlError::Twice { id })?;
    let name = texts.first().map_or("a contract", SourceText::name);
    let mut examples = Examples::new(&report.example_texts);
    let tree = Tree::new(&report.targets);
    let mut main = String::new();
    overview::write(report, name, &tree, &mut main);
    tree_view::write(report, texts, &tree, &mut examples, &mut main);
    examples.write(&mut main);
    let script = format!("\n{SCRIPT}");
    // No other script runs, whatever text from outside does to the page.
    let script_hash = format!("sha256-{}", STANDARD.encode(Sha256::digest(&script)));
    Ok(format!(
        "<!DOCTYPE html>\n\
        <html lang=\"en\">\n\
        <head>\n\
        <meta charset=\"utf-8\">\n\
        <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
        <meta name=\"color-scheme\" content=\"light dark\">\n\
        <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; script-src '{script_hash}'; base-uri 'none'; form-action 'none'\">\n\
        <meta name=\"generator\" content=\"foolproof {version}\">\n\
        <title>Coverage of {title}</title>\n\
        <style>\n{STYLE}</style>\n\
        </head>\n\
        <body>\n\
        <a class=\"skip\" href=\"#contract\">Skip to the contract</a>\n\
        {main}\
        <footer><p>Written by foolproof {version}. Percentages are rounded down.</p></footer>\n\
        <script>{script}</script>\n\
        </body>\n\
        </html>\n",
        version = text(&report.engine.foundry_version),
        title = text(name),
    ))
}

//! How far the compilation of an API is, for whoever waits for it.
//!
//! Compiling and planning count operations; a reader on another thread looks at the count. No result depends on it, and
//! there is no clock.

use std::sync::atomic::{AtomicU64, Ordering};

/// How many operations of an API are compiled and planned for.
///
/// ```
/// use std::sync::Arc;
/// use foolproof_contract::{Document, openapi::Api};
/// use foolproof_coverage::{ApiRunOptions, CompileProgress, CompiledRun, Profile, Settings};
/// use foolproof_generate::Meter;
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "openapi": "3.1.0", "info": { "title": "Coins", "version": "1" },
///     "paths": { "/coin": { "get": { "responses": { "204": { "description": "" } } } } }
/// }))?;
/// let progress = Arc::new(CompileProgress::default());
/// let options = ApiRunOptions { progress: Some(Arc::clone(&progress)), ..ApiRunOptions::default() };
/// let settings = Settings::guided(Profile::Quick);
/// CompiledRun::of_api(&Api::of(&document)?, &options, settings, &mut Meter::counting()).unwrap();
/// assert_eq!(progress.done(), 1);
/// assert_eq!(progress.total(), 1);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug, Default)]
pub struct CompileProgress {
    done: AtomicU64,
    total: AtomicU64,
}

impl CompileProgress {
    /// How many operations are done.
    #[must_use]
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// How many there are; 0 before they are counted.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total.load(Ordering::Relaxed)
    }

    pub(super) fn start(&self, total: u64) {
        self.total.store(total, Ordering::Relaxed);
    }

    pub(super) fn advance(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }
}

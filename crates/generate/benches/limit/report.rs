//! Which promises were held.

/// Collects the verdicts, to print them at the end.
#[derive(Debug, Default)]
pub(crate) struct Report(Vec<(&'static str, String)>);

impl Report {
    /// A promise to users.
    pub(crate) fn promise(&mut self, held: bool, what: String) {
        self.0.push((if held { "held" } else { "MISSED" }, what));
    }

    /// A goal beyond the promise.
    pub(crate) fn goal(&mut self, reached: bool, what: String) {
        self.0.push((if reached { "reached" } else { "not yet" }, what));
    }

    pub(crate) fn print(&self) {
        for (verdict, what) in &self.0 {
            println!("{verdict:<8} {what}");
        }
    }
}

pub(crate) fn heading(title: &str) {
    println!("\n{title}\n{}", "-".repeat(title.chars().count()));
}

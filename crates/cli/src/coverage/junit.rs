//! Minima as test results in the format of `JUnit`.

use foolproof_contract::Untrusted;

use super::ci::Check;

/// The document: one test case for each minimum.
pub(super) fn document(checks: &[Check]) -> String {
    let mut cases = String::new();
    for check in checks {
        let name = Untrusted::new(&check.name).xml();
        cases.push_str(&format!("    <testcase classname=\"coverage\" name=\"{name}\">\n"));
        if !check.is_met {
            let message = Untrusted::new(&check.message).xml();
            cases.push_str(&format!(
                "      <failure type=\"minimum\" message=\"{message}\"></failure>\n"
            ));
        }
        cases.push_str("    </testcase>\n");
    }
    let (tests, failures) = (checks.len(), checks.iter().filter(|check| !check.is_met).count());
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"foolproof coverage\" tests=\"{tests}\" failures=\"{failures}\">\n{cases}  </testsuite>\n</testsuites>\n"
    )
}

//! What changed between two reports.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::float_cmp, reason = "shares are exact")]

use foolproof_coverage::{
    ContractChange, Diff, DiffError, DiffSide, Dimension, Outcome, Report, ReportMode, Status, diff,
};
use serde_json::{Value, json};

use crate::measured::{Contract, ids, shirt};

fn small() -> Value {
    json!({ "size": "S", "price": 1 })
}

fn gift() -> Value {
    json!({ "size": "L", "gift": true, "note": "for you" })
}

/// The differences between what two lists of shirts cover.
fn compare(before: &[Value], after: &[Value]) -> Diff {
    let contract = Contract::new(shirt());
    diff(&contract.report(before), &contract.report(after)).unwrap()
}

/// The size of the shirt with these members.
fn sizes(members: &Value) -> Contract {
    Contract::with(
        json!({ "properties": { "size": { "enum": members } } }),
        [Dimension::Enum].into_iter().collect(),
    )
}

fn size(size: &str) -> Value {
    json!({ "size": size })
}

/// Assigns the targets for which `belongs` holds to `operation`.
fn attach(report: &mut Report, operation: &str, belongs: impl Fn(&str) -> bool) {
    for target in report.targets.iter_mut().filter(|target| belongs(&target.id)) {
        target.meta.operations.push(operation.to_owned());
    }
}

#[test]
fn equal_reports_differ_in_nothing() {
    let diff = compare(&[small(), gift()], &[small(), gift()]);
    assert!(!diff.is_regression());
    assert_eq!(diff.unchanged.len(), Contract::new(shirt()).universe.targets().len());
    for targets in [&diff.newly_uncovered, &diff.new_gaps, &diff.newly_covered, &diff.added] {
        assert_eq!(targets, &[]);
    }
    assert_eq!(diff.overall.delta, 0.0);
    assert!(diff.to_string().starts_with("Coverage held: nothing was lost among the "));
}

#[test]
fn a_target_that_is_not_hit_any_more_is_a_regression_and_shows_what_hit_it() {
    let diff = compare(&[small(), gift()], &[small()]);
    assert!(diff.is_regression());
    let lost = ids(&diff.newly_uncovered);
    assert_eq!(lost[..2], ["branch:#/oneOf:1", "enum:#/properties/size:2"], "worst first");
    assert!(lost.contains(&"prop:#/properties/note:present"));
    assert_eq!(diff.newly_uncovered[0].meta.example, Some(gift()));
    assert!(!diff.newly_uncovered[0].hit);
    assert!(diff.overall.delta < 0.0);
    assert!(diff.overall.is_drop());
}

#[test]
fn new_hits_do_not_outweigh_a_lost_target() {
    let diff = compare(&[small()], &[gift()]);
    assert!(diff.is_regression());
    assert!(ids(&diff.newly_covered).contains(&"branch:#/oneOf:1"));
    assert!(ids(&diff.newly_uncovered).contains(&"branch:#/oneOf:0"));
}

#[test]
fn new_hits_are_a_rise() {
    let diff = compare(&[small()], &[small(), gift()]);
    assert!(!diff.is_regression());
    assert_eq!(diff.newly_uncovered, []);
    assert!(diff.overall.is_rise());
    assert!(diff.to_string().starts_with("Coverage rose"));
}

#[test]
fn new_targets_that_are_not_hit_are_gaps_and_no_regression() {
    let before = sizes(&json!(["S"])).report(&[size("S")]);
    let after = sizes(&json!(["S", "M", "L"])).report(&[size("S"), size("L")]);
    let diff = diff(&before, &after).unwrap();
    assert!(!diff.is_regression());
    let size = "enum:#/properties/size";
    assert_eq!(ids(&diff.added), [format!("{size}:1"), format!("{size}:2")]);
    assert_eq!(ids(&diff.new_gaps), [format!("{size}:1")]);
    assert_eq!(diff.unchanged, [format!("{size}:0")]);
    // Over all targets the share fell; over the common targets it did not.
    assert_eq!((diff.reported.before, diff.reported.after), (1.0, 2.0 / 3.0));
    assert_eq!((diff.overall.before, diff.overall.after), (1.0, 1.0));
    assert_eq!(diff.overall.targets_after, 1);
}

#[test]
fn removed_targets_are_no_regression() {
    let before = sizes(&json!(["S", "M"])).report(&[size("S"), size("M")]);
    let after = sizes(&json!(["S"])).report(&[size("S")]);
    let diff = diff(&before, &after).unwrap();
    assert!(!diff.is_regression());
    assert_eq!(ids(&diff.removed), ["enum:#/properties/size:1"]);
    assert_eq!(diff.newly_uncovered, []);
}

#[test]
fn a_member_that_moved_is_not_compared_with_its_successor() {
    let before = sizes(&json!(["S", "M"])).report(&[size("S"), size("M")]);
    let after = sizes(&json!(["S", "XS", "M"])).report(&[size("S"), size("M")]);
    let diff = diff(&before, &after).unwrap();
    assert!(!diff.is_regression(), "`XS` was never hit, so it cannot be lost");
    assert_eq!(ids(&diff.redefined), ["enum:#/properties/size:1"]);
    assert_eq!(ids(&diff.new_gaps), ["enum:#/properties/size:1"]);
    assert_eq!(diff.unchanged, ["enum:#/properties/size:0"]);
}

/// An object with a property that may be forbidden.
fn with_property(schema: &Value) -> Contract {
    Contract::with(
        json!({ "type": "object", "properties": { "a": {}, "b": schema } }),
        [Dimension::Structure].into_iter().collect(),
    )
}

#[test]
fn a_target_that_becomes_unreachable_is_listed_as_changed() {
    let before = with_property(&json!({})).report(&[json!({ "a": 1 })]);
    let after = with_property(&json!(false)).report(&[json!({ "a": 1 })]);
    let diff = diff(&before, &after).unwrap();
    let changed: Vec<_> = diff
        .status_changed
        .iter()
        .map(|change| (change.before, change.after, change.target.id.as_str()))
        .collect();
    assert_eq!(
        changed,
        [
            (Status::Active, Status::Unreachable, "prop:#/properties/b:present"),
            (Status::Active, Status::Unreachable, "struct:#/properties/b"),
        ]
    );
    assert!(!diff.is_regression());
    // Each side is counted by its own statuses.
    assert_eq!((diff.overall.hit_before, diff.overall.targets_before), (3, 5));
    assert_eq!((diff.overall.hit_after, diff.overall.targets_after), (3, 3));
}

#[test]
fn a_target_that_was_hit_and_is_now_unreachable_is_lost() {
    let before = with_property(&json!({})).report(&[json!({ "a": 1, "b": 1 })]);
    let after = with_property(&json!(false)).report(&[json!({ "a": 1 })]);
    let diff = diff(&before, &after).unwrap();
    assert!(diff.is_regression());
    assert_eq!(diff.newly_uncovered.len(), 2);
}

#[test]
fn a_target_that_becomes_reachable_lowers_coverage() {
    let before = with_property(&json!(false)).report(&[json!({ "a": 1 })]);
    let after = with_property(&json!({})).report(&[json!({ "a": 1 })]);
    let diff = diff(&before, &after).unwrap();
    assert_eq!(diff.newly_uncovered, []);
    assert!(diff.overall.is_drop() && diff.is_regression());
    let verdict = "Coverage fell: no target was lost, but it changed which of them count\n";
    assert!(diff.to_string().starts_with(verdict));
}

#[test]
fn both_sides_are_counted_by_the_later_policy() {
    let contract = with_property(&json!(false));
    let lenient = contract.report(&[json!({ "a": 1 })]);
    let strict = contract.report_with(&[json!({ "a": 1 })], |mut outcome| {
        outcome.run.exclude_unreachable = false;
        outcome
    });
    let diff = diff(&lenient, &strict).unwrap();
    assert_eq!((diff.overall.before, diff.overall.after), (0.6, 0.6));
    assert!(!diff.is_regression(), "a change of policy loses no coverage");
}

#[test]
fn deprecated_targets_do_not_change_the_verdict() {
    let contract = sizes(&json!(["S", "M"]));
    let before = contract.report(&[size("S"), size("M")]);
    let mut after = contract.report(&[size("S")]);
    after.targets[1].status = Status::Deprecated;
    let diff = diff(&before, &after).unwrap();
    assert_eq!(diff.newly_uncovered, []);
    assert_eq!(diff.status_changed.len(), 1);
    assert!(!diff.is_regression());
}

#[test]
fn an_operation_that_falls_is_a_regression() {
    let contract = sizes(&json!(["S", "M"]));
    let mut before = contract.report(&[size("S"), size("M")]);
    let mut after = contract.report(&[size("M")]);
    for report in [&mut before, &mut after] {
        attach(report, "listShirts", |id| id.ends_with(":0"));
        attach(report, "getShirt", |_| true);
    }
    // Only the targets that an operation reaches in both reports are compared.
    attach(&mut before, "orderShirt", |id| id.ends_with(":1"));
    attach(&mut after, "orderShirt", |_| true);
    attach(&mut before, "dropShirt", |_| true);
    attach(&mut after, "dropShirt", |id| id.ends_with(":1"));
    let diff = diff(&before, &after).unwrap();
    let list = diff.by_operation["listShirts"];
    assert_eq!((list.before, list.after, list.delta), (1.0, 0.0, -1.0));
    assert_eq!(diff.by_operation["getShirt"].delta, -0.5);
    for key in ["orderShirt", "dropShirt"] {
        let change = diff.by_operation[key];
        assert_eq!((change.targets_before, change.targets_after, change.delta), (1, 1, 0.0));
    }
    assert!(diff.is_regression());
    let text = diff.to_string();
    let fallen = text.find("Operations that fell (2):\n  listShirts: 100.0 %, now 0.0 %");
    assert!(fallen.is_some(), "{text}");
}

#[test]
fn an_operation_that_falls_while_overall_holds_is_a_regression() {
    let mut before = sizes(&json!(["S", "M", "L"])).report(&[size("S")]);
    attach(&mut before, "getShirt", |id| !id.ends_with(":2"));
    attach(&mut before, "listShirts", |id| id.ends_with(":2"));
    let mut after = before.clone();
    before.targets[1].status = Status::Unreachable;
    after.targets[2].status = Status::Unreachable;
    let diff = diff(&before, &after).unwrap();
    assert_eq!((diff.overall.before, diff.overall.after), (0.5, 0.5));
    assert_eq!(diff.newly_uncovered, []);
    assert_eq!(diff.by_operation["getShirt"].delta, -0.5);
    assert!(diff.is_regression());
}

#[test]
fn differences_are_exact() {
    let contract = sizes(&json!(["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]));
    let values = ["a", "b", "c", "d", "e", "f", "g", "h", "i"].map(size);
    let diff = diff(&contract.report(&values), &contract.report(&values[..8])).unwrap();
    assert_eq!(diff.overall.delta, -0.1);
    assert_eq!(diff.by_dimension[&Dimension::Enum].delta, -0.1);
}

#[test]
fn reports_that_cannot_be_compared_are_refused() {
    let contract = Contract::new(shirt());
    let sound = contract.report(&[small()]);
    let refused = |change: fn(&mut Report)| {
        let mut other = sound.clone();
        change(&mut other);
        diff(&sound, &other).unwrap_err()
    };
    let found = "coverage-report/v2".to_owned();
    assert_eq!(
        refused(|other| other.version = "coverage-report/v2".to_owned()),
        DiffError::OtherVersion { side: DiffSide::After, found }
    );
    let major = refused(|other| other.engine.foundry_version = "7.0.0".to_owned());
    assert!(matches!(&major, DiffError::OtherMajor { after, .. } if after == "7.0.0"));
    let twice = refused(|other| other.targets.push(other.targets[0].clone()));
    assert_eq!(twice, DiffError::Twice { side: DiffSide::After, id: "struct:#".to_owned() });
    assert_eq!(refused(|other| other.targets.clear()), DiffError::NothingInCommon);

    let summary = contract
        .report_with(&[], |outcome| Outcome { report_mode: ReportMode::Summary, ..outcome });
    let refused = diff(&summary, &sound).unwrap_err();
    assert_eq!(refused, DiffError::Summary { side: DiffSide::Before });
    let message = "the earlier report is a summary and does not list its targets; \
        write it with `--coverage-report-mode full`";
    assert_eq!(refused.to_string(), message);
}

#[test]
fn minor_versions_can_be_compared() {
    let before = Contract::new(shirt()).report(&[small()]);
    let mut after = before.clone();
    after.engine.foundry_version = "0.99.1".to_owned();
    assert!(diff(&before, &after).is_ok());
}

#[test]
fn reports_about_different_contracts_are_refused() {
    let shirts = sizes(&json!(["S"])).report(&[]);
    let other = Contract::with(json!({ "enum": [1] }), [Dimension::Enum].into_iter().collect());
    assert_eq!(diff(&shirts, &other.report(&[])), Err(DiffError::NothingInCommon));
}

/// The report with the fingerprint of a contract.
fn about(contract: char, mut report: Report) -> Report {
    report.run.contract_fingerprint = Some(format!("sha256:{}", contract.to_string().repeat(64)));
    report
}

#[test]
fn a_changed_contract_is_named_and_what_is_common_is_compared() {
    let before = about('a', sizes(&json!(["S", "M"])).report(&[size("S"), size("M")]));
    let after = about('b', sizes(&json!(["S", "L", "XL"])).report(&[size("XL")]));
    let found = diff(&before, &after).unwrap();
    assert_eq!(found.contract, ContractChange::Changed);
    assert!(found.is_regression(), "`S` is lost");
    let text = found.to_string();
    let expected = "Coverage fell: 1 target was hit before and is not now\n\
        The contract changed: 1 target added, 1 target with another meaning under the same id\n";
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("\nAdded and hit (1):\n  enum:#/properties/size:2 (\"XL\")\n"), "{text}");

    let found = diff(&after, &before).unwrap();
    let text = found.to_string();
    assert!(text.contains("The contract changed: 1 target removed, 1 target with"), "{text}");
    let removed = "\nRemoved, which is no regression (1):\n  enum:#/properties/size:2 (\"XL\")\n";
    assert!(text.contains(removed), "{text}");
}

#[test]
fn contracts_without_a_common_target_are_compared_if_it_is_known_that_they_differ() {
    let before = about('a', sizes(&json!(["S"])).report(&[size("S")]));
    let other = Contract::with(json!({ "enum": [1] }), [Dimension::Enum].into_iter().collect());
    let after = about('b', other.report(&[]));
    let found = diff(&before, &after).unwrap();
    assert_eq!((found.added.len(), found.removed.len(), found.new_gaps.len()), (1, 1, 1));
    assert!(!found.is_regression(), "nothing that is there was lost");
    let text = found.to_string();
    assert!(text.contains("\nThe contract changed: 1 target added, 1 target removed\n"), "{text}");
    assert!(text.contains("  overall: no targets\n"), "{text}");
}

#[test]
fn a_contract_may_change_without_its_targets() {
    let report = sizes(&json!(["S"])).report(&[size("S")]);
    let (before, after) = (about('a', report.clone()), about('b', report.clone()));
    let text = diff(&before, &after).unwrap().to_string();
    assert!(text.contains("\nThe contract changed, and its targets are the same\n"), "{text}");
    let same = diff(&before, &before).unwrap();
    assert_eq!(same.contract, ContractChange::Same);
    assert!(!same.to_string().contains("contract"));
    let unknown = diff(&report, &after).unwrap();
    assert_eq!(unknown.contract, ContractChange::Unknown);
    assert!(!unknown.to_string().contains("contract"));
}

#[test]
fn without_fingerprints_the_targets_show_that_the_contract_changed() {
    let before = sizes(&json!(["S"])).report(&[]);
    let after = sizes(&json!(["S", "M"])).report(&[]);
    assert_eq!(diff(&before, &after).unwrap().contract, ContractChange::Changed);
    let mut selected = after;
    selected.run.selected_operations = Some(vec!["a".to_owned()]);
    let found = diff(&before, &selected).unwrap();
    assert_eq!(found.contract, ContractChange::Unknown);
    let expected = "\nThe runs have different operations in scope: 1 target added\n";
    assert!(found.to_string().contains(expected), "{found}");
    let found = diff(&about('a', before), &about('a', selected)).unwrap();
    let expected = "the options of the runs give other targets: 1 target added\n";
    assert!(found.to_string().contains(expected), "{found}");
}

#[test]
fn dimensions_of_one_report_are_neither_added_nor_removed() {
    let of = |dimensions: &[Dimension]| {
        let contract = Contract::with(shirt(), dimensions.iter().copied().collect());
        about('a', contract.report(&[small()]))
    };
    let (one, both) = (of(&[Dimension::Enum]), of(&[Dimension::Enum, Dimension::Branches]));
    let found = diff(&both, &one).unwrap();
    assert_eq!((found.removed.len(), found.added.len()), (0, 0));
    let branches = both.targets.len() - one.targets.len();
    assert_eq!(found.dimensions_only_before[&Dimension::Branches], branches);
    assert!(found.dimensions_only_after.is_empty() && !found.is_regression());
    let text = found.to_string();
    let expected = format!("\nOnly the earlier report observes branches ({branches} targets)\n");
    assert!(text.contains(&expected) && !text.contains("Removed"), "{text}");
    let shown = serde_json::to_value(&found).unwrap();
    assert_eq!(shown["dimensionsOnlyBefore"], json!({ "branches": branches }));
    assert_eq!((&shown["dimensionsOnlyAfter"], &shown["contract"]), (&json!({}), &json!("same")));

    let found = diff(&one, &both).unwrap();
    assert_eq!((found.added.len(), found.new_gaps.len()), (0, 0));
    assert_eq!(found.dimensions_only_after[&Dimension::Branches], branches);
}

#[test]
fn two_reports_without_targets_are_equal() {
    let empty = Contract::with(json!({}), [Dimension::Enum].into_iter().collect()).report(&[]);
    let diff = diff(&empty, &empty).unwrap();
    assert!(!diff.is_regression());
    assert_eq!(diff.overall.after, 1.0);
}

#[test]
fn the_text_lists_the_worst_first() {
    let text = compare(&[small(), gift()], &[small()]).to_string();
    let expected = r#"Coverage fell: 6 targets were hit before and are not now

Not hit any more (6):
  branch:#/oneOf:1
    was hit by {"gift":true,"note":"for you","size":"L"}
  enum:#/properties/size:2 ("L")
    was hit by {"gift":true,"note":"for you","size":"L"}
"#;
    assert!(text.starts_with(expected), "{text}");
    assert!(text.contains("  enum: 66.6 %, now 33.3 % (1 of 3 targets; -33.3 points)\n"), "{text}");
    assert!(text.contains("  boundaries: 50.0 % (1 of 2 targets)\n"), "{text}");
}

#[test]
fn long_lists_are_cut_in_the_text_and_complete_in_the_json_form() {
    let members: Vec<String> = (0..30).map(|number| format!("size {number}")).collect();
    let contract = sizes(&json!(members));
    let values: Vec<Value> = members.iter().map(|member| size(member)).collect();
    let diff = diff(&contract.report(&values), &contract.report(&[])).unwrap();
    let text = diff.to_string();
    assert!(text.contains("\n  and 20 more\n"), "{text}");
    assert_eq!(text.matches("was hit by").count(), 10);
    let shown = serde_json::to_value(&diff).unwrap();
    assert_eq!(shown["newlyUncovered"].as_array().unwrap().len(), 30);
}

#[test]
fn the_json_form_has_a_version_and_the_classes_of_the_requirements() {
    let shown = serde_json::to_value(compare(&[small(), gift()], &[small()])).unwrap();
    assert_eq!(shown["version"], "coverage-diff/v1");
    assert_eq!(shown["isRegression"], true);
    for class in ["unchanged", "added", "removed", "statusChanged", "redefined", "newGaps"] {
        assert!(shown[class].is_array(), "{class}");
    }
    assert_eq!(shown["byDimension"]["branches"]["before"], 1.0);
    assert_eq!(shown["byDimension"]["branches"]["after"], 0.5);
    assert_eq!(shown["overall"]["delta"].as_f64().map(f64::is_sign_negative), Some(true));
}

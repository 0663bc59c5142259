//! What the HTML page of a report says, and that nothing in a contract or in data becomes markup.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use foolproof_contract::{Document, SourceText, openapi::Api};
use foolproof_coverage::{
    ApiRunOptions, CompiledRun, HtmlError, LongExamples, Measurement, Report, RunContext, Settings,
    html_page,
};
use foolproof_generate::Meter;
use serde_json::{Value, json};

const ORDER: &str = r#"{
  "type": "object",
  "required": ["size"],
  "properties": {
    "size": { "enum": ["S", "M"] },
    "count": { "type": "integer", "minimum": 1 },
    "never": { "type": "integer", "minimum": 3, "maximum": 2 }
  }
}
"#;

fn measured(document: &Document, values: &[Value]) -> Report {
    let settings = Settings { long_examples: LongExamples::Start, ..Settings::measure(0) };
    let mut measurement = Measurement::new(document, settings).unwrap();
    for value in values {
        assert!(measurement.accept(value.clone()), "{value}");
    }
    measurement.finish(None)
}

fn page(document: &Document, values: &[Value]) -> String {
    html_page(&measured(document, values), &document.source_texts()).unwrap()
}

fn order_page() -> String {
    let order = Document::from_text("order.json", ORDER).unwrap();
    page(&order, &[json!({ "size": "S" })])
}

/// The line of the page that has the target `id`, percent-encoded.
fn item<'p>(page: &'p str, id: &str) -> &'p str {
    let start = format!("<li id=\"{id}\"");
    page.lines().find(|line| line.starts_with(&start)).unwrap_or_else(|| panic!("no {id}"))
}

#[test]
fn a_target_has_its_status_in_words_and_the_example_or_the_reason() {
    let page = order_page();
    let hit = item(&page, "enum:%23/properties/size:0");
    assert!(hit.contains("class=\"h\"") && hit.contains("<b>hit</b>"), "{hit}");
    assert!(hit.contains("by instance 0 <code>{&quot;size&quot;:&quot;S&quot;}</code>"), "{hit}");
    let missed = item(&page, "enum:%23/properties/size:1");
    assert!(missed.contains("<b>missed</b>") && missed.contains("no instance hit it"), "{missed}");
    let unreachable = item(&page, "prop:%23/properties/never:present");
    assert!(unreachable.contains("<b>unreachable</b>"), "{unreachable}");
    assert!(unreachable.contains("admits no value"), "{unreachable}");
    assert!(unreachable.contains("<code>#/properties/never/minimum</code>"), "{unreachable}");
}

#[test]
fn every_level_counts_what_is_below_it() {
    let page = order_page();
    let counts = |name: &str| {
        let start = format!("<summary><code>{name}</code> ");
        let line = page.lines().find_map(|line| line.split_once(&start)).unwrap().1;
        line.replace("</i> <i class=\"", ", ").replace("\">", " ")
    };
    assert!(counts("order.json").contains("h 3 hit, m 4 missed, u 4 unreachable"), "{page}");
    assert!(counts("properties › size").contains("h 2 hit, m 1 missed<"), "{page}");
    assert!(
        counts("properties › never").starts_with("<span class=\"c <i class=\"u 4 unreachable<")
    );
    assert!(page.contains("<strong>42.8 %</strong> 3 of 7 targets hit"), "{page}");
}

#[test]
fn the_text_of_the_contract_is_beside_its_targets() {
    let page = order_page();
    let shown = "<small>line 5</small><pre>&quot;size&quot;: { &quot;enum&quot;: [&quot;S&quot;, &quot;M&quot;] }</pre>";
    assert!(page.contains(shown), "{page}");
    let yaml = "properties:\n  size:\n    enum: [S, M]\n";
    let yaml = Document::from_text("order.yaml", yaml).unwrap();
    let page = self::page(&yaml, &[]);
    assert!(page.contains("<small>line 3</small><pre>enum: [S, M]</pre>"), "{page}");
    // Without its text there is still a page.
    let report = measured(&yaml, &[]);
    assert!(!html_page(&report, &[]).unwrap().contains("<small>line"));
    // A document that was no file is shown as indented JSON.
    let value = Document::from_value(json!({ "enum": [1] })).unwrap();
    assert!(self::page(&value, &[]).contains("<small>line 1</small><pre>{\n  &quot;enum&quot;"));
}

#[test]
fn an_instance_that_several_targets_share_is_there_once() {
    let order = Document::from_text("order.json", ORDER).unwrap();
    let note = "n".repeat(90);
    let page = page(&order, &[json!({ "size": "S", "count": 1, "note": note })]);
    assert_eq!(page.matches(&note).count(), 1, "{page}");
    assert!(page.matches("<a class=\"e\" href=\"#i0\">instance 0</a>").count() > 3, "{page}");
    assert!(page.contains("<div class=\"x\" id=\"i0\"><h3>Instance 0</h3>"), "{page}");
}

#[test]
fn of_an_instance_too_long_for_a_report_the_beginning_is_shown() {
    let order = Document::from_text("order.json", ORDER).unwrap();
    let report = measured(&order, &[json!({ "note": "n".repeat(5_000), "size": "S" })]);
    let page = html_page(&report, &[]).unwrap();
    assert!(page.contains("<pre>{&quot;note&quot;:&quot;nnn") && page.contains("nnn…</pre>"));
    assert!(page.matches('n').count() < 5_000, "it is cut");
    // A file does not have it, so its page says how to get it.
    let stored = Report::from_json(&report.to_json()).unwrap();
    let page = html_page(&stored, &[]).unwrap();
    assert!(page.contains("by instance 0, of 5022 bytes: too long for a report file"), "{page}");
}

#[test]
fn an_api_has_its_operations() {
    let text = include_str!("../../cli/tests/cmd/openapi.in/shop.yaml");
    let document = Document::from_text("shop.yaml", text).unwrap();
    let api = Api::of(&document).unwrap();
    let settings =
        Settings { dimensions: foolproof_coverage::Dimensions::all(), ..Settings::measure(4) };
    let meter = &mut Meter::counting();
    let run = CompiledRun::of_api(&api, &ApiRunOptions::default(), settings, meter).unwrap();
    let context = RunContext::default();
    let go_on = |_: foolproof_coverage::Event<'_>| std::ops::ControlFlow::<()>::Continue(());
    let report = run.stream(&context, meter, go_on).unwrap().report.unwrap();
    let page = html_page(&report, &document.source_texts()).unwrap();
    assert!(page.contains("<h2 id=\"operations\">Operations</h2>"), "{page}");
    // The least covered first, each with a bar, and a link to its first target.
    let link = "<th scope=\"row\"><a href=\"#op:POST%20/users:request\">POST /users</a></th><td class=\"w\"><svg";
    assert!(page.contains(link), "{page}");
    assert!(page.contains("<summary><code>/users › post</code>"), "{page}");
    assert!(page.contains("<p>Reached by <code>POST /users</code>, <code>getUser</code></p>"));
    let request = item(&page, "op:getUser:request");
    assert!(request.contains("request of <code>getUser</code>"), "{request}");
    // An operation lists the sets of operations that it is in; each target has the number of its set.
    let (before, _) = page.split_once("\">getUser</option>").unwrap();
    let (_, sets) = before.rsplit_once("<option data-o=\"").unwrap();
    let set_of = |id| item(&page, id).split("data-o=\"").nth(1)?.split('"').next();
    assert!(sets.split(' ').any(|set| Some(set) == set_of("op:getUser:request")), "{sets}");
    let other = set_of("op:POST%20/users:request");
    assert!(other.is_some() && sets.split(' ').all(|set| Some(set) != other), "{sets}");
}

/// Texts that would be markup, or leave an attribute, a style or a script, if they were not escaped.
const HOSTILE: &str = "</script><script>alert(1)</script><img src=x onerror='a'>\"&\u{0}";

#[test]
fn nothing_of_a_contract_or_of_data_becomes_markup() {
    let schema = json!({
        "$comment": HOSTILE,
        "type": "object",
        "properties": { HOSTILE: { "enum": [HOSTILE, "b"] } },
        "additionalProperties": { "type": "string" },
    });
    let document = Document::from_value(schema).unwrap();
    let mut report = measured(&document, &[json!({ HOSTILE: HOSTILE, "x": HOSTILE })]);
    let text = || Some(HOSTILE.to_owned());
    report.diagnostics.notes.push(json!(HOSTILE));
    report.engine.oracle = text();
    HOSTILE.clone_into(&mut report.engine.foundry_version);
    let every_kind = report.targets.clone();
    for (number, mut target) in every_kind.into_iter().enumerate() {
        target.id = format!("{HOSTILE}{number}");
        target.canon_path = format!("{HOSTILE}#/{HOSTILE}");
        target.operation_key = text();
        target.kind = HOSTILE.into();
        target.hit = number % 2 == 0;
        target.meta.reason = text();
        target.meta.diagnostic = text();
        target.meta.conflicts = vec![HOSTILE.to_owned()];
        target.meta.operations = vec![HOSTILE.to_owned()];
        report.uncovered_targets.push(target.clone());
        report.targets.push(target);
    }
    let texts = [SourceText::of_value(HOSTILE, document.original())];
    let page = html_page(&report, &texts).unwrap();
    assert!(page.matches("&lt;/script&gt;").count() > 20, "it is there, as text");
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("</script").count(), 1);
    assert_eq!(page.matches("<style").count(), 1);
    for markup in ["<img", "onerror='", "alert(1)<", "\u{0}"] {
        assert!(!page.contains(markup), "{markup:?}");
    }
    // Quotes of attributes come in pairs, so no text has left its attribute.
    let body = page.split_once("<body>").unwrap().1.split_once("<script>").unwrap().0;
    for tag in body.split('<').skip(1).filter_map(|rest| rest.split_once('>')).map(|(tag, _)| tag) {
        assert!(tag.matches('"').count().is_multiple_of(2), "{tag}");
        assert!(!tag.contains('\''), "{tag}");
    }
}

#[test]
fn a_page_loads_nothing() {
    let page = order_page();
    for load in ["src=", "<link", "@import", "url(", "http://", "https://", "fetch(", "import("] {
        assert!(!page.contains(load), "{load}");
    }
    assert!(page.contains("Content-Security-Policy\" content=\"default-src 'none';"));
    assert!(page.contains("script-src 'sha256-") && !page.contains("script-src 'unsafe-inline'"));
    let links = page.split("href=\"").skip(1);
    assert!(links.clone().count() > 10);
    assert!(links.into_iter().all(|link| link.starts_with('#')), "links stay in the page");
}

#[test]
fn the_same_report_has_the_same_page_at_any_time() {
    let order = Document::from_text("order.json", ORDER).unwrap();
    let mut report = measured(&order, &[json!({ "size": "M" })]);
    let page = html_page(&report, &order.source_texts()).unwrap();
    "2030-12-31T23:59:59Z".clone_into(&mut report.run.started_at);
    report.run.duration_ms = 987_654;
    assert_eq!(html_page(&report, &order.source_texts()).unwrap(), page);
}

#[test]
fn any_location_has_a_place_in_the_tree() {
    let order = Document::from_text("order.json", ORDER).unwrap();
    let mut report = measured(&order, &[]);
    let deep = format!("#{}", "/a".repeat(100_000));
    for (target, location) in
        report.targets.iter_mut().zip([deep.as_str(), "", "no pointer", "x#y#/z"])
    {
        location.clone_into(&mut target.canon_path);
    }
    let page = html_page(&report, &order.source_texts()).unwrap();
    assert_eq!(page.matches("<li id=").count(), report.targets.len());
    assert!(page.matches("<details").count() < 300);
}

#[test]
fn a_report_that_does_not_list_its_targets_once_has_no_page() {
    let order = Document::from_text("order.json", ORDER).unwrap();
    let mut report = measured(&order, &[]);
    let first = report.targets[0].clone();
    report.targets.push(first.clone());
    assert_eq!(html_page(&report, &[]), Err(HtmlError::Twice { id: first.id }));
    report.summarize();
    let refused = html_page(&report, &[]).unwrap_err();
    assert_eq!((refused.clone(), refused.code()), (HtmlError::Summary, "coverage::summary-report"));
}

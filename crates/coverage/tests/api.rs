//! Coverage of the operations of an API: acceptance criterion 5 of the requirements, and what follows from
//! operations that share schemas, that are broken, or that are left out of scope.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::float_cmp, reason = "all of the targets is exactly 1")]

use std::{collections::BTreeMap, ops::ControlFlow};

use foolproof_contract::{
    Document,
    openapi::{Api, Side},
};
use foolproof_coverage::{
    ApiError, ApiMeasurement, ApiRunOptions, CompiledRun, Dimensions, Event, OperationsScope,
    Parts, Profile, Report, RunContext, ScopeType, Settings, Status, TargetEntry, TrafficVerdict,
};
use foolproof_generate::{Meter, Phase};
use serde_json::{Map, Value, json};

const SHOP: &str = "
openapi: 3.1.0
info: {title: Shop, version: '1'}
paths:
  /users/{id}:
    parameters: [{name: id, in: path, required: true, schema: {type: integer, minimum: 1}}]
    get:
      operationId: getUser
      parameters: [{name: verbose, in: query, schema: {type: boolean}}]
      responses: {200: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/User'}}}}}
  /users:
    post:
      requestBody: {content: {application/json: {schema: {$ref: '#/components/schemas/User'}}}}
      responses: {201: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/User'}}}}}
  /tree:
    get:
      operationId: getTree
      responses: {default: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/Tree'}}}}}
    put:
      operationId: putTree
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/Tree'}}}}
      responses: {204: {description: ''}}
  /ping:
    get: {operationId: ping, responses: {204: {description: ''}}}
components:
  schemas:
    User:
      type: object
      required: [kind]
      properties: {kind: {enum: [admin, member, guest]}, email: {type: string, format: email}}
    Tree:
      type: object
      required: [value]
      properties: {value: {type: integer}, left: {$ref: '#/components/schemas/Tree'}, right: {$ref: '#/components/schemas/Tree'}}
";

fn api(text: &str) -> Api {
    Api::of(&Document::from_text("api.yaml", text).unwrap()).unwrap()
}

fn settings(settings: Settings) -> Settings {
    Settings { dimensions: Dimensions::all(), ..settings }
}

fn guided() -> Settings {
    settings(Settings::guided(Profile::Thorough))
}

fn compile(api: &Api, options: &ApiRunOptions, settings: Settings) -> CompiledRun {
    CompiledRun::of_api(api, options, settings, &mut Meter::counting()).unwrap()
}

/// The instances of a run as JSON texts, and its report.
fn finish(run: &CompiledRun) -> (Vec<String>, Report) {
    let mut instances = Vec::new();
    let context = RunContext::default();
    let finished = run.stream(&context, &Meter::counting(), |event| {
        if let Event::Instance { bytes, .. } = event {
            instances.push(String::from_utf8(bytes.to_vec()).unwrap());
        }
        ControlFlow::<()>::Continue(())
    });
    (instances, finished.unwrap().report.unwrap())
}

fn report(text: &str, options: &ApiRunOptions, settings: Settings) -> Report {
    finish(&compile(&api(text), options, settings)).1
}

fn targets(report: &Report) -> BTreeMap<&str, &TargetEntry> {
    report.targets.iter().map(|target| (target.id.as_str(), target)).collect()
}

#[test]
fn acceptance_5_operations_with_and_without_ids_have_ratios_and_targets() {
    let report = report(SHOP, &ApiRunOptions::default(), guided());
    assert_eq!(report.run.operations_scope, Some(OperationsScope::All));
    assert_eq!(report.run.selected_operations, None);
    let keys: Vec<&str> = report.metrics.by_operation.keys().map(String::as_str).collect();
    assert_eq!(keys, ["POST /users", "getUser", "putTree"]);
    assert!(report.metrics.by_operation.values().all(|share| *share == 1.0));
    let targets = targets(&report);
    let operations: Vec<&str> =
        targets.keys().filter(|id| id.starts_with("op:")).copied().collect();
    // A request without parameters and without a body does not count, and neither does a response that is
    // no success.
    assert_eq!(
        operations,
        [
            "op:POST /users:request",
            "op:POST /users:response",
            "op:getUser:request",
            "op:getUser:response",
            "op:putTree:request",
        ]
    );
    let request = targets["op:getUser:request"];
    assert!(request.hit && request.kind.as_str() == "OP_REQUEST_COVERED");
    assert_eq!(request.operation_key.as_deref(), Some("getUser"));
    assert_eq!(request.canon_path, "#/paths/~1users~1{id}/get");
}

#[test]
fn acceptance_5_schema_targets_map_to_the_operations_that_reach_them() {
    let report = report(SHOP, &ApiRunOptions::default(), guided());
    let targets = targets(&report);
    let reached = |id: &str| targets[id].operations().collect::<Vec<_>>();
    assert_eq!(
        reached("enum:#/components/schemas/User/properties/kind:2"),
        ["POST /users", "getUser"]
    );
    assert_eq!(reached("struct:#/components/schemas/Tree"), ["putTree"]);
    // An optional parameter and an optional body are present at their use sites.
    let verbose = targets["prop:#/paths/~1users~1{id}/get/parameters/0:present"];
    assert_eq!((verbose.operation_key.as_deref(), verbose.hit), (Some("getUser"), true));
    assert!(targets.contains_key("prop:#/paths/~1users/post/requestBody:present"));
    // A required one has none.
    assert!(!targets.contains_key("prop:#/paths/~1users~1{id}/parameters/0:present"));
    // The object over the parameters is in no document, so it has no targets.
    assert!(targets.values().all(|target| !target.id.contains("foolproof")));
}

#[test]
fn reused_schemas_are_listed_and_not_counted() {
    let report = report(SHOP, &ApiRunOptions::default(), guided());
    let reused: Vec<_> =
        report.targets.iter().filter(|target| target.id.starts_with("reused:")).collect();
    let shown: Vec<_> = reused.iter().map(|it| (it.id.as_str(), it.status, it.hit)).collect();
    // `Tree` is referred to by two operations too, of which one response does not count.
    assert_eq!(
        shown,
        [
            ("reused:#/components/schemas/Tree", Status::Deprecated, true),
            ("reused:#/components/schemas/User", Status::Deprecated, true),
        ]
    );
    assert_eq!(report.metrics.targets_by_status.deprecated, 2);
}

#[test]
fn without_the_dimension_operations_have_no_targets_but_ratios() {
    let settings = Settings { dimensions: Dimensions::default(), ..guided() };
    let report = report(SHOP, &ApiRunOptions::default(), settings);
    assert!(report.targets.iter().all(|target| !target.id.starts_with("op:")));
    assert_eq!(report.metrics.by_operation["getUser"], 1.0);
}

#[test]
fn a_selection_counts_only_what_is_selected_and_generates_the_same_data() {
    let api = api(SHOP);
    let options = ApiRunOptions { operations: vec!["get*".to_owned()], ..ApiRunOptions::default() };
    let settings = settings(Settings::measure(40));
    let (selected, report) = finish(&compile(&api, &options, settings.clone()));
    assert_eq!(report.run.operations_scope, Some(OperationsScope::Selected));
    assert_eq!(report.run.selected_operations.as_deref().unwrap(), ["getTree", "getUser"]);
    assert!(!report.metrics.by_operation.contains_key("putTree"));
    let (all, _) = finish(&compile(&api, &ApiRunOptions::default(), settings));
    // The instances of an operation do not depend on what else is in scope.
    let user = selected.iter().find(|instance| instance.contains("\"kind\"")).unwrap();
    assert!(all.contains(user), "{user}");
}

#[test]
fn one_part_alone_has_only_its_own_targets() {
    let options = ApiRunOptions { parts: Parts::Response, ..ApiRunOptions::default() };
    let report = report(SHOP, &options, guided());
    let targets = targets(&report);
    assert!(targets.contains_key("op:getUser:response"));
    assert!(!targets.contains_key("op:getUser:request"));
    assert!(!targets.keys().any(|id| id.contains("parameters")));
}

#[test]
fn instances_go_round_the_entries_and_are_the_same_on_any_number_of_threads() {
    let api = api(SHOP);
    let run = compile(&api, &ApiRunOptions::default(), settings(Settings::measure(20)));
    let keys: Vec<(usize, Side)> = (0..8)
        .map(|index| run.entry_at(index).map(|entry| (entry.operation, entry.side)).unwrap())
        .collect();
    let (request, response) = (Side::Request, Side::Response);
    assert_eq!(
        keys,
        [
            (0, request),
            (1, request),
            (1, response),
            (2, request),
            (3, request),
            (3, response),
            (4, request),
            (4, response),
        ]
    );
    let threads = |number: usize| ApiRunOptions {
        threads: number.try_into().unwrap(),
        ..ApiRunOptions::default()
    };
    for settings in [settings(Settings::measure(60)), guided()] {
        let one = finish(&compile(&api, &threads(1), settings.clone()));
        let four = finish(&compile(&api, &threads(4), settings));
        assert_eq!(one.0, four.0);
        assert_eq!(one.1, four.1);
    }
}

#[test]
fn a_small_budget_starts_with_the_operations() {
    let settings = Settings { instances: 7, ..guided() };
    let report = report(SHOP, &ApiRunOptions::default(), settings);
    let run = compile(&api(SHOP), &ApiRunOptions::default(), Settings { instances: 7, ..guided() });
    let units: Vec<&str> =
        run.plan().unwrap().units().iter().filter_map(|it| it.operation()).collect();
    assert!(
        units.len() <= 7 && units.contains(&"getUser") && units.contains(&"POST /users"),
        "{units:?}"
    );
    let operations = report.targets.iter().filter(|target| target.id.starts_with("op:"));
    assert!(operations.clone().count() == 5 && operations.clone().all(|target| target.hit));
    // What was left out is told for each operation.
    let caps = &report.diagnostics.planner_caps_hit;
    assert!(caps.iter().all(|cap| cap.scope_type == ScopeType::Operation), "{caps:?}");
}

#[test]
fn guided_never_covers_less_than_chance_with_as_many_instances() {
    for instances in [1, 3, 8, 13, 30] {
        let share = |settings: Settings| {
            let settings = Settings { instances, ..settings };
            report(SHOP, &ApiRunOptions::default(), settings).metrics.overall
        };
        let (chance, planned) = (share(settings(Settings::measure(0))), share(guided()));
        assert!(planned >= chance, "{instances}: {planned} < {chance}");
    }
}

const BROKEN: &str = "
openapi: 3.0.3
paths:
  /fine: {get: {operationId: fine, responses: {200: {description: '', content: {application/json: {schema: {type: boolean}}}}}}}
  /pattern: {get: {operationId: pattern, responses: {200: {description: '', content: {application/json: {schema: {type: string, pattern: '('}}}}}}}
  /empty: {get: {operationId: empty, responses: {200: {description: '', content: {application/json: {schema: {type: integer, minimum: 3, maximum: 2}}}}}}}
  /endless: {get: {operationId: endless, responses: {200: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/Endless'}}}}}}}
  /cycle: {get: {operationId: cycle, responses: {200: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/Cycle'}}}}}}}
components:
  schemas:
    Endless: {type: object, required: [next], properties: {next: {$ref: '#/components/schemas/Endless'}}}
    Cycle: {anyOf: [{$ref: '#/components/schemas/Cycle'}, {type: string}]}
";

#[test]
fn one_bad_schema_takes_out_its_operation_and_no_other() {
    let run = compile(&api(BROKEN), &ApiRunOptions::default(), guided());
    let broken = run.api().unwrap().broken();
    let keys: Vec<&str> = broken.iter().map(|broken| broken.key.as_str()).collect();
    assert_eq!(keys, ["cycle", "empty", "endless", "pattern"]);
    let messages: Vec<String> = broken.iter().map(ToString::to_string).collect();
    assert!(messages[0].contains("leads back to itself"), "{}", messages[0]);
    assert!(messages[1].contains("UNSAT_NUMERIC_BOUNDS"), "{}", messages[1]);
    assert!(messages[2].contains("UNSAT_RECURSION"), "{}", messages[2]);
    assert!(messages[3].contains("is not a regular expression"), "{}", messages[3]);
    let (_, report) = finish(&run);
    assert_eq!(report.metrics.overall, 1.0);
    let notes: Vec<&str> = report.diagnostics.notes.iter().filter_map(Value::as_str).collect();
    assert!(messages.iter().all(|message| notes.contains(&message.as_str())), "{notes:?}");
    assert_eq!(report.metrics.by_operation.keys().collect::<Vec<_>>(), ["fine"]);
}

#[test]
fn a_selection_that_cannot_be_used_is_an_error() {
    let api = api(BROKEN);
    let compile = |operation: &str| {
        let operations = vec![operation.to_owned()];
        let options = ApiRunOptions { operations, ..ApiRunOptions::default() };
        CompiledRun::of_api(&api, &options, guided(), &mut Meter::counting()).unwrap_err()
    };
    assert!(matches!(compile("nothing"), ApiError::NoMatch { keys, .. } if keys.len() == 5));
    assert!(matches!(compile("p*"), ApiError::ChosenBroken { broken } if broken.len() == 1));
    let empty = self::api("openapi: 3.1.0\npaths: {}");
    let error =
        CompiledRun::of_api(&empty, &ApiRunOptions::default(), guided(), &mut Meter::counting());
    assert!(matches!(error.unwrap_err(), ApiError::NothingLeft { .. }));
}

#[test]
fn a_target_is_unreachable_only_if_it_is_so_in_both_directions() {
    let report = report(
        "
openapi: 3.0.3
paths:
  /a:
    post:
      operationId: create
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}
      responses: {200: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}
  /b:
    post:
      operationId: other
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/B'}}}}
      responses: {204: {description: ''}}
components:
  schemas:
    A: {type: object, properties: {id: {type: integer, readOnly: true}}}
    B: {type: object, properties: {id: {type: integer, readOnly: true}}}
",
        &ApiRunOptions::default(),
        guided(),
    );
    let targets = targets(&report);
    let of =
        |name: &str| targets[&*format!("prop:#/components/schemas/{name}/properties/id:present")];
    assert_eq!((of("A").status, of("A").hit), (Status::Active, true));
    assert_eq!((of("B").status, of("B").hit), (Status::Unreachable, false));
    assert_eq!(report.metrics.overall, 1.0);
}

#[test]
fn the_schemas_that_extend_one_with_a_discriminator_are_branches() {
    let report = report(
        "
openapi: 3.0.3
paths:
  /a: {get: {operationId: read, responses: {200: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}}}
components:
  schemas:
    Pet: {type: object, required: [kind], properties: {kind: {type: string}}, discriminator: {propertyName: kind}}
    Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {properties: {claws: {type: integer}}}]}
    Dog: {allOf: [{$ref: '#/components/schemas/Pet'}]}
",
        &ApiRunOptions::default(),
        guided(),
    );
    let branches: Vec<_> = report
        .targets
        .iter()
        .filter(|target| target.kind.as_str() == "ONEOF_BRANCH")
        .map(|target| (target.id.as_str(), target.hit))
        .collect();
    assert_eq!(
        branches,
        [
            ("branch:#/components/schemas/Pet/discriminator:0", true),
            ("branch:#/components/schemas/Pet/discriminator:1", true),
        ]
    );
    assert_eq!(report.metrics.overall, 1.0);
}

#[test]
fn forms_are_generated_and_not_measured() {
    let text = "
openapi: 3.1.0
paths:
  /a:
    post:
      operationId: send
      requestBody: {required: true, content: {application/x-www-form-urlencoded: {schema: {type: object, required: [a], properties: {a: {enum: [x, y]}}}}}}
      responses: {204: {description: ''}}
";
    let (instances, report) =
        finish(&compile(&api(text), &ApiRunOptions::default(), settings(Settings::measure(5))));
    assert_eq!(instances.len(), 5);
    assert!(instances.iter().all(|it| it.contains("\"a\":\"x\"") || it.contains("\"a\":\"y\"")));
    assert_eq!(report.targets, []);
}

#[test]
fn traffic_is_judged_and_observed() {
    let api = api(SHOP);
    let mut measurement =
        ApiMeasurement::new(&api, &ApiRunOptions::default(), settings(Settings::measure(0)))
            .unwrap();
    let index = |key: &str| api.operations().iter().position(|it| it.key == key).unwrap();
    let (user, tree) = (index("getUser"), index("getTree"));
    let request = json!({ "path": { "id": 1 }, "query": {} });
    let verdict = measurement.check(user, Side::Request, None, request);
    assert!(matches!(verdict, TrafficVerdict::Valid { .. }));
    let verdict = measurement.check(user, Side::Response, None, json!({ "kind": "nobody" }));
    assert!(matches!(verdict, TrafficVerdict::Invalid(_)));
    // A response that does not count is judged all the same.
    let verdict = measurement.check(tree, Side::Response, Some("default"), json!({ "value": "x" }));
    assert!(matches!(verdict, TrafficVerdict::Invalid(_)));
    assert!(matches!(
        measurement.check(user, Side::Response, Some("404"), json!({})),
        TrafficVerdict::NotJudged
    ));
    let report = measurement.finish(None, &[]);
    let targets = targets(&report);
    assert!(targets["op:getUser:request"].hit && !targets["op:getUser:response"].hit);
    assert!(targets["bound:#/paths/~1users~1{id}/parameters/0/schema:minimum"].hit);
    assert!(report.targets.iter().all(|target| target.meta.example.is_none()));
}

#[test]
fn read_only_values_in_traffic_are_noted_and_not_invalid() {
    let api = api("
openapi: 3.0.3
paths:
  /a:
    post:
      operationId: create
      requestBody: {required: true, content: {application/json: {schema: {type: object, required: [id, name], properties: {id: {type: integer, readOnly: true}, name: {enum: [x]}}}}}}
      responses: {204: {description: ''}}
");
    let mut measurement =
        ApiMeasurement::new(&api, &ApiRunOptions::default(), settings(Settings::measure(0)))
            .unwrap();
    let value = json!({ "body": { "id": 1, "name": "x" } });
    let TrafficVerdict::Valid { unexpected } = measurement.check(0, Side::Request, None, value)
    else {
        panic!("it is valid");
    };
    assert_eq!(unexpected[0].to_string(), "/body/id");
    let report = measurement.finish(None, &[]);
    assert_eq!(report.metrics.overall, 1.0);
    assert!(report.diagnostics.notes.is_empty(), "{:?}", report.diagnostics.notes);
}

#[test]
fn what_an_earlier_entry_leaves_open_is_not_asked_about_again() {
    let asked = |paths: &[&str]| {
        // No string has the pattern, which nothing here can prove: what refers to a group is no regular language.
        let schema = json!({
            "type": "object",
            "properties": { "id": { "type": "string", "pattern": "^(?=(.)\\1)ab$" }, "n": { "enum": [1, 2] } }
        });
        let content =
            json!({ "application/json": { "schema": { "$ref": "#/components/schemas/thing" } } });
        let operation =
            json!({ "get": { "responses": { "200": { "description": "", "content": content } } } });
        let paths: Map<String, Value> =
            paths.iter().map(|path| ((*path).to_owned(), operation.clone())).collect();
        let document = Document::from_value(json!({
            "openapi": "3.1.0", "info": { "title": "Things", "version": "1" },
            "paths": paths, "components": { "schemas": { "thing": schema } }
        }));
        let (api, mut meter) = (Api::of(&document.unwrap()).unwrap(), Meter::counting());
        CompiledRun::of_api(&api, &ApiRunOptions::default(), guided(), &mut meter).unwrap();
        meter.metrics().of(Phase::Prove).count
    };
    let by_one = asked(&["/a"]);
    assert!(by_one > 0);
    assert_eq!(asked(&["/a", "/b", "/c"]), by_one);
}

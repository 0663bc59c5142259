//! OpenAPI documents of every version: what the view finds in them, which schemas their entries have, and
//! what a part that is broken takes out.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::time::Duration;

use foolproof_contract::{
    CpuTimer, Document, Error, FormatPolicy, Oracle, ReadOptions,
    openapi::{
        Api, ApiEntry, ApiVersion, Content, EntryOptions, MediaKind, Operation, ParameterEncoding,
        ParameterPlace, ReadOnlyPolicy, Side, Style, StyleEncoding,
    },
};
use serde_json::{Value, json};

fn api(text: &str) -> Api {
    Api::of(&Document::from_text("api.yaml", text).unwrap()).unwrap()
}

fn keys(api: &Api) -> Vec<&str> {
    api.operations().iter().map(|operation| operation.key.as_str()).collect()
}

fn operation<'a>(api: &'a Api, key: &str) -> &'a Operation {
    api.operations().iter().find(|operation| operation.key == key).unwrap()
}

fn try_entry(api: &Api, key: &str, side: Side) -> Result<ApiEntry, Error> {
    let index = api.operations().iter().position(|operation| operation.key == key).unwrap();
    api.entry(index, side, &EntryOptions::default()).unwrap()
}

fn entry(api: &Api, key: &str, side: Side) -> ApiEntry {
    try_entry(api, key, side).unwrap()
}

/// Whether a value is one that would be generated.
fn accepts(entry: &ApiEntry, value: &Value) -> bool {
    Oracle::of_entry(entry, FormatPolicy::Assert).unwrap().is_valid(value)
}

/// Whether a value is one that the API admits.
fn admits(entry: &ApiEntry, value: &Value) -> bool {
    let document = entry.admitted.as_ref().unwrap_or(&entry.document);
    Oracle::new(document, FormatPolicy::Assert).unwrap().is_valid(value)
}

#[test]
fn every_version_is_recognised() {
    for (text, version) in [
        ("swagger: '2.0'", ApiVersion::V2_0),
        ("openapi: 3.0.4", ApiVersion::V3_0),
        ("openapi: 3.1.1", ApiVersion::V3_1),
        ("openapi: 3.2.0", ApiVersion::V3_2),
    ] {
        assert_eq!(api(text).version(), version);
    }
    let error = Document::from_text("api.yaml", "openapi: 4.0.0").unwrap_err();
    assert_eq!(error.code(), "contract::unsupported-version");
}

#[test]
fn operations_are_called_by_their_id_or_by_method_and_path() {
    let api = api("
openapi: 3.1.0
paths:
  /a:
    get: {operationId: same}
    put: {operationId: same}
    post: {}
  /b:
    $ref: '#/components/pathItems/Shared'
    head: {operationId: own}
components: {pathItems: {Shared: {delete: {operationId: shared}, head: {operationId: hidden}}}}
");
    assert_eq!(keys(&api), ["same", "PUT /a", "POST /a", "shared", "own"]);
    assert_eq!(
        api.notes(),
        ["the operationId `same` is used more than once: the operation is called `PUT /a`"]
    );
}

#[test]
fn parameters_of_the_path_and_of_the_operation_are_merged() {
    let api = api("
openapi: 3.0.3
paths:
  /a/{id}:
    parameters:
    - {name: id, in: path, required: true, schema: {type: integer}}
    - {name: q, in: query, schema: {type: string}}
    - {name: Accept, in: header, schema: {type: string}}
    get:
      operationId: read
      parameters:
      - {$ref: '#/components/parameters/Q'}
      - {name: q, in: header, schema: {type: string}}
components: {parameters: {Q: {name: q, in: query, required: true, schema: {type: boolean}}}}
");
    let read = operation(&api, "read");
    let found: Vec<_> = read
        .parameters
        .iter()
        .map(|it| (it.place, it.name.as_str(), it.is_required, it.site.to_string()))
        .collect();
    assert_eq!(
        found,
        [
            (ParameterPlace::Path, "id", true, "#/paths/~1a~1{id}/parameters/0".to_owned()),
            (ParameterPlace::Query, "q", true, "#/paths/~1a~1{id}/get/parameters/0".to_owned()),
            (ParameterPlace::Header, "q", false, "#/paths/~1a~1{id}/get/parameters/1".to_owned()),
        ]
    );
    let schema = read.parameters[1].schema.as_ref().unwrap();
    assert_eq!(schema.to_string(), "#/components/parameters/Q/schema");
    let entry = entry(&api, "read", Side::Request);
    assert!(accepts(&entry, &json!({"path": {"id": 1}, "query": {"q": true}, "header": {}})));
    assert!(!accepts(&entry, &json!({"path": {"id": 1}, "query": {}, "header": {}})));
}

#[test]
fn styles_have_their_defaults() {
    let api = api("
openapi: 3.2.0
paths:
  /{a}:
    get:
      operationId: read
      parameters:
      - {name: a, in: path, required: true, schema: {}}
      - {name: b, in: query, schema: {}}
      - {name: c, in: query, style: pipeDelimited, allowReserved: true, schema: {}}
      - {name: d, in: header, explode: true, schema: {}}
      - {name: e, in: cookie, style: cookie, schema: {}}
      - {name: f, in: query, content: {application/json: {schema: {}}}}
");
    let of = |name: &str| {
        let parameters = &operation(&api, "read").parameters;
        parameters.iter().find(|it| it.name == name).unwrap().encoding.clone()
    };
    let style = |style| StyleEncoding::new(style);
    assert_eq!(of("a"), ParameterEncoding::Style(style(Style::Simple)));
    assert_eq!(of("b"), ParameterEncoding::Style(style(Style::Form)));
    assert_eq!(of("c"), ParameterEncoding::Style(style(Style::PipeDelimited).reserved(true)));
    assert_eq!(of("d"), ParameterEncoding::Style(style(Style::Simple).exploding(true)));
    assert_eq!(of("e"), ParameterEncoding::Style(style(Style::Cookie)));
    assert_eq!(of("f"), ParameterEncoding::Content("application/json".to_owned()));
    assert!(style(Style::Form).explodes && !style(Style::Simple).explodes);
}

#[test]
fn media_types_and_responses_are_selected_by_the_rules_of_the_requirements() {
    let responses = |statuses: &[&str]| {
        let mut all = serde_json::Map::new();
        for status in statuses {
            let content =
                json!({ "text/html": {}, "application/z+json": {}, "application/b+json; v=1": {} });
            all.insert((*status).to_owned(), json!({ "description": "", "content": content }));
        }
        let document = Document::from_value(json!({
            "openapi": "3.1.0", "paths": { "/a": { "get": { "responses": all } } }
        }));
        Api::of(&document.unwrap()).unwrap()
    };
    for (statuses, selected, is_observed) in [
        (&["201", "200", "default"][..], "200", true),
        (&["204", "202", "2XX"], "202", true),
        (&["2XX", "default", "404"], "2XX", true),
        (&["default", "500", "404"], "404", false),
    ] {
        let api = responses(statuses);
        let found = api.operations()[0].selected_response().unwrap();
        assert_eq!((&*found.response.status, found.is_observed), (selected, is_observed));
        assert_eq!(found.media_type.name, "application/b+json; v=1");
    }
    assert_eq!(responses(&[]).operations()[0].selected_response(), None);
}

#[test]
fn forms_and_texts_are_generated_where_there_is_no_json() {
    let api = api("
openapi: 3.1.0
paths:
  /a:
    post:
      requestBody: {content: {multipart/form-data: {schema: {}}, application/x-www-form-urlencoded: {schema: {}}}}
    put:
      requestBody: {content: {multipart/form-data: {schema: {}}, application/json: {schema: {}}}}
    patch:
      requestBody: {required: true, content: {text/csv: {schema: {}}}}
    delete:
      requestBody: {content: {application/xml: {schema: {}}, text/html: {schema: {type: object}}}}
");
    let selected = |number: usize| {
        let body = api.operations()[number].selected_body()?;
        Some((body.media_type.kind(), body.is_observed))
    };
    assert_eq!(keys(&api), ["PUT /a", "POST /a", "DELETE /a", "PATCH /a"]);
    assert_eq!(selected(0), Some((MediaKind::Json, true)));
    assert_eq!(selected(1), Some((MediaKind::Form, false)));
    assert_eq!(selected(2), None);
    assert_eq!(selected(3), Some((MediaKind::Other, false)));
    let request = entry(&api, "PATCH /a", Side::Request);
    assert!(accepts(&request, &json!({ "body": "a,b" })));
    for value in [json!({ "body": "" }), json!({ "body": 1 }), json!({})] {
        assert!(!accepts(&request, &value), "{value}");
    }
}

#[test]
fn version_2_0_has_bodies_forms_and_media_types_of_its_own() {
    let api = api("
swagger: '2.0'
host: example.org
basePath: /v1
schemes: [http]
consumes: [application/xml, application/json]
paths:
  /a/{id}:
    post:
      operationId: create
      parameters:
      - {name: id, in: path, required: true, type: integer, minimum: 3}
      - {name: tags, in: query, type: array, items: {type: string}, collectionFormat: ssv}
      - {name: thing, in: body, required: true, schema: {$ref: '#/definitions/Thing'}}
      responses: {201: {description: '', schema: {$ref: '#/definitions/Thing'}}}
    put:
      operationId: upload
      consumes: [multipart/form-data]
      parameters:
      - {name: id, in: path, required: true, type: integer}
      - {name: note, in: formData, required: true, type: string, maxLength: 3}
      - {name: photo, in: formData, type: file}
      responses: {200: {description: '', schema: {type: file}}}
definitions: {Thing: {type: object, properties: {a: {type: string, x-nullable: true}}}}
");
    let create = operation(&api, "create");
    assert_eq!(create.servers, ["http://example.org/v1"]);
    assert_eq!(
        create.parameters[1].encoding,
        ParameterEncoding::Style(StyleEncoding::new(Style::SpaceDelimited))
    );
    let request = entry(&api, "create", Side::Request);
    assert_eq!(request.media_type.as_deref(), Some("application/json"));
    assert!(accepts(&request, &json!({"path": {"id": 3}, "query": {}, "body": {"a": null}})));
    assert!(!accepts(&request, &json!({"path": {"id": 2}, "query": {}, "body": {}})));
    let response = entry(&api, "create", Side::Response);
    assert_eq!((response.status.as_deref(), response.is_observed), (Some("201"), true));
    let upload = operation(&api, "upload");
    assert!(
        matches!(&upload.selected_body().unwrap().media_type.content, Content::Form(fields) if fields.len() == 1)
    );
    assert_eq!(upload.notes.len(), 2, "{:?}", upload.notes);
    let request = entry(&api, "upload", Side::Request);
    assert!(accepts(&request, &json!({"path": {"id": 1}, "body": {"note": "abc"}})));
    assert!(!accepts(&request, &json!({"path": {"id": 1}, "body": {"note": "abcd"}})));
}

#[test]
fn version_3_2_has_new_methods_sequences_and_places() {
    let api = api("
openapi: 3.2.0
$self: https://example.org/api
paths:
  /a:
    query:
      parameters:
      - {name: filter, in: querystring, content: {application/json: {schema: {type: object}}}}
      responses: {200: {description: '', content: {application/jsonl: {$ref: '#/components/mediaTypes/Lines'}}}}
    additionalOperations: {copyTo: {operationId: copy}}
components:
  mediaTypes: {Lines: {itemSchema: {$ref: 'https://example.org/api#/components/schemas/Line'}}}
  schemas: {Line: {type: integer}}
");
    assert_eq!(keys(&api), ["QUERY /a", "copy"]);
    assert_eq!(operation(&api, "copy").method, "copyTo");
    let search = operation(&api, "QUERY /a");
    assert_eq!(search.parameters[0].place, ParameterPlace::QueryString);
    let response = entry(&api, "QUERY /a", Side::Response);
    assert!(
        response.is_observed && accepts(&response, &json!(3)) && !accepts(&response, &json!([3]))
    );
}

#[test]
fn nullable_exclusive_bounds_and_references_of_3_0_are_those_of_3_0() {
    let api = api("
openapi: 3.0.3
paths:
  /a:
    get:
      responses: {200: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/A'}}}}}
components:
  schemas:
    A:
      type: object
      nullable: true
      properties:
        n: {type: integer, minimum: 3, exclusiveMinimum: true}
        r: {$ref: '#/components/schemas/B', maxLength: 1}
    B: {type: string}
");
    let entry = entry(&api, "GET /a", Side::Response);
    assert!(accepts(&entry, &json!(null)));
    assert!(accepts(&entry, &json!({"n": 4, "r": "long"})) && !accepts(&entry, &json!({"n": 3})));
}

#[test]
fn a_parameter_that_is_nullable_is_not_null() {
    let api = api(r"
openapi: 3.0.3
info: {}
paths:
  /a:
    get:
      parameters:
      - {name: a, in: query, schema: {type: string, nullable: true}}
      - {name: b, in: query, schema: {type: string}}
      - {name: c, in: header, schema: {type: integer, nullable: true}}
");
    let request = entry(&api, "GET /a", Side::Request);
    let with = |query: Value, header: Value| json!({ "query": query, "header": header });
    assert!(accepts(&request, &with(json!({ "a": "x", "b": "" }), json!({ "c": 1 }))));
    for query in [json!({ "a": null }), json!({ "b": null })] {
        assert!(!accepts(&request, &with(query.clone(), json!({}))), "{query}");
    }
    assert!(!accepts(&request, &with(json!({}), json!({ "c": null }))));
}

#[test]
fn headers_that_the_sender_of_a_message_sets_are_no_parameters() {
    let api = api(r"
openapi: 3.0.3
info: {}
paths:
  /a:
    get:
      parameters:
      - {name: content-length, in: header, required: true, schema: {type: string}}
      - {name: Host, in: header, schema: {type: string}}
      - {name: X-Length, in: header, schema: {type: string}}
");
    let names = operation(&api, "GET /a").parameters.iter().map(|it| it.name.as_str());
    assert_eq!(names.collect::<Vec<_>>(), ["X-Length"]);
}

#[test]
fn numeric_formats_are_ranges_unless_formats_only_describe() {
    let text = "
openapi: 3.1.0
paths:
  /a:
    get:
      responses:
        200:
          description: ''
          content: {application/json: {schema: {type: object, properties: {
            a: {type: integer, format: int32}, b: {type: number, format: uint8}, c: {type: string, format: byte},
            d: {type: string, format: int64}, e: {type: number, format: float}, f: {type: integer, format: int64}}}}}
";
    let api = api(text);
    let strict = entry(&api, "GET /a", Side::Response);
    for (value, is_valid) in [
        (json!({"a": 2_147_483_647}), true),
        (json!({"a": 2_147_483_648_i64}), false),
        (json!({"b": 255}), true),
        (json!({"b": 1.5}), false),
        (json!({"c": "YQ=="}), true),
        (json!({"c": "Y"}), false),
        (json!({"d": "any"}), true),
        (json!({"e": 1e39}), false),
        (json!({"f": i64::MIN}), true),
        (json!({"f": u64::MAX}), false),
    ] {
        assert_eq!(accepts(&strict, &value), is_valid, "{value}");
    }
    let options = EntryOptions { formats: FormatPolicy::Annotate, ..EntryOptions::default() };
    let loose = api.entry(0, Side::Response, &options).unwrap().unwrap();
    let oracle = Oracle::of_entry(&loose, FormatPolicy::Annotate).unwrap();
    assert!(oracle.is_valid(&json!({"a": 1e30, "b": 1.5, "c": "Y"})));
}

const READ_ONLY: &str = "
paths:
  /a:
    post:
      operationId: create
      requestBody: {required: true, content: {application/json: {schema: {$ref: '#/components/schemas/User'}}}}
      responses: {201: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/User'}}}}}
components:
  schemas:
    User:
      required: [id, name]
      allOf: [{$ref: '#/components/schemas/Base'}]
      properties:
        name: {type: string}
        secret: {type: string, writeOnly: true}
        created: {$ref: '#/components/schemas/Time'}
    Base: {type: object, properties: {id: {type: integer, readOnly: true}}}
    Time: {type: string, readOnly: true}
";

#[test]
fn read_only_properties_leave_requests_and_write_only_ones_leave_responses_in_3_0() {
    let api = api(&format!("openapi: 3.0.3{READ_ONLY}"));
    let request = entry(&api, "create", Side::Request);
    let body = |body: Value| json!({ "body": body });
    assert!(accepts(&request, &body(json!({"name": "a", "secret": "b"}))));
    for extra in [json!({"name": "a", "id": 1}), json!({"name": "a", "created": "b"})] {
        assert!(!accepts(&request, &body(extra.clone())), "{extra}");
        // What somebody sends nevertheless is not invalid.
        assert!(admits(&request, &body(extra)));
    }
    let response = entry(&api, "create", Side::Response);
    assert!(accepts(&response, &json!({"id": 1, "name": "a", "created": "b"})));
    assert!(!accepts(&response, &json!({"name": "a"})));
    assert!(!accepts(&response, &json!({"id": 1, "name": "a", "secret": "b"})));
    let options = EntryOptions { read_only: ReadOnlyPolicy::Keep, ..EntryOptions::default() };
    let kept = api.entry(0, Side::Request, &options).unwrap().unwrap();
    assert!(accepts(&kept, &body(json!({"name": "a", "id": 1}))));
}

#[test]
fn read_only_properties_that_are_required_stay_in_3_1() {
    let api = api(&format!("openapi: 3.1.0{READ_ONLY}"));
    let request = entry(&api, "create", Side::Request);
    let body = |body: Value| json!({ "body": body });
    assert!(accepts(&request, &body(json!({"id": 1, "name": "a"}))));
    assert!(!accepts(&request, &body(json!({"name": "a"}))));
    assert!(!accepts(&request, &body(json!({"id": 1, "name": "a", "created": "b"}))));
    assert!(admits(&request, &body(json!({"id": 1, "name": "a", "created": "b"}))));
}

#[test]
fn what_is_generated_carries_the_name_of_its_branch() {
    let api = api("
openapi: 3.0.3
paths:
  /a:
    get:
      responses: {200: {description: '', content: {application/json: {schema: {
        oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}],
        discriminator: {propertyName: kind, mapping: {feline: '#/components/schemas/Cat'}}}}}}}
components:
  schemas:
    Cat: {type: object, required: [kind, claws], properties: {kind: {type: string}, claws: {type: integer}}}
    Dog: {type: object, required: [kind, tail], properties: {kind: {type: string}, tail: {type: integer}}}
");
    let entry = entry(&api, "GET /a", Side::Response);
    assert!(accepts(&entry, &json!({"kind": "feline", "claws": 4})));
    assert!(accepts(&entry, &json!({"kind": "Dog", "tail": 1})));
    let other = json!({"kind": "other", "claws": 4});
    assert!(!accepts(&entry, &other) && admits(&entry, &other));
    // Both branches admit it, so the API does not, whatever the name says.
    assert!(!accepts(&entry, &json!({"kind": "Dog", "tail": 1, "claws": 4})));
}

#[test]
fn a_parent_with_a_discriminator_draws_from_the_schemas_that_extend_it() {
    let api = api("
openapi: 3.0.3
paths:
  /a:
    get:
      responses: {200: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/Pet'}}}}}
components:
  schemas:
    Pet:
      type: object
      required: [kind]
      properties: {kind: {type: string}}
      discriminator: {propertyName: kind, mapping: {kitty: Cat}}
    Cat: {allOf: [{$ref: '#/components/schemas/Pet'}, {required: [claws], properties: {claws: {type: integer}}}]}
    Dog: {allOf: [{$ref: '#/components/schemas/Pet'}]}
");
    let entry = entry(&api, "GET /a", Side::Response);
    assert!(accepts(&entry, &json!({"kind": "kitty", "claws": 1})));
    assert!(accepts(&entry, &json!({"kind": "Dog"})));
    assert!(
        !accepts(&entry, &json!({"kind": "kitty"})) && admits(&entry, &json!({"kind": "kitty"}))
    );
}

#[test]
fn a_name_that_a_branch_does_not_admit_is_not_asked_for() {
    let api = api("
openapi: 3.1.0
paths:
  /a:
    get:
      responses: {200: {description: '', content: {application/json: {schema: {
        oneOf: [{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}],
        discriminator: {propertyName: kind}}}}}}
components:
  schemas:
    Cat: {type: object, required: [kind], properties: {kind: {const: cat}}}
    Dog: {type: object, required: [kind], properties: {kind: {enum: [dog]}}}
");
    let entry = entry(&api, "GET /a", Side::Response);
    assert!(accepts(&entry, &json!({"kind": "cat"})) && accepts(&entry, &json!({"kind": "dog"})));
}

#[test]
fn a_broken_part_takes_out_the_operations_that_need_it() {
    let api = api("
openapi: 3.0.3
paths:
  /fine: {get: {operationId: fine, responses: {200: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/Fine'}}}}}}}
  /dangling: {get: {operationId: dangling, responses: {200: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/Gone'}}}}}}}
  /keyword: {get: {operationId: keyword, responses: {200: {description: '', content: {application/json: {schema: {$ref: '#/components/schemas/Keyword'}}}}}}}
  /parameter: {get: {operationId: parameter, parameters: [{$ref: '#/components/parameters/Gone'}]}}
  /path/{id}: {get: {operationId: path}}
  /external: {get: {operationId: external, responses: {200: {description: '', content: {application/json: {schema: {$ref: 'other.yaml#/A'}}}}}}}
components: {schemas: {Fine: {type: string}, Keyword: {type: object, properties: {a: {minimum: many}}}}}
");
    assert!(accepts(&entry(&api, "fine", Side::Response), &json!("a")));
    let message = |key: &str, side| try_entry(&api, key, side).unwrap_err().to_string();
    assert_eq!(
        message("dangling", Side::Response),
        "api.yaml:5:123: `$ref` to `#/components/schemas/Gone` points to nothing at `#/paths/~1dangling/get/responses/200/content/application~1json/schema/$ref`"
    );
    assert!(
        message("keyword", Side::Response)
            .ends_with("at `#/components/schemas/Keyword/properties/a/minimum`")
    );
    let parameter = operation(&api, "parameter").broken.as_ref().unwrap();
    assert_eq!(parameter.code(), "contract::dangling-reference");
    let path = operation(&api, "path").broken.as_ref().unwrap();
    assert!(path.to_string().contains("no path parameter `id` is declared"), "{path}");
    let external = try_entry(&api, "external", Side::Response).unwrap_err();
    assert_eq!(external.code(), "contract::external-reference");
}

#[test]
fn files_are_read_by_the_same_rules() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("api.yaml");
    std::fs::write(
        &path,
        "
openapi: 3.0.3
paths:
  /a: {$ref: 'parts.yaml#/paths/a'}
",
    )
    .unwrap();
    std::fs::write(
        folder.path().join("parts.yaml"),
        "
paths:
  a: {get: {operationId: read, responses: {200: {description: '', content: {application/json: {schema: {$ref: '#/schemas/A'}}}}}}}
schemas: {A: {$ref: 'whole.yaml'}}
",
    )
    .unwrap();
    let whole = "{type: string, nullable: true, maxLength: 1}";
    std::fs::write(folder.path().join("whole.yaml"), whole).unwrap();
    let document = Document::open_with(&path, &ReadOptions::default().allow_files(folder.path()));
    let api = Api::of(&document.unwrap()).unwrap();
    let entry = entry(&api, "read", Side::Response);
    assert!(accepts(&entry, &json!(null)) && accepts(&entry, &json!("a")));
    assert!(!accepts(&entry, &json!("ab")));
    // Without permission the path is left out, and the document says so.
    let api = Api::of(&Document::open(&path).unwrap()).unwrap();
    assert!(
        api.operations().is_empty() && api.notes()[0].contains("parts.yaml"),
        "{:?}",
        api.notes()
    );
}

#[test]
fn identifiers_and_anchors_resolve_inside_an_api() {
    let api = api("
openapi: 3.1.0
paths:
  /a:
    get:
      responses: {200: {description: '', content: {application/json: {schema: {$ref: 'https://example.org/tree#leaf'}}}}}
components:
  schemas:
    Tree:
      $id: https://example.org/tree
      $defs: {leaf: {$anchor: leaf, type: object, properties: {next: {$ref: '#/$defs/leaf'}, n: {$ref: '#number'}}}, number: {$anchor: number, type: integer}}
");
    let entry = entry(&api, "GET /a", Side::Response);
    assert!(accepts(&entry, &json!({"next": {"n": 1}})));
    assert!(!accepts(&entry, &json!({"next": {"n": "a"}})));
}

#[test]
fn webhooks_callbacks_and_security_schemes_are_listed() {
    let api = api("
openapi: 3.1.0
webhooks: {newPet: {post: {}}}
paths: {/a: {get: {callbacks: {done: {'{$request.body#/url}': {post: {}}}}}}}
components: {securitySchemes: {key: {type: apiKey, name: k, in: header}}}
");
    assert_eq!(api.webhooks(), ["newPet"]);
    assert_eq!(api.operations()[0].callbacks, ["done"]);
    assert_eq!(
        (&*api.security_schemes()[0].name, &*api.security_schemes()[0].kind),
        ("key", "apiKey")
    );
}

/// Each of thousands of errors has a position, and the text is searched once for all of them. A search for each took 90 s
/// for this document.
#[test]
fn many_broken_operations_take_time_linear_in_the_text() {
    const OPERATIONS: usize = 4_000;
    let timer = CpuTimer::start();
    let mut text = String::from("openapi: 3.1.0\ninfo: {title: Many, version: '1'}\npaths:\n");
    for number in 0..OPERATIONS {
        text.push_str(&format!(
            "  /records/{number}:\n    get:\n      responses:\n        '200':\n          description: a record\n\
             \x20         content:\n            application/json:\n              schema:\n\
             \x20               $ref: '#/components/schemas/none'\n"
        ));
    }
    let api = api(&text);
    let errors = (0..OPERATIONS).map(|index| {
        api.entry(index, Side::Response, &EntryOptions::default()).unwrap().unwrap_err()
    });
    let mut lines: Vec<usize> = errors.map(|error| error.position().unwrap().line()).collect();
    lines.sort_unstable();
    lines.dedup();
    assert_eq!(lines.len(), OPERATIONS);
    assert!(timer.elapsed() < Duration::from_secs(20), "{:?}", timer.elapsed());
}

//! Real documents: their wire rules compile, and what is built from them finds its way back.

use foolproof_contract::{
    Canonicalizer, Document, FormatPolicy, Oracle, Pointer,
    openapi::{Api, EntryOptions, Side},
};
use foolproof_corpus::{Contracts, Origin, skip};
use foolproof_http::Router;

#[test]
fn every_wire_rule_of_a_real_document_compiles() {
    let contracts = Contracts::find();
    if contracts.origin() == Origin::Own {
        return skip::<()>("the corpus is absent").unwrap_or_default();
    }
    let (mut documents, mut operations, mut rules, mut routed) = (0, 0, 0, 0);
    for (name, document) in documents_of(&contracts) {
        let api = Api::of(&document).unwrap();
        let router = Router::new(&api);
        documents += 1;
        for (index, operation) in api.operations().iter().enumerate() {
            let Some(Ok(request)) = api.entry(index, Side::Request, &EntryOptions::default())
            else {
                continue;
            };
            let label = format!("{name} {}", operation.key);
            operations += 1;
            let added = request.document.value().get("foolproof:entry");
            let added = added.and_then(|added| added.as_object()).into_iter().flatten();
            rules += added.filter(|(name, _)| name.starts_with("wire ")).count();
            Oracle::new(&request.document, FormatPolicy::Assert)
                .unwrap_or_else(|error| panic!("{label}: {error}"));
            let forms = Canonicalizer::new(&request.document, FormatPolicy::Assert).unwrap();
            let relaxed = forms.relaxed();
            let is_rule = |at: &Pointer| at.to_string().contains("foolproof:entry/wire ");
            assert!(!relaxed.iter().any(|it| is_rule(it.pointer())), "{label}: {relaxed:?}");
            // The template with its own names as values belongs to an operation of that shape.
            let server = operation.servers[0].trim_end_matches('/');
            let path = operation.path.replace(['{', '}'], "~");
            let found = router.route(&operation.method, &format!("{server}{path}"));
            let found = found.unwrap_or_else(|| panic!("{label}: {server}{path}"));
            routed += usize::from(found.operation == index);
        }
    }
    println!("{documents} documents, {operations} requests, {rules} rules, {routed} routed");
    assert!(documents >= 40 && operations > 900 && rules > 450 && routed * 100 > operations * 95);
}

/// The documents of every version. A file that is no document of ours is another test's concern.
fn documents_of(contracts: &Contracts) -> Vec<(String, Document)> {
    let mut paths = Vec::new();
    for folder in ["openapi", "openapi-features", "swagger-2.0"] {
        let Ok(files) = std::fs::read_dir(contracts.folder().join(folder)) else { continue };
        paths.extend(files.flatten().map(|file| file.path()));
    }
    paths.sort();
    let name = |path: &std::path::Path| path.display().to_string();
    let open = |path: &std::path::PathBuf| {
        let name = name(path);
        let document = Document::open(path).unwrap_or_else(|error| panic!("{name}: {error}"));
        (name, document)
    };
    paths.iter().map(open).collect()
}

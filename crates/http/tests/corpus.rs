//! Real documents: their wire rules compile, and what is built from them finds its way back.

use foolproof_contract::{
    FormatPolicy, Oracle,
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
    for entry in contracts.openapi() {
        let document = entry.read().unwrap_or_else(|error| panic!("{}: {error}", entry.name));
        let api = Api::of(&document).unwrap();
        let router = Router::new(&api);
        documents += 1;
        for (index, operation) in api.operations().iter().enumerate() {
            let Some(Ok(request)) = api.entry(index, Side::Request, &EntryOptions::default())
            else {
                continue;
            };
            let label = format!("{} {}", entry.name, operation.key);
            operations += 1;
            let added = request.document.value().get("foolproof:entry");
            let added = added.and_then(|added| added.as_object()).into_iter().flatten();
            rules += added.filter(|(name, _)| name.starts_with("wire ")).count();
            Oracle::new(&request.document, FormatPolicy::Assert)
                .unwrap_or_else(|error| panic!("{label}: {error}"));
            // The template with its own names as values belongs to an operation of that shape.
            let server = operation.servers[0].trim_end_matches('/');
            let path = operation.path.replace(['{', '}'], "~");
            let found = router.route(&operation.method, &format!("{server}{path}"));
            let found = found.unwrap_or_else(|| panic!("{label}: {server}{path}"));
            routed += usize::from(found.operation == index);
        }
    }
    println!("{documents} documents, {operations} requests, {rules} rules, {routed} routed");
    assert!(documents >= 20 && operations > 300 && rules > 100 && routed * 100 > operations * 95);
}

//! From a document of version 3 to operations; what version 2.0 does differently is in
//! [`version_2`](super::version_2).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{
    ApiVersion, SecurityScheme,
    operation::{
        Body, Content, Header, MediaType, Operation, Parameter, ParameterEncoding, ParameterPlace,
        PropertyEncoding, Response, Style, StyleEncoding,
    },
    resolve::{Located, Resolver},
    version_2,
};
use crate::{Document, Error};

/// The methods of a path item, in the order the specification lists them.
const METHODS: [&str; 9] =
    ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"];

/// The headers that describe a message and not the operation: OpenAPI ignores parameters of these names.
const IGNORED_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];

/// The headers that say where a message ends and how the connection is used. Whoever sends the message sets
/// them, and another value would make it a different message (RFC 9110 §7.6.1 and §10.1, RFC 9112 §6).
const CONNECTION_HEADERS: [&str; 9] = [
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// What a document contains.
pub(super) struct Read {
    pub(super) operations: Vec<Operation>,
    pub(super) webhooks: Vec<String>,
    pub(super) security_schemes: Vec<SecurityScheme>,
    pub(super) notes: Vec<String>,
}

pub(super) fn read(document: &Document, version: ApiVersion) -> Read {
    let resolver = Resolver::new(document);
    let root = resolver.root();
    let mut reader = Reader { resolver, version, keys: BTreeSet::new(), notes: Vec::new() };
    let mut operations = Vec::new();
    for (path, item) in root.get("paths").iter().flat_map(Located::members) {
        if !path.starts_with("x-") {
            reader.path_item(path, item, &root, &mut operations);
        }
    }
    let webhooks = root.get("webhooks");
    let webhooks = webhooks.iter().flat_map(Located::members).map(|(name, _)| name.clone());
    let schemes = if version == ApiVersion::V2_0 {
        root.get("securityDefinitions")
    } else {
        root.get("components").and_then(|components| components.get("securitySchemes"))
    };
    let schemes = schemes.iter().flat_map(Located::members).map(|(name, scheme)| {
        let kind = scheme.text("type").unwrap_or("unknown").to_owned();
        SecurityScheme { name: name.clone(), kind }
    });
    let (webhooks, security_schemes) = (webhooks.collect(), schemes.collect());
    Read { operations, webhooks, security_schemes, notes: reader.notes }
}

pub(super) struct Reader<'d> {
    pub(super) resolver: Resolver<'d>,
    version: ApiVersion,
    /// The keys of the operations so far.
    keys: BTreeSet<String>,
    notes: Vec<String>,
}

/// A path item and those that it refers to. What is beside a `$ref` is merged with what it refers to.
struct PathItem<'d>(Vec<Located<'d>>);

impl<'d> PathItem<'d> {
    fn get(&self, name: &str) -> Option<Located<'d>> {
        self.0.iter().find_map(|item| item.get(name))
    }
}

impl<'d> Reader<'d> {
    fn path_item(
        &mut self,
        path: &str,
        item: Located<'d>,
        root: &Located<'d>,
        operations: &mut Vec<Operation>,
    ) {
        let mut items = vec![item];
        let mut missing = None;
        // A chain of path items; each may have members of its own.
        while let Some(reference) = items.last().and_then(|item| item.text("$ref")) {
            let holder = items.last().expect("there is at least one");
            match self.resolver.reference(holder, reference) {
                Ok(next) if items.iter().all(|known| known.at != next.at) => items.push(next),
                Ok(_) => break,
                Err(error) => {
                    missing = Some(error);
                    break;
                }
            }
        }
        if let Some(error) = missing {
            // It is not known which operations it would have.
            self.notes.push(format!("the path `{path}` is left out: {error}"));
        }
        let item = PathItem(items);
        for method in METHODS {
            let is_known = match method {
                "query" => self.version >= ApiVersion::V3_2,
                "trace" => self.version >= ApiVersion::V3_0,
                _ => true,
            };
            if let Some(operation) = item.get(method).filter(|it| is_known && it.value.is_object())
            {
                let method = method.to_uppercase();
                operations.push(self.operation(path, method, &operation, &item, root));
            }
        }
        let additional =
            item.get("additionalOperations").filter(|_| self.version >= ApiVersion::V3_2);
        for (method, operation) in additional.iter().flat_map(Located::members) {
            if operation.value.is_object() {
                operations.push(self.operation(path, method.clone(), &operation, &item, root));
            }
        }
    }

    fn operation(
        &mut self,
        path: &str,
        method: String,
        operation: &Located<'d>,
        item: &PathItem<'d>,
        root: &Located<'d>,
    ) -> Operation {
        let fallback = format!("{method} {path}");
        let key = match operation.text("operationId") {
            Some(id) if self.keys.contains(id) => {
                self.notes.push(format!(
                    "the operationId `{id}` is used more than once: the operation is called `{fallback}`"
                ));
                fallback
            }
            Some(id) => id.to_owned(),
            None => fallback,
        };
        self.keys.insert(key.clone());
        let servers = operation.get("servers").or_else(|| item.get("servers"));
        let servers = servers.or_else(|| root.get("servers"));
        let callbacks = operation.get("callbacks");
        let callbacks = callbacks.iter().flat_map(Located::members);
        let mut read = Operation {
            key,
            method,
            path: path.to_owned(),
            location: operation.at.clone(),
            parameters: Vec::new(),
            body: None,
            responses: Vec::new(),
            servers: if self.version == ApiVersion::V2_0 {
                version_2::servers(root, operation)
            } else {
                urls(servers.as_ref())
            },
            callbacks: callbacks.map(|(name, _)| name.clone()).collect(),
            notes: Vec::new(),
            broken: None,
        };
        if let Err(error) = self.fill(&mut read, operation, item, root) {
            read.broken = Some(error);
        }
        read
    }

    /// Reads what an operation consists of.
    fn fill(
        &self,
        read: &mut Operation,
        operation: &Located<'d>,
        item: &PathItem<'d>,
        root: &Located<'d>,
    ) -> Result<(), Error> {
        let lists = [item.get("parameters"), operation.get("parameters")];
        let mut listed: Vec<(Located<'d>, Located<'d>)> = Vec::new();
        for site in lists.iter().flatten().flat_map(Located::items) {
            let parameter = self.resolver.follow(site.clone())?;
            // A later one of the same name and place replaces an earlier one.
            let is_same = |other: &Located<'_>| {
                ["name", "in"].iter().all(|key| other.text(key) == parameter.text(key))
            };
            listed.retain(|(_, other)| !is_same(other));
            listed.push((site, parameter));
        }
        if self.version == ApiVersion::V2_0 {
            version_2::fill(self, read, operation, root, &listed)?;
        } else {
            for (site, parameter) in &listed {
                read.parameters.extend(self.parameter(site, parameter)?);
            }
            read.body = self.body(operation)?;
        }
        read.parameters
            .sort_by(|left, right| (left.place, &left.name).cmp(&(right.place, &right.name)));
        self.check_path(read)?;
        if let (Some(body), None) = (&read.body, read.selected_body()) {
            let names: Vec<&str> = body.media_types.iter().map(|it| it.name.as_str()).collect();
            let missing = if body.is_required { ", so requests lack what they need" } else { "" };
            let note = format!("a body of `{}` is not generated{missing}", names.join("`, `"));
            read.notes.push(note);
        }
        if self.version != ApiVersion::V2_0 {
            for (status, response) in operation.get("responses").iter().flat_map(Located::members) {
                if !status.starts_with("x-") {
                    read.responses.push(self.response(status, response)?);
                }
            }
        }
        Ok(())
    }

    /// Every name in the path template needs a parameter.
    fn check_path(&self, read: &mut Operation) -> Result<(), Error> {
        for name in template_names(&read.path) {
            let is_it = |it: &&Parameter| it.place == ParameterPlace::Path && it.name == name;
            if !read.parameters.iter().any(|it| is_it(&it)) {
                let message = format!("no path parameter `{name}` is declared for `{}`", read.path);
                return Err(self.resolver.malformed(&message, &read.location));
            }
        }
        let path = read.path.clone();
        let names: BTreeSet<&str> = template_names(&path).collect();
        let is_used =
            |it: &Parameter| it.place != ParameterPlace::Path || names.contains(it.name.as_str());
        let unused: Vec<String> =
            read.parameters.iter().filter(|it| !is_used(it)).map(|it| it.name.clone()).collect();
        for name in unused {
            read.notes.push(format!("the path has no `{{{name}}}`: the parameter is left out"));
        }
        read.parameters.retain(is_used);
        Ok(())
    }

    fn parameter(
        &self,
        site: &Located<'d>,
        parameter: &Located<'d>,
    ) -> Result<Option<Parameter>, Error> {
        let malformed = |message: &str| self.resolver.malformed(message, &parameter.at);
        let name = parameter.text("name").ok_or_else(|| malformed("a parameter needs a `name`"))?;
        let place = parameter.text("in").ok_or_else(|| malformed("a parameter needs `in`"))?;
        let place = ParameterPlace::from_word(place)
            .ok_or_else(|| malformed(&format!("`in: {place}` is not a place of parameters")))?;
        if place == ParameterPlace::Header && is_ignored_header(name) {
            return Ok(None);
        }
        let content = parameter.get("content");
        let first = content.iter().flat_map(Located::members).next();
        let (encoding, schema) = if let Some((media_type, content)) = first {
            let content = self.resolver.follow(content)?;
            (ParameterEncoding::Content(media_type.clone()), content.get("schema"))
        } else {
            let default = match place {
                ParameterPlace::Path | ParameterPlace::Header => Style::Simple,
                ParameterPlace::Query | ParameterPlace::QueryString | ParameterPlace::Cookie => {
                    Style::Form
                }
            };
            let encoding = self.style(parameter, default)?;
            (ParameterEncoding::Style(encoding), parameter.get("schema"))
        };
        Ok(Some(Parameter {
            name: name.to_owned(),
            place,
            is_required: place == ParameterPlace::Path || parameter.is_true("required"),
            site: site.at.clone(),
            encoding,
            schema: schema.map(|schema| schema.at),
        }))
    }

    /// The style that `holder`, a parameter or an encoding, names.
    fn style(&self, holder: &Located<'d>, default: Style) -> Result<StyleEncoding, Error> {
        let style = match holder.text("style") {
            None => default,
            Some(word) => Style::from_word(word).ok_or_else(|| {
                self.resolver.malformed(&format!("`style: {word}` is not a style"), &holder.at)
            })?,
        };
        let encoding = StyleEncoding::new(style).reserved(holder.is_true("allowReserved"));
        Ok(match holder.value.get("explode").and_then(Value::as_bool) {
            Some(explodes) => encoding.exploding(explodes),
            None => encoding,
        })
    }

    fn body(&self, operation: &Located<'d>) -> Result<Option<Body>, Error> {
        let Some(site) = operation.get("requestBody") else { return Ok(None) };
        let body = self.resolver.follow(site.clone())?;
        let media_types = self.media_types(&body)?;
        let is_required = body.is_true("required");
        Ok(Some(Body { is_required, site: site.at, media_types }))
    }

    fn response(&self, status: &str, response: Located<'d>) -> Result<Response, Error> {
        let response = self.resolver.follow(response)?;
        let mut headers = Vec::new();
        for (name, header) in response.get("headers").iter().flat_map(Located::members) {
            let header = self.resolver.follow(header)?;
            headers.push(Header {
                name: name.clone(),
                is_required: header.is_true("required"),
                schema: header.get("schema").map(|schema| schema.at),
            });
        }
        let media_types = self.media_types(&response)?;
        Ok(Response { status: status.to_owned(), location: response.at, media_types, headers })
    }

    /// The media types under `content`, sorted.
    fn media_types(&self, holder: &Located<'d>) -> Result<Vec<MediaType>, Error> {
        let mut found = BTreeMap::new();
        for (name, media_type) in holder.get("content").iter().flat_map(Located::members) {
            let media_type = self.resolver.follow(media_type)?;
            let items = media_type.get("itemSchema").filter(|_| self.version >= ApiVersion::V3_2);
            let content = match items {
                Some(items) => Content::Items(items.at),
                None => Content::Whole(media_type.get("schema").map(|schema| schema.at)),
            };
            let mut encodings = Vec::new();
            for (property, encoding) in media_type.get("encoding").iter().flat_map(Located::members)
            {
                let keywords = ["style", "explode", "allowReserved"];
                let is_styled = keywords.iter().any(|key| encoding.value.get(key).is_some());
                let style = is_styled.then(|| self.style(&encoding, Style::Form)).transpose()?;
                let content_type = encoding.text("contentType").map(str::to_owned);
                encodings.push(PropertyEncoding {
                    property: property.clone(),
                    content_type,
                    style,
                });
            }
            let (name, location) = (name.clone(), media_type.at);
            let is_text = match &content {
                Content::Whole(schema) => self.resolver.admits_text(&name, schema.as_ref()),
                Content::Items(_) | Content::Form(_) => false,
            };
            let read = MediaType { name: name.clone(), location, content, encodings, is_text };
            found.insert(name, read);
        }
        Ok(found.into_values().collect())
    }
}

pub(super) fn is_ignored_header(name: &str) -> bool {
    let mut ignored = IGNORED_HEADERS.iter().chain(&CONNECTION_HEADERS);
    ignored.any(|ignored| name.eq_ignore_ascii_case(ignored))
}

/// The names in a path template, in their order.
pub(super) fn template_names(path: &str) -> impl Iterator<Item = &str> {
    path.split('{').skip(1).filter_map(|rest| Some(rest.split_once('}')?.0))
}

/// The URLs of servers, with the default of every variable. Without a server, the root of whatever serves
/// the document.
fn urls(servers: Option<&Located<'_>>) -> Vec<String> {
    let url = |server: Located<'_>| {
        let mut url = server.text("url")?.to_owned();
        for (name, variable) in server.get("variables").iter().flat_map(Located::members) {
            url = url.replace(&format!("{{{name}}}"), variable.text("default").unwrap_or_default());
        }
        Some(url)
    };
    let found: Vec<String> =
        servers.iter().flat_map(|servers| servers.items()).filter_map(url).collect();
    if found.is_empty() { vec!["/".to_owned()] } else { found }
}

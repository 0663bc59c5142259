//! What version 2.0 does differently: parameters are their own schemas, bodies and forms are parameters,
//! and media types are listed apart from schemas.

use serde_json::Value;

use super::{
    operation::{
        Body, Content, Header, MediaKind, MediaType, Operation, Parameter, ParameterEncoding,
        ParameterPlace, Response, Style, StyleEncoding,
    },
    read::{Reader, is_ignored_header},
    resolve::{Located, Resolver},
};
use crate::Error;

/// The members of a parameter that are not keywords of its schema.
pub(super) const PARAMETER_FIELDS: [&str; 6] =
    ["name", "in", "required", "description", "collectionFormat", "allowEmptyValue"];

/// The URLs that `schemes`, `host` and `basePath` make.
pub(super) fn servers(root: &Located<'_>, operation: &Located<'_>) -> Vec<String> {
    let base = root.text("basePath").unwrap_or("/");
    let Some(host) = root.text("host") else { return vec![base.to_owned()] };
    let schemes = operation.get("schemes").or_else(|| root.get("schemes"));
    let mut schemes: Vec<&str> =
        schemes.iter().flat_map(Located::items).filter_map(|it| it.value.as_str()).collect();
    if schemes.is_empty() {
        schemes.push("https");
    }
    schemes.into_iter().map(|scheme| format!("{scheme}://{host}{base}")).collect()
}

/// Reads the parameters, the body and the responses of an operation.
pub(super) fn fill<'d>(
    reader: &Reader<'d>,
    read: &mut Operation,
    operation: &Located<'d>,
    root: &Located<'d>,
    listed: &[(Located<'d>, Located<'d>)],
) -> Result<(), Error> {
    let consumes = media_types(operation, root, "consumes");
    let produces = media_types(operation, root, "produces");
    let mut form = Vec::new();
    for (site, parameter) in listed {
        let malformed = |message: &str| reader.resolver.malformed(message, &parameter.at);
        let name = parameter.text("name").ok_or_else(|| malformed("a parameter needs a `name`"))?;
        let place = parameter.text("in").ok_or_else(|| malformed("a parameter needs `in`"))?;
        if place == "body" {
            let schema = parameter.get("schema").map(|schema| schema.at);
            read.body = Some(Body {
                is_required: parameter.is_true("required"),
                site: site.at.clone(),
                media_types: whole(&reader.resolver, &consumes, schema.as_ref(), site),
            });
            continue;
        }
        if parameter.text("type") == Some("file") {
            read.notes.push(format!("the form field `{name}` is a file, which is not generated"));
            if parameter.is_true("required") {
                return Err(malformed("a file is required, which is not generated"));
            }
            continue;
        }
        let is_form = place == "formData";
        let place = match ParameterPlace::from_word(place) {
            _ if is_form => ParameterPlace::Query,
            Some(ParameterPlace::Header) if is_ignored_header(name) => continue,
            Some(
                place @ (ParameterPlace::Path | ParameterPlace::Query | ParameterPlace::Header),
            ) => place,
            _ => return Err(malformed(&format!("`in: {place}` is not a place of parameters"))),
        };
        let collected = Parameter {
            name: name.to_owned(),
            place,
            is_required: place == ParameterPlace::Path || parameter.is_true("required"),
            site: site.at.clone(),
            encoding: ParameterEncoding::Style(collection(parameter, place)),
            schema: Some(parameter.at.clone()),
        };
        if is_form {
            form.push(collected);
        } else {
            read.parameters.push(collected);
        }
    }
    if !form.is_empty() && read.body.is_none() {
        let is_form =
            |name: &&String| matches!(MediaKind::of(name), MediaKind::Form | MediaKind::Multipart);
        let name = consumes.iter().find(is_form).cloned();
        let name = name.unwrap_or_else(|| "application/x-www-form-urlencoded".to_owned());
        let is_required = form.iter().any(|field| field.is_required);
        let (location, site) = (operation.at.clone(), operation.at.key("parameters"));
        let content = Content::Form(form);
        let media_type =
            MediaType { name, location, content, encodings: Vec::new(), is_text: false };
        read.body = Some(Body { is_required, site, media_types: vec![media_type] });
    }
    for (status, response) in operation.get("responses").iter().flat_map(Located::members) {
        if status.starts_with("x-") {
            continue;
        }
        let response = reader.resolver.follow(response)?;
        let schema = response.get("schema");
        let is_file = schema.as_ref().is_some_and(|schema| schema.text("type") == Some("file"));
        if is_file {
            read.notes.push(format!("the response {status} is a file, which is not generated"));
        }
        let schema = schema.filter(|_| !is_file).map(|schema| schema.at);
        let media_types = match &schema {
            Some(schema) => whole(&reader.resolver, &produces, Some(schema), &response),
            None => Vec::new(),
        };
        let headers = response.get("headers");
        let headers = headers.iter().flat_map(Located::members).map(|(name, header)| Header {
            name: name.clone(),
            is_required: false,
            schema: Some(header.at),
        });
        let headers = headers.collect();
        let (status, location) = (status.clone(), response.at);
        read.responses.push(Response { status, location, media_types, headers });
    }
    Ok(())
}

/// One document under each of the media types, sorted.
fn whole(
    resolver: &Resolver<'_>,
    names: &[String],
    schema: Option<&crate::Location>,
    holder: &Located<'_>,
) -> Vec<MediaType> {
    let media_type = |name: &String| MediaType {
        name: name.clone(),
        location: holder.at.clone(),
        content: Content::Whole(schema.cloned()),
        encodings: Vec::new(),
        is_text: resolver.admits_text(name, schema),
    };
    names.iter().map(media_type).collect()
}

/// The media types under `key`, those of the operation before those of the document; JSON without any.
fn media_types(operation: &Located<'_>, root: &Located<'_>, key: &str) -> Vec<String> {
    let listed = operation.get(key).or_else(|| root.get(key));
    let mut names: Vec<String> = listed
        .iter()
        .flat_map(Located::items)
        .filter_map(|it| it.value.as_str().map(str::to_owned))
        .collect();
    if names.is_empty() {
        names.push("application/json".to_owned());
    }
    names.sort();
    names.dedup();
    names
}

/// The style that `collectionFormat` means.
fn collection(parameter: &Located<'_>, place: ParameterPlace) -> StyleEncoding {
    let format = parameter.value.get("collectionFormat").and_then(Value::as_str);
    let comma = match place {
        ParameterPlace::Path | ParameterPlace::Header => Style::Simple,
        ParameterPlace::Query | ParameterPlace::QueryString | ParameterPlace::Cookie => Style::Form,
    };
    match format {
        Some("ssv") => StyleEncoding::new(Style::SpaceDelimited),
        Some("tsv") => StyleEncoding::new(Style::TabDelimited),
        Some("pipes") => StyleEncoding::new(Style::PipeDelimited),
        Some("multi") => StyleEncoding::new(Style::Form),
        _ => StyleEncoding::new(comma).exploding(false),
    }
}

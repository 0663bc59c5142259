//! The requests of the HTTP transport, with their headers.

use std::collections::BTreeMap;

use bytes::Bytes;
use http_body_util::Full;
use hyper::{
    HeaderMap, Method, Request, Uri,
    header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HeaderName, HeaderValue},
};

use super::headers::{HeaderParam, encode};
use crate::wire::{
    endpoint::UrlEndpoint,
    revision::{Era, STATELESS},
    session::Session,
    transport::Outgoing,
};

pub(super) const SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
const PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Builds the requests of a connection.
pub(super) struct Requests {
    pub(super) uri: Uri,
    /// Headers of every request.
    headers: HeaderMap,
    pub(super) session_id: Option<HeaderValue>,
    /// The arguments of tools that are repeated in headers.
    pub(super) params: BTreeMap<String, Vec<HeaderParam>>,
}

impl Requests {
    pub(super) fn new(endpoint: &UrlEndpoint) -> Result<Self, String> {
        let uri: Uri =
            endpoint.url.parse().map_err(|error| format!("the URL is invalid: {error}"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err("the URL is neither http nor https".to_owned());
        }
        let headers = common_headers(endpoint)?;
        Ok(Self { uri, headers, session_id: None, params: BTreeMap::new() })
    }

    pub(super) fn post(&self, session: &Session, outgoing: &Outgoing<'_>) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::from(outgoing.message.clone()));
        *request.method_mut() = Method::POST;
        self.address(session, &mut request);
        let headers = request.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if session.era == Era::Stateless
            && let Some(method) = outgoing.method
        {
            headers.insert(METHOD, HeaderValue::from_static(method));
            if let Some((name, arguments)) = outgoing.call {
                headers.insert(NAME, encode(name));
                let params = self.params.get(name).into_iter().flatten();
                headers.extend(params.filter_map(|param| param.header(arguments)));
            }
        }
        if outgoing.method == Some("initialize") {
            headers.remove(PROTOCOL_VERSION);
        }
        request
    }

    pub(super) fn get(
        &self,
        session: &Session,
        resume: Option<&HeaderValue>,
    ) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::default());
        self.address(session, &mut request);
        let headers = request.headers_mut();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(id) = resume {
            headers.insert(LAST_EVENT_ID, id.clone());
        }
        request
    }

    /// The request that ends a session.
    pub(super) fn delete(&self, session: &Session) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::default());
        *request.method_mut() = Method::DELETE;
        self.address(session, &mut request);
        request
    }

    /// Sets what every request has.
    fn address(&self, session: &Session, request: &mut Request<Full<Bytes>>) {
        *request.uri_mut() = self.uri.clone();
        let headers = request.headers_mut();
        *headers = self.headers.clone();
        let version = match session.era {
            Era::Stateless => STATELESS,
            Era::Handshake => session.revision.name(),
        };
        if let Ok(version) = HeaderValue::from_str(version) {
            headers.insert(PROTOCOL_VERSION, version);
        }
        if let Some(id) = &self.session_id {
            headers.insert(SESSION_ID, id.clone());
        }
    }
}

/// Headers that do not depend on the message. Those of the endpoint come last, so they prevail.
fn common_headers(endpoint: &UrlEndpoint) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    if let Some(token) = &endpoint.bearer_token {
        let mut value = HeaderValue::from_str(&format!("Bearer {token}"))
            .map_err(|_| "the bearer token is no header value".to_owned())?;
        value.set_sensitive(true);
        headers.insert(AUTHORIZATION, value);
    }
    for (name, value) in &endpoint.headers {
        let key: HeaderName =
            name.parse().map_err(|_| format!("`{name}` is no name of a header"))?;
        let value =
            value.parse().map_err(|_| format!("the value of the header `{name}` is invalid"))?;
        headers.insert(key, value);
    }
    Ok(headers)
}

//! Base URLs: what the paths of an API are appended to. They are split, never normalised.

use foolproof_contract::openapi::Operation;

use crate::RequestError;

/// The base of the requests of `operation`, without a slash at its end.
pub(crate) fn base_of(given: Option<&str>, operation: &Operation) -> Result<String, RequestError> {
    let base = match given {
        Some(url) if split(url).origin.is_some() && !url.contains(['?', '#']) => url.to_owned(),
        Some(url) => return Err(RequestError::InvalidBaseUrl { url: url.to_owned() }),
        None => {
            let server = operation.servers.first().map_or("/", String::as_str);
            let server = server.split(['?', '#']).next().unwrap_or_default();
            match server {
                _ if split(server).origin.is_some() => server.to_owned(),
                _ if server.starts_with("//") => format!("http:{server}"),
                _ => format!("http://localhost/{}", server.trim_start_matches('/')),
            }
        }
    };
    Ok(base.trim_end_matches('/').to_owned())
}

/// The parts of a URL that matter here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SplitUrl<'u> {
    /// Scheme and authority, if the URL has them.
    pub(crate) origin: Option<&'u str>,
    /// The path, as written.
    pub(crate) path: &'u str,
    /// The query without its question mark.
    pub(crate) query: &'u str,
}

/// Splits a URL, or a path with a query.
pub(crate) fn split(url: &str) -> SplitUrl<'_> {
    let url = url.split('#').next().unwrap_or_default();
    let (before, query) = url.split_once('?').unwrap_or((url, ""));
    let authority_start = before.find("://").map(|at| at + 3).filter(|at| {
        let scheme = &before[..*at - 3];
        !scheme.is_empty()
            && scheme.chars().all(|it| it.is_ascii_alphanumeric() || "+-.".contains(it))
    });
    let Some(start) = authority_start else {
        return SplitUrl { origin: None, path: before, query };
    };
    let end = before[start..].find('/').map_or(before.len(), |at| start + at);
    if end == start {
        return SplitUrl { origin: None, path: before, query };
    }
    SplitUrl { origin: Some(&before[..end]), path: &before[end..], query }
}

/// Scheme and authority as they are compared: lower case, without user and default port.
pub(crate) fn comparable_origin(origin: &str) -> String {
    let origin = origin.to_ascii_lowercase();
    let (scheme, authority) = origin.split_once("://").unwrap_or(("", &origin));
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let port = match scheme {
        "https" | "wss" => ":443",
        _ => ":80",
    };
    format!("{scheme}://{}", host.strip_suffix(port).unwrap_or(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_split_as_they_are_written() {
        let url = split("https://example.org:8080/a/%2e%2e/b?x=/../#part");
        assert_eq!(url.origin, Some("https://example.org:8080"));
        assert_eq!((url.path, url.query), ("/a/%2e%2e/b", "x=/../"));
        assert_eq!(split("/a?u=http://b/c").path, "/a");
        assert_eq!(split("http://a").path, "");
        assert_eq!(split("http:///a").origin, None);
        assert_eq!(comparable_origin("HTTPS://user@Example.org:443"), "https://example.org");
    }
}

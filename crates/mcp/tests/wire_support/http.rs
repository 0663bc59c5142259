//! A small HTTP server whose responses are given by a function.

use std::{
    convert::Infallible,
    net::Ipv4Addr,
    pin::Pin,
    sync::{Arc, Mutex},
    task::{Context, Poll},
};

use bytes::Bytes;
use foolproof_mcp::wire::Endpoint;
use http_body_util::BodyExt;
use hyper::{
    Request, Response,
    body::{Body, Frame, Incoming},
    server::conn::http1,
    service::service_fn,
};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::{net::TcpListener, sync::mpsc};

/// A request that arrived.
#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) verb: String,
    headers: hyper::HeaderMap,
    /// The message; `null` if the body is empty.
    pub(crate) message: Value,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    pub(crate) fn method(&self) -> &str {
        self.message["method"].as_str().unwrap_or_default()
    }
}

/// A response.
pub(crate) struct Reply {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: mpsc::UnboundedReceiver<Bytes>,
}

impl Reply {
    pub(crate) fn status(status: u16) -> Self {
        let (_, body) = mpsc::unbounded_channel();
        Self { status, headers: Vec::new(), body }
    }

    pub(crate) fn text(status: u16, content_type: &str, text: impl Into<Bytes>) -> Self {
        let (sender, body) = mpsc::unbounded_channel();
        sender.send(text.into()).unwrap();
        Self { status, headers: vec![("content-type", content_type.to_owned())], body }
    }

    pub(crate) fn json(message: impl Into<String>) -> Self {
        Self::text(200, "application/json", message.into())
    }

    /// An event stream that ends when the sender is dropped.
    pub(crate) fn events() -> (mpsc::UnboundedSender<Bytes>, Self) {
        let (sender, body) = mpsc::unbounded_channel();
        let headers = vec![("content-type", "text/event-stream; charset=utf-8".to_owned())];
        (sender, Self { status: 200, headers, body })
    }

    /// An event stream with these messages.
    pub(crate) fn event_list(messages: impl IntoIterator<Item = String>) -> Self {
        let (sender, reply) = Self::events();
        for message in messages {
            sender.send(event(&message)).unwrap();
        }
        reply
    }

    pub(crate) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }
}

/// A message as an event.
pub(crate) fn event(message: &str) -> Bytes {
    format!("event: message\ndata: {message}\n\n").into()
}

struct ChannelBody(mpsc::UnboundedReceiver<Bytes>);

impl Body for ChannelBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

/// A running server.
pub(crate) struct Server {
    pub(crate) url: String,
    received: Arc<Mutex<Vec<Received>>>,
}

type Handler = dyn Fn(&Received) -> Reply + Send + Sync;

impl Server {
    pub(crate) async fn start(
        handler: impl Fn(&Received) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}/mcp", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let handler: Arc<Handler> = Arc::new(handler);
        let seen = Arc::clone(&received);
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (handler, seen) = (Arc::clone(&handler), Arc::clone(&seen));
                let service = service_fn(move |request| {
                    respond(request, Arc::clone(&handler), Arc::clone(&seen))
                });
                let connection =
                    http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                tokio::spawn(connection);
            }
        });
        Self { url, received }
    }

    pub(crate) fn endpoint(&self) -> Endpoint {
        Endpoint::url(&self.url)
    }

    /// Every request so far.
    pub(crate) fn received(&self) -> Vec<Received> {
        self.received.lock().unwrap().clone()
    }

    /// The verb and method of every request so far.
    pub(crate) fn summary(&self) -> Vec<String> {
        let show = |one: &Received| format!("{} {}", one.verb, one.method()).trim().to_owned();
        self.received().iter().map(show).collect()
    }
}

async fn respond(
    request: Request<Incoming>,
    handler: Arc<Handler>,
    seen: Arc<Mutex<Vec<Received>>>,
) -> Result<Response<ChannelBody>, Infallible> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await.unwrap().to_bytes();
    let message = serde_json::from_slice(&body).unwrap_or_default();
    let received = Received { verb: parts.method.to_string(), headers: parts.headers, message };
    seen.lock().unwrap().push(received.clone());
    let reply = handler(&received);
    let mut response = Response::builder().status(reply.status);
    for (name, value) in reply.headers {
        response = response.header(name, value);
    }
    Ok(response.body(ChannelBody(reply.body)).unwrap())
}

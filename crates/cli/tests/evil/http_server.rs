//! A small HTTP server on a port of this machine that hands one request to the way to misbehave, and answers all others as
//! it should. It ends with the test, and no connection lives longer than [`LONGEST`].

use std::{
    io::{self, BufRead as _, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

/// How long a connection may last.
const LONGEST: Duration = Duration::from_secs(20);

/// What can be read and written: a socket, or TLS on one.
pub(crate) trait Stream: Read + Write + Send {}

impl<T: Read + Write + Send> Stream for T {}

/// What makes a stream of a socket.
pub(crate) type Accept = dyn Fn(TcpStream) -> io::Result<Box<dyn Stream>> + Send + Sync;

/// The requests that are answered wrongly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum On {
    /// Before anything is read.
    Accept,
    /// After the head, so that the body stays unread.
    Head,
    Initialize,
    Initialized,
    List,
    Call,
    /// An answer of the client to a request of the server.
    Reply,
    /// The stream of the server.
    Get,
    Delete,
}

/// How a request is answered wrongly. An error ends the connection.
pub(crate) type Way = fn(&mut Exchange<'_>) -> io::Result<()>;

/// A request that waits for its answer.
pub(crate) struct Exchange<'a> {
    stream: &'a mut dyn Stream,
    begun: Instant,
    is_over: &'a AtomicBool,
    /// The id of the request.
    pub(crate) id: u64,
    /// How many requests there were before.
    pub(crate) number: u64,
    /// The value of `Last-Event-ID`.
    pub(crate) resumes: bool,
}

pub(crate) struct Server {
    pub(crate) port: u16,
    is_over: Arc<AtomicBool>,
}

struct Ways {
    on: &'static [On],
    way: Way,
    requests: AtomicU64,
    is_over: Arc<AtomicBool>,
}

impl Server {
    /// Serves until it is dropped.
    pub(crate) fn start(on: &'static [On], way: Way, accept: Arc<Accept>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let is_over = Arc::new(AtomicBool::new(false));
        let ways = Ways { on, way, requests: AtomicU64::new(0), is_over: Arc::clone(&is_over) };
        let ways = Arc::new(ways);
        thread::spawn(move || {
            for socket in listener.incoming() {
                if ways.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let (Ok(socket), ways) = (socket, Arc::clone(&ways)) else { continue };
                let accept = Arc::clone(&accept);
                thread::spawn(move || {
                    let limit = Some(LONGEST);
                    let _ = socket.set_read_timeout(limit).and(socket.set_write_timeout(limit));
                    let _ = socket.set_nodelay(true);
                    // The client may go at any time.
                    let _ = accept(socket).and_then(|mut stream| ways.serve(stream.as_mut()));
                });
            }
        });
        Self { port, is_over }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        // The thread that listens is woken to see it.
        let _ = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port));
    }
}

impl Ways {
    /// Answers the requests of a connection.
    fn serve(&self, stream: &mut dyn Stream) -> io::Result<()> {
        let begun = Instant::now();
        let mut exchange =
            Exchange { stream, begun, is_over: &self.is_over, id: 0, number: 0, resumes: false };
        if self.on.contains(&On::Accept) {
            return (self.way)(&mut exchange);
        }
        while let Some((verb, length, resumes)) = exchange.read_head()? {
            exchange.resumes = resumes;
            exchange.number = self.requests.fetch_add(1, Ordering::Relaxed);
            if self.on.contains(&On::Head) {
                (self.way)(&mut exchange)?;
                continue;
            }
            let mut body = vec![0; length];
            exchange.stream.read_exact(&mut body)?;
            let message: Value = serde_json::from_slice(&body).unwrap_or_default();
            exchange.id = message["id"].as_u64().unwrap_or_default();
            let method = message["method"].as_str();
            let (on, right) = match (verb.as_str(), method) {
                ("GET", _) => (On::Get, None),
                ("DELETE", _) => (On::Delete, None),
                (_, Some("initialize")) => (On::Initialize, Some(introduction())),
                (_, Some("tools/list")) => (On::List, Some(tools())),
                (_, Some("tools/call")) => (On::Call, Some(ok())),
                (_, Some(_)) => (On::Initialized, None),
                (_, None) => (On::Reply, None),
            };
            if self.on.contains(&on) {
                (self.way)(&mut exchange)?;
                continue;
            }
            match (on, right) {
                (_, Some(result)) => {
                    exchange.answer("200 OK", "mcp-session-id: s-1\r\n", &result)?;
                }
                (On::Get, _) => exchange.respond("405 Method Not Allowed", "", b"")?,
                (On::Delete, _) => exchange.respond("200 OK", "", b"")?,
                _ => exchange.respond("202 Accepted", "", b"")?,
            }
        }
        Ok(())
    }
}

fn introduction() -> Value {
    json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "evil", "version": "1"},
    })
}

fn tools() -> Value {
    let schema = json!({"type": "object", "properties": {"text": {"type": "string"}}});
    let echo =
        json!({"name": "echo", "inputSchema": schema, "annotations": {"readOnlyHint": true}});
    json!({ "tools": [echo] })
}

pub(crate) fn ok() -> Value {
    json!({"content": [{"type": "text", "text": "ok"}]})
}

impl Exchange<'_> {
    /// The verb of the next request, the length of its body, and whether it resumes a stream.
    fn read_head(&mut self) -> io::Result<Option<(String, usize, bool)>> {
        let mut head = Vec::new();
        // Byte by byte, so that the body stays in the stream.
        let mut byte = [0];
        while !head.ends_with(b"\r\n\r\n") {
            if self.stream.read(&mut byte)? == 0 {
                return Ok(None);
            }
            head.push(byte[0]);
        }
        let (mut verb, mut length, mut resumes) = (String::new(), 0, false);
        for line in BufReader::new(&head[..]).lines() {
            let line = line?.to_ascii_lowercase();
            if verb.is_empty() {
                verb = line.split(' ').next().unwrap_or_default().to_uppercase();
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or_default();
            }
            resumes |= line.starts_with("last-event-id:");
        }
        Ok(Some((verb, length, resumes)))
    }

    /// Sends bytes as they are.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        if self.is_over.load(Ordering::Relaxed) || self.begun.elapsed() > LONGEST {
            return Err(io::ErrorKind::TimedOut.into());
        }
        self.stream.write_all(bytes.as_ref())?;
        self.stream.flush()
    }

    /// Sends `bytes` again and again, until the client has gone.
    pub(crate) fn repeat(&mut self, bytes: impl AsRef<[u8]>, pause: Duration) -> io::Result<()> {
        loop {
            self.send(&bytes)?;
            thread::sleep(pause);
        }
    }

    /// Sends nothing more, until the test has ended.
    pub(crate) fn wait(&mut self) -> io::Result<()> {
        self.repeat(b"", Duration::from_millis(20))
    }

    /// Sends a whole response.
    pub(crate) fn respond(&mut self, status: &str, headers: &str, body: &[u8]) -> io::Result<()> {
        let length = body.len();
        self.send(format!("HTTP/1.1 {status}\r\ncontent-length: {length}\r\n{headers}\r\n"))?;
        self.send(body)
    }

    /// Sends a response in JSON.
    pub(crate) fn json(&mut self, status: &str, headers: &str, body: &[u8]) -> io::Result<()> {
        self.respond(status, &format!("content-type: application/json\r\n{headers}"), body)
    }

    /// The right answer with this result.
    pub(crate) fn message(&self, result: &Value) -> String {
        json!({"jsonrpc": "2.0", "id": self.id, "result": result}).to_string()
    }

    /// Answers with this result.
    pub(crate) fn answer(&mut self, status: &str, headers: &str, result: &Value) -> io::Result<()> {
        let message = self.message(result);
        self.json(status, headers, message.as_bytes())
    }

    /// Begins a response in JSON whose body comes in chunks.
    pub(crate) fn chunked(&mut self) -> io::Result<()> {
        self.send("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n")
    }

    /// Begins a stream of events in chunks.
    pub(crate) fn events(&mut self) -> io::Result<()> {
        self.send("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n")
    }

    /// Sends a chunk.
    pub(crate) fn chunk(&mut self, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        self.send(chunk(bytes.as_ref()))
    }
}

/// A chunk of a body.
pub(crate) fn chunk(bytes: &[u8]) -> Vec<u8> {
    [format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat()
}

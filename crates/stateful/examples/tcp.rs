//! A small service on a loopback socket, with several clients at once, against a `BTreeMap`.
//!
//! Every sequence has a server of its own on a port that the system chooses. Clients connect and disconnect
//! while others are connected; a value that one writes, the others must read.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

mod print;

use std::{
    collections::BTreeMap,
    io,
    net::SocketAddr,
    sync::{Arc, Mutex, PoisonError},
};

use foolproof_stateful::{Config, stateful};
use tokio::{
    io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader},
    net::{TcpListener, TcpStream},
    task::JoinHandle,
};

type Table = BTreeMap<String, String>;

/// Serves every client, until it is aborted.
async fn serve(listener: TcpListener) -> io::Result<()> {
    let table = Arc::new(Mutex::new(Table::new()));
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(talk(stream, Arc::clone(&table)));
    }
}

/// Answers each line with a line, until the client disconnects.
async fn talk(stream: TcpStream, table: Arc<Mutex<Table>>) -> io::Result<()> {
    let mut stream = BufReader::new(stream);
    let mut line = String::new();
    while stream.read_line(&mut line).await? > 0 {
        let answer = answer(&line, &mut table.lock().unwrap_or_else(PoisonError::into_inner));
        stream.write_all(format!("{answer}\n").as_bytes()).await?;
        line.clear();
    }
    Ok(())
}

fn answer(line: &str, table: &mut Table) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["SET", key, value] => {
            table.insert(key.to_owned(), value.to_owned()).unwrap_or_else(|| "NEW".to_owned())
        }
        ["GET", key] => table.get(key).cloned().unwrap_or_else(|| "NONE".to_owned()),
        ["DEL", key] => table.remove(key).unwrap_or_else(|| "NONE".to_owned()),
        ["COUNT"] => table.len().to_string(),
        _ => "WHAT".to_owned(),
    }
}

/// The system: a server, and its clients.
struct Service {
    server: JoinHandle<io::Result<()>>,
    address: SocketAddr,
    clients: Vec<BufReader<TcpStream>>,
}

impl Service {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("loopback is there");
        let address = listener.local_addr().expect("it is bound");
        Self { server: tokio::spawn(serve(listener)), address, clients: Vec::new() }
    }

    async fn connect(&mut self) -> io::Result<()> {
        self.clients.push(BufReader::new(TcpStream::connect(self.address).await?));
        Ok(())
    }

    /// Sends a line as one of the clients, and waits for the answer.
    async fn ask(&mut self, client: usize, request: String) -> io::Result<String> {
        let stream = &mut self.clients[client];
        stream.write_all(format!("{request}\n").as_bytes()).await?;
        let mut answer = String::new();
        stream.read_line(&mut answer).await?;
        Ok(answer.trim_end().to_owned())
    }
}

/// The model: the table, and the number of clients.
#[derive(Debug, Default)]
struct Model {
    table: Table,
    clients: usize,
}

impl Model {
    fn clients(&self) -> Vec<usize> {
        (0..self.clients).collect()
    }
}

async fn check() -> Result<(), foolproof_stateful::Failure> {
    let statistics = stateful::<Model, Service>()
        .model(Model::default)
        .sut_async(Service::start)
        .command("connect", |c| {
            c.pre(|model, ()| model.clients < 4).run_async(async |(), model, service| {
                model.clients += 1;
                service.connect().await
            })
        })
        .command("hang up", |c| {
            c.pick("client", Model::clients).run(|client, model, service| {
                model.clients -= 1;
                service.clients.remove(client);
            })
        })
        .command("set", |c| {
            c.pick("client", Model::clients)
                .forall("key", "[a-c]")
                .forall("value", "[x-z]{1,3}")
                .run_async(async |(client, key, value), model, service| {
                    let request = format!("SET {key} {value}");
                    let expected = model.table.insert(key, value);
                    let expected = expected.unwrap_or_else(|| "NEW".to_owned());
                    Ok::<_, io::Error>((expected, service.ask(client, request).await?))
                })
                .post(|_, _, _, result| result.as_ref().is_ok_and(|(left, right)| left == right))
                .weight(3)
        })
        .command("get", |c| {
            c.pick("client", Model::clients)
                .forall("key", "[a-c]")
                .run_async(async |(client, key), _, service| {
                    service.ask(client, format!("GET {key}")).await
                })
                .post(|(_, key), model, _, answer| {
                    let expected = model.table.get(&key).map_or("NONE", String::as_str);
                    answer.as_ref().is_ok_and(|answer| answer == expected)
                })
                .weight(2)
        })
        .command("delete", |c| {
            c.pick("client", Model::clients)
                .forall("key", "[a-c]")
                .run_async(async |(client, key), model, service| {
                    let request = format!("DEL {key}");
                    let expected = model.table.remove(&key).unwrap_or_else(|| "NONE".to_owned());
                    Ok::<_, io::Error>((expected, service.ask(client, request).await?))
                })
                .post(|_, _, _, result| result.as_ref().is_ok_and(|(left, right)| left == right))
        })
        .command("count", |c| {
            c.pick("client", Model::clients)
                .run_async(async |client, _, service| service.ask(client, "COUNT".to_owned()).await)
                .post(|_, model, _, answer| {
                    answer.as_ref().is_ok_and(|answer| *answer == model.table.len().to_string())
                })
        })
        .invariant("the server runs", |_, service| !service.server.is_finished())
        .teardown_async(async |_, service| {
            service.server.abort();
            // Aborting the task is intended, so its result is not an error.
            let _ = (&mut service.server).await;
        })
        .check_async(Config { num_runs: 100, require_all_commands: true, ..Config::default() })
        .await?;
    print::statistics("the service behaves like its model", &statistics);
    Ok(())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build()?;
    Ok(runtime.block_on(check())?)
}

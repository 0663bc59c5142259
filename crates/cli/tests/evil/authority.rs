//! A server whose certificate a private authority has signed: `--ca-cert`.

use std::{fs, io, net::TcpStream, path::Path, sync::Arc, time::Duration};

use rustls::{
    ServerConfig, ServerConnection, StreamOwned,
    crypto::ring,
    pki_types::{CertificateDer, PrivateKeyDer, pem::PemObject as _},
};

use crate::{
    http_server::{On, Server, Stream, Way},
    machine::{Ended, Machine},
};

const FOLDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/evil/tls");
const LIMIT: Duration = Duration::from_secs(20);

/// A server over TLS.
fn server(on: &'static [On], way: Way) -> Server {
    let certificate = CertificateDer::from_pem_file(format!("{FOLDER}/server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(format!("{FOLDER}/server.key")).unwrap();
    let config = ServerConfig::builder_with_provider(ring::default_provider().into())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    let config = Arc::new(config);
    let accept = move |socket: TcpStream| {
        let connection = ServerConnection::new(Arc::clone(&config)).map_err(io::Error::other)?;
        Ok(Box::new(StreamOwned::new(connection, socket)) as Box<dyn Stream>)
    };
    Server::start(on, way, Arc::new(accept))
}

fn test(machine: &Machine, url: &str, options: &[&str]) -> Ended {
    let fixed = ["mcp", "http", url, "--cases=2", "--seed=1", "--start-timeout=5s"];
    machine.start(&[&fixed[..], options].concat()).wait(LIMIT).unwrap()
}

#[test]
fn a_private_authority_is_trusted_if_its_certificate_is_given() {
    let (machine, server) = (Machine::new(), server(&[], |_| Ok(())));
    let authority = format!("--ca-cert={FOLDER}/authority.pem");
    for host in ["127.0.0.1", "localhost"] {
        let url = format!("https://{host}:{}/mcp", server.port);
        let trusted = test(&machine, &url, &[&authority]);
        assert_eq!(trusted.code, 0, "{}", trusted.text());
        let unknown = test(&machine, &url, &[]);
        assert_eq!(unknown.code, 5, "{}", unknown.text());
        assert!(unknown.stderr.contains("UnknownIssuer"), "{}", unknown.stderr);
        assert!(unknown.stderr.contains("--ca-cert"), "{}", unknown.stderr);
    }
    // The authority of another name is no help.
    let other = format!("https://127.0.0.2:{}/mcp", server.port);
    assert_eq!(test(&machine, &other, &[&authority]).code, 5);
}

#[test]
fn a_replay_trusts_the_authority_that_it_is_given() {
    let no_answer: Way = |it| it.respond("500 Internal Server Error", "", b"");
    let (machine, server) = (Machine::new(), server(&[On::Call], no_answer));
    let url = format!("https://localhost:{}/mcp", server.port);
    let authority = format!("--ca-cert={FOLDER}/authority.pem");
    let repro = machine.at("failure").display().to_string();
    let failing = test(&machine, &url, &[&authority, "--repro", &repro]);
    assert_eq!(failing.code, 1, "{}", failing.text());
    let replay = |options: &[&str]| {
        let args = [&["mcp", "replay", &repro][..], options].concat();
        machine.start(&args).wait(LIMIT).unwrap()
    };
    for options in [["--trust", &authority].as_slice(), &["--url", &url, &authority]] {
        let still = replay(options);
        assert_eq!(still.code, 1, "{}", still.text());
        assert!(still.stdout.contains("still fails"), "{}", still.text());
    }
    assert_eq!(replay(&["--trust"]).code, 5);
}

#[test]
fn a_file_that_is_no_certificate_is_refused() {
    let machine = Machine::new();
    let write = |name: &str, text: &str| {
        let path = machine.at(name);
        fs::write(&path, text).unwrap();
        path
    };
    let begin = "-----BEGIN CERTIFICATE-----";
    let end = "-----END CERTIFICATE-----";
    for (path, says) in [
        (machine.at("missing"), "No such file"),
        (machine.at("home"), "Is a directory"),
        (write("empty", ""), "there is no certificate in it"),
        (
            write("key", &fs::read_to_string(format!("{FOLDER}/server.key")).unwrap()),
            "there is no certificate in it",
        ),
        (write("open", begin), "certificate 1 cannot be read"),
        (write("letters", &format!("{begin}\n****\n{end}\n")), "certificate 1 cannot be read"),
        (write("nothing", &format!("{begin}\nAAAA\n{end}\n")), "certificate 1 is invalid"),
    ] {
        let refused = refused(&machine, &path);
        assert_eq!(refused.code, 2, "{}", refused.text());
        for part in [says, "--ca-cert", path.to_str().unwrap(), "give a file"] {
            assert!(
                refused.stderr.replace(['\n', '│'], " ").contains(part),
                "{part}: {}",
                refused.stderr
            );
        }
    }
}

fn refused(machine: &Machine, path: &Path) -> Ended {
    test(machine, "https://127.0.0.1:1/mcp", &[&format!("--ca-cert={}", path.display())])
}

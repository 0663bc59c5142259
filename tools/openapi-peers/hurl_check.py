#!/usr/bin/env python3
"""Parses what `foolproof generate --as hurl` writes with the parser of Hurl itself, and compares it with `--as har`.

Usage: hurl_check.py BINARY PARSER [--per-operation N]

PARSER is the program of `hurl/`. Where `hurl` is installed, it also sends the requests to a server that answers 200. Exits 1 if
a file is not a Hurl file, or if an entry of it is not the request.
"""
import argparse, base64, glob, json, os, pathlib, shutil, subprocess, sys, tempfile

from peers import HERE, ROOT, Server, corpus_is_absent, load_document, operations_of, run_foolproof

DOCUMENTS = ["tools/openapi-peers/hurl/edges-3.1.yaml", "tools/openapi-peers/express/styles-3.0.yaml", "contracts/openapi/*",
             "../shared/corpus/openapi-features/*", "../shared/corpus/openapi/[!m]*"]


def of_archive(recorded):
    """A request of an archive in the form that is compared."""
    data = recorded.get("postData")
    body = None
    if data is not None:
        body = base64.b64decode(data["text"]) if data.get("encoding") == "base64" else data["text"].encode()
    headers = [[it["name"], it["value"]] for it in recorded["headers"]]
    return {"method": recorded["method"], "url": recorded["url"], "headers": headers, "body": body}


def of_entry(entry):
    """What the parser read, in the same form."""
    body = entry["body"]
    if body is not None:
        body = body["text"].encode() if "text" in body else bytes(body.get("bytes", b"?"))
    return {**entry, "body": body}


def check(binary, parser, path, wanted, base):
    """The number of requests of a document, and what is wrong with them."""
    arguments = ["generate", path, "--part", "request", "--n", str(wanted), "--base-url", base, "--quiet"]
    text, problem = run_foolproof(binary, [*arguments, "--as", "hurl"])
    archive, _ = run_foolproof(binary, [*arguments, "--as", "har"])
    if problem:
        return 0, [problem]
    expected = [of_archive(entry["request"]) for entry in json.loads(archive)["log"]["entries"]]
    done = subprocess.run([parser], input=text, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        return len(expected), [f"not a Hurl file: {done.stderr.strip()}"]
    found = [of_entry(json.loads(line)) for line in done.stdout.splitlines()]
    problems = [f"{len(found)} entries for {len(expected)} requests"] if len(found) != len(expected) else []
    problems += [f"read {ours}\n     for {theirs}" for ours, theirs in zip(found, expected) if ours != theirs]
    return len(expected), problems


def run_hurl(binary, folder):
    """Sends the requests of the edge cases with `hurl`."""
    with Server([sys.executable, str(HERE / "har/server.py")]) as server:
        base = f"http://127.0.0.1:{server.port()}"
        arguments = ["generate", str(HERE / "hurl/edges-3.1.yaml"), "--part", "request", "--n", "60", "--base-url", base, "--quiet"]
        file = pathlib.Path(folder) / "edges.hurl"
        file.write_text(run_foolproof(binary, [*arguments, "--as", "hurl"])[0])
        environment = {**os.environ, "no_proxy": "*"}
        done = subprocess.run(["hurl", "--no-output", str(file)], capture_output=True, text=True, timeout=60, env=environment)
        return [] if done.returncode == 0 else [f"hurl ended with {done.returncode}: {done.stderr[-500:]}"]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("parser")
    parser.add_argument("--per-operation", type=int, default=5)
    options = parser.parse_args()
    corpus_is_absent()
    paths = [path for pattern in DOCUMENTS for path in sorted(glob.glob(str(ROOT / pattern)))]
    documents = requests = 0
    bad = False
    for path in paths:
        operations = len(operations_of(load_document(path)))
        if operations == 0:
            continue
        per_operation = 20 if "edges" in path else options.per_operation
        count, problems = check(options.binary, options.parser, path, per_operation * operations, "http://peer.test/base")
        documents, requests = documents + 1, requests + count
        for problem in problems[:3]:
            print(f"    WRONG {pathlib.Path(path).name}: {problem[:1500]}")
        bad |= bool(problems)
    print(f"hurl_core reads {requests} requests of {documents} documents" + (", some wrongly" if bad else " as they are"))
    if shutil.which("hurl"):
        with tempfile.TemporaryDirectory() as folder:
            problems = run_hurl(options.binary, folder)
        print("\n".join(f"    WRONG {problem}" for problem in problems) or "hurl sends the requests of the edge cases")
        bad |= bool(problems)
    else:
        print("`hurl` is not installed: the files were parsed and not run")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Sends generated requests with curl to a server that validates them with express-openapi-validator (npm).

Usage: express_check.py BINARY [--per-operation N] [--show N]

The lines of `foolproof generate --part request --as curl` run as they are with `sh`. Exits 1 if the server answers something
other than 200 and no line of `accepted-refusals.txt` says why, or if a line of it is not needed.
"""
import argparse, collections, json, pathlib, subprocess, sys, tempfile, time

from peers import HERE, ROOT, AcceptedRefusals, Server, corpus_is_absent, load_document, operations_of, run_foolproof, send_line

DOCUMENTS = [
    # Every style of 3.0, headers, cookies, forms.
    "tools/openapi-peers/express/styles-3.0.yaml",
    # 3.1: arrays in the query, conditions in the body.
    "contracts/openapi/orders-3.1.yaml",
    "../shared/corpus/openapi/rentcast.io-1.0.yaml",
    # Real ones with forms, headers, arrays and `deepObject`.
    "../shared/corpus/openapi-features/mercure.local-0.3.2.yaml",
    "../shared/corpus/openapi/contentgroove.com-1.0.0.yaml",
    "../shared/corpus/openapi/greip.io-1.0.0.yaml",
]


def check(binary, path, per_operation, folder):
    """Sends the requests of one document: (requests, refusals)."""
    document = load_document(path)
    # One server, at the root; the server of the test asks for no security.
    document["servers"] = [{"url": "/"}]
    for item in document["paths"].values():
        item.pop("servers", None)
    served = folder / "served.json"
    served.write_text(json.dumps(document))
    refusals = []
    with Server(["node", str(HERE / "express/server.js"), str(served)], stderr=subprocess.DEVNULL) as server:
        base = f"http://127.0.0.1:{server.port()}"
        wanted = per_operation * len(operations_of(document))
        arguments = ["generate", str(served), "--part", "request", "--n", str(wanted), "--base-url", base, "--quiet"]
        lines, problem = run_foolproof(binary, [*arguments, "--as", "curl"])
        values, _ = run_foolproof(binary, arguments)
        lines, envelopes = lines.splitlines(), [json.loads(line) for line in values.splitlines()]
        if problem or len(lines) != len(envelopes):
            refusals.append(("*", problem or f"{len(lines)} lines of {len(envelopes)} values", ""))
        for line, envelope in zip(lines, envelopes):
            status, text = send_line(line, folder)
            if status != 200:
                refusals.append((f"{envelope['method']} {envelope['path']}", f"{status} {text}", line))
    return len(lines), refusals


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    # One of the first eight requests of an operation has only what is required.
    parser.add_argument("--per-operation", type=int, default=8)
    parser.add_argument("--show", type=int, default=3)
    options = parser.parse_args()
    is_partial = corpus_is_absent()
    accepted = AcceptedRefusals("express-openapi-validator")
    bad = False
    totals = collections.Counter()
    print(f"{'document':<52} {'requests':>8} {'refused':>7} {'accepted':>8} {'seconds':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name in DOCUMENTS:
            if is_partial and name.startswith(".."):
                continue
            start = time.monotonic()
            requests, refusals = check(options.binary, ROOT / name, options.per_operation, pathlib.Path(folder))
            document = pathlib.Path(name).name
            unknown = [it for it in refusals if not accepted.covers(document, it[0], it[1])]
            known = len(refusals) - len(unknown)
            print(f"{document[:52]:<52} {requests:>8} {len(unknown):>7} {known:>8} {time.monotonic() - start:>7.1f}")
            for operation, reason, line in unknown[: options.show]:
                print(f"    REFUSED {operation}: {reason[:600]}\n        {line[:900]}")
            bad |= bool(unknown)
            totals.update(documents=1, requests=requests, refused=len(unknown), accepted=known)
            sys.stdout.flush()
    print(", ".join(f"{count} {what}" for what, count in totals.items()))
    for reason, count in accepted.counts():
        print(f"    accepted {count:>5}: {reason}")
    for line in [] if is_partial else accepted.unused():
        print(f"    UNUSED {line}")
        bad = True
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

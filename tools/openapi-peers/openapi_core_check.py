#!/usr/bin/env python3
"""Validates generated requests with openapi-core (PyPI), which nobody here wrote, and prints a table.

Usage: openapi_core_check.py BINARY [--documents GLOB...] [--every K] [--per-operation N] [--jobs N] [--show N]

Of every OpenAPI 3.x document, `foolproof generate --part request --as har` writes five requests of each operation.
openapi-core looks for the operation, reads the parameters and the body, and validates them. Security is removed from the
document, and so are the servers: all requests go to one base URL.

Exits 1 if a request is refused and no line of `accepted-refusals.txt` says why, if a line is not needed, or if an operation
has fewer requests. A document that openapi-core cannot load is a refusal too.
"""
import argparse, base64, collections, glob, json, multiprocessing, pathlib, re, sys, time, urllib.parse, warnings

from jsonschema_path import SchemaPath
from openapi_core import V30RequestValidator, V31RequestValidator, V32RequestValidator
from openapi_core.datatypes import RequestParameters
from werkzeug.datastructures import Headers, ImmutableMultiDict
from werkzeug.http import parse_cookie

from peers import ROOT, AcceptedRefusals, corpus_is_absent, load_document, operations_of, run_foolproof

BASE = "http://peer.test"
VALIDATORS = {"3.0": V30RequestValidator, "3.1": V31RequestValidator, "3.2": V32RequestValidator}
DOCUMENTS = ["../shared/corpus/openapi/*", "../shared/corpus/openapi-features/*", "contracts/openapi/*"]


def without_security_and_servers(document):
    """A copy of the document that asks for no security and has one server."""
    document = {**document, "servers": [{"url": BASE}]}
    document.pop("security", None)
    paths = {}
    for path, item in document.get("paths", {}).items():
        if not path.startswith("/"):
            continue
        item = {name: value for name, value in item.items() if name != "servers"}
        for method, operation in item.items():
            if isinstance(operation, dict):
                item[method] = {name: value for name, value in operation.items() if name not in ("security", "servers")}
        paths[path] = item
    document["paths"] = paths
    return document


class Request:
    """A request of an HTTP archive, as openapi-core reads it."""

    def __init__(self, recorded):
        url = urllib.parse.urlsplit(recorded["url"])
        headers = Headers([(it["name"], it["value"]) for it in recorded["headers"]])
        cookies = [(name, urllib.parse.unquote(value)) for name, value in parse_cookie(headers.get("Cookie")).items(multi=True)]
        query = urllib.parse.parse_qsl(url.query, keep_blank_values=True)
        self.parameters = RequestParameters(
            query=ImmutableMultiDict(query), header=headers, cookie=ImmutableMultiDict(cookies)
        )
        self.host_url = BASE
        self.path = url.path
        self.method = recorded["method"].lower()
        data = recorded.get("postData")
        self.body = None
        if data is not None:
            self.body = base64.b64decode(data["text"]) if data.get("encoding") == "base64" else data["text"].encode()
        self.content_type = headers.get("Content-Type", "")
        # What every client sets when it sends the request.
        headers.setdefault("Host", url.netloc)
        if self.body is not None:
            headers.setdefault("Content-Length", str(len(self.body)))


def reasons(error):
    """What openapi-core says, from the outermost error to the innermost."""
    texts = []
    while error is not None and len(texts) < 6:
        details = [f"{'/'.join(map(str, it.absolute_path))}: {it.message}" for it in getattr(error, "schema_errors", [])]
        texts.append(f"{type(error).__name__}: {error}" + (f" [{'; '.join(details)}]" if details else ""))
        error = error.__cause__
    return re.sub(r"\s+", " ", " <- ".join(texts))


def check_document(work):
    """Validates the requests of one document: (operations, requests, refusals, seconds)."""
    binary, path, per_operation = work
    warnings.simplefilter("ignore")
    start = time.monotonic()
    document = load_document(path)
    version = document["openapi"][:3]
    operations = operations_of(document)
    refusals = []
    if not operations:
        return path, version, 0, 0, refusals, time.monotonic() - start
    wanted = per_operation * len(operations)
    arguments = ["generate", path, "--part", "request", "--n", str(wanted), "--base-url", BASE, "--quiet"]
    archive, problem = run_foolproof(binary, [*arguments, "--as", "har"])
    values, _ = run_foolproof(binary, arguments)
    if problem:
        refusals.append(("*", "document", problem, ""))
        return path, version, len(operations), 0, refusals, time.monotonic() - start
    entries = [entry["request"] for entry in json.loads(archive)["log"]["entries"]]
    envelopes = [json.loads(line) for line in values.splitlines()]
    try:
        spec = SchemaPath.from_dict(without_security_and_servers(document))
        readers = {}
        for name in {envelope.get("mediaType", "") for envelope in envelopes}:
            # openapi-core has to be told which media types besides the plainest are JSON or text.
            if name.endswith("+json"):
                readers[name] = json.loads
            elif name.startswith("text/"):
                readers[name] = lambda value, **_: value.decode()
        validator = VALIDATORS[version](spec, extra_media_type_deserializers=readers)
    except Exception as error:  # whatever is wrong with the document, it is reported
        refusals.append(("*", "document", f"cannot be loaded: {reasons(error)}", ""))
        return path, version, len(operations), 0, refusals, time.monotonic() - start
    counts = collections.Counter()
    if len(entries) != len(envelopes):
        refusals.append(("*", "document", f"{len(entries)} requests of {len(envelopes)} values", ""))
    for recorded, envelope in zip(entries, envelopes):
        key = f"{envelope['method']} {envelope['path']}"
        counts[key] += 1
        try:
            problems = list(judge(validator, recorded, envelope))
        except Exception as error:  # a crash of the validator
            problems = [f"crash: {reasons(error)}"]
        for problem in problems:
            refusals.append((key, "request", problem, json.dumps(recorded)[:2000]))
    for key in operations:
        if counts[key] < per_operation:
            refusals.append((key, "operation", f"has {counts[key]} requests", ""))
    return path, version, len(operations), len(entries), refusals, time.monotonic() - start


def judge(validator, recorded, envelope):
    """What openapi-core refuses in a request."""
    request = Request(recorded)
    # The path is matched as it was sent, and its variables are decoded after that.
    found = validator.path_finder.find(request.method, urllib.parse.urljoin(BASE, request.path))
    template = found.path_result.pattern
    if template != envelope["path"]:
        yield f"matched {template}"
        return
    variables = {name: urllib.parse.unquote(value) for name, value in found.path_result.variables.items()}
    request.parameters.path = variables
    for error in validator.iter_errors(request):
        yield reasons(error)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--documents", nargs="+")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--per-operation", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--show", type=int, default=3, help="how many refusals of a document without a reason are shown")
    options = parser.parse_args()
    is_partial = corpus_is_absent() or options.every > 1 or bool(options.documents)
    paths = sorted({name for pattern in options.documents or DOCUMENTS for name in glob.glob(str(ROOT / pattern))})
    paths = [path for path in paths[:: options.every] if "openapi" in load_document(path)]
    if not paths:
        print("openapi-peers: no documents", file=sys.stderr)
        return 2
    accepted = AcceptedRefusals("openapi-core")
    bad = False
    totals = collections.Counter()
    print(f"{'document':<52} {'version':<7} {'operations':>10} {'requests':>8} {'refused':>7} {'accepted':>8} {'seconds':>7}")
    with multiprocessing.Pool(options.jobs) as pool:
        # The largest documents first, so that no process waits for the other at the end.
        paths.sort(key=lambda path: (-pathlib.Path(path).stat().st_size, path))
        work = [(options.binary, path, options.per_operation) for path in paths]
        for path, version, operations, requests, refusals, seconds in pool.imap(check_document, work):
            name = pathlib.Path(path).name
            unknown = [it for it in refusals if not accepted.covers(name, it[0], it[2])]
            known = len(refusals) - len(unknown)
            print(f"{name[:52]:<52} {version:<7} {operations:>10} {requests:>8} {len(unknown):>7} {known:>8} {seconds:>7.1f}")
            for operation, _, reason, request in unknown[: options.show]:
                print(f"    REFUSED {operation}: {reason[:700]}")
                if request:
                    print(f"        {request[:900]}")
            bad |= bool(unknown)
            totals.update(documents=1, operations=operations, requests=requests, refused=len(unknown), accepted=known)
            sys.stdout.flush()
    print(", ".join(f"{count} {what}" for what, count in totals.items()))
    if not is_partial:
        for line in accepted.unused():
            print(f"    UNUSED {line}")
            bad = True
    for reason, count in accepted.counts():
        print(f"    accepted {count:>5}: {reason}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

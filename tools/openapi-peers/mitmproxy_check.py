#!/usr/bin/env python3
"""Records requests with mitmproxy (PyPI) while curl sends them, and measures the recording.

Usage: mitmproxy_check.py BINARY

Starts the server of `har/` and `mitmdump`, sends a known set of requests through the proxy, and exits 1 if `foolproof coverage
measure` does not report the numbers that were sent. Everything is on the loopback interface and ends within a minute.
"""
import argparse, json, os, pathlib, re, signal, subprocess, sys, tempfile, threading

from peers import HERE, ROOT, Server

JSON = ["-H", "Content-Type: application/json"]
# The arguments of curl after the base URL, and whether request and response are valid; without a verdict nothing matches.
REQUESTS = [
    ("/v1/notes?tag=work&tag=home&limit=50", [], (True, True)),
    ("/v1/notes?limit=0", [], (False, True)),
    ("/v1/notes?tag=other", [], (True, True)),
    ("/v1/notes", [*JSON, "-d", '{"text":"Buy milk.","tag":"work"}'], (True, True)),
    ("/v1/notes", [*JSON, "-d", '{"text":"","more":1}'], (False, True)),
    ("/v1/notes/1", ["-H", "X-Trace: on"], (True, True)),
    ("/v1/notes/13", [], (True, False)),
    ("/v1/search", ["-d", "words=a+b%26c&exact=true"], (True, True)),
    ("/v1/search", ["-d", "exact=maybe"], (False, True)),
    ("/v1/nothing", [], None),
    ("/elsewhere?limit=3", [], None),
]

# What no valid request and no valid response has.
MISSED = [
    "enum:#/components/schemas/NewNote/properties/tag:1",
    "enum:#/components/schemas/NewNote/properties/tag:2",
    "enum:#/components/schemas/Note/properties/tag:0",
    "enum:#/components/schemas/Note/properties/tag:2",
    "enum:#/paths/~1notes~1{id}/get/parameters/1/schema:1",
    "bound:#/paths/~1notes/get/parameters/1/schema:minimum",
    "bound:#/components/schemas/NewNote/properties/text:maxLength",
    "bound:#/components/schemas/NewNote/properties/text:minLength",
]


def expected():
    """What the report has to say."""
    verdicts = [verdict for _, _, verdict in REQUESTS if verdict is not None]
    total = len(REQUESTS)
    unmatched = total - len(verdicts)
    invalid = sum(part is False for verdict in verdicts for part in verdict)
    return {
        "notes": [f"{unmatched} of {total} records matched no operation",
                  f"{invalid} of {total} records had a request or response that is not valid"],
        "valid": sum(part for verdict in verdicts for part in verdict),
        "values": 2 * len(verdicts),
        "missed": sorted(MISSED),
    }


class Proxy(Server):
    """mitmdump; the archive is complete when it has ended."""

    def __init__(self, archive, folder):
        command = [str(HERE / "venv/bin/mitmdump"), "--listen-host", "127.0.0.1", "--listen-port", "0", "--flow-detail", "0"]
        command += ["--set", f"hardump={archive}", "--set", f"confdir={folder}/mitmproxy"]
        super().__init__(command, stderr=subprocess.STDOUT, env={**os.environ, "HOME": str(folder)})

    def port(self, seconds=30):
        watchdog = threading.Timer(seconds, self.kill)
        watchdog.start()
        text = ""
        for line in self.process.stdout:
            text += line
            if found := re.search(r"listening at 127\.0\.0\.1:(\d+)", line):
                watchdog.cancel()
                return int(found[1])
        raise RuntimeError(f"mitmdump did not start: {text[-500:]}")

    def stop(self, seconds=20):
        os.killpg(self.process.pid, signal.SIGINT)
        self.process.communicate(timeout=seconds)


def record(archive, folder):
    """Sends the requests and records them."""
    with Server([sys.executable, str(HERE / "har/server.py")]) as server, Proxy(archive, folder) as proxy:
        base, through = f"http://127.0.0.1:{server.port()}", f"http://127.0.0.1:{proxy.port()}"
        for path, arguments, _ in REQUESTS:
            line = ["curl", "-q", "--silent", "--show-error", "--fail-early", "--max-time", "10", "--noproxy", "", "--proxy", through]
            subprocess.run([*line, "--output", "/dev/null", *arguments, base + path], check=True, timeout=20)
        proxy.stop()
        return base


def measure(binary, archive, base, folder):
    """The report on the archive, and what is printed."""
    report = pathlib.Path(folder) / "report.json"
    line = [binary, "coverage", "measure", str(ROOT / "crates/cli/tests/har/notes.yaml"), str(archive), "--base-url", f"{base}/v1"]
    line += ["--allow-invalid", "--coverage-report", str(report)]
    done = subprocess.run(line, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(f"foolproof ended with {done.returncode}: {done.stderr}")
    return json.loads(report.read_text()), done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--keep", help="copy the archive and the report to this folder")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        archive = pathlib.Path(folder) / "traffic.har"
        base = record(archive, folder)
        recorded = len(json.loads(archive.read_text())["log"]["entries"])
        report, text = measure(options.binary, archive, base, folder)
        if options.keep:
            (pathlib.Path(options.keep) / "traffic.har").write_bytes(archive.read_bytes())
            (pathlib.Path(options.keep) / "report.json").write_text(json.dumps(report, indent=1))
            print(text)
    wanted = expected()
    run, missed = report["run"], [it["id"] for it in report["targets"] if it["status"] == "active" and not it["hit"]]
    found = {"notes": report["diagnostics"]["notes"], "valid": run["actualInstances"], "values": run["maxInstances"], "missed": sorted(missed)}
    print(f"mitmproxy recorded {recorded} of {len(REQUESTS)} requests; {found['valid']} requests and responses are valid")
    if found != wanted or recorded != len(REQUESTS):
        print(f"    WRONG: {found}\n    sent:  {wanted}\n{text}")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

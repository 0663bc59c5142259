#!/usr/bin/env python3
"""Starts a server of servers.json, lists its tools, and calls some of them.

  probe.py NAME [--call TOOL JSON]... [--schemas] [--raw] [--era ERA] [--tmp DIR]
  probe.py NAME --smoke [--verbose]
  probe.py --all

Without --call it lists the tools: name, required inputs, other inputs, and whether there is
an output schema. Each --call is made in the order given, in one session, and its raw answer
is printed. `{tmp}` in arguments stands for the session's folder. --smoke makes the entry's calls
of smoke.json, in one session; it says which failed, how many tools succeeded, and which arguments
are neither seed values nor enum members of the tool. --all does so for every entry.
Standard library only.
"""
import argparse
import json
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
STATELESS = "2026-07-28"
HANDSHAKE = "2025-11-25"
CLIENT = {"name": "probe", "version": "1"}


def read(name):
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return json.load(file)


def seeds(entry):
    """The seed values as the tester reads them: `name=VALUE` or VALUE, JSON or else a text."""
    found = []
    for text in entry.get("values", []):
        for part in (text, text.partition("=")[2]):
            try:
                found.append(json.loads(part))
            except ValueError:
                found.append(part)
    return found


def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        return [leaf for item in value for leaf in leaves(item)]
    return [] if value is None or isinstance(value, bool) else [value]


def choices(schema):
    """Every `enum`, `const` and `default` value anywhere in a schema: no seed is needed for these."""
    if isinstance(schema, list):
        return [choice for item in schema for choice in choices(item)]
    if not isinstance(schema, dict):
        return []
    own = list(schema.get("enum", [])) if isinstance(schema.get("enum"), list) else []
    own += [schema[key] for key in ("const", "default") if isinstance(schema.get(key), (str, int, float))]
    return own + choices(list(schema.values()))


def found(value, answers):
    """Replaces a text `{found:KEY}` by the text after KEY in the latest answer that has one."""
    if isinstance(value, str) and value.startswith("{found:"):
        for answer in reversed(answers):
            hit = re.search(r"\\*\"" + value[7:-1] + r"\\*\":\s*\\*\"([^\"\\]+)", answer)
            if hit:
                return hit.group(1)
    if isinstance(value, list):
        return [found(item, answers) for item in value]
    if isinstance(value, dict):
        return {key: found(item, answers) for key, item in value.items()}
    return value


def fill(value, tmp):
    """Replaces {tmp} in every text of a JSON value."""
    if isinstance(value, str):
        return value.replace("{tmp}", tmp)
    if isinstance(value, list):
        return [fill(item, tmp) for item in value]
    if isinstance(value, dict):
        return {key: fill(item, tmp) for key, item in value.items()}
    return value


class Died(Exception):
    pass


class Session:
    def __init__(self, entry, tmp, era=None, raw=False, timeout=60):
        self.entry, self.tmp, self.raw, self.timeout = entry, tmp, raw, timeout
        self.era = era or entry["era"]
        self.version = HANDSHAKE
        self.last_id = 0
        self.noise, self.notifications = [], []
        self.http_session = None
        # Not the whole environment: `get-env` of server-everything prints what it has.
        env = {key: os.environ[key] for key in ("PATH", "HOME", "LANG") if key in os.environ}
        env.update(fill(entry.get("env", {}), tmp))
        self.url = entry.get("url")
        if entry.get("setup"):
            done = subprocess.run(["bash", "-c", fill(entry["setup"], tmp)], cwd=HERE, env=env,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode:
                raise Died(f"setup failed ({done.returncode}): {done.stdout}")
        self.log = open(os.path.join(tmp, "..", os.path.basename(tmp) + ".stderr"), "w+b")
        self.started = time.monotonic()
        # Its own process group, so that whatever it starts ends with it.
        self.process = subprocess.Popen(
            fill(entry["command"], tmp), cwd=HERE, env=env, start_new_session=True,
            stdin=subprocess.DEVNULL if self.url else subprocess.PIPE,
            stdout=self.log if self.url else subprocess.PIPE, stderr=self.log)
        self.lines = queue.Queue()
        if not self.url:
            threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line.decode("utf-8", "replace").rstrip("\r\n"))
        self.lines.put(None)

    def _show(self, direction, message):
        if self.raw:
            text = message if isinstance(message, str) else json.dumps(message, ensure_ascii=False)
            print(direction, text, flush=True)

    def send(self, message):
        self._show("-->", message)
        data = json.dumps(message).encode()
        if self.url:
            return self._post(data, message)
        self.process.stdin.write(data + b"\n")
        self.process.stdin.flush()
        return []

    def _post(self, data, message):
        headers = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        if message.get("method") != "initialize":
            headers["MCP-Protocol-Version"] = self.version
        if self.http_session:
            headers["Mcp-Session-Id"] = self.http_session
        until = time.monotonic() + self.timeout
        while True:
            request = urllib.request.Request(self.url, data, headers)
            try:
                with urllib.request.urlopen(request, timeout=self.timeout) as answer:
                    self.http_session = answer.headers.get("Mcp-Session-Id", self.http_session)
                    body = answer.read().decode()
                    if "text/event-stream" in answer.headers.get("Content-Type", ""):
                        return [line[5:].strip() for line in body.splitlines()
                                if line.startswith("data:") and line[5:].strip()]
                    return [body] if body else []
            except urllib.error.HTTPError as error:
                return [error.read().decode()]
            except (urllib.error.URLError, ConnectionError):
                # Not listening yet.
                if self.process.poll() is not None or time.monotonic() > until:
                    raise Died("no answer from " + self.url) from None
                time.sleep(0.1)

    def request(self, method, params=None):
        self.last_id += 1
        params = dict(params or {})
        if self.era == "stateless":
            params["_meta"] = {
                "io.modelcontextprotocol/protocolVersion": STATELESS,
                "io.modelcontextprotocol/clientInfo": CLIENT,
                "io.modelcontextprotocol/clientCapabilities": {},
            }
        message = {"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}
        for text in self.send(message):
            self.lines.put(text)
        until = time.monotonic() + self.timeout
        while True:
            try:
                line = self.lines.get(timeout=max(0.01, until - time.monotonic()))
            except queue.Empty:
                raise Died(f"no answer to {method} within {self.timeout} s") from None
            if line is None:
                raise Died(f"the server ended its output during {method}, exit {self.process.wait()}")
            try:
                answer = json.loads(line)
                assert isinstance(answer, dict)
            except (ValueError, AssertionError):
                self.noise.append(line)
                self._show("<-- (no JSON)", line)
                continue
            self._show("<--", line)
            if "method" in answer:
                self.notifications.append(answer["method"])
                if "id" in answer:  # A request of the server.
                    reply = {"jsonrpc": "2.0", "id": answer["id"]}
                    if answer["method"] == "ping":
                        reply["result"] = {}
                    else:
                        reply["error"] = {"code": -32601, "message": "not offered"}
                    self.send(reply)
                continue
            if answer.get("id") == self.last_id:
                return answer

    def open(self):
        if self.era == "stateless":
            answer = self.request("server/discover")
        else:
            answer = self.request("initialize", {
                "protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": CLIENT})
            self.version = answer.get("result", {}).get("protocolVersion", HANDSHAKE)
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ready = time.monotonic() - self.started
        return answer

    def tools(self):
        tools, cursor = [], None
        while True:
            answer = self.request("tools/list", {"cursor": cursor} if cursor else {})
            if "result" not in answer:
                raise Died("tools/list: " + json.dumps(answer))
            tools += answer["result"]["tools"]
            cursor = answer["result"].get("nextCursor")
            if not cursor:
                return tools

    def call(self, name, arguments):
        return self.request("tools/call", {"name": name, "arguments": fill(arguments, self.tmp)})

    def close(self):
        """Ends the process group: closed input, then SIGTERM, then SIGKILL."""
        if self.process.stdin:
            try:
                self.process.stdin.close()
            except OSError:
                pass
        for sent in (None, signal.SIGTERM, signal.SIGKILL):
            if sent:
                try:
                    os.killpg(self.process.pid, sent)
                except ProcessLookupError:
                    break
            try:
                self.process.wait(0.2 if sent is None and self.url else 3)
            except subprocess.TimeoutExpired:
                continue
            if sent is None:
                continue  # Grandchildren may live on.
            break
        self.log.seek(0)
        text = self.log.read().decode("utf-8", "replace")
        self.log.close()
        os.unlink(self.log.name)
        return text


def outcome(answer):
    """`ok`, or in which way a call failed, with the first words of the text."""
    if "error" in answer:
        return f"error {answer['error'].get('code')}: {answer['error'].get('message')}"[:300]
    result = answer["result"]
    text = " ".join(part.get("text", "") for part in result.get("content", []))[:300]
    if result.get("isError"):
        return "isError: " + text
    # excel-mcp-server 0.1.8 reports most errors as an ordinary text.
    return "no isError, but: " + text if text.startswith("Error") else "ok"


def describe(tool):
    schema = tool.get("inputSchema", {})
    required = schema.get("required", [])
    others = [name for name in schema.get("properties", {}) if name not in required]
    return (f"{tool['name']}({', '.join(required)}{'; ' if others else ''}{', '.join(others)})"
            + ("  [output schema]" if tool.get("outputSchema") else ""))


def run(entry, options):
    root = tempfile.mkdtemp(prefix="mcp-probe-")
    tmp = options.tmp or os.path.join(root, "tmp")
    os.makedirs(tmp, exist_ok=True)
    session, failed = None, 0
    try:
        session = Session(entry, tmp, options.era, options.raw, options.timeout)
        hello = session.open()
        if "result" not in hello:
            print(entry["name"], "refuses to open:", json.dumps(hello))
            return 1
        result = hello["result"]
        info = result.get("serverInfo") or result.get("_meta", {}).get("io.modelcontextprotocol/serverInfo", {})
        version = result.get("protocolVersion") or result.get("supportedVersions")
        tools = session.tools()
        print(f"{entry['name']}: {info.get('name')} {info.get('version')}, protocol {version}, {session.era}, "
              f"{len(tools)} tools, ready after {session.ready:.2f} s", flush=True)
        if len(tools) != entry.get("tools", len(tools)):
            print(f"  servers.json says {entry['tools']} tools")
            failed += 1
        if options.schemas:
            print(json.dumps(tools, indent=1, ensure_ascii=False))
        elif not options.call and not options.smoke:
            for tool in tools:
                print("  " + describe(tool))
        for name, text in options.call or []:
            answer = session.call(name, json.loads(text))
            if not options.raw:
                print(f"{name} {text}\n  {json.dumps(answer, ensure_ascii=False)}", flush=True)
        if options.smoke:
            good, answers = set(), []
            for name, arguments in read("smoke.json").get(entry["name"], []):
                allowed = seeds(entry) + choices([tool for tool in tools if tool["name"] == name])
                for leaf in leaves(arguments):
                    if leaf not in allowed and not str(leaf).startswith("{found:"):
                        print(f"  {name}: {leaf!r} is no seed value")
                        failed += 1
                began = time.monotonic()
                answer = session.call(name, found(arguments, answers))
                answers.append(json.dumps(answer))
                said = outcome(answer)
                took = time.monotonic() - began
                if said == "ok":
                    good.add(name)
                if said != "ok" or options.verbose:
                    print(f"  {name} {json.dumps(arguments)} ({took:.1f} s): {said}", flush=True)
            out = [tool["name"] for tool in tools if tool["name"] not in good]
            print(f"  {len(good)} of {len(tools)} tools succeeded; not: {', '.join(out) or 'none'}", flush=True)
            if len(good) != entry["tools_that_succeed"]:
                print(f"  servers.json says {entry['tools_that_succeed']}")
                failed += 1
        return failed
    except Died as error:
        print(entry["name"], "FAILED:", error)
        return 1
    finally:
        if session:
            text = session.close()
            if session.noise:
                print(f"  {len(session.noise)} lines on stdout that are no JSON-RPC, first: {session.noise[0][:200]}")
            if session.notifications:
                print("  sent by the server:", ", ".join(sorted(set(session.notifications))))
            if text and (options.verbose or not hasattr(session, "ready")):
                print("  stderr:", text[:2000].rstrip().replace("\n", "\n    "))
        shutil.rmtree(root, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?", help="an entry of servers.json")
    parser.add_argument("--all", action="store_true", help="every entry, with --smoke")
    parser.add_argument("--call", nargs=2, action="append", metavar=("TOOL", "JSON"))
    parser.add_argument("--smoke", action="store_true", help="make the entry's calls of smoke.json")
    parser.add_argument("--schemas", action="store_true", help="print the tools as listed")
    parser.add_argument("--raw", action="store_true", help="print every message")
    parser.add_argument("--verbose", action="store_true", help="print stderr and every smoke call")
    parser.add_argument("--era", choices=["handshake", "stateless"], help="instead of the entry's")
    parser.add_argument("--tmp", help="use and keep this folder as {tmp}")
    parser.add_argument("--timeout", type=float, default=60, help="seconds to wait for an answer")
    options = parser.parse_args()
    listed = read("servers.json")
    if options.all:
        options.smoke = True
        sys.exit(1 if sum(run(entry, options) for entry in listed) else 0)
    for entry in listed:
        if entry["name"] == options.name:
            sys.exit(1 if run(entry, options) else 0)
    parser.error("name one of: " + ", ".join(entry["name"] for entry in listed))


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Runs servers through launchers as people use them, with no option, in the sandbox and without it.

Usage: launchers.py [--binary FILE] [--rounds N] [--most RATIO]

Prints the median of paired ratios of time. Exits 1 if a run in the sandbox lists no tools or calls none, or if a median is
above RATIO. Everything is in a scratch folder, which is removed; packages come from the registries. `uvx` is taken from a
virtual environment there if it is not in the path.
"""
import argparse, json, os, pathlib, shutil, statistics, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parents[2]
MEMORY = "@modelcontextprotocol/server-memory@2026.8.31"

# TypeScript without dependencies: types that Node 20 cannot strip by itself.
SERVER_TS = """import { createInterface } from "node:readline";
type Request = { id?: number; method: string };
const tools: object[] = [{ name: "now", inputSchema: { type: "object" } }];
createInterface({ input: process.stdin }).on("line", (line: string) => {
  const request: Request = JSON.parse(line);
  if (request.id === undefined) return;
  const results: Record<string, object> = {
    initialize: { protocolVersion: "2025-11-25", capabilities: { tools: {} }, serverInfo: { name: "ts", version: "1" } },
    "tools/list": { tools },
    "tools/call": { content: [{ type: "text", text: "ok" as string }] },
  };
  const result = results[request.method];
  const answer = result ? { result } : { error: { code: -32601, message: "unknown" } };
  console.log(JSON.stringify({ jsonrpc: "2.0", id: request.id, ...answer }));
});
"""


def find_uvx(scratch):
    """`uvx`, and the folder that it is in."""
    # A script of pyenv takes longer than the program.
    found = shutil.which("uvx")
    if found and "shims" not in found:
        return found
    subprocess.run([sys.executable, "-m", "venv", scratch / "venv"], check=True)
    subprocess.run([scratch / "venv/bin/pip", "install", "--quiet", "uv"], check=True, stderr=subprocess.DEVNULL)
    return str(scratch / "venv/bin/uvx")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=str(ROOT / "target/debug/foolproof"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--most", type=float, default=1.3)
    options = parser.parse_args()
    scratch = pathlib.Path(tempfile.mkdtemp(prefix="launchers-"))
    bad = False
    try:
        project = scratch / "project"
        project.mkdir()
        (project / "server.ts").write_text(SERVER_TS)
        (project / "package.json").write_text('{"type":"module"}')
        environment = {**os.environ, "FOOLPROOF_CACHE_DIR": str(scratch / "caches")}

        def run(command, no_sandbox):
            line = [options.binary, "mcp", "stdio", "--seed", "1", "--cases", "3", "--lenient", "--json"]
            line += ["--no-sandbox", "--allow-destructive"] if no_sandbox else ["--allow-destructive"]
            start = time.monotonic()
            done = subprocess.run([*line, "--", *command], cwd=project, env=environment, capture_output=True, text=True, timeout=300)
            seconds = time.monotonic() - start
            try:
                return seconds, json.loads(done.stdout), done.stderr
            except json.JSONDecodeError:
                return seconds, {}, done.stderr

        commands = [
            ["npx", "-y", MEMORY],
            ["npx", "-y", "tsx", "server.ts"],
            [find_uvx(scratch), "mcp-server-time"],
        ]
        for command in commands:
            # The first time, packages are downloaded.
            run(command, False)
            pairs = [(run(command, False), run(command, True)) for _ in range(options.rounds)]
            ratio = statistics.median(inside[0] / outside[0] for inside, outside in pairs)
            seconds = statistics.median(inside[0] for inside, _ in pairs)
            name = " ".join([pathlib.Path(command[0]).name, *command[1:]])
            print(f"{name:<60} {seconds:6.1f} s, {ratio:.2f} times without a sandbox")
            for (_, report, errors), _ in pairs:
                calls = sum(tool["calls"] for tool in report.get("tools", []))
                if not report.get("sandbox", {}).get("inForce") or calls == 0:
                    print(f"    WRONG: {calls} calls; {errors.strip()[-500:]}")
                    bad = True
            if ratio > options.most:
                print(f"    WRONG: more than {options.most} times")
                bad = True
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

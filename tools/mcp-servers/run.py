#!/usr/bin/env python3
"""Runs `foolproof mcp` on the pinned servers, one command line each, and prints a table.

Usage: run.py [--binary FILE] [--cases N] [--json DIR] [--print] [NAME...]

`--print` prints the command lines instead. Exits 1 if a run takes longer than 120 s, does not end by itself, leaves a
process behind or gives a tool no verdict; if a released bug is not found with at most 3 calls; and, from 30 cases on, if
fewer tools succeed than `share` says. On a quiet machine a released bug takes less than 60 s; on a busy one it takes more
than a second to start a server, which happens up to fifty times.
"""
import argparse, json, os, pathlib, shlex, subprocess, sys, time

HERE = pathlib.Path(__file__).resolve().parent


def command_line(binary, server, cases, seed):
    """The arguments with which a server is tested."""
    if "url" in server:
        line = [binary, "mcp", "http", server["url"]]
    else:
        line = [binary, "mcp", "stdio"]
        for name, value in server.get("env", {}).items():
            line += ["--env", f"{name}={value}"]
    line += ["--cases", str(cases), "--seed", str(seed), "--json"]
    for path in server.get("allow_write", []):
        line += ["--allow-write", path]
    if server.get("setup"):
        line += ["--reset-command", server["setup"]]
    if server.get("mine_text"):
        line.append("--mine-text")
    if server.get("guided"):
        line.append("--guided")
    if server.get("max_steps"):
        line += ["--max-steps", str(server["max_steps"])]
    if server.get("time"):
        line += ["--time", server["time"]]
    if server.get("allow_destructive"):
        line.append("--allow-destructive")
    for value in server.get("values", []):
        line += ["--value", value]
    for tool in server.get("exclude", {}):
        line += ["--tools", f"!{tool}"]
    if "url" not in server:
        line += ["--", *server["command"]]
    return line


def processes():
    """The processes of servers that are running."""
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True).stdout.splitlines()
    marks = [str(HERE), "node_modules/", "venvs/"]
    own = {str(os.getpid()), str(os.getppid())}
    return {line.strip() for line in listed if any(mark in line for mark in marks) and "run.py" not in line and line.split()[0] not in own}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", default=str(HERE.parent.parent / "target/debug/foolproof"))
    parser.add_argument("--cases", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--print", action="store_true")
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    servers = json.loads((HERE / "servers.json").read_text())
    unknown = set(options.names) - {server["name"] for server in servers}
    if unknown:
        print(f"no such server: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    if options.print:
        for server in servers:
            if not options.names or server["name"] in options.names:
                print(shlex.join(command_line("foolproof", server, options.cases, options.seed)))
        return 0
    bad = False
    print(f"{'server':<24} {'seconds':>8} {'exit':>4} {'tools':>6} {'succeeded':>9}  failures")
    for server in servers:
        if options.names and server["name"] not in options.names:
            continue
        before = processes()
        started = None
        if "url" in server:
            env = {"PATH": os.environ["PATH"], "HOME": os.environ.get("HOME", "/"), **server.get("env", {})}
            started = subprocess.Popen(server["command"], cwd=HERE, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(2)
        start = time.monotonic()
        line = command_line(options.binary, server, options.cases, options.seed)
        try:
            done = subprocess.run(line, cwd=HERE, capture_output=True, text=True, timeout=300)
            code, text, errors = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            code, text, errors = "time", "", ""
        seconds = time.monotonic() - start
        if started:
            started.kill()
            started.wait()
        time.sleep(0.3)
        left = processes() - before
        try:
            report = json.loads(text)
        except json.JSONDecodeError:
            report = {"tools": [], "failures": []}
        if options.json:
            (options.json / f"{server['name']}.json").write_text(text)
        tools = [tool for tool in report["tools"] if tool["verdict"] != "skipped"]
        succeeded = [tool for tool in tools if tool["verdict"] == "succeeded"]
        failures = [f"{failure['tool']}:{failure['code']}({len(failure['steps'])})" for failure in report["failures"]]
        print(f"{server['name']:<24} {seconds:>8.1f} {code!s:>4} {len(tools):>6} {len(succeeded):>9}  {' '.join(failures)}")
        missing = [f"{tool['name']}={tool['verdict']}" for tool in tools if tool["verdict"] != "succeeded"]
        if missing:
            print(f"    not: {' '.join(missing)}")
        if left:
            print(f"    left behind: {left}")
        if code not in (0, 1):
            print("    " + "\n    ".join(errors.strip().splitlines()[-5:]))
        problems = judge(server, report, options.cases)
        most = 120
        if seconds > most:
            problems.append(f"it took longer than {most} s")
        for problem in problems:
            print(f"    WRONG: {problem}")
        bad |= bool(left) or code not in (0, 1) or bool(problems)
    return 1 if bad else 0


def judge(server, report, cases):
    """What is wrong with the report of a server."""
    problems = []
    verdicts = {"succeeded", "only_errors", "never_chosen", "uncallable", "skipped"}
    if not report["tools"]:
        problems.append("no tools were listed")
    problems += [f"{tool['name']} has no verdict" for tool in report["tools"] if tool["verdict"] not in verdicts]
    excluded = set(server.get("exclude", {})) | set(server.get("network", [])) | set(server.get("unreached", {}))
    wanted = [tool for tool in report["tools"] if tool["name"] not in excluded]
    succeeded = [tool for tool in wanted if tool["verdict"] == "succeeded"]
    if cases >= 30 and len(succeeded) < server.get("share", 0) * len(wanted):
        problems.append(f"{len(succeeded)} of {len(wanted)} tools succeeded")
    expected = server.get("failures")
    if expected:
        found = [it for it in report["failures"] if it["code"] in expected["codes"] and 1 <= len(it["steps"]) <= 3]
        if expected["tools"]:
            found = [it for it in found if it["tool"] in expected["tools"]]
        if not found:
            problems.append("the bug of this release was not found with at most 3 calls")
    return problems


if __name__ == "__main__":
    sys.exit(main())

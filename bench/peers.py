"""Runs every contestant on every schema, has the results judged, and prints the table.

Called by `bench/peers`, which installs what this needs. Standard library only. Contestants run one
after the other, never side by side.
"""

import argparse
import json
import os
import pathlib
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PEERS = ROOT / "target" / "peers"
OURS = ROOT / "target" / "release" / "examples" / "peers"
TICKS = os.sysconf("SC_CLK_TCK")

CRATES = [PEERS / "cargo" / "release" / "foolproof-peers"]
NODE = ["node", ROOT / "bench" / "js" / "json_schema_faker.mjs"]
HYPOTHESIS = [PEERS / "venv" / "bin" / "python", ROOT / "bench" / "python" / "hypothesis_peers.py"]

# Name, the step of the installation that it needs, and the command.
TOOLS = [
    ("foolproof", None, [OURS, "make"]),
    ("noson", "crates", [*CRATES, "noson"]),
    ("json_schema_fuzz", "crates", [*CRATES, "json_schema_fuzz"]),
    ("json-schema-faker", "js", [*NODE, "default"]),
    ("json-schema-faker-deep", "js", [*NODE, "50"]),
    ("schemathesis", "python", [*HYPOTHESIS, "schemathesis"]),
    ("schemathesis-engine", "python", [*HYPOTHESIS, "schemathesis-engine"]),
    ("hypothesis-jsonschema", "python", [*HYPOTHESIS, "hypothesis-jsonschema"]),
]

COLUMNS = "{:<22} {:>6} {:>6} {:>10} {:>8} {:>8} {:>10} {:>7} {:>8} {:>8}"


def main():
    options = arguments()
    print(text_of([OURS, "machine"]))
    print(versions())
    print(
        f"each tool: at most {options.most} instances or {options.seconds:g} s of CPU time a schema; "
        "start-up is left out, the runners write to a file\n"
    )
    names = text_of([OURS, "schemas", PEERS / "schemas"]).split()
    for name in names:
        if options.schemas is None or name in options.schemas:
            contest(name, options)
    print(LEGEND)


LEGEND = """\
made, failed   instances written; calls that ended in an error
per CPU-s      instances made for each second of CPU time; `valid/s` is the valid part of them
valid          share that our oracle accepts, formats asserted; unreadable text is not valid
distinct       share of different values among all made, invalid ones included
bytes          of an instance, on average
x limit        CPU time over that of validating and serialising the same instances: a tool that
               checks what it makes cannot go below 1, one that does not may
prepare        CPU time in ms before the first draw, where the tool has such a step
limit          the row shows the instances of foolproof, validated and serialised, and nothing else"""


def arguments():
    parser = argparse.ArgumentParser(prog="bench/peers", description="Compares generators in CPU time.")
    parser.add_argument("--seconds", type=float, default=5.0, help="CPU time for a tool and schema")
    parser.add_argument("--most", type=int, default=10_000, help="instances of a tool and schema")
    names = lambda text: text.split(",")  # noqa: E731
    parser.add_argument("--schemas", type=names, help="only these, separated by commas")
    parser.add_argument("--tools", type=names, help="only these, separated by commas")
    return parser.parse_args()


def text_of(command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


def versions():
    """The versions that are pinned: what runs is what is written there."""
    pinned = []
    for line in (ROOT / "bench/rust/Cargo.toml").read_text().splitlines():
        name, _, version = line.partition(' = "=')
        if name in ("noson", "json_schema_fuzz"):
            pinned.append(name + " " + version.strip('"'))
    packages = json.loads((ROOT / "bench/js/package.json").read_text())["dependencies"]
    pinned += [f"{name} {version}" for name, version in packages.items()]
    for line in (ROOT / "bench/python/requirements.txt").read_text().splitlines():
        if "==" in line:
            pinned.append(line.replace("==", " "))
    return ", ".join(pinned)


def contest(schema, options):
    print(f"schema `{schema}`")
    header = ["tool", "made", "failed", "per CPU-s", "valid", "distinct", "valid/s", "bytes", "x limit", "prepare"]
    print(COLUMNS.format(*header))
    for name, needs, command in TOOLS:
        if options.tools is not None and name not in options.tools:
            continue
        problem = missing(needs)
        if problem:
            print(f"{name:<22} not installed: {problem}", flush=True)
        else:
            show(name, *run(name, command, schema, options))
    print()


def missing(step):
    """Why the tools of an installation step are not there, if so."""
    failed = PEERS / "logs" / f"{step}.failed"
    return short(failed.read_text()) or "see target/peers/logs" if failed.exists() else None


def run(name, command, schema, options):
    """What the runner says of itself, and what the judge says of its instances."""
    schema_file = PEERS / "schemas" / f"{schema}.json"
    out = PEERS / "out" / f"{schema}.{name}.jsonl"
    out.write_text("")
    # One draw may take for ever; the budget is only looked at between draws.
    most_cpu = 3 * options.seconds + 10
    words = [*command, schema_file, out, str(options.seconds), str(options.most)]
    report = supervise([str(word) for word in words], most_cpu)
    if not out.stat().st_size:
        return report, None
    return report, json.loads(text_of([OURS, "judge", schema_file, out]))


def supervise(command, most_cpu):
    """Runs a runner, and ends it when it has used too much CPU time.

    Not by `ulimit -t`: with that limit set, Linux counts the CPU time of a process in ticks of some
    milliseconds, and the runner's own clock becomes as coarse.
    """
    environment = {**os.environ, "PEERS_NODE_MODULES": str(PEERS / "js" / "node_modules")}
    errors, answer = PEERS / "logs" / "runner.log", PEERS / "logs" / "runner.json"
    # To files: a runner whose message is longer than a pipe would wait for ever to be read.
    with errors.open("w") as log, answer.open("w") as output:
        child = subprocess.Popen(command, stdout=output, stderr=log, env=environment)
        while child.poll() is None:
            used = cpu_of(child.pid)
            if used is not None and used > most_cpu:
                child.kill()
                child.wait()
                return {"killed": used}
            time.sleep(0.05)
    try:
        return json.loads(answer.read_text())
    except ValueError:
        lines = errors.read_text(errors="replace").strip().splitlines() or ["no message"]
        return {"refused": f"ended with code {child.returncode}: {lines[-1]}"}


def cpu_of(process):
    """CPU time of a process so far in seconds; None where there is no /proc, or no such process."""
    try:
        fields = pathlib.Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    # `utime` and `stime`, fields 14 and 15 of proc_pid_stat(5); the first two are cut off.
    return (int(fields[11]) + int(fields[12])) / TICKS


def show(name, report, judged):
    if "refused" in report:
        print(f"{name:<22} refused: {short(report['refused'])}", flush=True)
        return
    if "killed" in report:
        made = judged["lines"] if judged else 0
        seconds = report["killed"]
        print(f"{name:<22} ended after {seconds:.0f} s of CPU time; {made} instances were written by then", flush=True)
        return
    made, cpu = report["made"], report["cpu"]
    if judged is None or not made:
        what = f"{report['failed']} failed in {cpu:.1f} s of CPU time"
        print(f"{name:<22} no instance, {what}: {short(report['error'] or 'no reason given')}", flush=True)
        return
    pace = made / cpu
    valid = judged["valid"] / judged["lines"]
    readable = judged["lines"] - judged["unreadable"]
    limit = judged["limit"] / readable if readable else None
    ratio = f"{cpu / made / limit:.2f}" if limit else "-"
    prepare = f"{1000 * report['prepare']:.1f}" if report["prepare"] else "-"
    size = f"{judged['bytes'] / judged['lines']:.0f}"
    shares = [percent(valid), percent(judged["distinct"] / judged["lines"])]
    row = [name, made, report["failed"], f"{pace:.0f}", *shares, f"{pace * valid:.0f}", size, ratio, prepare]
    print(COLUMNS.format(*row), flush=True)
    for remark in remarks(report, judged):
        print(f"{'':<22} {remark}", flush=True)
    if name == "foolproof":
        row = ["limit", made, 0, f"{1 / limit:.0f}", *shares, f"{valid / limit:.0f}", size, "1.00", "-"]
        print(COLUMNS.format(*row), flush=True)


def remarks(report, judged):
    if report["error"]:
        yield f"{report['failed']} failed: {short(report['error'])}" if report["failed"] else short(report["error"])
    if judged["unreadable"]:
        yield f"{judged['unreadable']} lines are no JSON that can be read"


def percent(share):
    # Cut, not rounded: 100 % means all.
    return f"{int(share * 10_000) / 100:.2f}%"


def short(text, most=110):
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"


if __name__ == "__main__":
    main()

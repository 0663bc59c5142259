#!/usr/bin/env python3
"""Records crates/cli/tests/har/chromium.har again: record.py

Needs `chromium` (Debian) at /usr/bin/chromium. `playwright-core` (npm) is installed into a temporary folder. Ports, times and
identifiers are replaced, so that the archive does not depend on the machine.
"""
import json, os, pathlib, re, subprocess, sys, tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from peers import HERE, ROOT, Server

PLAYWRIGHT = "playwright-core@1.65.0"


def scrub(archive, port):
    """The archive without what differs between two recordings."""
    archive = json.loads(json.dumps(archive).replace(f"127.0.0.1:{port}", "127.0.0.1:8080"))
    for page in archive["log"]["pages"]:
        page.update(startedDateTime="1970-01-01T00:00:00.000Z", id="page", pageTimings={})
    for entry in archive["log"]["entries"]:
        entry.update(startedDateTime="1970-01-01T00:00:00.000Z", time=0, pageref="page", timings={"send": 0, "wait": 0, "receive": 0})
        for name in [name for name in entry if name.startswith("_")]:
            del entry[name]
    return archive


def main():
    with tempfile.TemporaryDirectory() as folder, Server([sys.executable, str(HERE / "har/server.py")]) as server:
        subprocess.run(["npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--silent", PLAYWRIGHT], check=True, timeout=300)
        port, out = server.port(), pathlib.Path(folder) / "chromium.har"
        environment = {**os.environ, "NODE_PATH": f"{folder}/node_modules"}
        subprocess.run(["node", str(HERE / "har/record.js"), str(port), str(out)], check=True, timeout=120, env=environment)
        archive = scrub(json.loads(out.read_text()), port)
    text = re.sub(r"\n {8,}\s*", " ", json.dumps(archive, indent=2, ensure_ascii=False))
    (ROOT / "crates/cli/tests/har/chromium.har").write_text(text + "\n")


if __name__ == "__main__":
    sys.exit(main())

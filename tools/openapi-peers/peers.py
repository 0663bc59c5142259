"""What the checks have in common."""
import collections, fnmatch, os, pathlib, signal, subprocess, sys, threading

import yaml

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
METHODS = ["get", "put", "post", "delete", "options", "head", "patch", "trace", "query"]


class Loader(yaml.CSafeLoader):
    """Dates are strings, as in JSON."""


Loader.yaml_implicit_resolvers = {
    first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.CSafeLoader.yaml_implicit_resolvers.items()
}


def corpus_is_absent():
    """Whether the documents of the corpus are not there; an error where nothing may be absent."""
    if (ROOT / "../shared/corpus/openapi").is_dir():
        return False
    if os.environ.get("FOOLPROOF_REQUIRE_ALL") == "1":
        sys.exit("openapi-peers: ../shared/corpus is absent")
    print("../shared/corpus is absent: only the documents of this repository are used")
    return True


def load_document(path):
    """A document in JSON or YAML, with keys that are strings."""
    return string_keys(yaml.load(pathlib.Path(path).read_text(), Loader=Loader))


def string_keys(value):
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(key): string_keys(it) for key, it in value.items()}
    return [string_keys(it) for it in value] if isinstance(value, list) else value


def operations_of(document):
    """The operations of a document as `METHOD path`."""
    paths = document.get("paths", {})
    items = [(path, item) for path, item in paths.items() if path.startswith("/")]
    usual = [f"{method.upper()} {path}" for path, item in items for method in item if method in METHODS]
    return usual + [f"{method} {path}" for path, item in items for method in item.get("additionalOperations", {})]


def run_foolproof(binary, arguments, timeout=120):
    """Standard output of `foolproof`, and what it complains about if it does not succeed."""
    done = subprocess.run([binary, *arguments], capture_output=True, text=True, timeout=timeout)
    problem = "" if done.returncode == 0 else f"exit code {done.returncode}: {done.stderr.strip()}"
    return done.stdout, problem


class AcceptedRefusals:
    """The lines of `accepted-refusals.txt` of one tool.

    A line is `tool | document | operation | part of the message | reason`; `*` and `?` stand for any text.
    """

    def __init__(self, tool):
        self.lines = []
        for number, line in enumerate((HERE / "accepted-refusals.txt").read_text().splitlines(), 1):
            if not line.strip() or line.startswith("#"):
                continue
            fields = [field.strip() for field in line.split(" | ")]
            if len(fields) != 5 or not all(fields):
                sys.exit(f"accepted-refusals.txt:{number}: a line is `tool | document | operation | message | reason`")
            if fields[0] == tool:
                self.lines.append(fields)
        self.uses = [0] * len(self.lines)

    def covers(self, document, operation, message):
        """Whether a line says why this is refused."""
        for index, (_, documents, operations, messages, _) in enumerate(self.lines):
            texts = [(document, documents), (operation, operations), (message, f"*{messages}*")]
            if all(matches(text, pattern) for text, pattern in texts):
                self.uses[index] += 1
                return True
        return False

    def unused(self):
        return [" | ".join(line) for line, uses in zip(self.lines, self.uses) if uses == 0]

    def counts(self):
        counts = collections.Counter()
        for line, uses in zip(self.lines, self.uses):
            counts[line[4]] += uses
        return [(reason, count) for reason, count in counts.most_common() if count]


def matches(text, pattern):
    """Whether `text` is like `pattern`; only `*` and `?` are special."""
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


class Server:
    """A process of its own group that prints its port first, and is ended with everything that it started."""

    def __init__(self, command, **options):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, start_new_session=True, **options
        )

    def __enter__(self):
        return self

    def port(self, seconds=30):
        """The port that the process prints."""
        watchdog = threading.Timer(seconds, self.kill)
        watchdog.start()
        line = self.process.stdout.readline()
        watchdog.cancel()
        if not line.strip().isdigit():
            raise RuntimeError(f"{self.process.args[0]} did not start within {seconds} s")
        return int(line)

    def kill(self):
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass

    def __exit__(self, *_):
        self.kill()
        self.process.wait()


def send_line(line, folder, seconds=20):
    """Runs a line of `--as curl` as it is and returns the status and the body of the response."""
    # Options that do not change the request are not in the line but where curl looks for them.
    (pathlib.Path(folder) / ".curlrc").write_text('silent\nshow-error\nnoproxy = "*"\nmax-time = 10\nwrite-out = "\\n%{http_code}"\n')
    environment = {"PATH": os.environ["PATH"], "CURL_HOME": str(folder), "HOME": str(folder)}
    done = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=seconds, env=environment)
    body, _, status = done.stdout.rpartition("\n")
    return int(status or 0), body + done.stderr

"""Runs the generators that are built on Hypothesis.

`python hypothesis_peers.py PEER SCHEMA OUT SECONDS MOST`; the contract of every runner is in
`bench/README.md`. PEER is

- `hypothesis-jsonschema`: `from_schema`, its one public function;
- `schemathesis`: the strategy of an operation whose request body is the schema, as a user of its
  public API gets it;
- `schemathesis-engine`: the schema engine inside it, without the rest of a request.

Instances are drawn as a test would draw them, by `@given`, with everything off that a test needs and
data does not: no database, no shrinking, no health checks, no deadline.
"""

import io
import json
import sys
import time
import warnings

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import HypothesisException


class Enough(KeyboardInterrupt):
    """Ends a run; Hypothesis takes any ordinary exception for a failed test and replays it."""


def from_hypothesis_jsonschema(schema):
    from hypothesis_jsonschema import from_schema

    return from_schema(schema)


def from_schemathesis(schema):
    import schemathesis

    def in_components(node):
        """References as they are in an OpenAPI document."""
        if isinstance(node, dict):
            return {
                key: value.replace("#/$defs/", "#/components/schemas/")
                if key == "$ref" and isinstance(value, str)
                else in_components(value)
                for key, value in node.items()
            }
        return [in_components(item) for item in node] if isinstance(node, list) else node

    definitions = in_components(schema.get("$defs", {}))
    root = in_components({k: v for k, v in schema.items() if k not in ("$defs", "$schema")})
    document = {
        "openapi": "3.1.0",
        "info": {"title": "peer", "version": "1"},
        "paths": {
            "/instances": {
                "post": {
                    "requestBody": {
                        "required": True,
                        "content": {"application/json": {"schema": root}},
                    },
                    "responses": {"200": {"description": "fine"}},
                }
            }
        },
        "components": {"schemas": definitions},
    }
    operation = schemathesis.openapi.from_dict(document)["/instances"]["POST"]
    return operation.as_strategy().map(lambda case: case.body)


def from_schemathesis_engine(schema):
    import jsonschema_rs
    from schemathesis.generation.jsonschema.builder import build
    from schemathesis.specs.openapi import formats

    known = {**formats.get_default_format_strategies(), **formats.STRING_FORMATS}
    return build(
        schema,
        draft=jsonschema_rs.Draft202012,
        formats=known,
        format_lengths=formats.format_lengths_for(known),
        whole_floats=True,
    )


PEERS = {
    "hypothesis-jsonschema": from_hypothesis_jsonschema,
    "schemathesis": from_schemathesis,
    "schemathesis-engine": from_schemathesis_engine,
}


def draw(strategy, out, seconds, most):
    """Writes instances until the budget or the number is used up; returns how many and how long."""
    made = 0
    start = time.process_time()

    @seed(1)
    @settings(
        max_examples=most,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        deadline=None,
    )
    @given(strategy)
    def take(value):
        nonlocal made
        out.write(json.dumps(value, separators=(",", ":")) + "\n")
        made += 1
        if made >= most or time.process_time() - start >= seconds:
            raise Enough

    error = None
    try:
        take()
        # It ends by itself only when it believes to have seen everything, or nothing passes.
        error = f"Hypothesis ended the run after {made} instances"
    except Enough:
        pass
    except (HypothesisException, Exception) as problem:
        error = f"{type(problem).__name__}: {problem}"
    return made, time.process_time() - start, error


def main():
    warnings.simplefilter("ignore")
    peer, schema_file, out_file, seconds, most = sys.argv[1:]
    with open(schema_file, encoding="utf-8") as file:
        schema = json.load(file)
    # Imports, and what is set up once for a process, are start-up.
    draw(PEERS[peer]({"type": "boolean"}), io.StringIO(), 1, 5)
    start = time.process_time()
    try:
        strategy = PEERS[peer](schema)
        strategy.validate()
    except Exception as problem:
        print(json.dumps({"refused": f"{type(problem).__name__}: {problem}"}))
        return
    prepare = time.process_time() - start
    with open(out_file, "w", encoding="utf-8") as out:
        made, cpu, error = draw(strategy, out, float(seconds), int(most))
    print(
        json.dumps(
            {"made": made, "failed": 0, "cpu": cpu, "prepare": prepare, "error": error}
        )
    )


if __name__ == "__main__":
    main()

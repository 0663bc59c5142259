# The habits of the house. `just` alone lists them.

default:
    @just --list

# Format, lints, docs.
check:
    cargo fmt --all --check
    cargo clippy --workspace --all-targets --all-features -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --all-features --quiet

# The packages of the second oracle.
packages:
    npm ci --prefix tools/ajv --no-audit --no-fund --silent

# Every test, doc tests included.
test: packages
    cargo test --workspace

# Update the recorded sessions of the command line.
snap:
    TRYCMD=overwrite cargo test --package foolproof-cli --test cmd

# What the contract crate makes of the corpus.
corpus *ARGS:
    cargo xtask corpus {{ARGS}}

# What guided runs cover of the corpus, beside chance.
guide *ARGS:
    cargo xtask guide {{ARGS}}

# The laws of coverage on every schema of the corpus.
laws *ARGS:
    cargo xtask laws {{ARGS}}

# What guided runs cover of OpenAPI documents.
apis *ARGS:
    cargo xtask apis {{ARGS}}

# What guided runs of wide schemas and of large API descriptions cost.
scale *ARGS:
    cargo xtask scale {{ARGS}}

# Our oracle against AJV on the whole corpus.
oracles: packages
    cargo run --release --quiet --package foolproof-contract --example compare_oracles -- ../shared/corpus

# Mutants of real contracts against the command line tool: `just fuzz --seconds 600 --seed 7`.
fuzz *ARGS:
    cargo build --release --package foolproof-cli
    cargo xtask fuzz {{ARGS}}

# The laws of every part that reads what strangers write, on many inputs: `just fuzz-targets --seed 7 --runs 5000 text`.
fuzz-targets *ARGS:
    cargo build --release --package xtask
    target/release/xtask fuzz-targets {{ARGS}}

# Whether the dependencies are what deny.toml allows.
deny:
    tools/deny

# What CI runs.
ci:
    bash .ci/run

# What each stage costs, and whether the promises on speed, variety and memory hold.
bench *ARGS:
    cargo bench --package foolproof-generate --bench stages
    cargo bench --package foolproof-generate --bench limit -- {{ARGS}}
    cargo bench --package foolproof-coverage --bench cost
    cargo bench --package foolproof-coverage --bench api
    cargo bench --package foolproof-stateful --bench overhead
    cargo build --release --locked --quiet --manifest-path bench/mcp/Cargo.toml --target-dir target/peers/mcp
    target/peers/mcp/release/foolproof-mcp-bench

# Instructions of each stage, compared with those recorded: `just instructions --write` records them.
instructions *ARGS:
    bench/instructions {{ARGS}}

# Time and memory of `inspect` on large contracts: `just reading --all`.
reading *ARGS:
    cargo build --release --package foolproof-cli
    bench/reading {{ARGS}}

# The manual as a book in `target/book`; it needs mdBook.
book:
    mdbook build docs

# The release binary and its size.
release:
    cargo build --release --locked --package foolproof-cli
    ls -l target/release/foolproof

# Us, other generators and the limit side by side.
peers *ARGS:
    bash bench/peers {{ARGS}}

# How small failing sequences get: us, proptest-state-machine and hegeltest on the same bugs.
shrinking *ARGS:
    cargo run --release --locked --quiet --manifest-path bench/shrinking/Cargo.toml --target-dir target/peers/shrinking -- {{ARGS}}

# Tests the pinned MCP servers: `just mcp-servers --cases 30 memory`.
mcp-servers *ARGS:
    bash tools/mcp-servers/install
    cargo build --package foolproof-cli
    python3 tools/mcp-servers/run.py {{ARGS}}

# Requests and traffic of OpenAPI documents, judged by tools that others wrote.
openapi-peers:
    bash tools/openapi-peers/install
    cargo build --package foolproof-cli
    bash tools/openapi-peers/run

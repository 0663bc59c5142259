//! Servers that misbehave in every way that is known, each tested by the command, with a census of processes and files
//! after each: the command ends by itself, in bounded time and memory, says what is wrong, and leaves nothing.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

mod authority;
mod ends;
mod http;
mod http_server;
mod machine;
mod stdio;

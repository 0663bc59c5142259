//! Laws of messages of MCP servers, one a line.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    foolproof_fuzz_targets::messages(data);
});

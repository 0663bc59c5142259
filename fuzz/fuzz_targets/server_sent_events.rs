//! Laws of streams of server-sent events.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    foolproof_fuzz_targets::server_sent_events(data);
});

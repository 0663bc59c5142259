//! Laws of files that repeat a failure.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    foolproof_fuzz_targets::repro(data);
});

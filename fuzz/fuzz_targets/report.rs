//! Laws of reports as files.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    foolproof_fuzz_targets::report(data);
});

//! Laws of texts of contracts.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    foolproof_fuzz_targets::text(data);
});

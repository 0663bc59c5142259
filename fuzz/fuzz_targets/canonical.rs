//! Laws of canonical forms.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    foolproof_fuzz_targets::canonical(data);
});

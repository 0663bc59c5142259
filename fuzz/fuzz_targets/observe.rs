//! Laws of observing which targets values hit.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    foolproof_fuzz_targets::observe(data);
});

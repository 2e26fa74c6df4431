#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| fracas_fuzz::snapshot(data));

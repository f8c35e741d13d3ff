#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| skincheck_fuzz::read("md5", "model.md5mesh", bytes));

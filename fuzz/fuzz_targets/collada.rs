#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| skincheck_fuzz::read("collada", "model.dae", bytes));

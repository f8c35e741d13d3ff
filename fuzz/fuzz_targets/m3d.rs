#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| skincheck_fuzz::read("m3d", "model.m3d", bytes));

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| skincheck_fuzz::read("iqm", "model.iqm", bytes));

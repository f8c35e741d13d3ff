//! Laws: properties that hold for any input, and that planted faults break.
//!
//! A law is a function of the implementation under test. The suite runs it on the real one, which must pass, and on one
//! with a known fault, which must not: a law that no fault breaks proves nothing.

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};

/// Whether the law held for all inputs, or an input that breaks it.
pub type Verdict<T> = Result<(), Box<TestError<T>>>;

/// Tests `law` on inputs of `strategy`, the same in every run.
pub fn check<S: Strategy>(
    strategy: &S,
    law: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> Verdict<S::Value> {
    let config = Config {
        failure_persistence: None,
        max_shrink_iters: 64,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    TestRunner::new_with_rng(config, rng)
        .run(strategy, law)
        .map_err(Box::new)
}

/// As [`check`], with the breaking input in words.
pub fn holds<S: Strategy>(
    strategy: &S,
    law: impl Fn(S::Value) -> Result<(), TestCaseError>,
) -> Result<(), String> {
    check(strategy, law).map_err(|error| error.to_string())
}

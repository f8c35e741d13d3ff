//! How similar two names are, for suggestions.

/// Bytes of the longest name that is compared. Nobody types a longer one, and the cost grows with the product of both
/// lengths.
const LONGEST: usize = 256;

/// The Jaro-Winkler similarity of `a` and `b` without regard to case: from 0 to 1, and 0 for a name that is empty or longer
/// than 256 bytes.
#[must_use]
pub(crate) fn likeness(a: &str, b: &str) -> f64 {
    if [a, b]
        .iter()
        .all(|name| (1..=LONGEST).contains(&name.len()))
    {
        strsim::jaro_winkler(&a.to_lowercase(), &b.to_lowercase())
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn case_does_not_matter_and_a_slip_of_the_finger_little() {
        assert!(likeness("LeftHand", "lefthand") > 0.999);
        assert!(likeness("Lefthnad", "LeftHand") > 0.9);
        assert!(likeness("", "LeftHand") < f64::EPSILON);
    }

    #[test]
    fn names_of_any_length_are_compared_in_no_time() {
        let name = |end: &str| "n".repeat(1 << 20) + end;
        let started = Instant::now();
        assert!(likeness(&name("a"), &name("b")) < f64::EPSILON);
        assert!(started.elapsed() < Duration::from_secs(1));
    }
}

//! Suggestions for unknown words.

use crate::likeness::likeness;

/// The least similarity (0 to 1, Jaro-Winkler) of a suggestion: one wrong, missing or additional letter in a short
/// word.
const ALIKE: f64 = 0.8;

/// The most similar of `candidates` to `wanted`, if similar enough.
#[must_use]
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let rated = candidates.into_iter();
    let rated = rated.map(|candidate| (likeness(wanted, candidate), candidate));
    let best = rated.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (best.0 >= ALIKE).then_some(best.1)
}

/// The end of a message that suggests `nearest`; empty without a suggestion.
#[must_use]
pub fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!(" (did you mean \"{nearest}\"?)")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_finger_is_recognised_and_a_stranger_is_not() {
        let keys = ["select", "ignore", "deny-warnings"];
        assert_eq!(nearest("slect", keys), Some("select"));
        assert_eq!(nearest("Deny_Warnings", keys), Some("deny-warnings"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("select", []), None);
    }
}

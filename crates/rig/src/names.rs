//! Names that users type: patterns, and suggestions for unknown ones.

/// Bytes of the longest name that is compared. Nobody types a longer one, and the cost grows with the product of both
/// lengths.
const LONGEST: usize = 256;

/// The least similarity of a suggestion: one wrong, missing or additional letter in a short word.
const ALIKE: f64 = 0.8;

/// The Jaro-Winkler similarity of `a` and `b` without regard to case: from 0 to 1, and 0 for a name that is empty or longer
/// than 256 bytes.
#[must_use]
pub fn likeness(a: &str, b: &str) -> f64 {
    if [a, b]
        .iter()
        .all(|name| (1..=LONGEST).contains(&name.len()))
    {
        strsim::jaro_winkler(&a.to_lowercase(), &b.to_lowercase())
    } else {
        0.0
    }
}

/// The most similar of `names` to `wanted`, if similar enough. Namespaces do not count.
#[must_use]
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let rated = names
        .into_iter()
        .map(|name| (likeness(bare(wanted), bare(name)), name));
    let best = rated.reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (best.0 >= ALIKE).then_some(best.1)
}

/// A name without a prefix such as `mixamorig:` or `Armature|`.
#[must_use]
pub fn bare(name: &str) -> &str {
    let end = name.rfind([':', '|']).map_or(0, |colon| colon + 1);
    match &name[end..] {
        "" => name,
        bare => bare,
    }
}

/// Whether `wanted` is `name`, or `name` without a prefix, in any case.
#[must_use]
pub fn is_same(wanted: &str, name: &str) -> bool {
    let wanted = wanted.to_lowercase();
    [name, bare(name)]
        .iter()
        .any(|own| own.to_lowercase() == wanted)
}

/// Whether `pattern` [`matches`] `name`, or `name` without a prefix.
#[must_use]
pub fn fits(pattern: &str, name: &str) -> bool {
    matches(pattern, name) || matches(pattern, bare(name))
}

/// The end of a message that suggests `nearest`; empty without a suggestion.
#[must_use]
pub fn hint(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |nearest| {
        format!(" (did you mean \"{nearest}\"?)")
    })
}

/// Whether all of `name` matches `pattern`, in which `*` matches any characters or none, and `?` any one character.
///
/// Greedy matching with backtracking to the last star only: if the text after it does not match, the star covers one
/// more character. Earlier stars need no retry, because the last one can cover whatever they would. Takes at most quadratic
/// time.
#[must_use]
pub fn matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    let (mut at, mut next) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while at < name.len() {
        match (pattern.get(next), star) {
            (Some('*'), _) => {
                star = Some((next, at));
                next += 1;
            }
            (Some(letter), _) if *letter == '?' || *letter == name[at] => {
                at += 1;
                next += 1;
            }
            (_, Some((before, covered))) => {
                star = Some((before, covered + 1));
                (at, next) = (covered + 1, before + 1);
            }
            (_, None) => return false,
        }
    }
    pattern[next..].iter().all(|letter| *letter == '*')
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

    #[test]
    fn the_name_that_was_meant_is_suggested_and_a_stranger_is_not() {
        let keys = ["select", "ignore", "deny-warnings"];
        assert_eq!(nearest("slect", keys), Some("select"));
        assert_eq!(nearest("Deny_Warnings", keys), Some("deny-warnings"));
        assert_eq!(nearest("colour", keys), None);
        assert_eq!(nearest("select", []), None);
        let joints = ["mixamorig:Hips", "LeftArm", "RightArm", "Head"];
        for (wanted, expected) in [
            ("Hips", Some("mixamorig:Hips")),
            ("left_arm", Some("LeftArm")),
            ("Haed", Some("Head")),
            ("Tail", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, joints), expected, "{wanted}");
        }
    }

    #[test]
    fn a_star_matches_anything_and_a_question_mark_one_character() {
        for (pattern, name) in [
            ("Walk*", "Walk"),
            ("Walk*", "WalkFast"),
            ("*", ""),
            ("*_loop", "a_loop"),
            ("a*b*c", "a12b3c"),
            ("a*b*c", "abcbc"),
            ("*b*", "abc"),
            ("a**", "a"),
            ("*é*", "aéb"),
            ("a?b", "aéb"),
        ] {
            assert!(matches(pattern, name), "{pattern} {name}");
        }
        for (pattern, name) in [
            ("Walk*", "walk"),
            ("Walk", "WalkFast"),
            ("a*b", "abc"),
            ("ab*ba", "aba"),
            ("*b*b*", "abc"),
            ("a?b", "ab"),
        ] {
            assert!(!matches(pattern, name), "{pattern} {name}");
        }
    }

    #[test]
    fn a_prefix_may_be_left_out() {
        for (pattern, name) in [("Walk*", "Armature|WalkFast"), ("rig:Hips", "rig:Hips")] {
            assert!(fits(pattern, name), "{pattern} {name}");
        }
        assert!(!fits("hips", "rig:Hips") && is_same("hips", "rig:Hips"));
        assert!(!is_same("rig:Hips", "Hips"));
    }

    #[test]
    fn a_long_name_is_matched_at_once() {
        let name = "Walk".repeat(100_000);
        assert!(!matches("*a*l*k*Walk*Loop*", &name));
        assert!(matches(&"*a".repeat(1000), &"a".repeat(1000)));
    }
}

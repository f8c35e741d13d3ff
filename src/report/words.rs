//! Words that several formats use.

use crate::lint::{Code, Described, Finding, Level, RuleMeta, find_rule};
use crate::shown::printable;
use crate::units::{Seconds, counted};

/// The pseudo-code of files that cannot be read.
pub(super) const UNREADABLE: &str = "unreadable";

/// The description of a rule; `None` for an unknown code.
pub(super) fn rule(code: Code) -> Option<&'static RuleMeta> {
    find_rule(code.0).map(Described::meta)
}

/// The rule's name, such as `weights-not-normalized`.
pub(super) fn rule_name(code: Code) -> &'static str {
    rule(code).map_or("", |meta| meta.name)
}

/// `W103 weights-not-normalized`.
pub(super) fn rule_title(code: Code) -> String {
    format!("{code} {}", rule_name(code)).trim_end().to_owned()
}

/// The location, the message and the count: `mesh "Body" vertex 1841: weights sum to 0.9, not to 1 (and 12 more
/// vertices)`.
pub(super) fn sentence(finding: &Finding) -> String {
    let more = match finding.count.saturating_sub(1) {
        _ if finding.tells_all => String::new(),
        0 => String::new(),
        more => format!(" (and {more} more {})", counted(finding.counted, more)),
    };
    let message = printable(&finding.message);
    format!("{}: {message}{more}", finding.location)
}

/// The fix for a finding, such as `Normalize the weights of each vertex`.
pub(super) fn fix(code: Code) -> String {
    rule(code).map_or_else(String::new, RuleMeta::fix)
}

/// The levels, most severe first, as reports sort them.
pub(super) const LEVELS: [Level; 3] = [Level::Error, Level::Warning, Level::Info];

/// A time, to the microsecond, without trailing zeros.
#[must_use]
pub fn seconds(time: Seconds) -> String {
    let text = format!("{:.6}", time.get() + 0.0);
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{} s", if text == "-0" { "0" } else { text })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Location;

    #[test]
    fn every_rule_says_in_a_sentence_what_to_do_in_any_tool() {
        for rule in crate::lint::rules() {
            let fix = rule.meta().fix();
            let length = fix.chars().count();
            let is_plain = (10..=120).contains(&length) && !fix.contains([':', ';', '(']);
            assert!(is_plain, "{}: {fix:?}", rule.meta().code);
        }
        assert_eq!(fix(Code("W103")), "Normalize the weights of each vertex");
    }

    #[test]
    fn counted_facts_are_reported_once() {
        let finding = |tells_all| Finding {
            code: Code("H305"),
            level: Level::Info,
            location: Location::joint("j1"),
            origin: None,
            message: "unused; also \"j2\" and 4 more".to_owned(),
            count: 6,
            counted: "joint",
            tells_all,
            value: None,
            limit: None,
            accepted: None,
        };
        let reported = "joint \"j1\": unused; also \"j2\" and 4 more";
        assert_eq!(sentence(&finding(true)), reported);
        assert_eq!(
            sentence(&finding(false)),
            format!("{reported} (and 5 more joints)")
        );
    }
}

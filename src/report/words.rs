//! Words that several formats use.

use crate::finding::{Cause, Code, Finding, Level};
use crate::lint::{Described, RuleMeta, find_rule};
use crate::shown::printable;
use crate::units::{Seconds, counted, first_few, without_trailing_zeros};

/// The pseudo-code of files that cannot be read.
pub(super) const UNREADABLE: &str = "unreadable";

/// The description of a rule; `None` for an unknown code.
pub(super) fn rule(code: Code) -> Option<&'static RuleMeta> {
    find_rule(code.0).map(Described::meta)
}

/// The rule's name, such as `weights-not-normalized`; other codes are their own names.
pub(super) fn name(code: Code) -> &'static str {
    rule(code).map_or(code.0, |meta| meta.name)
}

/// `W103 weights-not-normalized`, or `bind-pose`.
pub(super) fn title(code: Code) -> String {
    rule(code).map_or_else(|| code.to_string(), |meta| format!("{code} {}", meta.name))
}

/// The most clips of a finding that are named.
const MOST_CLIPS: usize = 3;

/// `clip "Walk"`, or `clips "Walk", "Run", "Idle" and 12 more`; empty for a finding that does not concern a clip.
pub(super) fn clips(finding: &Finding) -> String {
    let named: Vec<&str> = finding.clips().map(|(name, _)| name).collect();
    let quoted = named.iter().map(|clip| format!("\"{}\"", printable(clip)));
    let quoted = first_few(quoted, MOST_CLIPS);
    match named.len() {
        0 => String::new(),
        1 => format!("clip {quoted}"),
        _ => format!("clips {quoted}"),
    }
}

/// A [`fact`], with the code of the finding that explains it, if any.
pub(super) fn sentence(finding: &Finding) -> String {
    let fact = fact(finding);
    match &finding.cause {
        Some(Cause::Finding { code, .. }) => format!("{fact}; follows from {code}"),
        _ => fact,
    }
}

/// The location, the message and the count of a rule's finding: `mesh "Body" vertex 1841: weights sum to 0.9, not to 1
/// (and 12 more vertices)`. Other messages name their subject, so only clips are added: `clip "Walk": throughout …`.
pub(super) fn fact(finding: &Finding) -> String {
    if rule(finding.code).is_none() {
        let (clips, message) = (clips(finding), printable(&finding.message));
        return if clips.is_empty() || message.contains(&clips) {
            message
        } else {
            format!("{clips}: {message}")
        };
    }
    let more = match finding.count.saturating_sub(1) {
        _ if finding.covers_all => String::new(),
        0 => String::new(),
        more => format!(" (and {more} more {})", counted(&finding.counted, more)),
    };
    let message = printable(&finding.message);
    format!("{}: {message}{more}", finding.location)
}

/// The fix for a rule's finding, such as `Normalize the weights of each vertex`.
pub(super) fn fix(code: Code) -> Option<String> {
    rule(code).map(RuleMeta::fix)
}

/// The levels, most severe first, as reports sort them.
pub(super) const LEVELS: [Level; 3] = [Level::Error, Level::Warning, Level::Info];

/// A time, to the microsecond, without trailing zeros.
#[must_use]
pub fn seconds(time: Seconds) -> String {
    let text = format!("{:.6}", time.get());
    format!("{} s", without_trailing_zeros(&text))
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
        let expected = "Normalize the weights of each vertex";
        assert_eq!(fix(Code("W103")).as_deref(), Some(expected));
    }

    #[test]
    fn counted_facts_are_reported_once() {
        let finding = |covers_all| Finding {
            count: 6,
            counted: "joint".into(),
            covers_all,
            ..Finding::new(
                Code("H305"),
                Level::Info,
                Location::joint("j1"),
                "unused; also \"j2\" and 4 more",
            )
        };
        let reported = "joint \"j1\": unused; also \"j2\" and 4 more";
        assert_eq!(sentence(&finding(true)), reported);
        assert_eq!(
            sentence(&finding(false)),
            format!("{reported} (and 5 more joints)")
        );
    }
}

//! Words that several formats use, and everything that a finding concerns, in words.

use std::collections::BTreeSet;
use std::fmt::{Display, Write};
use std::iter;
use std::path::Path;

use super::format::View;
use crate::finding::{Affected, Cause, Code, Finding};
use crate::lint::{Described, RuleMeta, find_rule};
use crate::rig::{Location, PoseName};
use crate::shown::{self, printable};
use crate::units::{self, Seconds, amount, counted, first_few, seconds};

/// The pseudo-code of files that cannot be read.
pub(super) const UNREADABLE: &str = "unreadable";

/// `12,345`.
pub(super) fn thousands(count: usize) -> String {
    let digits = count.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

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
    match finding.cause.as_ref().and_then(Cause::code) {
        Some(code) => format!("{fact}; follows from {code}"),
        None => fact,
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
    let more = others(finding).map_or_else(String::new, |others| format!(" ({others})"));
    let message = printable(&finding.message);
    format!("{}: {message}{more}", finding.location)
}

/// The location of a finding without its influences, and in how many more places it is.
pub(super) fn place(finding: &Finding) -> String {
    let place = finding.location.without_influences();
    match others(finding) {
        Some(others) => format!("{place}, {others}"),
        None => place.to_string(),
    }
}

/// Where a finding is, the influences there, and the code that explains it: a line each.
pub(super) fn places(finding: &Finding) -> Vec<String> {
    let place = (finding.location != Location::FILE).then(|| place(finding));
    let influences = Some(finding.location.influences()).filter(|text| !text.is_empty());
    let cause = finding.cause.as_ref().and_then(Cause::code);
    let cause = cause.map(|code| format!("follows from {code}"));
    [place, influences, cause].into_iter().flatten().collect()
}

/// `and 12 more vertices`, unless the message covers all of them; `13 vertices` of a place that is no vertex.
pub(super) fn others(finding: &Finding) -> Option<String> {
    let more = finding.count.saturating_sub(1);
    let is_told = finding.covers_all || more == 0;
    let is_first_named = finding.location.vertex.is_some() || !finding.counted.starts_with("vert");
    let others = || {
        if is_first_named {
            format!("and {more} more {}", counted(&finding.counted, more))
        } else {
            format!(
                "{} {}",
                finding.count,
                counted(&finding.counted, finding.count)
            )
        }
    };
    (!is_told).then(others)
}

/// The fix for a rule's finding, such as `Normalize the weights of each vertex`.
pub(super) fn fix(code: Code) -> Option<String> {
    rule(code).map(RuleMeta::fix)
}

/// The counts that are not 0, such as `2 errors`.
pub(super) fn amounts<'a>(counts: impl IntoIterator<Item = (usize, &'a str)>) -> Vec<String> {
    let counts = counts.into_iter().filter(|(count, _)| *count > 0);
    counts.map(|(count, what)| amount(count, what)).collect()
}

/// Three significant digits, without trailing zeros.
pub(super) fn significant(value: f64) -> String {
    units::significant(value, 3)
}

/// `name` as a part of a file name: at most `most` characters, and dashes for all but letters, digits and those of `kept`. A
/// name in a file may contain slashes.
pub(crate) fn plain_name(name: &str, most: usize, kept: &[char]) -> String {
    let is_odd = |letter: char| !letter.is_alphanumeric() && !kept.contains(&letter);
    shown::beginning(name, most).replace(is_odd, "-")
}

/// A name for images of the model at `path` that is not in `taken`, to which it is added.
pub(crate) fn free_name(
    path: &Path,
    taken: &mut BTreeSet<String>,
    plain: impl Fn(&str) -> String,
) -> String {
    let stem = plain(&path.file_stem().unwrap_or_default().to_string_lossy());
    let numbered = (2..).map(|number| format!("{stem}-{number}"));
    let mut names = iter::once(stem.clone()).chain(numbered);
    let free = names.find(|name| taken.insert(name.clone()));
    free.unwrap_or(stem)
}

/// Lines, each headed by its kind.
pub(super) struct HeadedLines {
    pub(super) text: String,
    view: View,
}

impl HeadedLines {
    /// The width of the column of headings.
    const HEADING: usize = 11;

    pub(super) fn new(view: View) -> Self {
        let text = String::new();
        Self { text, view }
    }

    pub(super) fn line(&mut self, heading: &str, content: impl Display) {
        let space = " ".repeat(Self::HEADING.saturating_sub(heading.len()));
        let heading = match heading {
            "" => String::new(),
            heading => self.view.bold(heading),
        };
        writeln!(self.text, "{heading}{space}{content}")
            .expect("a String takes all that is written to it");
    }

    /// One line per item, with its number.
    pub(super) fn list<T>(&mut self, heading: &str, items: &[T], describe: impl Fn(&T) -> String) {
        if items.is_empty() {
            return self.line(heading, "none");
        }
        for (index, item) in items.iter().enumerate() {
            let heading = if index == 0 { heading } else { "" };
            self.line(heading, format_args!("{index}  {}", describe(item)));
        }
    }
}

/// The most times of a clip that are listed; JSON has all.
const MOST_TIMES: usize = 8;

/// One line per kind: `3 vertices: 0-1, 7`, `2 joints: …`, `clip "Run": 0.1 s, 0.2 s`, `2 poses: rest pose, "Elbow" rotated by 30° about x`. Empty if the
/// location of the finding says it all.
pub(super) fn lines(affected: &Affected) -> Vec<String> {
    let mut lines = Vec::new();
    let is_one = affected.meshes.len() == 1;
    for mesh in affected
        .meshes
        .iter()
        .filter(|mesh| !is_one || mesh.vertices.len() > 1)
    {
        let count = amount(mesh.vertices.len(), "vertex");
        let of = if is_one {
            String::new()
        } else {
            format!(" of instance {}", mesh.instance)
        };
        lines.push(format!("{count}{of}: {}", ranges(&mesh.vertices)));
    }
    if affected.joints.len() > 1 {
        let names: Vec<String> = affected.joints.iter().map(|name| quoted(name)).collect();
        let count = amount(names.len(), "joint");
        lines.push(format!("{count}: {}", names.join(", ")));
    }
    let times = |times: &[Seconds]| match times {
        [first, .., last] if times.len() > MOST_TIMES => {
            let count = amount(times.len(), "time");
            format!("{count} from {} to {}", seconds(first.0), seconds(last.0))
        }
        _ => {
            let times: Vec<String> = times.iter().map(|time| seconds(time.0)).collect();
            times.join(", ")
        }
    };
    let clips = affected.clips.iter();
    let is_single = affected.clips.len() == 1 && affected.clips[0].times.len() <= 1;
    lines.extend(clips.filter(|_| !is_single).map(|clip| {
        let name = quoted(&clip.name);
        if clip.times.is_empty() {
            format!("clip {name}")
        } else {
            format!("clip {name}: {}", times(&clip.times))
        }
    }));
    if affected.poses.len() > 1 {
        let poses: Vec<String> = affected.poses.iter().map(PoseName::in_words).collect();
        lines.push(format!(
            "{}: {}",
            amount(poses.len(), "pose"),
            poses.join(", ")
        ));
    }
    lines
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", printable(name))
}

/// Ascending numbers, with runs as `first-last`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers
        .chunk_by(|a, b| a.checked_add(1) == Some(*b))
        .map(|run| match run {
            [first, .., last] => format!("{first}-{last}"),
            [one] => one.to_string(),
            [] => String::new(),
        });
    runs.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Level;
    use crate::rig::{InstanceId, Location};

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

    #[test]
    fn every_vertex_joint_and_time_is_listed() {
        let mut affected = Affected {
            joints: vec!["Hips".into(), "He\u{1b}ad".into()],
            poses: vec![PoseName::REST],
            ..Affected::default()
        };
        affected.vertices(InstanceId(0), [0, 1, 2, 7, 9, 10]);
        affected.clip(("Run", None), [Seconds(0.1), Seconds(0.25)]);
        affected.clip(("Walk", None), []);
        affected.clip(("Idle", None), (0..9).map(|time| Seconds(f64::from(time))));
        let expected = [
            "6 vertices: 0-2, 7, 9-10",
            "2 joints: \"Hips\", \"He\\u{1b}ad\"",
            "clip \"Run\": 0.1 s, 0.25 s",
            "clip \"Walk\"",
            "clip \"Idle\": 9 times from 0 s to 8 s",
        ];
        assert_eq!(lines(&affected), expected);
    }

    #[test]
    fn vertices_of_meshes_with_one_name_are_apart() {
        let mut affected = Affected::default();
        affected.vertices(InstanceId(0), [3, 4]);
        affected.vertices(InstanceId(2), [3]);
        let expected = ["2 vertices of instance 0: 3-4", "1 vertex of instance 2: 3"];
        assert_eq!(lines(&affected), expected);
    }

    #[test]
    fn what_the_location_says_is_not_repeated() {
        let mut affected = Affected::default();
        affected.vertices(InstanceId(0), [7]);
        affected.clip(("Run", None), [Seconds(0.1)]);
        assert!(lines(&affected).is_empty());
    }
}

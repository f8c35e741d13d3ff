//! Which findings get images and viewers: errors before warnings, and one of each kind before others like it.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use crate::check::FileReport;
use crate::closeup::{command, shows_in_still};
use crate::finding::{Code, Finding, Level};

/// The most findings of one model that a viewer shows.
const MOST_SEEN: usize = 200;

/// How soon a finding is drawn, the lowest first: by level, by the findings of its kind (rule and level) before it in its model, and by
/// the models before it with its kind, so that every kind is drawn once before one is drawn twice.
type Rank = (Reverse<Level>, usize, usize);

/// A finding that an image can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    rank: Rank,
    file: usize,
    finding: usize,
}

/// The chosen findings.
#[derive(Debug, Default)]
pub(super) struct Choice {
    /// The files with findings, in the order in which they get viewers.
    pub(super) order: Vec<usize>,
    /// For each file, the indices of the findings to draw.
    pub(super) drawn: Vec<Vec<usize>>,
    /// Kinds of findings of a model for which there are too many.
    pub(super) left_out: usize,
}

impl Choice {
    /// * `most` – images of one model, and of all.
    /// * `only_first` – of each kind.
    pub(super) fn new(
        files: &[FileReport],
        [of_file, of_run]: [usize; 2],
        only_first: bool,
    ) -> Self {
        let mut candidates = candidates(files);
        candidates.sort_unstable();
        let mut choice = Self {
            drawn: vec![Vec::new(); files.len()],
            ..Self::default()
        };
        let mut ordered = BTreeSet::new();
        let mut left = of_run;
        for candidate in &candidates {
            let is_first = candidate.rank.1 == 0;
            let own = &mut choice.drawn[candidate.file];
            if left > 0 && own.len() < of_file && (is_first || !only_first) {
                own.push(candidate.finding);
                left -= 1;
            } else {
                choice.left_out += usize::from(is_first);
            }
            if ordered.insert(candidate.file) {
                choice.order.push(candidate.file);
            }
        }
        let with_findings = |file: &usize| !files[*file].findings.is_empty();
        let others = (0..files.len()).filter(with_findings);
        choice
            .order
            .extend(others.filter(|file| !ordered.contains(file)));
        choice
    }
}

fn candidates(files: &[FileReport]) -> Vec<Candidate> {
    let mut models_before: BTreeMap<(Code, Level), usize> = BTreeMap::new();
    let mut candidates = Vec::new();
    for (index, file) in files.iter().enumerate() {
        let mut kinds: BTreeMap<(Code, Level), usize> = BTreeMap::new();
        for (finding, own) in file.findings.iter().enumerate() {
            // A mesh without a place in it is shown as a whole, which no command does.
            let is_somewhere =
                command(&file.path, own, None).is_some() || own.location.mesh.is_some();
            if !is_somewhere || !shows_in_still(own.code) {
                continue;
            }
            let kind = (own.code, own.level);
            let of_kind = kinds.entry(kind).or_default();
            let models = models_before.get(&kind).copied().unwrap_or(0);
            candidates.push(Candidate {
                rank: (Reverse(own.level), *of_kind, models),
                file: index,
                finding,
            });
            *of_kind += 1;
        }
        for kind in kinds.into_keys() {
            *models_before.entry(kind).or_default() += 1;
        }
    }
    candidates
}

/// The findings that a viewer shows: the first of each kind, and those in the same clips and poses, which take no more room.
pub(super) fn seen(file: &FileReport) -> Vec<usize> {
    let mut kinds = BTreeSet::new();
    let visible = |own: &Finding| command(&file.path, own, None).is_some();
    let posing = |own: &Finding| (own.location.ids.clip, own.location.pose.clone());
    let all = file.findings.iter().enumerate();
    let (firsts, others): (Vec<_>, Vec<_>) = all
        .filter(|(_, own)| visible(own))
        .partition(|(_, own)| kinds.insert((own.code, own.level)));
    let posings: Vec<_> = firsts.iter().map(|(_, own)| posing(own)).collect();
    let others = others
        .into_iter()
        .filter(|(_, own)| posings.contains(&posing(own)));
    let firsts = firsts.iter().map(|(index, _)| *index);
    firsts
        .chain(others.map(|(index, _)| index))
        .take(MOST_SEEN)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{ClipId, Location};

    fn file(path: &str, findings: &[(&'static str, Level)]) -> FileReport {
        let finding = |(code, level): &(&'static str, Level)| {
            let place = Location::mesh("Body")
                .vertex(1)
                .in_clip_of(ClipId(0), "Walk");
            Finding::new(Code(code), *level, place, "is off")
        };
        FileReport {
            path: path.into(),
            findings: findings.iter().map(finding).collect(),
            ..FileReport::default()
        }
    }

    #[test]
    fn errors_are_drawn_before_warnings_whatever_the_names_of_the_models() {
        let (error, warning) = (Level::Error, Level::Warning);
        let files = [
            file("a.glb", &[("W106", warning), ("W106", warning)]),
            file("b.glb", &[("W106", warning)]),
            file(
                "c.glb",
                &[("D602", warning), ("W103", error), ("W103", error)],
            ),
        ];
        let of = |most| Choice::new(&files, [8, most], true);
        assert_eq!(of(1).drawn, [vec![], vec![], vec![1]]);
        assert_eq!(of(2).drawn, [vec![0], vec![], vec![1]]);
        assert_eq!(of(3).drawn, [vec![0], vec![], vec![1, 0]], "another kind");
        assert_eq!(of(9).drawn, [vec![0], vec![0], vec![1, 0]], "one of a kind");
        assert_eq!((of(3).left_out, of(9).left_out), (1, 0));
        assert_eq!(of(9).order, [2, 0, 1]);
        let all = Choice::new(&files, [8, 9], false);
        assert_eq!(all.drawn, [vec![0, 1], vec![0], vec![1, 2, 0]]);
    }

    #[test]
    fn a_viewer_shows_one_of_a_kind_and_what_its_clips_hold() {
        let mut own = file("a.glb", &[("D602", Level::Hint); 3]);
        own.findings[1].location = Location::mesh("Body").vertex(1);
        assert_eq!(seen(&own), [0, 2]);
    }
}

//! One finding per cause, in the order of the report.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::kinds::Kind;
use crate::finding::{Cause, Code, Finding, Level};
use crate::rig::NodeId;

/// Merges findings of one cause in several clips, and sorts them: differences first, then by stage. Within a stage, those
/// of the whole model come first, then those that explain most.
pub(super) fn merged(findings: Vec<Finding>) -> Vec<Finding> {
    let mut causes: Vec<Vec<Finding>> = Vec::new();
    let mut known = BTreeMap::new();
    for finding in findings {
        // What concerns no clip is a cause of its own.
        let cause = match finding.location.clip {
            Some(_) => *known.entry(cause(&finding)).or_insert(causes.len()),
            None => causes.len(),
        };
        match causes.get_mut(cause) {
            Some(same) => same.push(finding),
            None => causes.push(vec![finding]),
        }
    }
    let mut merged: Vec<Finding> = causes.into_iter().filter_map(merge).collect();
    merged.sort_by(|a, b| {
        let [a, b] = [a, b].map(|finding| {
            let stage = Kind::of(finding).map(Kind::stage);
            let position = (
                Reverse(finding.level),
                stage,
                finding.location.clip.is_some(),
            );
            (position, size(finding))
        });
        a.0.cmp(&b.0).then(b.1.total_cmp(&a.1))
    });
    merged
}

/// A joint, and a mesh by its name, because a mesh of several materials has several instances.
type Subject = (Option<NodeId>, Option<String>);

/// Code, level, subject and cause: equal for findings of one cause.
fn cause(finding: &Finding) -> (Code, Level, Option<Subject>, String) {
    // These come from the export of all joints, and each clip shows them best at another one.
    let is_of_export = matches!(
        Kind::of(finding),
        Some(Kind::RestPose | Kind::Resampled | Kind::Stepped | Kind::Interpolation)
    );
    let subject = (finding.location.ids.node, finding.location.mesh.clone());
    let cause = match &finding.cause {
        Some(Cause::Words(words)) => words,
        _ => &finding.message,
    };
    let subject = (!is_of_export).then_some(subject);
    (finding.code, finding.level, subject, cause.clone())
}

/// The largest of the findings, with the clips of all.
fn merge(mut same: Vec<Finding>) -> Option<Finding> {
    let mut worst = 0;
    for index in 1..same.len() {
        if size(&same[index]) > size(&same[worst]) {
            worst = index;
        }
    }
    let clips = same.iter().flat_map(Finding::clips);
    let clips: Vec<_> = clips.map(|(name, id)| (name.to_owned(), id)).collect();
    let mut largest = (worst < same.len()).then(|| same.swap_remove(worst))?;
    for (name, id) in clips {
        largest.affected.clip((&name, id), []);
    }
    Some(largest)
}

fn size(finding: &Finding) -> f64 {
    finding.measure.map_or(0.0, |own| own.value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::kinds::Before;
    use crate::rig::ClipId;

    /// Each name of a joint or clip has an id of its own.
    fn found(kind: Kind, joint: &str, clip: &str, size: f64) -> Finding {
        let finding = kind.finding(format!("by {size}"));
        let finding = finding.joint(joint, Some(Before(joint.len())));
        let finding = finding.clip(clip, Some(Before(clip.len())));
        finding.by(size).caused("rotated".to_owned())
    }

    #[test]
    fn a_cause_is_one_finding_with_its_worst_clip_first() {
        let findings = vec![
            found(Kind::Keys, "hip", "walk", 1.0),
            found(Kind::Keys, "hip", "run", 3.0),
            found(Kind::Keys, "hip", "idle", 2.0),
            found(Kind::Keys, "knee", "walk", 5.0),
            found(Kind::Resampled, "hip", "walk", 1.0),
            found(Kind::Resampled, "knee", "run", 2.0),
            found(Kind::Resampled, "knee", "idle", 1.0).caused("at 10 Hz".to_owned()),
        ];
        let merged = merged(findings);
        let shown = merged.iter().map(|finding| {
            let joint = finding.location.joint.as_deref().unwrap_or_default();
            let clips: Vec<&str> = finding.clips().map(|(name, _)| name).collect();
            format!(
                "{} {joint} {}: {}",
                finding.code,
                finding.message,
                clips.join(" ")
            )
        });
        assert_eq!(
            shown.collect::<Vec<_>>(),
            [
                "keys knee by 5: walk",
                "keys hip by 3: run walk idle",
                "resampled knee by 2: run walk",
                "resampled knee by 1: idle",
            ]
        );
    }

    #[test]
    fn clips_that_are_missing_are_a_finding_each() {
        let missing = |clip: &str| {
            let message = format!("clip \"{clip}\" has no counterpart in AFTER");
            Kind::ClipMissing.finding(message).clip(clip, None)
        };
        assert_eq!(merged(vec![missing("walk"), missing("run")]).len(), 2);
        let renamed = |joint: &str| Kind::JointRenamed.finding(String::new()).joint(joint, None);
        assert_eq!(merged(vec![renamed("hip"), renamed("hip")]).len(), 2);
    }

    #[test]
    fn joints_and_clips_of_one_name_are_told_apart() {
        let found = |joint: usize, clip: usize| {
            let finding = Kind::Keys.finding("is elsewhere").by(1.0);
            let finding = finding.joint("arm", Some(Before(joint)));
            finding.clip("run", Some(Before(clip)))
        };
        let merged = merged(vec![found(1, 0), found(2, 0), found(1, 1)]);
        let ids = merged.iter().map(|finding| {
            let clips: Vec<_> = finding.clips().map(|(_, id)| id).collect();
            (finding.location.ids.node, clips)
        });
        let [first, second] = [0, 1].map(|clip| Some(ClipId(clip)));
        let expected = [
            (Some(NodeId(1)), vec![first, second]),
            (Some(NodeId(2)), vec![first]),
        ];
        assert!(ids.eq(expected));
        assert!(!merged[1].is_of(ClipId(1)));
    }

    #[test]
    fn the_surface_comes_before_the_hierarchy() {
        let of = |kind: Kind| kind.finding(String::new());
        let merged = merged(vec![
            of(Kind::JointAdded),
            of(Kind::Unexplained),
            of(Kind::Scale),
        ]);
        let kinds: Vec<Kind> = merged.iter().filter_map(Kind::of).collect();
        assert_eq!(kinds, [Kind::Scale, Kind::Unexplained, Kind::JointAdded]);
    }
}

//! Compares the rest pose and every pair of clips.

use std::collections::BTreeSet;

use super::DiffError;
use super::comparison::{Comparison, Measurement};
use super::findings::Explained;
use super::kinds::{Kind, Stage};
use super::options::Only;
use super::report::{ErrorSample, JointError, Surface, Take, WorstJoint};
use super::samples;
use crate::finding::{Finding, Level};
use crate::rig::ClipId;
use crate::units::Seconds;

/// All measurements, and their findings.
pub(super) struct Taken {
    pub(super) measurements: Vec<Measurement>,
    /// One entry per measurement.
    pub(super) takes: Vec<Take>,
    pub(super) findings: Vec<Finding>,
}

impl Comparison<'_> {
    /// How the rest pose and each pair of clips compare, and everything that differs in them.
    pub(super) fn takes(&self, clips: &[[usize; 2]]) -> Result<Taken, DiffError> {
        let mut measurements = Vec::new();
        if self.sides.iter().all(|side| side.is_model()) {
            measurements.push(self.rest()?);
        }
        for pair in clips {
            self.options.deadline.check()?;
            measurements.push(self.clip(*pair)?);
        }
        let Explained {
            mut findings,
            is_ignored,
        } = self.findings(&measurements, clips)?;
        let settings = &self.options.settings;
        settings.ignore_in(&mut findings);
        if settings.only == Some(Only::Surface) {
            Self::ignore_unseen(&measurements, &mut findings);
        }
        let takes = measurements
            .iter()
            .zip(is_ignored)
            .map(|(one, is_ignored)| self.take(one, is_ignored, &findings));
        Ok(Taken {
            takes: takes.collect(),
            measurements,
            findings,
        })
    }

    /// Turns findings about weights and motion into remarks where the surface is within the tolerance.
    fn ignore_unseen(measurements: &[Measurement], findings: &mut [Finding]) {
        for finding in findings {
            let is_off = measurements.iter().any(|one| {
                let clip = one.clips.map(|[clip, _]| ClipId::from_index(clip));
                let is_of = clip.is_some_and(|clip| finding.is_of(clip));
                one.surface.used > 1.0 && (is_of || finding.location.clip.is_none())
            });
            let kind = Kind::of(finding);
            let may_be_unseen = kind == Some(Kind::LoopSeam)
                || matches!(
                    kind.map(Kind::stage),
                    Some(
                        Stage::Bind
                            | Stage::Weights
                            | Stage::Morphs
                            | Stage::Keys
                            | Stage::Interpolation
                    )
                );
            if may_be_unseen && !is_off {
                finding.level = Level::Info;
            }
        }
    }

    /// The number of keys per second after, if the surfaces agree at these keys.
    fn rate_between_keys(&self, one: &Measurement) -> Option<f64> {
        let [_, clip] = one.clips?;
        let keys = &self.sides[1].clips[clip].keys;
        let samples = one.samples.list.iter().zip(&one.surface.over_time);
        let mut at_keys = samples
            .filter(|(sample, _)| samples::contains(keys, sample.times[1]))
            .peekable();
        at_keys.peek()?;
        if at_keys.any(|(_, [max, _])| *max > one.limit.length) {
            return None;
        }
        samples::usual_step(keys).map(|step| 1.0 / step)
    }

    /// * `is_ignored` – whether the surface is beyond the tolerance only by what the settings ignore.
    fn take(&self, one: &Measurement, is_ignored: bool, findings: &[Finding]) -> Take {
        let clips = one
            .clips
            .map(|pair| [0, 1].map(|side: usize| self.sides[side].clips[pair[side]].name.clone()));
        let clip_ids = one.clips.map(|pair| pair.map(ClipId::from_index));
        let measured = &one.surface;
        let motions = one
            .motions
            .iter()
            .enumerate()
            .filter(|(pair, _)| one.limits[*pair].is_finite());
        let shown = |pair: usize| {
            let [joint, _] = self.rigs.joints.pairs[pair];
            self.sides[0].joints[joint].shown.clone()
        };
        let mut joints: Vec<JointError> = motions
            .clone()
            .map(|(pair, motion)| JointError {
                joint: shown(pair),
                total: motion.total,
                own: motion.own.max,
            })
            .collect();
        joints.sort_by(|a, b| b.total.total_cmp(&a.total));
        let joint = motions.max_by(|a, b| a.1.total.total_cmp(&b.1.total));
        let errors =
            one.samples
                .list
                .iter()
                .zip(&measured.over_time)
                .map(|(sample, [max, rms])| ErrorSample {
                    time: Seconds(sample.times[0]),
                    max: *max,
                    rms: *rms,
                });
        let is_of = |finding: &Finding| clip_ids.is_some_and(|[before, _]| finding.is_of(before));
        let named = findings
            .iter()
            .filter(|finding| finding.level == Level::Error && is_of(finding));
        let kinds: BTreeSet<Kind> = named.filter_map(Kind::of).collect();
        let stages: Vec<Stage> = kinds.iter().map(|kind| kind.stage()).collect();
        let moves_otherwise = measured.used > 1.0 && !is_ignored;
        let is_timing = |stage: &Stage| *stage == Stage::Timing;
        Take {
            samples: one.samples.list.len(),
            all_samples: one.samples.all,
            surface: Surface {
                max: measured.max,
                p99: measured.p99,
                rms: measured.rms,
                pixels: measured.pixels,
                normals: (!measured.cosines.is_empty())
                    .then(|| measured.normals_off(f64::INFINITY).1),
                worst: self.worst_vertex(one),
            },
            joint: joint.map(|(pair, motion)| WorstJoint {
                joint: shown(pair),
                displacement: motion.total,
                time: Seconds(motion.total_time),
            }),
            limit: one.limit.length,
            over_time: errors.collect(),
            joints,
            differs: moves_otherwise || !stages.is_empty(),
            resampled: (moves_otherwise && kinds == BTreeSet::from([Kind::Resampled]))
                .then(|| self.rate_between_keys(one))
                .flatten(),
            timing_only: !moves_otherwise && !stages.is_empty() && stages.iter().all(is_timing),
            ignored_only: is_ignored && stages.is_empty(),
            clips,
            clip_ids,
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use crate::diff::{Kind, Options, Source, compare};
    use crate::finding::{Finding, Level};
    use crate::rig::{Asset, AssetBuilder, ClipId, Mesh, Trs};

    /// A mesh with two clips of one name. The first rotates it by a radian, and the second by an `angle`.
    fn twice(angle: f32) -> Asset {
        let mut rig = AssetBuilder::new();
        let root = rig.node("root", None, Trs::IDENTITY);
        let mesh = rig.mesh(Mesh {
            name: "plate".into(),
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.skin(mesh, [[(root, 1.0)]; 3]);
        for angle in [-1.0, angle] {
            let clip = rig.clip("turn");
            let rotated = Quat::from_rotation_z(angle);
            rig.rotate(clip, root, [(0.0, Quat::IDENTITY), (1.0, rotated)]);
        }
        rig.build().expect("it is whole")
    }

    #[test]
    fn another_name_is_a_remark_where_the_file_has_none() {
        let level = |unnamed: bool| {
            let [before, after] =
                [("animation_0", unnamed), ("walk", false)].map(|(name, unnamed)| {
                    let mut asset = twice(1.0);
                    asset.clips.truncate(1);
                    asset.clips[0].name = name.to_owned();
                    asset.clips[0].unnamed = unnamed;
                    Source::from(asset)
                });
            let report = compare(&before, &after, &Options::default()).expect("they correspond");
            let renamed = |own: &&Finding| Kind::of(own) == Some(Kind::ClipRenamed);
            let found = report.findings.iter().find(renamed);
            found.expect("it has another name").level
        };
        assert_eq!([true, false].map(level), [Level::Info, Level::Error]);
    }

    #[test]
    fn of_two_clips_of_one_name_the_changed_one_differs() {
        let [before, after] = [1.0, 1.2].map(|angle| Source::from(twice(angle)));
        let report = compare(&before, &after, &Options::default()).expect("they correspond");
        let takes = report.takes.iter().map(|take| {
            let differences = report.differences_of(take).len();
            (
                take.clip_ids.map(|[clip, _]| clip),
                take.differs,
                differences,
            )
        });
        let expected = [
            (None, false, 0),
            (Some(ClipId(0)), false, 0),
            (Some(ClipId(1)), true, 1),
        ];
        assert!(takes.eq(expected), "{:?}", report.takes);
    }
}

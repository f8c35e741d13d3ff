//! Compares the rest pose and every pair of clips.

use super::DiffError;
use super::comparison::{Comparison, Measurement};
use super::difference::Difference;
use super::kinds::{Kind, Stage};
use super::motion::JointMotion;
use super::report::{ErrorSample, JointError, Surface, Take};
use super::verdict::{SurfaceVerdict, Verdict};
use crate::rig::ClipId;
use crate::units::Seconds;

impl Comparison<'_> {
    /// Measures the rest pose and each pair of clips.
    pub(super) fn measurements(&self, clips: &[[usize; 2]]) -> Result<Vec<Measurement>, DiffError> {
        let mut measurements = Vec::new();
        if self.sides.iter().all(|side| side.is_model()) {
            measurements.push(self.rest()?);
        }
        for pair in clips {
            self.options.deadline.check()?;
            measurements.push(self.clip(*pair)?);
        }
        Ok(measurements)
    }

    /// * `differences` – all, judged.
    pub(super) fn take(
        &self,
        one: &Measurement,
        surface: SurfaceVerdict,
        differences: &[Difference],
    ) -> Take {
        let clips = one
            .clips
            .map(|pair| [0, 1].map(|side: usize| self.sides[side].clips[pair[side]].name.clone()));
        let clip_ids = one.clips.map(|pair| pair.map(ClipId::from_index));
        let measured = &one.surface;
        let motions = one.motions.iter().enumerate();
        let motions = motions.filter(|(pair, _)| one.limits[*pair].is_finite());
        let error = |(pair, motion): (usize, &JointMotion)| {
            let [joint, _] = self.rigs.joints.pairs[pair];
            JointError {
                joint: self.sides[0].joints[joint].shown.clone(),
                total: motion.total,
                time: Seconds(motion.total_time),
                frame: self.frame_at(one, motion.total_time),
                own: motion.own.max,
            }
        };
        let mut joints: Vec<JointError> = motions.map(error).collect();
        joints.sort_by(|a, b| b.total.total_cmp(&a.total));
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
        let counted = differences.iter().filter(|own| {
            let is_of_take = match clip_ids {
                // A clip that has another name may move alike.
                Some([before, _]) => own.finding.is_of(before) && own.kind.stage() != Stage::Clips,
                // No surface shows a node without weights that rests elsewhere.
                None => own.kind == Kind::RestPose,
            };
            is_of_take && own.counts()
        });
        let kinds = counted.map(|own| own.kind);
        Take {
            samples: one.samples.list.len(),
            all_samples: one.samples.all,
            missed: one.samples.missed.filter(|missed| missed.is_finite()),
            surface: Surface {
                max: measured.max,
                p99: measured.p99,
                rms: measured.rms,
                normals: (!measured.cosines.is_empty())
                    .then(|| measured.normals_off(f64::INFINITY).1),
                worst: self.worst_vertex(one),
            },
            joint: joints.first().cloned(),
            limit: one.limit,
            over_time: errors.collect(),
            joints,
            verdict: Verdict::of(surface, kinds),
            clips,
            clip_ids,
        }
    }
}

#[cfg(test)]
mod tests {
    use glam::{Quat, Vec3};

    use crate::diff::{Kind, Options, Source, compare};
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
        let counts = |unnamed: bool| {
            let [before, after] =
                [("animation_0", unnamed), ("walk", false)].map(|(name, unnamed)| {
                    let mut asset = twice(1.0);
                    asset.clips.truncate(1);
                    asset.clips[0].name = name.to_owned();
                    asset.clips[0].unnamed = unnamed;
                    Source::from(asset)
                });
            let report = compare(&before, &after, &Options::default()).expect("they correspond");
            let mut findings = report.findings.iter();
            let found = findings.find(|own| own.kind == Kind::ClipRenamed);
            found.expect("it has another name").counts()
        };
        assert_eq!([true, false].map(counts), [false, true]);
    }

    #[test]
    fn of_two_clips_of_one_name_the_changed_one_differs() {
        let [before, after] = [1.0, 1.2].map(|angle| Source::from(twice(angle)));
        let report = compare(&before, &after, &Options::default()).expect("they correspond");
        let takes = report.takes.iter().map(|take| {
            let differences = report.differences_of(take).len();
            (
                take.clip_ids.map(|[clip, _]| clip),
                take.verdict.differs(),
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

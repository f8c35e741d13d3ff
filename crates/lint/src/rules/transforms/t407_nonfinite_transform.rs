//! `T407`: nonfinite-transform.

use crate::analysis::mending;
use crate::finding::Finding;
use crate::rig::{Asset, LocalTransform, TrackPart, Trs};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    NonfiniteTransform, "T407", "nonfinite-transform", Error, Proved
}

impl Rule for NonfiniteTransform {
    fn mended(&self, cx: &Context<'_>, finding: &Finding) -> Option<Asset> {
        let node = finding.location.ids.node?;
        let identity = LocalTransform::Trs(Trs::IDENTITY);
        mending::with_rests(cx.asset, |own, _| (own == node).then_some(identity))
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        for (id, joint) in cx.asset.skeleton.iter() {
            let Some(part) = broken_part(&joint.rest) else {
                continue;
            };
            let group = cx.joint(id);
            out.add(Offence::of(&group, "node"), |subject| {
                (subject.part(part), "is not finite".to_owned())
            });
        }
    }
}

fn broken_part(local: &LocalTransform) -> Option<TrackPart> {
    let parts = match local {
        LocalTransform::Trs(trs) => vec![
            (TrackPart::Translation, trs.translation.is_finite()),
            (TrackPart::Rotation, trs.rotation.is_finite()),
            (TrackPart::Scale, trs.scale.is_finite()),
        ],
        LocalTransform::Matrix(matrix) => vec![(TrackPart::Matrix, matrix.is_finite())],
    };
    let mut broken = parts.into_iter().filter(|(_, is_finite)| !is_finite);
    broken.next().map(|(part, _)| part)
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Quat, Vec3};

    use super::*;
    use crate::rig::Trs;

    #[test]
    fn the_nan_part_is_named() {
        let nan = Vec3::new(0.0, f32::NAN, 0.0);
        let rotation = Quat::from_xyzw(0.0, 0.0, f32::INFINITY, 1.0);
        let parts = |translation, rotation, scale| {
            broken_part(&LocalTransform::Trs(Trs {
                translation,
                rotation,
                scale,
            }))
        };
        assert_eq!(
            parts(nan, Quat::IDENTITY, Vec3::ONE),
            Some(TrackPart::Translation)
        );
        assert_eq!(
            parts(Vec3::ZERO, rotation, Vec3::ONE),
            Some(TrackPart::Rotation)
        );
        assert_eq!(
            parts(Vec3::ZERO, Quat::IDENTITY, nan),
            Some(TrackPart::Scale)
        );
        assert_eq!(parts(Vec3::MAX, Quat::IDENTITY, Vec3::MIN), None);
        let matrix = Mat4::from_translation(nan);
        assert_eq!(
            broken_part(&LocalTransform::Matrix(matrix)),
            Some(TrackPart::Matrix)
        );
    }
}

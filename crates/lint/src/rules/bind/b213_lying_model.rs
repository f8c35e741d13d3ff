//! `B213`: lying-model.

use super::body::Body;
use crate::core::numbers::beside;
use crate::core::reading::{Gauge, ReadingUnit};
use crate::pose::{ModelPose, model_pose, rest, sample_finite};
use crate::rig::Location;
use crate::{Context, Findings, Limit, LimitRange, Offence, Rule, declare_rule};

/// The head of a person is above its feet, and that of a grazing animal at some 60° before them.
const DEGREES: Limit = Limit::new("degrees", 75.0, LimitRange::DEGREES).about(
    "maximum angle between the up axis and the direction from the feet to the head, in degrees",
);

/// So many clips are looked at.
const MOST_CLIPS: usize = 16;

const LEAN: Gauge = Gauge::new("angle of the body to the up axis", ReadingUnit::Degrees);

declare_rule! {
    LyingModel, "B213", "lying-model", Hint, Judged, limits = &[DEGREES]
}

impl Rule for LyingModel {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let limit = cx.limit(&Self::META, &DEGREES);
        let body = Body::of(cx);
        if body.flies() {
            return;
        }
        let up = cx.asset.space.up.unit();
        let degrees = |pose: &ModelPose| {
            let along = body.feet_to_head(pose)?;
            let sine = along.cross(up).length();
            Some(libm::atan2(sine, along.dot(up)).to_degrees())
        };
        let at_rest = degrees(&model_pose(cx.asset, &rest(cx.asset)));
        let clips = cx.asset.clips.iter().take(MOST_CLIPS);
        let starts = clips.map(|clip| {
            degrees(&model_pose(
                cx.asset,
                &sample_finite(cx.asset, clip, clip.start),
            ))
        });
        let least = starts
            .chain([at_rest])
            .flatten()
            .fold(f64::INFINITY, f64::min);
        out.measure(LEAN, [least, limit], || Location::FILE);
        if !(least.is_finite() && least > limit) {
            return;
        }
        out.add(Offence::above(&Location::FILE, "model", least, limit), |subject| {
            let least = beside(least, limit, 0);
            let message = format!(
                "the head is {least}° off the up axis, seen from the feet: other axes than the file states?"
            );
            (subject, message)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::Skeleton;
    use crate::testing::{arm, reported};

    #[test]
    fn a_body_with_wings_may_lie_in_the_air() {
        let named = |foot: &str| {
            let mut asset = arm();
            let mut joints = asset.skeleton.nodes().to_vec();
            for (joint, name) in joints.iter_mut().zip(["head", foot]) {
                joint.name = name.into();
            }
            asset.skeleton = Skeleton::new(joints).expect("parents come first");
            reported(&LyingModel, &asset).len()
        };
        assert_eq!([named("foot"), named("foot_wing")], [1, 0]);
    }
}

//! `C540`: other-joint-axes.

use crate::rig::{Location, NodeId};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    OtherJointAxes, "C540", "other-joint-axes", Warning, Proved
}

impl Rule for OtherJointAxes {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let rotated = &cx.asset.evidence.other_axes;
        let Some((first, degrees)) = rotated.first() else {
            return;
        };
        let joints: Vec<NodeId> = rotated.iter().map(|(joint, _)| *joint).collect();
        let group = Location::FILE;
        let offence = Offence::of_all(&group, "joint").joints(&joints);
        out.add_many(offence, joints.len(), |subject| {
            let count = joints.len();
            let message = format!(
                "{count} joints have other axes in the file of the clips, by up to {degrees:.0}°, though their bones point the same \
                way: its keys bend them in other directions"
            );
            (subject.joint_id(*first), message)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{arm, findings};

    #[test]
    fn the_joint_with_the_largest_angle_is_named() {
        let mut asset = arm();
        assert_eq!(findings(&asset, &OtherJointAxes), []);
        asset.evidence.other_axes = vec![(NodeId(1), 90.0), (NodeId(0), 20.0)];
        let [found] = &findings(&asset, &OtherJointAxes)[..] else {
            panic!("it is one finding");
        };
        assert_eq!(
            (found.location.joint.as_deref(), found.count),
            (Some("elbow"), 2)
        );
        assert!(found.message.contains("by up to 90°"), "{}", found.message);
    }
}

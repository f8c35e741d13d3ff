//! `H317`: incomplete-humanoid.

use crate::analysis::joints::is_below;
use crate::rig::{HumanBone, Humanoid, Location, NodeId, Part, VrmVersion};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    IncompleteHumanoid, "H317", "incomplete-humanoid", Error, Proved
}

impl Rule for IncompleteHumanoid {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(humanoid) = &cx.asset.humanoid else {
            let target = cx.settings.engine.as_ref();
            if target.is_some_and(|target| target.engine().name == "vrm") {
                out.add(Offence::of(&Location::FILE, "humanoid"), |subject| {
                    (subject, "states no humanoid, which VRM requires".to_owned())
                });
            }
            return;
        };
        // An animation moves the bones that it wants.
        if humanoid.version == VrmVersion::Animation {
            return;
        }
        for bone in HumanBone::ALL
            .iter()
            .copied()
            .filter(|bone| bone.is_required())
        {
            if !humanoid.bones.contains_key(&bone) {
                let group = Location::FILE.part(Part::Bone(bone));
                out.add(Offence::of(&group, "bone"), |subject| {
                    (
                        subject,
                        "the humanoid lacks this bone, which VRM requires".to_owned(),
                    )
                });
            }
        }
        for (bone, node) in &humanoid.bones {
            if let Some(problem) = problem(cx, humanoid, *bone, *node) {
                let group = cx.joint(*node).part(Part::Bone(*bone));
                out.add(Offence::of(&group, "bone"), |subject| (subject, problem));
            }
        }
    }
}

/// What is wrong about the node of a bone.
fn problem(cx: &Context<'_>, humanoid: &Humanoid, bone: HumanBone, node: NodeId) -> Option<String> {
    let mut before = humanoid.bones.range(..bone);
    if let Some((other, _)) = before.find(|(_, other)| **other == node) {
        return Some(format!("is both {other} and {bone}"));
    }
    let mut above = std::iter::successors(bone.parent(), |above| above.parent());
    let stated = |above: HumanBone| Some((above, *humanoid.bones.get(&above)?));
    let (above, parent) = above.find_map(stated)?;
    (!is_below(cx.asset, node, parent)).then(|| {
        let parent = cx.joint_label(parent);
        format!("{bone} is not below {above}, which is {parent:?}")
    })
}

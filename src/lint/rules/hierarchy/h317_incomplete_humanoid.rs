//! `H317`: incomplete-humanoid.

use crate::lint::analysis::joints::is_below;
use crate::lint::{Context, Findings, Offence, Rule, Subject, declare_rule};
use crate::rig::{HumanBone, Humanoid, NodeId, Part, VrmVersion};

declare_rule! {
    /// ## What it does
    /// Checks that the humanoid of a VRM model has all required bones, that no two bones are the same node, and that each bone is
    /// below the bone that VRM puts above it.
    ///
    /// With the profile `vrm`, a model without a humanoid is a finding, too.
    ///
    /// ## Why is this bad?
    /// Applications refuse the avatar, or retarget a clip to the wrong limbs.
    ///
    /// ## How to fix
    /// - Assign a node to each required bone.
    /// - UniVRM and the VRM add-on for Blender list the bones in their humanoid settings.
    /// - Give the skeleton the hierarchy of VRM: hips, spine, chest, neck and head; shoulder, arms and hand; legs, foot and toes.
    ///
    /// ## References
    /// - VRM 1.0, `VRMC_vrm`, humanoid.md: required bones, and parent-child relationships; VRM 0.x, `humanoid`.
    IncompleteHumanoid, "H317", "incomplete-humanoid", Error
}

impl Rule for IncompleteHumanoid {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let Some(humanoid) = &cx.asset.humanoid else {
            if cx
                .settings
                .profile
                .is_some_and(|profile| profile.name == "vrm")
            {
                out.add(Offence::of(&Subject::FILE, "humanoid"), |subject| {
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
                let group = Subject::FILE.part(Part::Bone(bone));
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

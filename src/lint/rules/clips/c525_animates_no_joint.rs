//! `C525`: animates-no-joint.

use crate::lint::rules::clips::c501_empty_clip::is_empty;
use crate::lint::rules::clips::deformers::carrying;
use crate::lint::rules::rule::{Follows, Through, declare_rule};
use crate::lint::{Context, Findings, Offence, Rule};

declare_rule! {
    /// ## What it does
    /// Checks that each clip moves a mesh, through a joint of a skin or its ancestor, a node with a mesh, or a morph
    /// weight.
    ///
    /// Files without a mesh are skipped, because their clips are for a model in another file.
    ///
    /// ## Why is this bad?
    /// The clip plays, and nothing moves on screen. The animation is usually on the wrong hierarchy: on the control rig
    /// instead of the deforming joints, on a second skeleton, on helper objects, or on the node of a skinned mesh,
    /// whose transform skinning ignores.
    ///
    /// ## How to fix
    /// - Bake the motion to the joints of the skin.
    /// - Blender: bake the control rig's motion to the deforming bones (*Object → Animation → Bake Action*, *Visual
    ///   Keying*), or export deformation bones with *Sampling Animations*.
    /// - Maya: bake the joints (*Key → Bake Simulation*) before exporting, and select the skinned skeleton.
    /// - Exporters: map channels to the nodes of the skin's joints.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.2: only the joints' transforms move a skinned mesh; its own node's transform does not.
    AnimatesNoJoint, "C525", "animates-no-joint", Warning
}

impl Rule for AnimatesNoJoint {
    fn follows_from(&self) -> &'static [Follows] {
        &const { Through::Clips.each(["C518", "C519"]) }
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if cx.asset.instances.is_empty() {
            return;
        }
        let carrying = carrying(cx.asset);
        for clip in cx.asset.clips.iter().filter(|clip| !is_empty(clip)) {
            let mut driven = clip.channels.iter().map(|channel| channel.node);
            let morphs = !clip.morph_channels.is_empty() || !clip.face.is_empty();
            if morphs || driven.any(|joint| carrying[joint.index()]) {
                continue;
            }
            out.add(Offence::of(&cx.clip(clip), "clip"), |subject| {
                let subject = match clip.drivers().next() {
                    Some(first) => subject.of_joint(first.joint),
                    None => subject,
                };
                (subject, "moves no mesh".to_owned())
            });
        }
    }
}

//! `C535`: ignored-channel.

use std::collections::BTreeSet;

use super::paths::diagonal;
use crate::lint::rules::clips::c521_constant_channel::{TOLERANCE, rests};
use crate::lint::rules::clips::deformers::carrying;
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};
use crate::rig::{NodeId, ReaderCode, TrackPart};

declare_rule! {
    /// ## What it does
    /// Checks that no clip of a glTF file moves the node of a skinned mesh, unless joints or other meshes are attached
    /// to that node.
    ///
    /// `C525` reports a clip that moves nothing else. A channel with the rest value is allowed.
    ///
    /// ## Why is this bad?
    /// In glTF, only joints move a skinned mesh. The motion was made on the mesh object instead of the rig: the
    /// character stands still in a viewer that follows the specification, and walks away, or moves twice as far, in one
    /// that does not.
    ///
    /// ## How to fix
    /// - Put the motion on the root joint, or on a node above all joints.
    /// - Blender: animate the armature, and delete the action of the mesh object.
    /// - Exporters: omit channels of nodes with a skin.
    ///
    /// ## References
    /// - glTF 2.0 §3.7.3.2; glTF-Validator `ANIMATION_CHANNEL_TARGET_NODE_SKIN` (which reports constant channels too).
    IgnoredChannel, "C535", "ignored-channel", Warning
}

impl Rule for IgnoredChannel {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if cx.asset.reader.code != ReaderCode::Gltf {
            return;
        }
        let carrying = carrying(cx.asset);
        let skinned: BTreeSet<NodeId> = cx
            .asset
            .instances
            .iter()
            .filter(|shown| shown.skin.is_some())
            .map(|shown| shown.node)
            .collect();
        let size = diagonal(cx).unwrap_or(1.0);
        for clip in &cx.asset.clips {
            let mut channels = clip.channels.iter();
            if !channels.any(|channel| carrying[channel.node.index()]) {
                continue;
            }
            let group = cx.clip(clip);
            for driver in clip.drivers() {
                let moves_it = driver.part != TrackPart::Weights;
                let is_idle = skinned.contains(&driver.joint) && !carrying[driver.joint.index()];
                if moves_it && is_idle && !rests(cx.asset, &driver, TOLERANCE.default, size) {
                    out.add(
                        Offence::of(&group, "channel").joint(driver.joint),
                        |subject| {
                            let message =
                                "moves the node of a skinned mesh, which only joints move";
                            (subject.of_driver(&driver), message.to_owned())
                        },
                    );
                }
            }
        }
    }
}

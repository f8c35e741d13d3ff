//! `C501`: empty-clip.

use crate::lint::rule::declare_rule;
use crate::lint::{Context, Findings, Offence, Rule, RuleMeta};
use crate::rig::{Clip, DefectKind};

declare_rule! {
    /// ## What it does
    /// Checks that each clip has a channel with a key that moves a node or a morph target.
    ///
    /// ## Why is this bad?
    /// The clip shows up in lists and state machines, and plays as nothing: the character freezes in its rest pose, or in
    /// whatever pose the last clip left it. Most often the animation was lost on the way: an action that was not assigned, a
    /// take without keys, a time range outside of the animation.
    ///
    /// A clip that drives only materials, cameras or visibility has nothing that a skeleton can play, and counts as empty.
    ///
    /// ## How to fix
    /// - Blender: assign the action to the armature, or push it down to an NLA track; delete unused actions before export.
    /// - Maya and 3ds Max: an FBX file without animation still has its default take (`Take 001`); switch *Animation* off on
    ///   export, or delete the take.
    /// - Exporters: write no animation where there is no channel.
    ///
    /// ## References
    /// - glTF 2.0, the schemas of animation (`channels` has at least one item) and accessor (`count` is at least 1).
    /// - assimp `ValidateDataStructure`: an animation needs a channel, and a channel a key.
    EmptyClip, "C501", "empty-clip", Warning
}

impl Rule for EmptyClip {
    fn meta(&self) -> &'static RuleMeta {
        &Self::META
    }

    fn needs(&self) -> &'static [DefectKind] {
        &[DefectKind::EmptyChannel]
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let (empty, moving): (Vec<&Clip>, Vec<&Clip>) =
            cx.asset.clips.iter().partition(|clip| is_empty(clip));
        for clip in empty.into_iter().filter(|clip| !is_mended(cx, clip)) {
            let message = "nothing in it moves a node or a morph target";
            out.add(Offence::of(&cx.clip(clip), "clip"), |place| {
                (place, message.to_owned())
            });
        }
        for defect in cx.asset.evidence.of(DefectKind::EmptyChannel) {
            if moving
                .iter()
                .any(|clip| is_of(defect.place.clip.as_ref(), clip))
            {
                out.add_defect(defect, "channel");
            }
        }
    }
}

/// Whether nothing in `clip` moves anything.
pub(super) fn is_empty(clip: &Clip) -> bool {
    clip.drivers().next().is_none()
}

/// Whether `clip` had channels that were left out for a reason that another rule tells.
fn is_mended(cx: &Context<'_>, clip: &Clip) -> bool {
    let mut defects = cx.asset.evidence.defects.iter();
    defects.any(|defect| {
        defect.kind != DefectKind::EmptyChannel && is_of(defect.place.clip.as_ref(), clip)
    })
}

fn is_of(name: Option<&String>, clip: &Clip) -> bool {
    name == Some(&clip.name)
}

//! `G808`: no-clip.

use crate::lint::{Context, Findings, Offence, Rule, Subject, declare_rule};

declare_rule! {
    /// ## What it does
    /// Looks for files without any animation.
    ///
    /// ## Why is this bad?
    /// It may be intended: many models are stored apart from their clips. But often a model was exported without its
    /// actions by mistake, and a rig's faults show only in motion.
    ///
    /// ## How to fix
    /// - Export the animation with the model.
    /// - Blender: *Animation* in the export options, with *Actions* or *NLA Tracks*. Both export the actions on NLA
    ///   tracks, so stash the others or push them down; *Actions* also exports the active one.
    /// - Maya: *Animation* in the FBX export, with *Bake Animation* where constraints or expressions move the joints.
    ///
    /// ## References
    /// - glTF 2.0 §3.11.
    NoClip, "G808", "no-clip", Info
}

impl Rule for NoClip {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if cx.asset.clips.is_empty() {
            out.add(Offence::of(&Subject::FILE, "file"), |subject| {
                (subject, "no animation".to_owned())
            });
        }
    }
}

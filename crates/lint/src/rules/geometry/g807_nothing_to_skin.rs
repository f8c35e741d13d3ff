//! `G807`: nothing-to-skin.

use crate::analysis::joints;
use crate::rig::{Asset, Location};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    NothingToSkin, "G807", "nothing-to-skin", Hint, Judged
}

impl Rule for NothingToSkin {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if !joints::skinned(cx.asset).is_empty() || holds_clips_only(cx.asset) {
            return;
        }
        let meshes = joints::shown(cx.asset).count();
        let half = meshes > 0 && (!cx.asset.skins.is_empty() || has_weights(cx.asset));
        out.add(
            Offence::of(&Location::FILE, "file").info_if(!half),
            |subject| {
                let message = match meshes {
                    0 => "no mesh at all".to_owned(),
                    1 => "its one mesh is not skinned".to_owned(),
                    count => format!("none of its {count} meshes is skinned"),
                };
                (subject, message)
            },
        );
    }
}

fn has_weights(asset: &Asset) -> bool {
    let mut meshes = joints::shown(asset).map(|instance| asset.mesh_of(instance));
    meshes.any(|mesh| !mesh.influences.is_empty())
}

/// Whether the file contains only clips.
fn holds_clips_only(asset: &Asset) -> bool {
    let moves = asset.clips.iter().any(|clip| !clip.channels.is_empty());
    asset.instances.is_empty() && moves
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::finding::Level;
    use crate::rig::Influences;
    use crate::testing::{arm, findings, rotating};

    #[test]
    fn a_file_of_clips_alone_needs_no_mesh() {
        let mut clips = rotating(arm(), Quat::IDENTITY);
        clips.instances.clear();
        assert!(findings(&clips, &NothingToSkin).is_empty());
        clips.clips[0].channels.clear();
        assert_eq!(findings(&clips, &NothingToSkin).len(), 1);
    }

    #[test]
    fn a_rigid_prop_is_not_a_fault_and_a_mesh_that_lost_its_skin_is() {
        let mut prop = arm();
        prop.instances[0].skin = None;
        assert_eq!(findings(&prop, &NothingToSkin)[0].level, Level::Hint);
        prop.skins.clear();
        prop.meshes[0].influences = Influences::default();
        assert_eq!(findings(&prop, &NothingToSkin)[0].level, Level::Info);
    }
}

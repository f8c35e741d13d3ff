//! Generated whole assets have what engines get wrong.

use glam::Vec3;

use super::super::PoseCase;
use super::super::random::Random;
use crate::rig::{LocalTransform, NodeId, Span};

#[test]
fn generated_assets_have_what_engines_get_wrong() {
    let (mut spans, mut mirrored, mut morphed, mut most) = ([false; 3], false, false, 0);
    for seed in 0..20 {
        let case = PoseCase::generated(&mut Random::of(seed, 0));
        let rig = &case.rig;
        rig.validate().expect("it is valid");
        assert!(crate::export::to_gltf(rig).is_ok());
        assert!(case.times.len() > 3);
        let depth = |mut node: NodeId| {
            let mut depth = 0;
            while let Some(parent) = rig.skeleton[node].parent {
                (node, depth) = (parent, depth + 1);
            }
            depth
        };
        let joints = &rig.skins[0].joints;
        assert!(joints.iter().any(|joint| depth(*joint) >= 3));
        // One joint is in a tree of its own below the common root.
        let apart = joints.iter().filter(|joint| depth(**joint) == 1);
        assert!(apart.count() >= 2);
        let skins = rig.instances.iter().map(|instance| instance.skin);
        assert_eq!(skins.clone().flatten().count(), 2);
        assert!(skins.clone().any(|skin| skin.is_none()));
        for mesh in &rig.meshes {
            most = most.max(mesh.influences.iter().map(<[_]>::len).max().unwrap_or(0));
            let used = mesh
                .influences
                .all()
                .iter()
                .map(|influence| influence.slot.index());
            assert!(
                used.max().is_none_or(|slot| slot + 1 < joints.len()),
                "one is unused"
            );
        }
        morphed |= !rig.clips[0].morph_channels.is_empty();
        for node in rig.skeleton.nodes() {
            let LocalTransform::Trs(trs) = node.rest else {
                panic!("nodes have parts");
            };
            mirrored |= trs.scale.cmplt(Vec3::ZERO).any();
            assert!((trs.scale.x - trs.scale.y).abs() > 0.0);
        }
        for channel in &rig.clips[0].channels {
            for key in channel.scale.iter().flat_map(|track| &track.keys) {
                spans[match key.span {
                    Span::Step => 0,
                    Span::Linear => 1,
                    Span::Cubic { .. } => 2,
                }] = true;
            }
        }
    }
    assert!(mirrored && morphed && spans == [true; 3] && most == 8);
}

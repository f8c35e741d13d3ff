//! The look of a model at a time of a clip.

use super::track::sample_track;
use crate::rig::{
    AlphaMode, Asset, Clip, Look, LookChannels, MaterialChannel, MaterialValues, UvTransform,
};
use crate::units::Seconds;

/// The look of the rest pose.
pub(super) fn rest(asset: &Asset) -> Look {
    Look {
        hidden: hidden(asset, &LookChannels::default(), Seconds::ZERO),
        materials: Vec::new(),
    }
}

/// Replaces the parts of `look`, the rest look, that `clip` drives. Allocates only for a clip that drives some.
pub(super) fn drive(look: &mut Look, asset: &Asset, clip: &Clip, time: Seconds) {
    if !clip.look.visibility.is_empty() {
        look.hidden = hidden(asset, &clip.look, time);
    }
    if !clip.look.materials.is_empty() {
        let values = asset.materials.iter().map(MaterialValues::of);
        look.materials = values.collect();
        for channel in &clip.look.materials {
            if let Some(values) = look.materials.get_mut(channel.material.index()) {
                drive_values(values, channel, time);
            }
        }
    }
}

/// For each instance, whether its node or one above is hidden; empty if none is.
///
/// # Reference
///
/// `KHR_node_visibility`, "Extending Nodes": a node is visible if it and all its parents are.
fn hidden(asset: &Asset, channels: &LookChannels, time: Seconds) -> Vec<bool> {
    if asset.hidden_nodes.is_empty() && channels.visibility.is_empty() {
        return Vec::new();
    }
    let mut nodes = vec![false; asset.skeleton.len()];
    for node in &asset.hidden_nodes {
        nodes[node.index()] = true;
    }
    for channel in &channels.visibility {
        let visible = sample_track(&channel.visible, time);
        if let (Some(visible), Some(hidden)) = (visible, nodes.get_mut(channel.node.index())) {
            *hidden = !visible;
        }
    }
    // Parents come first.
    for (id, node) in asset.skeleton.iter() {
        nodes[id.index()] |= node.parent.is_some_and(|parent| nodes[parent.index()]);
    }
    let instances = asset.instances.iter();
    let hidden: Vec<bool> = instances.map(|own| nodes[own.node.index()]).collect();
    if hidden.contains(&true) {
        hidden
    } else {
        Vec::new()
    }
}

fn drive_values(values: &mut MaterialValues, channel: &MaterialChannel, time: Seconds) {
    let color = channel.base_color.as_ref();
    if let Some(color) = color.and_then(|track| sample_track(track, time)) {
        values.base_color = color;
    }
    let cutoff = channel
        .alpha_cutoff
        .as_ref()
        .and_then(|track| sample_track(track, time));
    if let (AlphaMode::Mask(own), Some(cutoff)) = (&mut values.alpha, cutoff) {
        *own = cutoff;
    }
    let offset = channel
        .uv_offset
        .as_ref()
        .and_then(|track| sample_track(track, time));
    let rotation = channel
        .uv_rotation
        .as_ref()
        .and_then(|track| sample_track(track, time));
    let scale = channel
        .uv_scale
        .as_ref()
        .and_then(|track| sample_track(track, time));
    if offset.is_some() || rotation.is_some() || scale.is_some() {
        let own = values.uv_transform.unwrap_or(UvTransform::IDENTITY);
        values.uv_transform = Some(UvTransform {
            offset: offset.unwrap_or(own.offset),
            rotation: rotation.unwrap_or(own.rotation),
            scale: scale.unwrap_or(own.scale),
        });
    }
}

#[cfg(test)]
mod tests {
    use glam::{Vec2, Vec4};

    use super::*;
    use crate::pose;
    use crate::rig::{
        AssetBuilder, InstanceId, Key, Material, MaterialId, Mesh, NodeId, Span, Track, Trs,
        VisibilityChannel,
    };

    /// A node with a mesh, its child with another, and a node of its own with a third.
    fn family() -> Asset {
        let mut rig = AssetBuilder::new();
        let parent = rig.node("parent", None, Trs::IDENTITY);
        let child = rig.node("child", Some(parent), Trs::IDENTITY);
        let other = rig.node("other", None, Trs::IDENTITY);
        for node in [parent, child, other] {
            let mesh = rig.mesh(Mesh::default());
            rig.attach(mesh, node);
        }
        rig.clip("clip");
        rig.build().unwrap()
    }

    fn steps(keys: &[(f64, bool)]) -> Track<bool> {
        let key = |&(seconds, value)| Key {
            time: Seconds(seconds),
            value,
            span: Span::Step,
        };
        Track {
            keys: keys.iter().map(key).collect(),
        }
    }

    fn shown(asset: &Asset, time: f64) -> Vec<bool> {
        let pose = pose::sample(asset, &asset.clips[0], Seconds(time)).unwrap();
        let ids = (0..asset.instances.len()).map(InstanceId::from_index);
        ids.map(|id| pose.look.shows(id)).collect()
    }

    #[test]
    fn a_hidden_node_hides_all_below_it_and_nothing_else() {
        let mut asset = family();
        asset.clips[0].look.visibility = vec![VisibilityChannel {
            node: NodeId(0),
            visible: steps(&[(0.0, true), (1.0, false), (2.0, true)]),
        }];
        assert_eq!(shown(&asset, 0.99), [true; 3]);
        assert_eq!(shown(&asset, 1.0), [false, false, true]);
        assert_eq!(shown(&asset, 1.99), [false, false, true]);
        assert_eq!(shown(&asset, 2.0), [true; 3]);
    }

    #[test]
    fn a_shown_child_of_a_hidden_parent_is_hidden() {
        let mut asset = family();
        asset.hidden_nodes = vec![NodeId(0)];
        let visible = steps(&[(0.0, true)]);
        let channel = |node| VisibilityChannel {
            node,
            visible: visible.clone(),
        };
        asset.clips[0].look.visibility = vec![channel(NodeId(1))];
        assert_eq!(shown(&asset, 0.0), [false, false, true]);
        asset.clips[0].look.visibility.push(channel(NodeId(0)));
        assert_eq!(shown(&asset, 0.0), [true; 3]);
    }

    #[test]
    fn hidden_nodes_are_hidden_at_rest_and_in_clips_that_do_not_drive_them() {
        let mut asset = family();
        asset.hidden_nodes = vec![NodeId(1)];
        assert_eq!(rest(&asset).hidden, [false, true, false]);
        assert_eq!(shown(&asset, 0.0), [true, false, true]);
        let world = pose::model_pose(&asset, &pose::rest(&asset));
        assert_eq!(world.look.hidden, [false, true, false]);
    }

    #[test]
    fn driven_values_replace_those_of_the_material_and_no_others() {
        let mut asset = family();
        let material = Material {
            name: String::new(),
            base_color: Vec4::ONE,
            base_color_texture: None,
            uv_transform: Some(UvTransform {
                rotation: 0.5,
                ..UvTransform::IDENTITY
            }),
            alpha: AlphaMode::Mask(0.5),
            two_sided: false,
        };
        asset.materials = vec![material.clone(), material];
        asset.clips[0].look.materials = vec![MaterialChannel {
            base_color: Some(Track::linear([(0.0, Vec4::ZERO), (2.0, Vec4::ONE)])),
            alpha_cutoff: Some(Track::linear([(0.0, 0.25)])),
            uv_offset: Some(Track::linear([(0.0, Vec2::ZERO), (2.0, Vec2::X)])),
            ..MaterialChannel::of(MaterialId(1))
        }];
        let pose = pose::sample(&asset, &asset.clips[0], Seconds(1.0)).unwrap();
        let expected = MaterialValues {
            base_color: Vec4::splat(0.5),
            alpha: AlphaMode::Mask(0.25),
            uv_transform: Some(UvTransform {
                offset: Vec2::X * 0.5,
                rotation: 0.5,
                scale: Vec2::ONE,
            }),
        };
        let own = MaterialValues::of(&asset.materials[0]);
        assert_eq!(pose.look.materials, [own, expected]);
    }
}

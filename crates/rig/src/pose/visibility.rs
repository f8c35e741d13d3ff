//! Which meshes are visible at a time of a clip.

use super::track::sample_track;
use crate::rig::{Asset, Visibility, VisibilityChannel};
use crate::units::Seconds;

/// The visibility in the rest pose.
pub(super) fn rest(asset: &Asset) -> Visibility {
    at(asset, &[], Seconds::ZERO)
}

/// The visibility at a time of the clip with `channels`: an instance is hidden if it, its node or one above is.
///
/// # Reference
///
/// `KHR_node_visibility`, "Extending Nodes": a node is visible if it and all its parents are.
pub(super) fn at(asset: &Asset, channels: &[VisibilityChannel], time: Seconds) -> Visibility {
    let mut visibility = visibility_of_nodes(asset, channels, time);
    for instance in &asset.hidden_instances {
        visibility.hide(*instance);
    }
    visibility
}

fn visibility_of_nodes(asset: &Asset, channels: &[VisibilityChannel], time: Seconds) -> Visibility {
    if asset.hidden_nodes.is_empty() && channels.is_empty() {
        return Visibility::default();
    }
    let mut nodes = vec![false; asset.skeleton.len()];
    for node in &asset.hidden_nodes {
        nodes[node.index()] = true;
    }
    for channel in channels {
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
    let mut hidden: Vec<bool> = instances.map(|own| nodes[own.node.index()]).collect();
    if !hidden.contains(&true) {
        hidden.clear();
    }
    Visibility { hidden }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose;
    use crate::rig::{AssetBuilder, InstanceId, Key, Mesh, NodeId, Span, Track, Trs};

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
        ids.map(|id| pose.visibility.shows(id)).collect()
    }

    #[test]
    fn a_hidden_node_hides_all_below_it_and_nothing_else() {
        let mut asset = family();
        asset.clips[0].visibility_channels = vec![VisibilityChannel {
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
        asset.clips[0].visibility_channels = vec![channel(NodeId(1))];
        assert_eq!(shown(&asset, 0.0), [false, false, true]);
        asset.clips[0].visibility_channels.push(channel(NodeId(0)));
        assert_eq!(shown(&asset, 0.0), [true; 3]);
    }

    /// Even where a clip shows its node.
    #[test]
    fn a_hidden_instance_is_hidden_in_every_pose_and_leaves_others_of_its_node() {
        let mut asset = family();
        let again = asset.instances[0].clone();
        asset.instances.push(again);
        asset.hidden_instances = vec![InstanceId(0)];
        asset.validate().unwrap();
        asset.clips[0].visibility_channels = vec![VisibilityChannel {
            node: NodeId(0),
            visible: steps(&[(0.0, true)]),
        }];
        assert_eq!(shown(&asset, 0.0), [false, true, true, true]);
        assert_eq!(pose::rest(&asset).visibility.hidden, [true]);
    }

    #[test]
    fn hidden_nodes_are_hidden_at_rest_and_in_clips_that_do_not_drive_them() {
        let mut asset = family();
        asset.hidden_nodes = vec![NodeId(1)];
        assert_eq!(rest(&asset).hidden, [false, true, false]);
        assert_eq!(shown(&asset, 0.0), [true, false, true]);
        let world = pose::model_pose(&asset, &pose::rest(&asset));
        assert_eq!(world.visibility.hidden, [false, true, false]);
    }
}

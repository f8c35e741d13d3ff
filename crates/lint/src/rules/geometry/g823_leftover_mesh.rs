//! `G823`: leftover-mesh.

use crate::analysis::joints;
use crate::analysis::naming::words;
use crate::rig::{Asset, MeshInstance};
use crate::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    LeftoverMesh, "G823", "leftover-mesh", Hint, Judged
}

/// What modelling tools call new objects.
const NEW: [&str; 14] = [
    "box",
    "circle",
    "cone",
    "cube",
    "cylinder",
    "geosphere",
    "grid",
    "icosphere",
    "plane",
    "pyramid",
    "sphere",
    "suzanne",
    "torus",
    "uvsphere",
];

/// More meshes without a skin are a scene.
const MOST: usize = 3;

impl Rule for LeftoverMesh {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if joints::skinned(cx.asset).is_empty() {
            return;
        }
        let carried = carried(cx.asset);
        let is_beside = |own: &&MeshInstance| own.skin.is_none() && !carried[own.node.index()];
        let beside: Vec<&MeshInstance> = joints::shown(cx.asset).filter(is_beside).collect();
        if beside.len() > MOST {
            return;
        }
        for instance in beside {
            if !is_plain(cx.asset, instance) || !is_new(cx.mesh_name(instance)) {
                continue;
            }
            out.add(Offence::of(&cx.mesh(instance), "mesh"), |subject| {
                let message = "stands beside the skinned meshes, and neither a joint nor a clip moves it: was it left there?";
                (subject, message.to_owned())
            });
        }
    }
}

/// For each node, whether a joint or a clip moves it.
fn carried(asset: &Asset) -> Vec<bool> {
    let mut carried = asset.bound_joints();
    for driver in asset.clips.iter().flat_map(crate::rig::Clip::drivers) {
        carried[driver.joint.index()] = true;
    }
    asset.skeleton.hand_down(&mut carried);
    carried
}

/// Whether it has neither a picture nor a morph target.
fn is_plain(asset: &Asset, instance: &MeshInstance) -> bool {
    let mesh = asset.mesh_of(instance);
    let has_picture = mesh
        .material
        .is_some_and(|id| asset[id].base_color_texture.is_some());
    mesh.morph_targets.is_empty() && !has_picture
}

/// Whether a name is that of a new object, as in `Icosphere`, `Cube.001` and `pSphere1`.
fn is_new(name: &str) -> bool {
    let words = words(name).into_iter();
    let mut letters = words.filter(|word| word.starts_with(char::is_alphabetic));
    let first = letters.next().unwrap_or_default().to_lowercase();
    // Maya's polygons begin with p, its surfaces with nurbs.
    let own = match (first.as_str(), letters.next()) {
        ("p" | "nurbs" | "uv" | "geo" | "ico", Some(second)) => second.to_lowercase(),
        (_, None) => first,
        _ => return false,
    };
    letters.next().is_none() && NEW.contains(&own.as_str())
}

#[cfg(test)]
mod tests {
    use glam::Mat4;

    use super::*;
    use crate::pose::rigs::named_joint;
    use crate::rig::{Influences, LocalTransform, MeshId, NodeId, Skeleton};
    use crate::testing::{arm, findings};

    /// The arm and a mesh of this name, below the elbow or beside it.
    fn with(name: &str, parent: Option<u32>) -> Asset {
        let mut asset = arm();
        let mut nodes = asset.skeleton.nodes().to_vec();
        nodes.push(named_joint(
            name,
            parent,
            LocalTransform::Matrix(Mat4::IDENTITY),
        ));
        asset.skeleton = Skeleton::new(nodes).expect("parents come first");
        let mut mesh = asset.meshes[0].clone();
        mesh.name = name.into();
        mesh.influences = Influences::default();
        asset.meshes.push(mesh);
        let mut instance = asset.instances[0].clone();
        (instance.node, instance.mesh, instance.skin) = (NodeId(2), MeshId(1), None);
        asset.instances.push(instance);
        asset
    }

    #[test]
    fn a_new_object_beside_the_body_was_left_there() {
        for name in [
            "Icosphere",
            "Cube.001",
            "pSphere1",
            "nurbsSphere2",
            "Sphere001",
        ] {
            assert_eq!(
                findings(&with(name, None), &LeftoverMesh).len(),
                1,
                "{name}"
            );
        }
    }

    #[test]
    fn a_prop_a_scene_and_what_a_joint_carries_are_meant() {
        for name in ["Sword", "Cube of sugar", "CubeMan", "pants", ""] {
            assert_eq!(findings(&with(name, None), &LeftoverMesh), [], "{name}");
        }
        assert_eq!(findings(&with("Icosphere", Some(1)), &LeftoverMesh), []);
        let mut scene = with("Cube", None);
        for index in 2..6 {
            scene.meshes.push(scene.meshes[1].clone());
            let mut instance = scene.instances[1].clone();
            instance.mesh = MeshId(index);
            scene.instances.push(instance);
        }
        assert_eq!(findings(&scene, &LeftoverMesh), []);
    }
}

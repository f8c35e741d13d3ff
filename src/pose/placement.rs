//! Poses of a model that an engine holds far from the origin.

use glam::{DVec4, Mat4, Vec3, Vec4};

use crate::rig::{Asset, Placement};

/// Takes from translations the digits that f32 lacks at the model's place.
///
/// * `nodes` – world transforms.
pub(crate) fn place(asset: &Asset, placement: Placement, nodes: &mut [Mat4]) {
    if placement.nodes {
        round_nodes(asset, placement.at, nodes);
    }
    if placement.palette {
        round_palettes(asset, placement.at, nodes);
    }
}

/// Rounds each node, and moves its children with it.
fn round_nodes(asset: &Asset, at: Vec3, nodes: &mut [Mat4]) {
    let mut lost = vec![DVec4::ZERO; nodes.len()];
    for (id, node) in asset.skeleton.iter() {
        let index = id.index();
        let Some(world) = nodes.get_mut(index) else {
            return;
        };
        let exact = world.w_axis.as_dvec4();
        let above = node
            .parent
            .map_or(DVec4::ZERO, |parent| lost[parent.index()]);
        world.w_axis = rounded(exact + above, at);
        lost[index] = world.w_axis.as_dvec4() - exact;
    }
}

/// Moves each joint by the rounding of its skinning matrix. A joint of several skins has that of the first.
fn round_palettes(asset: &Asset, at: Vec3, nodes: &mut [Mat4]) {
    let mut is_moved = vec![false; nodes.len()];
    for skin in &asset.skins {
        for (joint, joint_from_mesh) in skin.joints.iter().zip(&skin.inverse_bind_matrices) {
            let index = joint.index();
            let Some(world) = nodes.get_mut(index).filter(|_| !is_moved[index]) else {
                continue;
            };
            let exact = world.as_dmat4() * joint_from_mesh.as_dmat4();
            let lost = rounded(exact.w_axis, at).as_dvec4() - exact.w_axis;
            world.w_axis = (world.w_axis.as_dvec4() + lost).as_vec4();
            is_moved[index] = true;
        }
    }
}

/// A translation relative to `at`, as f32 holds it in the world.
fn rounded(translation: DVec4, at: Vec3) -> Vec4 {
    let at = at.as_dvec3();
    let in_world = (translation.truncate() + at).as_vec3();
    let back = in_world.as_dvec3() - at;
    back.extend(translation.w).as_vec4()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::{Pose, model_pose, rest};
    use crate::rig::{AssetBuilder, LocalTransform, Mesh, Trs};

    /// At 16384, f32 has steps of 1/512.
    const FAR: Vec3 = Vec3::new(16384.0, 0.0, 0.0);

    fn leg() -> Asset {
        let mut rig = AssetBuilder::new();
        let joint = |x| Trs {
            translation: Vec3::new(x, x, 0.0),
            ..Trs::IDENTITY
        };
        let hip = rig.node("hip", None, joint(0.3));
        let knee = rig.node("knee", Some(hip), joint(0.7003));
        let mesh = rig.mesh(Mesh {
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.skin(mesh, [[(hip, 1.0)], [(knee, 1.0)], [(knee, 1.0)]]);
        rig.build().unwrap()
    }

    fn placed(nodes: bool, palette: bool) -> Asset {
        let placement = Placement {
            at: FAR,
            nodes,
            palette,
        };
        Asset {
            placement: Some(placement),
            ..leg()
        }
    }

    fn step(x: f64) -> f32 {
        #[expect(clippy::cast_possible_truncation, reason = "a multiple of 1/512")]
        let step = ((x * 512.0).round() / 512.0) as f32;
        step
    }

    #[test]
    fn each_node_is_rounded_and_its_children_follow() {
        let asset = placed(true, false);
        let pose = model_pose(&asset, &rest(&asset));
        let hip = step(0.3);
        assert_eq!(pose.nodes[0].w_axis.truncate(), Vec3::new(hip, 0.3, 0.0));
        let knee = step(f64::from(hip) + 0.7003);
        let expected = Vec3::new(knee, 1.0003, 0.0);
        assert!(pose.nodes[1].w_axis.truncate().abs_diff_eq(expected, 1e-6));
    }

    #[test]
    fn skinning_matrices_are_rounded_alone() {
        let asset = placed(false, true);
        let moved = |local: &Pose| {
            let pose = model_pose(&asset, local);
            (pose.nodes[1] * asset.skins[0].inverse_bind_matrices[1])
                .w_axis
                .x
        };
        let mut local = rest(&asset);
        // In the bind pose it is the identity, which loses nothing.
        assert!(moved(&local).abs() < 1e-6);
        local.locals[1] = LocalTransform::Trs(Trs {
            translation: Vec3::new(0.7113, 0.0, 0.0),
            ..Trs::IDENTITY
        });
        let moved = moved(&local);
        assert!((moved - step(0.011)).abs() < 1e-6, "{moved}");
        assert!((moved - 0.011).abs() > 1e-4, "{moved}");
    }

    #[test]
    fn at_the_origin_nothing_changes() {
        let (near, asset) = (placed(true, true), leg());
        let near = Asset {
            placement: near.placement.map(|placement| Placement {
                at: Vec3::ZERO,
                ..placement
            }),
            ..near
        };
        assert_eq!(
            model_pose(&near, &rest(&near)),
            model_pose(&asset, &rest(&asset))
        );
    }
}

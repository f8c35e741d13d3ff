//! The skeleton over the image: which joints, and how they are drawn.

use glam::DVec2;

use super::Overlay;
use super::shapes::{Mark, Projection, Shape, scale};
use crate::frame::Frame;
use crate::pose::ModelPose;
use crate::rig::{Asset, Node, NodeId};
use crate::shown::printable;
use crate::view::Camera;

/// The nodes of a model that a drawn skeleton consists of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Joints {
    /// The joints that a skin binds. If nothing is bound, the nodes of trees of at least three: cameras and lights mostly stand
    /// alone or in pairs. Every node if there are no such trees.
    #[default]
    OfSkins,
    /// Every node: helpers, targets of inverse kinematics and meshes too.
    All,
}

/// The shown joints, each with a bone from the nearest shown joint above it.
///
/// * `pose` – of `asset`.
///
/// Returns positions in world space.
#[must_use]
pub fn skeleton(asset: &Asset, pose: &ModelPose, joints: Joints) -> Overlay {
    let position = |joint: NodeId| pose[joint].w_axis.truncate();
    let mut overlay = Overlay::default();
    for (id, above) in bones(asset, joints) {
        overlay.joints.push(position(id));
        overlay.names.push(name(id, &asset.skeleton[id]));
        overlay
            .bones
            .extend(above.map(|above| [position(above), position(id)]));
    }
    overlay
}

/// The shown joints, each with the nearest shown joint above it.
#[must_use]
pub fn bones(asset: &Asset, joints: Joints) -> Vec<(NodeId, Option<NodeId>)> {
    let mut shown = asset.bound_joints();
    if !shown.contains(&true) {
        shown = in_trees(asset);
    }
    if joints == Joints::All || !shown.contains(&true) {
        shown.fill(true);
    }
    let mut bones = Vec::new();
    let mut shown_above: Vec<Option<NodeId>> = Vec::with_capacity(shown.len());
    for (id, joint) in asset.skeleton.iter() {
        let above = joint.parent.and_then(|parent| {
            let direct = shown[parent.index()].then_some(parent);
            direct.or(shown_above[parent.index()])
        });
        shown_above.push(above);
        if shown[id.index()] {
            bones.push((id, above));
        }
    }
    bones
}

/// Whether each node is in a tree of at least three.
fn in_trees(asset: &Asset) -> Vec<bool> {
    let mut roots: Vec<NodeId> = Vec::with_capacity(asset.skeleton.len());
    let mut sizes = vec![0_usize; asset.skeleton.len()];
    for (id, joint) in asset.skeleton.iter() {
        let root = joint.parent.map_or(id, |parent| roots[parent.index()]);
        roots.push(root);
        sizes[root.index()] += 1;
    }
    let sizes = roots.iter().map(|root| sizes[root.index()]);
    sizes.map(|size| size >= 3).collect()
}

/// The name without a prefix such as `mixamorig:`, which all joints of a model share.
fn name(id: NodeId, node: &Node) -> String {
    let end = node.name.rfind([':', '|']).map_or(0, |colon| colon + 1);
    match &node.name[end..] {
        "" => format!("#{}", id.index()),
        bare => printable(bare),
    }
}

const OUTLINE: [u8; 3] = [22, 20, 18];
const BONE_LIGHT: [u8; 3] = [255, 196, 84];
const BONE_DARK: [u8; 3] = [214, 138, 36];
const JOINT: [u8; 3] = [255, 246, 226];

/// Draws `skeleton` over `frame`, ignoring depth.
pub fn draw(skeleton: &Overlay, camera: &Camera, frame: &mut Frame) {
    let projection = Projection::new(camera, frame);
    let bones = sorted(
        skeleton
            .bones
            .iter()
            .filter_map(|bone| projection.line(*bone)),
    );
    let joints = sorted(
        skeleton
            .joints
            .iter()
            .filter_map(|joint| projection.point(*joint)),
    );
    let scale = scale(frame);
    let radius = joint_radius(&bones, scale);
    for bone in &bones {
        draw_bone(bone.on_screen, scale, frame);
    }
    for joint in &joints {
        draw_joint(joint.on_screen, radius, scale, frame);
    }
}

/// Sorts marks farthest first, so that near ones are on top.
fn sorted<T>(marks: impl Iterator<Item = Mark<T>>) -> Vec<Mark<T>> {
    let mut marks: Vec<Mark<T>> = marks.collect();
    marks.sort_by(|a, b| b.depth.total_cmp(&a.depth));
    marks
}

/// The radius of dots. It shrinks with the bones, so that a hand with many joints stays readable.
fn joint_radius(bones: &[Mark<[DVec2; 2]>], scale: f64) -> f64 {
    let mut lengths: Vec<f64> = bones.iter().map(|bone| length(bone.on_screen)).collect();
    lengths.sort_by(f64::total_cmp);
    let median = lengths
        .get(lengths.len() / 2)
        .copied()
        .unwrap_or(f64::INFINITY);
    (median * 0.09).clamp(1.4 * scale, 3.4 * scale)
}

fn length([head, tail]: [DVec2; 2]) -> f64 {
    (tail - head).length()
}

fn draw_bone([head, tail]: [DVec2; 2], scale: f64, frame: &mut Frame) {
    let along = tail - head;
    let length = along.length();
    if length < 0.5 {
        return;
    }
    let half_width = (length * 0.085).clamp(0.8 * scale, 6.0 * scale);
    let across = DVec2::new(-along.y, along.x) * (half_width / length);
    let widest = head + along * 0.16;
    let (left, right) = (widest + across, widest - across);
    let kite = [head, left, tail, right];
    let paint = |outline: &[DVec2], grown_by: f64, color: [u8; 3], frame: &mut Frame| {
        Shape { outline, grown_by }.paint(color, frame);
    };
    paint(&kite, 1.3 * scale, OUTLINE, frame);
    paint(&kite, 0.2, BONE_DARK, frame);
    // The half that the key light would reach.
    let bright = if across.y <= 0.0 { left } else { right };
    paint(&[head, bright, tail], 0.2, BONE_LIGHT, frame);
}

fn draw_joint(at: DVec2, radius: f64, scale: f64, frame: &mut Frame) {
    for (grown_by, color) in [(radius + 1.2 * scale, OUTLINE), (radius, JOINT)] {
        let outline = &[at];
        Shape { outline, grown_by }.paint(color, frame);
    }
}

#[cfg(test)]
mod tests {
    use glam::{Mat4, Vec3};
    use proptest::prelude::*;

    use super::*;
    use crate::rig::{AssetBuilder, Trs};

    const SIDE: u32 = 32;

    fn black() -> Frame {
        let pixels = (SIDE * SIDE) as usize;
        Frame {
            width: SIDE,
            height: SIDE,
            rgba: [0, 0, 0, 255].repeat(pixels),
            depth: vec![1.0; pixels],
        }
    }

    fn drawn(skeleton: &Overlay, camera: &Camera) -> Frame {
        let mut frame = black();
        draw(skeleton, camera, &mut frame);
        frame
    }

    /// Sees the cube from -1 to 1.
    const CAMERA: Camera = Camera {
        view_from_world: Mat4::IDENTITY,
        clip_from_view: Mat4::IDENTITY,
    };

    #[test]
    fn a_skeleton_alone_is_drawn_without_the_cameras_beside_it() {
        let shown = |parents: &[Option<u32>], joints| {
            let mut rig = AssetBuilder::new();
            for parent in parents {
                rig.node("", parent.map(NodeId), Trs::IDENTITY);
            }
            let asset = rig.build().expect("the rig is whole");
            let bones = bones(&asset, joints);
            bones.iter().map(|(id, _)| id.0).collect::<Vec<_>>()
        };
        let beside_cameras = [None, None, Some(1), None, Some(3), Some(4)];
        assert_eq!(shown(&beside_cameras, Joints::OfSkins), [3, 4, 5]);
        assert_eq!(shown(&beside_cameras, Joints::All).len(), 6);
        assert_eq!(shown(&beside_cameras[..3], Joints::OfSkins).len(), 3);
    }

    #[test]
    fn a_joint_is_drawn_where_it_is() {
        let joints = vec![Vec3::new(0.5, 0.5, 0.0)];
        let frame = drawn(
            &Overlay {
                joints,
                ..Overlay::default()
            },
            &CAMERA,
        );
        let pixel = |x: u32, y: u32| frame.rgba[4 * (y * SIDE + x) as usize];
        assert_eq!(
            pixel(24, 8),
            JOINT[0],
            "three quarters to the right, a quarter down"
        );
        assert_eq!(pixel(8, 24), 0);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_position_does_harm(numbers in prop::collection::vec(any::<f32>(), 15), wild_camera: bool) {
            let mut numbers = numbers.into_iter();
            let mut number = || numbers.next().unwrap_or(0.0);
            let mut camera = CAMERA;
            if wild_camera {
                camera.clip_from_view.z_axis.w = number();
                camera.view_from_world.w_axis.x = number();
            }
            let joints: Vec<Vec3> = (0..4).map(|_| Vec3::new(number(), number(), number())).collect();
            let bones = joints.windows(2).map(|pair| [pair[0], pair[1]]).collect();
            let frame = drawn(&Overlay { bones, joints, names: vec![] }, &camera);
            prop_assert_eq!(frame.rgba.len(), black().rgba.len());
        }
    }
}

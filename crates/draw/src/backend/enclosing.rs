//! Meshes without a skin that hide the figure, such as a helper object that was exported with it.

use glam::DVec3;

use super::BackendError;
use crate::pose;
use crate::rig::{
    AlphaMode, Asset, Bounds, DeformedMesh, InstanceId, MaterialId, MeshInstance, SkinningOptions,
};
use crate::skinning;
use crate::view::{Appearance, Show, Sides};

/// Corners of a polyhedron around the figure's middle, turned so that no line follows an edge of a symmetrical mesh.
const DIRECTIONS: [DVec3; 14] = [
    DVec3::new(0.97, 0.19, 0.13),
    DVec3::new(-0.97, -0.19, -0.13),
    DVec3::new(-0.16, 0.98, 0.11),
    DVec3::new(0.16, -0.98, -0.11),
    DVec3::new(-0.11, -0.17, 0.98),
    DVec3::new(0.11, 0.17, -0.98),
    DVec3::new(0.62, 0.55, 0.56),
    DVec3::new(-0.62, 0.55, 0.56),
    DVec3::new(0.62, -0.55, 0.56),
    DVec3::new(-0.62, -0.55, 0.56),
    DVec3::new(0.62, 0.55, -0.56),
    DVec3::new(-0.62, 0.55, -0.56),
    DVec3::new(0.62, -0.55, -0.56),
    DVec3::new(-0.62, -0.55, -0.56),
];

/// The meshes that enclose the figure at rest, so that it is seen from nowhere: opaque ones without a skin whose node carries
/// nothing, and that neither a joint nor a clip moves, with a material that no skinned mesh has. They hold most vertices of the
/// skinned meshes in their box, and are met from outside in every direction from the middle of these.
///
/// # Errors
///
/// [`BackendError::Skinning`] if the model's rest pose cannot be skinned.
pub fn enclosing(asset: &Asset) -> Result<Vec<InstanceId>, BackendError> {
    let is_part = parts(asset);
    let skinned = asset.instances.iter().filter(|own| own.skin.is_some());
    let materials: Vec<MaterialId> = skinned
        .filter_map(|own| asset.mesh_of(own).material)
        .collect();
    let is_beside = |own: &MeshInstance| {
        let material = asset.mesh_of(own).material;
        let can_hide =
            |id: MaterialId| asset[id].alpha == AlphaMode::Opaque && !materials.contains(&id);
        own.skin.is_none() && !is_part[own.node.index()] && material.is_none_or(can_hide)
    };
    let has_skinned = asset.instances.iter().any(|own| own.skin.is_some());
    if !has_skinned || !asset.instances.iter().any(is_beside) {
        return Ok(Vec::new());
    }
    let rest = pose::model_pose(asset, &pose::rest(asset));
    let meshes = skinning::deform(asset, &rest, &SkinningOptions::default())?;
    let shown = meshes
        .iter()
        .filter(|mesh| rest.visibility.shows(mesh.instance));
    let (skinned, others): (Vec<_>, Vec<_>) =
        shown.partition(|mesh| asset[mesh.instance].skin.is_some());
    let figure: Vec<DVec3> = skinned
        .iter()
        .flat_map(|mesh| &mesh.positions)
        .map(|position| position.as_dvec3())
        .collect();
    let around = Bounds::of(figure.iter().copied());
    let middle = (around.low + around.high) / 2.0;
    let hides = |mesh: &&&DeformedMesh| {
        is_beside(&asset[mesh.instance])
            && holds_most(mesh, &figure)
            && DIRECTIONS
                .iter()
                .all(|direction| meets(asset, mesh, (middle, *direction), f64::INFINITY))
    };
    let hiding = others.iter().filter(hides);
    Ok(hiding.map(|mesh| mesh.instance).collect())
}

/// For each node, whether a joint or a node with a track carries it, or it carries another node.
fn parts(asset: &Asset) -> Vec<bool> {
    let mut carried = asset.bound_joints();
    for clip in &asset.clips {
        let shown = clip.visibility_channels.iter().map(|channel| channel.node);
        for node in clip.drivers().map(|driver| driver.joint).chain(shown) {
            carried[node.index()] = true;
        }
    }
    asset.skeleton.hand_down(&mut carried);
    let nodes = asset.skeleton.nodes().iter();
    for parent in nodes.filter_map(|node| node.parent) {
        carried[parent.index()] = true;
    }
    carried
}

fn holds_most(mesh: &DeformedMesh, figure: &[DVec3]) -> bool {
    let bounds = Bounds::of_f32(&mesh.positions);
    let is_inside =
        |position: &&DVec3| position.cmpge(bounds.low).all() && position.cmple(bounds.high).all();
    2 * figure.iter().filter(is_inside).count() > figure.len()
}

/// Whether the line from a place in a direction meets a triangle of `mesh` that is drawn when seen against that direction.
///
/// * `most` – the length of the line, as a multiple of the direction.
///
/// # Reference
///
/// T. Möller, B. Trumbore, "Fast, Minimum Storage Ray/Triangle Intersection", 1997.
#[doc(hidden)]
#[must_use]
pub fn meets(
    asset: &Asset,
    mesh: &DeformedMesh,
    (start, direction): (DVec3, DVec3),
    most: f64,
) -> bool {
    let instance = &asset[mesh.instance];
    let original = asset.mesh_of(instance);
    let sides = Appearance::of(asset, instance, &Show::LIT).sides(original, mesh);
    original.triangles.iter().any(|corners| {
        let corners = corners.map(|corner| mesh.positions[corner as usize].as_dvec3());
        let edges = [corners[1] - corners[0], corners[2] - corners[0]];
        let across = direction.cross(edges[1]);
        let determinant = edges[0].dot(across);
        // Against the direction, counter-clockwise corners are those with a negative determinant.
        let is_drawn = match sides {
            Sides::Both => true,
            Sides::CounterClockwise => determinant < 0.0,
            Sides::Clockwise => determinant > 0.0,
        };
        let from_corner = start - corners[0];
        let over = from_corner.cross(edges[0]);
        let shares = [from_corner.dot(across), direction.dot(over)].map(|own| own / determinant);
        let distance = edges[1].dot(over) / determinant;
        is_drawn
            && shares.iter().all(|share| *share >= 0.0)
            && shares[0] + shares[1] <= 1.0
            && distance > 0.0
            && distance < most
    })
}

#[cfg(test)]
mod tests {
    use glam::{Vec3, Vec4};

    use super::*;
    use crate::rig::{
        AssetBuilder, Channel, Clip, Finish, LocalTransform, Material, Mesh, NodeId, Skeleton,
        Track, Trs,
    };
    use crate::units::Seconds;

    /// The sides of a cube of half this size around a position, facing outwards, without those whose outward direction is `open`.
    fn cube(middle: Vec3, half: f32, open: Option<Vec3>) -> Mesh {
        let corner = |k: usize| {
            let sign = |bit: usize| if k & bit == 0 { -half } else { half };
            middle + Vec3::new(sign(1), sign(2), sign(4))
        };
        let sides: [([u32; 4], Vec3); 6] = [
            ([0, 4, 6, 2], Vec3::NEG_X),
            ([1, 3, 7, 5], Vec3::X),
            ([0, 1, 5, 4], Vec3::NEG_Y),
            ([2, 6, 7, 3], Vec3::Y),
            ([0, 2, 3, 1], Vec3::NEG_Z),
            ([4, 5, 7, 6], Vec3::Z),
        ];
        let kept = sides.iter().filter(|(_, outward)| Some(*outward) != open);
        Mesh {
            positions: (0..8).map(corner).collect(),
            normals: (0..8).map(|k| (corner(k) - middle).normalize()).collect(),
            triangles: kept
                .flat_map(|([a, b, c, d], _)| [[*a, *b, *c], [*a, *c, *d]])
                .collect(),
            ..Mesh::default()
        }
    }

    /// A skinned cube of size 1 next to which `other` stands, below a node of its own or a joint.
    fn beside(other: Mesh, on_joint: bool) -> Asset {
        let mut rig = AssetBuilder::new();
        let joint = rig.node("joint", None, Trs::IDENTITY);
        let body = rig.mesh(cube(Vec3::ZERO, 0.5, None));
        rig.skin(body, [(); 8].map(|()| [(joint, 1.0)]));
        let parent = on_joint.then_some(joint);
        let node = rig.node("other", parent, Trs::IDENTITY);
        assert_eq!(node, OTHER);
        let other = rig.mesh(other);
        rig.attach(other, node);
        rig.build().expect("it is valid")
    }

    const OTHER: NodeId = NodeId(1);

    fn count(asset: &Asset) -> usize {
        enclosing(asset).expect("it is skinned").len()
    }

    #[test]
    fn a_mesh_around_the_figure_hides_it() {
        for (name, other, on_joint, hiding) in [
            ("around", cube(Vec3::ZERO, 2.0, None), false, 1),
            ("armour", cube(Vec3::ZERO, 2.0, None), true, 0),
            ("stage", cube(Vec3::ZERO, 2.0, Some(Vec3::Y)), false, 0),
            ("beside", cube(Vec3::X * 2.0, 1.0, None), false, 0),
            ("inside", cube(Vec3::ZERO, 0.2, None), false, 0),
        ] {
            assert_eq!(count(&beside(other, on_joint)), hiding, "{name}");
        }
    }

    /// A cube of this material around a figure.
    fn around(alpha: AlphaMode, two_sided: bool) -> Asset {
        let mut asset = beside(cube(Vec3::ZERO, 2.0, None), false);
        asset.materials = vec![Material {
            name: String::new(),
            base_color: Vec4::ONE,
            base_color_texture: None,
            alpha,
            two_sided,
            finish: Finish::default(),
        }];
        asset.meshes[1].material = Some(MaterialId(0));
        asset
    }

    #[test]
    fn only_opaque_materials_hide() {
        for (alpha, hiding) in [
            (AlphaMode::Opaque, 1),
            (AlphaMode::Mask(0.5), 0),
            (AlphaMode::Blend, 0),
        ] {
            assert_eq!(count(&around(alpha, true)), hiding, "{alpha:?}");
        }
    }

    /// The camera sees into a room whose walls are drawn from inside only.
    #[test]
    fn walls_that_are_drawn_from_inside_only_do_not_hide() {
        for (two_sided, inward, mirrored, hiding) in [
            (false, false, false, 1),
            (false, true, false, 0),
            (true, true, false, 1),
            (false, false, true, 1),
            (false, true, true, 0),
        ] {
            let mut asset = around(AlphaMode::Opaque, two_sided);
            if inward {
                let room = &mut asset.meshes[1];
                room.triangles.iter_mut().for_each(|own| own.reverse());
                room.normals.iter_mut().for_each(|own| *own = -*own);
            }
            if mirrored {
                let mut nodes = asset.skeleton.nodes().to_vec();
                nodes[OTHER.index()].rest = LocalTransform::Trs(Trs {
                    scale: Vec3::new(-1.0, 1.0, 1.0),
                    ..Trs::IDENTITY
                });
                asset.skeleton = Skeleton::new(nodes).expect("parents come first");
            }
            let case = (two_sided, inward, mirrored);
            assert_eq!(count(&asset), hiding, "{case:?}");
        }
    }

    #[test]
    fn a_mesh_that_moves_or_shares_a_material_with_the_figure_stays() {
        let mut of_body = around(AlphaMode::Opaque, true);
        of_body.meshes[0].material = Some(MaterialId(0));
        assert_eq!(count(&of_body), 0);
        let mut moved = around(AlphaMode::Opaque, true);
        moved.clips.push(Clip {
            channels: vec![Channel {
                translation: Some(Track::linear([(0.0, Vec3::ZERO), (1.0, Vec3::X)])),
                ..Channel::of(OTHER)
            }],
            ..Clip::new("Drive", Seconds(1.0))
        });
        assert_eq!(count(&moved), 0);
    }
}

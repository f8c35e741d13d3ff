//! What a close-up of a finding shows.

use glam::{Mat4, Vec3};

use super::spot::{Located, instances_named};
use crate::lint::{Finding, pose_of};
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, InstanceId, NodeId, Place};
use crate::view::Show;

/// A finding in a picture.
#[derive(Debug)]
pub(super) struct Subject {
    /// The part of the model that is shown close.
    pub(super) part: Part,
    /// The pose of the finding, if it is about one.
    pub(super) pose: Option<ModelPose>,
    /// What the colours show.
    pub(super) show: Show,
}

/// A part of a model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Part {
    /// A vertex or a joint.
    Spot(Located),
    Mesh(InstanceId),
    Whole,
}

impl Subject {
    /// `None` for a finding that is nowhere in a picture, such as one about a material.
    pub(super) fn of(asset: &Asset, finding: &Finding) -> Option<Self> {
        let place = &finding.place;
        let pose = pose_of(asset, place);
        let is_posed = place.clip.is_some() || place.pose.is_some();
        if is_posed && pose.is_none() {
            return None;
        }
        let part = part(asset, place).or(pose.as_ref().map(|_| Part::Whole))?;
        let show = show(asset, finding);
        Some(Self { part, pose, show })
    }
}

fn part(asset: &Asset, place: &Place) -> Option<Part> {
    if let Some(name) = &place.mesh {
        let has = |instance: &InstanceId| {
            let instance = &asset.instances[instance.index()];
            let count = asset.mesh_of(instance).positions.len();
            place.vertex.is_none_or(|vertex| vertex < count)
        };
        let instance = instances_named(asset, name).find(has)?;
        return Some(match place.vertex {
            Some(vertex) => Part::Spot(Located::Vertex(instance, vertex)),
            None => Part::Mesh(instance),
        });
    }
    joint(asset, place).map(|joint| Part::Spot(Located::Joint(joint)))
}

fn joint(asset: &Asset, place: &Place) -> Option<NodeId> {
    let by_name = || asset.skeleton.find(place.joint.as_deref()?);
    let node = place.node.filter(|node| node.index() < asset.skeleton.len());
    node.or_else(by_name)
}

/// Rules about weights show weights: of the joint that they name, else how many there are.
fn show(asset: &Asset, finding: &Finding) -> Show {
    if !finding.code.0.starts_with('W') || finding.place.mesh.is_none() {
        return Show::LIT;
    }
    match joint(asset, &finding.place) {
        Some(joint) => Show::weights([joint]),
        None => Show::INFLUENCES,
    }
}

/// The bind pose where the model rests: the mesh as stored has axes and a unit of its own, so that it is moved along with
/// the first joint that has a place.
pub(super) fn bind_at_rest(asset: &Asset) -> ModelPose {
    let rest = pose::model_pose(asset, &pose::rest(asset));
    let mut bind = pose::bind(asset);
    let bound = asset.bound_joints();
    let first = asset.skins.first().and_then(|skin| {
        let joint = skin.joints.first()?;
        Some(rest.joints[joint.index()] * *skin.inverse_bind_matrices.first()?)
    });
    let Some(rest_from_bind) = first.filter(is_usable) else {
        return bind;
    };
    let mut moves = vec![false; bound.len()];
    for (id, node) in asset.skeleton.iter() {
        let index = id.index();
        // Parents come first.
        moves[index] = bound[index] || node.parent.is_some_and(|parent| moves[parent.index()]);
        if moves[index] {
            bind.joints[index] = rest_from_bind * bind.joints[index];
        }
    }
    bind
}

fn is_usable(matrix: &Mat4) -> bool {
    matrix.is_finite() && matrix.determinant().abs() > f32::MIN_POSITIVE
}

/// The corners of the box around the vertices of an instance.
pub(super) fn ends(positions: &[Vec3]) -> [Vec3; 2] {
    let finite = positions.iter().filter(|position| position.is_finite());
    let start = [Vec3::INFINITY, Vec3::NEG_INFINITY];
    finite.fold(start, |[low, high], position| {
        [low.min(*position), high.max(*position)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::{Code, Level};
    use crate::rig::{AssetBuilder, Mesh, Trs};
    use crate::units::Seconds;

    fn asset() -> Asset {
        let mut rig = AssetBuilder::new();
        let place = Trs {
            translation: Vec3::X * 5.0,
            ..Trs::IDENTITY
        };
        let root = rig.joint("root", None, place);
        let mesh = rig.mesh(Mesh {
            name: "Body".into(),
            positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y],
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        });
        rig.skin(mesh, [[(root, 1.0)]; 3]);
        let mut asset = rig.build().expect("it is whole");
        asset.clips.push(crate::pose::rigs::clip("Run", 0.0, 1.0));
        asset
    }

    fn subject(code: &'static str, place: Place) -> Option<Subject> {
        let finding = Finding {
            code: Code(code),
            level: Level::Warning,
            place,
            origin: None,
            message: String::new(),
            count: 1,
            counted: "vertex",
            tells_all: false,
            value: None,
            limit: None,
            accepted: None,
        };
        Subject::of(&asset(), &finding)
    }

    #[test]
    fn a_place_is_a_vertex_a_mesh_a_joint_or_the_whole_model_in_a_pose() {
        let part = |place| subject("D602", place).map(|subject| subject.part);
        let vertex = Part::Spot(Located::Vertex(InstanceId(0), 2));
        assert_eq!(part(Place::mesh("Body").vertex(2)), Some(vertex));
        assert_eq!(part(Place::mesh("Body")), Some(Part::Mesh(InstanceId(0))));
        let joint = Part::Spot(Located::Joint(NodeId(0)));
        assert_eq!(part(Place::joint("root")), Some(joint));
        let run = Place::clip("Run").at(Seconds(0.5));
        assert_eq!(part(run), Some(Part::Whole));
        for nowhere in [
            Place::FILE,
            Place::material("Skin"),
            Place::mesh("Head"),
            Place::mesh("Body").vertex(9),
            Place::mesh("Body").in_clip("Walk"),
        ] {
            assert_eq!(part(nowhere.clone()), None, "{nowhere}");
        }
    }

    #[test]
    fn rules_about_weights_show_weights() {
        let show = |code, place| subject(code, place).map(|subject| subject.show);
        let of_joint = Place::mesh("Body").of_joint("root");
        assert_eq!(show("W114", of_joint), Some(Show::weights([NodeId(0)])));
        assert_eq!(show("W106", Place::mesh("Body")), Some(Show::INFLUENCES));
        assert_eq!(show("D602", Place::mesh("Body")), Some(Show::LIT));
    }

    #[test]
    fn the_bind_pose_is_where_the_model_rests() {
        let mut asset = asset();
        asset.skins[0].inverse_bind_matrices[0] = Mat4::from_scale(Vec3::splat(0.01));
        let joint = bind_at_rest(&asset).joints[0];
        assert!(joint.w_axis.truncate().abs_diff_eq(Vec3::X * 5.0, 1e-5));
    }
}

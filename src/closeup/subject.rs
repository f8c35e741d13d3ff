//! The subject of a close-up.

use glam::{Mat3, Mat4, Vec3};

use super::spot::Located;
use crate::finding::Finding;
use crate::lint::{Measure, Rule, find_rule};
use crate::pose::{self, ModelPose, RangePose};
use crate::rig::{Asset, ClipId, Ids, InstanceId, Location, NodeId, PoseName};
use crate::units::Seconds;
use crate::view::Show;

/// The part, pose and colours that show a finding.
#[derive(Debug)]
pub(super) struct Subject {
    /// The part of the model that the close-up shows.
    pub(super) part: Part,
    /// The other joint of a finding about two.
    pub(super) other: Option<NodeId>,
    /// All vertices of the mesh with the fault.
    pub(super) vertices: Vec<u32>,
    /// The pose of the finding, if it is about one.
    pub(super) posing: Option<Posing>,
    pub(super) pose: Option<ModelPose>,
    /// The colours of the surface.
    pub(super) colors: Colors,
}

/// Where the pose of a finding comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Posing {
    Clip(ClipId, Seconds),
    Range(RangePose),
}

/// The colours of a close-up.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Colors {
    Mode(Show),
    /// A number that a rule computes.
    Measure(Measure),
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
    /// `None` for a finding that no image can show, such as one about a material, or about a mesh of which no part is marked.
    pub(super) fn of(asset: &Asset, finding: &Finding) -> Option<Self> {
        let location = &finding.location;
        let posing = posing(asset, location);
        let pose = posing.map(|posing| posing.pose(asset));
        let is_posed = location.clip.is_some() || location.pose.is_some();
        if is_posed && pose.is_none() {
            return None;
        }
        let part = part(asset, location).or(pose.as_ref().map(|_| Part::Whole))?;
        let colors = colors(finding);
        let is_plain = pose.is_none() && colors == Colors::Mode(Show::LIT);
        if is_plain && matches!(part, Part::Mesh(_)) {
            return None;
        }
        let other = location.ids.other_node;
        let instance = location.ids.instance;
        let vertices = instance.map_or(&[][..], |own| finding.affected.vertices_of(own));
        Some(Self {
            part,
            other: other.filter(|other| other.index() < asset.skeleton.len()),
            vertices: vertices.to_vec(),
            posing,
            pose,
            colors,
        })
    }
}

/// The pose that `location` names: a clip at a time, or at its start, or a pose of the range of motion.
fn posing(asset: &Asset, location: &Location) -> Option<Posing> {
    if let Some(pose) = &location.pose {
        let PoseName::Range(range) = pose else {
            return None;
        };
        return Some(Posing::Range(range.clone().find(asset).ok()?));
    }
    let id = location.ids.clip?;
    let clip = asset.clips.get(id.index())?;
    Some(Posing::Clip(id, location.time.unwrap_or(clip.start)))
}

impl Posing {
    fn pose(self, asset: &Asset) -> ModelPose {
        let local = match self {
            Self::Clip(clip, time) => pose::sample_finite(asset, &asset[clip], time),
            Self::Range(range) => range.pose(asset),
        };
        pose::model_pose(asset, &local)
    }
}

fn part(asset: &Asset, location: &Location) -> Option<Part> {
    match (location.ids, location.vertex) {
        (
            Ids {
                node: Some(node), ..
            },
            None,
        ) => Some(Part::Spot(Located::Joint(node))),
        (
            Ids {
                instance: Some(instance),
                ..
            },
            None,
        ) => Some(Part::Mesh(instance)),
        (
            Ids {
                instance: Some(instance),
                ..
            },
            Some(vertex),
        ) => {
            let mesh = asset.mesh_of(&asset[instance]);
            let has_it = vertex < mesh.positions.len();
            has_it.then_some(Part::Spot(Located::Vertex(instance, vertex)))
        }
        _ => None,
    }
}

/// Rules that measure show their measure, rules about normals the normals, and rules about two joints the limbs of both. Rules about
/// weights show the weights of the joint that they are about, else the number of influences.
fn colors(finding: &Finding) -> Colors {
    let rule = find_rule(finding.code.0);
    if let Some(measure) = rule.and_then(Rule::measure) {
        return Colors::Measure(measure);
    }
    let family = rule.and_then(|rule| rule.meta().family());
    let shows_weights = family.is_some_and(|family| family.shows_weights);
    if rule.is_some_and(|rule| rule.meta().attribute == Some("NORMAL")) {
        return Colors::Mode(Show::NORMALS);
    }
    let ids = finding.location.ids;
    if let (Some(joint), Some(other)) = (ids.node, ids.other_node) {
        return Colors::Mode(Show::weights([joint, other]));
    }
    Colors::Mode(match ids.node.or(ids.influence) {
        _ if !shows_weights => Show::LIT,
        Some(joint) => Show::weights([joint]),
        None if finding.location.mesh.is_none() => Show::LIT,
        None => Show::INFLUENCES,
    })
}

/// The bind pose, moved to where the model rests: the mesh as stored has its own axes and unit, so it is rotated, scaled and
/// translated to match the rest positions of its joints.
///
/// * `rest` – the rest pose of `asset`.
pub(super) fn bind_at_rest(asset: &Asset, rest: &ModelPose) -> ModelPose {
    let mut bind = pose::bind(asset);
    let bound = asset.bound_joints();
    let joints = (0..bound.len()).filter(|joint| bound[*joint]);
    let origins = |pose: &ModelPose| -> Vec<Vec3> {
        let own = joints
            .clone()
            .map(|joint| pose.nodes[joint].w_axis.truncate());
        own.collect()
    };
    let Some(rest_from_bind) = similarity(&origins(&bind), &origins(rest)) else {
        return bind;
    };
    let mut moves = vec![false; bound.len()];
    for (id, node) in asset.skeleton.iter() {
        let index = id.index();
        // Parents come first.
        moves[index] = bound[index] || node.parent.is_some_and(|parent| moves[parent.index()]);
        if moves[index] {
            bind.nodes[index] = rest_from_bind * bind.nodes[index];
        }
    }
    bind
}

/// The similarity that maps points closest to their counterparts. Scale and translation follow from the means and spreads;
/// the rotation is the best of the 24 that map axes to axes, because the axes of files differ only by right angles.
/// `None` if the points have no extent.
fn similarity(from: &[Vec3], to: &[Vec3]) -> Option<Mat4> {
    let (from_middle, from_size) = spread(from);
    let (to_middle, to_size) = spread(to);
    let scale = to_size / from_size;
    // This form refuses NaN.
    if !(scale > 0.0 && scale.is_finite()) {
        return None;
    }
    let apart = |rotation: &Mat3| -> f32 {
        let pairs = from.iter().zip(to);
        let apart = pairs.map(|(from, to)| {
            let moved = *rotation * (*from - from_middle) * scale;
            moved.distance_squared(*to - to_middle)
        });
        apart.sum()
    };
    let rotations = right_angles();
    let best = rotations
        .iter()
        .min_by(|a, b| apart(a).total_cmp(&apart(b)))?;
    Some(
        Mat4::from_translation(to_middle)
            * Mat4::from_mat3(*best * scale)
            * Mat4::from_translation(-from_middle),
    )
}

/// The mean of points, and their distance from it (root mean square).
#[expect(clippy::cast_precision_loss, reason = "a number of joints")]
fn spread(points: &[Vec3]) -> (Vec3, f32) {
    let count = points.len().max(1) as f32;
    let middle = points.iter().sum::<Vec3>() / count;
    let squares = points.iter().map(|point| point.distance_squared(middle));
    (middle, (squares.sum::<f32>() / count).sqrt())
}

/// The 24 rotations that map axes to axes, the identity first.
fn right_angles() -> Vec<Mat3> {
    let axes = Vec3::AXES.into_iter().flat_map(|axis| [axis, -axis]);
    let pairs = axes.clone().flat_map(|x| axes.clone().map(move |y| (x, y)));
    let across = pairs.filter(|(x, y)| x.dot(*y).abs() < 0.5);
    across
        .map(|(x, y)| Mat3::from_cols(x, y, x.cross(y)))
        .collect()
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
    use crate::finding::{Code, Level};
    use crate::lint::{Context, Settings};
    use crate::rig::{AssetBuilder, Mesh, NodeId, Trs};
    use crate::units::Seconds;

    fn asset() -> Asset {
        let mut rig = AssetBuilder::new();
        let root_rest = Trs {
            translation: Vec3::X * 5.0,
            ..Trs::IDENTITY
        };
        let root = rig.node("root", None, root_rest);
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

    fn subject(code: &'static str, location: &Location) -> Option<Subject> {
        let (asset, settings) = (asset(), Settings::default());
        let cx = Context::new(&asset, "".as_ref(), &settings);
        let location = cx.location(cx.subject(location));
        let finding = Finding::new(Code(code), Level::Warning, location, "");
        Subject::of(&asset, &finding)
    }

    #[test]
    fn a_location_is_a_vertex_a_mesh_a_joint_or_the_whole_model_in_a_pose() {
        let part = |location: Location| subject("D602", &location).map(|subject| subject.part);
        let vertex = Part::Spot(Located::Vertex(InstanceId(0), 2));
        assert_eq!(part(Location::mesh("Body").vertex(2)), Some(vertex));
        assert_eq!(
            part(Location::mesh("Body")),
            Some(Part::Mesh(InstanceId(0)))
        );
        let joint = Part::Spot(Located::Joint(NodeId(0)));
        assert_eq!(part(Location::joint("root")), Some(joint));
        let run = Location::clip("Run").at(Seconds(0.5));
        assert_eq!(part(run), Some(Part::Whole));
        for nowhere in [
            Location::FILE,
            Location::material("Skin"),
            Location::mesh("Head"),
            Location::mesh("Body").vertex(9),
            Location::mesh("Body").in_clip("Walk"),
        ] {
            assert_eq!(part(nowhere.clone()), None, "{nowhere}");
        }
    }

    #[test]
    fn a_finding_of_the_range_of_motion_is_drawn_in_its_pose() {
        let pose = |name: &str| {
            let location = Location {
                pose: Some(name.parse().expect("it is a pose")),
                ..Location::mesh("Body")
            };
            subject("D602", &location)?.pose
        };
        assert_ne!(
            pose("rom:root:x:+30").expect("it has the joint"),
            pose("rest").expect("it is one")
        );
        assert_eq!(pose("rom:tail:x:+30"), None);
    }

    #[test]
    fn rules_about_weights_show_weights() {
        let colors =
            |code, location: Location| subject(code, &location).map(|subject| subject.colors);
        let of_joint = Location::mesh("Body").of_joint("root");
        let weights = Colors::Mode(Show::weights([NodeId(0)]));
        assert_eq!(colors("W114", of_joint), Some(weights.clone()));
        assert_eq!(
            colors("W119", Location::joint("root")),
            Some(weights.clone())
        );
        let mut of_influence = Location::mesh("Body").vertex(1);
        of_influence.ids.influence = Some(NodeId(0));
        assert_eq!(colors("W115", of_influence), Some(weights));
        let mode = |code| colors(code, Location::mesh("Body"));
        assert_eq!(mode("W106"), Some(Colors::Mode(Show::INFLUENCES)));
        let posed = Location::mesh("Body").in_clip("Run");
        assert_eq!(colors("D606", posed), Some(Colors::Mode(Show::LIT)));
        assert_eq!(mode("G810"), Some(Colors::Mode(Show::NORMALS)));
        assert_eq!(mode("G817"), None, "an image would mark nothing");
        assert_eq!(mode("D602"), Some(Colors::Measure(Measure::Stretch)));
    }

    #[test]
    fn both_limbs_of_a_finding_about_two_are_shown() {
        let mut location = Location::joint("root");
        location.ids.other_node = Some(NodeId(0));
        let found = subject("D611", &location).expect("it is a joint");
        assert_eq!(found.other, Some(NodeId(0)));
        assert_eq!(found.colors, Colors::Mode(Show::weights([NodeId(0)])));
        let mut nowhere = Location::joint("root");
        nowhere.ids.other_node = Some(NodeId(9));
        assert_eq!(
            subject("D602", &nowhere).expect("it is a joint").other,
            None
        );
    }

    #[test]
    fn points_with_other_axes_and_unit_are_brought_back() {
        assert_eq!(right_angles().len(), 24);
        assert_eq!(right_angles()[0], Mat3::IDENTITY);
        let to = [Vec3::ZERO, Vec3::Y, Vec3::new(0.5, 1.2, 0.1), Vec3::X * 0.3];
        for rotation in right_angles() {
            let away = Mat4::from_translation(Vec3::new(7.0, -2.0, 3.0))
                * Mat4::from_mat3(rotation * 100.0);
            let from = to.map(|point| away.transform_point3(point));
            let back = similarity(&from, &to).expect("they have an extent");
            for (from, to) in from.iter().zip(to) {
                let moved = back.transform_point3(*from);
                assert!(moved.abs_diff_eq(to, 1e-4), "{rotation}: {moved} {to}");
            }
        }
        assert_eq!(similarity(&[Vec3::ONE], &[Vec3::ZERO]), None);
    }
}

//! The subject of a close-up.

use super::bound;
use super::spot::Located;
use crate::finding::{Code, Finding};
use crate::lint::{Described, Measure, RuleMeta, Settings, find_rule};
use crate::pose::{self, ModelPose, RangePose};
use crate::rig::{Asset, ClipId, InstanceId, Location, NodeId, PoseName, SkinningOptions};
use crate::units::Seconds;
use crate::view::Show;

/// The part, pose and colours that show a finding.
#[derive(Debug)]
pub(super) struct Subject {
    /// The part of the model that the close-up shows.
    pub(super) part: Part,
    /// All vertices of the mesh with the fault.
    pub(super) vertices: Vec<u32>,
    pub(super) posing: Posing,
    /// The colours of the surface.
    pub(super) colors: Colors,
    /// Whether the triangles between the vertices with the fault are marked.
    pub(super) marks_triangles: bool,
    /// The place that a line joins to that of the finding: the other end of a stretched edge or of a crack, or the parent of a joint at
    /// a wrong distance from it.
    pub(super) joined: Option<Located>,
    /// Whether the fault is a small movement between the pose and those beside it.
    pub(super) is_small: bool,
    /// Whether the finding is a rotation between the pose and those beside it, which is seen along its axis.
    pub(super) is_rotation: bool,
    /// Poses to compare with: before the pose of the finding, and after it.
    pub(super) beside: [Vec<Beside>; 2],
}

/// A pose to compare with, how it is skinned, and its caption.
#[derive(Debug)]
pub(super) struct Beside {
    pub(super) pose: ModelPose,
    pub(super) skinning: SkinningOptions,
    pub(super) caption: String,
}

impl Beside {
    fn new(pose: ModelPose, caption: &str) -> Self {
        Self {
            pose,
            skinning: SkinningOptions::default(),
            caption: caption.to_owned(),
        }
    }
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
    ///
    /// * `settings` – those by which it was found.
    pub(super) fn of(asset: &Asset, finding: &Finding, settings: &Settings) -> Option<Self> {
        let location = &finding.location;
        let is_posed = location.clip.is_some() || location.pose.is_some();
        let posing = posing(asset, location)?;
        let part = part(asset, location).or(is_posed.then_some(Part::Whole))?;
        let colors = colors(finding);
        let is_plain = !is_posed && colors == Colors::Mode(Show::LIT);
        if is_plain && matches!(part, Part::Mesh(_)) {
            return None;
        }
        let instance = location.ids.instance;
        let vertices = instance.map_or(&[][..], |own| finding.affected.vertices_of(own));
        Some(Self {
            part,
            vertices: vertices.to_vec(),
            posing,
            colors,
            marks_triangles: finding.code.0 == "D604",
            joined: joined(asset, finding),
            is_small: finding.code.0 == "W107",
            is_rotation: matches!(finding.code.0, "B205" | "C514" | "C528"),
            beside: beside(asset, finding, posing, settings),
        })
    }

    /// The length of the longest bone at the joint, or at the one that moves the vertex most.
    pub(super) fn bones(&self, asset: &Asset, pose: &ModelPose) -> f32 {
        let joint = match self.part {
            Part::Spot(Located::Joint(joint)) => Some(joint),
            Part::Spot(Located::Vertex(instance, vertex)) => {
                strongest_joint(asset, instance, vertex)
            }
            _ => None,
        };
        let Some(joint) = joint else {
            return 0.0;
        };
        let nodes = asset.skeleton.iter();
        let bones = nodes.filter_map(|(node, own)| {
            let parent = own.parent?;
            let is_at_joint = node == joint || parent == joint;
            let [here, there] = [node, parent].map(|own| pose[own].w_axis.truncate());
            let length = here.distance(there);
            (is_at_joint && length.is_finite()).then_some(length)
        });
        bones.fold(0.0, f32::max)
    }

    /// The mesh that the finding is about.
    pub(super) fn instance(&self) -> Option<InstanceId> {
        match self.part {
            Part::Spot(Located::Vertex(instance, _)) | Part::Mesh(instance) => Some(instance),
            _ => None,
        }
    }
}

/// The pose that `location` names: a clip at a time, or at its start, or a pose of the range of motion; the rest pose if it names
/// none.
fn posing(asset: &Asset, location: &Location) -> Option<Posing> {
    match (&location.pose, &location.clip) {
        (Some(PoseName::Range(range)), _) => Some(Posing::Range(range.clone().find(asset).ok()?)),
        (Some(_), _) => None,
        (None, Some(_)) => {
            let id = location.ids.clip?;
            let clip = asset.clips.get(id.index())?;
            Some(Posing::Clip(id, location.time.unwrap_or(clip.start)))
        }
        (None, None) => Some(Posing::Range(RangePose::Rest)),
    }
}

fn joined(asset: &Asset, finding: &Finding) -> Option<Located> {
    let ids = finding.location.ids;
    match finding.code.0 {
        "D602" | "D606" => vertex(asset, ids.instance?, ids.other_vertex?),
        "C530" => asset.skeleton.get(ids.node?)?.parent.map(Located::Joint),
        _ => None,
    }
}

fn vertex(asset: &Asset, instance: InstanceId, vertex: usize) -> Option<Located> {
    let mesh = asset.mesh_of(&asset[instance]);
    (vertex < mesh.positions.len()).then_some(Located::Vertex(instance, vertex))
}

/// The joint with the largest weight at a vertex.
pub(super) fn strongest_joint(
    asset: &Asset,
    instance: InstanceId,
    vertex: usize,
) -> Option<NodeId> {
    let instance = &asset[instance];
    let influences = asset.mesh_of(instance).influences.of(vertex).iter();
    let strongest = influences.max_by(|a, b| a.weight.total_cmp(&b.weight))?;
    let joints = &asset.skin_of(instance)?.joints;
    joints.get(strongest.slot.index()).copied()
}

/// Whether one image, or poses beside each other, show what is wrong. A transform that is ignored, the scale of a skeleton and jitter
/// are not seen in them.
pub(crate) fn shows_in_still(code: Code) -> bool {
    !matches!(code.0, "B207" | "B209" | "C529")
}

/// The poses that show what is wrong with the pose of a finding: the bind pose that a rest pose differs from, the frames before and
/// after a pop or a jump, the next key after half a turn, the rest pose whose lengths a clip does not keep, and the pose with fewer
/// weights.
fn beside(
    asset: &Asset,
    finding: &Finding,
    posing: Posing,
    settings: &Settings,
) -> [Vec<Beside>; 2] {
    let in_clip = |frames: f64, caption| {
        let Posing::Clip(id, time) = posing else {
            return Vec::new();
        };
        let clip = &asset[id];
        let time = time.0 + frames / pose::frame_rate(clip);
        let time = Seconds(time.clamp(clip.start.0, clip.end.0));
        vec![Beside::new(Posing::Clip(id, time).pose(asset), caption)]
    };
    match finding.code.0 {
        "B205" => [
            vec![Beside::new(bound::in_place(asset), "bind pose")],
            Vec::new(),
        ],
        "C514" => {
            let next = next_key(asset, finding.location.ids.node, posing);
            let next = next.map(|pose| Beside::new(pose, "next key"));
            [Vec::new(), next.into_iter().collect()]
        }
        "C523" | "C528" => [
            in_clip(-1.0, "a frame before"),
            in_clip(1.0, "a frame after"),
        ],
        "C530" => {
            let rest = Posing::Range(RangePose::Rest).pose(asset);
            [vec![Beside::new(rest, "rest pose")], Vec::new()]
        }
        "W107" => {
            let most = settings.most_influences();
            let cut = most.map(|most| Beside {
                skinning: SkinningOptions {
                    max_influences: Some(most),
                    ..SkinningOptions::default()
                },
                ..Beside::new(posing.pose(asset), &format!("cut to {most} weights"))
            });
            [Vec::new(), cut.into_iter().collect()]
        }
        _ => [Vec::new(), Vec::new()],
    }
}

/// The pose at the next key of a joint's rotation.
fn next_key(asset: &Asset, joint: Option<NodeId>, posing: Posing) -> Option<ModelPose> {
    let Posing::Clip(id, time) = posing else {
        return None;
    };
    let track = asset[id].channel_of(joint?)?.rotation.as_ref()?;
    let mut times = track.keys.iter().map(|key| key.time);
    let next = times.find(|own| own.0 > time.0)?;
    Some(Posing::Clip(id, next).pose(asset))
}

impl Posing {
    pub(super) fn pose(self, asset: &Asset) -> ModelPose {
        let local = match self {
            Self::Clip(clip, time) => pose::sample_finite(asset, &asset[clip], time),
            Self::Range(range) => range.pose(asset),
        };
        pose::model_pose(asset, &local)
    }
}

fn part(asset: &Asset, location: &Location) -> Option<Part> {
    let ids = location.ids;
    match (ids.node, ids.instance, location.vertex) {
        (Some(node), _, None) => Some(Part::Spot(Located::Joint(node))),
        (_, Some(instance), None) => Some(Part::Mesh(instance)),
        (_, Some(instance), Some(own)) => vertex(asset, instance, own).map(Part::Spot),
        _ => None,
    }
}

/// Rules that measure show their measure, rules about normals the normals. Of rules about weights, W103 shows their sums; others show
/// the weights of the joint that they are about, else the number of influences.
pub(super) fn colors(finding: &Finding) -> Colors {
    let code = finding.code.0;
    if let Some(measure) = Measure::of_rule(code) {
        return Colors::Measure(measure);
    }
    let meta = find_rule(code).map(Described::meta);
    if meta.is_some_and(|meta| meta.attribute == Some("NORMAL")) {
        return Colors::Mode(Show::NORMALS);
    }
    let family = meta.and_then(RuleMeta::family);
    let ids = finding.location.ids;
    Colors::Mode(match ids.node.or(ids.influence) {
        _ if !family.is_some_and(|family| family.shows_weights) => Show::LIT,
        _ if code == "W103" => Show::SUM,
        Some(joint) => Show::weights([joint]),
        None if finding.location.mesh.is_none() => Show::LIT,
        None => Show::INFLUENCES,
    })
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU32;

    use glam::Vec3;

    use super::*;
    use crate::finding::Level;
    use crate::lint::{Context, MAX_INFLUENCES};
    use crate::rig::{AssetBuilder, Mesh, Trs};
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
        subject_by(&Settings::default(), code, location)
    }

    fn subject_by(settings: &Settings, code: &'static str, location: &Location) -> Option<Subject> {
        let asset = asset();
        let cx = Context::new(&asset, "".as_ref(), settings);
        let location = cx.named(cx.resolved(location));
        let finding = Finding::new(Code(code), Level::Warning, location, "");
        Subject::of(&asset, &finding, settings)
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
            subject("D602", &location).map(|subject| subject.posing)
        };
        assert_ne!(
            pose("rom:root:x:+30").expect("it has the joint"),
            pose("rest").expect("it is one")
        );
        let of_missing_joint = pose("rom:tail:x:+30");
        assert_eq!(of_missing_joint, pose("rest"));
    }

    #[test]
    fn a_vertex_is_cut_to_as_many_weights_as_the_finding_was_judged_by() {
        let cut = |settings: &Settings| {
            let vertex = Location::mesh("Body").vertex(0);
            let subject = subject_by(settings, "W107", &vertex).expect("it is drawn");
            let [_, after] = subject.beside;
            let most = |beside: &Beside| beside.skinning.max_influences.map(NonZeroU32::get);
            after
                .iter()
                .map(|own| (own.caption.clone(), most(own)))
                .collect::<Vec<_>>()
        };
        let mut two = Settings::default();
        two.limits.insert(MAX_INFLUENCES, 2.0);
        assert_eq!(cut(&two), [("cut to 2 weights".to_owned(), Some(2))]);
        let four = Settings::default();
        assert_eq!(cut(&four), [("cut to 4 weights".to_owned(), Some(4))]);
    }

    #[test]
    fn half_a_turn_is_shown_at_both_of_its_keys() {
        let (asset, settings) = (crate::rig::leg(), Settings::default());
        let cx = Context::new(&asset, "".as_ref(), &settings);
        let beside = |time: f64| {
            let knee = Location::joint("knee").in_clip("kick").at(Seconds(time));
            let location = cx.named(cx.resolved(&knee));
            let finding = Finding::new(Code("C514"), Level::Hint, location, "");
            let subject = Subject::of(&asset, &finding, &settings).expect("it is drawn");
            let [_, after] = subject.beside;
            let knee = NodeId(1);
            let ends = after.iter().map(|own| own.pose[knee].x_axis.x);
            ends.collect::<Vec<f32>>()
        };
        assert_eq!(beside(0.0), [-1.0]);
        assert!(beside(1.0).is_empty(), "there is no later key");
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
        assert_eq!(colors("W114", of_influence), Some(weights));
        let mode = |code| colors(code, Location::mesh("Body"));
        assert_eq!(mode("W106"), Some(Colors::Mode(Show::INFLUENCES)));
        assert_eq!(mode("W103"), Some(Colors::Mode(Show::SUM)));
        let posed = Location::mesh("Body").in_clip("Run");
        assert_eq!(colors("D606", posed), Some(Colors::Mode(Show::LIT)));
        assert_eq!(mode("G810"), Some(Colors::Mode(Show::NORMALS)));
        assert_eq!(mode("G817"), None, "an image would mark nothing");
        assert_eq!(mode("D602"), Some(Colors::Measure(Measure::Stretch)));
    }
}

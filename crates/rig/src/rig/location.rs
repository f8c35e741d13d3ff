//! Locations in a model, by the file's names and by ids.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::clip::ChannelId;
use super::ids::{ClipId, ExpressionId, InstanceId, MaterialId, NodeId, PrimitiveId, SkinId};
use super::part::Part;
use super::pose_name::PoseName;
use crate::shown::escaped;
use crate::units::{Seconds, counted, first_few, time_with_frame, without_trailing_zeros};

/// Most joints of a vertex in the text form.
const MOST_JOINTS: usize = 4;

/// A location in a model. Fields that do not apply are empty.
///
/// Names, clip and part identify the subject, and survive a re-export. Vertex, joints with weights, and time give the
/// position in it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Location {
    /// A mesh, by name; without a name, by its node's.
    pub mesh: Option<String>,
    /// A skin.
    pub skin: Option<String>,
    /// A joint, or any other node.
    pub joint: Option<String>,
    /// Whether `joint` is a node of a skinned model that is not a joint.
    pub plain: bool,
    /// Whether the model has another mesh or clip of the same name, so that only the ids identify it.
    pub ambiguous: bool,
    /// A material.
    pub material: Option<String>,
    /// A clip.
    pub clip: Option<String>,
    /// Such as `rotation`, or a path into the file such as `animations[0].channels[3]`.
    #[serde(serialize_with = "in_words", deserialize_with = "from_words")]
    #[cfg_attr(feature = "testing", schemars(with = "Option<String>"))]
    pub part: Option<Part>,
    /// A vertex of the mesh, from 0.
    pub vertex: Option<usize>,
    /// The vertex's influences, the strongest first.
    pub joints: Vec<NamedWeight>,
    /// Absolute in the clip.
    pub time: Option<Seconds>,
    /// The frame of the clip at this time, counted from 0 s, if the clip's frame rate is known. Whole if the time is close to a frame, otherwise to the hundredth.
    pub frame: Option<f64>,
    /// A pose outside any clip, as `--pose` names it: `rest`, or `rom:Elbow:x:+30`.
    #[cfg_attr(feature = "testing", schemars(with = "Option<String>"))]
    pub pose: Option<PoseName>,
    /// The ids of these parts in the asset, where names may repeat. They are not part of the identity. If two versions
    /// of a model are compared, they are ids in the one before.
    pub ids: Ids,
}

/// An influence of a vertex.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct NamedWeight {
    /// The name of the joint.
    pub joint: String,
    /// Its weight; `null` if it is not finite.
    #[serde(serialize_with = "shortest", deserialize_with = "number")]
    #[cfg_attr(feature = "testing", schemars(with = "f64"))]
    pub weight: f32,
    /// The joint in the asset, where known.
    pub id: Option<NodeId>,
}

/// For people and programs, with as few digits as distinguish an f32 from its neighbours.
#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference to the field"
)]
fn shortest<S: Serializer>(weight: &f32, serializer: S) -> Result<S::Ok, S::Error> {
    if !serializer.is_human_readable() {
        return weight.serialize(serializer);
    }
    let digits: f64 = weight.to_string().parse().unwrap_or(f64::NAN);
    digits.serialize(serializer)
}

/// For people and programs, words.
#[expect(clippy::ref_option, reason = "serde passes a reference to the field")]
pub(crate) fn in_words<T: fmt::Display + Serialize, S: Serializer>(
    field: &Option<T>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    if serializer.is_human_readable() {
        let words = field.as_ref().map(ToString::to_string);
        return words.serialize(serializer);
    }
    field.serialize(serializer)
}

/// Reads what [`in_words`] wrote: from a report for programs, only the words.
pub(crate) fn from_words<'de, T, D>(deserializer: D) -> Result<Option<T>, D::Error>
where
    T: Deserialize<'de> + From<String>,
    D: Deserializer<'de>,
{
    if deserializer.is_human_readable() {
        let words: Option<String> = Deserialize::deserialize(deserializer)?;
        return Ok(words.map(T::from));
    }
    Deserialize::deserialize(deserializer)
}

/// Reads a number; one that is not finite is `null` in JSON.
pub(crate) fn number<'de, T, D>(deserializer: D) -> Result<T, D::Error>
where
    T: Deserialize<'de> + From<f32>,
    D: Deserializer<'de>,
{
    if deserializer.is_human_readable() {
        let number: Option<T> = Deserialize::deserialize(deserializer)?;
        return Ok(number.unwrap_or_else(|| f32::NAN.into()));
    }
    T::deserialize(deserializer)
}

/// The parts of an asset that a [`Location`] names, where known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Ids {
    /// An instance of the mesh.
    pub instance: Option<InstanceId>,
    /// The primitive of the mesh.
    pub primitive: Option<PrimitiveId>,
    /// The skin.
    pub skin: Option<SkinId>,
    /// The joint, or other node.
    pub node: Option<NodeId>,
    /// The joint whose weight a fault at a vertex is about.
    pub influence: Option<NodeId>,
    /// The material.
    pub material: Option<MaterialId>,
    /// The clip.
    pub clip: Option<ClipId>,
    /// The channel of the clip.
    pub channel: Option<ChannelId>,
    /// The expression.
    pub expression: Option<ExpressionId>,
    /// The morph target of the mesh.
    pub target: Option<usize>,
    /// The vertex at the other end of the edge that a fault is about.
    pub other_vertex: Option<usize>,
}

impl Ids {
    /// Nothing is known.
    pub const NONE: Self = Self {
        instance: None,
        primitive: None,
        skin: None,
        node: None,
        influence: None,
        material: None,
        clip: None,
        channel: None,
        expression: None,
        target: None,
        other_vertex: None,
    };
}

impl Location {
    /// The file as a whole.
    pub const FILE: Self = Self {
        mesh: None,
        skin: None,
        joint: None,
        plain: false,
        ambiguous: false,
        material: None,
        clip: None,
        part: None,
        vertex: None,
        joints: Vec::new(),
        time: None,
        frame: None,
        pose: None,
        ids: Ids::NONE,
    };

    /// A mesh.
    #[must_use]
    pub fn mesh(name: impl Into<String>) -> Self {
        Self {
            mesh: Some(name.into()),
            ..Self::FILE
        }
    }

    /// A skin.
    #[must_use]
    pub fn skin(name: impl Into<String>) -> Self {
        Self {
            skin: Some(name.into()),
            ..Self::FILE
        }
    }

    /// A joint, or any other node.
    #[must_use]
    pub fn joint(name: impl Into<String>) -> Self {
        Self {
            joint: Some(name.into()),
            ..Self::FILE
        }
    }

    /// A material.
    #[must_use]
    pub fn material(name: impl Into<String>) -> Self {
        Self {
            material: Some(name.into()),
            ..Self::FILE
        }
    }

    /// A clip.
    #[must_use]
    pub fn clip(name: impl Into<String>) -> Self {
        Self {
            clip: Some(name.into()),
            ..Self::FILE
        }
    }

    /// The same location, in the clip called `name`.
    #[must_use]
    pub fn in_clip(mut self, name: impl Into<String>) -> Self {
        self.clip = Some(name.into());
        self
    }

    /// The same location, of the joint called `name`.
    #[must_use]
    pub fn of_joint(mut self, name: impl Into<String>) -> Self {
        self.joint = Some(name.into());
        self
    }

    /// The same location, in `clip`, which is called `name`.
    #[must_use]
    pub fn in_clip_of(self, clip: ClipId, name: impl Into<String>) -> Self {
        self.clip_id(clip).in_clip(name)
    }

    /// The same location, in a clip, by its id alone.
    #[must_use]
    pub fn clip_id(mut self, clip: ClipId) -> Self {
        self.ids.clip = Some(clip);
        self
    }

    /// The same location, of a joint or another node, by its id alone.
    #[must_use]
    pub fn joint_id(mut self, joint: NodeId) -> Self {
        self.ids.node = Some(joint);
        self
    }

    /// The same location, of a channel of the clip, by its id alone.
    #[must_use]
    pub fn channel_id(mut self, channel: ChannelId) -> Self {
        self.ids.channel = Some(channel);
        self.joint_id(channel.node).part(channel.path)
    }

    /// The same location, of a skin, by its id alone.
    #[must_use]
    pub fn skin_id(mut self, skin: SkinId) -> Self {
        self.ids.skin = Some(skin);
        self
    }

    /// The same location, of `skin`, which is called `name`.
    #[must_use]
    #[doc(hidden)]
    pub fn of_skin(mut self, skin: SkinId, name: impl Into<String>) -> Self {
        self.skin = Some(name.into());
        self.skin_id(skin)
    }

    /// The same location, of `node`, which is called `name`.
    #[must_use]
    pub fn of_node(self, node: NodeId, name: impl Into<String>) -> Self {
        self.joint_id(node).of_joint(name)
    }

    /// The same location, at a primitive of the mesh.
    #[must_use]
    #[doc(hidden)]
    pub fn of_primitive(mut self, primitive: PrimitiveId) -> Self {
        self.ids.primitive = Some(primitive);
        self
    }

    /// The same location, of a channel of the clip, whose node is called `name`.
    #[must_use]
    pub fn of_channel(self, channel: ChannelId, name: impl Into<String>) -> Self {
        self.channel_id(channel).of_joint(name)
    }

    /// A part of it.
    #[must_use]
    pub fn part(mut self, part: impl Into<Part>) -> Self {
        self.part = Some(part.into());
        self
    }

    /// A part of it, by its path in a glTF document.
    #[must_use]
    #[doc(hidden)]
    pub fn path(self, path: impl Into<String>) -> Self {
        self.part(Part::Path(path.into()))
    }

    /// One of its vertices.
    #[must_use]
    pub fn vertex(mut self, vertex: usize) -> Self {
        self.vertex = Some(vertex);
        self
    }

    /// A time in it.
    #[must_use]
    pub fn at(mut self, time: Seconds) -> Self {
        self.time = Some(time);
        self
    }
}

impl fmt::Display for Location {
    /// Such as `mesh "Body" vertex 1841 (joints Spine2 0.7, Head 0.2), clip "Run" at 0.533 s`; `file` for the file as a
    /// whole. Names are escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts: Vec<String> = [
            ("mesh", &self.mesh),
            ("skin", &self.skin),
            ("joint", &self.joint),
            ("material", &self.material),
            ("clip", &self.clip),
        ]
        .into_iter()
        .filter_map(|(kind, name)| Some((kind, name.as_ref()?)))
        .map(|(kind, name)| match kind {
            "mesh" => format!(
                "mesh {}{}{}",
                quoted(name),
                self.vertex_text(),
                self.joints_text()
            ),
            "joint" => self.node(name),
            "clip" => format!("clip {}{}", quoted(name), self.time_text()),
            _ => format!("{kind} {}", quoted(name)),
        })
        .collect();
        let pose = self.pose.as_ref();
        parts.extend(pose.map(PoseName::in_words));
        parts.extend(self.part.as_ref().map(|part| escaped(&part.to_string())));
        if parts.is_empty() {
            parts.push("file".to_owned());
        }
        f.write_str(&parts.join(", "))
    }
}

impl Location {
    /// `joint "Hips"`, or `node #12 (unnamed)`.
    fn node(&self, name: &str) -> String {
        let kind = if self.plain { "node" } else { "joint" };
        let number = self
            .ids
            .node
            .filter(|_| name.is_empty())
            .map_or_else(String::new, |node| format!(" #{}", node.index()));
        format!("{kind}{number} {}", quoted(name))
    }

    /// The strongest influences of the vertex, such as `Spine2 0.7, Head 0.2`; empty without any.
    #[must_use]
    #[doc(hidden)]
    pub fn influences(&self) -> String {
        let joint = |own: &NamedWeight| format!("{} {}", escaped(&own.joint), short(own.weight));
        first_few(self.joints.iter().map(joint), MOST_JOINTS)
    }

    /// The same location without the influences of its vertex.
    #[must_use]
    #[doc(hidden)]
    pub fn without_influences(&self) -> Self {
        Self {
            joints: Vec::new(),
            ..self.clone()
        }
    }

    fn vertex_text(&self) -> String {
        let vertex = self.vertex.map(|vertex| format!(" vertex {vertex}"));
        vertex.unwrap_or_default()
    }

    fn joints_text(&self) -> String {
        match self.joints.len() {
            0 => String::new(),
            count => format!(" ({} {})", counted("joint", count), self.influences()),
        }
    }

    fn time_text(&self) -> String {
        let time = self
            .time
            .map(|time| format!(" at {}", time_with_frame(time.get(), self.frame)));
        time.unwrap_or_default()
    }
}

fn quoted(name: &str) -> String {
    if name.is_empty() {
        return "(unnamed)".to_owned();
    }
    format!("\"{}\"", escaped(name))
}

/// A weight to two digits, without trailing zeros; a smaller one to its first digit.
fn short(weight: f32) -> String {
    match without_trailing_zeros(&format!("{weight:.2}")) {
        "0" if weight != 0.0 => format!("{weight:.0e}"),
        text => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weighted(joint: &str, weight: f32) -> NamedWeight {
        NamedWeight {
            joint: joint.to_owned(),
            weight,
            id: None,
        }
    }

    #[test]
    fn a_location_reads_from_the_mesh_to_the_time() {
        let location = Location {
            joints: vec![weighted("Spine2", 0.7), weighted("Head", 0.2)],
            ..Location::mesh("Body")
                .vertex(1841)
                .in_clip("Run")
                .at(Seconds(0.533_333))
        };
        let expected =
            "mesh \"Body\" vertex 1841 (joints Spine2 0.7, Head 0.2), clip \"Run\" at 0.533 s";
        assert_eq!(location.to_string(), expected);
    }

    #[test]
    fn a_pose_is_said_in_words() {
        let posed = |pose: &str| Location {
            pose: Some(pose.parse().expect("it is a pose")),
            ..Location::joint("Spine")
        };
        for (pose, words) in [
            ("rest", "rest pose"),
            ("rom:rig:Arm:y:-30", "\"rig:Arm\" rotated by -30° about y"),
        ] {
            let expected = format!("joint \"Spine\", {words}");
            assert_eq!(posed(pose).to_string(), expected);
        }
    }

    #[test]
    fn of_many_joints_the_first_are_reported_and_the_others_counted() {
        let weights = [0.9, 0.096, 0.0004, -0.003, 0.0, 1e-9];
        let location = Location {
            joints: weights.map(|weight| weighted("J", weight)).into(),
            ..Location::mesh("Body").vertex(3)
        };
        let expected = "mesh \"Body\" vertex 3 (joints J 0.9, J 0.1, J 4e-4, J -3e-3 and 2 more)";
        assert_eq!(location.to_string(), expected);
    }

    #[test]
    fn unnamed_joints_are_numbered_and_other_nodes_are_named_nodes() {
        let location = |name: &str, plain| Location {
            ids: Ids {
                node: Some(NodeId(12)),
                ..Ids::NONE
            },
            plain,
            ..Location::joint(name)
        };
        assert_eq!(location("", false).to_string(), "joint #12 (unnamed)");
        assert_eq!(location("", true).to_string(), "node #12 (unnamed)");
        assert_eq!(location("Robot", true).to_string(), "node \"Robot\"");
        assert_eq!(Location::joint("").to_string(), "joint (unnamed)");
        assert_eq!(Location::mesh("").to_string(), "mesh (unnamed)");
    }

    #[test]
    fn names_cannot_disturb_a_terminal() {
        let apostrophe = Location::mesh("apo's").to_string();
        assert_eq!(apostrophe, "mesh \"apo's\"");
        assert_eq!(
            Location::joint("a\u{1b}[2Jb").to_string(),
            "joint \"a\\u{1b}[2Jb\""
        );
        assert_eq!(Location::FILE.to_string(), "file");
    }
}

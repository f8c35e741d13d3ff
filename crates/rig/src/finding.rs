//! Findings: what any command reports about a model.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fmt;
use std::sync::{Mutex, PoisonError};

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};

use crate::rig::{ClipId, InstanceId, Location, NodeId, PoseName, from_words, in_words, number};
use crate::units::Seconds;

/// A stable code of what is reported: that of a rule, such as `W103`, or of a kind of difference, such as `bind-pose`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Code(pub &'static str);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// The codes that were read from records. They stay, as every code does.
static READ_CODES: Mutex<BTreeSet<&str>> = Mutex::new(BTreeSet::new());

impl<'de> Deserialize<'de> for Code {
    /// Reads any code, also of a rule that this version does not have.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
        if text.is_empty() || text.len() > LONGEST_CODE || !text.chars().all(is_word) {
            return Err(D::Error::custom("no code of a finding"));
        }
        let mut codes = READ_CODES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(code) = codes.get(text.as_str()) {
            return Ok(Self(code));
        }
        let code: &str = text.leak();
        codes.insert(code);
        Ok(Self(code))
    }
}

/// The most bytes of a code in a record.
const LONGEST_CODE: usize = 64;

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Worth knowing.
    Info,
    /// Worth a look: it may be a mistake, or meant.
    Hint,
    /// A mistake.
    Warning,
    /// Deforms or loads wrongly.
    Error,
}

impl Level {
    /// All levels, the most severe first.
    pub const ALL: [Self; 4] = [Self::Error, Self::Warning, Self::Hint, Self::Info];

    /// The name, for people and machines.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Hint => "hint",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// The unit of a [`Measure`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Unit {
    /// That of the rule's limits, which its page states; for a law, that of its rounding error.
    Rule,
    /// The unit of length of the model; of the model before, if two are compared.
    Length,
    /// A number without a unit.
    Ratio,
    /// Seconds.
    Seconds,
}

/// The number behind a finding.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Measure {
    /// Of the numbers below.
    pub unit: Unit,
    /// The worst value. Messages may use another unit, such as percent.
    #[serde(deserialize_with = "number")]
    pub value: f64,
    /// The limit that it exceeds or falls short of, in the same unit; `None` if there is no single one.
    pub limit: Option<f64>,
}

/// What explains a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Cause {
    /// In words that are equal for all findings of the cause.
    Words(String),
    /// Another finding of the model.
    Finding {
        /// Its code.
        code: Code,
        /// Its location.
        location: Box<Location>,
    },
    /// A finding that the report does not list.
    Unlisted {
        /// Its code.
        code: Code,
        /// The code and the location.
        words: String,
    },
}

impl Cause {
    /// The code, if it is a finding.
    #[must_use]
    pub fn code(&self) -> Option<Code> {
        match self {
            Self::Words(_) => None,
            Self::Finding { code, .. } | Self::Unlisted { code, .. } => Some(*code),
        }
    }
}

impl From<String> for Cause {
    fn from(words: String) -> Self {
        Self::Words(words)
    }
}

impl fmt::Display for Cause {
    /// The words, or the code and location of the finding.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words(words) | Self::Unlisted { words, .. } => f.write_str(words),
            Self::Finding { code, location } => write!(f, "{code} {location}"),
        }
    }
}

/// Everything that a finding concerns, including its location.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Affected {
    /// The meshes with a fault at a vertex; several if they have one name.
    pub meshes: Vec<AffectedMesh>,
    /// The names of the joints, if one finding is about several.
    pub joints: Vec<String>,
    /// The ids of the joints in the asset, where names may repeat.
    pub joint_ids: Vec<NodeId>,
    /// The clips that show it.
    pub clips: Vec<AffectedClip>,
    /// The poses outside any clip that show it, as `--pose` names them.
    #[cfg_attr(feature = "testing", schemars(with = "Vec<String>"))]
    pub poses: Vec<PoseName>,
}

/// The vertices of a mesh that a finding concerns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AffectedMesh {
    /// The instance of the mesh.
    pub instance: InstanceId,
    /// The vertices with a fault in any pose, in ascending order.
    pub vertices: Vec<u32>,
}

/// A clip that shows a finding.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct AffectedClip {
    /// Its name.
    pub name: String,
    /// Its id in the asset, where names may repeat. If two versions of a model are compared, its id in the one before,
    /// if that has it.
    pub id: Option<ClipId>,
    /// The checked times that show it; empty if it concerns the whole clip.
    pub times: Vec<Seconds>,
}

impl Affected {
    /// The vertices of an instance.
    #[must_use]
    pub fn vertices_of(&self, instance: InstanceId) -> &[u32] {
        let own = self.meshes.iter().find(|mesh| mesh.instance == instance);
        own.map_or(&[], |mesh| &mesh.vertices)
    }

    /// Adds vertices of an instance, in any order.
    #[doc(hidden)]
    pub fn vertices(&mut self, instance: InstanceId, vertices: impl IntoIterator<Item = u32>) {
        let known = self
            .meshes
            .iter()
            .position(|mesh| mesh.instance == instance);
        let index = known.unwrap_or_else(|| {
            self.meshes.push(AffectedMesh {
                instance,
                vertices: Vec::new(),
            });
            self.meshes.len() - 1
        });
        self.meshes[index].vertices.extend(vertices);
    }

    /// Sorts the joints, and the vertices of each mesh.
    #[doc(hidden)]
    pub fn sort(&mut self) {
        in_order(&mut self.joint_ids);
        for mesh in &mut self.meshes {
            in_order(&mut mesh.vertices);
        }
    }

    /// Adds a clip, or times of it.
    #[doc(hidden)]
    pub fn clip(
        &mut self,
        (name, id): (&str, Option<ClipId>),
        times: impl IntoIterator<Item = Seconds>,
    ) {
        let is_it = |clip: &AffectedClip| clip.id == id && clip.name == name;
        let known = self.clips.iter().position(is_it);
        let index = known.unwrap_or_else(|| {
            self.clips.push(AffectedClip {
                name: name.to_owned(),
                id,
                times: Vec::new(),
            });
            self.clips.len() - 1
        });
        let all = &mut self.clips[index].times;
        for time in times {
            if all.last() != Some(&time) {
                all.push(time);
            }
        }
    }
}

/// Sorts a list, and leaves each item once.
fn in_order<T: Ord>(list: &mut Vec<T>) {
    // Linear for two ascending lists in a row.
    list.sort();
    list.dedup();
}

/// Everything that one cause does to one subject, such as a mesh, joint, skin or clip.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct Finding {
    /// What it is.
    pub code: Code,
    /// Its severity, as configured.
    pub level: Level,
    /// The location of the worst fault.
    pub location: Location,
    /// The cause that it belongs to; `None` if nothing else explains it.
    #[serde(serialize_with = "in_words", deserialize_with = "from_words")]
    #[cfg_attr(feature = "testing", schemars(with = "Option<String>"))]
    pub cause: Option<Cause>,
    /// Everything that it concerns.
    pub affected: Affected,
    /// The location in the file, as an address in its format: a JSON pointer, an object, an id or a path of nodes. `None`
    /// for the file as a whole.
    pub origin: Option<String>,
    /// Without a full stop: for a rule, a fragment about the location, such as `edge stretched 6.1×, limit 4`; for
    /// everything else, a sentence that names its subject.
    pub message: String,
    /// The number of faults (in the worst pose).
    pub count: usize,
    /// The counted unit in the singular, such as `vertex`.
    pub counted: Cow<'static, str>,
    /// Whether the message already covers every counted fault.
    pub covers_all: bool,
    /// `None` for a fault without a number.
    pub measure: Option<Measure>,
    /// The number that a baseline accepts, if it contains the finding and it is worse now.
    pub accepted: Option<usize>,
}

impl Finding {
    /// A finding about one fault, without a measure.
    pub fn new(code: Code, level: Level, location: Location, message: impl Into<String>) -> Self {
        Self {
            code,
            level,
            location,
            cause: None,
            affected: Affected::default(),
            origin: None,
            message: message.into(),
            count: 1,
            counted: "fault".into(),
            covers_all: false,
            measure: None,
            accepted: None,
        }
    }

    /// The names and ids of all clips that show it, the worst first; none if it does not concern a clip.
    pub fn clips(&self) -> impl Iterator<Item = (&str, Option<ClipId>)> {
        let worst = self
            .location
            .clip
            .as_deref()
            .map(|name| (name, self.location.ids.clip));
        let all = self
            .affected
            .clips
            .iter()
            .map(|clip| (clip.name.as_str(), clip.id));
        worst
            .into_iter()
            .chain(all.filter(move |clip| worst != Some(*clip)))
    }

    /// Whether a clip shows it.
    #[must_use]
    pub fn is_of(&self, clip: ClipId) -> bool {
        self.clips().any(|(_, own)| own == Some(clip))
    }

    /// Whether `self` is what explains `other`.
    #[must_use]
    pub fn explains(&self, other: &Self) -> bool {
        let Some(Cause::Finding { code, location }) = &other.cause else {
            return false;
        };
        *code == self.code && **location == self.location
    }
}

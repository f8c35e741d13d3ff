//! Contracts of skeletons: the joints that a skeleton must have, their names and parents.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use serde::Deserialize;
use toml::Spanned;

/// The joints that a skeleton must have.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contract {
    /// Its name: that of a known skeleton, such as `mixamo`, or the path of its file.
    pub name: String,
    /// Its title, for people.
    pub title: String,
    /// The document that it follows, if stated.
    pub source: Option<String>,
    /// Parents before their children.
    pub joints: Vec<ContractJoint>,
    /// What names may begin with; `*` stands for any characters before what follows it.
    prefixes: Vec<String>,
    /// Whether the joints of a skin must be in this order.
    pub is_ordered: bool,
    /// Whether the joints are the bones of a VRM humanoid.
    pub is_humanoid: bool,
    /// Pairs of joints: the direction from the first to the second is forward.
    pub forward: Vec<[usize; 2]>,
}

/// A joint of a [`Contract`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContractJoint {
    /// Its names; the first is the one in messages.
    pub names: Vec<String>,
    /// The joint that it must be below, directly or not.
    pub parent: Option<usize>,
    /// Whether a skeleton may lack it.
    pub is_optional: bool,
}

/// A mistake in the text of a contract.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ContractError {
    /// The byte at which it is.
    pub at: usize,
    /// What is wrong, and what was expected.
    pub message: String,
}

/// The most joints of a contract.
const MOST: usize = 4096;

/// The file of a contract.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    title: Option<String>,
    source: Option<String>,
    #[serde(default)]
    prefixes: Vec<String>,
    #[serde(default)]
    ordered: bool,
    #[serde(default)]
    humanoid: bool,
    #[serde(default)]
    forward: Vec<Spanned<[String; 2]>>,
    joints: Spanned<String>,
}

macro_rules! contracts {
    ($($name:literal),+) => {
        [$(($name, include_str!(concat!("contracts/", $name, ".toml")))),+]
    };
}

/// The known skeletons, in the order of the documentation.
const TEXTS: [(&str, &str); 5] = contracts!["mixamo", "vrm", "unreal", "unreal4", "roblox-r15"];

static KNOWN: LazyLock<Vec<Arc<Contract>>> = LazyLock::new(|| {
    let known = TEXTS.into_iter().map(|(name, text)| {
        let contract = Contract::parse(name, text);
        Arc::new(contract.unwrap_or_else(|error| panic!("a test reads {name}.toml: {error}")))
    });
    known.collect()
});

/// The known skeletons, in the order of the documentation.
pub fn contracts() -> impl Iterator<Item = &'static Arc<Contract>> {
    KNOWN.iter()
}

impl Contract {
    /// Parses the TOML text of a contract.
    ///
    /// * `name` – for messages.
    ///
    /// # Errors
    ///
    /// [`ContractError`], with the position of the mistake.
    pub fn parse(name: &str, text: &str) -> Result<Self, ContractError> {
        let file: File = toml::from_str(text).map_err(|error| ContractError {
            at: error.span().map_or(0, |span| span.start),
            message: error.message().to_owned(),
        })?;
        let joints = tree(&file.joints, text)?;
        let mut index_of = BTreeMap::new();
        for (index, joint) in joints.iter().enumerate() {
            index_of.extend(joint.names.iter().map(|name| (name.as_str(), index)));
        }
        let forward = file
            .forward
            .iter()
            .map(|pair| {
                let [from, to] = pair.get_ref();
                let index = |name: &String| {
                    index_of.get(name.as_str()).copied().ok_or(ContractError {
                        at: pair.span().start,
                        message: format!("`forward` names {name:?}, which `joints` does not list"),
                    })
                };
                Ok([index(from)?, index(to)?])
            })
            .collect::<Result<_, _>>()?;
        Ok(Self {
            name: name.to_owned(),
            title: file.title.unwrap_or_else(|| name.to_owned()),
            source: file.source,
            prefixes: file.prefixes,
            is_ordered: file.ordered,
            is_humanoid: file.humanoid,
            forward,
            joints,
        })
    }

    /// The number of joints that a skeleton may not lack.
    #[must_use]
    pub fn required(&self) -> usize {
        let required = self.joints.iter().filter(|joint| !joint.is_optional);
        required.count()
    }

    /// For each of `names`, the joint that has it; `None` if none does.
    #[must_use]
    pub fn joints_named<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> Vec<Option<usize>> {
        let mut by_name = BTreeMap::new();
        for (index, joint) in self.joints.iter().enumerate() {
            by_name.extend(joint.names.iter().map(|name| (name.as_str(), index)));
        }
        let joint = |name: &str| {
            let prefixes = self.prefixes.iter();
            let bare = prefixes.filter_map(|prefix| without_prefix(name, prefix));
            let mut names = std::iter::once(name).chain(bare);
            names.find_map(|name| by_name.get(name).copied())
        };
        names.into_iter().map(joint).collect()
    }
}

impl ContractJoint {
    /// The name in messages.
    #[must_use]
    pub fn name(&self) -> &str {
        self.names.first().map_or("", String::as_str)
    }
}

/// `name` behind `prefix`, in which a `*` stands for any characters before what follows it.
fn without_prefix<'a>(name: &'a str, prefix: &str) -> Option<&'a str> {
    match prefix.split_once('*') {
        None => name.strip_prefix(prefix),
        Some((start, end)) => {
            let rest = name.strip_prefix(start)?;
            rest.split_once(end).map(|(_, bare)| bare)
        }
    }
}

/// The joints of an indented list: each is below the last one that is indented less.
///
/// * `text` – of the whole file, for the places of mistakes.
fn tree(list: &Spanned<String>, text: &str) -> Result<Vec<ContractJoint>, ContractError> {
    let mut joints: Vec<ContractJoint> = Vec::new();
    let mut names: BTreeSet<&str> = BTreeSet::new();
    // The indentation and the index of the last joint and of those above it.
    let mut above: Vec<(usize, usize)> = Vec::new();
    for (number, line) in list.get_ref().lines().enumerate() {
        let wrong = |message: String| ContractError {
            at: line_of(list, text, number),
            message,
        };
        let joint = line.trim();
        if joint.is_empty() || joint.starts_with('#') {
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let first = above.first().map_or(indent, |(first, _)| *first);
        above.retain(|(other, _)| *other < indent);
        if let Some(joint) = joints.last().filter(|_| indent < first) {
            let name = joint.name();
            return Err(wrong(format!(
                "indented less than the first joint; {name:?} is the one before"
            )));
        }
        let (joint, is_optional) = match joint.strip_suffix('?') {
            Some(joint) => (joint.trim_end(), true),
            None => (joint, false),
        };
        let own: Vec<&str> = joint.split('|').map(str::trim).collect();
        for &name in &own {
            if name.is_empty() {
                let expected =
                    "expected the name of a joint, such as `Hips`, `Hips | Pelvis` or `Jaw ?`";
                return Err(wrong(expected.to_owned()));
            }
            if !names.insert(name) {
                return Err(wrong(format!("the joint {name:?} is listed twice")));
            }
        }
        if joints.len() == MOST {
            return Err(wrong(format!("more than {MOST} joints")));
        }
        let parent = above.last().map(|(_, index)| *index);
        above.push((indent, joints.len()));
        joints.push(ContractJoint {
            names: own.into_iter().map(str::to_owned).collect(),
            parent,
            is_optional,
        });
    }
    if joints.is_empty() {
        return Err(ContractError {
            at: list.span().start,
            message: "`joints` lists no joint; expected one a line, each indented more than the one above it in the \
                      skeleton"
                .to_owned(),
        });
    }
    Ok(joints)
}

/// The byte in `text` at which a line of a string begins; that of the string if it is on one line.
fn line_of(list: &Spanned<String>, text: &str, number: usize) -> usize {
    let span = list.span();
    let raw = text.get(span.clone()).unwrap_or_default();
    // The first line break of a string in three quotes is not part of it.
    let skipped = raw.lines().next().is_some_and(|line| line.len() == 3);
    let before = raw
        .split_inclusive('\n')
        .take(number + usize::from(skipped));
    let offset: usize = before.map(str::len).sum();
    if offset < raw.len() {
        span.start + offset
    } else {
        span.start
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::HumanBone;

    fn parse(text: &str) -> Result<Contract, ContractError> {
        Contract::parse("own.toml", text)
    }

    fn parents(contract: &Contract) -> Vec<(&str, Option<&str>)> {
        let parent =
            |joint: &ContractJoint| joint.parent.map(|above| contract.joints[above].name());
        let joints = contract.joints.iter();
        joints.map(|joint| (joint.name(), parent(joint))).collect()
    }

    #[test]
    fn a_joint_is_below_the_last_one_that_is_indented_less() {
        let text = "joints = \"\"\"\nroot\n  hips | pelvis\n\n    # spine\n    spine ?\n      Bip01 Head\n  tail\n\"\"\"\n";
        let contract = parse(text).expect("it is right");
        let expected = [
            ("root", None),
            ("hips", Some("root")),
            ("spine", Some("hips")),
            ("Bip01 Head", Some("spine")),
            ("tail", Some("root")),
        ];
        assert_eq!(parents(&contract), expected);
        assert_eq!(contract.required(), 4);
        let named = contract.joints_named(["pelvis", "Bip01 Head", "neck"]);
        assert_eq!(named, [Some(1), Some(3), None]);
    }

    #[test]
    fn mistakes_are_found_at_their_line() {
        for (list, line, message) in [
            (
                "a\n  b\n  b\n",
                "  b\n\"",
                "the joint \"b\" is listed twice",
            ),
            ("a\n  | b\n", "  | b", "expected the name of a joint"),
            ("  a\nb\n", "b\n\"", "indented less than the first joint"),
        ] {
            let text = format!("title = \"x\"\njoints = \"\"\"\n{list}\"\"\"\n");
            let error = parse(&text).expect_err("it is wrong");
            assert!(error.message.starts_with(message), "{error}");
            assert!(text[error.at..].starts_with(line), "{error}: {}", error.at);
        }
        for (text, message) in [
            ("joints = \"\"\n", "`joints` lists no joint"),
            ("title = \"x\"\n", "missing field `joints`"),
            (
                "forward = [[\"a\", \"b\"]]\njoints = \"a\"\n",
                "`forward` names \"b\"",
            ),
        ] {
            let error = parse(text).expect_err("it is wrong");
            assert!(error.message.starts_with(message), "{error}");
        }
    }

    #[test]
    fn namespaces_of_any_number_are_prefixes() {
        let mixamo = contracts().next().expect("it is the first");
        for name in [
            "Hips",
            "mixamorig:Hips",
            "mixamorig12:Hips",
            "mixamorig_Hips",
            "mixamorigHips",
        ] {
            assert_eq!(mixamo.joints_named([name]), [Some(0)], "{name}");
        }
        for name in ["hips", "rig:Hips", "Hips.001", "mixamorig:", ""] {
            assert_eq!(mixamo.joints_named([name]), [None], "{name}");
        }
    }

    #[test]
    fn every_known_skeleton_is_read_and_states_its_source() {
        for (name, text) in TEXTS {
            let contract =
                Contract::parse(name, text).unwrap_or_else(|error| panic!("{name}: {error}"));
            assert!(
                contract.source.is_some_and(|source| source.len() > 20),
                "{name}"
            );
            let roots = contract
                .joints
                .iter()
                .filter(|joint| joint.parent.is_none());
            assert_eq!(roots.count(), 1, "{name}");
            assert!(
                !contract.forward.is_empty() && !contract.is_ordered,
                "{name}"
            );
        }
        assert_eq!(contracts().count(), TEXTS.len());
    }

    #[test]
    fn the_bones_of_vrm_are_those_of_the_humanoid() {
        let vrm = contracts()
            .find(|contract| contract.is_humanoid)
            .expect("it is known");
        let own: BTreeMap<_, _> = vrm
            .joints
            .iter()
            .map(|joint| {
                let parent = joint.parent.map(|above| vrm.joints[above].name());
                (joint.name(), (parent, !joint.is_optional))
            })
            .collect();
        let all: BTreeMap<_, _> = HumanBone::ALL
            .iter()
            .map(|bone| {
                (
                    bone.name(),
                    (bone.parent().map(HumanBone::name), bone.is_required()),
                )
            })
            .collect();
        assert_eq!(own, all);
    }
}

//! Finds clips and joints by name.

use super::default_clip::default_clip;
use crate::names::{bare, fits, is_same, likeness};
use crate::rig::{Asset, ClipId, HumanBone, InstanceId, MeshInstance, NodeId};
use crate::units::first_few;

/// A clip or joint that was not found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SelectError {
    /// A clip was requested, but the model has none.
    #[error("no clip is named {wanted:?}: the model has no clips")]
    NoClips {
        /// The request.
        wanted: String,
    },
    /// No clip has this name or index.
    #[error("no clip is named {wanted:?}{}; the model has {}", suggestion(nearest.as_slice()), listing(available))]
    UnknownClip {
        /// The request.
        wanted: String,
        /// The existing clips, by index.
        available: Vec<String>,
        /// The most similar name.
        nearest: Option<String>,
    },
    /// No joint has this name or index.
    #[error(
        "none of the model's {count} joints is named {wanted:?}{}",
        suggestion(nearest)
    )]
    UnknownJoint {
        /// The request.
        wanted: String,
        /// The number of joints.
        count: usize,
        /// The most similar names, the nearest first; at most [`SUGGESTED`].
        nearest: Vec<String>,
    },
    /// No mesh has this name or index.
    #[error("no mesh is named {wanted:?}{}; the model has {}", suggestion(nearest.as_slice()), listing(available))]
    UnknownMesh {
        /// The request.
        wanted: String,
        /// The existing meshes, by index.
        available: Vec<String>,
        /// The most similar name.
        nearest: Option<String>,
    },
}

/// ` (did you mean "a", "b" or "c"?)`; nothing without a name.
pub(super) fn suggestion(nearest: &[String]) -> String {
    let names: Vec<String> = nearest.iter().map(|name| format!("{name:?}")).collect();
    match names.split_last() {
        None => String::new(),
        Some((only, [])) => format!(" (did you mean {only}?)"),
        Some((last, others)) => format!(" (did you mean {} or {last}?)", others.join(", ")),
    }
}

/// Most names in a message.
const LISTED: usize = 20;

fn listing(names: &[String]) -> String {
    if names.is_empty() {
        return "none".to_owned();
    }
    let numbered = names
        .iter()
        .enumerate()
        .map(|(index, name)| format!("{index}: {name:?}"));
    first_few(numbered, LISTED)
}

/// Finds a clip: the first of exactly this name, else the one at this index, else the only one of this name without regard to
/// case and to a prefix, such as `Armature|Walk` for `walk`. `default` is the [`default_clip`], as in viewers, unless a clip has
/// that name.
///
/// # Errors
///
/// [`SelectError::NoClips`] and [`SelectError::UnknownClip`].
///
/// ```
/// # mod skincheck { pub use skincheck_rig::{pose, rig}; }
/// # let asset = skincheck::rig::leg();
/// # let kick = skincheck::rig::ClipId(0);
/// use skincheck::pose;
///
/// assert_eq!(pose::find_clip(&asset, "kick")?, kick);
/// let error = pose::find_clip(&asset, "kik").unwrap_err();
/// assert!(error.to_string().contains("kick"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn find_clip(asset: &Asset, wanted: &str) -> Result<ClipId, SelectError> {
    let by_name = asset.clips.iter().position(|clip| clip.name == wanted);
    let by_index = || index_below(asset.clips.len(), wanted);
    let index = by_name.or_else(by_index).map(ClipId::from_index);
    let by_default = || default_clip(asset).filter(|_| wanted == "default");
    let clip = index
        .or_else(|| Some(by_default()?.clip))
        .or_else(|| only_alike(asset, wanted));
    if let Some(clip) = clip {
        return Ok(clip);
    }
    let wanted = wanted.to_owned();
    if asset.clips.is_empty() {
        return Err(SelectError::NoClips { wanted });
    }
    let available: Vec<String> = asset.clips.iter().map(|clip| clip.name.clone()).collect();
    let names = available.iter().map(String::as_str);
    let nearest = nearest(&wanted, names).into_iter().next();
    Err(SelectError::UnknownClip {
        wanted,
        available,
        nearest,
    })
}

/// The only clip of this name in any case, with or without its prefix; none for a number, which is an index.
fn only_alike(asset: &Asset, wanted: &str) -> Option<ClipId> {
    if wanted.parse::<usize>().is_ok() {
        return None;
    }
    let clips = asset.clips.iter().enumerate();
    let mut alike = clips.filter(|(_, clip)| is_same(wanted, &clip.name));
    let (index, _) = alike.next()?;
    alike.next().is_none().then(|| ClipId::from_index(index))
}

/// Stands before the name of a bone of a [`Humanoid`](crate::rig::Humanoid).
const HUMANOID: &str = "humanoid.";

/// Finds a joint: the first of exactly this name; else, for `#12`, the one at this index; else, for `humanoid.leftHand`,
/// that bone of the humanoid (VRM); else the only one with this name after a prefix, such as `mixamorig:Hips` for `Hips`.
///
/// # Errors
///
/// [`SelectError::UnknownJoint`].
///
/// ```
/// # mod skincheck { pub use skincheck_rig::{pose, rig}; }
/// # let asset = skincheck::rig::leg();
/// # let knee = skincheck::rig::NodeId(1);
/// use skincheck::pose;
///
/// assert_eq!(pose::find_joint(&asset, "knee")?, knee);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn find_joint(asset: &Asset, wanted: &str) -> Result<NodeId, SelectError> {
    let count = asset.skeleton.len();
    let by_index = || index_below(count, wanted.strip_prefix('#')?).map(NodeId::from_index);
    let by_bone = || {
        let bone = HumanBone::named(wanted.strip_prefix(HUMANOID)?)?;
        asset.humanoid.as_ref()?.bones.get(&bone).copied()
    };
    let found = asset
        .skeleton
        .find(wanted)
        .or_else(by_index)
        .or_else(by_bone)
        .or_else(|| only_behind_a_prefix(asset, wanted));
    found.ok_or_else(|| {
        let bones: Vec<String> = asset
            .humanoid
            .iter()
            .flat_map(|own| own.bones.keys())
            .map(|bone| format!("{HUMANOID}{bone}"))
            .collect();
        let nodes = asset.skeleton.nodes().iter();
        let names = nodes
            .map(|joint| joint.name.as_str())
            .chain(bones.iter().map(String::as_str));
        SelectError::UnknownJoint {
            wanted: wanted.to_owned(),
            count,
            nearest: nearest(wanted, names),
        }
    })
}

/// Finds an instance of a mesh: the first of exactly this name, which is that of the mesh or of its node, else the one at this
/// index.
///
/// # Errors
///
/// [`SelectError::UnknownMesh`].
///
/// ```
/// # mod skincheck { pub use skincheck_rig::{glam, pose, rig}; }
/// # use skincheck::glam::Vec3;
/// # use skincheck::rig::{AssetBuilder, InstanceId, Mesh, Trs};
/// # let mut rig = AssetBuilder::new();
/// # let hip = rig.node("hip", None, Trs::IDENTITY);
/// # let body = rig.mesh(Mesh {
/// #     name: "Body".to_owned(),
/// #     positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y * 2.0],
/// #     triangles: vec![[0, 1, 2]],
/// #     ..Mesh::default()
/// # });
/// # rig.skin(body, [[(hip, 1.0)], [(hip, 1.0)], [(hip, 1.0)]]);
/// # let asset = rig.build()?;
/// use skincheck::pose;
///
/// assert_eq!(pose::find_mesh(&asset, "Body")?, InstanceId(0));
/// let error = pose::find_mesh(&asset, "Bodi").unwrap_err();
/// assert!(error.to_string().contains("did you mean \"Body\"?"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn find_mesh(asset: &Asset, wanted: &str) -> Result<InstanceId, SelectError> {
    let names = || asset.instances.iter().map(|one| asset.mesh_name(one));
    let node_is_named = |instance: &MeshInstance| {
        let node = asset.skeleton.get(instance.node);
        node.is_some_and(|node| node.name == wanted)
    };
    let found = names()
        .position(|name| name == wanted)
        .or_else(|| asset.instances.iter().position(node_is_named))
        .or_else(|| index_below(asset.instances.len(), wanted));
    found
        .map(InstanceId::from_index)
        .ok_or_else(|| SelectError::UnknownMesh {
            wanted: wanted.to_owned(),
            available: names().map(str::to_owned).collect(),
            nearest: nearest(wanted, names()).into_iter().next(),
        })
}

fn only_behind_a_prefix(asset: &Asset, wanted: &str) -> Option<NodeId> {
    let mut nodes = asset.skeleton.iter();
    let mut alike = nodes
        .by_ref()
        .filter(|(_, node)| bare(&node.name) == wanted);
    let (found, _) = alike.next()?;
    alike.next().is_none().then_some(found)
}

/// Finds joints, in ascending order: one by [`find_joint`], or several separated by commas, each a name or a pattern in
/// which `*` stands for any characters and `?` for one. A pattern matches joints of skins, if there are any, and may
/// omit a prefix: `Spine*` for `mixamorig:Spine1`.
///
/// # Errors
///
/// [`SelectError::UnknownJoint`] for the first part that names none.
pub fn find_joints(asset: &Asset, wanted: &str) -> Result<Vec<NodeId>, SelectError> {
    if let Ok(joint) = find_joint(asset, wanted) {
        return Ok(vec![joint]);
    }
    let mut found = Vec::new();
    for part in wanted.split(',').map(str::trim) {
        let matching = matching(asset, part);
        if matching.is_empty() {
            found.push(find_joint(asset, part)?);
        }
        found.extend(matching);
    }
    found.sort_unstable();
    found.dedup();
    Ok(found)
}

/// The joints whose names match `pattern`; none if it is a plain name.
fn matching(asset: &Asset, pattern: &str) -> Vec<NodeId> {
    if !pattern.contains(['*', '?']) {
        return Vec::new();
    }
    let bound = asset.bound_joints();
    let counts = |joint: NodeId| bound[joint.index()] || !bound.contains(&true);
    let nodes = asset.skeleton.iter();
    let found = nodes.filter(|(joint, node)| counts(*joint) && fits(pattern, &node.name));
    found.map(|(joint, _)| joint).collect()
}

/// An index below `count`, written in digits only.
fn index_below(count: usize, text: &str) -> Option<usize> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    let index: usize = digits.then(|| text.parse().ok())??;
    (index < count).then_some(index)
}

/// Similarity (Jaro-Winkler) below which a suggestion misleads more than it helps.
const ALIKE: f64 = 0.75;

/// Most names that are suggested.
pub const SUGGESTED: usize = 3;

/// The names most similar to `wanted`, ignoring case, the nearest first and without duplicates. Names that contain it,
/// such as `rig:Hand` for `hand`, come first.
pub(super) fn nearest<'a>(wanted: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let lower = wanted.to_lowercase();
    let rank = |name: &str| {
        let contained = lower.len() >= 3 && name.to_lowercase().contains(&lower);
        (contained, likeness(wanted, name))
    };
    let mut alike: Vec<((bool, f64), &str)> = names
        .map(|name| (rank(name), name))
        .filter(|((_, likeness), _)| *likeness > 0.0)
        .filter(|(rank, _)| *rank >= (false, ALIKE))
        .collect();
    // A stable order: equals stay in the file's order.
    alike.sort_by(|((a, x), _), ((b, y), _)| b.cmp(a).then(y.total_cmp(x)));
    let mut chosen: Vec<String> = Vec::new();
    for (_, name) in alike {
        if chosen.len() < SUGGESTED && !chosen.iter().any(|other| other == name) {
            chosen.push(name.to_owned());
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pose::rigs::{asset_of, clip, named_joint};
    use crate::rig::{LocalTransform, Trs};
    use crate::rig::{Mesh, MeshId};

    fn asset(clips: &[&str], joints: &[&str]) -> Asset {
        let rest = LocalTransform::Trs(Trs::IDENTITY);
        let joints = joints.iter().map(|name| named_joint(name, None, rest));
        let mut asset = asset_of(joints.collect());
        asset.clips = clips.iter().map(|name| clip(name, 0.0, 1.0)).collect();
        asset
    }

    #[test]
    fn a_clip_is_found_by_name_before_it_is_found_by_index() {
        let asset = asset(&["Walk", "0", "Walk"], &[]);
        assert_eq!(find_clip(&asset, "Walk"), Ok(ClipId(0)));
        assert_eq!(find_clip(&asset, "0"), Ok(ClipId(1)));
        assert_eq!(find_clip(&asset, "2"), Ok(ClipId(2)));
    }

    #[test]
    fn a_clip_is_found_in_another_case_or_without_its_prefix_if_that_is_unambiguous() {
        let asset = asset(&["Armature|Walk", "Run", "run", "A|Jump", "B|jump"], &[]);
        assert_eq!(find_clip(&asset, "walk"), Ok(ClipId(0)));
        assert_eq!(find_clip(&asset, "armature|walk"), Ok(ClipId(0)));
        assert_eq!(find_clip(&asset, "run"), Ok(ClipId(2)));
        for wanted in ["RUN", "jump", "", "Armature"] {
            assert!(find_clip(&asset, wanted).is_err(), "{wanted}");
        }
    }

    #[test]
    fn an_unknown_clip_is_an_error_that_lists_clips_and_suggests_the_nearest() {
        let asset = asset(&["Idle", "Walk"], &[]);
        for (wanted, suggestion) in [("wlak", " (did you mean \"Walk\"?)"), ("7", ""), ("-1", "")] {
            let message = find_clip(&asset, wanted).unwrap_err().to_string();
            let expected = format!(
                "no clip is named {wanted:?}{suggestion}; the model has 0: \"Idle\", 1: \"Walk\""
            );
            assert_eq!(message, expected);
        }
    }

    #[test]
    fn a_list_of_many_clips_is_cut() {
        let names: Vec<String> = (0..25).map(|index| format!("take{index}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let error = find_clip(&asset(&names, &[]), "x").unwrap_err().to_string();
        assert!(error.ends_with("19: \"take19\" and 5 more"), "{error}");
    }

    #[test]
    fn a_model_without_clips_says_so() {
        let error = find_clip(&asset(&[], &[]), "Walk").unwrap_err();
        assert_eq!(
            error.to_string(),
            "no clip is named \"Walk\": the model has no clips"
        );
    }

    #[test]
    fn a_joint_is_found_by_name_or_by_number() {
        let asset = asset(&[], &["hips", "", "#0"]);
        assert_eq!(find_joint(&asset, "hips"), Ok(NodeId(0)));
        assert_eq!(find_joint(&asset, "#1"), Ok(NodeId(1)));
        assert_eq!(find_joint(&asset, "#0"), Ok(NodeId(2)));
        assert!(find_joint(&asset, "#3").is_err());
        assert!(find_joint(&asset, "#+1").is_err());
        assert!(find_joint(&asset, "#").is_err());
    }

    #[test]
    fn a_joint_is_found_without_its_prefix_if_that_is_unambiguous() {
        let names = ["rig:Hips", "Hips.001", "a:Hand", "b:Hand", "Arm|Leg", "x:"];
        let asset = asset(&[], &names);
        assert_eq!(find_joint(&asset, "Hips"), Ok(NodeId(0)));
        assert_eq!(find_joint(&asset, "Leg"), Ok(NodeId(4)));
        assert_eq!(find_joint(&asset, "b:Hand"), Ok(NodeId(3)));
        for wanted in ["Hand", "", "hips"] {
            assert!(find_joint(&asset, wanted).is_err(), "{wanted}");
        }
    }

    #[test]
    fn several_joints_are_named_by_commas_and_patterns() {
        let names = [
            "rig:Spine",
            "rig:Spine1",
            "LeftArm",
            "RightArm",
            "a,b",
            "Tail",
        ];
        let asset = asset(&[], &names);
        let found = |wanted: &str| {
            let found = find_joints(&asset, wanted).expect("there are some");
            found.into_iter().map(|joint| joint.0).collect::<Vec<u32>>()
        };
        assert_eq!(found("Spine*"), [0, 1]);
        assert_eq!(found("Spine?"), [1]);
        assert_eq!(found("*Arm, #0,Tail"), [0, 2, 3, 5]);
        assert_eq!(found("*"), [0, 1, 2, 3, 4, 5]);
        assert_eq!(found("a,b"), [4], "a name may hold a comma");
        let error = find_joints(&asset, "Tail,Wing*").unwrap_err().to_string();
        assert!(error.contains("\"Wing*\""), "{error}");
    }

    #[test]
    fn a_mesh_is_found_by_its_name_by_that_of_its_node_or_by_number() {
        let mut asset = asset(&[], &["Hand", "Sword"]);
        let named = |name: &str| Mesh {
            name: name.to_owned(),
            ..Mesh::default()
        };
        asset.meshes = vec![named("Body"), named(""), named("1")];
        asset.instances = [(0, 0), (1, 1), (0, 2)]
            .map(|(node, mesh)| MeshInstance::rigid(NodeId(node), MeshId(mesh)))
            .into();
        let found = |wanted: &str| find_mesh(&asset, wanted).map(InstanceId::index);
        assert_eq!(found("Body"), Ok(0));
        assert_eq!(found("Hand"), Ok(0), "the name of its node");
        assert_eq!(found("Sword"), Ok(1), "it has no other name");
        assert_eq!(found("1"), Ok(2), "a name comes before a number");
        assert_eq!(found("0"), Ok(0));
        let error = found("Bodi").unwrap_err().to_string();
        assert_eq!(
            error,
            "no mesh is named \"Bodi\" (did you mean \"Body\"?); the model has 0: \"Body\", 1: \"Sword\", 2: \"1\""
        );
        asset.instances.clear();
        let error = find_mesh(&asset, "Body").unwrap_err().to_string();
        assert_eq!(error, "no mesh is named \"Body\"; the model has none");
    }

    #[test]
    fn a_joint_with_a_prefix_is_suggested() {
        let asset = asset(&[], &["mixamorig:LeftLeg", "mixamorig:LeftHand"]);
        let error = find_joint(&asset, "lefthand").unwrap_err().to_string();
        assert!(
            error.ends_with("(did you mean \"mixamorig:LeftHand\"?)"),
            "{error}"
        );
    }

    #[test]
    fn the_joints_most_alike_are_suggested_the_nearest_first_and_each_once() {
        let names = [
            "Spine", "HandR", "Hand_L", "HandR", "Hat", "hand.R", "HandX",
        ];
        let nearest = |wanted: &str| match find_joint(&asset(&[], &names), wanted) {
            Err(SelectError::UnknownJoint { nearest, .. }) => nearest,
            other => panic!("{other:?}"),
        };
        assert_eq!(nearest("hand.r"), ["hand.R", "HandR", "HandX"]);
        assert_eq!(nearest("Spnie"), ["Spine"]);
        assert_eq!(nearest("tentacle"), [""; 0]);
    }
}

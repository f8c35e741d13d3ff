//! The clips of another file on a model's skeleton.
//!
//! Animation libraries keep the character in one file and its motions in others, with skeletons that agree by name
//! only. Joints are matched by name; nodes that only the animation file has ("missing bones") are inserted into the
//! model's skeleton if matched joints below them need their motion.

mod humanoid;
mod insertion;
mod matching;
mod orientation;
mod spaces;

use std::collections::BTreeSet;

use super::text::printable;
use crate::rig::{Asset, Clip, NodeId, Note, Skeleton, VrmVersion};
use crate::units::{Space, first_few};
use insertion::Insertion;
use matching::{MatchedBy, Matching, ambiguous_names};

/// The result of matching the joints of the animation file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MergeReport {
    /// Animated joints that the model has too. All names are those of the animation file.
    pub matched: Vec<String>,
    /// Nodes that only the animation file had, now joints of the model.
    pub inserted: Vec<String>,
    /// Animated joints that the model lacks; their motion is omitted.
    pub unmatched: Vec<String>,
}

/// The reason why another file's clips do not fit a model.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AnimationError {
    /// The file has no clip.
    #[error("it has no animation")]
    NoClips,
    /// Its joints have no names, and its hierarchy differs from that of the model's first joints.
    #[error(
        "its {joints} joints have no names, and the first of the model's {model} joints have different parents"
    )]
    Nameless {
        /// How many the animation file has.
        joints: usize,
        /// How many the model has.
        model: usize,
    },
    /// It moves the bones of a humanoid, and the model states none.
    #[error(
        "it is a VRM animation, which moves the bones of a humanoid, and the model states none; use a VRM model"
    )]
    NoHumanoid,
    /// The humanoids have no moved bone in common, and no expression.
    #[error("it moves no bone of the model's humanoid, and no expression that the model states")]
    NoCommonBone,
    /// The skeletons have nothing in common.
    #[error(
        "no joint of the animation is in the model: the animation moves {}, the model has {}{}",
        listed(animated), listed(model), nearest_hint(nearest.as_ref())
    )]
    NoCommonJoint {
        /// Joints that the clips drive.
        animated: Vec<String>,
        /// Joints of the model.
        model: Vec<String>,
        /// The two names, of the animation file and of the model, that are most alike.
        nearest: Option<(String, String)>,
    },
}

/// Replaces the clips of `asset` with the clips of `animation`.
///
/// Joints match if they have the same name; else the same name without a namespace (`mixamorig:Hips` and `Hips`); else the
/// same name except for case, if it is unique. If the animation file names none of its joints, they are the model's first
/// ones, provided that the hierarchies agree. A node of the animation file that the model lacks, between or above matched
/// joints, is inserted if the motion needs it, without moving anything at rest. Other unmatched joints are omitted.
///
/// Axes and unit are converted if both files state them. Otherwise keys are not changed: only a VRM animation
/// (`VRMC_vrm_animation`) is retargeted, from the bones of its humanoid to those of the model's. Notes of the asset report conversions, unmatched joints, and whatever makes the result doubtful.
///
/// * `asset` – the model; unchanged if there is an error.
/// * `animation` – a [valid](Asset::validate) asset, usually without meshes.
///
/// # Errors
///
/// [`AnimationError`] if there is no clip to take or no joint to move.
pub fn merge_clips(asset: &mut Asset, mut animation: Asset) -> Result<MergeReport, AnimationError> {
    if animation.clips.is_empty() {
        return Err(AnimationError::NoClips);
    }
    if let Some(theirs) = animation
        .humanoid
        .as_ref()
        .filter(|own| own.version == VrmVersion::Animation)
    {
        return humanoid::retarget(asset, &animation, theirs);
    }
    let animated = animated_joints(&animation);
    let matching = Matching::of(&asset.skeleton, &animation.skeleton);
    let is_converted = spaces::convert(asset, &mut animation, &matching);
    let insertion = insertion::plan(&asset.skeleton, &animation.skeleton, &matching, &animated);
    let report = report(&animation.skeleton, &animated, &matching, &insertion);
    let moved = animated.iter().filter(|&&is_animated| is_animated).count();
    if report.unmatched.len() == moved {
        return Err(no_common_joint(
            asset,
            &animation.skeleton,
            report.unmatched,
        ));
    }
    let other_axes = orientation::other_axes(&asset.skeleton, &animation.skeleton, &matching);
    let mut notes = notes(asset, &animation, &matching, &report, &insertion);
    notes.extend(orientation::note(&animation.skeleton, &other_axes).map(note));
    notes.extend(note_other_space(asset.space, animation.space, is_converted));
    let model_from_animation = insertion::apply(asset, &animation.skeleton, &matching, &insertion);
    asset.clips = animation.clips;
    for clip in &mut asset.clips {
        keep_known(clip, &model_from_animation);
    }
    let known =
        |(joint, degrees): (NodeId, f64)| Some((model_from_animation[joint.index()]?, degrees));
    asset.evidence.other_axes = other_axes.into_iter().filter_map(known).collect();
    asset.notes.extend(notes);
    drop_misfitting_morphs(asset);
    Ok(report)
}

fn report(
    animation: &Skeleton,
    animated: &[bool],
    matching: &Matching,
    insertion: &Insertion,
) -> MergeReport {
    let mut report = MergeReport {
        inserted: insertion.names(animation),
        ..MergeReport::default()
    };
    for (id, joint) in animation.iter().filter(|(id, _)| animated[id.index()]) {
        if matching.model_joint(id).is_some() {
            report.matched.push(joint.name.clone());
        } else if !insertion.inserts(id) {
            report.unmatched.push(joint.name.clone());
        }
    }
    report
}

fn animated_joints(animation: &Asset) -> Vec<bool> {
    let mut animated = vec![false; animation.skeleton.len()];
    for clip in &animation.clips {
        let channels = clip.channels.iter().map(|channel| channel.node);
        let morphs = clip.morph_channels.iter().map(|channel| channel.node);
        for joint in channels.chain(morphs) {
            animated[joint.index()] = true;
        }
    }
    animated
}

/// Keeps the channels of matched joints, with the model's ids.
fn keep_known(clip: &mut Clip, model_from_animation: &[Option<NodeId>]) {
    let rename = |node: &mut NodeId| {
        let known = model_from_animation[node.index()];
        known.inspect(|id| *node = *id).is_some()
    };
    clip.channels
        .retain_mut(|channel| rename(&mut channel.node));
    clip.morph_channels
        .retain_mut(|channel| rename(&mut channel.node));
    let visibility = &mut clip.visibility_channels;
    visibility.retain_mut(|channel| rename(&mut channel.node));
}

/// Removes morph channels whose number of weights fits no mesh of their joint.
fn drop_misfitting_morphs(asset: &mut Asset) {
    let instances = &asset.instances;
    let notes = &mut asset.notes;
    for clip in &mut asset.clips {
        let name = &clip.name;
        clip.morph_channels.retain(|channel| {
            let mut targets = instances
                .iter()
                .filter(|instance| instance.node == channel.node);
            let keys = &channel.weights.keys;
            let fits = targets.any(|instance| {
                let count = instance.morph_weights.len();
                keys.iter().all(|key| key.value.len() == count)
            });
            if !fits {
                notes.push(Note {
                    location: format!("clip {name:?}"),
                    message:
                        "its morph weights are skipped: no mesh of the node has as many targets"
                            .into(),
                });
            }
            fits
        });
    }
}

fn no_common_joint(asset: &Asset, animation: &Skeleton, animated: Vec<String>) -> AnimationError {
    if animation.nodes().iter().all(|joint| joint.name.is_empty()) {
        return AnimationError::Nameless {
            joints: animation.len(),
            model: asset.skeleton.len(),
        };
    }
    let joints = asset.skeleton.nodes().iter();
    let model: Vec<String> = joints.map(|joint| joint.name.clone()).collect();
    let nearest = matching::nearest(&animated, &model);
    AnimationError::NoCommonJoint {
        animated,
        model,
        nearest,
    }
}

fn nearest_hint(nearest: Option<&(String, String)>) -> String {
    nearest.map_or_else(String::new, |(theirs, ours)| {
        format!("; the most similar are its {theirs:?} and the model's {ours:?}")
    })
}

/// How many names a message lists, and how many characters of each.
const LISTED: usize = 5;
const LONGEST_NAME: usize = 60;

/// Reasons to doubt that the clips of `animation` suit `asset`, which has not been changed yet.
fn notes(
    asset: &Asset,
    animation: &Asset,
    matching: &Matching,
    report: &MergeReport,
    insertion: &Insertion,
) -> Vec<Note> {
    let (ours, theirs) = (&asset.skeleton, &animation.skeleton);
    let loosely = |how| matching.names_matched_by(how, theirs);
    let messages = [
        replaced_clips(asset.clips.len()),
        about(&report.inserted, |names| {
            format!("only it has {names}, which was added to the model")
        }),
        about(&report.unmatched, |names| {
            format!("the model lacks {names}, whose motion is skipped")
        }),
        about(&loosely(MatchedBy::BareName), |names| {
            format!("{names} match only without namespaces")
        }),
        about(&loosely(MatchedBy::AnyCase), |names| {
            format!("{names} match only if case is ignored")
        }),
        about(&loosely(MatchedBy::Index), |_| {
            let count = theirs.len();
            format!(
                "its {count} joints have no names and are matched to the model's first {count} by order"
            )
        }),
        about(&ambiguous_names(ours, theirs), |names| {
            format!("{names} names several joints; the first is matched to the first")
        }),
        about(&insertion.misparented_names(theirs), |names| {
            format!("{names} has a different parent in the model; the motion may not fit")
        }),
    ];
    messages.into_iter().flatten().map(note).collect()
}

fn note(message: String) -> Note {
    Note {
        location: "animation file".to_owned(),
        message,
    }
}

fn replaced_clips(count: usize) -> Option<String> {
    (count > 0).then(|| format!("its clips replace the model's ({count})"))
}

/// Notes that the two files are in different spaces, and whether one was converted.
fn note_other_space(ours: Space, theirs: Space, is_converted: bool) -> Option<Note> {
    let states_unit = ours.metres_per_unit.is_some() && theirs.metres_per_unit.is_some();
    let done = match (is_converted, states_unit) {
        (true, true) => "its keys are converted",
        (true, false) => "its keys are converted, except for the unit",
        (false, _) => "the keys are used unchanged",
    };
    let message = || {
        let (theirs, ours) = (describe(theirs), describe(ours));
        note(format!("it is in {theirs}, the model in {ours}; {done}"))
    };
    (ours != theirs).then(message)
}

fn describe(space: Space) -> String {
    let unit = match space.metres_per_unit {
        Some(metres) => format!("units of {metres} m"),
        None => "units of unknown length".to_owned(),
    };
    format!("{unit} with {} up and {} in front", space.up, space.front)
}

fn about(names: &[String], sentence: impl FnOnce(String) -> String) -> Option<String> {
    (!names.is_empty()).then(|| sentence(listed(names)))
}

/// `"a", "b", "c" and 4 more`.
fn listed(names: &[String]) -> String {
    let names = display_names(names);
    if names.is_empty() {
        return "none".to_owned();
    }
    first_few(names.into_iter(), LISTED)
}

/// Begins the suffix that assimp appends to the name of an FBX node for each part of its transform that it splits off.
const PART: &str = "_$AssimpFbx$_";

/// The names as users know them, in quotes; the parts of one node are named together as its pivot.
fn display_names(names: &[String]) -> Vec<String> {
    let quoted = |name: &str| format!("{:?}", printable(name, LONGEST_NAME));
    let mut pivots = BTreeSet::new();
    let display_names = names.iter().filter_map(|name| match name.split_once(PART) {
        None => Some(quoted(name)),
        Some((node, _)) => pivots
            .insert(node)
            .then(|| format!("the pivot of {}", quoted(node))),
    });
    display_names.collect()
}

#[cfg(test)]
mod tests;

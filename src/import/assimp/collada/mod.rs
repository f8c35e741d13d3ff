//! The clips of a COLLADA file, read from the file itself.
//!
//! assimp 6.0.2 reads everything else: nodes, meshes, skins, materials. Of the animations it makes keys of whole
//! transforms that are joined straight (`ColladaLoader.cpp`, `CreateAnimation`), whatever `INTERPOLATION` says; angles
//! about several axes it joins by the shortest way; clips it cannot find (`ColladaParser.cpp`,
//! `ReadAnimationClipLibrary`, looks one level too high). So after the import the document is opened once more, and the
//! asset's clips are replaced:
//!
//! ```text
//! path --archive--> text --document--> elements by id --hierarchy--> joints of each node
//!                                          |
//!      groups: which animations are a clip |
//!                  channels: sampler (sources, curve, bezier) drives target (address)
//!                          |
//!      motion: a node's stack of transforms under its curves; morphs: a controller's weights
//!                          |
//!      bake: to keys and spans (tracks) --clips--> rig::Clip
//! ```
//!
//! A joint's keys are of its local transform, which assimp does not convert: axes and unit are a matter of the root alone,
//! which nothing in a file can drive. Where the file's words have a counterpart, they are kept: held is
//! [`Step`](crate::rig::Span::Step), straight is [`Linear`](crate::rig::Span::Linear), and a Bézier curve whose time runs
//! evenly is [`Cubic`](crate::rig::Span::Cubic). Other curves, angles about several axes, and transforms that do not
//! fall into translation, rotation and scale become cubic pieces that are nearer than 1e-6 ([`bake`]). A part that the
//! document does not drive has no track where the joint's rest value is its value ([`tracks`]).
//!
//! If anything is not understood, assimp's clips stay, and a note says so.

mod address;
pub(super) mod archive;
mod bake;
mod bezier;
mod channels;
mod clips;
mod curve;
mod document;
mod error;
mod evidence;
mod frames;
mod groups;
mod hierarchy;
mod mending;
mod morphs;
mod motion;
mod padding;
pub(super) mod rewriting;
mod sampler;
mod sources;
mod stack;
mod tracks;
mod value;

use std::path::Path;

use self::bake::Budget;
use self::clips::Maker;
use self::document::Document;
use self::error::Failure;
use crate::import::defects::Defects;
use crate::import::notes::Notes;
use crate::rig::{Asset, Clip, Defect, Note, Skeleton};

/// Replaces the clips of `asset`, which assimp read from the COLLADA file at `path`, by what the file says.
pub(super) fn complete(asset: &mut Asset, path: &Path) {
    let clips = archive::text(path)
        .map_err(Failure::from)
        .and_then(|text| read(&text, &asset.skeleton));
    match clips {
        Ok(reading) => {
            asset.clips = reading.clips;
            evidence::of_clips(asset, reading.defects);
            // What was said about assimp's clips is about nothing now.
            asset.notes.retain(|note| !note.place.starts_with("clip "));
            asset.notes.extend(reading.notes);
        }
        Err(Failure { place, why }) => {
            evidence::of_failure(asset, &place, &why);
            asset.notes.push(Note {
                place,
                message: format!(
                    "is not understood ({why}), so that all clips are as assimp has them: straight between keys"
                ),
            });
        }
    }
}

/// The clips of a document, and what is to be said of them.
#[derive(Debug, Default)]
struct Reading {
    clips: Vec<Clip>,
    notes: Vec<Note>,
    defects: Vec<Defect>,
}

/// Reads the document `text`.
fn read(text: &str, skeleton: &Skeleton) -> Result<Reading, Failure> {
    let xml = document::parse(text)?;
    let document = Document::new(&xml);
    let groups = groups::groups(&document)?;
    if groups.is_empty() {
        return Ok(Reading::default());
    }
    let joints = hierarchy::joints(&document, skeleton)?;
    let mut maker = Maker {
        document: &document,
        joints: &joints,
        skeleton,
        budget: Budget::default(),
        notes: Notes::default(),
        defects: Defects::default(),
    };
    let mut clips = Vec::new();
    for group in &groups {
        clips.extend(maker.clip(group, clips.len())?);
    }
    if maker.budget.coarse > 0 {
        let count = maker.budget.coarse;
        let message = format!(
            "{count} pieces of curves are coarser than 1e-6: too many keys would be needed"
        );
        maker.notes.add("file", message);
    }
    Ok(Reading {
        clips,
        notes: maker.notes.into_inner(),
        defects: maker.defects.into_evidence([]).defects,
    })
}

#[cfg(test)]
mod tests;

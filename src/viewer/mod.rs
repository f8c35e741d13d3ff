//! The data of a page that shows a moving model: what skincheck computed, packed for a browser.
//!
//! | part | file |
//! |---|---|
//! | lists of numbers that deflate packs well | `block` |
//! | meshes, influences, morph targets, and the matrices that skinning blends | `geometry` |
//! | materials, images, colours of vertices, and legends | `surface` |
//! | frames of clips, and the vertices that prove a page right | `takes` |
//! | two versions of a model in step | `versions` |
//!
//! A JSON document describes the model and refers to numbers in blocks. Block 0 holds the model at rest, block 1 the images, and each
//! take has a block of its own, so that a page inflates only what it shows.

mod block;
mod geometry;
mod surface;
mod takes;
mod versions;

use rayon::prelude::*;
use serde_json::{Value, json};

use crate::diff::helpers;
use crate::look::joint_colors::joint_color;
use crate::look::{colors, srgb};
use crate::overlay::{Joints, bones as bones_of_skeleton};
use crate::pose;
use crate::rig::{Asset, NodeId, SkinningOptions};
use crate::shown::printable;
use crate::skinning::{Attributes, Prepared, SkinningError};
use crate::units::{SignedAxis, Space, amount};
use crate::view::Show;
use block::Block;
use geometry::Bones;
use takes::PageContext;

use surface::hex;
pub(crate) use surface::{Numbers, checker, shares};
pub(crate) use takes::{Source, Take};
pub(crate) use versions::{SQUARE, bare, versions, versions_from};

/// The most vertices of all takes together that prove a page right.
const PROVING_VERTICES: usize = 1 << 17;

/// The least length of an image's longest side that a budget leaves.
const LEAST_SIDE: usize = 64;

/// How many times the budget the frames may have before they are packed, which bounds the memory.
const UNPACKED: usize = 16;

/// What a page shows.
#[derive(Debug)]
pub(crate) struct Contents<'a> {
    pub(crate) asset: &'a Asset,
    pub(crate) skinning: SkinningOptions,
    pub(crate) takes: Vec<Take>,
    /// Of the modes that show a number per vertex and frame.
    pub(crate) numbers: Vec<Numbers>,
}

/// The data of a page.
#[derive(Debug)]
pub(crate) struct Packed {
    /// The description.
    pub(crate) json: Value,
    /// Streams of zlib.
    pub(crate) blocks: Vec<Vec<u8>>,
    /// What was thinned, in words.
    pub(crate) notes: Vec<String>,
}

impl Packed {
    /// How many bytes it takes on a page.
    pub(crate) fn len(&self) -> usize {
        let blocks: usize = self
            .blocks
            .iter()
            .map(|block| block.len().div_ceil(3) * 4)
            .sum();
        blocks + self.json.to_string().len()
    }
}

impl Contents<'_> {
    /// Packs everything into about `budget` bytes of base64, thinning first the larger of frames and images.
    ///
    /// # Errors
    ///
    /// [`SkinningError`] if the model is too large to be skinned.
    pub(crate) fn pack(&self, budget: usize) -> Result<Packed, SkinningError> {
        let asset = self.asset;
        let (mut bones, mut rest) = (Bones::default(), Block::new(0));
        let mut json = geometry::write(asset, self.skinning, &mut bones, &mut rest);
        json["modes"] = json!(surface::write_modes(
            asset,
            self.skinning,
            &self.numbers,
            &mut rest
        ));
        let rest = rest.packed();
        let prepared = Prepared::new(asset, &self.skinning);
        let at_rest = pose::model_pose(asset, &pose::rest(asset));
        let at_rest = prepared.deform(&at_rest, Attributes::Positions)?;
        let vertices: usize = at_rest.iter().map(|mesh| mesh.positions.len()).sum();
        let context = PageContext {
            asset,
            options: self.skinning,
            bones: &bones,
            prepared: &prepared,
            at_rest: &at_rest,
            numbers: &self.numbers,
            prove_every: (vertices * self.takes.len())
                .div_ceil(PROVING_VERTICES)
                .max(1),
        };
        let mut thinning = Thinning::new(self, &context, budget);
        let mut images = Images::pack(asset, thinning.longest);
        let mut takes = self.pack_takes(&context, thinning.step)?;
        loop {
            let frames = takes.iter().map(|(_, bytes)| bytes.len()).sum();
            let left = budget / 4 * 3;
            let size = rest.len() + images.bytes.len() + frames;
            if size <= left {
                break;
            }
            let room = left.saturating_sub(rest.len() + images.bytes.len());
            match thinning.more(frames, room, &images) {
                Some(Thinned::Frames) => takes = self.pack_takes(&context, thinning.step)?,
                Some(Thinned::Images) => images = Images::pack(asset, thinning.longest),
                None => break,
            }
        }
        json["images"] = json!(images.json);
        json["bones"] = json!(bones.nodes());
        json["dualQuaternions"] = json!(bones.dual_quaternions);
        json["nodes"] = nodes(asset);
        json["skeleton"] = json!(bones_of_skeleton(asset, Joints::OfSkins));
        json["materials"] = json!(surface::material_rows(asset));
        json["space"] = space(&asset.space);
        json["lights"] = json!([colors::KEY.0.to_array(), colors::FILL.0.to_array()]);
        let mut notes = thinning.notes(images.side);
        if let Some(numbers) = self.numbers.iter().find(|numbers| numbers.every > 1) {
            let mode = numbers.show.name();
            notes.push(format!(
                "{mode} is measured in every {} frame",
                ordinal(numbers.every)
            ));
        }
        json["notes"] = json!(notes);
        json["version"] = json!(env!("CARGO_PKG_VERSION"));
        // What a page shows at first, unless its maker says otherwise.
        json["first"] = json!(0);
        json["show"] = json!(Show::LIT.name());
        json["joint"] = Value::Null;
        let mut blocks = vec![rest, images.bytes];
        let (takes, of_takes): (Vec<Value>, Vec<Vec<u8>>) = takes.into_iter().unzip();
        json["takes"] = json!(takes);
        blocks.extend(of_takes);
        Ok(Packed {
            json,
            blocks,
            notes,
        })
    }

    fn pack_takes(
        &self,
        context: &PageContext<'_>,
        step: usize,
    ) -> Result<Vec<(Value, Vec<u8>)>, SkinningError> {
        let takes = self.takes.par_iter().enumerate();
        let pack = |(index, take)| {
            let mut block = Block::new(2 + index);
            let json = context.write(index, take, step, &mut block)?;
            Ok((json, block.packed()))
        };
        takes.map(pack).collect()
    }
}

fn space(space: &Space) -> Value {
    json!({
        "up": axis(space.up),
        "front": axis(space.front),
        "metres": space.metres_per_unit,
    })
}

fn axis(axis: SignedAxis) -> [f64; 3] {
    axis.unit().to_array()
}

/// Names, parents and colours of all nodes. What an importer added stands for a node of the file, which has its place in the tree.
fn nodes(asset: &Asset) -> Value {
    let bound = asset.bound_joints();
    let owners = helpers::owners(asset);
    let nodes = asset.skeleton.iter().map(|(id, node)| {
        let color = joint_color(id).to_array().map(|light| srgb::tables().encode(light));
        json!({
            "name": if node.name.is_empty() { format!("#{}", id.index()) } else { printable(&node.name) },
            "parent": helpers::parent_past(asset, &owners, id).map(NodeId::index),
            "helps": owners[id.index()].is_some(),
            "joint": bound[id.index()],
            "color": hex(color),
        })
    });
    nodes.collect()
}

/// The images of a page.
struct Images {
    json: Vec<Value>,
    bytes: Vec<u8>,
    /// The longest side of any.
    side: usize,
}

impl Images {
    fn pack(asset: &Asset, longest: usize) -> Self {
        let mut block = Block::new(1);
        let (json, side) = surface::write_images(asset, longest, &mut block);
        Self {
            json,
            bytes: block.packed(),
            side,
        }
    }
}

/// How much of the frames and images a page keeps.
struct Thinning {
    /// Every how many frames.
    step: usize,
    /// The longest side of an image.
    longest: usize,
    /// The frames of the longest take.
    frames: usize,
}

enum Thinned {
    Frames,
    Images,
}

/// Larger images are halved first of all: a page is seen on a screen.
const LONGEST_SIDE: usize = 2048;

impl Thinning {
    fn new(contents: &Contents<'_>, context: &PageContext<'_>, budget: usize) -> Self {
        let counts = contents.takes.iter().map(|take| take.times.len());
        let all: usize = counts.clone().sum();
        let bytes = all.saturating_mul(4 * context.frame_len());
        let step = bytes.div_ceil(budget.saturating_mul(UNPACKED).max(1));
        let frames = counts.max().unwrap_or(0).max(1);
        Self {
            step: step.clamp(1, frames),
            longest: LONGEST_SIDE,
            frames,
        }
    }

    /// Halves whichever is larger, frames as often as they need it; `None` if nothing is left to be thinned.
    ///
    /// * `room` – for frames.
    fn more(&mut self, frames: usize, room: usize, images: &Images) -> Option<Thinned> {
        let can_thin_frames = self.step < self.frames;
        let can_thin_images = self.longest.min(images.side) > LEAST_SIDE;
        if can_thin_images && (images.bytes.len() > frames || !can_thin_frames) {
            self.longest = self.longest.min(images.side.next_power_of_two()) / 2;
            return Some(Thinned::Images);
        }
        can_thin_frames.then(|| {
            // With images to halve, frames must not give way to them.
            let needed = frames.div_ceil(room.max(1)).next_power_of_two();
            self.step *= if can_thin_images { 2 } else { needed.max(2) };
            self.step = self.step.min(self.frames.next_power_of_two());
            Thinned::Frames
        })
    }

    /// * `side` – the longest side of an image in the file.
    fn notes(&self, side: usize) -> Vec<String> {
        let frames =
            (self.step > 1).then(|| format!("the page has every {} frame", ordinal(self.step)));
        let images = (side > self.longest)
            .then(|| format!("textures are reduced to {}", amount(self.longest, "pixel")));
        frames.into_iter().chain(images).collect()
    }
}

/// Such as `2nd`.
fn ordinal(number: usize) -> String {
    let suffix = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{suffix}")
}

#[cfg(test)]
mod tests;

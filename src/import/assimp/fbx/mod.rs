//! What assimp 6.0.2 leaves out of FBX: read from the file beside it, put right afterwards.
//!
//! - assimp moves the keys of every take so that its `LocalStart` becomes tick 0, and tells nobody where that was
//!   (`FBXConverter.cpp`, `ConvertAnimationStack`, "adjust relative timing"). The take states it.
//! - assimp drops takes that animate nothing (same function, "ignoring empty AnimationStack").
//! - assimp sets every blend shape to full weight (`ConvertMeshSingleMaterial`, `mWeight`). The file's `DeformPercent`
//!   says otherwise.
//!
//! - assimp ignores inherit types, which `inherit` notes, and how curves go from key to key, which `curves` notes.
//!
//! Only these few values are looked for; the rest of the file is skipped.

mod ascii;
mod binary;
mod curves;
mod element;
mod inherit;

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use self::curves::Curves;
use self::element::{Element, Property};
use super::names;
use crate::rig::Asset;
use crate::units::Seconds;

/// `KTime` units per second (FBX SDK, `FBXSDK_TC_SECOND`).
const TICKS_PER_SECOND: f64 = 46_186_158_000.0;

/// Full weight of a blend shape.
const PERCENT: f64 = 100.0;

/// What was found beside assimp.
#[derive(Debug, Default)]
pub(super) struct Companion {
    /// In the order of the file, which is that of assimp's animations.
    pub(super) takes: Vec<Take>,
    /// Rest weight by the name of the blend shape channel.
    weights: HashMap<String, f32>,
    /// The nodes that do not inherit their parent's scale.
    without_scale: BTreeSet<String>,
    /// The nodes that inherit their parent's scale, but in their own axes.
    own_axes: BTreeSet<String>,
    curves: Curves,
}

/// An `AnimationStack`.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Take {
    pub(super) name: String,
    /// `None` where the file states no range; then assimp moves the first key to 0.
    pub(super) range: Option<(Seconds, Seconds)>,
}

impl Companion {
    /// Looks into the file at `path`; finds nothing in one that is no FBX, or broken.
    pub(super) fn open(path: &Path) -> Self {
        let extension = path.extension().unwrap_or_default();
        if !extension.eq_ignore_ascii_case("fbx") {
            return Self::default();
        }
        match std::fs::read(path) {
            Ok(file) => Self::read(&file),
            Err(_) => Self::default(),
        }
    }

    fn read(file: &[u8]) -> Self {
        let objects = match file.strip_prefix(binary::MAGIC) {
            Some(rest) => binary::objects(file, rest),
            None => ascii::objects(file),
        };
        let mut found = Self::default();
        for object in objects {
            match object.name.as_slice() {
                b"AnimationStack" => found.takes.push(take(&object)),
                b"AnimationCurve" => found.curves.count(&object),
                b"Model" => found.read_inherit_type(&object),
                b"Deformer" => found.weights.extend(blend_shape(&object)),
                _ => {}
            }
        }
        found
    }

    fn read_inherit_type(&mut self, model: &Element) {
        match model.integer(b"InheritType") {
            Some(inherit::WITHOUT_SCALE) => self.without_scale.insert(object_name(model)),
            Some(inherit::OWN_AXES) => self.own_axes.insert(object_name(model)),
            _ => false,
        };
    }

    /// Adds what the user should know to `asset`.
    pub(super) fn complete(&self, mut asset: Asset) -> Asset {
        inherit::note(&mut asset, &self.without_scale);
        self.curves.note(&mut asset);
        inherit::note_own_axes(&mut asset, &self.own_axes);
        asset
    }

    /// The rest weight of the morph target that assimp calls `target`: the channel's name, or that, a dot and the
    /// geometry's name.
    pub(super) fn rest_weight(&self, target: &str) -> Option<f32> {
        let exact = self.weights.get(target);
        let dots = target.match_indices('.');
        let mut prefixes = dots.map(|(dot, _)| &target[..dot]);
        exact
            .or_else(|| prefixes.find_map(|channel| self.weights.get(channel)))
            .copied()
    }
}

fn take(stack: &Element) -> Take {
    let time = |name| stack.integer(name).unwrap_or(0);
    let (start, stop) = (time(b"LocalStart"), time(b"LocalStop"));
    Take {
        name: object_name(stack),
        // So does assimp tell whether there is a range.
        range: (start != 0 || stop != 0).then(|| (seconds(start), seconds(stop))),
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "exact up to 54 hours; assimp does the same"
)]
fn seconds(ticks: i64) -> Seconds {
    Seconds(ticks as f64 / TICKS_PER_SECOND)
}

fn blend_shape(deformer: &Element) -> Option<(String, f32)> {
    let percent = deformer.child(b"DeformPercent")?;
    let percent = match percent.properties.first()? {
        Property::Number(number) => *number,
        #[expect(clippy::cast_precision_loss, reason = "a percentage")]
        Property::Integer(integer) => *integer as f64,
        _ => return None,
    };
    #[expect(clippy::cast_possible_truncation, reason = "weights are f32")]
    Some((object_name(deformer), (percent / PERCENT) as f32))
}

/// The second property of an object, without its class: `name NUL SOH class` in binary files, `class::name` in text.
fn object_name(object: &Element) -> String {
    let Some(Property::Text(name)) = object.properties.get(1) else {
        return String::new();
    };
    let binary = name.windows(2).position(|pair| pair == b"\0\x01");
    let text = name.windows(2).position(|pair| pair == b"::");
    names::decode(match (binary, text) {
        (Some(end), _) => &name[..end],
        (None, Some(colons)) => &name[colons + 2..],
        (None, None) => name,
    })
}

#[cfg(test)]
mod tests;

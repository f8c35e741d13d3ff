//! `<controller>`: skins and morphs, also one on the other.

use std::rc::Rc;

use glam::{DMat4, Mat4, Vec3};
use roxmltree::Node;

use super::document::{
    self, Document, Failure, ReadError, Table, child, children, integers, name, numbers,
};
use crate::rig::{Influence, SkinSlot};
use crate::vertices::f32_of;

/// The longest chain of controllers that is followed; a skin on a morph is two.
const MAX_CONTROLLERS: usize = 16;

/// Targets of a morph at most; far more than a face has.
const MAX_TARGETS: usize = 1 << 12;

/// The controllers that deform a geometry.
pub(super) struct Chain<'a> {
    pub(super) geometry: Node<'a, 'a>,
    pub(super) skin: Option<SkinController<'a>>,
    pub(super) morph: Option<MorphController<'a>>,
    /// Whether there are more skins or morphs, which are ignored.
    pub(super) has_more: bool,
}

/// A `<skin>`.
pub(super) struct SkinController<'a> {
    pub(super) name: String,
    /// Names or ids of the joints, and whether they are ids.
    pub(super) joints: (Vec<&'a str>, bool),
    /// `joint_from_mesh`, including the bind shape.
    pub(super) inverse_binds: Vec<Mat4>,
    /// The matrix for vertices that follow no joint in the scene.
    pub(super) bind_shape: Mat4,
    /// The influences of each position. The slot after the last joint is the bind shape.
    pub(super) influences: Vec<Vec<Influence>>,
}

/// A `<morph>`.
pub(super) struct MorphController<'a> {
    /// Its source of weights, which animations refer to.
    pub(super) weights: Node<'a, 'a>,
    pub(super) rest: Rc<Table>,
    pub(super) targets: Vec<Node<'a, 'a>>,
    /// Whether targets are offsets from the base instead of absolute shapes.
    pub(super) is_relative: bool,
}

impl<'a> Chain<'a> {
    /// Reads the controller or geometry at `url`.
    pub(super) fn read(document: &Document<'a>, url: &str) -> Result<Self, Failure> {
        let (mut url, mut skin, mut morph, mut has_more) = (url, None, None, false);
        for _ in 0..MAX_CONTROLLERS {
            let Ok(controller) = document.at(url, "controller") else {
                let geometry = document.at(url, "geometry")?;
                return Ok(Self {
                    geometry,
                    skin,
                    morph,
                    has_more,
                });
            };
            let at = |why| Failure::at(controller, why);
            let kind = if let Some(element) = child(controller, "skin") {
                has_more |= skin.is_some();
                let read = || SkinController::read(document, controller, element).map_err(at);
                skin = Some(skin.map_or_else(read, Ok)?);
                element
            } else if let Some(element) = child(controller, "morph") {
                has_more |= morph.is_some();
                let read = || MorphController::read(document, element).map_err(at);
                morph = Some(morph.map_or_else(read, Ok)?);
                element
            } else {
                let what = "it is neither a skin nor a morph";
                return Err(at(ReadError::misfit(what)));
            };
            url = kind.attribute("source").unwrap_or_default();
        }
        let (limit, what) = (MAX_CONTROLLERS, "controllers");
        Err(ReadError::TooMuch { limit, what }.into())
    }
}

impl<'a> SkinController<'a> {
    fn read(
        document: &Document<'a>,
        controller: Node<'a, 'a>,
        skin: Node<'a, 'a>,
    ) -> Result<Self, ReadError> {
        let element = |element: &'static str| {
            let found = child(skin, element);
            found.ok_or_else(|| ReadError::misfit(format!("its skin has no <{element}>")))
        };
        let (joints, weights) = (element("joints")?, element("vertex_weights")?);
        let names = document.required(joints, "joints", "JOINT")?;
        let of_weights = document.required(weights, "vertex_weights", "JOINT")?;
        if names != of_weights {
            let what = "<joints> and <vertex_weights> name different lists of joints";
            return Err(ReadError::misfit(what));
        }
        let words = document::source_names(document, names)?;
        let bind_shape = match child(skin, "bind_shape_matrix") {
            Some(matrix) => {
                let read: Vec<f64> = numbers(matrix).collect::<Result<_, _>>()?;
                rows(&read).ok_or_else(|| {
                    let count = read.len();
                    ReadError::misfit(format!("<bind_shape_matrix> has {count} numbers, not 16"))
                })?
            }
            None => DMat4::IDENTITY,
        };
        let binds = match document.input(joints, "INV_BIND_MATRIX")? {
            Some(source) => document.table(source)?.values.clone(),
            None => Vec::new(),
        };
        let binds = binds.chunks_exact(16).filter_map(rows);
        Ok(Self {
            name: name(controller).unwrap_or_default().to_owned(),
            influences: influences(document, weights, words.len())?,
            joints: (words, document::are_ids(document, names)),
            inverse_binds: binds.map(|bind| (bind * bind_shape).as_mat4()).collect(),
            bind_shape: bind_shape.as_mat4(),
        })
    }

    /// Whether a vertex follows the bind shape instead of a joint.
    pub(super) fn has_unbound_vertices(&self) -> bool {
        let mut all = self.influences.iter().flatten();
        all.any(|influence| influence.slot.index() == self.joints.0.len())
    }
}

/// A matrix from numbers in row-major order.
fn rows(numbers: &[f64]) -> Option<DMat4> {
    let numbers: &[f64; 16] = numbers.try_into().ok()?;
    Some(DMat4::from_cols_array(numbers).transpose())
}

/// The joints and weights of each vertex.
fn influences<'a>(
    document: &Document<'a>,
    element: Node<'a, 'a>,
    joints: usize,
) -> Result<Vec<Vec<Influence>>, ReadError> {
    let weights = document.table(document.required(element, "vertex_weights", "WEIGHT")?)?;
    let offset = |semantic| {
        let mut inputs = children(element, "input");
        let input = inputs.find(|input| input.attribute("semantic") == Some(semantic));
        let offset = input.and_then(|input| input.attribute("offset")?.trim().parse().ok());
        offset.filter(|offset: &usize| *offset < 256).unwrap_or(0)
    };
    let (joint_offset, weight_offset) = (offset("JOINT"), offset("WEIGHT"));
    let stride = joint_offset.max(weight_offset) + 1;
    let list = |name| {
        child(element, name)
            .into_iter()
            .flat_map(|list| integers(list))
    };
    let indices: Vec<i64> = list("v").collect::<Result<_, _>>()?;
    document.count_numbers(indices.len())?;
    let bind_shape = u32::try_from(joints).unwrap_or(u32::MAX);
    let influence = |pair: &[i64]| {
        let (joint, weight) = (pair[joint_offset], pair[weight_offset]);
        let row = usize::try_from(weight)
            .ok()
            .filter(|row| *row < weights.rows())
            .ok_or_else(|| {
                ReadError::misfit(format!(
                    "<v> names weight {weight}, but there are {}",
                    weights.rows()
                ))
            })?;
        let slot = match joint {
            -1 => bind_shape,
            // An index past the bind shape counts as a missing joint.
            past if past >= i64::from(bind_shape) => u32::MAX,
            joint => u32::try_from(joint).unwrap_or(u32::MAX),
        };
        Ok(Influence {
            slot: SkinSlot(slot),
            weight: f32_of(weights.row(row)[0]),
        })
    };
    let (mut vertices, mut from) = (Vec::new(), 0);
    for count in list("vcount") {
        let count = usize::try_from(count?).unwrap_or(0);
        let to = from + count.min(indices.len()) * stride;
        let pairs = indices.get(from..to).ok_or_else(|| {
            ReadError::misfit(format!(
                "<vcount> counts more weights than the {} of <v>",
                indices.len() / stride
            ))
        })?;
        vertices.push(
            pairs
                .chunks_exact(stride)
                .map(influence)
                .collect::<Result<_, ReadError>>()?,
        );
        from = to;
    }
    Ok(vertices)
}

impl<'a> MorphController<'a> {
    fn read(document: &Document<'a>, morph: Node<'a, 'a>) -> Result<Self, ReadError> {
        let stated = child(morph, "targets");
        let inputs = stated.ok_or_else(|| ReadError::misfit("its morph has no <targets>"))?;
        let weights = document.required(inputs, "targets", "MORPH_WEIGHT")?;
        let targets = document.required(inputs, "targets", "MORPH_TARGET")?;
        let geometry = |id: &str| {
            let found = document
                .by_id(id)
                .filter(|found| super::document::is(*found, "geometry"));
            found.ok_or_else(|| ReadError::Missing {
                url: id.to_owned(),
                what: "geometry",
            })
        };
        let targets = document::source_names(document, targets)?
            .into_iter()
            .take(MAX_TARGETS);
        Ok(Self {
            weights,
            rest: document.table(weights)?,
            targets: targets.map(geometry).collect::<Result<_, _>>()?,
            is_relative: morph.attribute("method") == Some("RELATIVE"),
        })
    }

    /// The weights where no clip drives them, one per target.
    pub(super) fn rest_weights(&self) -> Vec<f32> {
        let mut weights: Vec<f32> = self
            .rest
            .values
            .iter()
            .map(|weight| f32_of(*weight))
            .take(self.targets.len())
            .collect();
        weights.resize(self.targets.len(), 0.0);
        weights
    }
}

/// Offsets from `base` to `target`, row by row.
pub(super) fn offsets(base: Vec3, target: Vec3, is_relative: bool) -> Vec3 {
    if is_relative { target } else { target - base }
}

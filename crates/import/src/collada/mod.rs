//! Import of COLLADA 1.4 and 1.5.
//!
//! ```text
//! path --archive--> text --document--> elements by id
//!                                        |
//!        scene: nodes as often as instanced, stack: their transforms
//!                                        |
//!        meshes: geometry (corners, polygon), controllers (skins, morphs), materials
//!                                        |
//!        groups: which animations are a clip
//!                  channels: sampler (sources, curve, bezier) drives target (address)
//!        motion: a node's stack under its curves; morphs: a controller's weights
//!                                        |
//!             import::bake: to keys and spans (tracks) --clips--> source::Clip
//! ```
//!
//! The root is the scene; it converts the file's axes and unit to +Y up and metres. Everything below it is as in the file.
//! Curves that have a counterpart are kept: constant ones become [`Step`](crate::rig::Span::Step), linear ones
//! [`Linear`](crate::rig::Span::Linear), and Bézier curves whose time is linear in their parameter
//! [`Cubic`](crate::rig::Span::Cubic). Other curves, angles about several axes, and transforms that do not decompose into
//! translation, rotation and scale become cubic pieces within [`TOLERANCE`](super::bake::TOLERANCE).
//!
//! # Reference
//!
//! COLLADA 1.4.1 and 1.5.0, Khronos Group, 2008.

mod archive;
mod channels;
mod clips;
mod controllers;
mod curve;
mod document;
mod frames;
mod geometry;
mod materials;
mod meshes;
mod sampler;
mod scene;
mod stack;
mod tracks;

use std::path::Path;

use glam::DMat4;

use super::bake::{Budget, Extent};
use super::importer::sealed::Sealed;
use super::importer::{Importer, ImporterError, Wanted};
use super::log::{Log, Notes};
use super::resolve::resolve;
use super::source::{KeyTimes, Node, Source};
use crate::rig::{
    Asset, DefectKind, Format, ImageData, LocalTransform, Origins, Reader, ReaderCode,
};
use crate::units::{SignedAxis, Space};
use archive::Package;
use clips::Maker;
use document::{Document, Failure, ReadError, child};
use materials::Materials;
use meshes::MeshReader;
use scene::Scene;

/// The reader of `.dae` and `.zae`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Collada;

/// Defects that are not looked for. Maya's `segment_scale_compensate` is in an `<extra>`. Clips are ranges of longer
/// animations, so keys past their ends are normal. Two keys at one time are a jump.
const HIDDEN: [DefectKind; 3] = [
    DefectKind::SegmentScaleCompensate,
    DefectKind::KeyPastEnd,
    DefectKind::ConflictingKeys,
];

impl Sealed for Collada {}

impl Importer for Collada {
    fn name(&self) -> &'static str {
        "collada"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["dae", "zae"]
    }

    fn import_some(&self, path: &Path, _: &Wanted) -> Result<Asset, ImporterError> {
        let mut package = Package::open(path).map_err(Failure::from)?;
        let mut source = read(&package.text)?;
        for image in &mut source.images {
            if let Some(bytes) = package.file(&image.name) {
                image.data = ImageData::Encoded(bytes);
            }
        }
        resolve(source)
    }
}

/// Reads the document `text`.
fn read(text: &str) -> Result<Source, Failure> {
    let xml = document::parse(text)?;
    let document = Document::new(&xml);
    let root = document.root();
    if !document::is(root, "COLLADA") {
        let found = root.tag_name().name().to_owned();
        return Err(ReadError::Root { found }.into());
    }
    let mut log = Log::default();
    let scene = Scene::read(&document, &mut log.notes)?;
    let space = stated_space(&document, &mut log.notes);
    let nodes = nodes(&scene, &space)?;
    let mut materials = Materials::read(&document, &mut log.notes);
    let mut all = MeshReader::new(&document, &scene, &mut materials, &mut log);
    all.read()?;
    let [of_meshes, of_skins] = all.origins();
    let primitives = all.primitives();
    let (meshes, skins, instances) = (all.meshes, all.skins, all.instances);
    let morphed = all.morphed;
    let mut maker = Maker {
        document: &document,
        scene: &scene,
        nodes: &nodes,
        morphed: &morphed,
        extent: Extent::new(&nodes, &meshes, &instances),
        budget: Budget::default(),
        log: &mut log,
    };
    let (clips, of_clips) = maker.clips()?;
    let id = |element: roxmltree::Node<'_, '_>| element.attribute("id").map(|id| format!("#{id}"));
    let library = document.library("library_materials", "material");
    let origins = Origins {
        nodes: scene
            .nodes
            .iter()
            .map(|node| id(node.element).unwrap_or_default())
            .collect(),
        meshes: of_meshes,
        primitives,
        skins: of_skins,
        materials: library
            .map(|element| id(element).unwrap_or_default())
            .collect(),
        clips: of_clips,
        ..Origins::default()
    };
    let schema = root.attribute("version").unwrap_or("of no stated version");
    Ok(Source {
        origins,
        stated_space: Some(space),
        nodes,
        meshes,
        skins,
        instances,
        clips,
        key_times: KeyTimes::Made,
        materials: materials.list,
        images: materials.images,
        log,
        hidden: HIDDEN.to_vec(),
        ..Source::new(
            Format::Collada,
            Reader::own(ReaderCode::Collada, format!("COLLADA {schema}")),
            Space::Y_UP_METRES,
        )
    })
}

/// COLLADA 1.4.1, "up_axis": the front is the axis that points out of the screen; -Y for `Z_UP`.
fn stated_space(document: &Document<'_>, notes: &mut Notes) -> Space {
    let asset = child(document.root(), "asset");
    let unit = asset.and_then(|asset| child(asset, "unit")?.attribute("meter"));
    let metres: Option<f64> = unit.map_or(Some(1.0), |unit| unit.trim().parse().ok());
    let metres = metres.filter(|metres| metres.is_finite() && *metres > 0.0);
    if metres.is_none() {
        notes.add("space", "states no valid unit; assuming metres");
    }
    let up = asset.and_then(|asset| child(asset, "up_axis")?.text());
    let (up, front) = match up.map(str::trim) {
        Some("X_UP") => (SignedAxis::PlusX, SignedAxis::PlusZ),
        Some("Z_UP") => (SignedAxis::PlusZ, SignedAxis::MinusY),
        _ => (SignedAxis::PlusY, SignedAxis::PlusZ),
    };
    Space {
        up,
        front,
        metres_per_unit: Some(metres.unwrap_or(1.0)),
    }
}

/// The nodes. The scene converts from `space` to +Y up and metres.
fn nodes(scene: &Scene<'_>, space: &Space) -> Result<Vec<Node>, Failure> {
    let mut nodes = Vec::with_capacity(scene.nodes.len());
    for node in &scene.nodes {
        nodes.push(Node {
            name: node.name(),
            parent: node.parent,
            rest: node.rest()?,
            number: None,
        });
    }
    if let Some(root) = nodes.first_mut() {
        // Adding 0 turns -0 into 0.
        let root_from_file = space.y_up_metres_from_self() + DMat4::ZERO;
        root.rest = LocalTransform::Matrix(root_from_file.as_mat4());
    }
    Ok(nodes)
}

#[cfg(test)]
mod tests;

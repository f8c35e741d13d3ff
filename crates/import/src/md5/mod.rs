//! Import of MD5, version 10: the models and animations of Doom 3.
//!
//! +Z is up and +X the front, as in the engine; the unit is unknown. A model has the animation of the same name beside
//! it. Its joints match the model's by name, or by number where both files list the same joints.
//!
//! # Reference
//!
//! - id Software, Doom 3 source code: `renderer/Model_md5.cpp`, `anim/Anim.cpp`.
//! - D. Henry, "MD5Mesh and MD5Anim files format" (2005).

mod binding;
mod model;
mod motion;
mod text;

use std::path::Path;

use super::animation::merge_clips;
use super::files::{self, Reach};
use super::hierarchy::{self, attach};
use super::importer::sealed::Sealed;
use super::importer::{Importer, ImporterError, Wanted};
use super::log::Log;
use super::resolve::resolve;
use super::source::{Node, Source};
use super::surfaces::Surfaces;
use super::text::decode;
use super::unit;
use crate::rig::{
    self, Asset, DefectKind, Format, Location, Mesh, Note, Origins, PrimitiveId, Reader,
    ReaderCode, Skeleton, SourceFile,
};
use crate::units::{SignedAxis, Space};
use binding::{Binder, Rigid};
use model::{BoundJoint, Model, Surface};
use motion::Motion;
use text::Damage;

/// The reader of `.md5mesh` and `.md5anim`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Md5;

/// Mostly numbers: two hundred times the largest model of Doom 3.
const LARGEST_FILE: u64 = 1 << 30;

/// The custom of the engine. The unit is not known.
const SPACE: Space = Space {
    up: SignedAxis::PlusZ,
    front: SignedAxis::PlusX,
    metres_per_unit: None,
};

/// What pictures have behind the name of their material, by the custom of the engine: the colours are `name_d.tga`.
const IMAGE_ENDINGS: &[&str] = &["_d", ""];

impl Sealed for Md5 {}

impl Importer for Md5 {
    fn name(&self) -> &'static str {
        "md5"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["md5mesh", "md5anim"]
    }

    fn import_some(&self, path: &Path, wanted: &Wanted) -> Result<Asset, ImporterError> {
        let text = decode(&files::read(path, LARGEST_FILE)?);
        if is_animation(path) {
            return resolve(animation(&text)?);
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut asset = resolve(model(&text, folder)?)?;
        let named = ["md5anim", "MD5ANIM"].map(|extension| path.with_extension(extension));
        let names = named.iter().filter_map(|path| path.file_name());
        asset
            .files
            .extend(names.map(|name| SourceFile::below(folder, name.into())));
        if let Some(beside) = named.iter().find(|path| path.is_file()) {
            let name = beside.file_name().unwrap_or_default().to_string_lossy();
            let in_it = |error: ImporterError| ImporterError::Parse {
                message: format!("{name}, next to it: {error}"),
                has_advice: error.has_advice(),
            };
            let opened = Reach::of(path, &wanted.read_from)
                .open(beside)
                .map_err(|refusal| in_it(ImporterError::advised(refusal)))?;
            let text = files::read_opened(opened, LARGEST_FILE).map_err(in_it)?;
            let animation = animation(&decode(&text))
                .map_err(Into::into)
                .and_then(resolve)
                .map_err(in_it)?;
            animate(&mut asset, &name, animation);
        }
        Ok(asset)
    }
}

fn is_animation(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("md5anim")
}

/// The model in `text`, a whole file in `folder`, without any clip.
fn model(text: &str, folder: &Path) -> Result<Source, Damage> {
    let model = Model::read(text)?;
    let bound: Vec<Rigid> = model
        .joints
        .iter()
        .map(|joint| Rigid::new(joint.numbers))
        .collect();
    let mut log = Log::default();
    let mut nodes = nodes(&model.joints, &bound, &mut log);
    let mut binder = Binder::new(&bound, &model.joints);
    let mut materials = Surfaces::new(folder, IMAGE_ENDINGS);
    let mut meshes = Vec::new();
    for surface in &model.surfaces {
        meshes.push(mesh(surface, &mut binder, &mut materials, &mut log)?);
    }
    let skin = (!nodes.is_empty()).then(|| binder.into_skin());
    let instances = attach(&mut nodes, &meshes, skin.is_some())?;
    let origins = Origins {
        primitives: PrimitiveId::of_meshes(meshes.len()),
        ..Origins::default()
    };
    Ok(Source {
        origins,
        nodes,
        meshes,
        instances,
        skins: skin.into_iter().collect(),
        materials: materials.materials,
        images: materials.images,
        files: materials.looked_for,
        log,
        ..empty()
    })
}

/// The joints of an animation as its base frame has them, and its clip.
fn animation(text: &str) -> Result<Source, Damage> {
    let motion = Motion::read(text)?;
    let rest = motion.joints.iter().zip(&motion.base);
    let nodes = rest.map(|(joint, numbers)| {
        let rest = Rigid::new(*numbers).trs();
        hierarchy::node(joint.name.clone(), parent(joint.parent), rest)
    });
    let mut log = Log::default();
    let clip = motion::read_clip(&motion, &mut log)?;
    Ok(Source {
        nodes: nodes.collect(),
        clips: vec![clip],
        log,
        ..empty()
    })
}

/// Gives `asset` the clip of `other`, the file called `name` beside it.
fn animate(asset: &mut Asset, name: &str, mut other: Asset) {
    let (mut defects, mut notes) = (
        std::mem::take(&mut other.evidence.defects),
        std::mem::take(&mut other.notes),
    );
    let [own, others] = [&asset.skeleton, &other.skeleton].map(Skeleton::nodes);
    let is_alike = |(own, other): (&rig::Node, &rig::Node)| {
        own.name == other.name && own.parent == other.parent
    };
    if others.len() <= own.len() && own.iter().zip(others).all(is_alike) {
        asset.clips = other.clips;
    } else if let Err(error) = merge_clips(asset, other) {
        asset.notes.push(Note {
            location: "file".to_owned(),
            message: format!("the animation {name} next to it is skipped: {error}"),
        });
        return;
    }
    asset.evidence.defects.append(&mut defects);
    asset.notes.append(&mut notes);
}

fn empty() -> Source {
    Source::new(Format::Md5, Reader::own(ReaderCode::Md5, "MD5"), SPACE)
}

/// The joints, at rest where they are bound. Rotations longer than 1 are reported here, since the rest pose never has them.
fn nodes(joints: &[BoundJoint], bound: &[Rigid], log: &mut Log) -> Vec<Node> {
    let joints = joints.iter().zip(bound).map(|(joint, bound_at)| {
        if let Some((off, length)) = binding::too_long(joint.numbers) {
            let message = format!("the rotation has length {}, not 1", unit::rounded(length));
            let kind = DefectKind::NonunitRotation;
            let location = Location::joint(&*joint.name);
            log.defects.add_worst(kind, location, 1, off, message);
        }
        let parent = parent(joint.parent);
        let above = parent.and_then(|parent| bound.get(parent));
        let local = bound_at.under(above.unwrap_or(&Rigid::IDENTITY));
        hierarchy::node(joint.name.clone(), parent, local.trs())
    });
    joints.collect()
}

/// The number of a parent; a negative number means no parent.
fn parent(number: i64) -> Option<usize> {
    (number >= 0).then(|| usize::try_from(number).unwrap_or(usize::MAX))
}

fn mesh(
    surface: &Surface,
    binder: &mut Binder<'_>,
    materials: &mut Surfaces<'_>,
    log: &mut Log,
) -> Result<Mesh, Damage> {
    let (positions, influences) = binder.bind(surface, log)?;
    let uvs = surface.vertices.iter().map(|vertex| vertex.uv).collect();
    // Counter-clockwise, which is clockwise in the file.
    let triangles = surface.triangles.iter().map(|&[a, b, c]| [a, c, b]);
    Ok(Mesh {
        name: surface.name.clone(),
        positions,
        // With v growing downwards, as pictures have it.
        uv_sets: vec![uvs],
        triangles: triangles.collect(),
        influences,
        material: materials.named(&surface.shader),
        ..Mesh::default()
    })
}

#[cfg(test)]
mod tests;

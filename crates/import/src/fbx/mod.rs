//! Import of FBX through ufbx, from version 3 on, binary and text.
//!
//! # Nodes
//!
//! Each node of the file becomes a joint of the same name. Its transform includes the file's pivots, rotation order, pre-
//! and post-rotation and inherit type. Two kinds of joint are added where a plain hierarchy cannot express the file's
//! (`nodes`):
//!
//! - `X (unscaled)` above X, if X is scaled and a child of X does not inherit that scale along X's axes (inherit types 0
//!   and 2). It has X's translation and rotation, X itself only the scale. Those children are attached to it.
//! - `X (geometry)` below X, if X shows a mesh and has a geometric transform.
//!
//! # Clips
//!
//! An animation stack becomes a clip. The curves of FBX are Béziers of Euler angles in several layers, with different key
//! times per axis; a [`Track`](crate::rig::Track) has one list of keys. Therefore the transform of a node is evaluated as
//! a function of time (`local`; `property` if there are several layers) and baked ([`bake`](super::bake)). Each span between
//! neighbouring key times of the driving curves becomes a step if the value is constant, a line if the value is linear,
//! and else a cubic spline. A spline is halved until it is closer than [`TOLERANCE`](super::bake::TOLERANCE) at points in
//! between. Jumps stay jumps. Nothing is resampled at a frame rate. Where a curve continues past its keys, it is baked up
//! to the ends of the stack.
//!
//! # Reference
//!
//! `ufbx.h`; FBX SDK, "Computing transformation matrices"; Maya, "Blend shape in-between targets".

mod clips;
mod deformers;
mod evaluate;
mod examine;
mod load;
mod local;
mod materials;
mod meshes;
mod nodes;
mod property;

use std::path::Path;

use super::bake::Extent;
use super::files;
use super::importer::sealed::Sealed;
use super::importer::{Clips, Importer, ImporterError, Wanted};
use super::log::Log;
use super::resolve::resolve;
use super::source::{KeyTimes, Source};
use crate::rig::{Asset, Origins};
use materials::Materials;
use nodes::Nodes;

/// The ufbx library, compiled in.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fbx;

impl Sealed for Fbx {}

impl Importer for Fbx {
    fn name(&self) -> &'static str {
        "fbx"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["fbx"]
    }

    fn version(&self) -> String {
        load::version()
    }

    fn import_some(&self, path: &Path, wanted: &Wanted) -> Result<Asset, ImporterError> {
        let file = files::read(path, u64::MAX - 1)?;
        let scene = load::load(&file)?;
        resolve(convert(&scene, &wanted.clips))
    }
}

/// Reads a scene with the wanted clips.
fn convert(scene: &ufbx::Scene, wanted: &Clips) -> Source {
    let mut log = Log::default();
    let notes = &mut log.notes;
    load::note_warnings(scene, notes);
    let nodes = Nodes::read(scene);
    let mut materials = Materials::read(scene, notes);
    let shown = meshes::read_all(&nodes, &mut materials, notes);
    let extent = Extent::new(&nodes.list, &shown.list, &shown.instances);
    examine::examine(scene, &nodes, &mut log);
    let clips = clips::read_all(scene, &nodes, &shown, &extent, wanted, &mut log);
    let space = load::space_of(scene, &mut log.notes);
    let (surfaces, stacks) = (scene.materials.iter(), scene.anim_stacks.iter());
    let origins = Origins {
        nodes: nodes.origins,
        meshes: shown.origins,
        primitives: shown.primitives,
        skins: shown.skins.origins,
        materials: surfaces
            .map(|own| load::of_object("Material", &own.element))
            .collect(),
        clips: stacks
            .map(|own| load::of_object("AnimStack", &own.element))
            .collect(),
        ..Origins::default()
    };
    Source {
        origins,
        nodes: nodes.list,
        meshes: shown.list,
        skins: shown.skins.list,
        instances: shown.instances,
        clips,
        key_times: KeyTimes::Made,
        materials: materials.list,
        images: materials.images,
        log,
        hidden: examine::hidden(scene),
        ..Source::new(load::format(scene), load::reader(scene), space)
    }
}

/// The asset of a scene with all its clips.
#[cfg(test)]
fn asset(scene: &ufbx::Scene) -> Asset {
    let asset = resolve(convert(scene, &Clips::All)).expect("ufbx has untangled its nodes");
    asset.validate().expect("what is not refused is valid");
    asset
}

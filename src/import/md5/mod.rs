//! Import of MD5, version 10: the models and animations of Doom 3.
//!
//! +Z is up and +X in front, as in the engine; the unit is not known. A model has the animation of its own name that lies
//! beside it. Joints are those of the model by name, and by number where both files have the same list of them.
//!
//! # Reference
//!
//! - id Software, Doom 3 source code: `renderer/Model_md5.cpp`, `anim/Anim.cpp`.
//! - D. Henry, "MD5Mesh and MD5Anim files format" (2005).

mod binding;
mod clip;
mod examine;
mod model;
mod motion;
mod place;
mod text;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use self::binding::Binder;
use self::model::{Model, Surface};
use self::motion::Motion;
use self::place::Placed;
use self::text::Damage;
use super::animation::merge_clips;
use super::defects::Defects;
use super::hierarchy::{Hierarchy, hung};
use super::importer::{Importer, ImporterError};
use super::surfaces::Surfaces;
use super::text::decode;
use crate::rig::{Asset, Joint, Mesh, Note, Skeleton, WeightStorage};
use crate::units::{SignedAxis, Space};

/// The reader of `.md5mesh` and `.md5anim`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Md5;

/// Text of which most is numbers: two hundred times the largest model of Doom 3.
const LARGEST_FILE: u64 = 1 << 30;

/// The custom of the engine. The unit is not known.
const SPACE: Space = Space {
    up: SignedAxis::PlusZ,
    front: SignedAxis::PlusX,
    metres_per_unit: None,
};

/// What pictures have behind the name of their material, by the custom of the engine: the colours are `name_d.tga`.
const PICTURE_ENDINGS: &[&str] = &["_d", ""];

impl Importer for Md5 {
    fn name(&self) -> &'static str {
        "md5"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["md5mesh", "md5anim"]
    }

    fn version(&self) -> String {
        env!("CARGO_PKG_VERSION").to_owned()
    }

    fn import(&self, path: &Path) -> Result<Asset, ImporterError> {
        let text = read(path)?;
        if is_animation(path) {
            return Ok(animation(&text, &self.version())?);
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let mut asset = self::model(&text, folder, &self.version())?;
        if let Some(beside) = beside(path) {
            let name = beside.file_name().unwrap_or_default().to_string_lossy();
            let in_it = |error: ImporterError| ImporterError::Parse {
                message: format!("{name}, which lies beside it: {error}"),
            };
            let text = read(&beside).map_err(in_it)?;
            animate(&mut asset, &name, &text, &self.version())
                .map_err(|damage| in_it(damage.into()))?;
            asset.files.push(PathBuf::from(name.as_ref()));
        }
        Ok(asset)
    }
}

fn is_animation(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("md5anim")
}

/// The animation that lies beside the model at `path`.
fn beside(path: &Path) -> Option<PathBuf> {
    let names = ["md5anim", "MD5ANIM"].map(|extension| path.with_extension(extension));
    names.into_iter().find(|path| path.is_file())
}

fn read(path: &Path) -> Result<String, ImporterError> {
    let unreadable = |error: std::io::Error| ImporterError::Parse {
        message: format!("it cannot be read: {error}"),
    };
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    let mut file = file.take(LARGEST_FILE + 1);
    file.read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > LARGEST_FILE {
        let what = "a file of 1 GiB or more".to_owned();
        return Err(ImporterError::Unsupported { what });
    }
    Ok(decode(&bytes))
}

/// The model in `text`, a whole file in `folder`, without any clip.
fn model(text: &str, folder: &Path, version: &str) -> Result<Asset, Damage> {
    let model = Model::read(text)?;
    let bound: Vec<Placed> = model
        .joints
        .iter()
        .map(|j| Placed::new(j.numbers))
        .collect();
    let rig = skeleton(&model, &bound)?;
    let mut defects = Defects::default();
    examine::model(&model, &mut defects);
    let mut notes = Vec::new();
    let mut binder = Binder::new(&bound, &rig.ids);
    let mut materials = Surfaces::new(folder, PICTURE_ENDINGS);
    let mut meshes = Vec::new();
    for surface in &model.surfaces {
        meshes.push(mesh(surface, &mut binder, &mut materials, &mut notes)?);
    }
    let skin = (!rig.ids.is_empty()).then(|| binder.into_skin());
    let (joints, instances) = hung(rig.joints, &meshes, skin.is_some());
    Ok(Asset {
        meshes,
        instances,
        skins: skin.into_iter().collect(),
        materials: materials.materials,
        images: materials.images,
        notes,
        ..empty(joints, defects, version)
    })
}

/// The joints of an animation as its base frame has them, and its clip.
fn animation(text: &str, version: &str) -> Result<Asset, Damage> {
    let motion = Motion::read(text)?;
    let rest = motion.joints.iter().zip(&motion.base);
    let named = rest.map(|(joint, numbers)| (joint.name.clone(), Placed::new(*numbers).trs()));
    let parents: Vec<Option<usize>> = motion.joints.iter().map(|j| parent(j.parent)).collect();
    let rig = Hierarchy::new("joint", &parents, named.collect())?;
    let mut notes = Vec::new();
    let clip = clip::read(&motion, &rig.ids, &mut notes)?;
    // Behind what limits how much there is to look at.
    let mut defects = Defects::default();
    examine::motion(&motion, &mut defects);
    Ok(Asset {
        clips: vec![clip],
        notes,
        ..empty(rig.joints, defects, version)
    })
}

/// Gives `asset` the clip in `text`, the file called `name` beside it.
fn animate(asset: &mut Asset, name: &str, text: &str, version: &str) -> Result<(), Damage> {
    let mut other = animation(text, version)?;
    let (mut defects, mut notes) = (
        std::mem::take(&mut other.evidence.defects),
        std::mem::take(&mut other.notes),
    );
    let [own, others] = [&asset.skeleton, &other.skeleton].map(Skeleton::joints);
    let is_alike =
        |(own, other): (&Joint, &Joint)| own.name == other.name && own.parent == other.parent;
    if others.len() <= own.len() && own.iter().zip(others).all(is_alike) {
        asset.clips = other.clips;
    } else if let Err(error) = merge_clips(asset, other) {
        asset.notes.push(Note {
            place: "file".to_owned(),
            message: format!("the animation {name} beside it is left out: {error}"),
        });
        return Ok(());
    }
    asset.evidence.defects.append(&mut defects);
    asset.notes.append(&mut notes);
    Ok(())
}

fn empty(joints: Vec<Joint>, defects: Defects, version: &str) -> Asset {
    Asset {
        importer: format!("md5 {version} (MD5)"),
        space: SPACE,
        stated_space: None,
        skeleton: Skeleton::new(joints).expect("joints were put after their parents"),
        meshes: Vec::new(),
        skins: Vec::new(),
        instances: Vec::new(),
        clips: Vec::new(),
        materials: Vec::new(),
        images: Vec::new(),
        files: Vec::new(),
        notes: Vec::new(),
        evidence: defects.into_evidence(examine::EXAMINED.iter().copied()),
    }
}

/// The joints, at rest where they are bound.
fn skeleton(model: &Model, bound: &[Placed]) -> Result<Hierarchy, Damage> {
    let parents: Vec<Option<usize>> = model.joints.iter().map(|j| parent(j.parent)).collect();
    let joints = model.joints.iter().zip(bound).zip(&parents);
    let local = joints.map(|((joint, place), parent)| {
        let above = parent.and_then(|parent| bound.get(parent));
        let local = place.under(above.unwrap_or(&Placed::IDENTITY));
        (joint.name.clone(), local.trs())
    });
    Ok(Hierarchy::new("joint", &parents, local.collect())?)
}

/// The number of a parent; negative ones are none.
fn parent(number: i64) -> Option<usize> {
    (number >= 0).then(|| usize::try_from(number).unwrap_or(usize::MAX))
}

fn mesh(
    surface: &Surface,
    binder: &mut Binder<'_>,
    materials: &mut Surfaces<'_>,
    notes: &mut Vec<Note>,
) -> Result<Mesh, Damage> {
    let bound = binder.bind(surface, notes)?;
    let uvs = surface.vertices.iter().map(|vertex| vertex.uv).collect();
    // Counter-clockwise, which is clockwise in the file.
    let triangles = surface.triangles.iter().map(|&[a, b, c]| [a, c, b]);
    Ok(Mesh {
        name: surface.name.clone(),
        positions: bound.positions,
        // With v growing downwards, as pictures have it.
        uv_sets: vec![uvs],
        triangles: triangles.collect(),
        influences: bound.influences,
        weight_storage: WeightStorage::Unstated,
        material: materials.named(&surface.shader),
        ..Mesh::default()
    })
}

#[cfg(test)]
mod tests;

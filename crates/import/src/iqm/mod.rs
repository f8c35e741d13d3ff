//! Import of Inter-Quake Models, version 2.
//!
//! The format does not define axes. Here +Z is up and +Y the front: exporters write Blender's coordinates unchanged,
//! and programs that show such models rotate +Z up (assimp by a root transform, raylib's examples by hand); raylib's
//! example character has its toes at +Y and its left limbs, by their names, at -X.
//!
//! A file with only clips often has no joints and thus no joint names, only poses numbered like the joints of their
//! model. Its joints have no names here either; [`merge_clips`](super::merge_clips) knows what to do with that.
//!
//! # Reference
//!
//! L. Salzman, "Inter-Quake Model Format" (`iqm.txt`), version 2 of May 31, 2011.

mod bytes;
mod rig;
mod vertices;

use std::path::Path;

use super::files;
use super::hierarchy::attach;
use super::importer::sealed::Sealed;
use super::importer::{Importer, ImporterError, Wanted};
use super::log::Log;
use super::resolve::resolve;
use super::source::{Node, Skin, SkinJoint, Source};
use super::surfaces::Surfaces;
use crate::rig::{Asset, Format, Mesh, Origins, PrimitiveId, Reader, ReaderCode};
use crate::units::{SignedAxis, Space};
use bytes::{Bytes, Damage, Header, range};
use rig::Frames;
use vertices::Vertices;

/// The reader of `.iqm`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Iqm;

/// Offsets have 32 bits.
const LARGEST_FILE: u64 = u32::MAX as u64;

/// The custom of the format. The unit is not known.
const SPACE: Space = Space {
    up: SignedAxis::PlusZ,
    front: SignedAxis::PlusY,
    metres_per_unit: None,
};

impl Sealed for Iqm {}

impl Importer for Iqm {
    fn name(&self) -> &'static str {
        "iqm"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["iqm"]
    }

    fn import_some(&self, path: &Path, _: &Wanted) -> Result<Asset, ImporterError> {
        let bytes = files::read(path, LARGEST_FILE)?;
        let folder = path.parent().unwrap_or(Path::new(""));
        resolve(parse(&bytes, folder)?)
    }
}

/// The model in `bytes`, a whole file in `folder`.
fn parse(bytes: &[u8], folder: &Path) -> Result<Source, Damage> {
    let file = Bytes(bytes);
    let header = Header::read(file)?;
    let mut log = Log::default();
    let frames = Frames::read(file, &header)?;
    let mut nodes = nodes(file, &header, &frames, &mut log)?;
    let joints = header.joints.count as usize;
    let clips = frames.clips(file, &header, nodes.len(), &mut log)?;
    let vertices = Vertices::read(file, &header, &mut log)?;
    let mut surfaces = Surfaces::new(folder, &[""]);
    let meshes = read_meshes(file, &header, &vertices, &mut surfaces)?;
    let skin = (joints > 0 && vertices.are_bound()).then(|| Skin {
        joints: (nodes.iter().enumerate())
            .map(|(index, node)| SkinJoint {
                name: node.name.clone(),
                node: Some(index),
            })
            .collect(),
        ..Skin::default()
    });
    let instances = attach(&mut nodes, &meshes, skin.is_some())?;
    let origins = Origins {
        primitives: PrimitiveId::of_meshes(meshes.len()),
        ..Origins::default()
    };
    Ok(Source {
        origins,
        nodes,
        meshes,
        skins: skin.into_iter().collect(),
        instances,
        clips,
        materials: surfaces.materials,
        images: surfaces.images,
        files: surfaces.looked_for,
        log,
        ..Source::new(
            Format::Iqm,
            Reader::own(ReaderCode::Iqm, "Inter-Quake Model"),
            SPACE,
        )
    })
}

/// The file's joints; if it has only poses, one unnamed joint per pose.
fn nodes(
    file: Bytes<'_>,
    header: &Header<'_>,
    frames: &Frames<'_>,
    log: &mut Log,
) -> Result<Vec<Node>, Damage> {
    let nodes = rig::read_joints(file, header)?;
    let poses = &frames.poses;
    let mut note = |message: &str| log.notes.add("joints", message);
    if poses.is_empty() {
        return Ok(nodes);
    }
    if nodes.is_empty() {
        note(
            "there are none, only poses: the first frame is the rest pose, and joints have no names",
        );
        let nameless = poses
            .iter()
            .zip(frames.first())
            .map(|(pose, rest)| rig::node(String::new(), pose.parent, rest));
        return Ok(nameless.collect());
    }
    if poses.len() != nodes.len() {
        let (poses, joints) = (poses.len(), nodes.len());
        note(&format!(
            "{poses} poses for {joints} joints: matched by index"
        ));
    }
    Ok(nodes)
}

/// Times that the vertices or triangles of a file may be used by its meshes, on average: honest ones use each once.
const MOST_USES: u64 = 16;

/// All meshes; their materials are added to `surfaces`.
///
/// # Errors
///
/// [`Damage`] if a list is not there, or a mesh takes vertices or triangles that are not.
fn read_meshes(
    file: Bytes<'_>,
    header: &Header<'_>,
    vertices: &Vertices,
    surfaces: &mut Surfaces<'_>,
) -> Result<Vec<Mesh>, Damage> {
    let triangles = file.records("the triangles", header.triangles)?;
    let records: Vec<[u32; 6]> = file.records("the meshes", header.meshes)?;
    let used = |part: usize| records.iter().map(|record| u64::from(record[part])).sum();
    within("the vertices of meshes", used(3), vertices.count)?;
    within("the triangles of meshes", used(5), triangles.len())?;
    let mut meshes = Vec::with_capacity(records.len());
    for (index, [name, material, first, count, first_triangle, triangle_count]) in
        records.into_iter().enumerate()
    {
        let location = || format!("mesh {index}");
        let own = range(location, "vertices", first, count, vertices.count)?;
        let of_mesh = range(
            location,
            "triangles",
            first_triangle,
            triangle_count,
            triangles.len(),
        )?;
        let reverse = |triangle: &[u32; 3]| reversed(triangle, first, count, index);
        let (tangents, bitangents) = vertices.tangents(own.clone());
        meshes.push(Mesh {
            name: header.names.at(name, location)?,
            material: surfaces.named(&header.names.at(material, location)?),
            positions: vertices.positions(own.clone()),
            normals: vertices.normals(own.clone()),
            tangents,
            bitangents,
            uv_sets: sets(vertices.uvs(own.clone())),
            color_sets: sets(vertices.colors(own.clone())),
            triangles: (triangles[of_mesh].iter().map(reverse)).collect::<Result<_, _>>()?,
            influences: vertices.influences(own),
            ..Mesh::default()
        });
    }
    Ok(meshes)
}

/// No set if it would be empty.
fn sets<T>(only: Vec<T>) -> Vec<Vec<T>> {
    if only.is_empty() {
        Vec::new()
    } else {
        vec![only]
    }
}

fn within(what: &'static str, count: u64, of: usize) -> Result<(), Damage> {
    if count <= (of as u64).saturating_mul(MOST_USES) {
        Ok(())
    } else {
        Err(Damage::TooMany { what, count })
    }
}

/// Counter-clockwise, which is clockwise in the file, and counted within the mesh.
fn reversed(
    &[a, b, c]: &[u32; 3],
    first: u32,
    count: u32,
    mesh: usize,
) -> Result<[u32; 3], Damage> {
    let own = |corner: u32| {
        let within = corner.checked_sub(first).filter(|&own| own < count);
        within.ok_or_else(|| Damage::NotThere {
            location: format!("a triangle of mesh {mesh}"),
            what: "its vertex",
            number: i64::from(corner) - i64::from(first),
            count: count as usize,
        })
    };
    Ok([own(a)?, own(c)?, own(b)?])
}

#[cfg(test)]
mod tests;

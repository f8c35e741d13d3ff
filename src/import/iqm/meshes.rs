//! Meshes, and what they are made of.

use std::collections::BTreeMap;
use std::path::Path;

use glam::Vec4;

use super::bytes::{Bytes, Damage, range};
use super::examine;
use super::header::{Header, List};
use super::vertices::Vertices;
use crate::import::defects::Defects;
use crate::rig::{
    AlphaMode, DefectKind, Image, ImageData, ImageId, Influences, Material, MaterialId, Mesh, Note,
    Place, TextureRef, TextureWrap,
};
use crate::units::amount;

/// Times that the vertices or triangles of a file may be used by its meshes, on average: honest ones use each once.
const MOST_USES: u64 = 16;

/// What the meshes of a file share.
pub(super) struct Source<'a, 'n> {
    pub(super) file: Bytes<'a>,
    pub(super) header: &'a Header<'a>,
    pub(super) vertices: &'a Vertices,
    /// How many there are.
    pub(super) joints: usize,
    pub(super) surfaces: &'a mut Surfaces<'n>,
    pub(super) notes: &'a mut Vec<Note>,
    pub(super) defects: &'a mut Defects,
}

impl Source<'_, '_> {
    /// All meshes.
    ///
    /// # Errors
    ///
    /// [`Damage`] if a list is not there, or a mesh takes vertices or triangles that are not.
    pub(super) fn read_all(&mut self) -> Result<Vec<Mesh>, Damage> {
        let List { count, offset } = self.header.triangles;
        let triangles = self.file.records("the triangles", offset, count)?;
        let List { count, offset } = self.header.meshes;
        let records: Vec<[u32; 6]> = self.file.records("the meshes", offset, count)?;
        let used = |part: usize| records.iter().map(|record| u64::from(record[part])).sum();
        within(
            MOST_USES,
            "the vertices of meshes",
            used(3),
            self.vertices.count,
        )?;
        within(
            MOST_USES,
            "the triangles of meshes",
            used(5),
            triangles.len(),
        )?;
        let meshes = records.iter().enumerate();
        meshes
            .map(|(index, record)| self.read(index, record, &triangles))
            .collect()
    }

    fn read(
        &mut self,
        index: usize,
        &[name, material, first, count, first_triangle, triangle_count]: &[u32; 6],
        triangles: &[[u32; 3]],
    ) -> Result<Mesh, Damage> {
        let place = || format!("mesh {index}");
        let vertices = range(place, "vertices", first, count, self.vertices.count)?;
        let own = range(
            place,
            "triangles",
            first_triangle,
            triangle_count,
            triangles.len(),
        )?;
        let turn = |triangle: &[u32; 3]| turned(triangle, first, count, index);
        let triangles = triangles[own].iter().map(turn);
        let name = self.header.names.at(name, place)?;
        let material = self.header.names.at(material, place)?;
        let (tangents, bitangents) = self.vertices.tangents(vertices.clone());
        let mesh = Mesh {
            positions: self.vertices.positions(vertices.clone()),
            quantized: false,
            normals: self.vertices.normals(vertices.clone()),
            tangents,
            bitangents,
            uv_sets: sets(self.vertices.uvs(vertices.clone())),
            color_sets: sets(self.vertices.colors(vertices.clone())),
            triangles: triangles.collect::<Result<_, _>>()?,
            influences: self.influences(vertices, &name),
            morph_targets: Vec::new(),
            weight_storage: crate::rig::WeightStorage::Unstated,
            material: self.surfaces.named(&material),
            name,
        };
        examine::normals(&mesh, self.defects);
        Ok(mesh)
    }

    fn influences(&mut self, vertices: std::ops::Range<usize>, mesh: &str) -> Influences {
        if self.joints == 0 || !self.vertices.are_bound() {
            return Influences::default();
        }
        let weights = self.vertices.weights(vertices, self.joints);
        if weights.lost > 0 {
            let joints = self.joints;
            let place = Place {
                vertex: weights.first_lost,
                ..Place::mesh(mesh)
            };
            self.defects.add_many(
                DefectKind::JointIndexOutOfRange,
                place,
                weights.lost,
                format!("a weight is of a joint that is not among the {joints}"),
            );
            self.notes.push(Note {
                place: format!("mesh {mesh:?}"),
                message: format!(
                    "left out {} of joints that are not there",
                    amount(weights.lost, "weight")
                ),
            });
        }
        Influences::from_vertices(weights.lists)
    }
}

/// No set at all where there is nothing in it.
fn sets<T>(only: Vec<T>) -> Vec<Vec<T>> {
    if only.is_empty() {
        Vec::new()
    } else {
        vec![only]
    }
}

fn within(most: u64, what: &'static str, count: u64, of: usize) -> Result<(), Damage> {
    if count <= (of as u64).saturating_mul(most) {
        Ok(())
    } else {
        Err(Damage::TooMany { what, count })
    }
}

/// Counter-clockwise, which is clockwise in the file, and counted within the mesh.
fn turned(&[a, b, c]: &[u32; 3], first: u32, count: u32, mesh: usize) -> Result<[u32; 3], Damage> {
    let own = |corner: u32| {
        let within = corner.checked_sub(first).filter(|&own| own < count);
        within.ok_or_else(|| Damage::NotThere {
            place: format!("a triangle of mesh {mesh}"),
            what: "its vertex",
            number: i64::from(corner) - i64::from(first),
            count: count as usize,
        })
    };
    Ok([own(a)?, own(c)?, own(b)?])
}

/// Materials and pictures, each name once.
pub(super) struct Surfaces<'n> {
    /// Where the file is.
    folder: &'n Path,
    by_name: BTreeMap<String, MaterialId>,
    pub(super) materials: Vec<Material>,
    pub(super) images: Vec<Image>,
}

/// Names that end so are pictures.
const PICTURES: &[&str] = &["png", "jpg", "jpeg", "tga", "bmp", "webp", "dds", "pcx"];

/// Of a material's own name, which may or may not be that of a picture: what is looked for beside the file.
const LOOKED_FOR: &[&str] = &["png", "jpg", "jpeg", "tga", "bmp", "webp"];

impl<'n> Surfaces<'n> {
    pub(super) fn new(folder: &'n Path) -> Self {
        Self {
            folder,
            by_name: BTreeMap::new(),
            materials: Vec::new(),
            images: Vec::new(),
        }
    }

    /// The material that the file calls `name`; none for no name.
    fn named(&mut self, name: &str) -> Option<MaterialId> {
        if name.is_empty() {
            return None;
        }
        if let Some(&known) = self.by_name.get(name) {
            return Some(known);
        }
        let id = MaterialId::from_index(self.materials.len());
        let texture = self.picture(name).map(|path| self.texture(path));
        self.materials.push(Material {
            name: name.to_owned(),
            base_color: Vec4::ONE,
            base_color_texture: texture,
            alpha: AlphaMode::Opaque,
            two_sided: false,
        });
        self.by_name.insert(name.to_owned(), id);
        Some(id)
    }

    /// The file of the picture: the name itself, or its last part where exporters write `material|picture`, or a
    /// picture of that name that lies beside the model.
    fn picture(&self, name: &str) -> Option<String> {
        let last = name.rsplit('|').next().unwrap_or(name);
        let extension = Path::new(last).extension().unwrap_or_default();
        let is_picture = |known: &str| extension.eq_ignore_ascii_case(known);
        if PICTURES.iter().any(|known| is_picture(known)) {
            return Some(last.to_owned());
        }
        let is_plain = !last.contains(['/', '\\', ':', '\0']) && last.len() < 200;
        let mut beside = LOOKED_FOR.iter().map(|known| format!("{last}.{known}"));
        beside.find(|file| is_plain && self.folder.join(file).is_file())
    }

    fn texture(&mut self, path: String) -> TextureRef {
        let image = ImageId::from_index(self.images.len());
        self.images.push(Image {
            data: ImageData::File(path.clone().into()),
            name: path,
        });
        TextureRef {
            image,
            uv_set: 0,
            wrap_u: TextureWrap::Repeat,
            wrap_v: TextureWrap::Repeat,
        }
    }
}

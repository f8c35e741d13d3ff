//! Primitives: each that has triangles becomes a mesh (glTF 2.0, §3.7.2).
//!
//! Vertices stay in the file's order; unused vertices are omitted, since primitives may share one list. Missing normals
//! stay missing. The standard then requires flat ones; they are computed from the triangles after skinning, which is
//! right in every pose.

use glam::{Vec2, Vec3, Vec4};
use serde_json::Value;
use serde_json::value::RawValue;

use super::accessors::{self, Accessors, Elements};
use super::error::{GltfError, PrimitiveProblem};
use super::json::{self, Kind, Root};
use super::lenient::Whole;
use super::nodes::Nodes;
use super::standard::{self, Uses};
use super::topology::{self, Reader, problem, vec3s};
use super::{document, skins};
use crate::log::Log;
use crate::rig::{
    Blending, DefectKind, Location, MaterialId, Mesh, MeshId, MorphTarget, Origins, PrimitiveId,
};
use crate::units::amount;

/// Most sets of texture coordinates or colours of a primitive; the standard requires readers to support two and one (§3.7.2.1).
const MOST_SETS: u32 = 32;

/// The meshes of a document, and the primitives that they come from.
#[derive(Default)]
pub(super) struct Meshes {
    pub(super) list: Vec<Mesh>,
    /// For each mesh of the document, the meshes of its primitives in order.
    pub(super) of_mesh: Vec<Vec<MeshId>>,
    /// The origin of each mesh, such as `/meshes/0/primitives/1`.
    pub(super) origins: Vec<String>,
    pub(super) primitives: Vec<PrimitiveId>,
}

impl Meshes {
    /// Reads all primitives of all meshes.
    ///
    /// * `fewest` – the number of joints of the smallest skin.
    /// * `uses` – receives the accessors of all primitives.
    ///
    /// # Errors
    ///
    /// [`GltfError`] with the primitive, attribute or accessor that cannot be read, and for a file of which no mesh is
    /// left.
    pub(super) fn read(
        root: &Root<'_>,
        accessors: &Accessors<'_>,
        nodes: &Nodes,
        fewest: usize,
        uses: &mut Uses,
        log: &mut Log,
    ) -> Result<Self, GltfError> {
        let mut meshes = Self::default();
        let mut broken = None;
        let shown_by = shown_by(root, nodes);
        for (index, mesh) in root.meshes.iter().enumerate() {
            let mut made = Vec::new();
            check_targets(mesh, index, shown_by[index], log);
            for (number, primitive) in mesh.primitives.iter().enumerate() {
                let name = name(&mesh.name, number, mesh.primitives.len());
                let location = format!("meshes[{index}].primitives[{number}]");
                let id = PrimitiveId::from_indices(index, number);
                let known_as = Location::mesh(known_as(&name, shown_by[index])).of_primitive(id);
                uses.add_primitive(primitive, &known_as);
                standard::check_attributes(primitive, &known_as.clone().path(&*location), log);
                let Some(reader) = Reader::new(root, accessors, primitive, &location, known_as)?
                else {
                    log.notes.add(&location, "skipped: it has no positions");
                    continue;
                };
                let Some(mut read) = reader.read(fewest, &mut broken, log)? else {
                    continue;
                };
                name_targets(&mut read, mesh.extras);
                made.push(MeshId::from_index(meshes.list.len()));
                meshes.list.push(Mesh { name, ..read });
                meshes.origins.push(Origins::pointer(&location));
                meshes.primitives.push(id);
            }
            meshes.of_mesh.push(made);
        }
        match broken {
            Some(error) if meshes.list.is_empty() => Err(error),
            _ => Ok(meshes),
        }
    }
}

/// Checks that all primitives have the same number of morph targets (§3.7.2.2).
fn check_targets(mesh: &json::Mesh<'_>, index: usize, shown_by: &str, log: &mut Log) {
    let primitives = mesh.primitives.iter();
    let mut counts = primitives.map(|primitive| primitive.targets.len());
    let Some(first) = counts.next() else { return };
    if let Some((number, other)) = (1..).zip(counts).find(|(_, count)| *count != first) {
        let message = format!(
            "primitive {number} has {}, and primitive 0 has {first}",
            amount(other, "morph target")
        );
        let name = known_as(&mesh.name, shown_by);
        let location = Location::mesh(name)
            .of_primitive(PrimitiveId::from_indices(index, number))
            .path(format!("meshes[{index}].primitives[{number}]"));
        log.defects
            .add(DefectKind::UnequalTargets, location, message);
    }
}

/// The name of a mesh in findings: its own, or that of a node that shows it.
pub(super) fn known_as<'a>(name: &'a str, shown_by: &'a str) -> &'a str {
    if name.is_empty() { shown_by } else { name }
}

/// For each mesh of the document, the name of the first node that shows it.
fn shown_by<'a>(root: &Root<'_>, nodes: &'a Nodes) -> Vec<&'a str> {
    let mut names = vec![None; root.meshes.len()];
    for ((joint, &node), is_shown) in nodes.list.iter().zip(&nodes.node_of).zip(&nodes.is_shown) {
        let mesh = root.nodes[node].mesh.filter(|_| *is_shown);
        if let Some(name @ None) = mesh.and_then(|mesh| names.get_mut(mesh.index())) {
            *name = Some(joint.name.as_str());
        }
    }
    names.into_iter().map(Option::unwrap_or_default).collect()
}

/// The name of the mesh, with the index of the primitive if there are several.
fn name(mesh: &str, primitive: usize, count: usize) -> String {
    match (mesh, count) {
        ("", _) => String::new(),
        (name, 0..=1) => name.to_owned(),
        (name, _) => format!("{name}-{primitive}"),
    }
}

impl Reader<'_> {
    /// The mesh without its name; `None` for a primitive without triangles.
    ///
    /// * `broken` – receives the first primitive whose triangles are all broken.
    fn read(
        &self,
        fewest: usize,
        broken: &mut Option<GltfError>,
        log: &mut Log,
    ) -> Result<Option<Mesh>, GltfError> {
        let Some(mut triangles) = self.triangles(broken, log)? else {
            return Ok(None);
        };
        let used = topology::used_vertices(&mut triangles, self.vertices);
        let elements = used
            .as_ref()
            .map_or(Elements::All, |used| Elements::Only(used));
        let normals = vec3s(self.vectors("NORMAL", elements)?);
        let (tangents, bitangents) = self.tangents(&normals, elements, log)?;
        let (influences, weight_storage) = skins::read_influences(self, elements, fewest, log)?;
        Ok(Some(Mesh {
            name: String::new(),
            positions: vec3s(self.vectors("POSITION", elements)?),
            quantized: accessors::component(self.accessor).is_some_and(|of| !of.is_float()),
            morph_targets: read_morphs(self, !normals.is_empty(), !tangents.is_empty(), elements)?,
            influences,
            weight_storage,
            blending: Blending::Linear,
            uv_sets: self.sets("TEXCOORD", |name| self.uvs(name, elements))?,
            color_sets: self.sets("COLOR", |name| self.colors(name, elements))?,
            material: self.material()?,
            normals,
            tangents,
            bitangents,
            triangles,
        }))
    }

    /// `None`, with a note, if the primitive has no triangles.
    fn triangles(
        &self,
        refusal: &mut Option<GltfError>,
        log: &mut Log,
    ) -> Result<Option<Vec<[u32; 3]>>, GltfError> {
        // The default mode is triangles (§5.24.4).
        let mode = self.primitive.mode.map_or(4, Whole::index);
        if mode < 4 {
            let message = "skipped: it consists of points or lines";
            log.notes.add(self.location, message);
            return Ok(None);
        }
        let mut triangles = self.all_triangles(mode)?;
        let (broken, index) = topology::remove_broken(&mut triangles, self.vertices);
        if broken > 0 {
            self.report_broken(broken, index, log);
            if triangles.is_empty() {
                let vertices = self.vertices;
                let all = PrimitiveProblem::NoSuchVertex { index, vertices };
                refusal.get_or_insert_with(|| problem(self.location, all));
            }
        }
        if triangles.is_empty() {
            log.notes.add(self.location, "skipped: it has no triangle");
        }
        Ok((!triangles.is_empty()).then_some(triangles))
    }

    /// The triangles, whether or not their vertices exist.
    fn all_triangles(&self, mode: usize) -> Result<Vec<[u32; 3]>, GltfError> {
        let location = || format!("{}.indices", self.location);
        if let (4, Some(indices)) = (mode, self.primitive.indices) {
            return self.accessors.triples(indices, location);
        }
        let indices = match self.primitive.indices {
            None => self.every_vertex()?,
            Some(indices) => {
                let indices = self.accessors.integers(indices, Elements::All, location)?;
                indices.into_iter().map(|[index]| index).collect()
            }
        };
        topology::triangles(mode, &indices)
            .ok_or_else(|| problem(self.location, PrimitiveProblem::UnknownMode))
    }

    fn report_broken(&self, broken: usize, index: u32, log: &mut Log) {
        let message = format!(
            "skipped {} with vertices that do not exist",
            amount(broken, "triangle")
        );
        log.notes.add(self.location, message);
        let kind = DefectKind::FaceIndexOutOfRange;
        let location = self.mesh.clone().path(format!("{}.indices", self.location));
        let message = format!("names vertex {index}, but there are {}", self.vertices);
        log.defects.add_many(kind, location, broken, message);
    }

    /// All vertices, which a primitive without indices draws.
    fn every_vertex(&self) -> Result<Vec<u32>, GltfError> {
        let location = || format!("{}.attributes.POSITION", self.location);
        // Opens the buffer, whose size must justify this many numbers.
        let none = Elements::Only(&[]);
        self.accessors.floats::<3>(self.positions, none, location)?;
        let count = u32::try_from(self.vertices).unwrap_or(u32::MAX);
        self.accessors.charge_at(count.into(), location)?;
        Ok((0..count).collect())
    }

    fn tangents(
        &self,
        normals: &[Vec3],
        elements: Elements<'_>,
        log: &mut Log,
    ) -> Result<(Vec<Vec3>, Vec<Vec3>), GltfError> {
        let tangents = self.vectors::<4>("TANGENT", elements)?;
        if normals.is_empty() {
            // Tangents without normals are ignored (§3.7.2.1).
            return Ok((Vec::new(), Vec::new()));
        }
        self.check_signs(&tangents, log);
        let bitangents = normals.iter().zip(&tangents);
        let bitangents =
            bitangents.map(|(normal, &[x, y, z, side])| normal.cross(Vec3::new(x, y, z)) * side);
        let bitangents = bitangents.collect();
        Ok((
            tangents
                .iter()
                .map(|&[x, y, z, _]| Vec3::new(x, y, z))
                .collect(),
            bitangents,
        ))
    }

    /// Checks that the handedness of each tangent is 1 or -1 (§3.7.2.1). Nonfinite tangents are reported with the mesh.
    fn check_signs(&self, tangents: &[[f32; 4]], log: &mut Log) {
        let is_odd = |(_, [.., side]): &(usize, &[f32; 4])| {
            side.is_finite() && side.abs().to_bits() != 1.0_f32.to_bits()
        };
        let mut odd = tangents.iter().enumerate().filter(is_odd);
        if let Some((vertex, [.., side])) = odd.next() {
            let message = format!("the handedness of the tangent is {side}, not 1 or -1");
            let location = self.mesh.clone().vertex(vertex);
            let location = location.path(format!("{}.attributes.TANGENT", self.location));
            let count = 1 + odd.count();
            log.defects
                .add_many(DefectKind::TangentSign, location, count, message);
        }
    }

    fn uvs(&self, name: &str, elements: Elements<'_>) -> Result<Vec<Vec2>, GltfError> {
        let uvs = self.vectors(name, elements)?;
        Ok(uvs.into_iter().map(Vec2::from_array).collect())
    }

    /// Colours; opaque if they have no alpha (§3.7.2.1).
    fn colors(&self, name: &str, elements: Elements<'_>) -> Result<Vec<Vec4>, GltfError> {
        let location = || format!("{}.attributes.{name}", self.location);
        let accessor = self.attribute(name);
        let accessor = accessor
            .map(|accessor| self.accessors.get(accessor, location))
            .transpose()?;
        if accessor.is_some_and(|accessor| accessor.kind == Kind::Vec3) {
            let colors = self.vectors::<3>(name, elements)?.into_iter();
            return Ok(colors.map(|[r, g, b]| Vec4::new(r, g, b, 1.0)).collect());
        }
        let colors = self.vectors(name, elements)?;
        Ok(colors.into_iter().map(Vec4::from_array).collect())
    }

    /// The sets of an attribute up to the last one. Materials refer to them by index, so a gap stays, as an empty set.
    fn sets<T>(
        &self,
        name: &str,
        read: impl Fn(&str) -> Result<Vec<T>, GltfError>,
    ) -> Result<Vec<Vec<T>>, GltfError> {
        let of_set = |number: u32| format!("{name}_{number}");
        let numbers = (0..MOST_SETS).filter(|&number| self.attribute(&of_set(number)).is_some());
        let count = numbers.max().map_or(0, |last| last + 1);
        (0..count).map(|number| read(&of_set(number))).collect()
    }

    fn material(&self) -> Result<Option<MaterialId>, GltfError> {
        let Some(material) = self.primitive.material else {
            return Ok(None);
        };
        document::part(&self.root.materials, material, || self.location.to_owned())?;
        Ok(Some(MaterialId::from_index(material.index())))
    }
}

/// The targets of a primitive, without names. Offsets of attributes that the base lacks, and offsets that are all 0, are
/// omitted.
pub(super) fn read_morphs(
    reader: &Reader<'_>,
    has_normals: bool,
    has_tangents: bool,
    elements: Elements<'_>,
) -> Result<Vec<MorphTarget>, GltfError> {
    let targets = reader.primitive.targets.iter().enumerate();
    targets
        .map(|(number, target)| {
            let offsets = |accessor, name| {
                offsets(
                    reader,
                    accessor,
                    &format!("targets[{number}].{name}"),
                    elements,
                )
            };
            let (positions, normals, tangents) = (target.position, target.normal, target.tangent);
            Ok(MorphTarget {
                name: String::new(),
                positions: offsets(positions, "POSITION")?,
                normals: offsets(normals.filter(|_| has_normals), "NORMAL")?,
                tangents: offsets(tangents.filter(|_| has_tangents), "TANGENT")?,
            })
        })
        .collect()
}

fn offsets(
    reader: &Reader<'_>,
    accessor: Option<Whole>,
    name: &str,
    elements: Elements<'_>,
) -> Result<Vec<Vec3>, GltfError> {
    let Some(accessor) = accessor else {
        return Ok(Vec::new());
    };
    let offsets = vec3s(reader.list(accessor, name, elements)?);
    let is_still = offsets.iter().all(|&offset| offset == Vec3::ZERO);
    Ok(if is_still { Vec::new() } else { offsets })
}

/// Gives the targets of `mesh` their names, by a custom that the standard recommends (§3.7.2.2).
///
/// * `extras` – of the mesh in the document.
fn name_targets(mesh: &mut Mesh, extras: Option<&RawValue>) {
    let extras = extras
        .filter(|_| !mesh.morph_targets.is_empty())
        .map(RawValue::get);
    let extras: Value = extras
        .and_then(|extras| serde_json::from_str(extras).ok())
        .unwrap_or_default();
    let names = extras["targetNames"].as_array().into_iter().flatten();
    for (target, name) in mesh.morph_targets.iter_mut().zip(names) {
        name.as_str()
            .unwrap_or_default()
            .clone_into(&mut target.name);
    }
}

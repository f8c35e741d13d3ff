//! Builds meshes from geometries and controllers.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use glam::Vec3;
use roxmltree::{Node, NodeId as XmlId};

use super::controllers::{Chain, MorphController, SkinController, offsets};
use super::document::{Document, Failure, ReadError, children, error_location, is};
use super::geometry::{Geometry, Group};
use super::materials::Materials;
use super::scene::Scene;
use crate::log::Log;
use crate::rig::{
    DefectKind, Influences, Location, MaterialId, Mesh, MeshId, MeshInstance, MorphTarget, NodeId,
    PrimitiveId, SkinId,
};
use crate::source::{Skin, SkinJoint};
use crate::units::amount;
use crate::vertices::weld;

/// The meshes, skins and instances of a scene.
pub(super) struct MeshReader<'s, 'a> {
    pub(super) document: &'s Document<'a>,
    pub(super) scene: &'s Scene<'a>,
    pub(super) materials: &'s mut Materials<'a>,
    pub(super) log: &'s mut Log,
    pub(super) meshes: Vec<Mesh>,
    pub(super) skins: Vec<Skin>,
    pub(super) instances: Vec<MeshInstance>,
    /// By the source of weights: the number of the morph's targets, and the nodes that show it.
    pub(super) morphed: HashMap<XmlId, (usize, Vec<usize>)>,
    shapes: HashMap<String, Rc<Shape<'a>>>,
    geometries: HashMap<XmlId, Rc<Geometry<'a>>>,
    /// By the shape, its group and its material.
    known_meshes: BTreeMap<(String, usize, Option<MaterialId>), MeshId>,
    /// By the shape and the nodes of its joints.
    known_skins: BTreeMap<(String, Vec<Option<usize>>), SkinId>,
}

/// The shape of an instance.
struct Shape<'a> {
    geometry: Rc<Geometry<'a>>,
    chain: Chain<'a>,
}

impl<'s, 'a> MeshReader<'s, 'a> {
    pub(super) fn new(
        document: &'s Document<'a>,
        scene: &'s Scene<'a>,
        materials: &'s mut Materials<'a>,
        log: &'s mut Log,
    ) -> Self {
        Self {
            document,
            scene,
            materials,
            log,
            meshes: Vec::new(),
            skins: Vec::new(),
            instances: Vec::new(),
            morphed: HashMap::new(),
            shapes: HashMap::new(),
            geometries: HashMap::new(),
            known_meshes: BTreeMap::new(),
            known_skins: BTreeMap::new(),
        }
    }

    /// Reads the meshes that the nodes show, in the order of the nodes.
    pub(super) fn read(&mut self) -> Result<(), Failure> {
        for (number, node) in self.scene.nodes.iter().enumerate() {
            for instance in node.element.children() {
                if is(instance, "instance_geometry") || is(instance, "instance_controller") {
                    self.instance(number, instance)?;
                }
            }
        }
        Ok(())
    }

    /// The element that each mesh and each skin was read from.
    pub(super) fn origins(&self) -> [Vec<String>; 2] {
        let mut origins = [
            vec![String::new(); self.meshes.len()],
            vec![String::new(); self.skins.len()],
        ];
        for ((url, ..), mesh) in &self.known_meshes {
            let geometry = self.shapes[url].chain.geometry.attribute("id");
            origins[0][mesh.index()] = geometry.map_or_else(String::new, |id| format!("#{id}"));
        }
        for ((url, _), skin) in &self.known_skins {
            origins[1][skin.index()].clone_from(url);
        }
        origins
    }

    /// For each mesh, the number of its geometry in the document and of its group of faces there.
    pub(super) fn primitives(&self) -> Vec<PrimitiveId> {
        let library = self.document.library("library_geometries", "geometry");
        let numbers: HashMap<XmlId, usize> = library.map(|own| own.id()).zip(0..).collect();
        let mut of_meshes: Vec<_> = self.known_meshes.iter().collect();
        of_meshes.sort_by_key(|(_, mesh)| **mesh);
        let primitive = |((url, group, _), _): (&(String, usize, _), _)| {
            let geometry = self.shapes[url].chain.geometry.id();
            PrimitiveId::from_indices(numbers[&geometry], *group)
        };
        of_meshes.into_iter().map(primitive).collect()
    }

    fn instance(&mut self, number: usize, instance: Node<'a, 'a>) -> Result<(), Failure> {
        let url = instance.attribute("url").unwrap_or_default();
        let Some(shape) = self.shape(url).map_err(|failure| Failure {
            // A dangling url is a fault of the node.
            location: if failure.location == "document" {
                error_location(instance)
            } else {
                failure.location
            },
            ..failure
        })?
        else {
            return Ok(());
        };
        let skin = shape.chain.skin.as_ref();
        let skin = skin
            .map(|skin| self.skin(url, skin, instance, number))
            .transpose()?;
        let morph = shape.chain.morph.as_ref();
        let weights = morph.map(MorphController::rest_weights).unwrap_or_default();
        if let Some(morph) = morph {
            let known = self.morphed.entry(morph.weights.id());
            let (_, nodes) = known.or_insert_with(|| (morph.targets.len(), Vec::new()));
            nodes.push(number);
        }
        let bindings = instance.descendants().count();
        self.document
            .count_numbers(shape.geometry.groups.len() + bindings)?;
        let bound = self.materials.bound(self.document, instance);
        for (index, group) in shape.geometry.groups.iter().enumerate() {
            if group.mesh.triangles.is_empty() {
                continue;
            }
            let material = self.materials.of(group.material, &bound);
            let key = (url.to_owned(), index, material);
            let next = MeshId::from_index(self.meshes.len());
            let known = self.known_meshes.get(&key).copied();
            if known.is_none() {
                let mut mesh = self.mesh(&shape, index)?;
                mesh.material = material;
                self.meshes.push(mesh);
                self.known_meshes.insert(key, next);
            }
            let mesh = known.unwrap_or(next);
            self.instances.push(MeshInstance {
                node: NodeId::from_index(number),
                mesh,
                skin,
                morph_weights: weights.clone(),
            });
        }
        Ok(())
    }

    /// `None` for a geometry without faces.
    fn shape(&mut self, url: &str) -> Result<Option<Rc<Shape<'a>>>, Failure> {
        if let Some(known) = self.shapes.get(url) {
            return Ok(Some(Rc::clone(known)));
        }
        let chain = Chain::read(self.document, url)?;
        let Some(geometry) = self.geometry(chain.geometry)? else {
            return Ok(None);
        };
        let location = || format!("mesh {:?}", geometry.name);
        if chain.has_more {
            let message = "only the first of several stacked skins or morphs deforms it";
            self.log.notes.add(location(), message);
        }
        if let Some(skin) = &chain.skin {
            let (lists, vertices) = (skin.influences.len(), geometry.positions.rows());
            let surplus = lists.saturating_sub(vertices);
            let message = format!(
                "{lists} lists of weights for {}",
                amount(vertices, "position")
            );
            if surplus > 0 {
                self.log
                    .notes
                    .add(location(), format!("skipped {surplus} of {message}"));
            }
            let location = Location::mesh(geometry.name.clone());
            self.log.defects.add_many(
                DefectKind::VertexIndexOutOfRange,
                location,
                surplus,
                message,
            );
        }
        let shape = Rc::new(Shape { geometry, chain });
        self.shapes.insert(url.to_owned(), Rc::clone(&shape));
        Ok(Some(shape))
    }

    fn geometry(&mut self, element: Node<'a, 'a>) -> Result<Option<Rc<Geometry<'a>>>, Failure> {
        if let Some(known) = self.geometries.get(&element.id()) {
            return Ok(Some(Rc::clone(known)));
        }
        let location = error_location(element);
        let Some(geometry) = Geometry::read(self.document, element)? else {
            self.log
                .notes
                .add(location, "skipped, because it has no faces");
            return Ok(None);
        };
        if geometry.lines > 0 {
            let message = format!("skipped {} of lines", amount(geometry.lines, "list"));
            self.log.notes.add(location, message);
        }
        let broken = geometry.groups.iter().map(|group| group.broken).sum();
        let message = format!("{} with vertices that do not exist", amount(broken, "face"));
        if broken > 0 {
            let location = format!("mesh {:?}", geometry.name);
            self.log.notes.add(location, format!("skipped {message}"));
        }
        let location = Location::mesh(geometry.name.clone());
        self.log
            .defects
            .add_many(DefectKind::FaceIndexOutOfRange, location, broken, message);
        let geometry = Rc::new(geometry);
        self.geometries.insert(element.id(), Rc::clone(&geometry));
        Ok(Some(geometry))
    }

    /// Group number `index` of `shape` with its influences and targets; equal vertices are welded.
    fn mesh(&mut self, shape: &Shape<'a>, index: usize) -> Result<Mesh, Failure> {
        let Group { mesh, rows, .. } = &shape.geometry.groups[index];
        self.document.count_numbers(rows.len())?;
        let mut mesh = mesh.clone();
        if let Some(morph) = &shape.chain.morph {
            for target in &morph.targets {
                let target = self.target(&shape.geometry, index, (*target, morph.is_relative))?;
                mesh.morph_targets.push(target);
            }
        }
        if let Some(skin) = &shape.chain.skin {
            let of = |row: &u32| {
                let list = skin.influences.get(*row as usize);
                list.map_or(&[][..], Vec::as_slice).iter().copied()
            };
            mesh.influences = Influences::from_vertices(rows.iter().map(of));
        }
        weld(&mut mesh);
        Ok(mesh)
    }

    /// A target's offsets for the corners of a group of the base.
    fn target(
        &mut self,
        base: &Geometry<'a>,
        index: usize,
        (element, is_relative): (Node<'a, 'a>, bool),
    ) -> Result<MorphTarget, Failure> {
        let misfit = |what| Failure::at(element, ReadError::Misfit { what });
        let target = self.geometry(element)?;
        let target = target.ok_or_else(|| misfit("a morph target needs a mesh".to_owned()))?;
        let (rows, expected) = (target.positions.rows(), base.positions.rows());
        if rows != expected {
            let name = &base.name;
            return Err(misfit(format!(
                "a morph target has {rows} positions, but {name:?} has {expected}"
            )));
        }
        let group = &base.groups[index];
        self.document.count_numbers(group.rows.len())?;
        let offset = |row: &u32| {
            let row = *row as usize;
            offsets(base.position(row), target.position(row), is_relative)
        };
        // Corners correspond only if both refer to the same positions.
        let same = target
            .groups
            .get(index)
            .filter(|other| other.rows == group.rows);
        let normals = same.map_or(&[][..], |other| &other.mesh.normals);
        let pairs = group.mesh.normals.iter().zip(normals);
        let rotated = |(base, target): (&Vec3, &Vec3)| offsets(*base, *target, is_relative);
        Ok(MorphTarget {
            name: target.name.clone(),
            positions: group.rows.iter().map(offset).collect(),
            normals: pairs.map(rotated).collect(),
            tangents: Vec::new(),
        })
    }

    /// The skin of the controller at `url` under the skeletons of `instance`.
    fn skin(
        &mut self,
        url: &str,
        skin: &SkinController<'a>,
        instance: Node<'a, 'a>,
        number: usize,
    ) -> Result<SkinId, ReadError> {
        let roots: Vec<Node<'a, 'a>> = children(instance, "skeleton")
            .filter_map(|skeleton| skeleton.text())
            .filter_map(|url| self.document.at(url.trim(), "node").ok())
            .collect();
        let (words, are_ids) = &skin.joints;
        self.document.count_numbers(words.len())?;
        let nodes = self
            .scene
            .joints(self.document, (words, *are_ids), &roots, number);
        let next = SkinId::from_index(self.skins.len());
        let key = (url.to_owned(), nodes);
        if let Some(known) = self.known_skins.get(&key) {
            return Ok(*known);
        }
        let joint = |(word, node): (&&str, &Option<usize>)| SkinJoint {
            name: (*word).to_owned(),
            node: *node,
        };
        let mut joints: Vec<SkinJoint> = words.iter().zip(&key.1).map(joint).collect();
        let mut binds = skin.inverse_binds.clone();
        if skin.has_unbound_vertices() {
            // Vertices without a joint follow the scene itself.
            binds.resize(words.len(), glam::Mat4::IDENTITY);
            binds.push(skin.bind_shape);
            joints.push(SkinJoint {
                name: self.scene.nodes[0].name(),
                node: Some(0),
            });
        }
        self.known_skins.insert(key, next);
        self.skins.push(Skin {
            name: skin.name.clone(),
            part: None,
            joints,
            inverse_binds: Some(binds),
        });
        Ok(next)
    }
}

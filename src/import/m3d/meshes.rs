//! From one list of faces to a mesh for each surface.

use std::collections::HashMap;

use glam::Vec2;

use super::cursor::Damage;
use super::examine;
use super::lists::{Corner, Face, Lists, Vector, linear_color};
use crate::import::defects::Defects;
use crate::import::resolve;
use crate::import::unit;
use crate::rig::{DefectKind, Influence, Influences, Mesh, Note, Place};
use crate::units::amount;

/// A mesh, and the name of its surface.
pub(super) struct Part<'a> {
    pub(super) material: Option<&'a str>,
    pub(super) mesh: Mesh,
}

/// A mesh for each surface, in the order in which faces name them.
///
/// # Errors
///
/// [`Damage`] if a face names a vector that is not there.
pub(super) fn parts<'a>(
    lists: &'a Lists,
    notes: &mut Vec<Note>,
    defects: &mut Defects,
) -> Result<Vec<Part<'a>>, Damage> {
    let mut order: Vec<(Option<&str>, Vec<&Face>)> = Vec::new();
    let mut places: HashMap<Option<&str>, usize> = HashMap::new();
    for face in &lists.faces {
        let name = face.material.and_then(|name| lists.materials.get(name));
        let name = name.map(String::as_str);
        let place = *places.entry(name).or_insert_with(|| {
            order.push((name, Vec::new()));
            order.len() - 1
        });
        order[place].1.push(face);
    }
    let part = |(material, faces): (Option<&'a str>, Vec<&Face>)| {
        let mesh = Builder::new(lists).mesh(&faces, material, notes, defects)?;
        Ok(Part { material, mesh })
    };
    order.into_iter().map(part).collect()
}

/// A mesh in the making.
struct Builder<'a> {
    lists: &'a Lists,
    corners: Vec<Corner>,
    known: HashMap<Corner, u32>,
}

impl<'a> Builder<'a> {
    fn new(lists: &'a Lists) -> Self {
        Self {
            lists,
            corners: Vec::new(),
            known: HashMap::new(),
        }
    }

    fn mesh(
        mut self,
        faces: &[&Face],
        material: Option<&str>,
        notes: &mut Vec<Note>,
        defects: &mut Defects,
    ) -> Result<Mesh, Damage> {
        let mut triangles = Vec::with_capacity(faces.len());
        for face in faces {
            let [a, b, c] = face.corners;
            triangles.push([self.vertex(a)?, self.vertex(b)?, self.vertex(c)?]);
        }
        let name = material.unwrap_or_default().to_owned();
        let (influences, lost) = self.influences();
        if let Some((first, lost)) = lost {
            let joints = self.lists.bones.len();
            let message = format!("a weight is of a joint that is not among the {joints}");
            let kind = DefectKind::JointIndexOutOfRange;
            let place = Place::mesh(name.clone()).vertex(first);
            defects.add_many(kind, place, lost, message);
            notes.push(Note {
                place: format!("mesh {name:?}"),
                message: format!(
                    "left out {} of joints that are not there",
                    amount(lost, "weight")
                ),
            });
        }
        self.tell_lost_lists(&name, defects);
        let vectors = &self.lists.vectors;
        let points = self.corners.iter().map(|corner| &vectors[corner.0]);
        let normals = self
            .corners
            .iter()
            .map(|corner| Some(vectors[corner.2?].point()));
        let uv = |corner: &Corner| {
            let point = self.lists.texture_points[corner.1?];
            // v grows upwards in the file.
            Some(Vec2::new(point.x, 1.0 - point.y))
        };
        let is_colored = points.clone().any(|vector| vector.color != 0);
        let colors = points.clone().map(|vector| linear_color(vector.color));
        let mesh = Mesh {
            positions: points.map(Vector::point).collect(),
            normals: normals.collect::<Option<_>>().unwrap_or_default(),
            uv_sets: self
                .corners
                .iter()
                .map(uv)
                .collect::<Option<_>>()
                .into_iter()
                .collect(),
            color_sets: is_colored.then(|| colors.collect()).into_iter().collect(),
            triangles,
            influences,
            name,
            ..Mesh::default()
        };
        let limit = examine::limit(self.lists, unit::NORMAL);
        resolve::normals(&mesh, limit, defects);
        Ok(mesh)
    }

    /// A vertex names a list of weights, which names joints.
    fn tell_lost_lists(&self, mesh: &str, defects: &mut Defects) {
        let lists = self.lists.skins.len();
        for (vertex, corner) in self.corners.iter().enumerate() {
            let list = self.lists.vectors[corner.0].skin;
            let Some(list) = list.filter(|&list| list >= lists) else {
                continue;
            };
            let place = Place::mesh(mesh).vertex(vertex);
            let message = format!("the vertex names list of weights {list}, and there are {lists}");
            defects.add(DefectKind::JointIndexOutOfRange, place, message);
        }
    }

    /// The number of a corner in the mesh; equal ones share one.
    fn vertex(&mut self, corner: Corner) -> Result<u32, Damage> {
        if let Some(&known) = self.known.get(&corner) {
            return Ok(known);
        }
        let (vectors, points) = (self.lists.vectors.len(), self.lists.texture_points.len());
        within("vector", corner.0, vectors)?;
        within(
            "texture point",
            corner.1.unwrap_or(0),
            points.max(usize::from(corner.1.is_none())),
        )?;
        within("normal", corner.2.unwrap_or(0), vectors)?;
        let new = u32::try_from(self.corners.len()).map_err(|_| Damage::Cut("MESH"))?;
        self.corners.push(corner);
        self.known.insert(corner, new);
        Ok(new)
    }

    /// One list a vertex, none at all without skins; and the first vertex with a weight of a joint that is not there, with
    /// how many such weights there are.
    fn influences(&self) -> (Influences, Option<(usize, usize)>) {
        if self.lists.skins.is_empty() || self.lists.bones.is_empty() {
            return (Influences::default(), None);
        }
        let mut lost: Option<(usize, usize)> = None;
        let list = |(vertex, corner): (usize, &Corner)| {
            let skin = self.lists.vectors[corner.0].skin;
            let skin = skin.and_then(|skin| self.lists.skins.get(skin));
            let pulls = skin.into_iter().flatten().filter_map(|&(bone, weight)| {
                let slot = bone.filter(|&bone| bone < self.lists.bones.len());
                if slot.is_none() {
                    lost.get_or_insert((vertex, 0)).1 += 1;
                }
                Some(Influence {
                    slot: u32::try_from(slot?).ok()?,
                    weight: f32::from(weight) / 255.0,
                })
            });
            pulls.collect::<Vec<_>>()
        };
        let lists: Vec<_> = self.corners.iter().enumerate().map(list).collect();
        (Influences::from_vertices(lists), lost)
    }
}

fn within(what: &'static str, number: usize, count: usize) -> Result<(), Damage> {
    if number < count {
        return Ok(());
    }
    Err(Damage::NotThere {
        place: "a face".to_owned(),
        what,
        number,
        count,
    })
}

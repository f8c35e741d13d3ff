//! `.md5mesh`: joints where they are bound, and meshes whose weights are points in the space of their joints.

use std::ops::Range;

use glam::{DVec3, Vec2};

use super::text::{Damage, Words};

/// The contents of a `.md5mesh`.
#[derive(Debug)]
pub(super) struct Model {
    pub(super) joints: Vec<BoundJoint>,
    pub(super) surfaces: Vec<Surface>,
}

/// A joint and where it is bound.
#[derive(Debug)]
pub(super) struct BoundJoint {
    pub(super) name: String,
    /// Negative for a joint without one.
    pub(super) parent: i64,
    /// In model space: the translation, and three numbers of the rotation.
    pub(super) numbers: [f64; 6],
}

/// A mesh.
#[derive(Debug, Default)]
pub(super) struct Surface {
    /// Its own, which few files have, or that of its material.
    pub(super) name: String,
    pub(super) shader: String,
    pub(super) vertices: Vec<Vertex>,
    /// As in the file, which has the front where they run clockwise.
    pub(super) triangles: Vec<[u32; 3]>,
    pub(super) weights: Vec<Weight>,
}

/// A vertex: its weights say where it is.
#[derive(Debug)]
pub(super) struct Vertex {
    pub(super) uv: Vec2,
    pub(super) weights: Range<usize>,
    line: usize,
}

/// The influence of one joint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weight {
    pub(super) joint: usize,
    pub(super) bias: f64,
    /// In the joint's space.
    pub(super) position: DVec3,
}

impl Model {
    /// Reads a whole file.
    ///
    /// # Errors
    ///
    /// [`Damage`] where it is not what the format has.
    pub(super) fn read(text: &str) -> Result<Self, Damage> {
        let mut words = Words::of(text)?;
        let (mut joint_count, mut mesh_count) = (None, None);
        let mut joints = None;
        let mut surfaces = Vec::new();
        while let Some(word) = words.next_word()? {
            match word {
                "commandline" => words.skip_commandline(&["numJoints", "numMeshes", "joints"])?,
                "numJoints" => words.set("numJoints", &mut joint_count)?,
                "numMeshes" => words.set("numMeshes", &mut mesh_count)?,
                "joints" => {
                    words.once("joints", joints.as_ref())?;
                    let count = words.counted("joints", "numJoints", joint_count)?;
                    joints = Some(read_joints(&mut words, count)?);
                }
                "mesh" => {
                    let joints = joints.as_ref().map(Vec::len);
                    let joints = words.counted("mesh", "joints", joints)?;
                    surfaces.push(Surface::read(&mut words, joints, surfaces.len())?);
                }
                other => return Err(words.unexpected("joints, mesh or a count", other)),
            }
        }
        let found = surfaces.len();
        let what = "numMeshes";
        match mesh_count {
            Some(stated) if stated != found => Err(Damage::Miscounted {
                what,
                stated,
                found,
            }),
            _ => Ok(Self {
                joints: joints.ok_or(Damage::Missing("joints"))?,
                surfaces,
            }),
        }
    }
}

fn read_joints(words: &mut Words<'_>, count: usize) -> Result<Vec<BoundJoint>, Damage> {
    words.expect("{")?;
    let mut joints = Vec::new();
    for _ in 0..count {
        let name = words.text("the name of a joint")?.to_owned();
        let parent = words.number("the number of its parent")?;
        let [tx, ty, tz] = words.vector("a coordinate")?;
        let [x, y, z] = words.vector("a number of a rotation")?;
        joints.push(BoundJoint {
            name,
            parent,
            numbers: [tx, ty, tz, x, y, z],
        });
    }
    words.expect("}")?;
    Ok(joints)
}

impl Surface {
    /// Reads what is behind `mesh`.
    fn read(words: &mut Words<'_>, joints: usize, index: usize) -> Result<Self, Damage> {
        let mut surface = Self::default();
        words.expect("{")?;
        if words.has("name")? {
            words
                .text("the name of the mesh")?
                .clone_into(&mut surface.name);
        }
        if words.has("shader")? {
            words
                .text("the name of a shader")?
                .clone_into(&mut surface.shader);
        }
        if surface.name.is_empty() {
            surface.name.clone_from(&surface.shader);
        }
        surface.read_vertices(words)?;
        surface.read_triangles(words)?;
        surface.read_weights(words, joints)?;
        words.expect("}")?;
        let count = surface.weights.len();
        let location = |vertex| format!("vertex {vertex} of mesh {index}");
        for (number, vertex) in surface.vertices.iter().enumerate() {
            within(
                vertex.line,
                || location(number),
                "weights",
                &vertex.weights,
                count,
            )?;
        }
        Ok(surface)
    }

    fn read_vertices(&mut self, words: &mut Words<'_>) -> Result<(), Damage> {
        for number in 0..words.count("numverts")? {
            words.numbered("vert", number)?;
            let [u, v] = words.vector("a texture coordinate")?;
            let first: usize = words.number("the number of its first weight")?;
            let count: usize = words.number("the number of its weights")?;
            self.vertices.push(Vertex {
                uv: glam::DVec2::new(u, v).as_vec2(),
                weights: first..first.saturating_add(count),
                line: words.line(),
            });
        }
        Ok(())
    }

    fn read_triangles(&mut self, words: &mut Words<'_>) -> Result<(), Damage> {
        let count = self.vertices.len();
        for number in 0..words.count("numtris")? {
            words.numbered("tri", number)?;
            let mut corners = [0; 3];
            for corner in &mut corners {
                *corner = words.number("the number of a vertex")?;
                let (line, vertex) = (words.line(), *corner as usize);
                let location = || format!("triangle {number}");
                within(line, location, "vertices", &(vertex..vertex + 1), count)?;
            }
            self.triangles.push(corners);
        }
        Ok(())
    }

    fn read_weights(&mut self, words: &mut Words<'_>, joints: usize) -> Result<(), Damage> {
        for number in 0..words.count("numweights")? {
            words.numbered("weight", number)?;
            let joint = words.number("the number of a joint")?;
            let location = || format!("weight {number}");
            let end: usize = joint;
            let range = joint..end.saturating_add(1);
            within(words.line(), location, "joints", &range, joints)?;
            self.weights.push(Weight {
                joint,
                bias: words.number("a weight")?,
                position: words.vector("a coordinate")?.into(),
            });
        }
        Ok(())
    }
}

fn within(
    line: usize,
    location: impl FnOnce() -> String,
    what: &'static str,
    range: &Range<usize>,
    count: usize,
) -> Result<(), Damage> {
    if range.is_empty() || range.end <= count {
        return Ok(());
    }
    Err(Damage::NotThere {
        line,
        location: location(),
        what,
        first: range.start,
        end: range.end,
        count,
    })
}

//! The attributes of a primitive.

use glam::Vec3;

use super::accessors::{Accessors, Elements};
use super::error::{GltfError, PrimitiveProblem};
use super::extensions;
use super::json::{Accessor, Primitive, Root};
use super::lenient::Whole;
use crate::rig::Location;

/// The state that all attributes of a primitive share.
pub(super) struct Reader<'a> {
    pub(super) root: &'a Root<'a>,
    pub(super) accessors: &'a Accessors<'a>,
    pub(super) primitive: &'a Primitive,
    /// Such as `meshes[0].primitives[1]`.
    pub(super) location: &'a str,
    /// The location of the mesh that it becomes.
    pub(super) mesh: Location,
    pub(super) positions: Whole,
    pub(super) accessor: &'a Accessor,
    pub(super) vertices: usize,
}

impl<'a> Reader<'a> {
    /// `None` for a primitive without positions, which the standard skips (§3.7.2.1).
    pub(super) fn new(
        root: &'a Root<'a>,
        accessors: &'a Accessors<'a>,
        primitive: &'a Primitive,
        location: &'a str,
        mesh: Location,
    ) -> Result<Option<Self>, GltfError> {
        let Some(&positions) = primitive.attributes.get("POSITION") else {
            return Ok(None);
        };
        let accessor = accessors.get(positions, || format!("{location}.attributes.POSITION"))?;
        let extensions = primitive.extensions.as_ref();
        let is_compressed = extensions.is_some_and(|extensions| extensions.draco.is_some());
        if is_compressed && accessor.buffer_view.is_none() {
            return Err(extensions::refuse(extensions::DRACO));
        }
        Ok(Some(Self {
            root,
            accessors,
            primitive,
            location,
            mesh,
            positions,
            accessor,
            vertices: accessor.count.index(),
        }))
    }

    pub(super) fn attribute(&self, name: &str) -> Option<Whole> {
        self.primitive.attributes.get(name).copied()
    }

    /// One vector per vertex, or none if the attribute is missing.
    pub(super) fn vectors<const N: usize>(
        &self,
        name: &str,
        elements: Elements<'_>,
    ) -> Result<Vec<[f32; N]>, GltfError> {
        match self.attribute(name) {
            Some(accessor) => self.list(accessor, &format!("attributes.{name}"), elements),
            None => Ok(Vec::new()),
        }
    }

    /// One vector per vertex.
    ///
    /// * `name` – such as `attributes.NORMAL`.
    pub(super) fn list<const N: usize>(
        &self,
        accessor: Whole,
        name: &str,
        elements: Elements<'_>,
    ) -> Result<Vec<[f32; N]>, GltfError> {
        self.check_count(accessor, name)?;
        self.accessors
            .floats(accessor, elements, || format!("{}.{name}", self.location))
    }

    /// Checks that there is an element for each vertex.
    pub(super) fn check_count(&self, accessor: Whole, name: &str) -> Result<(), GltfError> {
        let count = self.count(accessor, name)?;
        if count == self.vertices || accessor == self.positions {
            return Ok(());
        }
        let problem_of = PrimitiveProblem::Count {
            attribute: name.to_owned(),
            count,
            vertices: self.vertices,
        };
        Err(problem(self.location, problem_of))
    }

    /// The number of elements.
    pub(super) fn count(&self, accessor: Whole, name: &str) -> Result<usize, GltfError> {
        let found = self
            .accessors
            .get(accessor, || format!("{}.{name}", self.location))?;
        Ok(found.count.index())
    }
}

pub(super) fn vec3s(vectors: Vec<[f32; 3]>) -> Vec<Vec3> {
    vectors.into_iter().map(Vec3::from_array).collect()
}

pub(super) fn problem(location: &str, problem: PrimitiveProblem) -> GltfError {
    GltfError::Primitive {
        location: location.to_owned(),
        problem,
    }
}

//! Positions by name, as on the command line.

use std::fmt;
use std::str::FromStr;

use glam::Vec3;

use crate::pose::{ModelPose, SelectError, find_joint};
use crate::rig::{Asset, DeformedMesh, InstanceId, NodeId};
use crate::units::first_few;

/// A position in a model, by name.
#[derive(Debug, Clone, PartialEq)]
pub enum Spot {
    /// `vertex:MESH:INDEX`.
    Vertex {
        /// The name of the mesh or of its node, or `#` and the index of its instance.
        mesh: String,
        /// From 0.
        vertex: usize,
    },
    /// `joint:NAME`.
    Joint(String),
    /// `x,y,z` in world space.
    Point(Vec3),
}

/// A text that is no position, or none of this model.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SpotError {
    /// None of the three forms.
    #[error("{0:?} is not a location; expected vertex:MESH:INDEX, joint:NAME or x,y,z")]
    Malformed(String),
    /// No mesh has the name.
    #[error("no mesh is named {wanted:?}; the model has {}", listed(available))]
    UnknownMesh {
        /// The request.
        wanted: String,
        /// The existing meshes.
        available: Vec<String>,
    },
    /// The mesh is smaller.
    #[error("mesh {mesh:?} has no vertex {vertex}: it has {count}, numbered from 0")]
    UnknownVertex {
        /// The mesh.
        mesh: String,
        /// The request.
        vertex: usize,
        /// How many there are.
        count: usize,
    },
    /// No joint has the name.
    #[error(transparent)]
    Joint(#[from] SelectError),
}

/// Most meshes in a message.
const LISTED: usize = 12;

fn listed(names: &[String]) -> String {
    if names.is_empty() {
        return "no meshes".to_owned();
    }
    first_few(names.iter().map(|name| format!("{name:?}")), LISTED)
}

impl FromStr for Spot {
    type Err = SpotError;

    fn from_str(text: &str) -> Result<Self, SpotError> {
        let malformed = || SpotError::Malformed(text.to_owned());
        if let Some(rest) = text.strip_prefix("vertex:") {
            let (mesh, vertex) = rest.rsplit_once(':').ok_or_else(malformed)?;
            let vertex = vertex.parse().map_err(|_| malformed())?;
            let mesh = mesh.to_owned();
            return Ok(Self::Vertex { mesh, vertex });
        }
        if let Some(name) = text.strip_prefix("joint:") {
            return Ok(Self::Joint(name.to_owned()));
        }
        let numbers: Result<Vec<f32>, _> = text
            .split(',')
            .map(|number| number.trim().parse::<f32>())
            .collect();
        match numbers.map_err(|_| malformed())?[..] {
            [x, y, z] if [x, y, z].iter().all(|number| number.is_finite()) => {
                Ok(Self::Point(Vec3::new(x, y, z)))
            }
            _ => Err(malformed()),
        }
    }
}

impl fmt::Display for Spot {
    /// As [`Spot::from_str`] reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Vertex { mesh, vertex } => write!(f, "vertex:{mesh}:{vertex}"),
            Self::Joint(name) => write!(f, "joint:{name}"),
            Self::Point(Vec3 { x, y, z }) => write!(f, "{x},{y},{z}"),
        }
    }
}

/// A position in one model.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Located {
    /// A vertex of an instance.
    Vertex(InstanceId, usize),
    /// A node.
    Joint(NodeId),
    /// In world space.
    Point(Vec3),
}

impl Spot {
    /// Finds the position in `asset`.
    ///
    /// # Errors
    ///
    /// [`SpotError`] if it does not exist.
    pub fn locate(&self, asset: &Asset) -> Result<Located, SpotError> {
        match self {
            Self::Point(point) => Ok(Located::Point(*point)),
            Self::Joint(name) => Ok(Located::Joint(find_joint(asset, name)?)),
            Self::Vertex { mesh, vertex } => vertex_of(asset, mesh, *vertex),
        }
    }
}

fn vertex_of(asset: &Asset, mesh: &str, vertex: usize) -> Result<Located, SpotError> {
    let count = |instance: InstanceId| {
        let instance = &asset[instance];
        asset.mesh_of(instance).positions.len()
    };
    let mut named: Vec<InstanceId> = instances_named(asset, mesh).collect();
    if named.is_empty() {
        named.extend(numbered(asset, mesh));
    }
    let Some(first) = named.first() else {
        let names = asset
            .instances
            .iter()
            .map(|one| asset.mesh_name(one).to_owned());
        return Err(SpotError::UnknownMesh {
            wanted: mesh.to_owned(),
            available: names.collect(),
        });
    };
    let found = named.iter().find(|instance| vertex < count(**instance));
    let located = found.map(|instance| Located::Vertex(*instance, vertex));
    located.ok_or_else(|| SpotError::UnknownVertex {
        mesh: mesh.to_owned(),
        vertex,
        count: count(*first),
    })
}

/// The instance that `#3` numbers.
fn numbered(asset: &Asset, name: &str) -> Option<InstanceId> {
    let index: usize = name.strip_prefix('#')?.parse().ok()?;
    (index < asset.instances.len()).then(|| InstanceId::from_index(index))
}

/// The instances of meshes called `name`, by their own names or by those of their nodes.
fn instances_named<'a>(asset: &'a Asset, name: &'a str) -> impl Iterator<Item = InstanceId> + 'a {
    let instances = asset.instances.iter().enumerate();
    let named = instances.filter(move |(_, instance)| {
        let node = asset.skeleton.get(instance.node);
        asset.mesh_name(instance) == name || node.is_some_and(|node| node.name == name)
    });
    named.map(|(index, _)| InstanceId::from_index(index))
}

impl Located {
    /// The position in a pose, in world space.
    ///
    /// * `meshes` – every instance in `pose`.
    #[must_use]
    pub fn position(&self, pose: &ModelPose, meshes: &[DeformedMesh]) -> Vec3 {
        match self {
            Self::Vertex(instance, vertex) => {
                let mesh = meshes.iter().find(|mesh| mesh.instance == *instance);
                let position = mesh.and_then(|mesh| mesh.positions.get(*vertex));
                position.copied().unwrap_or(Vec3::NAN)
            }
            Self::Joint(joint) => pose[*joint].w_axis.truncate(),
            Self::Point(point) => *point,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{AssetBuilder, Mesh, Trs};

    fn asset() -> Asset {
        let mut rig = AssetBuilder::new();
        let node = rig.node("rig:Body", None, Trs::IDENTITY);
        for (name, count) in [("", 1), ("a:b", 3), ("a:b", 5)] {
            let mesh = rig.mesh(Mesh {
                name: name.into(),
                positions: vec![Vec3::ONE; count],
                ..Mesh::default()
            });
            rig.attach(mesh, node);
        }
        rig.build().expect("it is whole")
    }

    #[test]
    fn every_form_is_read_and_written() {
        for text in ["vertex:a:b:1841", "joint:rig:Hips", "1,-0.5,2e3"] {
            let spot: Spot = text.parse().expect("it is a place");
            assert_eq!(spot.to_string().parse(), Ok(spot));
        }
        for text in [
            "",
            "vertex:Body",
            "vertex:Body:x",
            "1,2",
            "1,2,inf",
            "bone:Hips",
        ] {
            assert!(text.parse::<Spot>().is_err(), "{text}");
        }
    }

    #[test]
    fn a_mesh_is_found_by_its_name_or_its_nodes() {
        let asset = asset();
        let locate = |text: &str| text.parse::<Spot>().expect("it is one").locate(&asset);
        let vertex = |instance, vertex| Ok(Located::Vertex(InstanceId(instance), vertex));
        assert_eq!(locate("vertex:a:b:2"), vertex(1, 2));
        assert_eq!(
            locate("vertex:a:b:4"),
            vertex(2, 4),
            "of the mesh that has it"
        );
        assert_eq!(locate("vertex:rig:Body:0"), vertex(0, 0));
        assert_eq!(locate("vertex:#2:0"), vertex(2, 0));
        assert_eq!(locate("joint:Body"), Ok(Located::Joint(NodeId(0))));
        let error = locate("vertex:a:b:9").unwrap_err().to_string();
        assert_eq!(
            error,
            "mesh \"a:b\" has no vertex 9: it has 3, numbered from 0"
        );
        let error = locate("vertex:Head:9").unwrap_err().to_string();
        assert!(
            error.contains("the model has \"rig:Body\", \"a:b\""),
            "{error}"
        );
    }
}

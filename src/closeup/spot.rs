//! Positions by name, as on the command line.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use glam::Vec3;

use crate::pose::{ModelPose, SelectError, find_joint};
use crate::rig::{Asset, DeformedMesh, InstanceId, Location, NodeId};
use crate::shown;
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

/// `skincheck render MODEL` with the options that show `location` in its pose, to be pasted into a shell; `None` for a
/// location that no image can show, such as a material.
///
/// ```
/// use skincheck::{closeup, rig::Location, units::Seconds};
///
/// let location = Location::mesh("Body").vertex(1841).in_clip("Run").at(Seconds(0.5));
/// let command = closeup::command("hero.glb".as_ref(), &location);
/// let expected = "skincheck render hero.glb --clip Run --time 0.5 --mark vertex:Body:1841 \
///                 --look-at vertex:Body:1841 --zoom 5";
/// assert_eq!(command.as_deref(), Some(expected));
/// ```
#[must_use]
pub fn command(model: &Path, location: &Location) -> Option<String> {
    let mut words = vec![
        "skincheck".to_owned(),
        "render".to_owned(),
        shown::unicode(model),
    ];
    let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
    let spot = spot(location);
    match (&location.pose, &location.clip) {
        (Some(pose), _) => add("--pose", pose.to_string()),
        (None, Some(clip)) => match location.ids.clip {
            Some(id) if location.ambiguous || clip.is_empty() => add("--clip", id.to_string()),
            None if clip.is_empty() => return None,
            _ => add("--clip", clip.clone()),
        },
        (None, None) if spot.is_none() => return None,
        (None, None) => add("--pose", "bind".to_owned()),
    }
    if let (None, Some(time)) = (&location.pose, location.time) {
        add("--time", time.get().to_string());
    }
    if let Some((spot, zoom)) = spot {
        add("--mark", spot.to_string());
        add("--look-at", spot.to_string());
        add("--zoom", zoom.to_string());
    }
    let words: Vec<String> = words.iter().map(|word| shown::shell_word(word)).collect();
    Some(words.join(" "))
}

/// The vertex or joint to show, and the zoom factor.
fn spot(location: &Location) -> Option<(Spot, u8)> {
    if let (Some(mesh), Some(vertex)) = (&location.mesh, location.vertex) {
        let id = location
            .ids
            .instance
            .filter(|_| location.ambiguous || mesh.is_empty());
        let mesh = id.map_or_else(|| mesh.clone(), |id| format!("#{id}"));
        if !mesh.is_empty() {
            return Some((Spot::Vertex { mesh, vertex }, 5));
        }
    }
    match (&location.joint, location.ids.node) {
        (Some(name), None) if !name.is_empty() => Some((Spot::Joint(name.clone()), 3)),
        (_, Some(node)) => Some((Spot::Joint(format!("#{}", node.index())), 3)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{AssetBuilder, Ids, Mesh, Trs};

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

    fn of(location: &Location) -> Option<String> {
        command("a b/hero.glb".as_ref(), location)
    }

    #[cfg(unix)]
    #[test]
    fn names_with_spaces_are_quoted() {
        let location = Location::mesh("it's").vertex(3).in_clip("Run fast");
        let expected = "skincheck render 'a b/hero.glb' --clip 'Run fast' --mark 'vertex:it'\\''s:3' \
                        --look-at 'vertex:it'\\''s:3' --zoom 5";
        assert_eq!(of(&location).as_deref(), Some(expected));
    }

    #[test]
    fn a_joint_is_named_by_its_number_where_that_is_known() {
        let location = Location {
            ids: Ids {
                node: Some(NodeId(7)),
                ..Ids::NONE
            },
            ..Location::joint("Hips")
        };
        let command = of(&location).expect("a joint is somewhere");
        assert!(
            command.contains("--pose bind --mark 'joint:#7'"),
            "{command}"
        );
        let command = of(&Location::joint("Hips")).expect("a joint is somewhere");
        assert!(command.contains("--mark joint:Hips"), "{command}");
    }

    #[test]
    fn a_location_that_cannot_be_drawn_has_no_command() {
        assert_eq!(of(&Location::FILE), None);
        assert_eq!(of(&Location::material("skin")), None);
        assert_eq!(of(&Location::clip("")), None);
        assert!(of(&Location::clip("Run")).is_some());
    }
}

//! The surface that shows a finding, and its marks.

use glam::Vec3;

use super::focus::{self, STEEPEST};
use super::spot::Located;
use super::subject::{Part, Subject};
use crate::rig::{Asset, DeformedMesh, InstanceId};
use crate::units::Space;
use crate::view::{Show, Vertices, ViewDirection};

/// Normals whose mean is shorter than this face all sides, as those of a limb.
const FACING: f32 = 0.3;

/// Numbers in the upper half of the shown range are the fault; `view` gives them the dark colours.
const SEVERE: f32 = 0.5;

/// A joint owns the vertices with at least this share of their weight on it.
const OWNED: f32 = 0.5;

/// The most vertices with the fault that the image shows all of.
const MOST_NEAR: usize = 24;

/// The most vertices that are marked by dots.
const MOST_DOTS: usize = 500;

/// The corners of triangles, with their normals.
#[derive(Debug, Default)]
pub(super) struct Surface {
    pub(super) positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    /// The instances that they belong to.
    pub(super) instances: Vec<InstanceId>,
}

impl Surface {
    /// What shows the finding: the triangles around its vertices, in the colours of a fault, or of the joint. Nothing for a model
    /// as a whole.
    ///
    /// * `meshes` – every instance in the pose.
    pub(super) fn of(
        asset: &Asset,
        subject: &Subject,
        show: &Show,
        meshes: &[DeformedMesh],
    ) -> Self {
        let select = |is_marked: &IsMarked<'_>| Self::select(asset, show, meshes, is_marked);
        let is_severe = |vertices: &Vertices<'_>, vertex| vertices.share_of_range(vertex) >= SEVERE;
        let is_faulty = |vertex| {
            let vertex = u32::try_from(vertex).unwrap_or(u32::MAX);
            subject.vertices.binary_search(&vertex).is_ok()
        };
        match subject.part {
            Part::Whole | Part::Spot(Located::Point(_)) => Self::default(),
            Part::Spot(Located::Vertex(mesh, own)) => {
                // The ends of an edge or of a crack, or a small part of the surface.
                let are_few = (2..=MOST_NEAR).contains(&subject.vertices.len());
                select(&|instance, _, vertex| {
                    let is_other = subject.joined == Some(Located::Vertex(mesh, vertex));
                    let is_end = vertex == own || is_other;
                    instance == mesh && (is_end || are_few && is_faulty(vertex))
                })
            }
            Part::Mesh(mesh) => {
                let faulty = select(&|instance, vertices, vertex| {
                    instance == mesh && (is_severe(vertices, vertex) || is_faulty(vertex))
                });
                faulty.or_else(|| select(&|instance, _, _| instance == mesh))
            }
            Part::Spot(Located::Joint(joint)) => {
                let share = |vertices: &Vertices<'_>, vertex| -> f32 {
                    let shares = vertices.shares(vertex);
                    let of_joint = shares.filter(|(own, _)| *own == joint);
                    of_joint.map(|(_, share)| share).sum()
                };
                let severe = select(&|_, vertices, vertex| {
                    is_severe(vertices, vertex) && share(vertices, vertex) > 0.0
                });
                severe.or_else(|| select(&|_, vertices, vertex| share(vertices, vertex) >= OWNED))
            }
        }
    }

    /// The triangles with a marked corner.
    fn select(
        asset: &Asset,
        show: &Show,
        meshes: &[DeformedMesh],
        is_marked: &IsMarked<'_>,
    ) -> Self {
        let mut surface = Self::default();
        for posed in meshes {
            let mesh = asset.mesh_of(&asset[posed.instance]);
            let vertices = show.vertices(asset, posed.instance, None);
            let chosen: Vec<bool> = (0..mesh.positions.len())
                .map(|vertex| is_marked(posed.instance, &vertices, vertex))
                .collect();
            for corners in &mesh.triangles {
                let corners = corners.map(|corner| corner as usize);
                let positions = corners.map(|corner| posed.positions[corner]);
                let is_finite = positions.iter().all(|position| position.is_finite());
                if is_finite && corners.iter().any(|corner| chosen[*corner]) {
                    if surface.instances.last() != Some(&posed.instance) {
                        surface.instances.push(posed.instance);
                    }
                    let [a, b, c] = positions;
                    let flat = (b - a).cross(c - a).normalize_or_zero();
                    let normal = |corner| posed.normals.get(corner).copied().unwrap_or(flat);
                    surface.positions.extend(positions);
                    surface.normals.extend(corners.map(normal));
                }
            }
        }
        surface
    }

    fn or_else(self, other: impl FnOnce() -> Self) -> Self {
        if self.positions.is_empty() {
            other()
        } else {
            self
        }
    }

    /// The directions from which the finding may be seen, the best first.
    ///
    /// * `outward` – from the middle of the model to that of the surface.
    /// * `axis` – of a rotation that is to be seen.
    /// * `line` – from one end to the other, if that is to be seen.
    pub(super) fn directions(
        &self,
        space: &Space,
        outward: Vec3,
        axis: Option<Vec3>,
        line: Option<Vec3>,
    ) -> Vec<ViewDirection> {
        if let Some(axis) = axis {
            return focus::along(space, axis);
        }
        let normal = self.mean_normal().try_normalize();
        let normal = normal.unwrap_or(outward.normalize_or_zero());
        let around = line.and_then(|line| focus::around(space, line, normal));
        around.unwrap_or_else(|| focus::about(self.direction(space, outward)))
    }

    #[expect(clippy::cast_precision_loss, reason = "a number of corners")]
    fn mean_normal(&self) -> Vec3 {
        self.normals.iter().sum::<Vec3>() / self.normals.len().max(1) as f32
    }

    /// The direction from which the surface is seen face on. A limb faces all sides, and is seen from three quarters: from the left
    /// or right, and from the front or back, whichever side of the model it is on.
    ///
    /// * `outward` – from the middle of the model to that of the surface.
    fn direction(&self, space: &Space, outward: Vec3) -> ViewDirection {
        let mean = self.mean_normal();
        if mean.length() >= FACING {
            return focus::level(space, mean.normalize());
        }
        let (usual_yaw, pitch_degrees) = ViewDirection::ThreeQuarter.angles();
        let outward = outward.normalize_or_zero();
        let (yaw, pitch) = ViewDirection::towards(space, outward).angles();
        if outward == Vec3::ZERO || pitch.abs() > STEEPEST {
            return ViewDirection::ThreeQuarter;
        }
        let beside = if yaw.abs() > 120.0 {
            180.0 - usual_yaw
        } else {
            usual_yaw
        };
        ViewDirection::Orbit {
            yaw_degrees: beside.copysign(yaw),
            pitch_degrees,
        }
    }
}

/// Whether a vertex of an instance shows the finding.
type IsMarked<'a> = dyn Fn(InstanceId, &Vertices<'_>, usize) -> bool + 'a;

/// The triangles between vertices with the fault, if they are marked and not too many.
pub(super) fn triangles(
    asset: &Asset,
    subject: &Subject,
    meshes: &[DeformedMesh],
) -> Vec<[Vec3; 3]> {
    let posed = meshes
        .iter()
        .find(|mesh| subject.marks_triangles && subject.instance() == Some(mesh.instance));
    let Some(posed) = posed else {
        return Vec::new();
    };
    let is_faulty = |corner: &u32| subject.vertices.binary_search(corner).is_ok();
    let triangles = &asset.mesh_of(&asset[posed.instance]).triangles;
    let faulty = triangles
        .iter()
        .filter(|corners| corners.iter().all(is_faulty));
    let faulty = faulty.map(|corners| corners.map(|own| posed.positions[own as usize]));
    let faulty: Vec<[Vec3; 3]> = faulty.collect();
    if faulty.len() > MOST_DOTS {
        return Vec::new();
    }
    faulty
}

/// The triangles at an edge with the fault. Vertices at one position are one.
pub(super) fn at_edge(asset: &Asset, subject: &Subject, meshes: &[DeformedMesh]) -> Vec<[Vec3; 3]> {
    let (Part::Spot(Located::Vertex(instance, own)), Some(Located::Vertex(_, other))) =
        (subject.part, subject.joined)
    else {
        return Vec::new();
    };
    let Some(posed) = meshes.iter().find(|mesh| mesh.instance == instance) else {
        return Vec::new();
    };
    let ends = [own, other].map(|end| posed.positions[end]);
    let triangles = asset.mesh_of(&asset[instance]).triangles.iter();
    let corners = triangles.map(|corners| corners.map(|own| posed.positions[own as usize]));
    corners
        .filter(|corners| ends.iter().all(|end| corners.contains(end)))
        .collect()
}

/// The positions of all vertices with the fault, if they are several, but not so many that dots would hide the surface.
pub(super) fn dots(subject: &Subject, meshes: &[DeformedMesh]) -> Vec<Vec3> {
    let mesh = meshes
        .iter()
        .find(|mesh| subject.instance() == Some(mesh.instance));
    let Some(mesh) = mesh.filter(|_| (2..=MOST_DOTS).contains(&subject.vertices.len())) else {
        return Vec::new();
    };
    let vertices = subject.vertices.iter();
    vertices
        .filter_map(|vertex| mesh.positions.get(*vertex as usize).copied())
        .collect()
}

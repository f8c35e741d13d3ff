//! One of the images of a close-up, before it is drawn.

use glam::Vec3;

use super::angle::TRIAL;
use super::marked::Triangle;
use super::spot::Located;
use super::subject::{Part, Subject, ends};
use crate::pose::ModelPose;
use crate::rig::DeformedMesh;
use crate::view::{Camera, Show};

/// The most vertices that are marked by dots.
const MOST_DOTS: usize = 500;

/// One of the images.
pub(super) struct View<'a> {
    pub(super) subject: &'a Subject,
    pub(super) pose: &'a ModelPose,
    pub(super) meshes: &'a [DeformedMesh],
    pub(super) show: Show,
    /// The position of the vertex, joint or point, if the finding has one.
    pub(super) position: Option<Vec3>,
    /// Positions to mark, with labels: that position, and the other joint.
    pub(super) marks: Vec<(Vec3, &'a str)>,
    /// The positions of all vertices with the fault.
    pub(super) dots: Vec<Vec3>,
    /// What must be seen: one part, or one for each of two joints.
    pub(super) marked: Vec<Vec<Triangle>>,
}

impl View<'_> {
    /// The scale of a trial image at what is marked.
    pub(super) fn pixels_per_unit(&self, camera: &Camera) -> f64 {
        let corners: Vec<Vec3> = self.marked.iter().flatten().flatten().copied().collect();
        let [low, high] = ends(&corners);
        let middle = ((low + high) / 2.0).as_dvec3();
        let clip_from_world = camera.clip_from_view.as_dmat4() * camera.view_from_world.as_dmat4();
        let up =
            camera.view_from_world.row(1).truncate().as_dvec3() * f64::from((high - low).length());
        let ends = [middle, middle + up].map(|end| clip_from_world.project_point3(end).truncate());
        ends[0].distance(ends[1]) / up.length() * f64::from(TRIAL.height) / 2.0
    }

    /// The normal of the vertex; `None` for anything else.
    pub(super) fn normal(&self) -> Option<Vec3> {
        let Part::Spot(Located::Vertex(instance, vertex)) = self.subject.part else {
            return None;
        };
        let mesh = self.meshes.iter().find(|mesh| mesh.instance == instance)?;
        let own = mesh.normals.get(vertex).copied().unwrap_or_default();
        let [low, high] = ends(&mesh.positions);
        let outward = self.position? - (low + high) / 2.0;
        own.try_normalize().or(outward.try_normalize())
    }
}

/// Whether the vertices with the fault are several, but not so many that dots would hide the surface.
pub(super) fn has_dots(subject: &Subject) -> bool {
    (2..=MOST_DOTS).contains(&subject.vertices.len())
}

/// The positions of all vertices with the fault, if [`has_dots`] holds.
pub(super) fn dots(subject: &Subject, meshes: &[DeformedMesh]) -> Vec<Vec3> {
    let (Part::Spot(Located::Vertex(instance, _)) | Part::Mesh(instance)) = subject.part else {
        return Vec::new();
    };
    let mesh = meshes.iter().find(|mesh| mesh.instance == instance);
    let Some(mesh) = mesh.filter(|_| has_dots(subject)) else {
        return Vec::new();
    };
    let vertices = subject.vertices.iter();
    vertices
        .filter_map(|vertex| mesh.positions.get(*vertex as usize).copied())
        .collect()
}

/// The position of the subject; `None` if it has none, or it is not finite.
pub(super) fn position(part: Part, pose: &ModelPose, meshes: &[DeformedMesh]) -> Option<Vec3> {
    let Part::Spot(spot) = part else { return None };
    Some(spot.position(pose, meshes)).filter(|position| position.is_finite())
}

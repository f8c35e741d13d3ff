//! How a finding is seen: the surface that shows it, and the camera that faces it.

use glam::Vec3;

use super::spot::Located;
use super::subject::{Beside, Colors, Part, Posing, Subject};
use crate::backend::{self, BackendError, Extent, Model, Scene};
use crate::frame::Frame;
use crate::lint::{Context, Settings};
use crate::overlay;
use crate::pose::{self, ModelPose};
use crate::rig::{
    Asset, Bounds, DeformedMesh, InstanceId, NodeId, SkinningOptions, rotation_angle,
};
use crate::units::Space;
use crate::view::{Camera, Framing, Projection, Show, Style, Vertices, ViewDirection, Viewport};

/// Distance from the middle of a close-up to its edge, over the model's diagonal: a limb around a vertex stays recognizable.
const AROUND: f32 = 0.16;

/// The fraction of the way from the middle of the image to its edge that the marked surface fills at most.
const FILLED: f32 = 0.85;

/// The camera looks down or up by at most this many degrees: a character is hard to recognize from farther above or below.
const STEEPEST: f64 = 40.0;

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

/// How a page that shows the model in motion shows a finding: as its close-up does.
#[cfg_attr(not(feature = "cli"), allow(dead_code))]
#[derive(Debug)]
pub(crate) struct Sight {
    /// The index of the finding in its list.
    pub(crate) finding: usize,
    pub(crate) posing: Posing,
    pub(crate) camera: Camera,
    /// The position that the camera turns around.
    pub(crate) target: Vec3,
    pub(crate) colors: Colors,
    /// The joint that is selected.
    pub(crate) joint: Option<NodeId>,
    /// The vertices with the fault.
    pub(crate) marked: Option<(InstanceId, Vec<u32>)>,
    /// Whether the body hides the place, and so is to be seen through.
    pub(crate) is_hidden: bool,
}

/// A model that is ready to be posed and drawn.
pub(super) struct Studio<'a> {
    pub(super) asset: &'a Asset,
    context: Context<'a>,
    pub(super) model: Box<dyn Model + 'a>,
    /// The diagonal of the box around the model at rest.
    size: f32,
    /// The meshes that hide the figure.
    enclosing: Vec<InstanceId>,
    pub(super) viewport: Viewport,
}

/// A finding before it is drawn.
pub(super) struct View<'a> {
    pub(super) subject: &'a Subject,
    pub(super) pose: ModelPose,
    skinning: SkinningOptions,
    pub(super) show: Show,
    pub(super) camera: Camera,
    /// Fits every pose.
    fitted: Camera,
    /// The middle of the image, and the distance from it to the edge.
    target: Vec3,
    radius: f32,
    /// The diagonal of the box around the meshes.
    size: f64,
    /// The position of the vertex or joint, if the finding has one.
    pub(super) position: Option<Vec3>,
    /// The corners of the triangles that show the finding.
    pub(super) marked: Vec<Vec3>,
    /// The positions of the vertices with the fault; see [`dots`].
    pub(super) dots: Vec<Vec3>,
    /// The triangles to outline.
    pub(super) triangles: Vec<[Vec3; 3]>,
}

impl<'a> Studio<'a> {
    pub(super) fn new(
        asset: &'a Asset,
        settings: &'a Settings,
        mut model: Box<dyn Model + 'a>,
        viewport: Viewport,
    ) -> Result<Self, BackendError> {
        let rest = pose::model_pose(asset, &pose::rest(asset));
        let meshes = model.deform(&rest, &SkinningOptions::default())?;
        let origins = rest
            .nodes
            .iter()
            .map(|node| node.w_axis.truncate().as_dvec3());
        let joints = Bounds::of(origins);
        #[expect(clippy::cast_possible_truncation, reason = "of positions in f32")]
        let size = Bounds::size_of_model(Bounds::of_meshes(&meshes), joints) as f32;
        Ok(Self {
            asset,
            context: Context::new(asset, "".as_ref(), settings),
            model,
            size,
            enclosing: backend::enclosing(asset)?,
            viewport,
        })
    }

    /// `pose` without the meshes that hide the figure, unless the finding is about one.
    fn uncovered(&self, mut pose: ModelPose, subject: &Subject) -> ModelPose {
        let others = self.enclosing.iter().copied();
        for instance in others.filter(|own| Some(*own) != subject.instance()) {
            pose.visibility.hide(instance);
        }
        pose
    }

    /// Poses the model, and points the camera at the finding.
    pub(super) fn view<'s>(&mut self, subject: &'s Subject) -> Result<View<'s>, BackendError> {
        let asset = self.asset;
        let pose = self.uncovered(subject.posing.pose(asset), subject);
        let meshes = self.model.deform(&pose, &SkinningOptions::default())?;
        let show = match &subject.colors {
            Colors::Mode(show) => show.clone(),
            Colors::Measure(measure) => Show::measuring(
                measure.mode(),
                measure.in_pose(&self.context, &pose, SkinningOptions::default())?,
            ),
        };
        let surface = Surface::of(asset, subject, &show, &meshes);
        let position = position(subject, &pose, &meshes);
        let mut compared = Vec::new();
        for beside in subject.beside.iter().flatten() {
            let pose = self.uncovered(beside.pose.clone(), subject);
            let meshes = self.model.deform(&pose, &beside.skinning)?;
            compared.push((pose, meshes));
        }
        let bounds = Bounds::of_meshes(&meshes);
        let size = bounds.diagonal();
        let as_large = compared.iter().filter(|(_, meshes)| {
            let ratio = Bounds::of_meshes(meshes).diagonal() / size;
            is_one_scale(ratio)
        });
        let elsewhere: Vec<Vec3> = as_large
            .flat_map(|(pose, meshes)| {
                let surface = Surface::of(asset, subject, &show, meshes);
                let position = self::position(subject, pose, meshes);
                surface.positions.into_iter().chain(position)
            })
            .collect();
        let (middle, whole) = sphere(&bounds);
        let parents = compared.iter().map(|(pose, _)| pose).chain([&pose]);
        let parents: Vec<Vec3> = parents
            .filter_map(|pose| Some(pose[subject.parent?].w_axis.truncate()))
            .collect();
        let place = surface.positions.iter().chain(&position);
        let place = Bounds::of_f32(place.chain(&elsewhere).chain(&parents));
        let (target, radius) = if place.is_empty() {
            (middle, whole)
        } else {
            let (target, radius) = sphere(&place);
            (target, (radius / FILLED).max(AROUND * self.size))
        };
        let direction = surface.direction(&asset.space, target - middle);
        let poses = compared.iter().map(|(beside, _)| beside);
        let along = rotation_axis(subject, &pose, poses);
        let direction = along.map_or(direction, |axis| seen_along(&asset.space, axis));
        let mut framing = Framing::new(
            &asset.space,
            direction,
            Projection::default(),
            self.viewport,
        );
        let extent = Extent {
            asset,
            skinning: SkinningOptions::default(),
            joints: matches!(subject.part, Part::Spot(Located::Joint(_))),
        };
        extent.include_meshes(&mut framing, &pose, &meshes);
        for (pose, meshes) in &compared {
            extent.include_meshes(&mut framing, pose, meshes);
        }
        let fitted = framing.camera();
        Ok(View {
            camera: zoomed(fitted, target, radius),
            fitted,
            target,
            radius,
            size,
            skinning: SkinningOptions::default(),
            dots: dots(subject, &meshes),
            triangles: triangles(asset, subject, &meshes),
            marked: surface.positions,
            subject,
            pose,
            show,
            position,
        })
    }

    /// `view` in another pose, from the same camera; if the model has another size there, as large and in the same place of the image.
    pub(super) fn beside<'s>(
        &mut self,
        view: &View<'s>,
        beside: &Beside,
    ) -> Result<View<'s>, BackendError> {
        let subject = view.subject;
        let pose = self.uncovered(beside.pose.clone(), subject);
        let meshes = self.model.deform(&pose, &beside.skinning)?;
        let size = Bounds::of_meshes(&meshes).diagonal();
        let position = position(subject, &pose, &meshes);
        let ratio = size / view.size;
        let (mut camera, mut target, mut radius) = (view.camera, view.target, view.radius);
        if let (Some(here), Some(there)) = (view.position, position)
            && !is_one_scale(ratio)
        {
            #[expect(clippy::cast_possible_truncation, reason = "of positions in f32")]
            let ratio = ratio as f32;
            target = there + ratio * (target - here);
            radius *= ratio;
            camera = zoomed(view.fitted, target, radius);
        }
        Ok(View {
            pose,
            skinning: beside.skinning,
            show: view.show.clone(),
            camera,
            target,
            radius,
            size,
            position,
            marked: Vec::new(),
            dots: dots(subject, &meshes),
            triangles: Vec::new(),
            ..*view
        })
    }

    /// The image without any overlay.
    pub(super) fn render(&mut self, view: &View<'_>) -> Result<Frame, BackendError> {
        self.model.render(&Scene {
            pose: &view.pose,
            skinning: view.skinning,
            camera: view.camera,
            viewport: self.viewport,
            style: Style {
                show: view.show.clone(),
                ..Style::default()
            },
        })
    }
}

/// Of the places of a fault, less than one in so many is seen where the body hides it.
const SEEN: usize = 4;

impl View<'_> {
    /// Whether the body hides the place.
    ///
    /// * `frame` – of this view.
    pub(super) fn is_hidden(&self, frame: &Frame) -> bool {
        let places = match (&*self.dots, &self.position) {
            ([], Some(position)) => std::slice::from_ref(position),
            ([], None) => &*self.marked,
            (dots, _) => dots,
        };
        let is_joint = matches!(self.subject.part, Part::Spot(Located::Joint(_)));
        !is_joint && SEEN * overlay::count_seen(places, &self.camera, frame) < places.len()
    }

    /// * `finding` – its index.
    /// * `is_hidden` – see [`Sight::is_hidden`].
    pub(super) fn into_sight(self, finding: usize, is_hidden: bool) -> Sight {
        let subject = self.subject;
        let vertices = match subject.part {
            Part::Spot(Located::Vertex(_, vertex)) if self.dots.is_empty() => {
                u32::try_from(vertex).into_iter().collect()
            }
            _ if self.dots.is_empty() => Vec::new(),
            _ => subject.vertices.clone(),
        };
        let instance = subject.instance().filter(|_| !vertices.is_empty());
        let marked = instance.map(|instance| (instance, vertices));
        Sight {
            finding,
            posing: subject.posing,
            camera: self.camera,
            target: self.target,
            colors: subject.colors.clone(),
            joint: match subject.part {
                Part::Spot(Located::Joint(joint)) => Some(joint),
                _ => self.show.joints().first().copied(),
            },
            marked,
            is_hidden,
        }
    }
}

/// Sizes of a model in two poses that are closer than this factor are compared by one camera.
const SAME_SCALE: f64 = 1.25;

/// Whether the sizes of a model in two poses can be compared; so can those of a model without a surface.
fn is_one_scale(ratio: f64) -> bool {
    !(ratio.is_finite() && ratio > 0.0) || (1.0 / SAME_SCALE..SAME_SCALE).contains(&ratio)
}

/// Smaller rotations, in degrees, are hardly seen from anywhere.
const SEEN_ROTATION: f64 = 5.0;

/// The axis about which the joint of a rotation turns most between `pose` and any of `others`.
fn rotation_axis<'p>(
    subject: &Subject,
    pose: &ModelPose,
    others: impl Iterator<Item = &'p ModelPose>,
) -> Option<Vec3> {
    let Part::Spot(Located::Joint(joint)) = subject.part else {
        return None;
    };
    let rotation = |pose: &ModelPose| {
        let (_, rotation, _) = pose[joint].as_dmat4().to_scale_rotation_translation();
        rotation
    };
    let turns = others.map(|other| rotation(pose) * rotation(other).conjugate());
    let largest = turns.max_by(|a, b| rotation_angle(*a).total_cmp(&rotation_angle(*b)))?;
    let is_seen = subject.is_rotation && rotation_angle(largest).to_degrees() > SEEN_ROTATION;
    is_seen.then(|| largest.xyz().normalize_or_zero().as_vec3())
}

/// The direction along an axis, from the end that is nearer to the front, not too steep.
fn seen_along(space: &Space, axis: Vec3) -> ViewDirection {
    let ends = [axis, -axis].map(|end| ViewDirection::towards(space, end).angles());
    let [one, other] = ends;
    let (yaw_degrees, pitch) = if one.0.abs() <= other.0.abs() {
        one
    } else {
        other
    };
    ViewDirection::Orbit {
        yaw_degrees,
        pitch_degrees: pitch.clamp(-STEEPEST, STEEPEST),
    }
}

/// The position of the vertex or joint that a finding is about.
fn position(subject: &Subject, pose: &ModelPose, meshes: &[DeformedMesh]) -> Option<Vec3> {
    let Part::Spot(spot) = subject.part else {
        return None;
    };
    Some(spot.position(pose, meshes)).filter(|position| position.is_finite())
}

/// The corners of triangles, with their normals.
#[derive(Debug, Default)]
struct Surface {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
}

impl Surface {
    /// What shows the finding: the triangles around its vertices, in the colours of a fault, or of the joint. Nothing for a model
    /// as a whole.
    ///
    /// * `meshes` – every instance in the pose.
    fn of(asset: &Asset, subject: &Subject, show: &Show, meshes: &[DeformedMesh]) -> Self {
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
                    instance == mesh && (vertex == own || are_few && is_faulty(vertex))
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

    /// The direction from which the surface is seen face on. A limb faces all sides, and is seen from three quarters: from the left
    /// or right, and from the front or back, whichever side of the model it is on.
    ///
    /// * `outward` – from the middle of the model to that of the surface.
    #[expect(clippy::cast_precision_loss, reason = "a number of corners")]
    fn direction(&self, space: &Space, outward: Vec3) -> ViewDirection {
        let mean = self.normals.iter().sum::<Vec3>() / self.normals.len().max(1) as f32;
        if mean.length() >= FACING {
            let (yaw_degrees, pitch) = ViewDirection::towards(space, mean.normalize()).angles();
            let pitch_degrees = pitch.clamp(-STEEPEST, STEEPEST);
            return ViewDirection::Orbit {
                yaw_degrees,
                pitch_degrees,
            };
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

/// The middle of a box, and half of its diagonal.
fn sphere(bounds: &Bounds) -> (Vec3, f32) {
    if bounds.is_empty() {
        return (Vec3::ZERO, 0.0);
    }
    let middle = (bounds.low + bounds.high) / 2.0;
    #[expect(clippy::cast_possible_truncation, reason = "of positions in f32")]
    let radius = (bounds.diagonal() / 2.0) as f32;
    (middle.as_vec3(), radius)
}

/// Zooms until the image ends at `radius` from the target; the whole model stays as it is fitted.
fn zoomed(fitted: Camera, target: Vec3, radius: f32) -> Camera {
    let camera = fitted.looking_at(target);
    let up = camera.view_from_world.row(1).truncate();
    let edge = camera
        .clip_from_world()
        .project_point3(target + up * radius);
    let factor = 1.0 / edge.truncate().length();
    if factor.is_finite() && factor > 1.0 {
        camera.zoomed(factor)
    } else {
        fitted
    }
}

/// The triangles between vertices with the fault, if they are marked and not too many.
fn triangles(asset: &Asset, subject: &Subject, meshes: &[DeformedMesh]) -> Vec<[Vec3; 3]> {
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

/// The positions of all vertices with the fault, if they are several, but not so many that dots would hide the surface.
fn dots(subject: &Subject, meshes: &[DeformedMesh]) -> Vec<Vec3> {
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

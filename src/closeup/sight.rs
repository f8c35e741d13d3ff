//! How a finding is seen: the surface that shows it, and the camera that faces it.

use glam::Vec3;

use super::command::Shot;
use super::focus;
use super::spot::Located;
use super::subject::{Beside, Colors, Part, Posing, Subject, strongest_joint};
use super::surface::{Surface, at_edge, dots, triangles};
use crate::backend::{self, BackendError, Extent, Model, Scene};
use crate::facing;
use crate::frame::Frame;
use crate::lint::{Context, Settings};
use crate::overlay;
use crate::pose::{self, ModelPose};
use crate::rig::{
    Asset, Bounds, DeformedMesh, InstanceId, NodeId, SkinningOptions, rotation_angle,
};
use crate::shown::printable;
use crate::units::without_trailing_zeros;
use crate::view::{Camera, Framing, Projection, Show, Style, ViewDirection, Viewport};

/// Distance from the middle of a close-up to its edge, over the model's diagonal: a limb around a vertex stays recognizable.
const AROUND: f32 = 0.16;

/// A small movement is seen in an image that is this many times as wide, but at most so many times as near as usual.
const SHIFTS: f32 = 8.0;
const NEARER: f32 = 4.0;

/// A place is seen as far around it as this many bones are long: a finger with its hand.
const BONES: f32 = 4.0;

/// The fraction of the way from the middle of the image to its edge that the marked surface fills at most.
const FILLED: f32 = 0.85;

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
    /// Whether the body or another mesh hides the place, and so is to be seen through.
    pub(crate) is_hidden: bool,
}

/// A model that is ready to be posed and drawn.
pub(super) struct Studio<'a> {
    pub(super) asset: &'a Asset,
    context: Context<'a>,
    pub(super) model: Box<dyn Model + 'a>,
    /// The diagonal of the box around the figure at rest.
    size: f32,
    /// The meshes that hide the figure.
    enclosing: Vec<InstanceId>,
    pub(super) viewport: Viewport,
    /// How often it may still be drawn to see what hides a place.
    trials: usize,
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
    /// The end of the line from `position`.
    pub(super) end: Option<Vec3>,
    /// The corners of the triangles that show the finding.
    pub(super) marked: Vec<Vec3>,
    /// The positions of the vertices with the fault; see [`dots`].
    pub(super) dots: Vec<Vec3>,
    /// The triangles to outline.
    pub(super) triangles: Vec<[Vec3; 3]>,
    /// Other meshes, which would hide the place and are not drawn.
    pub(super) left_out: Vec<InstanceId>,
    /// Whether the body hides the place from wherever it is looked at.
    pub(super) is_hidden: bool,
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
        let is_of_figure = carried(asset);
        let figure = meshes.iter().filter(|mesh| is_of_figure(mesh.instance));
        let mut figure = Bounds::of_meshes(figure);
        if figure.is_empty() {
            figure = Bounds::of_meshes(&meshes);
        }
        #[expect(clippy::cast_possible_truncation, reason = "of positions in f32")]
        let size = Bounds::size_of_model(figure, joints) as f32;
        Ok(Self {
            asset,
            context: Context::new(asset, "".as_ref(), settings),
            model,
            size,
            enclosing: backend::enclosing(asset)?,
            viewport,
            trials: MOST_TRIED / asset.drawn_triangles().max(1),
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
        let end = end(subject, &pose, &meshes);
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
        let (mut elsewhere, mut moved) = (Vec::new(), 0.0_f32);
        for (pose, meshes) in as_large {
            let surface = Surface::of(asset, subject, &show, meshes);
            let there = self::position(subject, pose, meshes);
            if let (Some(here), Some(there)) = (position, there) {
                moved = moved.max(here.distance(there));
            }
            elsewhere.extend(surface.positions);
            elsewhere.extend(there);
            elsewhere.extend(self::end(subject, pose, meshes));
        }
        let (middle, whole) = sphere(&bounds);
        let place = surface.positions.iter().chain(&position).chain(&end);
        let place = Bounds::of_f32(place.chain(&elsewhere));
        let (target, radius) = if place.is_empty() {
            (middle, whole)
        } else {
            let bones = subject.bones(asset, &pose);
            self.sphere_of(subject, &place, bones, moved)
        };
        let poses = compared.iter().map(|(beside, _)| beside);
        let turned = rotation_axis(subject, &pose, poses);
        let line = position.zip(end).map(|(from, to)| to - from);
        let directions = surface.directions(&asset.space, target - middle, turned, line);
        let (viewport, extent) = (
            self.viewport,
            Extent {
                asset,
                skinning: SkinningOptions::default(),
                joints: matches!(subject.part, Part::Spot(Located::Joint(_))),
            },
        );
        let aimed = |direction: ViewDirection| {
            let projection = Projection::default();
            let mut framing = Framing::new(&asset.space, direction, projection, viewport);
            extent.include_meshes(&mut framing, &pose, &meshes);
            for (pose, meshes) in &compared {
                extent.include_meshes(&mut framing, pose, meshes);
            }
            let fitted = framing.camera();
            (fitted, zoomed(fitted, target, radius))
        };
        let (fitted, camera) = aimed(directions[0]);
        let mut view = View {
            camera,
            fitted,
            target,
            radius,
            size,
            skinning: SkinningOptions::default(),
            dots: dots(subject, &meshes),
            triangles: triangles(asset, subject, &meshes),
            marked: surface.positions,
            left_out: Vec::new(),
            is_hidden: false,
            pose: pose.clone(),
            subject,
            show,
            position,
            end,
        };
        self.focus(
            &mut view,
            &directions[1..],
            &aimed,
            (&meshes, &surface.instances),
        )?;
        Ok(view)
    }

    /// The middle of the image, and the distance from it to the edge.
    ///
    /// * `bones` – the length of those at the joint.
    /// * `moved` – how far the place is from that in the poses beside.
    fn sphere_of(&self, subject: &Subject, place: &Bounds, bones: f32, moved: f32) -> (Vec3, f32) {
        let mut around = AROUND * self.size;
        if subject.is_small {
            around = (SHIFTS * moved).clamp(around / NEARER, around);
        } else if bones > 0.0 {
            around = (BONES * bones).clamp(around / NEARER, around);
        }
        let (target, radius) = sphere(place);
        (target, (radius / FILLED).max(around))
    }

    /// Moves the camera to where the places are seen, and leaves out the meshes that hide them from there. Once all trials are used, the
    /// first direction stays.
    ///
    /// * `directions` – other ones than that of the camera.
    /// * `aimed` – the cameras from a direction: one that fits every pose, and one at the place.
    /// * `shown` – all meshes, and those that show the finding.
    fn focus(
        &mut self,
        view: &mut View<'_>,
        directions: &[ViewDirection],
        aimed: &dyn Fn(ViewDirection) -> (Camera, Camera),
        (meshes, own): (&[DeformedMesh], &[InstanceId]),
    ) -> Result<(), BackendError> {
        if self.trials == 0 {
            return Ok(());
        }
        let mut best = self.share_seen(view)?;
        for direction in directions {
            if best >= view.least_seen() {
                break;
            }
            let earlier = (view.fitted, view.camera);
            (view.fitted, view.camera) = aimed(*direction);
            let seen = self.share_seen(view)?;
            if seen > best {
                best = seen;
            } else {
                (view.fitted, view.camera) = earlier;
            }
        }
        if best < view.least_seen() {
            let places = view.places();
            let hiding = focus::before(self.asset, &view.pose, meshes, &view.camera, &places, own);
            if !hiding.is_empty() {
                let whole = view.pose.clone();
                view.leave_out(&hiding);
                let seen = self.share_seen(view)?;
                if seen > best {
                    (best, view.left_out) = (seen, hiding);
                } else {
                    view.pose = whole;
                }
            }
        }
        view.is_hidden = best < LEAST_SEEN && !view.is_of_joint();
        if view.is_hidden {
            view.triangles
                .extend(at_edge(self.asset, view.subject, meshes));
        }
        Ok(())
    }

    /// From where `render` shows the same: it fits its camera to the pose alone.
    pub(super) fn shot(&mut self, view: &View<'_>) -> Result<Shot, BackendError> {
        let (asset, subject) = (self.asset, view.subject);
        let pose = self.uncovered(subject.posing.pose(asset), subject);
        let meshes = self.model.deform(&pose, &SkinningOptions::default())?;
        let back = view.camera.view_from_world.row(2).truncate();
        let direction = ViewDirection::towards(&asset.space, back.normalize());
        let projection = Projection::default();
        let mut framing = Framing::new(&asset.space, direction, projection, self.viewport);
        let extent = Extent {
            asset,
            skinning: SkinningOptions::default(),
            joints: view.has_bones(),
        };
        extent.include_meshes(&mut framing, &pose, &meshes);
        // How large the place is in an image.
        let scale = |camera: &Camera| {
            let seen = camera.view_from_world.transform_point3(view.target);
            camera.clip_from_view.y_axis.y / -seen.z
        };
        let of_clip = match subject.posing {
            Posing::Clip(clip, _) => Some(facing::at_start(asset, &asset[clip]).front),
            Posing::Range(_) => None,
        };
        let front = asset.space.front;
        let is_place = |place: Vec3| place.distance(view.target) < NEAR * view.radius;
        let is_hidden = view.is_hidden || !view.left_out.is_empty();
        Ok(Shot {
            front: of_clip.filter(|own| *own != front).map(|_| front),
            direction,
            target: (!view.position.is_some_and(is_place))
                .then(|| in_words(view.target, view.radius)),
            zoom: scale(&view.camera) / scale(&framing.camera()),
            has_bones: view.has_bones(),
            is_hidden: is_hidden && !view.is_of_joint(),
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
        // Skinned otherwise, the vertex is elsewhere: the line shows the way that it moved.
        let from = view.position.filter(|_| subject.is_small);
        let mut beside = View {
            end: end(subject, &pose, &meshes).or(from),
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
            left_out: Vec::new(),
            ..*view
        };
        beside.leave_out(&view.left_out);
        Ok(beside)
    }

    /// The image without any overlay; where the body hides the place, seen through it.
    pub(super) fn render(&mut self, view: &View<'_>) -> Result<Frame, BackendError> {
        let mut frame = self.render_by(view, view.camera, self.viewport)?;
        if view.is_hidden {
            let opened = focus::cut(&view.camera, &view.places());
            let opened = self.render_by(view, opened, self.viewport)?;
            focus::mix(&mut frame, &opened);
        }
        Ok(frame)
    }

    fn render_by(
        &mut self,
        view: &View<'_>,
        camera: Camera,
        viewport: Viewport,
    ) -> Result<Frame, BackendError> {
        self.model.render(&Scene {
            pose: &view.pose,
            skinning: view.skinning,
            camera,
            viewport,
            style: Style {
                show: view.show.clone(),
                ..Style::default()
            },
        })
    }

    /// The part of the places of a finding that nothing hides; 1 without any.
    #[expect(clippy::cast_precision_loss, reason = "a number of places")]
    fn share_seen(&mut self, view: &View<'_>) -> Result<f64, BackendError> {
        let places = view.places();
        if places.is_empty() {
            return Ok(1.0);
        }
        self.trials = self.trials.saturating_sub(1);
        let frame = self.render_by(view, view.camera, TRIAL)?;
        let seen = overlay::count_seen(&places, &view.camera, &frame);
        Ok(seen as f64 / places.len() as f64)
    }
}

/// Whether a mesh belongs to the figure: it has a skin, or a joint carries it.
fn carried(asset: &Asset) -> impl Fn(InstanceId) -> bool {
    let mut carried = asset.bound_joints();
    asset.skeleton.hand_down(&mut carried);
    let instances = asset.instances.iter();
    let carried: Vec<bool> = instances
        .map(|own| own.skin.is_some() || carried[own.node.index()])
        .collect();
    move |instance| carried[instance.index()]
}

/// The image in which places are counted.
pub(crate) const TRIAL: Viewport = Viewport {
    width: 160,
    height: 160,
};

/// The most triangles that are drawn to see what hides the places of all findings of a model: some seconds of work.
const MOST_TRIED: usize = 40_000_000;

/// A position in an image whose edge is so far from it, as short as it may be.
fn in_words(position: Vec3, radius: f32) -> String {
    let decimals = -libm::log10f(NEAR * NEAR * radius).floor();
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "from 0 to 9"
    )]
    let decimals = decimals.clamp(0.0, 9.0) as usize;
    let words = position.to_array().map(|own| {
        let fixed = format!("{own:.decimals$}");
        let short = if decimals > 0 {
            without_trailing_zeros(&fixed)
        } else {
            &fixed
        };
        short.to_owned()
    });
    words.join(",")
}

/// A place this near to the middle of the image, as a part of its radius, is in the middle.
const NEAR: f32 = 0.1;

/// The body hides the places of a fault of which a smaller part is seen.
const LEAST_SEEN: f64 = 0.25;

/// The part of a line that is seen from a good place.
const LINE: f64 = 0.7;

/// Points of a line whose visibility counts.
const POINTS: u8 = 8;

impl View<'_> {
    fn is_of_joint(&self) -> bool {
        matches!(self.subject.part, Part::Spot(Located::Joint(_)))
    }

    /// What is to be seen.
    fn places(&self) -> Vec<Vec3> {
        match (self.position, self.end) {
            _ if self.is_of_joint() => self.marked.clone(),
            (Some(position), Some(end)) => {
                let shares = (0..=POINTS).map(|point| f32::from(point) / f32::from(POINTS));
                shares.map(|share| position.lerp(end, share)).collect()
            }
            _ if !self.dots.is_empty() => self.dots.clone(),
            (Some(position), None) => vec![position],
            _ => self.marked.clone(),
        }
    }

    /// The part of the places that is seen from a good direction.
    fn least_seen(&self) -> f64 {
        if self.end.is_some() && !self.is_of_joint() {
            LINE
        } else {
            LEAST_SEEN
        }
    }

    fn leave_out(&mut self, instances: &[InstanceId]) {
        for instance in instances {
            self.pose.visibility.hide(*instance);
        }
    }

    /// Whether the skeleton is drawn; bones would hide the surface that a measure colours.
    pub(super) fn has_bones(&self) -> bool {
        self.is_of_joint() && !matches!(self.subject.colors, Colors::Measure(_))
    }

    /// * `finding` – its index.
    pub(super) fn into_sight(self, finding: usize) -> Sight {
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
            is_hidden: self.is_hidden || !self.left_out.is_empty(),
        }
    }
}

/// `vertex 12, LeftArm`: a vertex and the joint that moves it most.
pub(super) fn vertex_label(asset: &Asset, instance: InstanceId, vertex: usize) -> String {
    let joint = strongest_joint(asset, instance, vertex);
    let joint = joint.and_then(|joint| asset.skeleton.get(joint));
    let joint = joint.map_or_else(String::new, |node| format!(", {}", printable(&node.name)));
    format!("vertex {vertex}{joint}")
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

/// The position of the vertex or joint that a finding is about.
fn position(subject: &Subject, pose: &ModelPose, meshes: &[DeformedMesh]) -> Option<Vec3> {
    let Part::Spot(spot) = subject.part else {
        return None;
    };
    Some(spot.position(pose, meshes)).filter(|position| position.is_finite())
}

/// The position of the joined place.
fn end(subject: &Subject, pose: &ModelPose, meshes: &[DeformedMesh]) -> Option<Vec3> {
    let end = subject.joined.map(|place| place.position(pose, meshes));
    end.filter(|end| end.is_finite())
}

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

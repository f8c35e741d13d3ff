//! Draws the images of a finding.

use glam::Vec3;

use super::angle::{self, Angle, TRIAL};
use super::marked::marked;
use super::spot::Located;
use super::subject::{Colors, Part, Posing, Subject, bind_at_rest, ends};
use super::view::{View, dots, has_dots, position};
use crate::backend::{BackendError, Extent, Model, Scene};
use crate::film::{Sheet, sheet};
use crate::finding::Finding;
use crate::frame::Frame;
use crate::lint::{Context, Settings, find_rule};
use crate::overlay::{self, Joints};
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, DeformedMesh, InstanceId, Location, NodeId, SkinningOptions};
use crate::shown::printable;
use crate::view::{Camera, Framing, Projection, Show, Style, ViewDirection, Viewport};

/// Distance from a vertex or joint to the edge of the image, over the model's diagonal.
const AROUND_VERTEX: f32 = 0.1;
/// Upper limit of that distance if the neighbours of a vertex are farther away.
const FARTHEST: f32 = 0.6;
/// See [`AROUND_VERTEX`].
const AROUND_JOINT: f32 = 0.16;

/// How far joints may rest from their bind pose for both poses to count as the same, over the diagonal.
const SAME_POSE: f32 = 2e-3;

/// How far in front of what it shows a model is cut open, over the diagonal.
const BEFORE_CUT: f32 = 1e-3;

/// The fraction of the way from the middle of the image to its edge that the surroundings fill.
const FILLED: f32 = 0.85;

/// How a page that shows the model in motion shows a finding: as its close-up does.
#[cfg_attr(not(feature = "cli"), allow(dead_code))]
#[derive(Debug)]
pub(crate) struct Sight {
    /// The index of the finding in its list.
    pub(crate) finding: usize,
    /// `None` for the rest pose.
    pub(crate) posing: Option<Posing>,
    pub(crate) camera: Camera,
    /// The position that the camera turns around.
    pub(crate) target: Vec3,
    pub(crate) colors: Colors,
    /// The joint that is selected.
    pub(crate) joint: Option<NodeId>,
    /// The vertices with the fault.
    pub(crate) marked: Vec<(InstanceId, Vec<u32>)>,
}

/// A model and the camera's settings.
pub(super) struct Renderer<'a> {
    asset: &'a Asset,
    pub(super) context: Context<'a>,
    model: Box<dyn Model + 'a>,
    rest: ModelPose,
    /// The bind pose, moved to where the model rests.
    bind: ModelPose,
    size: f32,
    viewport: Viewport,
}

/// An image and its caption.
type Captioned = (Frame, String);

impl<'a> Renderer<'a> {
    pub(super) fn of(
        asset: &'a Asset,
        settings: &'a Settings,
        model: Box<dyn Model + 'a>,
        side: u32,
    ) -> Result<Self, BackendError> {
        let rest = pose::model_pose(asset, &pose::rest(asset));
        Ok(Self {
            asset,
            context: Context::new(asset, "".as_ref(), settings),
            model,
            bind: bind_at_rest(asset, &rest),
            size: size(asset, &rest)?,
            rest,
            viewport: Viewport {
                width: side,
                height: side,
            },
        })
    }

    /// All images of a finding, with the legend below.
    pub(super) fn sheet(
        &mut self,
        finding: &Finding,
        subject: &Subject,
    ) -> Result<(Frame, Sight), BackendError> {
        let (images, show, sight) = self.images(finding, subject)?;
        let heading = heading(finding);
        // Four small images never exceed the largest size of one image.
        let image = sheet(&[Sheet { heading, images }]).unwrap_or_else(|_| Frame::blank(1, 1));
        let image = match show.legend(self.asset) {
            Some(legend) => overlay::with_legend(&image, &legend),
            None => image,
        };
        Ok((image, sight))
    }

    /// From the direction that is tried first.
    pub(super) fn usual_sight(&mut self, subject: &Subject) -> Result<Sight, BackendError> {
        let posed = subject.pose.clone().unwrap_or_else(|| self.rest.clone());
        let meshes = self.model.deform(&posed, &SkinningOptions::default())?;
        let labels = [String::new(), String::new()];
        let view = self.view(subject, &posed, &meshes, &labels)?;
        let [usual, ..] = angle::candidates(&self.asset.space, view.normal())[..] else {
            unreachable!("there is always a usual direction");
        };
        Ok(self.sight(&view, usual))
    }

    /// The last of the images, of a finding that the caller numbers.
    fn sight(&self, view: &View<'_>, direction: ViewDirection) -> Sight {
        let subject = view.subject;
        let all = view.meshes.iter().flat_map(|mesh| &mesh.positions);
        let [low, high] = ends(&all.copied().collect::<Vec<Vec3>>());
        let focus = self.focus(view).map_or((low + high) / 2.0, |(at, _)| at);
        let mut marked = Vec::new();
        let instance = match subject.part {
            Part::Spot(Located::Vertex(instance, vertex)) => {
                marked.extend(u32::try_from(vertex).map(|vertex| (instance, vec![vertex])));
                Some(instance)
            }
            Part::Mesh(instance) => Some(instance),
            _ => None,
        };
        let others = instance.filter(|_| has_dots(subject));
        marked.extend(others.map(|instance| (instance, subject.vertices.clone())));
        Sight {
            finding: 0,
            posing: subject.posing,
            camera: self.zoomed(&self.fitted(view, direction, self.viewport), view),
            target: if focus.is_finite() { focus } else { Vec3::ZERO },
            colors: subject.colors.clone(),
            joint: match subject.part {
                Part::Spot(Located::Joint(joint)) => Some(joint),
                _ => view.show.joints().first().copied(),
            },
            marked,
        }
    }

    /// The images, and the legend of the last one. All are seen from the angle that shows the finding best; the bind pose only
    /// if it shows anything from there.
    fn images(
        &mut self,
        finding: &Finding,
        subject: &Subject,
    ) -> Result<(Vec<Captioned>, Show, Sight), BackendError> {
        let labels = labels(self.asset, &finding.location);
        let (posed, caption) = match &subject.pose {
            Some(pose) => (pose.clone(), pose_label(&finding.location)),
            None => (self.rest.clone(), "rest pose".to_owned()),
        };
        let is_as_bound = subject.pose.is_none() && self.rests_as_bound();
        let caption = if is_as_bound {
            "at rest, as bound".to_owned()
        } else {
            caption
        };
        let meshes = self.model.deform(&posed, &SkinningOptions::default())?;
        let last = self.view(subject, &posed, &meshes, &labels)?;
        let angle = self.angle(&last)?;
        let mut images = Vec::new();
        if subject.part != Part::Whole {
            let whole = self.whole(&last, angle.direction)?;
            images.push((whole, "whole model".to_owned()));
        }
        if !is_as_bound {
            let bind = self.bind.clone();
            let meshes = self.model.deform(&bind, &SkinningOptions::default())?;
            let view = self.view(subject, &bind, &meshes, &labels)?;
            let is_hidden = !view.marked.is_empty() && self.shown(&view, angle)?.0 == 0.0;
            let own = if is_hidden { self.angle(&view)? } else { angle };
            let camera = self.camera(&view, own, self.viewport);
            images.push((self.close(&view, &camera)?, caption_of(own, "bind pose")));
        }
        let camera = self.camera(&last, angle, self.viewport);
        let sight = self.sight(&last, angle.direction);
        images.push((self.close(&last, &camera)?, caption_of(angle, &caption)));
        Ok((images, last.show, sight))
    }

    fn view<'v>(
        &self,
        subject: &'v Subject,
        pose: &'v ModelPose,
        meshes: &'v [DeformedMesh],
        labels: &'v [String; 2],
    ) -> Result<View<'v>, BackendError> {
        let show = self.show(subject, pose)?;
        let position = position(subject.part, pose, meshes);
        let other = subject.other.map(|joint| pose[joint].w_axis.truncate());
        let places = [position, other].into_iter().zip(labels);
        let marks = places.filter_map(|(place, label)| Some((place?, label.as_str())));
        Ok(View {
            subject,
            pose,
            meshes,
            position,
            marks: marks.filter(|(place, _)| place.is_finite()).collect(),
            dots: dots(subject, meshes),
            marked: marked(self.asset, subject, &show, meshes),
            show,
        })
    }

    fn rests_as_bound(&self) -> bool {
        let joints = self.rest.nodes.iter().zip(&self.bind.nodes);
        let mut bound = joints
            .zip(self.asset.bound_joints())
            .filter(|(_, bound)| *bound);
        bound.all(|((rest, bind), _)| {
            let [rest, bind] = [rest, bind].map(|matrix| matrix.w_axis.truncate());
            let apart = rest.distance(bind);
            apart <= SAME_POSE * self.size
        })
    }

    fn show(&self, subject: &Subject, pose: &ModelPose) -> Result<Show, BackendError> {
        Ok(match &subject.colors {
            Colors::Mode(show) => show.clone(),
            Colors::Measure(measure) => Show::measuring(
                measure.mode(),
                measure.in_pose(&self.context, pose, SkinningOptions::default())?,
            ),
        })
    }

    /// The angle from which the most of what is marked is visible. Small images decide. A model that hides it from all
    /// directions is cut open.
    fn angle(&mut self, view: &View<'_>) -> Result<Angle, BackendError> {
        let candidates = angle::candidates(&self.asset.space, view.normal());
        let angle = |index: usize, is_cut| Angle {
            direction: candidates[index],
            is_cut,
        };
        for is_cut in [false, true] {
            let mut shown = Vec::new();
            for index in (0..candidates.len()).filter(|_| !view.marked.is_empty()) {
                let (own, is_plain) = self.shown(view, angle(index, is_cut))?;
                shown.push(own);
                if index == 0 && is_plain {
                    break;
                }
            }
            let best = angle::best(&shown);
            if shown.get(best).is_some_and(|shown| *shown > 0.0) {
                return Ok(angle(best, is_cut));
            }
        }
        Ok(angle(0, false))
    }

    /// How much of what is marked is visible from an angle, and whether that is plainly enough.
    fn shown(&mut self, view: &View<'_>, angle: Angle) -> Result<(f64, bool), BackendError> {
        let camera = self.camera(view, angle, TRIAL);
        let trial = self.render(view, &camera, TRIAL)?;
        let shown = angle::shown(&view.marked, &camera, &trial);
        let is_plain = angle::is_plain(&view.marked, shown, view.pixels_per_unit(&camera));
        Ok((shown, is_plain))
    }

    /// The whole model, with the positions marked.
    fn whole(&mut self, view: &View<'_>, from: ViewDirection) -> Result<Frame, BackendError> {
        let camera = self.fitted(view, from, self.viewport);
        let mut frame = self.render(view, &camera, self.viewport)?;
        overlay::draw_dots(&view.dots, &camera, &mut frame);
        let marks: Vec<_> = view.marks.iter().map(|(place, _)| (*place, "")).collect();
        overlay::draw_marks(&marks, &[], &camera, &mut frame);
        Ok(frame)
    }

    /// The surroundings of the position.
    fn close(&mut self, view: &View<'_>, camera: &Camera) -> Result<Frame, BackendError> {
        let mut frame = self.render(view, camera, self.viewport)?;
        if let Part::Spot(Located::Joint(_)) = view.subject.part {
            let skeleton = overlay::skeleton(self.asset, view.pose, Joints::All);
            overlay::draw(&skeleton, camera, &mut frame);
        }
        overlay::draw_dots(&view.dots, camera, &mut frame);
        let near = AROUND_VERTEX * self.size;
        let is_near = |corner: &Vec3| {
            let distance = |position: Vec3| position.distance(*corner);
            view.position
                .is_some_and(|position| distance(position) < near)
        };
        let corners = view.marked.iter().flatten().flatten().copied();
        let visible: Vec<Vec3> = corners.filter(is_near).collect();
        overlay::draw_marks(&view.marks, &visible, camera, &mut frame);
        Ok(frame)
    }

    /// Of the close-up.
    fn camera(&self, view: &View<'_>, angle: Angle, viewport: Viewport) -> Camera {
        let camera = self.zoomed(&self.fitted(view, angle.direction, viewport), view);
        if angle.is_cut {
            angle::cut(&camera, &view.marked, BEFORE_CUT * self.size)
        } else {
            camera
        }
    }

    fn fitted(&self, view: &View<'_>, from: ViewDirection, viewport: Viewport) -> Camera {
        let mut framing = Framing::new(&self.asset.space, from, Projection::default(), viewport);
        let extent = Extent {
            asset: self.asset,
            skinning: SkinningOptions::default(),
            joints: matches!(view.subject.part, Part::Spot(Located::Joint(_))),
        };
        extent.include_meshes(&mut framing, view.pose, view.meshes);
        framing.camera()
    }

    /// What a close-up shows: a position, and how far around it; `None` for the whole model.
    fn focus(&self, view: &View<'_>) -> Option<(Vec3, f32)> {
        let (centre, around) = match (view.subject.part, view.position) {
            (Part::Spot(Located::Joint(_)), _) if view.marked.len() > 1 => {
                let corners: Vec<Vec3> = view.marked.iter().flatten().flatten().copied().collect();
                let [low, high] = ends(&corners);
                ((low + high) / 2.0, (high - low).length() / 2.0)
            }
            (Part::Spot(Located::Joint(_)), Some(position)) => (position, AROUND_JOINT * self.size),
            (Part::Spot(spot), Some(position)) => {
                let reach = self.reach(spot, position, view.meshes);
                (
                    position,
                    reach.clamp(AROUND_VERTEX * self.size, FARTHEST * self.size),
                )
            }
            (Part::Mesh(instance), _) => {
                let mesh = view.meshes.iter().find(|mesh| mesh.instance == instance);
                let [low, high] = ends(mesh.map_or(&[], |mesh| &mesh.positions));
                ((low + high) / 2.0, (high - low).length() / 2.0)
            }
            _ => return None,
        };
        (centre.is_finite() && around > 0.0).then_some((centre, around))
    }

    /// Zooms until the surroundings of the position fill the image.
    fn zoomed(&self, camera: &Camera, view: &View<'_>) -> Camera {
        let Some((centre, around)) = self.focus(view) else {
            return *camera;
        };
        let camera = camera.looking_at(centre);
        let up = camera.view_from_world.row(1).truncate();
        let edge = camera
            .clip_from_world()
            .project_point3(centre + up * around);
        let factor = FILLED / edge.truncate().length();
        if factor.is_finite() && factor > 1.0 {
            camera.zoomed(factor)
        } else {
            camera
        }
    }

    /// The distance of a vertex's farthest neighbour.
    fn reach(&self, spot: Located, position: Vec3, meshes: &[DeformedMesh]) -> f32 {
        let Located::Vertex(instance, vertex) = spot else {
            return 0.0;
        };
        let Some(posed) = meshes.iter().find(|mesh| mesh.instance == instance) else {
            return 0.0;
        };
        let mesh = self.asset.mesh_of(&self.asset[instance]);
        let around = mesh
            .triangles
            .iter()
            .filter(|corners| corners.iter().any(|own| *own as usize == vertex));
        let positions = around
            .flatten()
            .map(|corner| posed.positions[*corner as usize]);
        let distances = positions.map(|other| other.distance(position));
        distances
            .filter(|distance| distance.is_finite())
            .fold(0.0, f32::max)
    }

    fn render(
        &mut self,
        view: &View<'_>,
        camera: &Camera,
        viewport: Viewport,
    ) -> Result<Frame, BackendError> {
        self.model.render(&Scene {
            pose: view.pose,
            skinning: SkinningOptions::default(),
            camera: *camera,
            viewport,
            style: Style {
                show: view.show.clone(),
                ..Style::default()
            },
        })
    }
}

fn heading(finding: &Finding) -> String {
    let code = finding.code.0;
    let name = find_rule(code).map_or("", |rule| rule.meta().name);
    printable(&format!("{code} {name}: {}", finding.message))
}

/// The diagonal of the box around the model at rest.
fn size(asset: &Asset, rest: &ModelPose) -> Result<f32, BackendError> {
    let meshes = crate::skinning::deform_positions(asset, rest, &SkinningOptions::default())?;
    let all: Vec<Vec3> = meshes.into_iter().flat_map(|mesh| mesh.positions).collect();
    let [low, high] = ends(&all);
    let size = (high - low).length();
    Ok(if size.is_finite() && size > 0.0 {
        size
    } else {
        1.0
    })
}

/// The labels of the marks: of the vertex or joint, and of the other joint.
fn labels(asset: &Asset, location: &Location) -> [String; 2] {
    let own = match (location.vertex, &location.joint) {
        (Some(vertex), _) => format!("vertex {vertex}"),
        (None, Some(joint)) => printable(joint),
        (None, None) => String::new(),
    };
    let other = location
        .ids
        .other_node
        .and_then(|joint| asset.skeleton.get(joint));
    [
        own,
        other.map_or_else(String::new, |node| printable(&node.name)),
    ]
}

/// The caption of a close-up.
fn caption_of(angle: Angle, pose: &str) -> String {
    let cut = if angle.is_cut { ", cut open" } else { "" };
    format!("{pose}{cut}")
}

/// The pose of a finding, for a caption.
fn pose_label(location: &Location) -> String {
    let time = location.time.map(|time| format!(" at {:.3} s", time.get()));
    let in_clip = |clip: &String| printable(&format!("{clip}{}", time.unwrap_or_default()));
    let words = location
        .pose
        .as_ref()
        .map(|pose| printable(&pose.to_string()));
    words
        .or(location.clip.as_ref().map(in_clip))
        .unwrap_or_default()
}

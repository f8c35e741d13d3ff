//! Close-ups of findings, beside the bind pose.
//!
//! | step | file |
//! |---|---|
//! | positions by name, as on the command line: `vertex:Body:1841` | `spot` |
//! | the pose and the subject of a finding | `subject` |
//! | the command that draws a finding | `command` |
//! | a camera that sees the subject, and the images | `draw` |

mod spot;
mod subject;

use glam::Vec3;

use crate::backend::{Backend, BackendError, Cpu, Driver, Extent, Model, Scene};
use crate::film::{Sheet, sheet};
use crate::finding::Finding;
use crate::frame::Frame;
use crate::lint::{Context, Settings, find_rule};
use crate::overlay::{self, Joints};
use crate::pose::{self, ModelPose};
use crate::rig::{Asset, DeformedMesh, Location, SkinningOptions};
use crate::shown::printable;
use crate::view::{Camera, Framing, Projection, Show, Style, ViewDirection, Viewport};
use subject::{Colors, Part, Subject, bind_at_rest, ends};

pub use spot::{Located, Spot, SpotError, command};

/// Distance from a vertex or joint to the edge of the image, over the model's diagonal.
const AROUND_VERTEX: f32 = 0.1;
/// Upper limit of that distance if the neighbours of a vertex are farther away.
const FARTHEST: f32 = 0.6;
/// See [`AROUND_VERTEX`].
const AROUND_JOINT: f32 = 0.16;

/// How far joints may rest from their bind pose for both poses to count as the same, over the diagonal.
const SAME_POSE: f32 = 2e-3;

/// The fraction of the way from the middle of the image to its edge that the surroundings fill.
const FILLED: f32 = 0.85;

/// The camera looks down or up by at most this many degrees: a character is hard to recognize from farther above or below.
const STEEPEST: f64 = 40.0;

/// Rotations around the model, in degrees, that are tried if the position is hidden from the direction of its normal.
const YAWS: [f64; 5] = [0.0, 45.0, -45.0, 90.0, -90.0];

/// A finding as one image: the whole model, the bind pose and the finding's pose, side by side.
#[derive(Debug)]
pub struct CloseUp {
    /// The index of the finding in its list.
    pub finding: usize,
    /// With captions.
    pub image: Frame,
}

/// Draws the `findings` that are visible in `asset`: at most `most`, the highest levels first. They come in the order of
/// the list.
///
/// * `side` – width and height of each of the images in a close-up, in pixels.
///
/// # Errors
///
/// [`BackendError`] if the model cannot be drawn at all.
pub fn close_ups(
    asset: &Asset,
    findings: &[Finding],
    side: u32,
    most: usize,
) -> Result<Vec<CloseUp>, BackendError> {
    let mut device = Cpu.open(Driver::default())?;
    let settings = Settings::default();
    let rest = pose::model_pose(asset, &pose::rest(asset));
    let mut studio = Studio {
        asset,
        context: Context::new(asset, "".as_ref(), &settings),
        model: device.load(asset)?,
        bind: bind_at_rest(asset, &rest),
        size: size(asset, &rest)?,
        rest,
        viewport: Viewport {
            width: side,
            height: side,
        },
    };
    let mut worst: Vec<(usize, &Finding)> = findings.iter().enumerate().collect();
    worst.sort_by_key(|(_, finding)| std::cmp::Reverse(finding.level));
    let subjects = worst
        .into_iter()
        .filter_map(|(index, finding)| Some((index, finding, Subject::of(asset, finding)?)));
    let mut drawn = subjects
        .take(most)
        .map(|(index, finding, subject)| {
            let image = studio.sheet(finding, &subject)?;
            Ok(CloseUp {
                finding: index,
                image,
            })
        })
        .collect::<Result<Vec<CloseUp>, BackendError>>()?;
    drawn.sort_by_key(|close_up| close_up.finding);
    Ok(drawn)
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

/// A model and the camera's settings.
struct Studio<'a> {
    asset: &'a Asset,
    context: Context<'a>,
    model: Box<dyn Model + 'a>,
    rest: ModelPose,
    /// The bind pose, moved to where the model rests.
    bind: ModelPose,
    size: f32,
    viewport: Viewport,
}

/// One of the images.
struct View<'a> {
    subject: &'a Subject,
    pose: &'a ModelPose,
    meshes: &'a [DeformedMesh],
    show: Show,
    /// The position of the vertex, joint or point, if the finding has one.
    position: Option<Vec3>,
    label: &'a str,
}

impl Studio<'_> {
    /// All images of a finding, with the legend below.
    fn sheet(&mut self, finding: &Finding, subject: &Subject) -> Result<Frame, BackendError> {
        let (images, show) = self.images(finding, subject)?;
        let heading = heading(finding);
        // Three small images never exceed the largest size of one image.
        let image = sheet(&[Sheet { heading, images }]).unwrap_or_else(|_| Frame::blank(1, 1));
        Ok(match show.legend(self.asset) {
            Some(legend) => overlay::with_legend(&image, &legend),
            None => image,
        })
    }

    /// The images, and the legend of the last one.
    fn images(
        &mut self,
        finding: &Finding,
        subject: &Subject,
    ) -> Result<(Vec<(Frame, String)>, Show), BackendError> {
        let label = label(&finding.location);
        let (posed, caption) = match &subject.pose {
            Some(pose) => (pose.clone(), pose_label(&finding.location)),
            None => (self.rest.clone(), "rest pose".to_owned()),
        };
        let bind = self.bind.clone();
        let is_as_bound = subject.pose.is_none() && self.rests_as_bound();
        let mut poses = vec![(&bind, "bind pose".to_owned()), (&posed, caption)];
        if is_as_bound {
            poses = vec![(&posed, "at rest, as bound".to_owned())];
        }
        let (mut images, last) = (Vec::new(), poses.len() - 1);
        let mut shown = Show::LIT;
        for (index, (pose, caption)) in poses.into_iter().enumerate() {
            let meshes = self.model.deform(pose, &SkinningOptions::default())?;
            let view = View {
                subject,
                pose,
                meshes: &meshes,
                show: self.show(subject, pose)?,
                position: position(subject.part, pose, &meshes),
                label: &label,
            };
            if index == last && subject.part != Part::Whole {
                images.insert(0, (self.whole(&view)?, "whole model".to_owned()));
            }
            images.push((self.close(&view)?, caption));
            shown = view.show;
        }
        Ok((images, shown))
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
            Colors::Measure(measure) => {
                Show::measuring(measure.mode(), measure.in_pose(&self.context, pose)?)
            }
        })
    }

    /// The whole model, with the position marked.
    fn whole(&mut self, view: &View<'_>) -> Result<Frame, BackendError> {
        let direction = self.directions(view)[0];
        let camera = self.fitted(view, direction)?;
        let mut frame = self.render(view, &camera)?;
        if let Some(position) = view.position {
            overlay::draw_mark(position, "", &camera, &mut frame);
        }
        Ok(frame)
    }

    /// The position, from the first direction from which it is visible.
    fn close(&mut self, view: &View<'_>) -> Result<Frame, BackendError> {
        let directions = self.directions(view);
        let (mut camera, mut frame) = self.seen(view, directions[0])?;
        for direction in &directions[1..] {
            if !view.hides(&camera, &frame) {
                break;
            }
            let other = self.seen(view, *direction)?;
            if !view.hides(&other.0, &other.1) {
                (camera, frame) = other;
            }
        }
        if let Part::Spot(Located::Joint(_)) = view.subject.part {
            let skeleton = overlay::skeleton(self.asset, view.pose, Joints::All);
            overlay::draw(&skeleton, &camera, &mut frame);
        }
        if let Some(position) = view.position {
            overlay::draw_mark(position, view.label, &camera, &mut frame);
        }
        Ok(frame)
    }

    /// The position from one direction.
    fn seen(
        &mut self,
        view: &View<'_>,
        direction: ViewDirection,
    ) -> Result<(Camera, Frame), BackendError> {
        let fitted = self.fitted(view, direction)?;
        let camera = self.zoomed(&fitted, view);
        let frame = self.render(view, &camera)?;
        Ok((camera, frame))
    }

    /// The directions to try, the best first: against the normal, then around the model. There is at least one.
    fn directions(&self, view: &View<'_>) -> Vec<ViewDirection> {
        let Some(normal) = normal(view) else {
            return vec![ViewDirection::ThreeQuarter];
        };
        let (yaw, pitch) = ViewDirection::towards(&self.asset.space, normal).angles();
        let orbits = YAWS.into_iter().map(|offset| ViewDirection::Orbit {
            yaw_degrees: yaw + offset,
            pitch_degrees: pitch.clamp(-STEEPEST, STEEPEST),
        });
        orbits.chain([ViewDirection::ThreeQuarter]).collect()
    }

    fn fitted(&self, view: &View<'_>, direction: ViewDirection) -> Result<Camera, BackendError> {
        let space = &self.asset.space;
        let mut framing = Framing::new(space, direction, Projection::default(), self.viewport);
        let extent = Extent {
            asset: self.asset,
            skinning: SkinningOptions::default(),
            joints: matches!(view.subject.part, Part::Spot(Located::Joint(_))),
        };
        extent.include_pose(&mut framing, view.pose)?;
        Ok(framing.camera())
    }

    /// Zooms until the surroundings of the position fill the image.
    fn zoomed(&self, camera: &Camera, view: &View<'_>) -> Camera {
        let (centre, around) = match (view.subject.part, view.position) {
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
            _ => return *camera,
        };
        if !(centre.is_finite() && around > 0.0) {
            return *camera;
        }
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

    fn render(&mut self, view: &View<'_>, camera: &Camera) -> Result<Frame, BackendError> {
        self.model.render(&Scene {
            pose: view.pose,
            skinning: SkinningOptions::default(),
            camera: *camera,
            viewport: self.viewport,
            style: Style {
                show: view.show.clone(),
                ..Style::default()
            },
        })
    }
}

impl View<'_> {
    /// Whether the vertex is behind something. Joints always are, so they do not count.
    fn hides(&self, camera: &Camera, frame: &Frame) -> bool {
        let is_vertex = matches!(self.subject.part, Part::Spot(Located::Vertex(..)));
        let is_hidden = |position| overlay::is_hidden(position, camera, frame);
        is_vertex && self.position.is_some_and(is_hidden)
    }
}

/// The position of the subject; `None` if it has none, or it is not finite.
fn position(part: Part, pose: &ModelPose, meshes: &[DeformedMesh]) -> Option<Vec3> {
    let Part::Spot(spot) = part else { return None };
    Some(spot.position(pose, meshes)).filter(|position| position.is_finite())
}

/// The normal of the vertex; `None` for anything else.
fn normal(view: &View<'_>) -> Option<Vec3> {
    let Part::Spot(Located::Vertex(instance, vertex)) = view.subject.part else {
        return None;
    };
    let mesh = view.meshes.iter().find(|mesh| mesh.instance == instance)?;
    let own = mesh.normals.get(vertex).copied().unwrap_or_default();
    let [low, high] = ends(&mesh.positions);
    let outward = view.position? - (low + high) / 2.0;
    own.try_normalize().or(outward.try_normalize())
}

/// The label of a mark.
fn label(location: &Location) -> String {
    match (location.vertex, &location.joint) {
        (Some(vertex), _) => format!("vertex {vertex}"),
        (None, Some(joint)) => printable(joint),
        (None, None) => String::new(),
    }
}

/// The pose of a finding, for a caption.
fn pose_label(location: &Location) -> String {
    let time = location.time.map(|time| format!(" at {:.3} s", time.get()));
    let in_clip = |clip: &String| printable(&format!("{clip}{}", time.unwrap_or_default()));
    let words = location.pose.as_deref().map(printable);
    words
        .or(location.clip.as_ref().map(in_clip))
        .unwrap_or_default()
}

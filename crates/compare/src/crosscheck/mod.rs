//! Runs the same poses on two paths that share only the posed asset, and reports whether they skin and draw the same, and
//! if not, which one is wrong.
//!
//! Vertices are compared with the f64 reference and the bound that [`skinning::bound`](crate::skinning::bound) derives
//! from the number of roundings, so that the report can name the wrong path. Pixels are compared with each other, as
//! strictly as their coverage allows ([`compare::pixels`](mod@crate::compare::pixels)).

mod layers;

#[cfg(test)]
mod laws;

use serde::Serialize;

use crate::backend::{BackendError, Extent, Model, Scene};
use crate::compare::pixels::{Compared, Mark};
use crate::compare::{self, Culprit, PixelError, PixelReport, VertexReport};
use crate::deadline::{Deadline, TimedOut};
use crate::finding::{Code, Finding, Level, Measure, Unit};
use crate::frame::Frame;
use crate::pose::{ModelPose, PlaybackError, Take};
use crate::rig::{Asset, DeformedMesh, Ids, InstanceId, Location, SkinningOptions};
use crate::skinning::{MeshTruth, SkinningError, truth};
use crate::units::{Seconds, amount};
use crate::view::{Camera, Framing, Projection, Style, ViewDirection, Viewport};
use layers::Layers;

/// How models are skinned and viewed.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// How weights are used.
    pub skinning: SkinningOptions,
    /// The size of the images.
    pub viewport: Viewport,
    /// How the images look.
    pub style: Style,
    /// The time limit for comparing all poses.
    pub deadline: Deadline,
}

impl Default for Options {
    /// Lit, 512 by 512 pixels, from three quarters, without a deadline.
    fn default() -> Self {
        Self {
            skinning: SkinningOptions::default(),
            viewport: Viewport {
                width: 512,
                height: 512,
            },
            style: Style::default(),
            deadline: Deadline::NEVER,
        }
    }
}

/// The code of vertices that are farther from the exact result than rounding explains.
pub const WRONG_VERTICES: Code = Code("wrong-vertices");
/// The code of pixels that differ though both paths must draw them alike.
pub const WRONG_PIXELS: Code = Code("wrong-pixels");

/// How two paths compare over all requested poses.
#[derive(Debug, Clone, PartialEq)]
pub struct Report {
    /// One per take, in order.
    pub takes: Vec<TakeReport>,
}

/// The comparison over one take.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct TakeReport {
    /// One per pose, in order.
    pub poses: Vec<PoseReport>,
}

/// The comparison of one pose.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "testing", derive(schemars::JsonSchema))]
pub struct PoseReport {
    /// In the clip; `None` for a pose without a clip.
    pub time: Option<Seconds>,
    /// The comparison of vertices.
    pub vertices: VertexReport,
    /// The comparison of pixels; `None` for a model without triangles.
    pub pixels: Option<PixelReport>,
}

impl Report {
    /// Whether both paths agree in every pose.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.takes.iter().all(TakeReport::agrees)
    }
}

impl TakeReport {
    /// Whether both paths agree in every pose.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.poses.iter().all(PoseReport::agrees)
    }
}

impl PoseReport {
    /// Whether all vertices are within rounding, and all sure pixels equal.
    #[must_use]
    pub fn agrees(&self) -> bool {
        self.vertices.agrees() && self.pixels.is_none_or(|pixels| pixels.agrees())
    }

    /// What disagrees in the pose.
    ///
    /// * `pose` – its location.
    /// * `paths` – the names of both paths.
    #[must_use]
    pub fn findings(&self, asset: &Asset, pose: &Location, paths: [&str; 2]) -> Vec<Finding> {
        let at = |instance: InstanceId, vertex: Option<usize>| {
            let own = asset.instances.get(instance.index());
            Location {
                mesh: own.map(|own| asset.mesh_of(own).name.clone()),
                vertex,
                ids: Ids {
                    instance: Some(instance),
                    ..pose.ids
                },
                ..pose.clone()
            }
        };
        let finding = |code, location: Location, (count, counted): (usize, &'static str), what| {
            let message = format!("{location}: {what}");
            Finding {
                count,
                counted: counted.into(),
                covers_all: true,
                ..Finding::new(code, Level::Error, location, message)
            }
        };
        let attributes = self.vertices.attributes().into_iter();
        let vertices = attributes.filter_map(|(name, own)| {
            let (culprit, worst) = (own.culprit()?, own.worst?);
            let count = own.wrong.first.max(own.wrong.second);
            let who = match culprit {
                Culprit::First => format!("{} is", paths[0]),
                Culprit::Second => format!("{} is", paths[1]),
                Culprit::Both => "both are".to_owned(),
            };
            let what = format!(
                "{name}: {who} wrong in {}; {} {}, {} {}, exact {} within {:.1e}",
                amount(count, "vertex"),
                paths[0],
                worst.first,
                paths[1],
                worst.second,
                worst.exact.as_vec3(),
                worst.bound
            );
            let location = at(worst.instance, Some(worst.vertex));
            Some(Finding {
                measure: Some(Measure {
                    unit: Unit::Length,
                    value: worst.distance,
                    limit: Some(worst.bound),
                }),
                ..finding(WRONG_VERTICES, location, (count, "vertex"), what)
            })
        });
        let pixels = self.pixels.filter(|pixels| !pixels.agrees());
        let pixels = pixels.map(|pixels| {
            let instance = pixels.worst.and_then(|worst| worst.instance);
            let location = instance.map_or_else(|| pose.clone(), |own| at(own, None));
            let (wrong, allowed) = (amount(pixels.wrong, "pixel"), pixels.allowed);
            let what = format!("the images differ in {wrong}, {allowed} allowed");
            finding(WRONG_PIXELS, location, (pixels.wrong, "pixel"), what)
        });
        vertices.chain(pixels).collect()
    }
}

/// One compared pose, with its images.
#[derive(Debug, Clone, Copy)]
pub struct Seen<'a> {
    /// The index of its take.
    pub take: usize,
    /// The result.
    pub report: &'a PoseReport,
    /// The images, if there is anything to draw.
    pub images: Option<ImagePair<'a>>,
}

/// Two images of the same pose.
#[derive(Debug, Clone, Copy)]
pub struct ImagePair<'a> {
    /// Drawn by the first path.
    pub first: &'a Frame,
    /// Drawn by the second path.
    pub second: &'a Frame,
    /// The verdict on each pixel.
    pub marks: &'a [Mark],
}

/// Compares two paths over `takes`.
///
/// * `asset` – the asset of both models.
/// * `first`, `second` – the two paths, in the order in which reports and
///   [`Culprit`] name them.
/// * `watch` – called for each pose as soon as it is compared.
///
/// # Errors
///
/// [`CrosscheckError`] if a path fails, or the deadline passes.
pub fn run(
    asset: &Asset,
    [first, second]: [&mut dyn Model; 2],
    takes: &[Take],
    options: &Options,
    watch: &mut dyn FnMut(&Seen<'_>),
) -> Result<Report, CrosscheckError> {
    let mut run = Run {
        asset,
        first,
        second,
        options,
    };
    let takes = takes.iter().enumerate();
    let reports = takes.map(|(index, take)| run.take(index, take, watch));
    Ok(Report {
        takes: reports.collect::<Result<_, _>>()?,
    })
}

struct Run<'a, 'm> {
    asset: &'a Asset,
    first: &'a mut (dyn Model + 'm),
    second: &'a mut (dyn Model + 'm),
    options: &'a Options,
}

/// A path's result for a pose.
struct Made {
    meshes: Vec<DeformedMesh>,
    /// `None` if there is nothing to draw.
    frame: Option<Frame>,
}

impl Run<'_, '_> {
    fn take(
        &mut self,
        index: usize,
        take: &Take,
        watch: &mut dyn FnMut(&Seen<'_>),
    ) -> Result<TakeReport, CrosscheckError> {
        let camera = self.camera(take)?;
        let mut poses = Vec::new();
        for posed in take.poses(self.asset) {
            self.options.deadline.check()?;
            let (time, pose) = posed?;
            let mut show = |report: &PoseReport, images: Option<ImagePair<'_>>| {
                watch(&Seen {
                    take: index,
                    report,
                    images,
                });
            };
            poses.push(self.compare_pose(time, &pose, camera, &mut show)?);
        }
        Ok(TakeReport { poses })
    }

    /// The camera that fits the model in all poses of the take.
    fn camera(&self, take: &Take) -> Result<Camera, CrosscheckError> {
        let options = self.options;
        let space = &self.asset.space;
        let mut framing = Framing::new(
            space,
            ViewDirection::default(),
            Projection::default(),
            options.viewport,
        );
        let extent = Extent {
            asset: self.asset,
            skinning: options.skinning,
            joints: false,
        };
        for posed in take.poses(self.asset) {
            self.options.deadline.check()?;
            let (_, pose) = posed?;
            extent.include_pose(&mut framing, &pose)?;
        }
        Ok(framing.camera())
    }

    fn compare_pose(
        &mut self,
        time: Option<Seconds>,
        pose: &ModelPose,
        camera: Camera,
        show: &mut dyn FnMut(&PoseReport, Option<ImagePair<'_>>),
    ) -> Result<PoseReport, CrosscheckError> {
        let truth = truth(self.asset, pose, &self.options.skinning)?;
        let drawable = self.asset.has_triangles();
        let scene = self.scene(pose, camera);
        let first = make(self.first, &scene, drawable)?;
        let second = make(self.second, &scene, drawable)?;
        let vertices = compare::vertices(&first.meshes, &second.meshes, &truth);
        let frames = first.frame.as_ref().zip(second.frame.as_ref());
        let compared = match frames {
            Some((first, second)) => Some(self.compare_images([first, second], &truth, &scene)?),
            None => None,
        };
        let report = PoseReport {
            time,
            vertices,
            pixels: compared.as_ref().map(|compared| compared.report),
        };
        let images = frames
            .zip(compared.as_ref())
            .map(|((first, second), compared)| ImagePair {
                first,
                second,
                marks: &compared.marks,
            });
        show(&report, images);
        Ok(report)
    }

    fn scene<'p>(&self, pose: &'p ModelPose, camera: Camera) -> Scene<'p> {
        Scene {
            pose,
            skinning: self.options.skinning,
            camera,
            viewport: self.options.viewport,
            style: self.options.style.clone(),
        }
    }

    /// Where the images disagree, surfaces at the same depth do not count, and the mesh of the worst pixel is named.
    fn compare_images(
        &self,
        [first, second]: [&Frame; 2],
        truth: &[MeshTruth],
        scene: &Scene<'_>,
    ) -> Result<Compared, CrosscheckError> {
        let compared = compare::pixels(first, second, None)?;
        if compared.report.agrees() {
            return Ok(compared);
        }
        let model = (self.asset, &scene.pose.visibility);
        let layers = Layers::new(model, truth, &scene.camera, scene.viewport);
        let mut compared = compare::pixels(first, second, Some(&layers.undecided()))?;
        if let Some(worst) = &mut compared.report.worst {
            worst.instance = layers.nearest(worst.x, worst.y);
        }
        Ok(compared)
    }
}

fn make(
    model: &mut (dyn Model + '_),
    scene: &Scene<'_>,
    drawable: bool,
) -> Result<Made, CrosscheckError> {
    let meshes = model.deform(scene.pose, &scene.skinning)?;
    let frame = drawable.then(|| model.render(scene)).transpose()?;
    Ok(Made { meshes, frame })
}

/// An error in comparing two paths.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CrosscheckError {
    /// A path failed.
    #[error(transparent)]
    Backend(#[from] BackendError),
    /// The pose does not belong to the model.
    #[error(transparent)]
    Skinning(#[from] SkinningError),
    /// A take's time is not finite.
    #[error(transparent)]
    Playback(#[from] PlaybackError),
    /// The images of the two paths differ in size.
    #[error("the images cannot be compared")]
    Pixels(#[from] PixelError),
    /// The deadline of the [options](Options) has passed.
    #[error(transparent)]
    TimedOut(#[from] TimedOut),
}

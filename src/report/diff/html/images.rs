//! Images of both models by one camera, and of the distances between them.

use crate::diff::{DiffError, PosedPair, PosedPairs, Report};
use crate::frame::{FrameError, png};
use crate::raster::{self, DrawInput};
use crate::rig::{Asset, AssetBuilder, AssetError, DeformedMesh, Look, Mesh, Trs};
use crate::view::{Camera, Framing, Measured, Projection, Show, Style, ViewDirection, Viewport};
use crate::viewer::{self, Packed};

/// The width and height of an image in pixels.
pub(super) const SIDE: u32 = 320;

/// The most takes with images, the most times of the worst take, and of every other one.
const MOST_TAKES: usize = 5;
const MOST_OF_WORST: usize = 24;
const MOST_OF_OTHERS: usize = 6;

/// The most vertices that are posed for all images together: a few seconds of work. The worst take has at least
/// `FEWEST` times.
const MOST_WORK: usize = 60_000_000;
const FEWEST: usize = 4;

/// Why there are no images.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImageError {
    /// A model cannot be posed.
    #[error(transparent)]
    Diff(#[from] DiffError),
    /// The surfaces do not make a valid model.
    #[error(transparent)]
    Asset(#[from] AssetError),
    /// An image cannot be encoded.
    #[error(transparent)]
    Png(#[from] FrameError),
}

/// Images of some takes, the worst first.
#[derive(Debug, Default)]
pub struct PageImages {
    pub(super) takes: Vec<TakeImages>,
    /// The distance of the hottest colour.
    pub(super) hottest: f64,
    /// Both models in motion.
    pub(super) moving: Option<[Packed; 2]>,
}

/// Images of one take, in order of time.
#[derive(Debug)]
pub(super) struct TakeImages {
    /// Its index in the report.
    pub(super) take: usize,
    pub(super) frames: Vec<FrameImages>,
}

/// The images at one time, as PNG files.
#[derive(Debug)]
pub(super) struct FrameImages {
    pub(super) time: f64,
    /// Before and after.
    pub(super) models: [Vec<u8>; 2],
    pub(super) heat: Vec<u8>,
}

impl PageImages {
    /// Draws the takes that differ most, at evenly spaced times and at the time of the largest difference. Surfaces are
    /// drawn without materials, so that images of models and of references look alike. Without vertices there are no
    /// images.
    ///
    /// * `direction` – of the camera.
    ///
    /// # Errors
    ///
    /// [`ImageError`].
    pub fn draw(
        report: &Report,
        posed: &PosedPairs<'_>,
        direction: ViewDirection,
    ) -> Result<Self, ImageError> {
        if report.matched.all_vertices.contains(&0) {
            return Ok(Self::default());
        }
        let chosen = chosen(report);
        let viewport = Viewport {
            width: SIDE,
            height: SIDE,
        };
        let mut framing = Framing::new(&posed.space(), direction, Projection::default(), viewport);
        for (take, samples) in &chosen {
            for sample in samples {
                for mesh in posed.at(*take, *sample)?.meshes.iter().flatten() {
                    framing.include(&mesh.positions);
                }
            }
        }
        let mut painter = Painter {
            assets: [0, 1].map(|_| None),
            camera: framing.camera(),
            viewport,
            hottest: report.hottest(),
        };
        let mut takes = Vec::new();
        for (take, samples) in chosen {
            let frames = samples
                .into_iter()
                .map(|sample| painter.paint(posed, &posed.at(take, sample)?));
            takes.push(TakeImages {
                take,
                frames: frames.collect::<Result<_, _>>()?,
            });
        }
        Ok(Self {
            takes,
            hottest: painter.hottest,
            moving: None,
        })
    }

    /// Adds both models in motion, in about `room` bytes less what the images take.
    #[cfg_attr(not(feature = "cli"), allow(dead_code))]
    pub(crate) fn in_motion(
        self,
        report: &Report,
        posed: &PosedPairs<'_>,
        room: usize,
    ) -> Result<Self, ImageError> {
        let frames = self.takes.iter().flat_map(|take| &take.frames);
        let images = frames.flat_map(|frame| frame.models.iter().chain([&frame.heat]));
        let taken: usize = images.map(|png| png.len() / 3 * 4).sum();
        let room = room.saturating_sub(taken).max(room / 2);
        let moving = viewer::versions(report, posed, ["Before", "After"], room)?;
        Ok(Self { moving, ..self })
    }
}

/// The takes that differ most, and the samples of each, ascending.
fn chosen(report: &Report) -> Vec<(usize, Vec<usize>)> {
    let takes = report.worst_takes(MOST_TAKES);
    // Each time is posed twice on both sides: for the camera, and for the image.
    let vertices: usize = report.matched.all_vertices.iter().sum();
    let affordable = MOST_WORK / (2 * vertices).max(1);
    let mut left = affordable;
    let chosen = takes.into_iter().enumerate().map(|(rank, take)| {
        let (most, fewest) = match rank {
            0 => (MOST_OF_WORST, FEWEST),
            _ => (MOST_OF_OTHERS, 0),
        };
        let samples = report.takes[take].spread(most.min(left).max(fewest));
        left = left.saturating_sub(samples.len());
        (take, samples)
    });
    chosen.filter(|(_, samples)| !samples.is_empty()).collect()
}

/// Draws posed pairs.
struct Painter {
    /// The triangles of both sides, once known.
    assets: [Option<Asset>; 2],
    camera: Camera,
    viewport: Viewport,
    hottest: f64,
}

impl Painter {
    fn paint(
        &mut self,
        posed: &PosedPairs<'_>,
        pair: &PosedPair,
    ) -> Result<FrameImages, ImageError> {
        for side in [0, 1] {
            if self.assets[side].is_none() {
                self.assets[side] = Some(bare(&posed.triangles(side), &pair.meshes[side])?);
            }
        }
        let models = [
            self.image(pair, 0, Show::LIT)?,
            self.image(pair, 1, Show::LIT)?,
        ];
        #[expect(clippy::cast_possible_truncation, reason = "a colour")]
        let hottest = self.hottest as f32;
        let distances = Measured {
            ticks: vec![(0.0, String::new()), (hottest, String::new())],
            of_instances: pair.distances.clone(),
            ..Measured::default()
        };
        let heat = self.image(pair, 1, Show::distance(distances))?;
        Ok(FrameImages {
            time: pair.time.get(),
            models,
            heat,
        })
    }

    fn image(&self, pair: &PosedPair, side: usize, show: Show) -> Result<Vec<u8>, ImageError> {
        let Some(asset) = &self.assets[side] else {
            return Ok(Vec::new());
        };
        let style = Style {
            show,
            ..Style::default()
        };
        let frame = raster::draw(&DrawInput {
            asset,
            meshes: &pair.meshes[side],
            look: &Look::default(),
            camera: &self.camera,
            viewport: self.viewport,
            style: &style,
            max_influences: None,
        });
        Ok(png::encode_small(&frame)?)
    }
}

/// A model of the surfaces, without joints, materials and attributes.
fn bare(triangles: &[&[[u32; 3]]], meshes: &[DeformedMesh]) -> Result<Asset, AssetError> {
    let mut rig = AssetBuilder::new();
    let root = rig.node("root", None, Trs::IDENTITY);
    for (triangles, mesh) in triangles.iter().zip(meshes) {
        let mesh = rig.mesh(Mesh {
            positions: mesh.positions.clone(),
            triangles: triangles.to_vec(),
            ..Mesh::default()
        });
        rig.attach(mesh, root);
    }
    rig.build()
}

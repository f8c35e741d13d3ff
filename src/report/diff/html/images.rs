//! Images of both models by one camera, and of the distances between them.

use std::borrow::Cow;

use glam::Vec3;

use crate::closeup;
use crate::diff::{self, DiffError, PosedPair, PosedPairs, Report, Source};
use crate::frame::{FrameError, png};
use crate::overlay::{count_seen, draw_lines, draw_marks, with_legend};
use crate::raster::{self, DrawInput};
use crate::rig::{Asset, AssetError, DeformedMesh, Visibility};
use crate::units::Space;
use crate::view::{Camera, Framing, Projection, Show, Style, ViewDirection, Viewport};
use crate::viewer::{self, Packed};

/// The width and height of an image in pixels.
const SIDE: u32 = 400;
const VIEWPORT: Viewport = Viewport {
    width: SIDE,
    height: SIDE,
};

/// The most nodes without weights that are marked in an image.
const MOST_NODES: usize = 8;

/// The most takes with images.
const MOST_TAKES: usize = 5;

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
    /// Both models in motion.
    pub(super) moving: Option<[Packed; 2]>,
}

/// PNG files of one take where it differs most: before, after, and the distances.
#[derive(Debug)]
pub(super) struct TakeImages {
    /// Its index in the report.
    pub(super) take: usize,
    pub(super) images: [Vec<u8>; 3],
    /// From where they are seen.
    direction: ViewDirection,
    /// Whether nodes are marked.
    pub(super) has_marks: bool,
}

impl PageImages {
    /// Draws the takes that differ most, each at the time of its largest difference; if all are equal, one. Models have their
    /// materials; references have none. Without vertices there are no images.
    ///
    /// # Errors
    ///
    /// [`ImageError`].
    pub fn draw(report: &Report, posed: &PosedPairs<'_>) -> Result<Self, ImageError> {
        if report.matched.all_vertices.contains(&0) {
            return Ok(Self::default());
        }
        let worst = report.worst_takes(MOST_TAKES).into_iter();
        let worst = worst.filter(|take| !report.takes[*take].over_time.is_empty());
        let differs = |take: &usize| {
            let take = &report.takes[*take];
            take.verdict.differs() || take.surface.max > 0.0
        };
        let drawn_ones = worst
            .enumerate()
            .filter(|(rank, take)| *rank == 0 || differs(take));
        let space = posed.space();
        let takes = drawn_ones.map(|(_, take)| drawn(report, posed, &space, take));
        Ok(Self {
            takes: takes.collect::<Result<_, _>>()?,
            moving: None,
        })
    }

    /// Adds both models in motion, seen as in the images, in about `room` bytes less what the images take.
    #[cfg_attr(not(feature = "cli"), allow(dead_code))]
    pub(crate) fn in_motion(
        self,
        report: &Report,
        posed: &PosedPairs<'_>,
        room: usize,
    ) -> Result<Self, ImageError> {
        let images = self.takes.iter().flat_map(|take| &take.images);
        let taken: usize = images.map(|png| png.len() / 3 * 4).sum();
        let room = room.saturating_sub(taken).max(room / 2);
        let direction = |take: usize| {
            let images = self.takes.iter().find(|own| own.take == take);
            images.map_or_else(ViewDirection::default, |own| own.direction)
        };
        let moving = viewer::versions_from(report, posed, ["Before", "After"], &direction, room)?;
        Ok(Self { moving, ..self })
    }
}

/// * `space` – that of the poses.
fn drawn(
    report: &Report,
    posed: &PosedPairs<'_>,
    space: &Space,
    take: usize,
) -> Result<TakeImages, ImageError> {
    let pair = posed.at(take, report.takes[take].worst_sample())?;
    let nodes = &pair.moved[..pair.moved.len().min(MOST_NODES)];
    let origins = |side: usize| nodes.iter().map(move |node| node.origins[side]);
    let camera = |direction| {
        let mut framing = Framing::new(space, direction, Projection::default(), VIEWPORT);
        for mesh in pair.meshes.iter().flatten() {
            framing.include(&mesh.positions);
        }
        framing.include(&origins(0).chain(origins(1)).collect::<Vec<Vec3>>());
        framing.camera()
    };
    let [before, after] = &pair.meshes;
    let paths: Vec<[Vec3; 2]> = nodes.iter().map(|node| node.origins).collect();
    let both: Vec<(Vec3, &str)> = origins(0)
        .map(|at| (at, "before"))
        .chain(origins(1).map(|at| (at, "after")))
        .collect();
    let marks = |side: usize| -> Vec<(Vec3, &str)> {
        let names = nodes.iter().map(|node| node.name.as_str());
        origins(side).zip(names).collect()
    };
    let assets = [asset_of(posed, 0, before)?, asset_of(posed, 1, after)?];
    let direction = direction_of(&assets[1], after, &farthest(&pair), &camera);
    let camera = camera(direction);
    #[expect(clippy::cast_possible_truncation, reason = "a colour")]
    let hottest = report.hottest() as f32;
    let title = "distance from before";
    let distances = diff::of_range(title, report, hottest, pair.distances.clone());
    Ok(TakeImages {
        take,
        direction,
        has_marks: !nodes.is_empty(),
        images: [
            image(&assets[0], before, &camera, Show::LIT, &marks(0), &[])?,
            image(&assets[1], after, &camera, Show::LIT, &marks(1), &[])?,
            image(
                &assets[1],
                after,
                &camera,
                Show::distance(distances),
                &both,
                &paths,
            )?,
        ],
    })
}

/// The vertices after that are at least half as far as the farthest from where they were.
fn farthest(pair: &PosedPair) -> Vec<Vec3> {
    let distances = pair.distances.iter().flatten().copied();
    let largest = distances.clone().fold(0.0_f32, f32::max);
    let positions = pair.meshes[1].iter().flat_map(|mesh| &mesh.positions);
    let far = positions
        .zip(distances)
        .filter(|(_, distance)| *distance > 0.0 && *distance >= 0.5 * largest);
    far.map(|(position, _)| *position).collect()
}

/// The usual direction; or, if the body hides most of the `places` from there, the one that shows most of them, and more than
/// twice as many.
///
/// * `camera` – from a direction.
fn direction_of(
    asset: &Asset,
    meshes: &[DeformedMesh],
    places: &[Vec3],
    camera: &dyn Fn(ViewDirection) -> Camera,
) -> ViewDirection {
    let style = Style::default();
    let count = |direction: ViewDirection| {
        let camera = &camera(direction);
        let frame = raster::draw(&DrawInput {
            asset,
            meshes,
            visibility: &Visibility::default(),
            camera,
            viewport: closeup::TRIAL,
            style: &style,
            max_influences: None,
        });
        count_seen(places, camera, &frame)
    };
    let mut directions = closeup::about(ViewDirection::default()).into_iter();
    let usual = directions.next().expect("the first is the usual one");
    let seen = count(usual);
    if 2 * seen >= places.len() {
        return usual;
    }
    let others = directions.map(|direction| (count(direction), direction));
    let best = others.reduce(|best, other| if other.0 > best.0 { other } else { best });
    match best {
        Some((most, best)) if most > 2 * seen => best,
        _ => usual,
    }
}

/// The model before (0) or after (1); of a reference, its surfaces.
///
/// * `meshes` – posed.
fn asset_of<'a>(
    posed: &'a PosedPairs<'_>,
    side: usize,
    meshes: &[DeformedMesh],
) -> Result<Cow<'a, Asset>, AssetError> {
    match posed.source(side).0 {
        Source::Model(asset) => Ok(Cow::Borrowed(&**asset)),
        Source::Reference(_) => viewer::bare(&posed.triangles(side), meshes).map(Cow::Owned),
    }
}

fn image(
    asset: &Asset,
    meshes: &[DeformedMesh],
    camera: &Camera,
    show: Show,
    marks: &[(Vec3, &str)],
    paths: &[[Vec3; 2]],
) -> Result<Vec<u8>, FrameError> {
    let style = Style {
        show,
        ..Style::default()
    };
    let mut frame = raster::draw(&DrawInput {
        asset,
        meshes,
        visibility: &Visibility::default(),
        camera,
        viewport: VIEWPORT,
        style: &style,
        max_influences: None,
    });
    draw_lines(paths, camera, &mut frame);
    draw_marks(marks, &[], camera, &mut frame);
    match style.show.legend(asset) {
        Some(legend) => png::encode_small(&with_legend(&frame, &legend)),
        None => png::encode_small(&frame),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{AssetBuilder, InstanceId, Mesh, Trs};

    #[test]
    fn images_are_drawn_from_where_the_differences_are_seen() {
        let corners = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
        let positions = corners.map(|[x, y]| Vec3::new(x, y, 0.0));
        let mut rig = AssetBuilder::new();
        let mesh = rig.mesh(Mesh {
            positions: positions.to_vec(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..Mesh::default()
        });
        let node = rig.node("wall", None, Trs::IDENTITY);
        rig.attach(mesh, node);
        let asset = rig.build().expect("it is whole");
        let meshes = [DeformedMesh {
            instance: InstanceId::from_index(0),
            positions: positions.to_vec(),
            normals: vec![Vec3::Z; 4],
            tangents: Vec::new(),
            bitangents: Vec::new(),
        }];
        let camera = |direction| {
            let mut framing =
                Framing::new(&asset.space, direction, Projection::default(), VIEWPORT);
            framing.include(&positions);
            framing.camera()
        };
        let usual = camera(ViewDirection::default()).eye();
        let eye = |depth: f32| {
            let places = [Vec3::new(0.0, 0.0, depth)];
            camera(direction_of(&asset, &meshes, &places, &camera)).eye()
        };
        assert!(usual.z > 0.0, "{usual}");
        assert_eq!(eye(0.1), usual);
        assert!(eye(-0.1).z < 0.0);
    }
}

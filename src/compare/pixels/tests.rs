//! What is called sure is so, however the vertices move within their bounds.

use glam::{DVec2, DVec3, DVec4, Mat4, Vec3};
use proptest::prelude::*;

use super::class::{BACKGROUND, Classes, MOST_SAMPLES};
use super::surfaces::Surfaces;
use super::*;
use crate::compare::Known;
use crate::rig::{LocalTransform, Mesh, MeshId, MeshInstance, Node, NodeId, Skeleton, Trs};
use crate::units::law::holds;

const SIZE: u32 = 24;
const VIEWPORT: Viewport = Viewport {
    width: SIZE,
    height: SIZE,
};

/// In the world, of whose -1..1 the image shows all: a third of a pixel.
const BOUND: f64 = 2.0 / 24.0 / 3.0;

/// Triangles, and how their corners are moved in parts of the bound.
#[derive(Debug, Clone)]
struct Soup {
    corners: Vec<DVec3>,
    moves: Vec<DVec3>,
}

fn soups() -> impl Strategy<Value = Soup> {
    let axis = || (-40..=40_i32).prop_map(|k| f64::from(k) / 32.0);
    let corner = (axis(), axis(), -0.8..0.8_f64).prop_map(|(x, y, z)| DVec3::new(x, y, z));
    let direction = prop::array::uniform3(-1.0..1.0_f64).prop_map(DVec3::from);
    let corners = prop::collection::vec([corner.clone(), corner.clone(), corner], 1..5);
    let moves = prop::collection::vec(direction, 12);
    (corners, moves).prop_map(|(corners, moves)| Soup {
        corners: corners.into_iter().flatten().collect(),
        moves: moves.into_iter().map(DVec3::normalize_or_zero).collect(),
    })
}

impl Soup {
    /// Every triangle a mesh of its own.
    fn asset(&self) -> Asset {
        let mesh = |corners: &[DVec3]| Mesh {
            positions: corners.iter().map(|corner| corner.as_vec3()).collect(),
            triangles: vec![[0, 1, 2]],
            ..Mesh::default()
        };
        let meshes: Vec<Mesh> = self.corners.chunks_exact(3).map(mesh).collect();
        let instance = |index| MeshInstance::rigid(NodeId(0), MeshId::from_index(index));
        let root = Node {
            name: String::new(),
            parent: None,
            rest: LocalTransform::Trs(Trs::IDENTITY),
        };
        Asset {
            instances: (0..meshes.len()).map(instance).collect(),
            meshes,
            ..Asset::of(Skeleton::new(vec![root]).unwrap())
        }
    }

    fn truth(&self, bound: f64) -> Vec<MeshTruth> {
        let mesh = |(index, corners): (usize, &[DVec3])| MeshTruth {
            instance: InstanceId::from_index(index),
            positions: Known {
                values: corners.to_vec(),
                bounds: vec![bound; 3],
            },
            normals: Known::default(),
            tangents: Known::default(),
            bitangents: Known::default(),
        };
        self.corners.chunks_exact(3).enumerate().map(mesh).collect()
    }

    /// What each sample shows when every corner has moved as far as it may.
    fn draw(&self, camera: &Camera, samples: &[DVec2; 4]) -> Vec<[u32; MOST_SAMPLES]> {
        let moved = self.corners.iter().zip(&self.moves);
        let clip_from_world = camera.clip_from_world().as_dmat4();
        let moved = moved.map(|(corner, by)| clip_from_world * (*corner + *by * BOUND).extend(1.0));
        let corners: Vec<DVec3> = moved.map(on_screen).collect();
        let pixels = (0..SIZE * SIZE).map(|k| DVec2::new(f64::from(k % SIZE), f64::from(k / SIZE)));
        let sample = |at: DVec2| nearest(&corners, at);
        pixels
            .map(|pixel| samples.map(|s| sample(pixel + 0.5 + s)))
            .collect()
    }
}

fn on_screen(clip: DVec4) -> DVec3 {
    let ndc = clip.truncate() / clip.w;
    let size = f64::from(SIZE);
    DVec3::new(
        (ndc.x * 0.5 + 0.5) * size,
        (0.5 - ndc.y * 0.5) * size,
        ndc.z,
    )
}

/// The triangle that is seen at a place, counted from 1; the background is 0.
fn nearest(corners: &[DVec3], at: DVec2) -> u32 {
    let depths = corners
        .chunks_exact(3)
        .enumerate()
        .filter_map(|(index, corners)| {
            let position = |k: usize| corners[k % 3].truncate() - at;
            let weights = [0, 1, 2].map(|k| position(k + 1).perp_dot(position(k + 2)));
            let same = |sign: f64| weights.iter().all(|weight| weight * sign > 0.0);
            let inside = same(1.0) || same(-1.0);
            let depths = corners.iter().zip(weights);
            let depth = depths
                .map(|(corner, weight)| corner.z * weight)
                .sum::<f64>();
            let depth = depth / weights.iter().sum::<f64>();
            inside.then_some((depth, u32::try_from(index).unwrap() + 1))
        });
    let nearest = depths.min_by(|a, b| a.0.total_cmp(&b.0));
    nearest.map_or(BACKGROUND, |(_, index)| index)
}

fn camera(perspective: bool) -> Camera {
    let depth = Mat4::from_scale(Vec3::new(1.0, 1.0, -1.0));
    let skewed = Mat4::from_cols_array_2d(&[
        [1.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0],
        [0.0, 0.0, -1.0, -0.4],
        [0.0, 0.0, 0.0, 1.0],
    ]);
    Camera {
        view_from_world: Mat4::IDENTITY,
        clip_from_view: if perspective { skewed } else { depth },
    }
}

/// Under test: what is known of each pixel.
type Classify = fn(&Soup, &Camera) -> Classes;

fn with(soup: &Soup, camera: &Camera, bound: f64, change: fn(&mut Surfaces<'_>)) -> Classes {
    let (asset, truth) = (soup.asset(), soup.truth(bound));
    let style = Style::default();
    let mut surfaces = surfaces::surfaces(&Drawn {
        asset: &asset,
        truth: &truth,
        camera,
        viewport: VIEWPORT,
        style: &style,
        snap: 0.0,
    });
    // Without normals, light is never sure in the presence of such bounds.
    surfaces
        .triangles
        .iter_mut()
        .for_each(|triangle| triangle.rotation = 0.0);
    change(&mut surfaces);
    classify(&surfaces, VIEWPORT, &STANDARD)
}

const REAL: Classify = |soup, camera| with(soup, camera, BOUND, |_| {});

fn check(law: impl Fn(Soup) -> Result<(), TestCaseError>) -> Result<(), String> {
    holds(&soups(), law)
}

/// However the corners move, a pixel that is not open shows what it was said to show.
fn certain_pixels_are_right(classify: Classify) -> Result<(), String> {
    check(|soup| {
        for camera in [camera(false), camera(true)] {
            let classes = classify(&soup, &camera);
            let drawn = soup.draw(&camera, &STANDARD);
            for (index, (pixel, drawn)) in classes.pixels.iter().zip(drawn).enumerate() {
                let kept = pixel.class == PixelClass::Open || pixel.groups == drawn;
                prop_assert!(kept, "pixel {}: {:?} != {:?}", index, pixel, drawn);
            }
        }
        Ok(())
    })
}

#[test]
fn certain_pixels_stay_right_wherever_corners_are_within_their_bounds() {
    certain_pixels_are_right(REAL).unwrap();
}

#[test]
fn pixels_that_are_wrongly_called_sure_are_caught() {
    let half: Classify = |soup, camera| with(soup, camera, 0.5 * BOUND, |_| {});
    let no_outline: Classify = |soup, camera| {
        with(soup, camera, BOUND, |surfaces| {
            surfaces
                .triangles
                .iter_mut()
                .for_each(|triangle| triangle.radius = 0.0);
        })
    };
    let forgotten: Classify = |soup, camera| {
        with(soup, camera, BOUND, |surfaces| {
            surfaces.triangles.pop();
        })
    };
    let clipped: Classify =
        |soup, camera| with(soup, camera, BOUND, |surfaces| surfaces.veils.clear());
    let faults = [half, no_outline, forgotten, clipped];
    for (index, fault) in faults.into_iter().enumerate() {
        assert!(certain_pixels_are_right(fault).is_err(), "{index}");
    }
}

/// Pixels are open for a reason: one that the outlines of no triangle come near, and where depths are far apart, is not.
fn open_pixels_are_near_an_edge(classify: Classify) -> Result<(), String> {
    check(|soup| {
        let camera = camera(false);
        let classes = classify(&soup, &camera);
        let near = |position: DVec2| {
            let corners: Vec<DVec2> = soup
                .corners
                .iter()
                .map(|c| on_screen(camera.clip_from_world().as_dmat4() * c.extend(1.0)).truncate())
                .collect();
            corners
                .chunks_exact(3)
                .any(|t| (0..3).any(|k| distance(t[k], t[(k + 1) % 3], position) < 0.75 + 0.5))
        };
        // With one triangle there are no depths to part.
        if soup.corners.len() > 3 {
            return Ok(());
        }
        for (index, pixel) in (0..).zip(&classes.pixels) {
            let position = DVec2::new(f64::from(index % SIZE), f64::from(index / SIZE)) + 0.5;
            prop_assert!(
                pixel.class != PixelClass::Open || near(position),
                "pixel {}",
                index
            );
        }
        Ok(())
    })
}

fn distance(a: DVec2, b: DVec2, position: DVec2) -> f64 {
    let (side, to) = (b - a, position - a);
    let length = side.length_squared();
    let along = if length > 0.0 {
        (to.dot(side) / length).clamp(0.0, 1.0)
    } else {
        0.0
    };
    (to - side * along).length()
}

#[test]
fn pixels_are_open_near_outlines_alone() {
    open_pixels_are_near_an_edge(REAL).unwrap();
    let all: Classify = |soup, camera| {
        with(soup, camera, BOUND, |surfaces| {
            surfaces.veils.push([0, 0, 24, 24]);
        })
    };
    assert!(open_pixels_are_near_an_edge(all).is_err());
    let far: Classify = |soup, camera| with(soup, camera, 6.0 * BOUND, |_| {});
    assert!(open_pixels_are_near_an_edge(far).is_err());
}

#[test]
fn images_without_pixels_agree_and_those_of_another_size_are_refused() {
    let empty = Frame {
        width: 0,
        height: 0,
        rgba: vec![],
        depth: vec![],
    };
    let soup = Soup {
        corners: vec![],
        moves: vec![],
    };
    let (asset, style, camera) = (soup.asset(), Style::default(), camera(false));
    let compare = |width, height| {
        let drawn = Drawn {
            asset: &asset,
            truth: &[],
            camera: &camera,
            viewport: Viewport { width, height },
            style: &style,
            snap: Drawn::SNAP,
        };
        pixels(&empty, &empty, &drawn)
    };
    assert!(compare(0, 0).unwrap().report.agrees());
    assert!(matches!(compare(4, 0), Err(PixelError::Size { .. })));
}

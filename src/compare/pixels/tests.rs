//! What is called sure is so, however the vertices move within their bounds.

use glam::{DVec2, DVec3, DVec4, Mat4, Vec3, Vec4};
use proptest::prelude::*;

use super::class::{BACKGROUND, Classes, MOST_SAMPLES};
use super::surfaces::Surfaces;
use super::*;
use crate::compare::Known;
use crate::rig::{LocalTransform, Look, Mesh, MeshId, MeshInstance, Node, NodeId, Skeleton, Trs};
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

fn with(
    soup: &Soup,
    camera: &Camera,
    bound: f64,
    change: impl FnOnce(&mut Surfaces<'_>),
) -> Classes {
    let (asset, truth) = (soup.asset(), soup.truth(bound));
    let style = Style::default();
    let look = Look::default();
    let mut surfaces = surfaces::surfaces(&Drawn {
        asset: &asset,
        truth: &truth,
        look: &look,
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

/// A triangle that covers the middle of the image.
fn large() -> Soup {
    let corners = [(-0.9, -0.9), (0.9, -0.9), (0.0, 0.9)];
    Soup {
        corners: corners.map(|(x, y)| DVec3::new(x, y, 0.0)).to_vec(),
        moves: vec![],
    }
}

#[test]
fn pixels_of_unknown_light_are_open() {
    let classes = |rotation: fn(&mut Surfaces<'_>)| with(&large(), &camera(false), 1e-6, rotation);
    let whole = |classes: &Classes| {
        let mut pixels = classes.pixels.iter();
        pixels.any(|pixel| pixel.class == PixelClass::Whole)
    };
    assert!(whole(&classes(|_| {})));
    let unknown = classes(|surfaces| surfaces.triangles[0].rotation = f64::INFINITY);
    assert!(!whole(&unknown));
}

#[test]
fn light_is_unknown_where_normals_may_be_on_either_side() {
    let rotation = |normals: [DVec3; 3]| {
        let soup = large();
        let (mut asset, mut truth) = (soup.asset(), soup.truth(1e-9));
        asset.meshes[0].normals = normals.map(DVec3::as_vec3).to_vec();
        truth[0].normals = Known {
            values: normals.to_vec(),
            bounds: vec![1e-6; 3],
        };
        let (camera, style) = (camera(false), Style::default());
        let look = Look::default();
        let surfaces = surfaces::surfaces(&Drawn {
            asset: &asset,
            truth: &truth,
            look: &look,
            camera: &camera,
            viewport: VIEWPORT,
            style: &style,
            snap: 0.0,
        });
        surfaces.triangles[0].rotation
    };
    assert!(rotation([DVec3::Z; 3]).is_finite());
    assert!(rotation([DVec3::X; 3]).is_infinite());
    let [near, far] = [0.3, -0.6].map(|z: f64| DVec3::new((1.0 - z * z).sqrt(), 0.0, z));
    assert!(rotation([near, far, near]).is_infinite());
}

#[test]
fn depths_are_within_those_of_the_corners() {
    let corner = |x, y, depth| super::triangle::OnScreen {
        at: DVec2::new(x, y),
        radius: 0.0,
        depth,
        depth_error: 0.0,
        w: 1.0,
        is_behind: false,
    };
    let corners = [
        corner(0.0, 0.0, 0.2),
        corner(8.0, 0.0, 0.2),
        corner(0.0, 8.0, 0.8),
    ];
    let triangle = triangle::Triangle::new(corners, 16.0);
    let at = |y| triangle.depth_at(DVec2::new(1.0, y));
    // The nearest before the first corner, the farthest behind the last one.
    for (depth, expected) in [
        (at(-8.0)[0], 0.2),
        (at(4.0)[0], 0.5),
        (at(4.0)[1], 0.5),
        (at(16.0)[1], 0.8),
    ] {
        assert!((depth - expected).abs() < 1e-5, "{depth} {expected}");
    }
}

#[test]
fn the_allowance_of_a_pixel_follows_its_class_and_the_light_around_it() {
    let pixel = |class, shift| super::class::Pixel {
        class,
        doubt: super::class::Doubt {
            shift,
            rotation: 0.0,
        },
        ..super::class::Pixel::default()
    };
    let at = |rgba: [[u8; 4]; 4], shift| {
        let frame = Frame {
            width: 2,
            height: 2,
            rgba: rgba.concat(),
            depth: vec![],
        };
        let [whole, open] = [PixelClass::Whole, PixelClass::Open].map(|class| pixel(class, shift));
        let classes = Classes {
            width: 2,
            pixels: vec![whole, super::class::Pixel::default(), open, whole],
        };
        let allowances = super::texels::Allowances::new(&frame, &classes);
        [(0, 0), (1, 0), (0, 1), (1, 1)].map(|(x, y)| allowances.at(x, y, Vec4::ZERO)[0].up)
    };
    let even = [[10, 20, 30, 255]; 4];
    assert_eq!(at(even, 0.25), [1, 0, 255, 1]);
    let mut dotted = even;
    dotted[0][0] = 20;
    let [_, _, _, up] = at(dotted, 0.25);
    assert!((2..=30).contains(&up), "{up}");
}

#[test]
fn pixels_that_show_something_are_those_not_empty() {
    let counts = ClassCounts {
        empty: 1,
        whole: 2,
        mixed: 3,
        open: 4,
    };
    assert_eq!(counts.drawn(), 9);
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
            look: &Look::default(),
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

#[test]
fn the_worst_pixel_is_named_with_its_column_and_row() {
    let corner = |x, y| DVec3::new(x, y, 0.0);
    let soup = Soup {
        corners: vec![corner(-4.0, -4.0), corner(4.0, -4.0), corner(0.0, 8.0)],
        moves: vec![DVec3::ZERO; 3],
    };
    let (asset, truth, camera) = (soup.asset(), soup.truth(0.0), camera(false));
    let style = Style::default();
    let drawn = Drawn {
        asset: &asset,
        truth: &truth,
        look: &Look::default(),
        camera: &camera,
        viewport: VIEWPORT,
        style: &style,
        snap: 0.0,
    };
    let first = Frame {
        width: SIZE,
        height: SIZE,
        rgba: [100, 100, 100, 255].repeat((SIZE * SIZE) as usize),
        depth: Vec::new(),
    };
    let mut second = first.clone();
    for (x, y, code) in [(3, 5, 120), (17, 9, 200)] {
        second.rgba[4 * (y * SIZE + x) as usize] = code;
    }
    let report = pixels(&first, &second, &drawn).unwrap().report;
    let worst = report.worst.expect("two pixels differ");
    assert_eq!((report.wrong, worst.x, worst.y), (2, 17, 9));
    assert_eq!((worst.first[0], worst.second[0]), (100, 200));
}

#[test]
fn triangles_outside_of_the_image_are_left_out() {
    let corner = |x, y| DVec3::new(x, y, 0.0);
    for (x, y) in [(3.0, 0.0), (-3.0, 0.0), (0.0, 3.0), (0.0, -3.0)] {
        let soup = Soup {
            corners: vec![corner(x, y), corner(x + 0.5, y), corner(x, y + 0.5)],
            moves: vec![DVec3::ZERO; 3],
        };
        with(&soup, &camera(false), 0.0, |surfaces| {
            assert!(surfaces.triangles.is_empty());
        });
    }
}

#[test]
fn the_winding_of_a_triangle_is_sure_unless_it_is_a_sliver() {
    let corner = |x, y| DVec3::new(x, y, 0.0);
    for (height, is_sure) in [(0.9, true), (0.01, false)] {
        let soup = Soup {
            corners: vec![corner(-0.5, 0.0), corner(0.5, 0.0), corner(0.0, height)],
            moves: vec![DVec3::ZERO; 3],
        };
        with(&soup, &camera(false), BOUND / 8.0, |surfaces| {
            let triangle = &surfaces.triangles[0];
            assert_eq!(triangle.has_sure_winding(), is_sure, "{height}");
        });
    }
}

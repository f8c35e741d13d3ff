//! The flags that select a pose and how it is skinned. The numbers of `bake` are compared with positions computed here.

mod files;
mod playback;
mod sources;
mod weights;

use serde_json::Value;

use crate::program::{Run, skincheck};

type Point = [f64; 3];

/// The rounding to f32 of points within 5 units, several times over.
const NEAR: f64 = 1e-5;

/// The output of `bake`.
struct Baked {
    document: Value,
    run: Run,
}

/// Bakes to standard output.
#[track_caller]
fn bake(line: &str) -> Baked {
    let run = run(line).ok();
    let document = run.json();
    Baked { document, run }
}

fn run(line: &str) -> Run {
    skincheck(&format!("bake {line} -o -"))
}

/// Must fail with exit code 2, print nothing to standard output, and mention all of `words`.
#[track_caller]
fn refuses(line: &str, words: &[&str]) {
    let run = run(line);
    run.exits(2);
    assert!(run.stdout.is_empty(), "{line}");
    for word in words {
        run.says(word);
    }
}

impl Baked {
    /// The vertices of the only mesh.
    fn points(&self) -> Vec<Point> {
        let meshes = self.document["meshes"].as_array();
        let [mesh] = meshes.expect("meshes are a list").as_slice() else {
            panic!("not one mesh");
        };
        let points = mesh["positions"].as_array().expect("so are positions");
        let number = |value: &Value| value.as_f64().expect("a coordinate is a number");
        let point = |point: &Value| [0, 1, 2].map(|axis| number(&point[axis]));
        points.iter().map(point).collect()
    }

    /// Seconds; `None` for a pose without a clip.
    fn time(&self) -> Option<f64> {
        self.document["time"].as_f64()
    }

    /// Asserts that this is the arm of `model` at rest with `position` applied to every vertex, and without a warning.
    #[track_caller]
    fn is_arm(&self, model: &str, position: impl Fn(Point) -> Point) {
        assert_eq!(self.run.stderr, "");
        let rest = bake(&format!("{model} --pose rest")).points();
        assert_eq!(rest.len(), 24);
        assert_near(&self.points(), rest.into_iter().map(position));
    }
}

#[track_caller]
fn assert_near(actual: &[Point], expected: impl IntoIterator<Item = Point>) {
    let expected: Vec<Point> = expected.into_iter().collect();
    assert_eq!(actual.len(), expected.len());
    for (vertex, (actual, expected)) in actual.iter().zip(&expected).enumerate() {
        let off = [0, 1, 2].map(|axis| (actual[axis] - expected[axis]).abs());
        let near = off.iter().all(|off| *off < NEAR);
        assert!(near, "vertex {vertex}: {actual:?} is not {expected:?}");
    }
}

/// Rotates about the parallel to the z axis through (0, `pivot`).
fn rotated([x, y, z]: Point, pivot: f64, degrees: f64) -> Point {
    let (sin, cos) = degrees.to_radians().sin_cos();
    let y = y - pivot;
    [cos * x - sin * y, pivot + sin * x + cos * y, z]
}

fn blend<const N: usize>(shares: [f64; N], positions: [Point; N]) -> Point {
    let along = |axis: usize| {
        shares
            .iter()
            .zip(&positions)
            .map(|(share, position)| share * position[axis])
            .sum()
    };
    [0, 1, 2].map(along)
}

/// The weights of shoulder, elbow and wrist at each height of the arm.
fn shares([_, height, _]: Point) -> [f64; 3] {
    match height {
        0.0 => [1.0, 0.0, 0.0],
        0.5 => [0.75, 0.25, 0.0],
        1.0 => [0.5, 0.5, 0.0],
        1.5 => [0.0, 0.75, 0.25],
        2.0 => [0.0, 0.5, 0.5],
        2.5 => [0.0, 0.0, 1.0],
        _ => panic!("the arm has no ring at {height}"),
    }
}

/// A vertex of the arm with elbow and wrist rotated about z by this many degrees.
fn bent(point: Point, [elbow, wrist]: [f64; 2]) -> Point {
    let by_elbow = rotated(point, 1.0, elbow);
    let by_wrist = rotated(rotated(point, 2.0, wrist), 1.0, elbow);
    blend(shares(point), [point, by_elbow, by_wrist])
}

/// The clip `Bend` of one second, at `time`.
fn bending(time: f64) -> impl Fn(Point) -> Point {
    move |point| bent(point, [90.0 * time, -45.0 * time])
}

//! The options on weights.

use super::{NEAR, Point, assert_near, bake, bending, bent, refuses, rotated};

/// The sum of a vertex's weights, which alternates from ring to ring.
fn sum([_, height, _]: Point) -> f64 {
    match height {
        0.0 | 1.5 => 0.5,
        0.5 | 2.0 => 2.0,
        1.0 | 2.5 => 3.0,
        _ => panic!("the arm has no ring at {height}"),
    }
}

#[test]
fn weights_are_divided_by_their_sum_unless_requested_as_stored() {
    let model = "unnormalized_weights.gltf";
    for flags in ["", " --engine file"] {
        bake(&format!("{model} --time 0.5{flags}")).is_arm(model, bending(0.5));
    }
    let as_is = |point| bent(point, [45.0, -22.5]).map(|along| sum(point) * along);
    bake(&format!("{model} --time 0.5 --engine file:weights=as-is")).is_arm(model, as_is);
}

/// The weight of each joint of the ribbon in 64ths, from its lowest row up.
const ALL: [[f64; 8]; 8] = [
    [42.0, 15.0, 6.0, 1.0, 0.0, 0.0, 0.0, 0.0],
    [22.0, 20.0, 15.0, 6.0, 1.0, 0.0, 0.0, 0.0],
    [7.0, 15.0, 20.0, 15.0, 6.0, 1.0, 0.0, 0.0],
    [1.0, 6.0, 15.0, 20.0, 15.0, 6.0, 1.0, 0.0],
    [0.0, 1.0, 6.0, 15.0, 20.0, 15.0, 6.0, 1.0],
    [0.0, 0.0, 1.0, 6.0, 15.0, 20.0, 15.0, 7.0],
    [0.0, 0.0, 0.0, 1.0, 6.0, 15.0, 20.0, 22.0],
    [0.0, 0.0, 0.0, 0.0, 1.0, 6.0, 15.0, 42.0],
];

/// The three largest of each row of [`ALL`].
const THREE: [[f64; 8]; 8] = [
    [42.0, 15.0, 6.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [22.0, 20.0, 15.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 15.0, 20.0, 15.0, 0.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 15.0, 20.0, 15.0, 0.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 15.0, 20.0, 15.0, 0.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 15.0, 20.0, 15.0, 0.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 15.0, 20.0, 22.0],
    [0.0, 0.0, 0.0, 0.0, 0.0, 6.0, 15.0, 42.0],
];

/// The largest of each row of [`ALL`].
const ONE: [usize; 8] = [0, 0, 2, 3, 4, 5, 7, 7];

/// `point` moved by joint `joint` of the curled ribbon. Each joint is 0.25 above its parent and rotated by 20° relative
/// to it, except for the first.
fn carried(point: Point, joint: u8) -> Point {
    let pivots = (1..=joint).rev().map(|joint| 0.25 * f64::from(joint));
    pivots.fold(point, |point, pivot| rotated(point, pivot, 20.0))
}

/// Weights are divided by their sum.
fn curled(point: Point, shares: [f64; 8]) -> Point {
    let mut position = [0.0; 3];
    for (joint, share) in (0..).zip(shares) {
        let carried = carried(point, joint);
        let share = share / shares.iter().sum::<f64>();
        position = [0, 1, 2].map(|axis| position[axis] + share * carried[axis]);
    }
    position
}

#[track_caller]
fn assert_curled(flags: &str, shares: impl Fn(usize) -> [f64; 8]) {
    let rest = bake("eight_influences.gltf --pose rest").points();
    assert_eq!(rest.len(), 16);
    let is_at = |height: f64, row: u8| (0.25 * f64::from(row) - height).abs() < NEAR;
    let row = |[_, height, _]: Point| (0..8).position(|row| is_at(height, row));
    let expected = rest.iter().map(|point| {
        let row = row(*point).expect("rows are a quarter apart");
        curled(*point, shares(row))
    });
    let baked = bake(&format!("eight_influences.gltf --time 1{flags}"));
    assert_near(&baked.points(), expected);
}

#[test]
fn all_influences_count_unless_there_is_a_limit() {
    assert_curled("", |row| ALL[row]);
    assert_curled(" --engine file:influences=7", |row| ALL[row]);
    assert_curled(" --engine file:influences=4294967295", |row| ALL[row]);
}

#[test]
fn a_limit_keeps_the_largest_influences_and_makes_them_the_whole() {
    assert_curled(" --engine file:influences=3", |row| THREE[row]);
    assert_curled(" --engine file:influences=1", |row| {
        let mut shares = [0.0; 8];
        shares[ONE[row]] = 1.0;
        shares
    });
}

#[test]
fn a_limit_of_no_influence_is_refused() {
    refuses(
        "eight_influences.gltf --engine file:influences=0",
        &["--engine", "influences=N"],
    );
    refuses(
        "eight_influences.gltf --engine file:weights=halved",
        &["--engine", "as-is"],
    );
}

/// Keeps the first `most` joints that have a weight.
fn first(row: [f64; 8], most: usize) -> [f64; 8] {
    let mut read = 0;
    row.map(|weight| {
        read += usize::from(weight != 0.0);
        if read <= most { weight } else { 0.0 }
    })
}

#[test]
fn an_engine_reads_the_first_influences_or_the_largest_or_all() {
    assert_curled(" --engine three", |row| first(ALL[row], 4));
    assert_curled(" --engine unity:influences=3", |row| THREE[row]);
    assert_curled(" --engine babylon", |row| ALL[row]);
}

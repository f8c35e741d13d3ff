use glam::{DVec3, Vec3};
use proptest::prelude::*;

use super::*;
use crate::compare::Culprit;
use crate::units::law::holds;

/// Under test: whether two paths agree, and if not, which is wrong.
type Judge = fn(&[DeformedMesh], &[DeformedMesh], &[MeshTruth]) -> Result<(), Option<Culprit>>;

const REAL: Judge = |first, second, truth| {
    let report = vertices(first, second, truth);
    if report.agrees() {
        Ok(())
    } else {
        Err(report.positions.culprit())
    }
};

/// Two meshes, and how two paths are off in them, in parts of the bound.
#[derive(Debug, Clone)]
struct Case {
    truth: Vec<MeshTruth>,
    off: [Vec<f64>; 2],
}

/// Powers of two, so that what is off by a part of the bound is so exactly.
const BOUND: f64 = 1.0 / 1024.0;

fn cases() -> impl Strategy<Value = Case> {
    let position = prop::array::uniform3(-64..64_i32).prop_map(|p| DVec3::from(p.map(f64::from)));
    let vertex = (position, -1.0..1.0_f64, -1.0..1.0_f64);
    prop::collection::vec(vertex, 2..150).prop_map(|vertices| {
        let positions: Vec<DVec3> = vertices.iter().map(|vertex| vertex.0).collect();
        let (left, right) = positions.split_at(positions.len() / 2);
        let mesh = |(index, values): (usize, &[DVec3])| MeshTruth {
            instance: InstanceId::from_index(index),
            positions: Known {
                values: values.to_vec(),
                bounds: vec![BOUND; values.len()],
            },
            normals: Known::default(),
            tangents: Known::default(),
            bitangents: Known::default(),
        };
        Case {
            truth: [left, right].into_iter().enumerate().map(mesh).collect(),
            off: [
                vertices.iter().map(|vertex| vertex.1).collect(),
                vertices.iter().map(|vertex| vertex.2).collect(),
            ],
        }
    })
}

impl Case {
    /// What path `path` made.
    fn meshes(&self, path: usize) -> Vec<DeformedMesh> {
        let mut off = self.off[path].iter();
        let mesh = |truth: &MeshTruth| DeformedMesh {
            instance: truth.instance,
            positions: truth
                .positions
                .values
                .iter()
                .map(|exact| moved(*exact, *off.next().expect("one a vertex")))
                .collect(),
            normals: vec![],
            tangents: vec![],
            bitangents: vec![],
        };
        self.truth.iter().map(mesh).collect()
    }

    fn judge(&self, judge: Judge) -> Result<(), Option<Culprit>> {
        judge(&self.meshes(0), &self.meshes(1), &self.truth)
    }
}

fn moved(exact: DVec3, parts: f64) -> Vec3 {
    // Rounded towards the exact place, to a grid that f32 holds.
    let grid = 1.0 / 65536.0;
    (exact + DVec3::X * (parts * BOUND / grid).trunc() * grid).as_vec3()
}

fn check(law: impl Fn(Case) -> Result<(), TestCaseError>) -> Result<(), String> {
    holds(&cases(), law)
}

/// What rounding explains is agreement, and one vertex that it does not is none, whichever path it is in.
fn the_wrong_one_is_named(judge: Judge) -> Result<(), String> {
    check(|case| {
        prop_assert_eq!(case.judge(judge), Ok(()));
        let wrong = [Some(Culprit::First), Some(Culprit::Second)];
        for (path, culprit) in wrong.into_iter().enumerate() {
            for off in [1.5, -2.0, 1e6, f64::NAN] {
                let mut case = case.clone();
                let last = case.off[path].len() - 1;
                case.off[path][last] = off;
                prop_assert_eq!(case.judge(judge), Err(culprit));
            }
        }
        let mut both = case;
        both.off[0][0] = 3.0;
        both.off[1][0] = 3.0;
        prop_assert_eq!(both.judge(judge), Err(Some(Culprit::Both)));
        Ok(())
    })
}

#[test]
fn vertices_out_of_their_bound_are_seen_and_their_path_is_named() {
    the_wrong_one_is_named(REAL).unwrap();
}

/// Judges by distances alone.
fn by_distance(
    judge: impl Fn(&[f64]) -> bool,
    first: &[DeformedMesh],
    second: &[DeformedMesh],
) -> Result<(), Option<Culprit>> {
    let positions = |meshes: &[DeformedMesh]| -> Vec<Vec3> {
        meshes
            .iter()
            .flat_map(|mesh| mesh.positions.clone())
            .collect()
    };
    let (first, second) = (positions(first), positions(second));
    let pairs = first.iter().zip(&second);
    let distances: Vec<f64> = pairs.map(|(a, b)| f64::from(a.distance(*b))).collect();
    if judge(&distances) {
        Ok(())
    } else {
        Err(Some(Culprit::Second))
    }
}

#[test]
fn judges_that_miss_something_are_caught() {
    let twice: Judge =
        |first, second, _| by_distance(|all| all.iter().all(|d| *d <= 2.0 * BOUND), first, second);
    let mean: Judge = |first, second, _| {
        #[expect(clippy::cast_precision_loss, reason = "numbers of a test")]
        let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
        by_distance(|all| mean(all) <= BOUND, first, second)
    };
    let tolerant: Judge = |first, second, truth| {
        let mut truth = truth.to_vec();
        let bounds = truth.iter_mut().flat_map(|mesh| &mut mesh.positions.bounds);
        bounds.for_each(|bound| *bound *= 2.0);
        REAL(first, second, &truth)
    };
    let first_mesh: Judge = |first, second, truth| REAL(first, second, &truth[..1]);
    let always_second: Judge =
        |first, second, truth| REAL(first, second, truth).map_err(|_| Some(Culprit::Second));
    for (index, judge) in [twice, mean, tolerant, first_mesh, always_second]
        .iter()
        .enumerate()
    {
        assert!(the_wrong_one_is_named(*judge).is_err(), "{index}");
    }
}

fn one(values: &[DVec3], bound: f64) -> Vec<MeshTruth> {
    let known = Known {
        values: values.to_vec(),
        bounds: vec![bound; values.len()],
    };
    vec![MeshTruth {
        instance: InstanceId(0),
        positions: known.clone(),
        normals: known,
        tangents: Known::default(),
        bitangents: Known::default(),
    }]
}

fn made(values: &[Vec3]) -> Vec<DeformedMesh> {
    vec![DeformedMesh {
        instance: InstanceId(0),
        positions: values.to_vec(),
        normals: values.to_vec(),
        tangents: vec![],
        bitangents: vec![],
    }]
}

#[test]
fn the_report_names_the_worst_vertex_and_what_is_right() {
    let truth = one(&[DVec3::ZERO, DVec3::X, DVec3::Y], BOUND);
    let right = made(&[Vec3::ZERO, Vec3::X, Vec3::Y]);
    let wrong = made(&[Vec3::ZERO, Vec3::X * 1.25, Vec3::Y * 1.125]);
    let report = vertices(&right, &wrong, &truth);
    let worst = report.positions.worst.unwrap();
    assert_eq!(
        (worst.vertex, worst.exact, worst.distance),
        (1, DVec3::X, 0.25)
    );
    assert_eq!(worst.culprit, Some(Culprit::Second));
    assert_eq!(
        report.positions.wrong,
        WrongCounts {
            first: 0,
            second: 2
        }
    );
    assert!((report.relative() - 0.25 / 2_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn a_vertex_or_mesh_that_is_missing_is_infinitely_wrong() {
    let truth = one(&[DVec3::X, DVec3::Y], 1.0);
    let whole = made(&[Vec3::X, Vec3::Y]);
    for lacking in [made(&[Vec3::X]), vec![]] {
        let report = vertices(&whole, &lacking, &truth);
        assert_eq!(report.positions.culprit(), Some(Culprit::Second));
        assert!(report.normals.distance.is_infinite());
    }
    let mut another = made(&[Vec3::X, Vec3::Y]);
    another[0].instance = InstanceId(7);
    assert!(!vertices(&whole, &another, &truth).agrees());
}

#[test]
fn vertices_without_a_bound_are_counted_and_not_judged() {
    let truth = one(&[DVec3::X, DVec3::NAN], 2.0);
    let report = vertices(
        &made(&[Vec3::X, Vec3::X]),
        &made(&[-Vec3::X, Vec3::Y]),
        &truth,
    );
    assert!(report.agrees());
    assert_eq!((report.normals.vertices, report.normals.unpromised), (0, 2));
    assert_eq!(
        (report.positions.vertices, report.positions.unpromised),
        (1, 1)
    );
}

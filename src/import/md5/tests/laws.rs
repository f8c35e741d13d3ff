//! Random models and animations, held against the format's own formulas in matrices of double precision.

use glam::DQuat;
use proptest::prelude::*;

use super::*;

const JOINTS: usize = 4;
const FRAMES: usize = 3;

type Numbers = [f64; 6];

/// One weight of one vertex: joint, share, and a point in the joint's space where it is not the common one.
type Pull = (usize, f64, Option<[f64; 3]>);

#[derive(Debug, Clone)]
struct Rig {
    parents: Vec<i64>,
    bound: Vec<Numbers>,
    vertices: Vec<([f64; 3], Vec<Pull>)>,
    base: Vec<Numbers>,
    flags: Vec<u32>,
    frames: Vec<Vec<Numbers>>,
}

prop_compose! {
    fn numbers()(
        at in prop::array::uniform3(-4.0..4.0), rotation in prop::array::uniform3(-0.55..0.55),
    ) -> Numbers {
        let [tx, ty, tz]: [f64; 3] = at;
        let [x, y, z]: [f64; 3] = rotation;
        [tx, ty, tz, x, y, z]
    }
}

fn pull() -> impl Strategy<Value = Pull> {
    let point = prop::option::of(prop::array::uniform3(-4.0..4.0));
    (0..JOINTS, 0.1..1.0, point)
}

prop_compose! {
    fn rig()(
        parents in (-1..1_i64, -1..2_i64, -1..3_i64).prop_map(|(b, c, d)| vec![-1, b, c, d]),
        bound in prop::collection::vec(numbers(), JOINTS),
        vertices in prop::collection::vec(
            (prop::array::uniform3(-4.0..4.0), prop::collection::vec(pull(), 1..4)), 3..6,
        ),
        base in prop::collection::vec(numbers(), JOINTS),
        flags in prop::collection::vec(0..64_u32, JOINTS),
        frames in prop::collection::vec(prop::collection::vec(numbers(), JOINTS), FRAMES),
    ) -> Rig {
        Rig { parents, bound, vertices, base, flags, frames }
    }
}

fn matrix([tx, ty, tz, x, y, z]: Numbers) -> DMat4 {
    let w = -(1.0 - x * x - y * y - z * z).max(0.0).sqrt();
    let rotation = DQuat::from_xyzw(x, y, z, w).normalize();
    DMat4::from_rotation_translation(rotation, DVec3::new(tx, ty, tz))
}

fn six([tx, ty, tz, x, y, z]: Numbers) -> String {
    format!("( {tx} {ty} {tz} ) ( {x} {y} {z} )")
}

impl Rig {
    /// Every weight of every vertex, with its share of 1 and its point in the joint's space.
    fn weights(&self) -> Vec<Vec<(usize, f64, DVec3)>> {
        let of_vertex = |(point, pulls): &([f64; 3], Vec<Pull>)| {
            let sum: f64 = pulls.iter().map(|pull| pull.1).sum();
            let own = |(joint, share, own): &Pull| {
                let common = matrix(self.bound[*joint]).inverse();
                let common = common.transform_point3(DVec3::from(*point));
                (*joint, share / sum, own.map_or(common, DVec3::from))
            };
            pulls.iter().map(own).collect()
        };
        self.vertices.iter().map(of_vertex).collect()
    }

    fn mesh(&self) -> String {
        let mut lines = vec![format!(
            "MD5Version 10 numJoints {JOINTS} numMeshes 1 joints {{"
        )];
        for (joint, numbers) in self.bound.iter().enumerate() {
            lines.push(format!(
                "\"j{joint}\" {} {}",
                self.parents[joint],
                six(*numbers)
            ));
        }
        let weights = self.weights();
        lines.push(format!("}} mesh {{ numverts {}", weights.len()));
        let mut first = 0;
        for (vertex, list) in weights.iter().enumerate() {
            lines.push(format!("vert {vertex} ( 0 0 ) {first} {}", list.len()));
            first += list.len();
        }
        lines.push(format!("numtris 1 tri 0 0 1 2 numweights {first}"));
        for (number, (joint, bias, DVec3 { x, y, z })) in weights.iter().flatten().enumerate() {
            lines.push(format!("weight {number} {joint} {bias} ( {x} {y} {z} )"));
        }
        lines.push("}".to_owned());
        lines.join("\n")
    }

    /// The numbers of `joint` in `frame`, flagged or not.
    fn local(&self, joint: usize, frame: usize) -> Numbers {
        let flagged = |c: usize| self.flags[joint] >> c & 1 == 1;
        let [base, own] = [self.base[joint], self.frames[frame][joint]];
        std::array::from_fn(|c| if flagged(c) { own[c] } else { base[c] })
    }

    fn clip(&self) -> String {
        let components: u32 = self.flags.iter().map(|flags| flags.count_ones()).sum();
        let mut lines = vec![format!(
            "MD5Version 10 numFrames {FRAMES} numJoints {JOINTS} frameRate 8 numAnimatedComponents {components}\n\
             hierarchy {{"
        )];
        let mut first = 0;
        for (joint, flags) in self.flags.iter().enumerate() {
            lines.push(format!(
                "\"j{joint}\" {} {flags} {first}",
                self.parents[joint]
            ));
            first += flags.count_ones();
        }
        lines.push("} bounds { ( 0 0 0 ) ( 0 0 0 ) } baseframe {".to_owned());
        for numbers in &self.base {
            lines.push(six(*numbers));
        }
        lines.push("}".to_owned());
        for (frame, joints) in self.frames.iter().enumerate() {
            lines.push(format!("frame {frame} {{"));
            for (joint, numbers) in joints.iter().enumerate() {
                for (c, number) in numbers.iter().enumerate() {
                    if self.flags[joint] >> c & 1 == 1 {
                        lines.push(number.to_string());
                    }
                }
            }
            lines.push("}".to_owned());
        }
        lines.join("\n")
    }

    fn worlds(&self, frame: usize) -> Vec<DMat4> {
        let mut worlds: Vec<DMat4> = Vec::new();
        for (joint, &parent) in self.parents.iter().enumerate() {
            let local = matrix(self.local(joint, frame));
            let above = usize::try_from(parent).map_or(DMat4::IDENTITY, |parent| worlds[parent]);
            worlds.push(above * local);
        }
        worlds
    }

    /// `Σ bias · joint(point)`.
    fn points(&self, worlds: &[DMat4]) -> Vec<DVec3> {
        let sum = |list: &Vec<(usize, f64, DVec3)>| {
            let all = list.iter();
            all.map(|(joint, bias, point)| worlds[*joint].transform_point3(*point) * *bias)
                .sum()
        };
        self.weights().iter().map(sum).collect()
    }
}

/// The largest distance of a vertex from where it has to be.
fn apart(found: &[Vec3], expected: &[DVec3]) -> f64 {
    assert_eq!(found.len(), expected.len());
    let pairs = found.iter().zip(expected);
    pairs
        .map(|(a, b)| (a.as_dvec3() - b).length())
        .fold(0.0, f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_vertex_is_the_weighted_sum_of_its_points_in_every_frame(rig in rig()) {
        let asset = read_both(&rig.mesh(), &rig.clip());
        let bound: Vec<DMat4> = rig.bound.iter().map(|numbers| matrix(*numbers)).collect();
        let expected = rig.points(&bound);
        prop_assert!(apart(&skinned(&asset, None), &expected) < 1e-4);
        for frame in 0..FRAMES {
            let expected = rig.points(&rig.worlds(frame));
            prop_assert!(apart(&skinned(&asset, Some(frame)), &expected) < 1e-4);
        }
    }
}

#[test]
fn a_bind_position_instead_of_each_weights_own_point_is_caught() {
    let (a, b) = (
        [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.5],
    );
    let pulls = vec![(0, 0.5, None), (1, 0.5, Some([0.0, 2.0, 0.0]))];
    let rig = Rig {
        parents: vec![-1, 0, 0, 0],
        bound: vec![a; JOINTS],
        vertices: vec![([1.0, 1.0, 0.0], pulls); 3],
        base: vec![a; JOINTS],
        flags: vec![63; JOINTS],
        frames: vec![vec![b; JOINTS]; FRAMES],
    };
    let mut asset = read_both(&rig.mesh(), &rig.clip());
    let expected = rig.points(&rig.worlds(0));
    assert!(apart(&skinned(&asset, Some(0)), &expected) < 1e-5);
    let skin = &mut asset.skins[0];
    for slot in JOINTS..skin.joints.len() {
        skin.inverse_bind_matrices[slot] = skin.inverse_bind_matrices[skin.joints[slot].index()];
    }
    assert!(apart(&skinned(&asset, Some(0)), &expected) > 0.1);
}

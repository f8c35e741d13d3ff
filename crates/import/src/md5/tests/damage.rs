//! Damaged files, and random ones, held against the format's own formulas in matrices of double precision.

use glam::DQuat;
use proptest::prelude::*;

use super::*;

#[test]
fn a_file_cut_at_any_byte_is_refused_or_read_whole() {
    let (mesh, clip) = (mesh_text(), clip_text());
    for len in 0..mesh.len() {
        assert!(read_mesh(&mesh[..len]).is_err() || len + 2 > mesh.len());
    }
    for len in 0..clip.len() {
        assert!(read_clip(&clip[..len]).is_err() || len + 2 > clip.len());
    }
}

#[test]
fn any_word_of_a_file_may_be_anything() {
    let others = ["", "{", "(", "\"", "-1", "7", "1e400", "nan", "mesh"];
    let twice = |text: &str, read: fn(&str) -> Result<Asset, ImporterError>| {
        let words: Vec<&str> = text.split(' ').collect();
        for at in 0..words.len().min(200) {
            for other in others {
                let mut damaged = words.clone();
                damaged[at] = other;
                let _ = read(&damaged.join(" "));
            }
        }
    };
    twice(&mesh_text(), read_mesh);
    twice(&clip_text(), read_clip);
}

/// Each refusal of `text` with one of `changes`, behind the change.
fn refusals(
    read: fn(&str) -> Result<Asset, ImporterError>,
    text: &str,
    changes: &[(&str, &str)],
) -> String {
    let refusals = changes.iter().map(|(from, to)| {
        let error = read(&changed(text, from, to)).expect_err(to);
        format!("{} -> {}: {error}", from.trim(), to.trim())
    });
    refusals.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_refusal_says_which_line_and_what_was_expected() {
    let changes = [
        ("Version 10", "Version 11"),
        ("MD5Version", "Version"),
        ("numJoints 3", "numJoints 4"),
        ("numJoints 3", "numJoints 2"),
        ("numJoints 3\n", ""),
        ("numMeshes 1", "numMeshes 2"),
        ("numMeshes 1", "numJoints 3"),
        ("\"wrist\" 1", "\"wrist\" 3"),
        ("\"shoulder\" -1", "\"shoulder\" 2"),
        ("numverts 24", "numverts 18446744073709551615"),
        ("numverts 24", "numverts many"),
        ("vert 3 (", "vert 4 ("),
        ("vert 0 ( 0 1 ) 0 1", "vert 0 ( 0 1 ) 40 1"),
        ("tri 0 0 2 1", "tri 0 0 24 1"),
        ("weight 0 0 1", "weight 0 3 1"),
        ("\"tube\"", "\"tube"),
    ];
    insta::assert_snapshot!(refusals(read_mesh, &mesh_text(), &changes), @r#"
    Version 10 -> Version 11: it has version 11; only version 10 is supported
    MD5Version -> Version: it does not begin with MD5Version
    numJoints 3 -> numJoints 4: line 11: expected the name of a joint, found "}"
    numJoints 3 -> numJoints 2: line 10: expected }, found "wrist"
    numJoints 3 -> : line 6: joints needs numJoints before it
    numMeshes 1 -> numMeshes 2: numMeshes is 2, but there is 1
    numMeshes 1 -> numJoints 3: line 5: a second numJoints
    "wrist" 1 -> "wrist" 3: joint 2 names parent 3, but there are 3
    "shoulder" -1 -> "shoulder" 2: joint 0 is its own ancestor
    numverts 24 -> numverts 18446744073709551615: line 42: expected vert, found "numtris"
    numverts 24 -> numverts many: line 16: expected the number after numverts, found "many"
    vert 3 ( -> vert 4 (: line 20: expected vert 3, found "vert 4"
    vert 0 ( 0 1 ) 0 1 -> vert 0 ( 0 1 ) 40 1: line 17: vertex 0 of mesh 0 uses weights 40 to 41, but there are 40
    tri 0 0 2 1 -> tri 0 0 24 1: line 43: triangle 0 uses vertices 24 to 25, but there are 24
    weight 0 0 1 -> weight 0 3 1: line 89: weight 0 uses joints 3 to 4, but there are 3
    "tube" -> "tube: line 14: the string that begins here is not closed
    "#);
}

#[test]
fn a_refusal_names_the_animation_too() {
    let changes = [
        ("numFrames 25", "numFrames 24"),
        ("numFrames 25\n", ""),
        ("numAnimatedComponents 9", "numAnimatedComponents 8"),
        ("numAnimatedComponents 9", "numAnimatedComponents 10"),
        ("frame 1 {", "frame 2 {"),
        ("baseframe", "basepose"),
        ("\t0 0 0\n", "\t0 x 0\n"),
    ];
    insta::assert_snapshot!(refusals(read_clip, &clip_text(), &changes), @r#"
    numFrames 25 -> numFrames 24: numFrames is 24, but there are 25
    numFrames 25 -> : it has no numFrames
    numAnimatedComponents 9 -> numAnimatedComponents 8: line 12: joint 2 uses components 6 to 9, but there are 8
    numAnimatedComponents 9 -> numAnimatedComponents 10: line 53: expected a component, found "}"
    frame 1 { -> frame 2 {: line 55: expected 1, found "2"
    baseframe -> basepose: line 43: expected a section, a count or frameRate, found "basepose"
    0 0 0 -> 0 x 0: line 50: expected a component, found "x"
    "#);
}

#[test]
fn sharing_without_measure_is_refused() {
    // Every vertex uses all weights.
    let text = mesh_text();
    let lines = text.lines().map(|line| {
        if line.trim_start().starts_with("vert ") {
            format!("{} 0 40", line.rsplitn(3, ' ').nth(2).unwrap())
        } else {
            line.to_owned()
        }
    });
    let all = lines.collect::<Vec<_>>().join("\n");
    assert_eq!(
        read_mesh(&all).unwrap_err().to_string(),
        "the weights of vertices overlap so much that they total 960"
    );
    let joints = 6000;
    let lines = |line: &str| format!("{line}\n").repeat(joints);
    let frames: Vec<String> = (0..3000).map(|i| format!("frame {i} {{ 0 }}")).collect();
    let frames = frames.join("\n");
    let clip = format!(
        "MD5Version 10 numFrames 3000 numJoints {joints} numAnimatedComponents 1\nhierarchy {{\n{}}}\n\
         baseframe {{\n{}}}\n{frames}",
        lines("\"j\" -1 8 0"),
        lines("( 0 0 0 ) ( 0 0 0 )"),
    );
    assert_eq!(
        read_clip(&clip).unwrap_err().to_string(),
        "the components of joints overlap so much that they total 18006000"
    );
}

#[test]
fn neither_blank_lines_nor_lines_matter() {
    let mesh = read_mesh(&mesh_text()).unwrap();
    let clip = read_clip(&clip_text()).unwrap();
    let dense = |text: String| text.replace("\n\n", "\n");
    let braces = |text: String| text.replace(" {", "\n{");
    let crlf = |text: String| text.replace('\n', "\r\n");
    let one_line = |text: String| text.replace('\n', " ");
    for form in [dense, braces, crlf, one_line] as [fn(String) -> String; 4] {
        assert_eq!(read_mesh(&form(mesh_text())).unwrap(), mesh);
        assert_eq!(read_clip(&form(clip_text())).unwrap(), clip);
    }
}

#[test]
fn a_command_line_may_hold_quotation_marks() {
    let text = changed(
        &mesh_text(),
        "commandline \"\"",
        "commandline \"export \"C:\\my models\\a.mb\" -x\"",
    );
    assert_eq!(read_mesh(&text), read_mesh(&mesh_text()));
}

#[test]
fn invalid_rotations_and_nan_are_reported() {
    let reported = |asset: &Asset| crate::testing::reported(&asset.evidence);
    assert_eq!(reported(&read_both(&mesh_text(), &clip_text())), [""; 0]);
    let mesh = changed(
        &mesh_text(),
        "\"elbow\" 0 ( 0 0 1 ) ( 0 0 0 )",
        "\"elbow\" 0 ( 0 0 1 ) ( 0 0 1.5 )",
    );
    let clip = changed(&clip_text(), "frame 2 {\n\t0 0 0", "frame 2 {\n\t0 nan 0");
    let clip = changed(&clip, "frame 3 {\n\t0 0 0", "frame 3 {\n\t0 0 2");
    assert_eq!(
        reported(&read_both(&mesh, &clip)),
        [
            "NonunitRotation joint \"elbow\": the rotation has length 1.5, not 1 (x1)",
            "NonfiniteKey joint \"shoulder\", clip \"animation_0\" at 0.083 s, rotation: key 2 is NaN or infinite (x1)",
            "NonunitKey joint \"shoulder\", clip \"animation_0\" at 0.125 s, rotation: rotation key 3 has length 2, \
            not 1 (x1)",
        ]
    );
}

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
                let common = matrix(self.bound[*joint])
                    .inverse()
                    .transform_point3(DVec3::from(*point));
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

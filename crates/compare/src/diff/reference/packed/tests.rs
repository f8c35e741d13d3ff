use glam::Quat;
use miniz_oxide::inflate::decompress_to_vec_zlib;

use super::super::Node;
use super::*;
use crate::units::Space;

/// A bent strip of `vertices` vertices, half of each of two joints, in `frames` frames; the last vertex also moves by itself.
fn strip(vertices: u16, frames: u16) -> Reference {
    let node = |name: &str, parent, at: Vec3| Node {
        name: name.to_owned(),
        parent,
        joint: true,
        rest: Mat4::from_translation(at),
    };
    let nodes = vec![
        node("root", None, Vec3::ZERO),
        node("tip", Some(0), Vec3::Y),
    ];
    let at = |index: u16| f32::from(index) / f32::from(vertices);
    let mesh = Mesh {
        name: "Strip".to_owned(),
        node: Some(0),
        positions: (0..vertices)
            .map(|index| Vec3::new(0.3, 2.0 * at(index), 0.1))
            .collect(),
        normals: (0..vertices)
            .map(|index| Vec3::new(1.0, at(index), -0.5).normalize())
            .collect(),
        uvs: Vec::new(),
        triangles: (2..u32::from(vertices))
            .map(|last| [last, last - 1, last - 2])
            .collect(),
        influences: (0..vertices)
            .map(|index| vec![(0, 1.0 - at(index)), (1, at(index))])
            .collect(),
        shape_keys: vec!["tip".to_owned()],
    };
    let frame = |index: u16| {
        let rotation = Mat4::from_quat(Quat::from_rotation_z(0.02 * f32::from(index)));
        let joints = vec![Mat4::IDENTITY, Mat4::from_translation(Vec3::Y) * rotation];
        let rest: Vec<Mat4> = nodes.iter().map(|node| node.rest).collect();
        let moved = mesh.moved(&palette(&joints, &rest));
        let vectors = mesh.positions.iter().zip(&moved);
        let mut positions: Vec<Vec3> = vectors
            .map(|(at, by)| by.transform_point3(at.as_dvec3()).as_vec3())
            .collect();
        *positions.last_mut().unwrap() += 0.01 * f32::from(index);
        let normals = mesh.normals.iter().zip(&moved);
        let normals =
            normals.map(|(normal, by)| transformed_normal(by, normal.as_dvec3()).as_vec3());
        Frame {
            time: f64::from(index) / 30.0,
            nodes: joints,
            positions: vec![positions],
            normals: vec![normals.collect()],
        }
    };
    let frames = (0..frames).map(frame).collect();
    Reference {
        generator: "test".to_owned(),
        space: Space::Y_UP,
        clips: vec![Clip {
            name: "Bend".to_owned(),
            frames,
        }],
        meshes: vec![mesh],
        nodes,
    }
}

const STEP: f64 = 1e-5;

fn farthest(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    let pairs = a.iter().zip(b);
    pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

#[test]
fn a_packed_reference_is_read_to_within_its_rounding() {
    let reference = strip(200, 5);
    let read = Reference::parse(&reference.to_packed(STEP)).expect("it was just written");
    let [mesh, before] = [&read, &reference].map(|one| &one.meshes[0]);
    assert_eq!(mesh.triangles, before.triangles);
    assert!(farthest(&mesh.positions, &before.positions) < 1e-5);
    assert!(farthest(&mesh.normals, &before.normals) < 1e-3);
    for (frame, before) in read.clips[0].frames.iter().zip(&reference.clips[0].frames) {
        assert_eq!(frame.nodes, before.nodes);
        assert!(farthest(&frame.positions[0], &before.positions[0]) < 2e-5);
        assert!(farthest(&frame.normals[0], &before.normals[0]) < 3e-3);
    }
}

#[test]
fn what_has_been_rounded_is_packed_into_the_same_bytes() {
    let bytes = strip(50, 3).to_packed(STEP);
    let read = Reference::parse(&bytes).expect("it was just written");
    assert_eq!(read.to_packed(STEP), bytes);
}

#[test]
fn a_pose_costs_little_more_than_its_joints() {
    let size = |frames| strip(2000, frames).to_packed(STEP).len();
    let of_one = (size(12) - size(2)) / 10;
    assert!(
        of_one < 200,
        "{of_one} bytes a pose of 2 joints and 2000 vertices"
    );
}

#[test]
fn numbers_that_are_none_survive() {
    let mut reference = strip(5, 2);
    reference.meshes[0].positions[1] = Vec3::NAN;
    reference.clips[0].frames[1].positions[0][2] = Vec3::splat(f32::INFINITY);
    reference.meshes[0].normals[3] = Vec3::ZERO;
    let read = Reference::parse(&reference.to_packed(STEP)).expect("it was just written");
    assert!(read.meshes[0].positions[1].is_nan());
    assert!(read.clips[0].frames[1].positions[0][2].is_nan());
    assert_eq!(read.meshes[0].normals[3], Vec3::ZERO);
}

#[test]
fn a_file_that_is_cut_or_changed_anywhere_is_refused() {
    let bytes = strip(40, 3).to_packed(STEP);
    let start = LINE.len();
    for end in (start..bytes.len()).step_by(7) {
        assert!(Reference::parse(&bytes[..end]).is_err(), "cut at {end}");
    }
    for at in (start..bytes.len()).step_by(3) {
        let mut changed = bytes.clone();
        changed[at] ^= 0x10;
        // Bits that fill up the last byte say nothing.
        let is_refused =
            Reference::parse(&changed).map_or(true, |read| read.to_packed(STEP) == bytes);
        assert!(is_refused, "changed at {at}");
    }
}

/// A packed file whose header announces this many vertices and frames, followed by `zeros` bytes.
fn announcing(vertices: usize, frames: u32, zeros: usize) -> Vec<u8> {
    let mut header = strip(4, 1).header();
    header.meshes[0].vertices = vertices;
    header.clips[0].times = (0..frames).map(f64::from).collect();
    let mut values = postcard::to_stdvec(&(0.1, header)).expect("it is plain data");
    values.resize(values.len() + zeros, 0);
    [LINE.as_bytes(), &compress_to_vec_zlib(&values, 1)].concat()
}

#[test]
fn a_bomb_is_refused_before_it_is_unpacked() {
    // A million bytes stand for a thousand frames of 100,000 vertices; each is 2.4 MB in memory.
    for (vertices, frames) in [(100_000, 1_000), (4_000_000_000_000, 1), (usize::MAX, 1)] {
        let refused = Reference::parse(&announcing(vertices, frames, 500_000_000));
        assert!(
            matches!(refused, Err(ReferenceError::TooLarge { .. })),
            "{vertices} vertices, {frames} frames: {:?}",
            refused.map(|_| "accepted")
        );
    }
}

#[test]
fn frames_that_are_not_there_take_no_memory() {
    let started = std::time::Instant::now();
    let cut = announcing(10_000, 1_000, 100);
    assert!(matches!(
        Reference::parse(&cut),
        Err(ReferenceError::Damaged)
    ));
    assert!(started.elapsed().as_secs() < 5, "{:?}", started.elapsed());
}

#[test]
fn values_behind_the_last_frame_are_refused() {
    let packed = strip(20, 2).to_packed(STEP);
    let mut values = decompress_to_vec_zlib(&packed[LINE.len()..]).expect("it was just packed");
    values.push(0);
    let file = [LINE.as_bytes(), &compress_to_vec_zlib(&values, 1)].concat();
    assert!(matches!(
        Reference::parse(&file),
        Err(ReferenceError::Damaged)
    ));
}

#[test]
fn numbers_that_are_damaged_before_they_are_packed_do_no_harm() {
    let packed = strip(12, 2).to_packed(STEP);
    let inflated = decompress_to_vec_zlib(&packed[LINE.len()..]).expect("it was just packed");
    for at in 0..inflated.len() {
        for bits in [0x01, 0x80, 0xff] {
            let mut changed = inflated.clone();
            changed[at] ^= bits;
            let file = [LINE.as_bytes(), &compress_to_vec_zlib(&changed, 1)].concat();
            // Whatever comes of it, it is packed and read again.
            if let Ok(read) = Reference::parse(&file) {
                Reference::parse(&read.to_packed(STEP)).expect("it was just written");
            }
        }
    }
}

#[test]
fn a_mesh_that_follows_its_node_costs_nothing() {
    let size = |frames| {
        let mut reference = strip(2000, frames);
        reference.meshes[0].influences.clear();
        reference.meshes[0].node = Some(1);
        let shape = reference.meshes[0].clone();
        let rest = reference.rest();
        for frame in &mut reference.clips[0].frames {
            let by = frame.nodes[1] * rest[1].inverse();
            let positions = shape.positions.iter();
            frame.positions[0] = positions.map(|at| by.transform_point3(*at)).collect();
            let normals = shape.normals.iter();
            frame.normals[0] = normals.map(|own| by.transform_vector3(*own)).collect();
        }
        reference.to_packed(STEP).len()
    };
    let of_one = (size(12) - size(2)) / 10;
    assert!(of_one < 200, "{of_one} bytes a pose");
}

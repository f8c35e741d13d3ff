use std::fs;

use super::*;
use crate::testing::{bytes, influences, notes, reported};
use crate::units::Seconds;

/// Words of the header, counted behind the magic.
const VERTEX_COUNT: usize = 8;
const TEXT_OFFSET: usize = 4;
const MESH: (usize, usize) = (5, 6);
const ARRAYS: (usize, usize) = (7, 9);
const TRIANGLES: (usize, usize) = (10, 11);
const JOINTS: (usize, usize) = (13, 14);
const POSES: (usize, usize) = (15, 16);
const CLIPS: (usize, usize) = (17, 18);
const FRAME_CHANNELS: usize = 20;

/// A file whose words can be changed.
#[derive(Clone)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn fixture(name: &str) -> Self {
        Self(bytes(name))
    }

    fn arm() -> Self {
        Self::fixture("arm.iqm")
    }

    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[at..at + 4].try_into().unwrap())
    }

    fn set(&mut self, at: usize, word: u32) -> &mut Self {
        self.0[at..at + 4].copy_from_slice(&word.to_le_bytes());
        self
    }

    /// The byte of word `word` of the header.
    fn header(word: usize) -> usize {
        16 + 4 * word
    }

    fn set_header(mut self, word: usize, value: u32) -> Self {
        self.set(Self::header(word), value);
        self
    }

    /// Sets word `word` of record `record` of a list whose records have `size` words.
    fn set_record(
        mut self,
        list: usize,
        size: usize,
        record: usize,
        word: usize,
        value: u32,
    ) -> Self {
        let start = self.word(Self::header(list)) as usize;
        self.set(start + 4 * (size * record + word), value);
        self
    }

    fn parse(&self) -> Result<Asset, ImporterError> {
        let asset = resolve(parse(&self.0, Path::new("nowhere"))?)?;
        asset.validate().expect("what is not refused is valid");
        Ok(asset)
    }

    fn refusal(&self) -> String {
        self.parse().expect_err("the file is damaged").to_string()
    }
}

#[test]
fn a_file_cut_at_any_byte_is_refused() {
    let whole = Bytes::arm();
    for len in 0..whole.0.len() {
        let cut = Bytes(whole.0[..len].to_vec());
        // The text lies last; its padding may be missing.
        if let Ok(asset) = cut.parse() {
            assert!(len + 4 > whole.0.len(), "{len} bytes make {asset:?}");
        }
    }
}

#[test]
fn any_word_of_the_file_may_be_anything() {
    let whole = Bytes::arm();
    for at in (0..whole.0.len() - 4).step_by(4) {
        for word in [0, 1, 0x7fff_ffff, 0x8000_0000, 0xffff_fff0, u32::MAX] {
            let mut damaged = whole.clone();
            let _ = damaged.set(at, word).parse();
        }
    }
}

#[test]
fn a_refusal_says_where_in_the_file() {
    let arm = || Bytes::arm();
    let joint = |number, word, value| arm().set_record(JOINTS.1, 12, number, word, value);
    let mesh = |word, value| arm().set_record(MESH.1, 6, 0, word, value);
    let array = |word, value| arm().set_record(ARRAYS.1, 5, 0, word, value);
    let damaged = [
        Bytes(b"IQM".to_vec()),
        arm().set_header(0, 1),
        arm().set_header(JOINTS.0, u32::MAX),
        arm().set_header(JOINTS.1, 0xffff_0000),
        arm().set_header(VERTEX_COUNT, 1 << 30),
        arm().set_header(FRAME_CHANNELS, 3),
        joint(2, 1, 3),
        joint(0, 1, 2),
        joint(1, 1, 1),
        joint(1, 0, 9999),
        mesh(2, 1),
        mesh(5, 45),
        arm().set_record(TRIANGLES.1, 3, 7, 1, 24),
        arm().set_record(CLIPS.1, 5, 1, 2, 7),
        array(2, 9),
        array(3, 2),
        // Poses in a cycle.
        Bytes::fixture("arm_anim_only.iqm").set_record(POSES.1, 22, 0, 0, 1),
        // A hundred meshes that share all vertices.
        overlapping(),
    ];
    let refusals = damaged.map(|file| file.refusal());
    insta::assert_snapshot!(refusals.join("\n"), @r"
    it does not begin with INTERQUAKEMODEL
    it has version 1; only version 2 is supported
    the joints extend to byte 206158432184, but the file has 2652
    the joints extend to byte 4294901904, but the file has 2652
    the numbers of a vertex array extend to byte 12884902012, but the file has 2652
    a frame has 3 channels according to the header, but 7 according to its poses
    joint 2 names parent 3, but there are 3
    joint 0 is its own ancestor
    joint 1 is its own ancestor
    joint 1 names byte of text 9999, but there are 47
    mesh 0 uses vertices 1 to 25, but there are 24
    mesh 0 uses triangles 0 to 45, but there are 44
    a triangle of mesh 0 names its vertex 24, but there are 24
    clip 1 uses frames 2 to 9, but there are 8
    vertex array 0 has 3 components of format 9
    vertex array 0 has 2 components of format 7
    joint 0 is its own ancestor
    the vertices of meshes overlap so much that they total 2400
    ");
}

fn overlapping() -> Bytes {
    let mut file = Bytes::arm();
    let mesh = file.word(Bytes::header(MESH.1)) as usize;
    let record = file.0[mesh..mesh + 24].to_vec();
    let start = u32::try_from(file.0.len()).unwrap();
    file.0.extend(record.repeat(100));
    file.set_header(MESH.0, 100).set_header(MESH.1, start)
}

#[test]
fn a_rate_of_zero_is_25_with_a_note() {
    let file = Bytes::arm().set_record(CLIPS.1, 5, 1, 3, 0);
    let asset = file.parse().unwrap();
    let clip = &asset.clips[1];
    assert_eq!((clip.rate.stated, clip.rate.used), (Some(0.0), 25.0));
    assert_eq!(clip.end, Seconds(2.0 / 25.0));
    let expected = "clip \"Twist\": states 0 frames per second; assuming 25";
    assert_eq!(notes(&asset), [expected]);
}

#[test]
fn weights_of_zero_are_padding_and_weights_of_missing_joints_go_to_others() {
    let whole = influences(&Bytes::arm().parse().unwrap(), 0);
    assert_eq!(whole[0], [(0, 1.0)]);
    assert_eq!(whole[4], [(0, 0.75), (1, 0.25)]);
    let mut file = Bytes::arm();
    let array = file.word(Bytes::header(ARRAYS.1)) as usize + 4 * (5 * 3 + 4);
    let indices = file.word(array) as usize;
    file.0[indices] = 7;
    let asset = file.parse().unwrap();
    assert_eq!(influences(&asset, 0)[0], [(0, 1.0)]);
    let expected = "mesh \"tube\": skipped 1 weight of joints that its skin does not have; \
                    the other joints of their vertices take them over";
    assert_eq!(notes(&asset), [expected]);
    let expected =
        ["JointIndexOutOfRange mesh \"tube\" vertex 0: names joint 7, but the skin has 3 (x1)"];
    assert_eq!(reported(&asset.evidence), expected);
}

#[test]
fn integer_weights_are_fractions_of_the_largest() {
    // The joints are bytes; taken as the weights too, 1 is a 255th.
    let mut file = Bytes::arm();
    let arrays = file.word(Bytes::header(ARRAYS.1)) as usize;
    let joints = file.0[arrays + 60..][..20].to_vec();
    file.0[arrays + 84..][..16].copy_from_slice(&joints[4..]);
    let asset = file.parse().unwrap();
    let mut weights: Vec<f32> = asset.meshes[0]
        .influences
        .all()
        .iter()
        .map(|influence| influence.weight * 255.0)
        .collect();
    weights.dedup();
    assert!(
        !weights.is_empty() && weights.iter().all(|w| (w - w.round()).abs() < 1e-6),
        "{weights:?}"
    );
}

#[test]
fn poses_alone_make_nameless_joints() {
    let asset = Bytes::fixture("arm_anim_only.iqm").parse().unwrap();
    let names: Vec<&str> = asset.skeleton.nodes().iter().map(|j| &*j.name).collect();
    assert_eq!(names, ["", "", ""]);
    assert_eq!(asset.clips.len(), 3);
    let surplus = Bytes::arm().set_header(JOINTS.0, 2).parse().unwrap();
    for (asset, expected) in [(asset, "only poses"), (surplus, "3 poses for 2 joints")] {
        let notes = notes(&asset).join("\n");
        assert!(notes.contains(expected), "{notes}");
    }
}

#[test]
fn names_that_are_not_utf_8_are_read_all_the_same() {
    let mut file = Bytes::arm();
    let text = file.word(Bytes::header(TEXT_OFFSET)) as usize;
    file.0[text + 2] = 0xe4;
    let asset = file.parse().unwrap();
    assert_eq!(asset.meshes[0].name, "täbe");
}

#[test]
fn a_material_has_the_image_that_it_names_or_that_lies_beside() {
    let folder = tempfile::tempdir().unwrap();
    let texture = |beside: Option<&str>, name: &[u8; 4]| {
        let mut file = Bytes::arm();
        let text = file.word(Bytes::header(TEXT_OFFSET)) as usize;
        file.0[text + 6..text + 10].copy_from_slice(name);
        if let Some(beside) = beside {
            fs::write(folder.path().join(beside), "").unwrap();
        }
        let asset = parse(&file.0, folder.path()).unwrap();
        let named = asset.materials[0].base_color_texture;
        named.map(|texture| asset.images[texture.image.index()].name.clone())
    };
    assert_eq!(texture(None, b"skin"), None);
    assert_eq!(
        texture(Some("skin.png"), b"skin").as_deref(),
        Some("skin.png")
    );
    assert_eq!(texture(None, b".tga"), None);
    assert_eq!(texture(None, b"|skn"), None);
    assert_eq!(texture(None, b"../a"), None);
}

#[test]
fn defects_of_keys_joints_and_weights_are_reported() {
    assert_eq!(reported(&Bytes::arm().parse().unwrap().evidence), [""; 0]);
    let (offset, w) = (2, 6);
    let nan = (2, offset, f32::NAN.to_bits());
    let long = (1, offset + w, 1.5_f32.to_bits());
    let file = [nan, long]
        .into_iter()
        .fold(Bytes::arm(), |file, (pose, word, number)| {
            file.set_record(POSES.1, 22, pose, word, number)
        })
        .set_record(JOINTS.1, 12, 1, 2 + w, 1.5_f32.to_bits());
    let fewer = file.set_record(ARRAYS.1, 5, 4, 3, 3).set_header(POSES.0, 3);
    let evidence = fewer.parse().unwrap().evidence;
    assert_eq!(evidence.examined, crate::rig::DefectKind::ALL);
    insta::assert_snapshot!(reported(&evidence).join("\n"), @r#"
    WeightSetMismatch file: a vertex has 4 joint indices and 3 weights (x1)
    NonunitRotation joint "elbow": the rotation has length 1.5, not 1 (x1)
    NonunitKey joint "elbow", clip "Bend" at 0 s, rotation: rotation key 0 has length 1.7929, not 1 (x2)
    NonfiniteKey joint "wrist", clip "Bend" at 0 s, translation: key 0 is NaN or infinite (x1)
    NonunitKey joint "elbow", clip "Twist" at 0 s, rotation: rotation key 0 has length 1.7929, not 1 (x3)
    NonfiniteKey joint "wrist", clip "Twist" at 0 s, translation: key 0 is NaN or infinite (x1)
    NonunitKey joint "elbow", clip "Nod" at 0 s, rotation: rotation key 0 has length 1.7929, not 1 (x3)
    NonfiniteKey joint "wrist", clip "Nod" at 0 s, translation: key 0 is NaN or infinite (x1)
    "#);
}

#[test]
fn poses_of_joints_that_are_not_there_and_weights_without_any_joint_are_reported() {
    let fewer = Bytes::arm().set_header(JOINTS.0, 2).parse().unwrap();
    insta::assert_snapshot!(reported(&fewer.evidence).join("\n"), @r#"
    TargetMissing clip "Bend": 1 poses belong to joints that do not exist (x1)
    TargetMissing clip "Twist": 1 poses belong to joints that do not exist (x1)
    TargetMissing clip "Nod": 1 poses belong to joints that do not exist (x1)
    JointIndexOutOfRange mesh "tube" vertex 12: names joint 2, but the skin has 2 (x12)
    "#);
    let none = Bytes::arm().set_header(JOINTS.0, 0).set_header(CLIPS.0, 0);
    let expected =
        ["SkinWithoutWeights mesh \"tube\", joint \"tube\": has weights and no skin (x1)"];
    assert_eq!(reported(&none.parse().unwrap().evidence), expected);
}

//! One command on damaged files.

use std::fs;
use std::path::{Path, PathBuf};

use miniz_oxide::deflate::compress_to_vec_zlib;
use miniz_oxide::inflate::decompress_to_vec_zlib;
use skincheck::diff::reference::{Pose, Reference, of_model};
use skincheck::import::{self, Isolation};
use skincheck::rig::{ClipId, SkinningOptions};
use skincheck::{pose, skinning};

use crate::mutate::damaged;
use crate::random::Random;

/// Models to damage: one or more of each format.
const MODELS: &[&str] = &[
    "arm.gltf",
    "bent_cylinder.glb",
    "morph_and_skin.gltf",
    "sparse.gltf",
    "external_buffer.gltf",
    "two_skins.gltf",
    "step_linear_cubic.gltf",
    "quantized.gltf",
    "alpha.gltf",
    "missing_texture.gltf",
    "arm.fbx",
    "arm_binary.fbx",
    "late_take.fbx",
    "z_up_centimetres.fbx",
    "arm.dae",
    "curves.dae",
    "arm.zae",
    "arm.x",
    "arm.b3d",
    "arm.smd",
    "arm.ms3d",
    "arm.m3d",
    "arm.mesh.xml",
    "arm.mdl",
    "arm.iqm",
    "arm_anim_only.iqm",
    "arm.bvh",
    "arm.obj",
    "figure.md5mesh",
    "figure.md5anim",
];

/// Files that models refer to; some are damaged, too.
const COMPANIONS: &[&str] = &[
    "arm.mtl",
    "arm.skeleton.xml",
    "external buffer.bin",
    "checker.png",
    "figure.md5anim",
];

/// Undamaged models, for commands whose other input is damaged.
const SOUND: &[&str] = &["arm.gltf", "unnormalized_weights.gltf", "arm.fbx"];

const CONFIGURATION: &str = "\
profile = \"unity\"\napproved = \"snapshots\"\nselect = [\"W\", \"D602\"]\nignore = [\"W112\"]\ncross = false\nlevel = \"info\"\ndeny-warnings = true\n\
range-of-motion = \"auto\"\nmoments = \"all\"\n[rules]\nW103 = \"off\"\nW106 = { level = \"error\", max_influences = 4 }\n[clips]\n\
loops = [\"Walk*\", \"Bend\"]\nin-place = [\"Bend\"]\n[joints]\nrequired = [\"elbow\"]\nfeet = [\"wr*\"]\nroot = \"shoulder\"\n\
[size]\nheight = [1.5, 2.5]\nunit = \"m\"\n[diff]\ntolerance = \"0.1%\"\nalign = [\"time\"]\nscale = 2\n\
[diff.joints]\nelbow = \"wrist\"\n[diff.clip-tolerances]\nBend = \"2mm\"\n[[test]]\nmodel = \"*.gltf\"\nclips = [\"Be*\"]\ntimes = 2\ncamera = [\"front\"]\nsize = \"8x8\"\ntolerance = \"2mm\"\n[[overrides]]\nfiles = [\"*.gltf\", \"a/{b,c}/**\"]\nlevel = \"warning\"\n";

const POSES: [(&str, &str); 2] = [
    (
        "pose.toml",
        "[joint.elbow]\nrotation_euler_degrees = [0, 0, 60]\n[joint.wrist]\nrotation = [0, 0, 1, 1]\nscale = [1, 2, 1]\n",
    ),
    (
        "pose.json",
        "{\"joint\": {\"elbow\": {\"rotation_euler_degrees\": [0, 0, 60], \"translation\": [0, 1, 0]}}, \"morph\": {\"a\": 0.5}}",
    ),
];

const BASELINE: &str = "{\"schema\": \"skincheck/baseline/1\", \"findings\": [\
{\"file\": \"unnormalized_weights.gltf\", \"rule\": \"W103\", \"place\": \"mesh \\\"tube\\\"\", \"count\": 3},\
{\"file\": \"gone.glb\", \"rule\": \"W101\", \"place\": \"file\", \"count\": 1}]}";

/// A reference of a triangle on two nodes, in a clip of two times.
fn reference() -> Vec<u8> {
    let header = "{\"schema\": \"skincheck/reference/1\", \"generator\": \"fuzz\", \"up\": \"+Y\", \"front\": \"+Z\", \
        \"metres_per_unit\": 1, \"nodes\": [{\"name\": \"a\", \"joint\": true, \"rest\": [1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}, \
        {\"name\": \"b\", \"parent\": 0, \"rest\": [1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}], \"meshes\": [{\"name\": \"m\", \
        \"node\": 1, \"vertices\": 3, \"triangles\": 1, \"influences\": 1}], \"clips\": [{\"name\": \"c\", \"times\": [0, 1]}]}\n";
    let corners = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
    let matrix = std::array::from_fn::<f32, 16, _>(|index| f32::from(u8::from(index % 5 == 0)));
    let (indices, slots) = ([0_u32, 1, 2], [0_u32, 0, 1]);
    let mut numbers: Vec<u32> = corners.map(f32::to_bits).to_vec();
    numbers.extend(indices.iter().chain(&slots));
    numbers.extend([1.0_f32; 3].map(f32::to_bits));
    for _ in 0..2 {
        numbers.extend(
            [matrix, matrix]
                .concat()
                .iter()
                .map(|number| number.to_bits()),
        );
        numbers.extend(corners.map(f32::to_bits));
    }
    let numbers = numbers.into_iter().flat_map(u32::to_le_bytes);
    header.bytes().chain(numbers).collect()
}

/// An engine that answers with the lines of a file, over and over.
const ENGINE: &str = "id=0; exec 3<answers; while read -r request; do read -r answer <&3 || { exec 3<answers; \
    read -r answer <&3; }; printf '{\"id\": %d, %s\\n' $id \"$answer\"; id=$((id + 1)); done";

/// Laws of each kind.
const ASKED: &[&str] = &[
    "key-time",
    "straight",
    "hierarchy",
    "animated-skin",
    "vertex-count",
    "cut",
    "hull",
];

/// Answers, without their start, of an engine that knows nothing of the requests; some are damaged.
fn answers(random: &mut Random) -> Vec<u8> {
    let numbers = [
        "0",
        "1",
        "-1",
        "0.5",
        "null",
        "NaN",
        "-Infinity",
        "1e300",
        "1e-50",
    ];
    let usable = if random.once_in(2) { numbers.len() } else { 4 };
    let list = |count: usize, random: &mut Random| {
        let numbers = (0..count).map(|_| numbers[random.below(usable)]);
        format!("[{}]", numbers.collect::<Vec<_>>().join(", "))
    };
    // As many nodes and vertices as cases have, or any number.
    let counts = if random.once_in(2) {
        Some((6, 5))
    } else {
        None
    };
    let harm = random.once_in(3);
    let mut lines = Vec::new();
    for _ in 0..16 {
        let (nodes, vertices) = counts.unwrap_or_else(|| (random.below(9), random.below(9)));
        let lists = |count: usize, length: usize, random: &mut Random| {
            let lists: Vec<String> = (0..count).map(|_| list(length, random)).collect();
            format!("[{}]", lists.join(", "))
        };
        let (nodes, vertices) = (lists(nodes, 16, random), lists(vertices, 3, random));
        let line = format!("\"nodes\": {nodes}, \"vertices\": {vertices}}}").into_bytes();
        lines.extend(if harm && random.once_in(8) {
            damaged(&line, random)
        } else {
            line
        });
        lines.push(b'\n');
    }
    lines
}

const TESTED: &str = "[[test]]\nmodel = \"arm.gltf\"\ntimes = 3\npictures = false\n";

/// The approval of the model in [`TESTED`].
const APPROVED: &str = "arm.gltf.approved";

/// A packed reference, as `accept` writes it.
fn packed(reference: &[u8]) -> Vec<u8> {
    let reference = Reference::parse(reference).expect("it is sound");
    reference.to_packed(1e-4)
}

/// The poses of the model at `path`.
fn approval(path: &Path) -> Vec<u8> {
    let options = import::Options {
        isolation: Isolation::InProcess,
        images: false,
        ..import::Options::default()
    };
    let asset = import::load(path, &options).expect("it is sound");
    let clip = &asset.clips[0];
    let poses = [clip.start, clip.end].map(|time| {
        let pose = pose::sample(&asset, clip, time).expect("it is finite");
        let pose = pose::model_pose(&asset, &pose);
        let meshes = skinning::deform(&asset, &pose, &SkinningOptions::default());
        Pose {
            clip: ClipId(0),
            time,
            meshes: meshes.expect("it can be skinned"),
            pose,
        }
    });
    of_model(&asset, poses.into()).to_packed(1e-4)
}

/// Damages the compressed bytes, or what they stand for.
fn damaged_packed(file: &[u8], random: &mut Random) -> Vec<u8> {
    if random.once_in(4) {
        return damaged(file, random);
    }
    let start = 1 + file
        .iter()
        .position(|byte| *byte == b'\n')
        .expect("it has a first line");
    let text = decompress_to_vec_zlib(&file[start..]).expect("it is sound");
    let changed = if random.once_in(2) {
        // Two lines of JSON, which are damaged as such.
        let mut lines = text.splitn(3, |byte| *byte == b'\n');
        let mut next = || lines.next().unwrap_or_default();
        let (grid, header, numbers) = (next(), next(), next());
        [grid, b"\n", &damaged(header, random), b"\n", numbers].concat()
    } else {
        let at = random.below(text.len());
        let mut text = text;
        text[at] ^= 1 << random.below(8);
        text
    };
    [&file[..start], &compress_to_vec_zlib(&changed, 1)].concat()
}

/// A command and its folder.
pub(crate) struct Case {
    /// The damaged format or kind of file.
    pub(crate) kind: String,
    /// The arguments.
    pub(crate) arguments: Vec<String>,
    /// The files that the command may write.
    pub(crate) outputs: Vec<PathBuf>,
}

impl Case {
    /// Writes the files of the case into the empty `folder`.
    pub(crate) fn make(folder: &Path, fixtures: &Path, random: &mut Random) -> Self {
        let put = |name: &str, bytes: &[u8]| {
            fs::write(folder.join(name), bytes).expect("the folder is writable")
        };
        let read = |name: &str| fs::read(fixtures.join(name)).expect("the fixture is there");
        for name in COMPANIONS {
            let bytes = read(name);
            put(
                name,
                &if random.once_in(8) {
                    damaged(&bytes, random)
                } else {
                    bytes
                },
            );
        }
        let texts = random.below(13);
        let (kind, arguments) = match texts {
            0 => {
                let sound = random.pick(SOUND);
                put(sound, &read(sound));
                put("skincheck.toml", &damaged(CONFIGURATION.as_bytes(), random));
                let line = if random.once_in(2) {
                    "test --update new".to_owned()
                } else {
                    format!("check {sound}")
                };
                ("skincheck.toml".to_owned(), words(&line))
            }
            1 => {
                let (sound, (name, text)) = (random.pick(SOUND), random.pick(&POSES));
                put(sound, &read(sound));
                put(name, &damaged(text.as_bytes(), random));
                let command = *random.pick(&[
                    "bake -o out.json",
                    "render --size 32x32 -o out.png",
                    "bake -o out.obj",
                ]);
                (
                    "pose file".to_owned(),
                    words(&format!("{command} {sound} --pose {name}")),
                )
            }
            2 => {
                let sound = random.pick(SOUND);
                put(sound, &read(sound));
                put("baseline.json", &damaged(BASELINE.as_bytes(), random));
                let prune = if random.once_in(3) { "--prune" } else { "" };
                (
                    "baseline".to_owned(),
                    words(&format!("check {sound} --baseline baseline.json {prune}")),
                )
            }
            3 => {
                let (sound, is_packed) = (reference(), random.once_in(2));
                let (kind, bytes) = if is_packed {
                    ("packed reference", damaged_packed(&packed(&sound), random))
                } else {
                    ("reference", damaged(&sound, random))
                };
                put("sound.skref", &sound);
                put("damaged.skref", &bytes);
                let sides =
                    *random.pick(&["sound.skref damaged.skref", "damaged.skref sound.skref"]);
                (kind.to_owned(), words(&format!("diff {sides}")))
            }
            4 => {
                put("arm.gltf", &read("arm.gltf"));
                put("skincheck.toml", TESTED.as_bytes());
                let approved = folder.join(APPROVED);
                fs::create_dir(&approved).expect("the folder is writable");
                let poses = approval(&folder.join("arm.gltf"));
                let bytes = damaged_packed(&poses, random);
                fs::write(approved.join("poses.skref"), bytes).expect("the folder is writable");
                let command = *random.pick(&["test", "accept", "accept --prune"]);
                ("approval".to_owned(), words(command))
            }
            5 => {
                let sound = random.pick(SOUND);
                put(sound, &read(sound));
                put("answers", &answers(random));
                let line = format!(
                    "laws {sound} --cases 2 --law {} --timeout 10 --reply-timeout 2 --artifacts {LAWS} --exec",
                    random.pick(ASKED)
                );
                let mut arguments = words(&line);
                arguments.push(ENGINE.to_owned());
                ("--exec".to_owned(), arguments)
            }
            _ => {
                let name = *random.pick(MODELS);
                put(name, &damaged(&read(name), random));
                let format = name
                    .rsplit_once('.')
                    .map_or(name, |(_, extension)| extension);
                (format.to_owned(), on_model(name, &put, &read, random))
            }
        };
        let outputs = [
            "out.png",
            "out.gif",
            "out.webp",
            "out.json",
            "out.obj",
            "report.json",
            "baseline.json",
        ];
        Self {
            kind,
            arguments,
            outputs: outputs.map(|name| folder.join(name)).to_vec(),
        }
    }
}

/// The folder for rigs that break laws.
pub(crate) const LAWS: &str = "laws";

fn on_model(
    name: &str,
    put: &dyn Fn(&str, &[u8]),
    read: &dyn Fn(&str) -> Vec<u8>,
    random: &mut Random,
) -> Vec<String> {
    let time = *random.pick(&[
        "",
        "--time 0.4",
        "--phase 0.9",
        "--frame 3 --fps 30",
        "--pose bind",
        "--time 1e9 --wrap loop",
    ]);
    let command = match random.below(27) {
        0..5 => format!(
            "check {name} --report json=report.json --format {} {}",
            random.pick(&["text", "json", "sarif", "junit", "github"]),
            random.pick(&[
                "",
                "--verbose",
                "--range-of-motion always",
                "--moments all",
                "--profile unreal"
            ])
        ),
        5..10 => format!(
            "render {name} -o out.png --size 48x48 {time} --show {} {}",
            random.pick(&[
                "lit",
                "texture",
                "normals",
                "influences",
                "joints",
                "uv",
                "depth",
                "wireframe"
            ]),
            random.pick(&[
                "",
                "--skeleton",
                "--fit rest",
                "--orthographic",
                "--samples 1"
            ])
        ),
        10..14 => format!(
            "bake {name} {time} {}",
            random.pick(&[
                "-o out.json",
                "-o out.obj",
                "-o out.json --space y-up-metres"
            ])
        ),
        14..17 => format!(
            "inspect {name} {}",
            random.pick(&["", "--json", "--joints"])
        ),
        17 => format!("inspect {name} --importer assimp"),
        18 => format!(
            "crosscheck --importers {name} {}",
            random.pick(&["", "--json"])
        ),
        19 => format!("crosscheck {name} --size 32x32 --times 2 --gl software --timeout 20"),
        20..22 => {
            put("sound.gltf", &read("arm.gltf"));
            format!(
                "diff {name} sound.gltf {}",
                random.pick(&["", "--json", "--align similarity"])
            )
        }
        22..25 => format!(
            "film {name} --size 24x24 --times 3 --timeout 30 {} -o {}",
            random.pick(&["", "--orbit", "--views", "--all-clips", "--skeleton"]),
            random.pick(&["out.png", "out.gif", "out.webp"])
        ),
        25 => format!("laws {name} --cases 3 --timeout 30 --artifacts {LAWS}"),
        _ => {
            put("sound.gltf", &read("arm.gltf"));
            format!("bake sound.gltf -o out.json --time 0.5 --animation {name}")
        }
    };
    words(&command)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

//! One command on damaged files, or on a model that may exceed its budget.

use std::fs;
use std::path::{Path, PathBuf};

use crate::commands::{self, Budget};
use crate::engine::{ASKED, ENGINE, answers};
use crate::mutate::{damaged, damaged_document};
use crate::products::Product;
use crate::random::Random;
use crate::references::{self, damaged_packed, damaged_plain};
use crate::stored::{self, APPROVED, CHECKED, SHARDS, TESTED};

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

/// Models with compressed parts, in the folder `seeds`: fixtures after gltfpack 1.3 (`meshopt`), gltf-transform 4.5 (`draco`) and the
/// encoder of Basis Universal (textures).
const COMPRESSED: &[&str] = &[
    "meshopt.glb",
    "meshopt_filters.glb",
    "draco.glb",
    "draco_sequential.glb",
    "etc1s.glb",
    "uastc_zstd.glb",
];

/// VRM models, and clips for humanoids.
const AVATARS: &[&str] = &["avatar.gltf", "avatar_0.gltf", "face.gltf", "face_0.gltf"];
const CLIPS: &[&str] = &["smile.gltf", "wave.gltf"];

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
engine = \"unity\"\napproved = \"snapshots\"\nselect = [\"W\", \"D602\"]\nignore = [\"W112\"]\ncross = false\nlevel = \"info\"\ndeny-warnings = true\n\
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

/// A command and its folder.
pub(crate) struct Case {
    /// The damaged format or kind of file.
    pub(crate) kind: String,
    /// The arguments.
    pub(crate) arguments: Vec<String>,
    /// The files that the command may write.
    pub(crate) outputs: Vec<PathBuf>,
    /// What the outcome must be, besides orderly.
    pub(crate) must: Option<Must>,
    /// The model that has a budget of its own, and that budget.
    pub(crate) limited: Option<(&'static str, Budget)>,
}

/// What the outcome of a case must be.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Must {
    /// Anything but exit code 0: no damage makes the input sound.
    NotPass,
    /// The outcome without a cache.
    EqualUncached,
}

/// Where a case is made.
pub(crate) struct Site {
    /// The folder that the command runs in.
    pub(crate) run: PathBuf,
    /// A folder that it must not change.
    pub(crate) outside: PathBuf,
    /// Sound models.
    pub(crate) fixtures: PathBuf,
    /// The same, with compressed parts.
    pub(crate) compressed: PathBuf,
    /// What [`stored::write`] wrote.
    pub(crate) stored: PathBuf,
}

/// Arguments, and what the outcome must be.
type Asked = (Vec<String>, Option<Must>);

impl Case {
    /// Writes the files of the case into the empty folders of `site`.
    pub(crate) fn make(site: &Site, random: &mut Random) -> Self {
        if random.once_in(3) {
            Self::multiplied(site, random)
        } else {
            Self::damaged(site, random)
        }
    }

    /// The command, as tables name it.
    pub(crate) fn command(&self) -> String {
        let has = |option: &str| {
            let mut arguments = self.arguments.iter();
            arguments.any(|argument| argument.starts_with(option))
        };
        let of = if has("html=") {
            " --report html"
        } else if has("--artifacts") && !has("laws") {
            " --artifacts"
        } else {
            ""
        };
        format!("{}{of}", self.arguments[0])
    }

    fn multiplied(site: &Site, random: &mut Random) -> Self {
        let product = Product::any(random);
        let (line, budget) = commands::any(product.name, random);
        site.put(product.name, &product.bytes);
        site.put(commands::SOUND, &site.read("arm.gltf"));
        let configuration = commands::configuration(product.name);
        site.put("skincheck.toml", configuration.as_bytes());
        Self {
            kind: product.kind.to_owned(),
            arguments: words(&line),
            outputs: outputs(site),
            must: None,
            limited: Some((product.name, budget)),
        }
    }

    fn damaged(site: &Site, random: &mut Random) -> Self {
        for name in COMPANIONS {
            site.copy(name);
            if random.once_in(8) {
                site.damage(name, random);
            }
        }
        let (kind, (arguments, must)) = match random.below(16) {
            0 => ("skincheck.toml", configured(site, random)),
            1 => ("pose file", posed(site, random)),
            2 => ("baseline", baseline(site, random)),
            3 => reference(site, random),
            4 | 5 => ("approval", approval(site, random)),
            6 => ("--exec", engine(site, random)),
            7 => ("shards", shards(site, random)),
            8 => ("cache", cache(site, random)),
            9 | 10 => {
                let name = *random.pick(COMPRESSED);
                let bytes = fs::read(site.compressed.join(name)).expect("the seed is there");
                site.put(name, &damaged(&bytes, random));
                ("compressed", (on_model(name, site, random), None))
            }
            11 => ("VRM", avatar(site, random)),
            _ => {
                let name = *random.pick(MODELS);
                site.put(name, &damaged(&site.read(name), random));
                let format = name.rsplit_once('.').map_or(name, |(_, end)| end);
                (format, (on_model(name, site, random), None))
            }
        };
        Self {
            kind: kind.to_owned(),
            arguments,
            outputs: outputs(site),
            must,
            limited: None,
        }
    }
}

/// The files that a command may write.
fn outputs(site: &Site) -> Vec<PathBuf> {
    let outputs = [
        "out.png",
        "out.gif",
        "out.apng",
        "out.json",
        "out.obj",
        "out.html",
        "fixed.glb",
        "report.json",
        "report.html",
        "baseline.json",
    ];
    outputs.map(|name| site.run.join(name)).to_vec()
}

impl Site {
    fn put(&self, name: &str, bytes: &[u8]) {
        fs::write(self.run.join(name), bytes).expect("the folder is writable");
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.fixtures.join(name)).expect("the fixture is there")
    }

    fn copy(&self, name: &str) {
        self.put(name, &self.read(name));
    }

    /// Copies what skincheck has written, and returns the path.
    fn copy_stored(&self, name: &str) -> PathBuf {
        let path = self.run.join(name);
        stored::copy(&self.stored.join(name), &path);
        path
    }

    fn damage(&self, name: &str, random: &mut Random) {
        let bytes = fs::read(self.run.join(name)).expect("it is there");
        self.put(name, &damaged(&bytes, random));
    }

    /// Puts something else in the place of a file or folder that the program finds by itself.
    fn replace(&self, path: &Path, random: &mut Random) {
        stored::replace(path, Some(&self.outside), random);
    }
}

/// A model with the clips of another file: either may be damaged.
fn avatar(site: &Site, random: &mut Random) -> Asked {
    let (model, clips) = (*random.pick(AVATARS), *random.pick(CLIPS));
    for name in [model, clips] {
        let bytes = fs::read(site.fixtures.join("vrm").join(name)).expect("the fixture is there");
        site.put(name, &bytes);
    }
    site.damage(if random.once_in(2) { model } else { clips }, random);
    let command = *random.pick(&[
        "bake -o out.json",
        "check",
        "render --size 32x32 -o out.png",
        "inspect",
    ]);
    let extra = match command {
        "check" | "inspect" => String::new(),
        _ => format!(
            "--animation {clips} {}",
            random.pick(&["", "--expression happy=0.7"])
        ),
    };
    (words(&format!("{command} {model} {extra}")), None)
}

fn configured(site: &Site, random: &mut Random) -> Asked {
    let sound = random.pick(SOUND);
    site.copy(sound);
    site.put("skincheck.toml", &damaged(CONFIGURATION.as_bytes(), random));
    let line = if random.once_in(2) {
        "accept --new".to_owned()
    } else {
        format!("check {sound}")
    };
    (words(&line), None)
}

fn posed(site: &Site, random: &mut Random) -> Asked {
    let (sound, (name, text)) = (random.pick(SOUND), random.pick(&POSES));
    site.copy(sound);
    site.put(name, &damaged(text.as_bytes(), random));
    let command = *random.pick(&[
        "bake -o out.json",
        "render --size 32x32 -o out.png",
        "bake -o out.obj",
    ]);
    (words(&format!("{command} {sound} --pose {name}")), None)
}

fn baseline(site: &Site, random: &mut Random) -> Asked {
    let path = site.copy_stored("baseline.json");
    for name in CHECKED {
        site.copy(name);
    }
    if random.once_in(4) {
        stored::replace(&path, None, random);
    } else {
        let bytes = fs::read(&path).expect("it is there");
        site.put("baseline.json", &damaged_document(&bytes, random));
    }
    let line = *random.pick(&[
        "check . --baseline baseline.json",
        "check . --baseline baseline.json --prune",
        "check . --write-baseline baseline.json",
    ]);
    (words(line), None)
}

/// Also returns the kind of the reference.
fn reference(site: &Site, random: &mut Random) -> (&'static str, Asked) {
    // Another rig must not become this one by its damage.
    let is_other = random.once_in(2);
    let sound = references::sound(if is_other { 3.0 } else { 1.0 });
    let (kind, bytes) = if random.once_in(2) {
        let packed = references::packed(&sound);
        ("packed reference", damaged_packed(&packed, random))
    } else {
        ("reference", damaged_plain(&sound, random))
    };
    site.put("sound.skref", &references::sound(1.0));
    site.put("damaged.skref", &bytes);
    if random.once_in(8) {
        stored::replace(&site.run.join("damaged.skref"), None, random);
    }
    let sides = *random.pick(&["sound.skref damaged.skref", "damaged.skref sound.skref"]);
    let must = is_other.then_some(Must::NotPass);
    (kind, (words(&format!("diff {sides}")), must))
}

fn approval(site: &Site, random: &mut Random) -> Asked {
    let folder = site.copy_stored(APPROVED);
    site.put("skincheck.toml", TESTED.as_bytes());
    let model = String::from_utf8(site.read("arm.gltf")).expect("it is text");
    // A model that has changed must not pass because its approval is damaged.
    let has_changed = random.once_in(2);
    let model = if has_changed {
        model.replacen("[0, 1, 0]", "[0, 1.5, 0]", 1)
    } else {
        model
    };
    site.put("arm.gltf", model.as_bytes());
    let files = stored::files(&folder);
    let poses = folder.join("poses.skref");
    match random.below(12) {
        0 => site.replace(&folder, random),
        1 | 2 => site.replace(random.pick::<PathBuf>(&files), random),
        3..7 => stored::damage_approval(&poses, random),
        _ => stored::damage_approval(random.pick::<PathBuf>(&files), random),
    }
    let command = *random.pick(&[
        "test",
        "test --report html=report.html",
        "accept",
        "accept --prune",
    ]);
    let is_test = command.starts_with("test");
    let must = (has_changed && is_test).then_some(Must::NotPass);
    (words(command), must)
}

fn engine(site: &Site, random: &mut Random) -> Asked {
    let sound = random.pick(SOUND);
    site.copy(sound);
    site.put("answers", &answers(random));
    let line = format!(
        "laws {sound} --cases 2 --law {} --timeout 10 --reply-timeout 2 --artifacts {LAWS} --exec",
        random.pick(ASKED)
    );
    let mut arguments = words(&line);
    arguments.push(ENGINE.to_owned());
    (arguments, None)
}

/// Shards of a run with an error, which must be reported unless a value is replaced.
fn shards(site: &Site, random: &mut Random) -> Asked {
    let folder = site.copy_stored(SHARDS);
    let files = stored::files(&folder);
    let mut may_pass = false;
    for _ in 0..=random.below(2) {
        let path = random.pick(&files);
        if !path.is_file() {
            continue;
        }
        match random.below(8) {
            0 => site.replace(path, random),
            1 => {
                let other = random.pick(&files);
                let copied = fs::read(path).expect("it is readable");
                // What a link leads to must stay.
                if fs::remove_file(other).is_ok() {
                    fs::write(other, copied).expect("the folder is writable");
                }
            }
            _ => may_pass |= stored::damage_shard(path, random),
        }
    }
    let format = random.pick(&[
        "text", "json", "sarif", "junit", "github", "gitlab", "markdown", "html",
    ]);
    let line = format!(
        "merge {SHARDS}/1.json {SHARDS}/2.json --format {format} --report json=report.json"
    );
    (words(&line), (!may_pass).then_some(Must::NotPass))
}

/// Cached verdicts, of which some or their models are damaged.
fn cache(site: &Site, random: &mut Random) -> Asked {
    let folder = site.copy_stored("cache");
    for name in CHECKED {
        site.copy(name);
    }
    let (mut all, mut must) = (stored::files(&folder), Some(Must::EqualUncached));
    all.retain(|path| !path.ends_with("CACHEDIR.TAG"));
    let path = random.pick(&all);
    match random.below(8) {
        0 => site.replace(path, random),
        1 | 2 => site.damage(random.pick::<&str>(CHECKED), random),
        3..6 => stored::damage_entry(path, &all, random),
        _ => {
            stored::forge_entry(path, random);
            must = None;
        }
    }
    (words("check . --format json --cache cache"), must)
}

/// The folder for rigs that break laws.
pub(crate) const LAWS: &str = "laws";

fn on_model(name: &str, site: &Site, random: &mut Random) -> Vec<String> {
    let time = *random.pick(&[
        "",
        "--time 0.4",
        "--time 90%",
        "--frame 3 --fps 30",
        "--pose bind",
        "--time 1e9 --wrap loop",
    ]);
    let command = match random.below(31) {
        0..5 => format!(
            "check {name} --report json=report.json --format {} {}",
            random.pick(&["text", "json", "sarif", "junit", "github"]),
            random.pick(&[
                "",
                "--verbose",
                "--range-of-motion always",
                "--moments all",
                "--engine unreal"
            ])
        ),
        5..10 => format!(
            "render {name} -o out.png --size 48x48 {time} --show {} {}",
            random.pick(&[
                "lit",
                "texture",
                "clay",
                "normals",
                "influences",
                "sum",
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
            random.pick(&["", "--format json"])
        ),
        19 => format!("crosscheck {name} --times 2 --gl software --timeout 20"),
        20..22 => {
            site.put("sound.gltf", &site.read("arm.gltf"));
            format!(
                "diff {name} sound.gltf {}",
                random.pick(&["", "--format json", "--align similarity"])
            )
        }
        22..25 => format!(
            "film {name} --size 24x24 --times 3 --timeout 30 {} -o {}",
            random.pick(&["", "--orbit", "--views", "--all-clips", "--skeleton"]),
            random.pick(&["out.png", "out.gif", "out.apng"])
        ),
        27..29 => format!(
            "view {name} -o out.html --timeout 30 {}",
            random.pick(&[
                "",
                "--page-size 0.5",
                "--show truncation",
                "--skinning dual-quaternion"
            ])
        ),
        29..31 => format!(
            "fix {name} --dry-run --timeout 30 {}",
            random.pick(&[
                "",
                "--json",
                "--engine unreal",
                "--only W102,W103,W104,W106,W109,W112,W114,C505,C511,C512,C513,C521,C528,G805,G817,H301,T401"
            ])
        ),
        25 => format!("laws {name} --cases 3 --timeout 30 --artifacts {LAWS}"),
        _ => {
            site.put("sound.gltf", &site.read("arm.gltf"));
            format!("bake sound.gltf -o out.json --time 0.5 --animation {name}")
        }
    };
    words(&command)
}

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

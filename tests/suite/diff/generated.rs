//! Generated pairs: planted faults, one and two at a time, and harmless changes, on a fixture and on models of the corpus.
//! docs/diff.md shows how many are named correctly.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use skincheck::diff::{Kind, Tolerance};
use skincheck::import;
use skincheck::rig::{Asset, Bounds, Clip};
use skincheck::units::Seconds;

use super::edit::{attach, dress, joint, resample, thin};
use super::faults::{self, Fault};
use super::harmless::HARMLESS;
use super::{Base, caches, compare, distance, reported, walker};
use crate::program::reading;

/// Set to write the table instead of comparing it.
const UPDATE: &str = "SKINCHECK_UPDATE_SNAPSHOTS";

/// The lines of docs/diff.md before and after the table.
const START: &str = "<!-- generated pairs -->\n";
const END: &str = "<!-- end of generated pairs -->\n";

/// The joints that faults are planted in.
const JOINTS: [&str; 12] = [
    "Hips",
    "Chest",
    "Head",
    "LeftShoulder",
    "LeftUpperArm",
    "LeftHand",
    "RightUpperArm",
    "RightHand",
    "LeftUpperLeg",
    "LeftLowerLeg",
    "LeftFoot",
    "LeftToe",
];

/// Models of the corpus, and their names of these joints.
const MODELS: [(&str, [&str; 12]); 2] = [
    (
        "CesiumMan_glb/CesiumMan.glb",
        [
            "Skeleton_torso_joint_1",
            "torso_joint_3",
            "Skeleton_neck_joint_2",
            "Skeleton_arm_joint_L__4_",
            "Skeleton_arm_joint_L__3_",
            "Skeleton_arm_joint_L__2_",
            "Skeleton_arm_joint_R__2_",
            "Skeleton_arm_joint_R__3_",
            "leg_joint_L_1",
            "leg_joint_L_2",
            "leg_joint_L_3",
            "leg_joint_L_5",
        ],
    ),
    (
        "Fox/Fox.glb",
        [
            "b_Hip_01",
            "b_Spine02_03",
            "b_Head_05",
            "b_LeftUpperArm_09",
            "b_LeftForeArm_010",
            "b_LeftHand_011",
            "b_RightForeArm_07",
            "b_RightHand_08",
            "b_LeftLeg01_015",
            "b_LeftLeg02_016",
            "b_LeftFoot01_017",
            "b_LeftFoot02_018",
        ],
    ),
];

/// The keys of a clip, at 24 per second.
const KEYS: u32 = 24;

/// A larger mesh is thinned, for speed.
const MOST_TRIANGLES: usize = 1000;

/// A model of the corpus with the names, the keys and the clip of the walker.
fn model(corpus: &Path, file: &str, names: &[&str]) -> Asset {
    let options = import::Options {
        images: false,
        ..reading()
    };
    let loaded = import::load(&corpus.join(file), &options);
    let mut asset = loaded.unwrap_or_else(|error| panic!("{file}: {error}"));
    for (own, name) in names.iter().zip(JOINTS) {
        joint(&mut asset, own, |joint| name.clone_into(&mut joint.name));
    }
    if asset.meshes[0].triangles.len() > MOST_TRIANGLES {
        thin(&mut asset);
    }
    // The last clip of the fox moves most.
    asset.clips.drain(..asset.clips.len() - 1);
    let Clip { start, end, .. } = asset.clips[0];
    let phases = (0..=KEYS).map(|key| Seconds(f64::from(key) / f64::from(KEYS)));
    let phases: Vec<Seconds> = phases.collect();
    let times = phases
        .iter()
        .map(|phase| start.0 + phase.0 * (end.0 - start.0));
    resample(&mut asset, &times.collect::<Vec<_>>());
    let clip = &mut asset.clips[0];
    (clip.name, clip.unnamed) = ("Walk".to_owned(), false);
    (clip.start, clip.end) = (Seconds(0.0), Seconds(1.0));
    for channel in &mut clip.channels {
        // They are 1 throughout.
        channel.scale = None;
        let rotations = channel
            .rotation
            .iter_mut()
            .flat_map(|track| &mut track.keys);
        for (key, time) in rotations.zip(&phases) {
            key.time = *time;
        }
        let translations = channel.translation.iter_mut();
        let translations = translations.flat_map(|track| &mut track.keys);
        for (key, time) in translations.zip(&phases) {
            key.time = *time;
        }
    }
    asset
}

/// The walker and, with a corpus, models of it.
fn models() -> Vec<Asset> {
    let corpus = std::env::var_os("SKINCHECK_CORPUS");
    let others = corpus.iter().flat_map(|corpus| {
        let corpus = Path::new(corpus);
        MODELS
            .iter()
            .map(move |(file, names)| model(corpus, file, names))
    });
    let mut models: Vec<Asset> = std::iter::once(walker()).chain(others).collect();
    models.iter_mut().for_each(attach);
    models
}

/// Whether a fault fits the models.
fn is_of_walker(base: Base) -> bool {
    let bases = [walker as Base, faults::with_attachments];
    bases.iter().any(|own| std::ptr::fn_addr_eq(base, *own))
}

/// Faults in a model.
struct Planted<'a> {
    before: &'a Asset,
    faults: Vec<&'a Fault>,
}

/// What `diff` makes of planted faults.
struct Outcome {
    kinds: Vec<Kind>,
    is_found: bool,
    is_named: bool,
    text: String,
}

impl Planted<'_> {
    /// Returns `None` if the faults do not show in this model: the surfaces are the same.
    fn outcome(&self) -> Option<Outcome> {
        let is_beside = self.faults.iter().any(|fault| fault.is_beside);
        let mut before = self.before.clone();
        if is_beside {
            dress(&mut before);
        }
        let mut after = before.clone();
        for fault in &self.faults {
            (fault.plant)(&mut after);
        }
        let tolerance: Option<Tolerance> = self.faults.iter().find_map(|fault| fault.tolerance);
        let report = compare(before, after.clone(), tolerance);
        if report.is_same() && !is_beside && self.is_unseen(&after, NEAR * report.diagonal) {
            return None;
        }
        let named: Vec<Kind> = report.differences().map(|own| own.kind).collect();
        let kinds: Vec<Kind> = self.faults.iter().map(|fault| fault.kinds[0]).collect();
        let is_explained = |kind: &Kind| self.faults.iter().any(|fault| fault.kinds.contains(kind));
        let names = self.faults.iter().map(|fault| fault.name);
        Some(Outcome {
            is_found: !report.is_same(),
            is_named: kinds.iter().all(|kind| named.contains(kind))
                && named.iter().all(is_explained),
            text: format!(
                "{}, in a model of {} nodes: expected {kinds:?}, found\n{}",
                names.collect::<Vec<_>>().join(" and "),
                self.before.skeleton.len(),
                reported(&report)
            ),
            kinds,
        })
    }

    /// Whether the surface is within a limit, as measured without `diff`.
    fn is_unseen(&self, after: &Asset, limit: f64) -> bool {
        if after.clips.is_empty() || after.clips[0].name != self.before.clips[0].name {
            return false;
        }
        let times = (0..=4 * KEYS).map(|time| Seconds(f64::from(time) / f64::from(4 * KEYS)));
        distance([self.before, after], &times.collect::<Vec<_>>()) <= limit
    }
}

/// The default tolerance, as a fraction of the diagonal.
const NEAR: f64 = 1e-3;

/// The number of motion faults that each fault of the model is combined with.
const COMBINED: usize = 2;

/// Every fault that fits the models; then pairs of one of the model and one of its clip.
fn planted(models: &[Asset]) -> Vec<Planted<'_>> {
    let has_normals = |model: &Asset| !model.meshes[0].normals.is_empty();
    let of_normals = [Kind::Normals, Kind::Tangents, Kind::MorphShape];
    let fits =
        |model: &Asset, fault: &Fault| has_normals(model) || !of_normals.contains(&fault.kinds[0]);
    let mut planted = Vec::new();
    for (number, model) in models.iter().enumerate() {
        let of = |list: &'static [Fault]| {
            let own = list.iter().filter(|fault| is_of_walker(fault.base));
            own.filter(|fault| fits(model, fault)).collect::<Vec<_>>()
        };
        let (of_model, of_clip) = (of(faults::OF_MODEL), of(faults::OF_CLIP));
        for fault in of_model.iter().chain(&of_clip) {
            planted.push(Planted {
                before: model,
                faults: vec![fault],
            });
        }
        // Nothing else is seen of a clip that is missing.
        let seen = of_clip
            .iter()
            .filter(|fault| fault.kinds[0] != Kind::ClipMissing);
        let seen: Vec<&&Fault> = seen.collect();
        for (index, fault) in of_model.iter().enumerate() {
            for step in 0..COMBINED {
                let other = seen[(number + COMBINED * index + step) % seen.len()];
                planted.push(Planted {
                    before: model,
                    faults: vec![other, fault],
                });
            }
        }
    }
    planted
}

/// How many pairs of a kind there are, have the right verdict, and are named correctly.
type Counts = BTreeMap<Kind, [usize; 3]>;

fn table(counts: &Counts) -> String {
    let mut table =
        "| kind | pairs | different | named correctly |\n|---|---|---|---|\n".to_owned();
    for (kind, [pairs, found, named]) in counts {
        let _ = writeln!(table, "| `{}` | {pairs} | {found} | {named} |", kind.name());
    }
    table
}

#[test]
fn generated_faults_are_found_and_named() {
    let models = models();
    let planted = planted(&models);
    let outcomes: Vec<Outcome> = planted.par_iter().filter_map(Planted::outcome).collect();
    let mut counts = Counts::new();
    for outcome in &outcomes {
        for kind in &outcome.kinds {
            let own = counts.entry(*kind).or_default();
            for (count, is_right) in own
                .iter_mut()
                .zip([true, outcome.is_found, outcome.is_named])
            {
                *count += usize::from(is_right);
            }
        }
    }
    let wrong = |is_right: fn(&Outcome) -> bool| {
        let wrong = outcomes.iter().filter(|outcome| !is_right(outcome));
        wrong
            .map(|outcome| outcome.text.as_str())
            .collect::<Vec<_>>()
    };
    let missed = wrong(|outcome| outcome.is_found);
    assert!(
        missed.is_empty(),
        "called the same:\n{}",
        missed.join("\n\n")
    );
    let misnamed = wrong(|outcome| outcome.is_named);
    let named = outcomes.len() - misnamed.len();
    assert!(
        100 * named >= 95 * outcomes.len(),
        "{named} of {} are named correctly:\n{}",
        outcomes.len(),
        misnamed.join("\n\n")
    );
    if models.len() > 1 {
        let [same, different] = caches_with_right_verdicts(&models);
        let row = format!(
            "| a fault beside a point cache (PC2, MDD, MC) | {different} | {different} | |\n"
        );
        let total = format!(
            "{named} of {} pairs are named correctly. {same} point caches are the same as the model that they are of.",
            outcomes.len()
        );
        let table = format!("{}{row}\n{total}\n", table(&counts));
        holds_the_table(&table, &misnamed.join("\n\n"));
    }
}

/// Each clip as a point cache, beside the model and beside the model with a fault that shows in the frames of the cache: how many there
/// are.
fn caches_with_right_verdicts(models: &[Asset]) -> [usize; 2] {
    let faults = || {
        let faults = faults::OF_CLIP.iter();
        faults.filter(|fault| is_of_walker(fault.base) && !fault.is_beside)
    };
    let formats = caches::FORMATS.into_iter().map(|format| (format, None));
    let planted = caches::FORMATS.into_iter().cycle().zip(faults().map(Some));
    let kinds = formats.chain(planted);
    let pairs = models
        .iter()
        .flat_map(|model| kinds.clone().map(move |kind| (model, kind)));
    let pairs: Vec<_> = pairs.collect();
    let verdicts: Vec<(Option<&Fault>, bool)> = pairs
        .par_iter()
        .filter_map(|(model, (format, fault))| {
            let mut after = (*model).clone();
            if let Some(fault) = fault {
                (fault.plant)(&mut after);
                // Just after the keys, since a step holds its value until then, and files round their times.
                let times = (0..=KEYS).map(|key| Seconds(f64::from(key) / f64::from(KEYS) + 1e-6));
                let is_named = after.clips.first()?.name == model.clips[0].name;
                let apart = distance([*model, &after], &times.collect::<Vec<_>>());
                let size = Bounds::of_f32(&model.meshes[0].positions).diagonal();
                (is_named && apart > 2.0 * NEAR * size).then_some(())?;
            }
            let is_same = caches::is_same_as_cache(model, &after, format);
            Some((*fault, is_same == fault.is_none()))
        })
        .collect();
    let wrong = verdicts.iter().filter(|(_, is_right)| !is_right);
    let wrong: Vec<_> = wrong.map(|(fault, _)| fault.map(|own| own.name)).collect();
    assert!(wrong.is_empty(), "wrong verdicts: {wrong:?}");
    let same = verdicts.iter().filter(|(fault, _)| fault.is_none()).count();
    [same, verdicts.len() - same]
}

/// Holds docs/diff.md to a table.
///
/// * `misnamed` – what the table counts as misnamed.
#[track_caller]
fn holds_the_table(table: &str, misnamed: &str) {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/diff.md");
    let page = fs::read_to_string(&path).expect("the page is there");
    let start = page.find(START).expect("the page marks the table") + START.len();
    let end = page.find(END).expect("the page marks the end of the table");
    if std::env::var_os(UPDATE).is_some() {
        let page = [&page[..start], table, &page[end..]].concat();
        fs::write(&path, page).expect("docs/ is writable");
    } else {
        let own = &page[start..end];
        assert!(
            own == table,
            "docs/diff.md does not have this table; {UPDATE}=1 writes it:\n{table}\n{misnamed}"
        );
    }
}

#[test]
fn generated_harmless_changes_are_the_same() {
    let models = models();
    let changes = HARMLESS.iter().filter(|(_, base, _)| is_of_walker(*base));
    let pairs =
        changes.flat_map(|(name, _, change)| models.iter().map(move |model| (name, change, model)));
    let pairs: Vec<_> = pairs.collect();
    let wrong = pairs.par_iter().flat_map_iter(|(name, change, model)| {
        let mut after = (*model).clone();
        change(&mut after);
        [false, true].into_iter().filter_map(move |swapped| {
            let [a, b] = if swapped {
                [&after, *model]
            } else {
                [*model, &after]
            };
            let report = compare(a.clone(), b.clone(), None);
            let nodes = model.skeleton.len();
            let found = || {
                format!(
                    "{name}, {nodes} nodes (swapped: {swapped}):\n{}",
                    reported(&report)
                )
            };
            (!report.is_same()).then(found)
        })
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

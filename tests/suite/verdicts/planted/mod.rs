//! Plants faults in healthy models, and counts how many the rules find.

#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    clippy::float_cmp,
    reason = "every number here is a small constant"
)]

mod faults;
pub(crate) mod healthy;
pub(crate) mod real;
mod rig;
pub(crate) mod stored;

use std::collections::BTreeSet;
use std::fmt::Write;

use skincheck::finding::{Code, Finding, Level};
use skincheck::lint::{self, Context, Described, Known, Settings};
use skincheck::rig::Asset;

pub(crate) use faults::{Class, FAMILIES};

/// The findings at level hint and above.
///
/// * `asked` – requested rules, among those that are checked only on request.
pub(crate) fn alarms(asset: &Asset, asked: &[&'static str]) -> Vec<Finding> {
    loud(asset, &settings(asked))
}

/// The findings of `rules` alone, with all of their limits multiplied by `factor`.
fn alarms_of(asset: &Asset, rules: &[&'static str], factor: f64) -> Vec<Finding> {
    let mut settings = settings(rules);
    for meta in lint::rules().map(Described::meta) {
        if rules.contains(&meta.code.0) {
            for limit in meta.limits {
                let scaled = (limit.default * factor).clamp(limit.range.least, limit.range.most);
                settings.limits.insert((meta.code, limit.key), scaled);
            }
        } else {
            settings.levels.insert(meta.code, None);
        }
    }
    loud(asset, &settings)
}

fn settings(asked: &[&'static str]) -> Settings {
    Settings {
        asked: asked.iter().copied().map(Code).collect(),
        ..Settings::default()
    }
}

fn loud(asset: &Asset, settings: &Settings) -> Vec<Finding> {
    let checked = lint::check(&Context::new(asset, "model.gltf".as_ref(), settings));
    let loud = checked.findings.into_iter();
    loud.filter(|finding| finding.level >= Level::Hint)
        .collect()
}

/// Factors on the limits of rules: the points of a curve of detection against false alarms.
pub(crate) const FACTORS: [f64; 3] = [0.5, 1.0, 2.0];

/// A model that faults are planted in.
pub(crate) struct Host {
    pub(crate) asset: Asset,
    /// What its rules report without a fault, which does not count.
    known: BTreeSet<(Code, String)>,
}

impl Host {
    fn new(asset: Asset) -> Self {
        let classes = FAMILIES.iter().flat_map(|(_, classes)| *classes);
        let asked: Vec<&str> = classes.flat_map(|class| class.expected).copied().collect();
        let known = alarms(&asset, &asked).into_iter();
        Self {
            known: known.flat_map(|alarm| subjects(&alarm)).collect(),
            asset,
        }
    }

    /// Whether the rules for a class report nothing without a fault; such reports hide others.
    fn is_free_of(&self, class: &Class) -> bool {
        let mut known = self.known.iter();
        !known.any(|(code, _)| class.expected.contains(&code.0))
    }

    /// The findings that a fault of a class adds: of a rule for the class, if any subject is new, and of others only if they
    /// report nothing without the fault.
    fn new_alarms(&self, class: &Class, alarms: Vec<Finding>) -> Vec<Finding> {
        let is_new = |alarm: &Finding| {
            if class.expected.contains(&alarm.code.0) {
                !self.known.is_superset(&subjects(alarm))
            } else {
                self.known.iter().all(|(code, _)| *code != alarm.code)
            }
        };
        let alarms = alarms.into_iter();
        alarms.filter(is_new).collect()
    }
}

/// A rule, with each vertex, joint and clip that it reports; with the place if it reports none of them.
fn subjects(finding: &Finding) -> BTreeSet<(Code, String)> {
    let affected = &finding.affected;
    let vertices = affected.meshes.iter().flat_map(|mesh| {
        let vertices = mesh.vertices.iter();
        vertices.map(|vertex| format!("vertex {} {vertex}", mesh.instance.index()))
    });
    let joints = affected.joints.iter().chain(&finding.location.joint);
    let joints = joints.map(|joint| format!("joint {joint}"));
    let clips = affected.clips.iter();
    let clips = clips.map(|clip| format!("clip {}", clip.name));
    let all: BTreeSet<String> = vertices.chain(joints).chain(clips).collect();
    let place = all.is_empty().then(|| finding.location.to_string());
    let all = all.into_iter().chain(place);
    all.map(|subject| (finding.code, subject)).collect()
}

/// The results of one class at one strength, over all models that it can be planted in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) planted: usize,
    /// Found by any rule.
    pub(crate) by_any: usize,
    /// Found by any rule at level warning or above.
    pub(crate) certain: usize,
    /// Found by a rule for this class, with its limits multiplied by each of [`FACTORS`].
    pub(crate) named: [usize; 3],
}

impl Found {
    /// The results of a class at a strength.
    pub(crate) fn of(class: &Class, strength: f32, hosts: &[Host]) -> Self {
        let mut all = Self::default();
        for host in hosts.iter().filter(|host| host.is_free_of(class)) {
            let mut asset = host.asset.clone();
            if !(class.plant)(&mut asset, strength) {
                continue;
            }
            let is_named = |alarm: &Finding| class.expected.contains(&alarm.code.0);
            let by_any = host.new_alarms(class, alarms(&asset, class.expected));
            let is_certain = |alarm: &Finding| alarm.level >= Level::Warning;
            let by_default = usize::from(by_any.iter().any(is_named));
            let named = FACTORS.map(|factor| {
                if (factor - 1.0).abs() < 0.01 || !has_limits(class) {
                    return by_default;
                }
                let alarms = alarms_of(&asset, class.expected, factor);
                usize::from(host.new_alarms(class, alarms).iter().any(is_named))
            });
            all = all.plus(Self {
                planted: 1,
                by_any: usize::from(!by_any.is_empty()),
                certain: usize::from(by_any.iter().any(is_certain)),
                named,
            });
        }
        all
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        let named = [0, 1, 2].map(|index| self.named[index] + other.named[index]);
        Self {
            planted: self.planted + other.planted,
            by_any: self.by_any + other.by_any,
            certain: self.certain + other.certain,
            named,
        }
    }
}

/// Whether a rule for a class has a limit.
fn has_limits(class: &Class) -> bool {
    let mut metas = lint::rules().map(Described::meta);
    metas.any(|meta| class.expected.contains(&meta.code.0) && !meta.limits.is_empty())
}

/// Whether the file proves the faults of a class: a rule for it states that.
fn is_proved(class: &Class) -> bool {
    let metas = lint::rules().map(Described::meta);
    let mut own = metas.filter(|meta| class.expected.contains(&meta.code.0));
    !class.may_be_meant && own.any(|meta| meta.known == Known::Proved)
}

/// The curve of one class: the fraction found at each strength.
pub(crate) struct Curve {
    pub(crate) class: &'static Class,
    pub(crate) found: Vec<(f32, Found)>,
}

impl Curve {
    fn of(class: &'static Class, hosts: &[Host]) -> Self {
        let strengths = class.strengths.iter();
        Self {
            class,
            found: strengths
                .map(|strength| (*strength, Found::of(class, *strength, hosts)))
                .collect(),
        }
    }

    /// Whether a strength is visible. Smaller strengths listed later count as strong, such as a factor of 0.01 after
    /// 100.
    fn is_seen(&self, strength: f32) -> bool {
        let index = |wanted: f32| self.class.strengths.iter().position(|own| *own == wanted);
        index(strength) >= index(self.class.seen)
    }

    /// The results of visible strengths, and of invisible ones.
    pub(crate) fn totals(&self) -> [Found; 2] {
        let mut totals = [Found::default(); 2];
        for (strength, found) in &self.found {
            let unseen = usize::from(!self.is_seen(*strength));
            totals[unseen] = totals[unseen].plus(*found);
        }
        totals
    }

    /// The row of [`curves`]; empty if it was planted nowhere.
    fn row(&self) -> String {
        let cell = |(strength, found): &(f32, Found)| {
            let of = |count: usize| format!("{:.0}", 100.0 * count as f32 / found.planted as f32);
            let named = found.named.map(of).join("/");
            let unseen = if self.is_seen(*strength) {
                ""
            } else {
                " (unseen)"
            };
            let strength = match self.found.len() {
                1 => String::new(),
                _ => format!("{strength}{unseen}: "),
            };
            format!("{strength}{named}")
        };
        let planted = self.found.iter().filter(|(_, found)| found.planted > 0);
        let cells: Vec<String> = planted.map(cell).collect();
        let Class { name, expected, .. } = self.class;
        if cells.is_empty() {
            return String::new();
        }
        format!(
            "| {name} | {} | {} |\n",
            expected.join(", "),
            cells.join("; ")
        )
    }
}

/// The curves of all classes of a family.
pub(crate) struct Measured {
    pub(crate) family: &'static str,
    pub(crate) curves: Vec<Curve>,
}

/// Every family, in generated models.
pub(crate) fn measure() -> Vec<Measured> {
    let hosts: Vec<Host> = healthy::hosts().map(Host::new).collect();
    measure_in(&hosts, FAMILIES)
}

fn measure_in(hosts: &[Host], families: &[(&'static str, &'static [Class])]) -> Vec<Measured> {
    let families = families.iter();
    let measured = families.map(|(family, classes)| Measured {
        family,
        curves: classes
            .iter()
            .map(|class| Curve::of(class, hosts))
            .collect(),
    });
    measured.collect()
}

impl Measured {
    /// The results of visible strengths, and of invisible ones.
    pub(crate) fn totals(&self) -> [Found; 2] {
        let all = self.curves.iter().map(Curve::totals);
        all.fold([Found::default(); 2], |[a, b], [c, d]| {
            [a.plus(c), b.plus(d)]
        })
    }

    /// The results of visible strengths of the classes that the file proves.
    pub(crate) fn proved(&self) -> Found {
        let proved = self.curves.iter().filter(|curve| is_proved(curve.class));
        proved.fold(Found::default(), |sum, curve| {
            let [seen, _] = curve.totals();
            sum.plus(seen)
        })
    }

    /// The family's row of [`table`].
    fn row(&self) -> String {
        let [seen, unseen] = self.totals();
        let proved = self.proved();
        format!(
            "| {} | {} | {} | {:.0} % | {} | {} of {} | {} of {} |\n",
            self.family,
            self.curves.len(),
            seen.planted,
            100.0 * seen.by_any as f32 / seen.planted as f32,
            seen.named[1],
            proved.certain,
            proved.planted,
            unseen.by_any,
            unseen.planted
        )
    }

    /// Each class with the fraction found at each strength.
    pub(crate) fn details(&self) -> String {
        let mut text = String::new();
        for curve in &self.curves {
            write!(text, "{}: {}:", self.family, curve.class.name).expect("a string takes text");
            for (strength, found) in &curve.found {
                let Found {
                    planted,
                    by_any,
                    named,
                    ..
                } = found;
                write!(text, " {strength}: {by_any}/{planted} {named:?}")
                    .expect("a string takes text");
            }
            text.push('\n');
        }
        text
    }
}

/// The false alarms on healthy models, each with the model's name.
pub(crate) fn false_alarms() -> Vec<(String, Finding)> {
    let all = healthy::all();
    let alarms = all.flat_map(|(name, asset)| {
        let alarms = alarms(&asset, &[]).into_iter();
        alarms.map(move |alarm| (name.clone(), alarm))
    });
    alarms.collect()
}

/// The recall of each family, in Markdown.
pub(crate) fn table(measured: &[Measured]) -> String {
    let head = "| family | classes of faults | planted | found | by the rule for it | proved by the file, at warning or above | \
        reports on invisible faults |\n|---|---|---|---|---|---|---|\n";
    let rows = measured.iter().map(Measured::row);
    std::iter::once(head.to_owned()).chain(rows).collect()
}

/// The curve of each class, in Markdown.
pub(crate) fn curves(measured: &[Measured]) -> String {
    let head = "| fault | rules | found at half the limits / at the limits / at twice the limits, in percent |\n\
        |---|---|---|\n";
    let all = measured.iter().flat_map(|own| &own.curves);
    std::iter::once(head.to_owned())
        .chain(all.map(Curve::row))
        .collect()
}

/// For each rule of a fault that has limits, how many of `models` it reports at each of [`FACTORS`], in Markdown.
pub(crate) fn alarm_table<'a>(models: impl IntoIterator<Item = &'a Asset>) -> String {
    let classes = FAMILIES.iter().flat_map(|(_, classes)| classes.iter());
    let expected: BTreeSet<&str> = classes.flat_map(|class| class.expected).copied().collect();
    let metas = lint::rules().map(Described::meta);
    let metas: Vec<_> = metas
        .filter(|meta| expected.contains(meta.code.0) && !meta.limits.is_empty())
        .collect();
    let codes: Vec<&str> = metas.iter().map(|meta| meta.code.0).collect();
    let mut counts = vec![[0; 3]; codes.len()];
    for asset in models {
        for (index, factor) in FACTORS.into_iter().enumerate() {
            let alarms = alarms_of(asset, &codes, factor);
            for (code, count) in codes.iter().zip(&mut counts) {
                count[index] += usize::from(alarms.iter().any(|alarm| alarm.code.0 == *code));
            }
        }
    }
    let head = "| rule | limits | reported at half of them | at the limits | at twice the limits |\n\
        |---|---|---|---|---|\n";
    let rows = metas.iter().zip(counts).map(|(meta, [half, own, double])| {
        let limits = meta.limits.iter();
        let limits = limits.map(|limit| format!("`{}` {}", limit.key, limit.default));
        let limits = limits.collect::<Vec<_>>().join(", ");
        let (code, name) = (meta.code, meta.name);
        format!("| {code} {name} | {limits} | {half} | {own} | {double} |\n")
    });
    std::iter::once(head.to_owned()).chain(rows).collect()
}

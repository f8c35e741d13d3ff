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
mod rig;
pub(crate) mod stored;

use std::fmt::Write;

use skincheck::finding::{Code, Finding, Level};
use skincheck::lint::{self, Context, Settings};
use skincheck::rig::Asset;

pub(crate) use faults::{Class, FAMILIES};

/// The findings at level warning and above.
///
/// * `asked` – requested rules, among those that are checked only on request.
pub(crate) fn alarms(asset: &Asset, asked: &[&'static str]) -> Vec<Finding> {
    let settings = Settings {
        asked: asked.iter().copied().map(Code).collect(),
        ..Settings::default()
    };
    let checked = lint::check(&Context::new(asset, "model.gltf".as_ref(), &settings));
    let loud = checked.findings.into_iter();
    loud.filter(|finding| finding.level >= Level::Warning)
        .collect()
}

/// The results of one class at one strength, over all models that it can be planted in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) planted: usize,
    /// Found by any rule.
    pub(crate) by_any: usize,
    /// Found by a rule for this class.
    pub(crate) named: usize,
}

impl Found {
    /// The results of a class at a strength.
    pub(crate) fn of(class: &Class, strength: f32) -> Self {
        let mut all = Self::default();
        for mut asset in healthy::hosts() {
            if (class.plant)(&mut asset, strength) {
                let alarms = alarms(&asset, class.expected);
                let is_named = |alarm: &Finding| class.expected.contains(&alarm.code.0);
                all.planted += 1;
                all.by_any += usize::from(!alarms.is_empty());
                all.named += usize::from(alarms.iter().any(is_named));
            }
        }
        all
    }

    fn plus(self, other: Self) -> Self {
        Self {
            planted: self.planted + other.planted,
            by_any: self.by_any + other.by_any,
            named: self.named + other.named,
        }
    }
}

/// The curve of one class: the fraction found at each strength.
pub(crate) struct Curve {
    pub(crate) class: &'static Class,
    pub(crate) found: Vec<(f32, Found)>,
}

impl Curve {
    fn of(class: &'static Class) -> Self {
        let strengths = class.strengths.iter();
        Self {
            class,
            found: strengths
                .map(|strength| (*strength, Found::of(class, *strength)))
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
}

/// The curves of all classes of a family.
pub(crate) struct Measured {
    pub(crate) family: &'static str,
    pub(crate) curves: Vec<Curve>,
}

/// Every family.
pub(crate) fn measure() -> Vec<Measured> {
    let families = FAMILIES.iter();
    let measured = families.map(|(family, classes)| Measured {
        family,
        curves: classes.iter().map(Curve::of).collect(),
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

    /// The family's row of [`table`].
    fn row(&self) -> String {
        let [seen, unseen] = self.totals();
        format!(
            "| {} | {} | {} | {:.0} % | {} | {} of {} |\n",
            self.family,
            self.curves.len(),
            seen.planted,
            100.0 * seen.by_any as f32 / seen.planted as f32,
            seen.named,
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
                } = found;
                write!(text, " {strength}: {by_any}/{planted} ({named})")
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
    let head = "| family | classes of faults | planted | found | by the rule for it | reports on invisible faults |\n\
        |---|---|---|---|---|---|\n";
    let rows = measured.iter().map(Measured::row);
    std::iter::once(head.to_owned()).chain(rows).collect()
}

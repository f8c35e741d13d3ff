//! `X703`: importers-disagree.

use crate::crosscheck::importers::{self, Difference, ImporterReport, Off, Stage, StageReport};
use crate::import::{self, Importer, Options};
use crate::lint::core::context::Analysis;
use crate::lint::core::numbers::diagonals;
use crate::lint::{Context, Findings, Offence, Rule, declare_rule};

declare_rule! {
    ImportersDisagree, "X703", "importers-disagree", Warning
}

impl Rule for ImportersDisagree {
    fn uncheckable(&self, cx: &Context<'_>) -> Option<String> {
        let differs = |pair: [&dyn Importer; 2]| {
            let mut pair = pair.into_iter();
            pair.find_map(|importer| importer.differs_always(cx.path))
        };
        let why = match (cx.cross, other(cx)) {
            (_, None) => "this build has no second importer of the format".to_owned(),
            (None, _) => "cross-checks were not started".to_owned(),
            (Some(_), Some(pair)) => match differs(pair) {
                Some(why) => why.to_owned(),
                None => read_twice(cx)?.as_ref().err()?.clone(),
            },
        };
        Some(format!("not checkable: {why}"))
    }

    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        if let Some(Ok(report)) = read_twice(cx) {
            report_differences(cx, report, out);
        }
    }
}

/// The importer that has read the file, and the first other one that supports it.
fn other(cx: &Context<'_>) -> Option<[&'static dyn Importer; 2]> {
    let known = || import::importers_for(cx.path);
    let wanted = cx.cross.and_then(|cross| cross.reading.importer.as_deref());
    let first = known().find(|known| wanted.is_none_or(|wanted| known.name() == wanted))?;
    Some([first, known().find(|known| known.name() != first.name())?])
}

/// The comparison of both importers; `None` if there is only one. Only the other one has to read the file again.
struct ReadTwice(Option<Result<ImporterReport, String>>);

impl Analysis for ReadTwice {
    fn of(cx: &Context<'_>) -> Self {
        let report = other(cx).zip(cx.cross).map(|(pair, cross)| {
            let options = Options {
                images: false,
                ..cross.reading.clone()
            };
            let pair = pair.map(Importer::name);
            let report = importers::compare_read(cx.asset, cx.path, pair, &options);
            report.map_err(|error| error.to_string())
        });
        Self(report)
    }
}

fn read_twice<'a>(cx: &'a Context<'_>) -> Option<&'a Result<ImporterReport, String>> {
    cx.get::<ReadTwice>().0.as_ref()
}

pub(super) fn report_differences(cx: &Context<'_>, report: &ImporterReport, out: &mut Findings) {
    let Some(stage) = report.first_difference() else {
        return;
    };
    let Some(difference) = stage.differences.first() else {
        return;
    };
    let group = cx.subject(&difference.location);
    let offence = Offence::of(&group, "difference");
    out.add_many(offence, difference.count, |subject| {
        (subject, words(report, stage, difference))
    });
}

fn words(report: &ImporterReport, stage: &StageReport, difference: &Difference) -> String {
    let [a, b] = &report.names;
    let kind = difference.kind.name();
    let words = format!("{a} and {b} first differ in {}: {kind}", stage.stage.name());
    // assimp reads these weights as bytes beyond its buffer, so they differ in each run.
    if stage.stage == Stage::Weights {
        return words;
    }
    let [x, y] = &difference.says;
    let words = match (x.as_str(), y.as_str()) {
        ("", "") => words,
        (x, y) => format!("{words}; {a}: {x}, {b}: {y}"),
    };
    match difference.off {
        Some(Off::Length { relative, .. }) => {
            words + &format!("; off by {}", diagonals(relative, 2))
        }
        Some(Off::Part { relative }) => words + &format!("; off by {relative:.3}"),
        Some(Off::Time { seconds }) => words + &format!("; off by {:.4} s", seconds.get()),
        _ => words,
    }
}

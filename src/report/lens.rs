//! What lenses state, for people.

use std::fmt::Write;

use super::document::{heading, wrapped};
use super::format::View;
use crate::lens::{
    Interpolation, Kept, LENSES, Lens, Rounding, Stated, Storage, Sum, Unweighted, World,
};
use crate::rig::SkinningMethod;

/// A statement: what it is about, what is emulated, and its source, if any.
type Statement = (&'static str, String, Option<&'static str>);

/// All statements of a lens.
fn statements(lens: &Lens) -> [Statement; 10] {
    fn of<T: Copy>(
        what: &'static str,
        stated: Stated<T>,
        words: impl Fn(T) -> String,
    ) -> Statement {
        (what, words(stated.value), stated.source)
    }
    [
        of("influences", lens.influences, |most| {
            most.map_or_else(|| "all".to_owned(), |most| format!("{most} per vertex"))
        }),
        of("kept", lens.kept, |kept| {
            let kept = match kept {
                Kept::First => "the first in the file",
                Kept::Largest => "the largest",
            };
            kept.to_owned()
        }),
        of("sum of weights", lens.sum, |sum| {
            let sum = match sum {
                Sum::Divided => "weights are divided by it",
                Sum::Homogeneous => "positions are divided by it",
                Sum::Undivided => "weights are used as they are",
            };
            sum.to_owned()
        }),
        of("no weight", lens.unweighted, |unweighted| {
            let follows = match unweighted {
                Unweighted::Node => "follows the mesh's node",
                Unweighted::FirstJoint => "follows the first joint",
            };
            follows.to_owned()
        }),
        of("storage", lens.storage, |storage| match storage {
            Storage::Float => "f32".to_owned(),
            Storage::AsInFile => "the file's type".to_owned(),
            Storage::Parts { bits, rounding } => match rounding {
                Rounding::Repaired => {
                    format!("{bits} bits, rounded; the largest weight absorbs the error")
                }
                Rounding::Down => format!("{bits} bits, rounded down"),
            },
        }),
        of("blending", lens.blending, |blending| {
            let blended = match blending {
                SkinningMethod::AsInFile => "as in the file",
                SkinningMethod::Linear => "linear, of matrices",
                SkinningMethod::DualQuaternion => "dual quaternions",
            };
            blended.to_owned()
        }),
        of("joints", lens.joints, |most| {
            most.map_or_else(
                || "no limit".to_owned(),
                |most| format!("{most} per draw call"),
            )
        }),
        of("rotations", lens.rotations, |rotations| {
            let rotations = match rotations {
                Interpolation::Spherical => "spherical",
                Interpolation::Components => "by components, then normalized",
                Interpolation::Mixed => "by components, then normalized, below 36°; else spherical",
            };
            rotations.to_owned()
        }),
        of("clips", lens.rate, |rate| {
            rate.map_or_else(
                || "keep their keys".to_owned(),
                |rate| format!("sampled at {rate} fps"),
            )
        }),
        of("matrices", lens.world, |world| {
            let lead = match world {
                World::Relative => "f32, relative to the model",
                World::Nodes => {
                    "f32; those of nodes in the world, skinning matrices relative to the model"
                }
                World::Palette => "f32; skinning matrices in the world, computed in f64",
                World::NodesAndPalette => "f32, in the world",
            };
            lead.to_owned()
        }),
    ]
}

/// All lenses for a terminal: what each does by default, its options, and the sources.
#[must_use]
pub fn list_lenses(view: View) -> String {
    let mut text = String::new();
    for lens in LENSES {
        let head = format!("{}: {} {}", lens.name, lens.title, lens.version);
        let mut lines = vec![heading(&head, view)];
        for (what, words, source) in statements(lens) {
            let Some(source) = source else {
                continue;
            };
            lines.push(wrapped(&format!("  {what}: {words} ({source})"), "    "));
        }
        for setting in lens.settings {
            let (name, values) = (setting.name, setting.values.describe());
            let line = format!("  {}:{name}=…: {values} ({})", lens.name, setting.source);
            lines.push(wrapped(&line, "    "));
        }
        writeln!(text, "{}\n", lines.join("\n")).expect("a string takes all text");
    }
    text + "What no source states is left as it is in the file.\n"
}

/// The table of the documentation.
#[must_use]
pub fn lens_table() -> String {
    let mut table = "| engine | | | source |\n|---|---|---|---|\n".to_owned();
    for lens in LENSES {
        let mut engine = format!("`{}`: {} {}", lens.name, lens.title, lens.version);
        let stated = statements(lens).into_iter();
        let stated =
            stated.filter_map(|(what, words, source)| Some((what.to_owned(), words, source?)));
        let options = lens.settings.iter().map(|setting| {
            let name = format!("option `{}`", setting.name);
            (name, setting.values.describe(), setting.source)
        });
        for (what, words, source) in stated.chain(options) {
            let engine = std::mem::take(&mut engine);
            writeln!(table, "| {engine} | {what} | {words} | {source} |")
                .expect("a string takes all text");
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_stated_number_has_a_source_and_most_engines_state_their_influences() {
        for lens in LENSES {
            let [influences, ..] = statements(lens);
            assert!(influences.2.is_some(), "{}", lens.name);
            for (what, _, source) in statements(lens) {
                let is_text = source.is_none_or(|source| source.len() > 10);
                assert!(is_text, "{} {what}: {source:?}", lens.name);
            }
            assert!(!lens.version.is_empty() && !lens.title.ends_with('.'));
        }
    }

    #[test]
    fn a_lens_changes_nothing_that_no_source_states() {
        for lens in LENSES {
            let plain = (
                lens.unweighted.source.is_some() || lens.unweighted.value == Unweighted::Node,
                lens.storage.source.is_some() || lens.storage.value == Storage::Float,
                lens.rotations.source.is_some() || lens.rotations.value == Interpolation::Spherical,
                lens.rate.source.is_some() || lens.rate.value.is_none(),
                lens.sum.source.is_some() || lens.sum.value == Sum::Divided,
                lens.world.source.is_some() || lens.world.value == World::Relative,
                lens.blending.source.is_some() || lens.blending.value == SkinningMethod::AsInFile,
            );
            assert_eq!(
                plain,
                (true, true, true, true, true, true, true),
                "{}",
                lens.name
            );
        }
    }

    #[test]
    fn the_documentation_has_the_table_of_lenses() {
        let page = include_str!("../../docs/engines.md");
        let table = lens_table();
        assert!(
            page.contains(&table),
            "docs/engines.md has another table than\n{table}"
        );
    }
}

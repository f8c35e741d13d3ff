//! The engines, each statement with its source.

use std::sync::LazyLock;

use serde::Deserialize;

use super::engine::Engine;

/// Every engine, format and platform, in the order of the documentation.
///
/// The limits are defaults that a project can change. Where no number is published, there is none: engines that split a
/// mesh into sections have no limit of joints per skin.
pub static ENGINES: LazyLock<Vec<Engine>> = LazyLock::new(|| {
    #[derive(Deserialize)]
    struct Table {
        engine: Vec<Engine>,
    }
    let table: Result<Table, _> = toml::from_str(include_str!("engines.toml"));
    table.expect("a test reads engines.toml").engine
});

/// The engine named `name`, ignoring case.
#[must_use]
pub fn find_engine(name: &str) -> Option<&'static Engine> {
    let mut engines = ENGINES.iter();
    engines.find(|engine| engine.name.eq_ignore_ascii_case(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_engine_is_found_by_its_name() {
        for engine in ENGINES.iter() {
            assert_eq!(find_engine(engine.name), Some(engine));
            assert_eq!(find_engine(&engine.name.to_uppercase()), Some(engine));
            assert!(!engine.version.is_empty() && !engine.title.ends_with('.'));
        }
        assert_eq!(find_engine("quake"), None);
    }

    #[test]
    fn every_engine_limits_influences_and_only_sources_that_say_which_are_kept_say_more() {
        for engine in ENGINES.iter() {
            assert!(engine.influences.is_some(), "{}", engine.name);
            let uses = engine.sum.is_some() || engine.storage.is_some() || engine.rate.is_some();
            assert!(engine.is_emulated() || !uses, "{}", engine.name);
        }
    }

    #[test]
    fn the_up_axis_is_neither_forward_nor_front() {
        for (name, axes) in ENGINES
            .iter()
            .filter_map(|own| Some((own.name, own.axes?.value)))
        {
            let up = axes.up.unit();
            for ahead in [axes.forward, axes.front] {
                assert!(up.dot(ahead.unit()).abs() < 0.5, "{name}: {ahead}");
            }
        }
    }
}

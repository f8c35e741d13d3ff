//! Names in a configuration that nothing is called by.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::file::Config;
use super::layer::{Layer, Table};
use super::nearest::{hint, nearest};
use super::position::Position;
use crate::lint::matches;
use crate::rig::Asset;
use crate::shown::escaped;

/// What the clips and joints of a model are called.
#[derive(Debug, Clone, Default)]
pub struct ModelNames {
    clips: BTreeSet<String>,
    joints: BTreeSet<String>,
}

impl ModelNames {
    /// Of the model `asset`.
    #[must_use]
    pub fn of(asset: &Asset) -> Self {
        let clips = asset.clips.iter().map(|clip| clip.name.clone());
        let joints = asset.skeleton.joints().iter();
        Self {
            clips: clips.collect(),
            joints: joints.map(|joint| joint.name.clone()).collect(),
        }
    }
}

/// A name in a configuration, which something should be called by.
#[derive(Debug, Clone)]
pub(super) struct Name {
    pub(super) list: List,
    pub(super) text: String,
    /// At which byte it begins.
    pub(super) at: usize,
}

/// Where in a configuration a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Loops,
    InPlace,
    Feet,
    Root,
}

impl List {
    /// Whether `layer` says what is in it, be it nothing.
    fn is_in(self, layer: &Layer) -> bool {
        match self {
            Self::Loops => layer.loops.is_some(),
            Self::InPlace => layer.in_place.is_some(),
            Self::Feet => layer.feet.is_some(),
            Self::Root => layer.root.is_some(),
        }
    }

    fn what(self) -> &'static str {
        match self {
            Self::Loops | Self::InPlace => "clip",
            Self::Feet | Self::Root => "joint",
        }
    }

    fn of(self, model: &ModelNames) -> &BTreeSet<String> {
        match self {
            Self::Loops | Self::InPlace => &model.clips,
            Self::Feet | Self::Root => &model.joints,
        }
    }
}

impl Name {
    /// Whether something is called so.
    fn is_in(&self, model: &ModelNames) -> bool {
        let mut names = self.list.of(model).iter();
        names.any(|name| matches(&self.text, name))
    }

    fn missing(&self, models: &[&ModelNames]) -> Fault {
        let names = models.iter().flat_map(|model| self.list.of(model));
        let nearest = nearest(&self.text, names.map(String::as_str));
        Fault::Name {
            what: self.list.what(),
            name: self.text.clone(),
            files: models.len(),
            nearest: nearest.map(str::to_owned),
        }
    }
}

/// A name in a configuration that nothing is called by, or a pattern of files that none is called like.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}:{position}: {fault}", path.display())]
pub struct Unmatched {
    path: PathBuf,
    position: Position,
    fault: Fault,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum Fault {
    #[error("no file matches \"{}\"", escaped(pattern))]
    Files { pattern: String },
    #[error(
        "each file that matches \"{}\" has a nearer configuration",
        escaped(pattern)
    )]
    Shadowed { pattern: String },
    #[error(
        "no {what} is called \"{}\" in the {} it holds for{}",
        escaped(name),
        if *files == 1 { "file".to_owned() } else { format!("{files} files") },
        hint(nearest.as_deref())
    )]
    Name {
        what: &'static str,
        name: String,
        files: usize,
        nearest: Option<String>,
    },
}

/// A file that a configuration is for, and its names if it could be read.
pub type Model<'a> = (&'a Path, Option<&'a ModelNames>);

impl Config {
    /// The names of clips and joints, and the patterns of files, that mean nothing in `models`.
    ///
    /// A name is looked for in those that it holds for, and nothing is said of it if one of these could not be read.
    ///
    /// * `others` – files that another configuration is for.
    #[must_use]
    pub fn unmatched(&self, models: &[Model<'_>], others: &[&Path]) -> Vec<Unmatched> {
        let inside = |path: &&Path| self.inside(path);
        let own: Vec<PathBuf> = models.iter().map(|(path, _)| inside(path)).collect();
        let others: Vec<PathBuf> = others.iter().map(inside).collect();
        let patterns = self.overrides.iter().flat_map(|other| &other.files);
        let idle = patterns.filter_map(|files| {
            let is_any = |paths: &[PathBuf]| paths.iter().any(|path| files.pattern.matches(path));
            let pattern = files.text.clone();
            let fault = match (is_any(&own), is_any(&others)) {
                (true, _) => return None,
                (false, true) => Fault::Shadowed { pattern },
                (false, false) => Fault::Files { pattern },
            };
            Some((files.at, fault))
        });
        let names = self.tables().flat_map(|table| &table.names);
        let missing = names.filter_map(|name| Some((name.at, self.missing(name, models)?)));
        let mut found: Vec<(usize, Fault)> = idle.chain(missing).collect();
        found.sort_by_key(|(at, _)| *at);
        let told = |(at, fault)| Unmatched {
            path: self.path.clone(),
            position: Position::of(&self.text, at),
            fault,
        };
        found.into_iter().map(told).collect()
    }

    /// What is wrong with `name`, if nothing is called so.
    fn missing(&self, name: &Name, models: &[Model<'_>]) -> Option<Fault> {
        let held = models.iter().filter(|(path, _)| self.holds(name, path));
        let held: Vec<&ModelNames> = held.map(|(_, names)| *names).collect::<Option<_>>()?;
        let is_there = held.iter().any(|model| name.is_in(model));
        (!held.is_empty() && !is_there).then(|| name.missing(&held))
    }

    /// Whether `name` is of the last table that says anything about its matter for `file`.
    fn holds(&self, name: &Name, file: &Path) -> bool {
        let tables = self.tables_for(file);
        let last = tables.filter(|table| name.list.is_in(&table.layer)).last();
        let own = |table: &Table| table.names.iter().any(|own| own.at == name.at);
        last.is_some_and(own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(clips: &[&str], joints: &[&str]) -> ModelNames {
        let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        ModelNames {
            clips: set(clips),
            joints: set(joints),
        }
    }

    fn told(text: &str, models: &[(&str, Option<ModelNames>)]) -> Vec<String> {
        told_among(text, models, &[])
    }

    fn told_among(
        text: &str,
        models: &[(&str, Option<ModelNames>)],
        others: &[&str],
    ) -> Vec<String> {
        let config = Config::parse(Path::new("c.toml"), Path::new("/a"), text);
        let config = config.expect("the configuration is right");
        let models: Vec<Model<'_>> = models
            .iter()
            .map(|(path, names)| (Path::new(*path), names.as_ref()))
            .collect();
        let others: Vec<&Path> = others.iter().map(Path::new).collect();
        let unmatched = config.unmatched(&models, &others);
        unmatched.iter().map(ToString::to_string).collect()
    }

    const NAMES: &str = "[clips]\nloops = [\"Wlak\", \"Run*\"]\nin-place = [\"Jump\"]\n\
        [joints]\nfeet = [\"Left*\"]\nroot = \"Root\"\n";

    #[test]
    fn a_name_that_nothing_is_called_by_is_told_with_its_place_and_the_nearest() {
        let models = [
            (
                "/a/hero.glb",
                Some(named(&["Walk", "RunFast"], &["LeftToe"])),
            ),
            ("/a/b/bird.glb", Some(named(&["Jump"], &["Hips", "Root"]))),
        ];
        let expected = "c.toml:2:10: no clip is called \"Wlak\" in the 2 files it holds for (did you mean \"Walk\"?)";
        assert_eq!(told(NAMES, &models), [expected]);
        let alone = [
            "c.toml:2:10: no clip is called \"Wlak\" in the file it holds for",
            "c.toml:2:18: no clip is called \"Run*\" in the file it holds for",
            "c.toml:5:9: no joint is called \"Left*\" in the file it holds for",
        ];
        assert_eq!(told(NAMES, &models[1..]), alone);
    }

    #[test]
    fn nothing_is_said_of_what_a_file_may_have_that_could_not_be_read() {
        assert!(told(NAMES, &[("/a/hero.glb", None)]).is_empty());
        assert!(told(NAMES, &[]).is_empty());
    }

    #[test]
    fn a_name_is_looked_for_where_it_holds() {
        let text = "clips.loops = [\"Walk\"]\n[[overrides]]\nfiles = [\"props/**\"]\nclips.loops = [\"Spin\"]\n\
            [[overrides]]\nfiles = [\"props/old/**\"]\nclips.loops = []\n";
        let models = |hero: &str, prop: &str| {
            [
                ("/a/hero.glb", Some(named(&[hero], &[]))),
                ("/a/props/wheel.glb", Some(named(&[prop], &[]))),
                (
                    "/a/props/old/wheel.glb",
                    Some(named(&["Walk", "Spin"], &[])),
                ),
            ]
        };
        assert!(told(text, &models("Walk", "Spin")).is_empty());
        let swapped = [
            "c.toml:1:16: no clip is called \"Walk\" in the file it holds for",
            "c.toml:4:16: no clip is called \"Spin\" in the file it holds for",
        ];
        assert_eq!(told(text, &models("Spin", "Walk")), swapped);
    }

    #[test]
    fn a_pattern_that_no_file_matches_is_told() {
        let text = "[[overrides]]\nfiles = [\"prop/**\", \"*.glb\"]\nlevel = \"info\"\n";
        let models = [("/a/props/wheel.glb", None)];
        let expected = ["c.toml:2:10: no file matches \"prop/**\""];
        assert_eq!(told(text, &models), expected);
        let expected =
            ["c.toml:2:10: each file that matches \"prop/**\" has a nearer configuration"];
        assert_eq!(told_among(text, &models, &["/a/prop/box.glb"]), expected);
    }
}

//! What the surface's colours show.
//!
//! Each mode is one file and one line in [`MODES`]. A mode chooses a [`ColorSource`], which every backend implements.

mod appearance;
mod depth;
mod influences;
mod joints;
mod lit;
mod mode;
mod normals;
mod texture;
mod uv;
mod values;
mod vertices;
mod weights;
mod wireframe;

use std::sync::LazyLock;

pub(crate) use appearance::{Appearance, Sides};
pub use mode::Show;
pub(crate) use vertices::{ColorSource, Vertices};

use super::ViewError;
use super::words::look_up;
use crate::rig::NodeId;
use mode::Mode;

/// All modes, in the order of the documentation.
const MODES: &[&Mode] = &[
    &lit::MODE,
    &texture::MODE,
    &normals::MODE,
    &weights::MODE,
    &influences::MODE,
    &joints::MODE,
    &uv::MODE,
    &depth::MODE,
    &wireframe::MODE,
];

static EXPECTED: LazyLock<String> = LazyLock::new(|| {
    let words: Vec<String> = MODES.iter().map(|mode| mode.usage()).collect();
    let (last, others) = words.split_last().expect("there are modes");
    format!("{} or {last}", others.join(", "))
});

impl Show {
    /// What [`parse`](Self::parse) reads, for help and messages: `lit, texture, … or wireframe`.
    #[must_use]
    pub fn expected() -> &'static str {
        &EXPECTED
    }

    /// Every mode; `joint` is the one that [`weights`](Self::weights) shows.
    pub fn all(joint: NodeId) -> impl Iterator<Item = Self> {
        MODES.iter().map(move |mode| Self::new(mode, joint))
    }

    /// Reads the name of a mode, or `weights:JOINT`.
    ///
    /// * `resolve_joint` – finds the joint of that name in the asset. The name is everything after the first colon,
    ///   including further colons: `weights:mixamorig:Hips`.
    ///
    /// # Errors
    ///
    /// A [`ViewError`] if the text names no mode or lacks its joint, and the error of `resolve_joint`.
    pub fn parse<E: From<ViewError>>(
        text: &str,
        resolve_joint: impl FnOnce(&str) -> Result<NodeId, E>,
    ) -> Result<Self, E> {
        let (word, joint) = text.split_once(':').unwrap_or((text, ""));
        let words: Vec<_> = MODES.iter().map(|mode| (mode.name, *mode)).collect();
        let mode = look_up(&words, word, "picture", Self::expected())?;
        match (mode.needs_joint, joint) {
            (true, "") => Err(ViewError::NoJoint(mode.name).into()),
            (true, name) => Ok(Self::new(mode, resolve_joint(name)?)),
            (false, "") => Ok(Self::plain(mode)),
            (false, _) => Err(ViewError::NotOfAJoint(word.to_owned()).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Show, ViewError> {
        Show::parse(text, |name| match name {
            "mixamorig:Hips" => Ok(NodeId(7)),
            _ => Err(ViewError::NoJoint("weights")),
        })
    }

    #[test]
    fn every_mode_is_read() {
        for show in Show::all(NodeId(7)) {
            let text = match show.joint() {
                Some(_) => format!("{}:mixamorig:Hips", show.name()),
                None => show.name().to_owned(),
            };
            assert_eq!(parse(&text), Ok(show));
        }
    }

    #[test]
    fn the_name_of_a_joint_may_hold_colons() {
        assert_eq!(
            parse("weights:mixamorig:Hips"),
            Ok(Show::weights(NodeId(7)))
        );
    }

    #[test]
    fn a_misspelled_word_before_a_joint_is_found_too() {
        let error = parse("weight:Hips").unwrap_err().to_string();
        assert!(
            error.starts_with("unknown picture \"weight\" (did you mean \"weights\"?)"),
            "{error}"
        );
    }

    #[test]
    fn only_weights_are_of_a_joint() {
        let depth = ViewError::NotOfAJoint("depth".to_owned());
        assert_eq!(parse("depth:Hips"), Err(depth));
        assert_eq!(parse("depth:"), Ok(Show::DEPTH));
    }
}

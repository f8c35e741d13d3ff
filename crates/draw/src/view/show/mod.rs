//! The meaning of the surface's colours.
//!
//! Each mode is a [`Mode`] in `modes.rs` and a line in [`MODES`]. It chooses a [`ColorSource`], which every backend implements.

mod legend;
mod mode;
mod modes;
mod vertices;

use std::sync::LazyLock;

use super::ViewError;
use super::error::look_up;
use crate::rig::NodeId;
use mode::{Mode, Takes};
use vertices::Asked;

pub use legend::{Legend, Measured, Swatch, Tick};
#[doc(hidden)]
pub use mode::Appearance;
pub use mode::Show;
pub(crate) use mode::Sides;
pub(crate) use vertices::ColorSource;
#[doc(hidden)]
pub use vertices::Vertices;

/// All modes, in the order of the documentation.
const MODES: &[&Mode] = &[
    &modes::LIT,
    &modes::TEXTURE,
    &modes::CLAY,
    &modes::NORMALS,
    &modes::WEIGHTS,
    &modes::INFLUENCES,
    &modes::SUM,
    &modes::JOINTS,
    &modes::UV,
    &modes::DEPTH_MODE,
    &modes::WIREFRAME,
    &modes::STRETCH,
    &modes::VOLUME,
    &modes::BEND,
    &modes::TRUNCATION,
    &modes::DISTANCE,
];

static EXPECTED: LazyLock<String> = LazyLock::new(|| {
    let words: Vec<String> = MODES.iter().map(|mode| mode.usage()).collect();
    let (last, others) = words.split_last().expect("there are modes");
    format!("{} or {last}", others.join(", "))
});

impl Show {
    /// What [`parse`](Self::parse) reads, for help and messages: `lit, texture, … or distance:FILE`.
    #[must_use]
    pub fn expected() -> &'static str {
        &EXPECTED
    }

    /// Every mode; `joint` is the one that [`weights`](Self::weights) shows.
    pub fn all(joint: NodeId) -> impl Iterator<Item = Self> {
        MODES.iter().map(move |mode| {
            let asked = match mode.takes {
                Takes::Nothing => Asked::Nothing,
                Takes::Joints => Asked::Joints([joint].into()),
                Takes::Numbers | Takes::ReferenceAndNumbers => Asked::Unmeasured("".into()),
            };
            Self::asking(mode, asked)
        })
    }

    /// Reads the name of a mode, `weights:JOINTS` or `distance:FILE`.
    ///
    /// * `resolve` – finds the joints that a text names in the asset. The text is everything after the first colon,
    ///   including further colons: `weights:mixamorig:Hips`.
    ///
    /// # Errors
    ///
    /// A [`ViewError`] if the text names no mode or lacks what belongs to it, and the error of `resolve`.
    pub fn parse<E: From<ViewError>>(
        text: &str,
        resolve: impl FnOnce(&str) -> Result<Vec<NodeId>, E>,
    ) -> Result<Self, E> {
        let (word, argument) = text.split_once(':').unwrap_or((text, ""));
        let words: Vec<_> = MODES.iter().map(|mode| (mode.name, *mode)).collect();
        let mode = look_up(&words, word, "mode", Self::expected())?;
        match (mode.takes, argument) {
            (Takes::Joints, "") => Err(ViewError::NoJoint(mode.name).into()),
            (Takes::Joints, names) => Ok(Self::weights(resolve(names)?)),
            (Takes::ReferenceAndNumbers, "") => Err(ViewError::NoReference(mode.name).into()),
            (Takes::ReferenceAndNumbers, file) => {
                Ok(Self::asking(mode, Asked::Unmeasured(file.into())))
            }
            (Takes::Numbers, "") => Ok(Self::asking(mode, Asked::Unmeasured("".into()))),
            (Takes::Nothing, "") => Ok(Self::plain(mode)),
            (Takes::Nothing | Takes::Numbers, _) => {
                Err(ViewError::NotOfAJoint(word.to_owned()).into())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Show, ViewError> {
        Show::parse(text, |name| match name {
            "mixamorig:Hips" => Ok(vec![NodeId(7)]),
            _ => Err(ViewError::NoJoint("weights")),
        })
    }

    #[test]
    fn every_mode_is_read() {
        for show in Show::all(NodeId(7)) {
            let text = match show.name() {
                "weights" => "weights:mixamorig:Hips",
                "distance" => "distance:before.glb",
                name => name,
            };
            let read = parse(text).expect("it is one");
            assert_eq!(read.name(), show.name());
            assert_eq!(read.joints(), show.joints());
        }
    }

    #[test]
    fn the_name_of_a_joint_may_hold_colons() {
        assert_eq!(
            parse("weights:mixamorig:Hips"),
            Ok(Show::weights([NodeId(7)]))
        );
    }

    #[test]
    fn a_misspelled_word_before_a_joint_is_found_too() {
        let error = parse("weight:Hips").unwrap_err().to_string();
        assert!(
            error.starts_with("unknown mode \"weight\" (did you mean \"weights\"?)"),
            "{error}"
        );
    }

    #[test]
    fn a_distance_is_from_a_file() {
        let show = parse("distance:C:/before.glb").expect("it is one");
        assert_eq!(show.needs_numbers(), Some("C:/before.glb"));
        assert_eq!(parse("distance"), Err(ViewError::NoReference("distance")));
        assert_eq!(
            parse("stretch").expect("it is one").needs_numbers(),
            Some("")
        );
        assert_eq!(parse("lit").expect("it is one").needs_numbers(), None);
    }

    #[test]
    fn only_weights_are_of_a_joint() {
        let depth = ViewError::NotOfAJoint("depth".to_owned());
        assert_eq!(parse("depth:Hips"), Err(depth));
        assert_eq!(parse("depth:"), Ok(Show::DEPTH));
    }
}

//! What the surface shows.

use super::ViewError;
use super::words::look_up;
use crate::rig::NodeId;

/// What the surface's colour shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// The material in the light of the scene.
    Lit,
    /// The material without light.
    Texture,
    /// World-space normals as colours: 0.5 + 0.5 n.
    Normals,
    /// One joint's weight, blue to red; black where it has none.
    Weights(NodeId),
    /// A number of each vertex, from 0 to 1, in the colours of [`Show::Weights`]; black where it is 0. The number is the red of
    /// the mesh's first set of vertex colours.
    Values,
    /// How many influences a vertex has.
    Influences,
    /// The colours of the joints, mixed by their weights.
    Joints,
    /// A numbered-looking checker in texture space.
    Uv,
    /// Distance from the camera, near bright.
    Depth,
    /// The edges of the triangles.
    Wireframe,
}

const EXPECTED: &str =
    "lit, texture, normals, weights:JOINT, influences, joints, uv, depth or wireframe";

/// `None` is `weights`, which needs a joint.
const NAMES: &[(&str, Option<Show>)] = &[
    ("lit", Some(Show::Lit)),
    ("texture", Some(Show::Texture)),
    ("normals", Some(Show::Normals)),
    ("weights", None),
    ("influences", Some(Show::Influences)),
    ("joints", Some(Show::Joints)),
    ("uv", Some(Show::Uv)),
    ("depth", Some(Show::Depth)),
    ("wireframe", Some(Show::Wireframe)),
];

impl Show {
    /// Reads the name of a variant, or `weights:JOINT`.
    ///
    /// * `resolve_joint` – finds the joint of that name in the asset. The name is everything after the first colon,
    ///   including further colons: `weights:mixamorig:Hips`.
    ///
    /// # Errors
    ///
    /// A [`ViewError`] if the text is not such a word, and the error of `resolve_joint`.
    pub fn parse<E: From<ViewError>>(
        text: &str,
        resolve_joint: impl FnOnce(&str) -> Result<NodeId, E>,
    ) -> Result<Self, E> {
        let known = |word| look_up(NAMES, word, "picture", EXPECTED);
        let (word, joint) = text.split_once(':').unwrap_or((text, ""));
        match known(word)? {
            None if joint.is_empty() => Err(ViewError::WeightsOfNoJoint.into()),
            None => resolve_joint(joint).map(Self::Weights),
            Some(show) if joint.is_empty() => Ok(show),
            Some(_) => Err(ViewError::NotOfAJoint(word.to_owned()).into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Show, ViewError> {
        Show::parse(text, |name| match name {
            "mixamorig:Hips" => Ok(NodeId(7)),
            _ => Err(ViewError::WeightsOfNoJoint),
        })
    }

    #[test]
    fn each_word_is_read() {
        let known = NAMES
            .iter()
            .filter_map(|(word, show)| Some((word, (*show)?)));
        for (word, show) in known {
            assert_eq!(parse(word), Ok(show));
        }
    }

    #[test]
    fn the_name_of_a_joint_may_hold_colons() {
        assert_eq!(
            parse("weights:mixamorig:Hips"),
            Ok(Show::Weights(NodeId(7)))
        );
    }

    #[test]
    fn weights_without_a_joint_are_refused() {
        for text in ["weights", "weights:"] {
            assert_eq!(parse(text), Err(ViewError::WeightsOfNoJoint));
        }
    }

    #[test]
    fn an_unknown_word_names_the_nearest_and_all() {
        assert_eq!(
            parse("normal").unwrap_err().to_string(),
            "unknown picture \"normal\" (did you mean \"normals\"?); expected lit, texture, normals, weights:JOINT, \
             influences, joints, uv, depth or wireframe"
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
        assert_eq!(parse("depth:"), Ok(Show::Depth));
    }
}

//! The identity of a finding.

use crate::rig::{Ids, Location, Part};

/// The subject of a finding, unchanged by another export of the model: the names in its location, without numbers of
/// nodes, vertices, weights, time and parts of the file.
///
/// For findings on a mesh, the clip is omitted, because it only locates the worst case, which may change.
#[must_use]
pub fn subject(location: &Location) -> String {
    let clip = location.clip.clone().filter(|_| location.mesh.is_none());
    let subject = Location {
        clip,
        part: location.part.clone().map(lasting),
        plain: false,
        ambiguous: false,
        vertex: None,
        joints: Vec::new(),
        time: None,
        pose: None,
        ids: Ids::NONE,
        ..location.clone()
    };
    subject.to_string()
}

/// The part as another export has it.
fn lasting(part: Part) -> Part {
    match part {
        Part::Skin(_) | Part::Accessor(_) | Part::BufferView(_) | Part::Path(_) => {
            Part::Path(without_numbers(&part.to_string()))
        }
        other => other,
    }
}

/// A path into the file, such as `meshes[0].primitives[1]`, without the numbers: they shift when something is added.
fn without_numbers(part: &str) -> String {
    let mut pieces = part.split('[');
    let first = pieces.next().unwrap_or_default().to_owned();
    pieces.fold(first, |text, piece| {
        let rest = piece.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let is_number = rest.len() < piece.len() && rest.starts_with(']');
        text + "[" + if is_number { rest } else { piece }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{NamedWeight, SkinId};
    use crate::units::Seconds;

    #[test]
    fn the_names_are_kept_and_the_circumstances_are_not() {
        let mesh = Location {
            joints: vec![NamedWeight {
                joint: "Hips".into(),
                weight: 1.0,
                id: None,
            }],
            ..Location::mesh("Body")
                .vertex(3)
                .in_clip("Run")
                .at(Seconds(0.5))
        };
        assert_eq!(subject(&mesh), "mesh \"Body\"");
        let channel = Location::joint("Hips").in_clip("Run").at(Seconds(0.5));
        assert_eq!(subject(&channel), "joint \"Hips\", clip \"Run\"");
        assert_eq!(subject(&Location::FILE), "file");
        for (part, expected) in [
            (Part::Accessor(12), "accessors[]"),
            (Part::Skin(SkinId(0)), "skins[]"),
            (
                Part::Path("meshes[0].primitives[1].attributes.TEXCOORD_1".into()),
                "meshes[].primitives[].attributes.TEXCOORD_1",
            ),
            ("cluster arm[0]".into(), "cluster arm[0]"),
            (Part::Expression("[3]".into()), "expression [3]"),
            (Part::Path("[".into()), "["),
        ] {
            assert_eq!(subject(&Location::FILE.part(part)), expected);
        }
    }
}

//! The identity of a finding.

use crate::rig::Location;

/// The subject of a finding, in words that stay the same when the model is exported again: the names in its location,
/// without numbers of nodes, vertices, weights and time.
///
/// For findings on a mesh, the clip is omitted: it only tells where the worst case is, which may change.
#[must_use]
pub fn subject(location: &Location) -> String {
    let clip = location.clip.clone().filter(|_| location.mesh.is_none());
    let subject = Location {
        clip,
        node: None,
        plain: false,
        vertex: None,
        joints: Vec::new(),
        time: None,
        pose: None,
        ..location.clone()
    };
    subject.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::Seconds;

    #[test]
    fn the_names_are_kept_and_the_circumstances_are_not() {
        let mesh = Location {
            joints: vec![("Hips".into(), 1.0)],
            ..Location::mesh("Body")
                .vertex(3)
                .in_clip("Run")
                .at(Seconds(0.5))
        };
        assert_eq!(subject(&mesh), "mesh \"Body\"");
        let channel = Location::joint("Hips").in_clip("Run").at(Seconds(0.5));
        assert_eq!(subject(&channel), "joint \"Hips\", clip \"Run\"");
        assert_eq!(subject(&Location::FILE), "file");
    }
}

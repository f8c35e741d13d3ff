//! The command line that draws a finding.

use std::path::Path;

use super::spot::Spot;
use crate::rig::Location;
use crate::shown;

/// `skincheck render MODEL` with the options that show `location` in its pose, to be pasted into a shell; `None` for a
/// location that no image can show, such as a material.
///
/// ```
/// use skincheck::{closeup, rig::Location, units::Seconds};
///
/// let location = Location::mesh("Body").vertex(1841).in_clip("Run").at(Seconds(0.5));
/// let command = closeup::command("hero.glb".as_ref(), &location);
/// let expected = "skincheck render hero.glb --clip Run --time 0.5 --mark vertex:Body:1841 \
///                 --look-at vertex:Body:1841 --zoom 5";
/// assert_eq!(command.as_deref(), Some(expected));
/// ```
#[must_use]
pub fn command(model: &Path, location: &Location) -> Option<String> {
    let mut words = vec![
        "skincheck".to_owned(),
        "render".to_owned(),
        shown::unicode(model),
    ];
    let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
    let spot = spot(location);
    match (&location.pose, &location.clip) {
        (Some(pose), _) if pose == "rest pose" => add("--pose", "rest".to_owned()),
        (Some(pose), _) => add("--pose", pose.clone()),
        (None, Some(clip)) if clip.is_empty() => return None,
        (None, Some(clip)) => add("--clip", clip.clone()),
        (None, None) if spot.is_none() => return None,
        (None, None) => add("--pose", "bind".to_owned()),
    }
    if let (None, Some(time)) = (&location.pose, location.time) {
        add("--time", time.get().to_string());
    }
    if let Some((spot, zoom)) = spot {
        add("--mark", spot.to_string());
        add("--look-at", spot.to_string());
        add("--zoom", zoom.to_string());
    }
    let words: Vec<String> = words.iter().map(|word| shown::shell_word(word)).collect();
    Some(words.join(" "))
}

/// The vertex or joint to show, and the zoom factor.
fn spot(location: &Location) -> Option<(Spot, u8)> {
    match (
        &location.mesh,
        location.vertex,
        &location.joint,
        location.node,
    ) {
        (Some(mesh), Some(vertex), _, _) if !mesh.is_empty() => {
            let mesh = mesh.clone();
            Some((Spot::Vertex { mesh, vertex }, 5))
        }
        (_, _, Some(name), None) if !name.is_empty() => Some((Spot::Joint(name.clone()), 3)),
        (_, _, _, Some(node)) => Some((Spot::Joint(format!("#{}", node.index())), 3)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::NodeId;

    fn of(location: &Location) -> Option<String> {
        command("a b/hero.glb".as_ref(), location)
    }

    #[cfg(unix)]
    #[test]
    fn names_with_spaces_are_quoted() {
        let location = Location::mesh("it's").vertex(3).in_clip("Run fast");
        let expected = "skincheck render 'a b/hero.glb' --clip 'Run fast' --mark 'vertex:it'\\''s:3' \
                        --look-at 'vertex:it'\\''s:3' --zoom 5";
        assert_eq!(of(&location).as_deref(), Some(expected));
    }

    #[test]
    fn a_joint_is_named_by_its_number_where_that_is_known() {
        let location = Location {
            node: Some(NodeId(7)),
            ..Location::joint("Hips")
        };
        let command = of(&location).expect("a joint is somewhere");
        assert!(
            command.contains("--pose bind --mark 'joint:#7'"),
            "{command}"
        );
        let command = of(&Location::joint("Hips")).expect("a joint is somewhere");
        assert!(command.contains("--mark joint:Hips"), "{command}");
    }

    #[test]
    fn a_location_that_cannot_be_drawn_has_no_command() {
        assert_eq!(of(&Location::FILE), None);
        assert_eq!(of(&Location::material("skin")), None);
        assert_eq!(of(&Location::clip("")), None);
        assert!(of(&Location::clip("Run")).is_some());
    }
}

//! The command that draws a finding.

use std::path::Path;

use super::spot::Spot;
use super::subject::{Colors, colors};
use crate::finding::Finding;
use crate::rig::{Location, PoseName};
use crate::shown;
use crate::units::without_trailing_zeros;
use crate::view::Show;

/// `skincheck render MODEL` with the options that show a finding in its pose and colours, to be pasted into a shell;
/// `None` for one that no image can show, such as one about a material.
///
/// ```
/// use skincheck::finding::{Code, Finding, Level};
/// use skincheck::{closeup, rig::Location, units::Seconds};
///
/// let location = Location::mesh("Body").vertex(1841).in_clip("Run").at(Seconds(0.5));
/// let finding = Finding::new(Code("D602"), Level::Hint, location, "edge stretched 5.3×");
/// let command = closeup::command("hero.glb".as_ref(), &finding);
/// let expected = "skincheck render hero.glb --clip Run --time 0.5 --show stretch \
///                 --mark vertex:Body:1841 --look-at vertex:Body:1841 --zoom 5";
/// assert_eq!(command.as_deref(), Some(expected));
/// ```
#[must_use]
pub fn command(model: &Path, finding: &Finding) -> Option<String> {
    let location = &finding.location;
    let mut words = vec![
        "skincheck".to_owned(),
        "render".to_owned(),
        shown::unicode(model),
    ];
    let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
    let spot = spot(location);
    match (&location.pose, &location.clip) {
        (Some(pose), _) => add("--pose", pose.to_string()),
        (None, Some(clip)) => match location.ids.clip {
            Some(id) if location.ambiguous || clip.is_empty() => add("--clip", id.to_string()),
            None if clip.is_empty() => return None,
            _ => add("--clip", clip.clone()),
        },
        (None, None) if spot.is_none() => return None,
        (None, None) => add("--pose", PoseName::REST.to_string()),
    }
    if let (None, Some(time)) = (&location.pose, location.time) {
        // Shorter than any frame, and short to read.
        let time = format!("{:.4}", time.get());
        add("--time", without_trailing_zeros(&time).to_owned());
    }
    if let Some(show) = show(finding) {
        add("--show", show);
    }
    if let Some((spot, zoom)) = spot {
        add("--mark", spot.to_string());
        add("--look-at", spot.to_string());
        add("--zoom", zoom.to_string());
    }
    let words: Vec<String> = words.iter().map(|word| shown::shell_word(word)).collect();
    Some(words.join(" "))
}

/// The argument of `--show` for the colours of the close-up.
fn show(finding: &Finding) -> Option<String> {
    let show = match colors(finding) {
        Colors::Measure(measure) => return Some(measure.mode().to_owned()),
        Colors::Mode(show) => show,
    };
    match show.joints() {
        [joint] => Some(format!("{}:#{}", show.name(), joint.index())),
        _ => Some(show.name().to_owned()).filter(|_| show != Show::LIT),
    }
}

/// The vertex or joint to show, and the zoom factor.
fn spot(location: &Location) -> Option<(Spot, u8)> {
    if let (Some(mesh), Some(vertex)) = (&location.mesh, location.vertex) {
        let id = location
            .ids
            .instance
            .filter(|_| location.ambiguous || mesh.is_empty());
        let mesh = id.map_or_else(|| mesh.clone(), |id| format!("#{id}"));
        if !mesh.is_empty() {
            return Some((Spot::Vertex { mesh, vertex }, 5));
        }
    }
    match (&location.joint, location.ids.node) {
        // A joint of a mesh that is no node is nowhere.
        (Some(name), None) if !name.is_empty() && location.mesh.is_none() => {
            Some((Spot::Joint(name.clone()), 3))
        }
        (_, Some(node)) => Some((Spot::Joint(format!("#{}", node.index())), 3)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::{Code, Level};
    use crate::rig::{Ids, NodeId};
    use crate::units::Seconds;

    fn of(location: &Location) -> Option<String> {
        let finding = Finding::new(Code("H301"), Level::Error, location.clone(), "");
        command("a b/hero.glb".as_ref(), &finding)
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
            ids: Ids {
                node: Some(NodeId(7)),
                ..Ids::NONE
            },
            ..Location::joint("Hips")
        };
        let command = of(&location).expect("a joint is somewhere");
        assert!(
            command.contains("--pose rest --mark 'joint:#7'"),
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

    #[test]
    fn it_shows_the_colours_of_the_close_up_at_a_short_time() {
        let location = Location::mesh("Body").vertex(3).in_clip("Run");
        let location = location.at(Seconds(4.0 / 3.0));
        let of = |code| {
            let finding = Finding::new(Code(code), Level::Error, location.clone(), "");
            command("a.glb".as_ref(), &finding).expect("it is somewhere")
        };
        assert!(of("D610").contains("--clip Run --time 1.3333 --show bend --mark"));
        assert!(of("W106").contains("--show influences"));
        assert!(!of("H301").contains("--show"));
    }
}

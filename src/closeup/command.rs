//! The command that draws a finding.

use std::path::Path;

use super::spot::Spot;
use super::subject::{Colors, colors};
use crate::finding::Finding;
use crate::rig::{Location, PoseName};
use crate::shown;
use crate::units::{SignedAxis, significant, without_trailing_zeros};
use crate::view::{Show, ViewDirection};

/// From where a close-up shows a finding.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Shot {
    /// The front of the model, if another one would be inferred in the pose.
    pub(super) front: Option<SignedAxis>,
    pub(super) direction: ViewDirection,
    /// The middle of the image in words, if it is not the place of the finding.
    pub(super) target: Option<String>,
    /// How many times as large as the whole model.
    pub(super) zoom: f32,
    pub(super) has_bones: bool,
    /// Whether something hides the place.
    pub(super) is_hidden: bool,
}

/// `skincheck render MODEL` with the options that show a finding in its pose and colours, to be pasted into a shell;
/// `None` for one that no image can show, such as one about a material.
///
/// * `shot` – of its close-up, which the command then draws.
///
/// ```
/// use skincheck::finding::{Code, Finding, Level};
/// use skincheck::{closeup, rig::Location, units::Seconds};
///
/// let location = Location::mesh("Body").vertex(1841).in_clip("Run").at(Seconds(0.5));
/// let finding = Finding::new(Code("D602"), Level::Hint, location, "edge stretched 5.3×");
/// let command = closeup::command("hero.glb".as_ref(), &finding, None);
/// let expected = "skincheck render hero.glb --clip Run --time 0.5 --show stretch \
///                 --mark vertex:Body:1841 --look-at vertex:Body:1841 --zoom 5";
/// assert_eq!(command.as_deref(), Some(expected));
/// ```
#[must_use]
pub fn command(model: &Path, finding: &Finding, shot: Option<&Shot>) -> Option<String> {
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
    if let Some((spot, zoom)) = &spot {
        add("--mark", spot.to_string());
        if let (Spot::Vertex { mesh, .. }, Some(vertex)) = (spot, location.ids.other_vertex) {
            let mesh = mesh.clone();
            add("--mark", Spot::Vertex { mesh, vertex }.to_string());
        }
        if shot.is_none() {
            add("--look-at", spot.to_string());
            add("--zoom", zoom.to_string());
        }
    }
    if let Some(shot) = shot {
        words.extend(shot.options(spot.as_ref().map(|(spot, _)| spot)));
    }
    let words: Vec<String> = words.iter().map(|word| shown::shell_word(word)).collect();
    Some(words.join(" "))
}

impl Shot {
    fn options(&self, spot: Option<&Spot>) -> Vec<String> {
        let mut words = Vec::new();
        let mut add = |option: &str, value: String| words.extend([option.to_owned(), value]);
        if let Some(front) = self.front {
            add("--front", front.to_string());
        }
        let (yaw, pitch) = self.direction.angles();
        // Also negative zero is written as zero.
        let [yaw, pitch] = [yaw, pitch].map(|angle| angle.round() + 0.0);
        add("--camera", format!("orbit:{yaw},{pitch}"));
        if self.zoom > 1.0 {
            let target = self.target.clone();
            if let Some(target) = target.or_else(|| spot.map(Spot::to_string)) {
                add("--look-at", target);
            }
            add("--zoom", significant(self.zoom.into(), 2));
        }
        if self.has_bones {
            words.push("--skeleton=all".to_owned());
        }
        if self.is_hidden && spot.is_some() {
            words.push("--see-through".to_owned());
        }
        words
    }
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
        command("a b/hero.glb".as_ref(), &finding, None)
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
            command("a.glb".as_ref(), &finding, None).expect("it is somewhere")
        };
        assert!(of("D610").contains("--clip Run --time 1.3333 --show bend --mark"));
        assert!(of("W106").contains("--show influences"));
        assert!(!of("H301").contains("--show"));
    }

    #[test]
    fn it_draws_a_close_up_from_where_that_is_seen() {
        let mut location = Location::mesh("Body").vertex(3).in_clip("Run");
        location.ids.other_vertex = Some(5);
        let finding = Finding::new(Code("D602"), Level::Hint, location, "");
        let shot = Shot {
            front: Some(SignedAxis::MinusY),
            direction: ViewDirection::Orbit {
                yaw_degrees: -12.4,
                pitch_degrees: -0.2,
            },
            target: None,
            zoom: 5.234,
            has_bones: false,
            is_hidden: true,
        };
        let drawn = |shot: &Shot| {
            let command = command("a.glb".as_ref(), &finding, Some(shot)).expect("it is somewhere");
            let shown = command.split_once("--mark vertex:Body:3 --mark vertex:Body:5 ");
            shown.expect(&command).1.to_owned()
        };
        assert_eq!(
            drawn(&shot),
            "--front -Y --camera orbit:-12,0 --look-at vertex:Body:3 --zoom 5.2 --see-through"
        );
        let elsewhere = Shot {
            target: Some("1,0.333,-20".to_owned()),
            front: None,
            has_bones: true,
            ..shot.clone()
        };
        assert_eq!(
            drawn(&elsewhere),
            "--camera orbit:-12,0 --look-at 1,0.333,-20 --zoom 5.2 --skeleton=all --see-through"
        );
        let whole = Shot {
            zoom: 1.0,
            is_hidden: false,
            ..shot
        };
        assert_eq!(drawn(&whole), "--front -Y --camera orbit:-12,0");
    }
}

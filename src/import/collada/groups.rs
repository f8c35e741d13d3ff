//! Groups of animations that play together.

use std::collections::{HashMap, HashSet};

use roxmltree::{Node, NodeId as XmlId};

use super::channels::goals;
use super::document::{Document, children, name};
use super::error::{Failure, Unclear};
use crate::units::Seconds;

/// Animations that play together.
#[derive(Debug)]
pub(super) struct Group<'a> {
    /// As in the file.
    pub(super) name: Option<&'a str>,
    /// The id of the clip, or of the only animation.
    pub(super) id: Option<&'a str>,
    /// As the file states it, or 0.
    pub(super) start: Seconds,
    /// As the file states it; `None` for the last key.
    pub(super) end: Option<Seconds>,
    /// Elements `animation`.
    pub(super) animations: Vec<Node<'a, 'a>>,
    /// Whether the file itself calls them a clip.
    pub(super) is_stated: bool,
}

/// The groups of a document.
///
/// An `animation_clip` is one (COLLADA 1.4.1, chapter 5). The remaining animations share the time of the document and form
/// one group. If two of them drive the same number, they cannot be meant to play together, and each becomes a group of its
/// own.
pub(super) fn groups<'a>(document: &Document<'a>) -> Result<Vec<Group<'a>>, Failure> {
    let clips = document.library("library_animation_clips", "animation_clip");
    let mut groups = clips
        .map(|clip| stated(document, clip))
        .collect::<Result<Vec<_>, _>>()?;
    let animations = groups.iter().flat_map(|group| &group.animations);
    let named: HashSet<XmlId> = animations.map(Node::id).collect();
    let top = document.library("library_animations", "animation");
    let is_named = |node: Node<'_, '_>| node.descendants().any(|inner| named.contains(&inner.id()));
    let rest = top.filter(|animation| !is_named(*animation)).collect();
    groups.extend(unstated(document, rest));
    Ok(groups)
}

fn stated<'a>(document: &Document<'a>, clip: Node<'a, 'a>) -> Result<Group<'a>, Failure> {
    let time = |name| {
        let time: Option<f64> = clip.attribute(name)?.trim().parse().ok();
        time.filter(|time| time.is_finite()).map(Seconds)
    };
    let animation = |instance: Node<'a, 'a>| {
        let url = instance.attribute("url").unwrap_or_default();
        document.at(url, "animation")
    };
    let animations: Result<Vec<_>, Unclear> = children(clip, "instance_animation")
        .map(animation)
        .collect();
    let start = time("start").unwrap_or(Seconds::ZERO);
    Ok(Group {
        name: name(clip),
        id: clip.attribute("id"),
        start,
        end: time("end").filter(|end| *end >= start),
        animations: animations.map_err(|why| Failure::at(clip, why))?,
        is_stated: true,
    })
}

fn unstated<'a>(document: &Document<'a>, mut animations: Vec<Node<'a, 'a>>) -> Vec<Group<'a>> {
    animations.retain(|animation| goals(document, *animation).next().is_some());
    let together = !contend(document, &animations);
    let group = |animations: &[Node<'a, 'a>]| Group {
        name: common_name(animations),
        id: match animations {
            [only] => only.attribute("id"),
            _ => None,
        },
        start: Seconds::ZERO,
        end: None,
        animations: animations.to_vec(),
        is_stated: false,
    };
    if animations.is_empty() {
        Vec::new()
    } else if together {
        vec![group(&animations)]
    } else {
        animations.chunks(1).map(group).collect()
    }
}

/// Whether two of `animations` drive the same number.
fn contend(document: &Document<'_>, animations: &[Node<'_, '_>]) -> bool {
    let mut drivers: HashMap<(XmlId, usize, usize), XmlId> = HashMap::new();
    animations.iter().any(|animation| {
        let numbers = goals(document, *animation).flat_map(|(_, goal)| goal.numbers());
        let mut drivers = numbers.map(|number| *drivers.entry(number).or_insert(animation.id()));
        drivers.any(|driver| driver != animation.id())
    })
}

/// The name of a single animation, or the name that all share.
fn common_name<'a>(animations: &[Node<'a, 'a>]) -> Option<&'a str> {
    match animations {
        [only] => name(*only),
        [first, others @ ..] => {
            let shared = first.attribute("name").filter(|name| !name.is_empty())?;
            let mut names = others.iter().map(|other| other.attribute("name"));
            names.all(|name| name == Some(shared)).then_some(shared)
        }
        [] => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::collada::document::parse;

    /// Names, starts and ends of the groups, and how many animations each has.
    fn read(animations: &str, clips: &str) -> Vec<(Option<String>, f64, Option<f64>, usize)> {
        let text = format!(
            r#"<COLLADA><library_animations>{animations}</library_animations>
               <library_animation_clips>{clips}</library_animation_clips>
               <node id="n"><translate sid="t"/><rotate sid="r"/></node></COLLADA>"#
        );
        let xml = parse(&text).expect("it is well-formed");
        let groups = groups(&Document::new(&xml)).expect("all references lead somewhere");
        let reported = groups.iter().map(|group| {
            let (name, end) = (group.name.map(str::to_owned), group.end.map(|end| end.0));
            (name, group.start.0, end, group.animations.len())
        });
        reported.collect()
    }

    fn animation(id: &str, name: &str, target: &str) -> String {
        format!(r#"<animation id="{id}" name="{name}"><channel target="{target}"/></animation>"#)
    }

    #[test]
    fn animations_of_different_numbers_are_one_clip() {
        let all = animation("a", "Walk", "n/t.X") + &animation("b", "Walk", "n/t.Y");
        assert_eq!(read(&all, ""), [(Some("Walk".to_owned()), 0.0, None, 2)]);
        let all = animation("a", "Left", "n/t.X") + &animation("b", "Right", "n/r");
        assert_eq!(read(&all, ""), [(None, 0.0, None, 2)]);
    }

    #[test]
    fn animations_of_the_same_number_are_clips_of_their_own() {
        let all = animation("a", "Walk", "n/t") + &animation("b", "", "n/t.Y");
        let names = [Some("Walk".to_owned()), Some("b".to_owned())];
        assert_eq!(read(&all, ""), names.map(|name| (name, 0.0, None, 1)));
    }

    #[test]
    fn a_stated_clip_has_its_own_time_and_the_rest_is_one_more() {
        let all = animation("a", "", "n/t.X") + &animation("b", "", "n/t.Y");
        let clip = r##"<animation_clip name="Bend" start="0.5" end="2"><instance_animation url="#a"/></animation_clip>"##;
        let rest = (Some("b".to_owned()), 0.0, None, 1);
        let bend = (Some("Bend".to_owned()), 0.5, Some(2.0), 1);
        assert_eq!(read(&all, clip), [bend, rest]);
    }

    #[test]
    fn an_animation_of_nothing_known_is_not_a_clip() {
        assert_eq!(read(&animation("a", "", "camera/xfov"), ""), []);
    }
}

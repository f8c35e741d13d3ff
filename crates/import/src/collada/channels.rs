//! `<channel>`: samplers and their targets (COLLADA 1.4.1, chapter 3, "Address Syntax").

use std::collections::VecDeque;
use std::ops::Range;

use roxmltree::{Node, NodeId as XmlId};

use super::document::{Document, Failure, ReadError, is};
use super::frames::Frames;
use super::sampler::Sampler;
use super::stack::{Drive, Driver, Kind, elements};
use super::tracks;

/// The target of a channel.
#[derive(Debug, Clone, Copy)]
pub(super) enum Goal<'a> {
    /// A transform of a node.
    Transform(Target<'a>),
    /// A weight of the morph controller that has this source of weights.
    Weight(Node<'a, 'a>, usize),
}

impl Goal<'_> {
    /// Each driven number: its element, the index of its step, and its index in the step.
    pub(super) fn numbers(self) -> impl Iterator<Item = (XmlId, usize, usize)> {
        let (element, step, indices) = match self {
            Self::Weight(source, index) => (source, 0, index..index.saturating_add(1)),
            Self::Transform(target) => (target.node, target.step, target.numbers()),
        };
        indices.map(move |index| (element.id(), step, index))
    }
}

/// The channels in `animation` and below whose address is dangling.
pub(super) fn dangling<'a>(
    document: &Document<'a>,
    animation: Node<'a, 'a>,
) -> impl Iterator<Item = &'a str> {
    let channels = animation.descendants().filter(|node| is(*node, "channel"));
    let addresses = channels.map(|channel| channel.attribute("target").unwrap_or_default());
    addresses
        .filter(|address| target(document, address).is_none() && is_dangling(document, address))
}

/// The channels in `animation` and below with a known kind of target, in the order of the document. Parameters of
/// materials, cameras and lights are ignored.
pub(super) fn goals<'a>(
    document: &Document<'a>,
    animation: Node<'a, 'a>,
) -> impl Iterator<Item = (Node<'a, 'a>, Goal<'a>)> {
    let channels = animation.descendants().filter(|node| is(*node, "channel"));
    channels.filter_map(|channel| {
        let address = channel.attribute("target")?;
        let transform = target(document, address).map(Goal::Transform);
        let goal = transform.or_else(|| {
            let (id, index) = indexed(address)?;
            Some(Goal::Weight(tracks::weights(document, id)?, index))
        });
        Some((channel, goal?))
    })
}

/// The sampler of `channel`; `None` if it has no keys.
pub(super) fn sampler<'a>(
    document: &Document<'a>,
    channel: Node<'a, 'a>,
) -> Result<Option<Sampler>, Failure> {
    let url = channel.attribute("source").unwrap_or_default();
    let sampler = document.at(url, "sampler");
    let sampler = sampler.and_then(|sampler| Sampler::read(document, sampler));
    sampler.map_err(|why| Failure::at(channel, why))
}

/// The drives that move `target` by `sampler`.
pub(super) fn drives(sampler: &Sampler, target: &Target<'_>) -> Result<Vec<Drive>, ReadError> {
    let (numbers, width) = (target.numbers(), sampler.width());
    if width < numbers.len() {
        let needed = numbers.len();
        let what = format!("a transform of {needed} numbers has a sampler of {width}");
        return Err(ReadError::Misfit { what });
    }
    let drive = |driver| Drive {
        step: target.step,
        driver,
    };
    if target.kind == Kind::Matrix && target.member.is_none() && !sampler.is_curved() {
        return Ok(vec![drive(Driver::Frames(Frames::read(sampler)))]);
    }
    let curves = numbers.enumerate().map(|(column, index)| {
        let curve = sampler.curve(column);
        drive(Driver::Number { index, curve })
    });
    Ok(curves.collect())
}

/// A transform of a node, or one number of it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Target<'a> {
    pub(super) node: Node<'a, 'a>,
    /// Index of the step in the node's [`Stack`](super::stack::Stack).
    pub(super) step: usize,
    pub(super) kind: Kind,
    /// `None` for all of its numbers.
    pub(super) member: Option<usize>,
}

impl Target<'_> {
    /// The numbers of the step that are driven.
    pub(super) fn numbers(&self) -> Range<usize> {
        match self.member {
            Some(member) => member..member + 1,
            None => 0..self.kind.width(),
        }
    }
}

/// An address by its segments: `id/sid/sid.MEMBER` or `id/sid(i)(j)`.
struct Address<'t> {
    id: &'t str,
    sids: Vec<&'t str>,
    member: Option<Member<'t>>,
}

enum Member<'t> {
    Named(&'t str),
    Indexed(usize),
}

/// The target of `address`, if it is a transform of a node.
pub(super) fn target<'a>(document: &Document<'a>, address: &str) -> Option<Target<'a>> {
    let address = Address::of(address)?;
    let start = document.by_id(address.id)?;
    let mut sids = address.sids.iter();
    let element = sids.try_fold(start, |from, sid| below(document, from, sid))?;
    let node = element.parent_element().filter(|node| is(*node, "node"))?;
    let mut steps = elements(node).enumerate();
    let (step, (_, kind)) = steps.find(|(_, (step, _))| *step == element)?;
    let member = match address.member {
        None => None,
        Some(member) => Some(member.of(kind)?),
    };
    Some(Target {
        node,
        step,
        kind,
        member,
    })
}

/// Whether `address` is dangling: the file has no such element, or no such transform of a node.
fn is_dangling(document: &Document<'_>, address: &str) -> bool {
    let start = Address::of(address).and_then(|address| document.by_id(address.id));
    start.is_none_or(|start| is(start, "node"))
}

/// The id and the index of `id(i)`, which addresses a weight of a morph controller.
fn indexed(address: &str) -> Option<(&str, usize)> {
    let address = Address::of(address)?;
    match address.member? {
        Member::Indexed(index) if address.sids.is_empty() => Some((address.id, index)),
        _ => None,
    }
}

impl<'t> Address<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let mut segments: Vec<&str> = text.split('/').collect();
        let last = segments.pop()?;
        // Ids may contain dots; sids may not.
        let separators: &[char] = if segments.is_empty() {
            &['(']
        } else {
            &['.', '(']
        };
        let (last, member) = match last.find(separators) {
            Some(end) => (&last[..end], Some(Member::parse(&last[end..])?)),
            None => (last, None),
        };
        segments.push(last);
        Some(Self {
            id: segments.remove(0),
            sids: segments,
            member,
        })
    }
}

impl<'t> Member<'t> {
    fn parse(text: &'t str) -> Option<Self> {
        if let Some(name) = text.strip_prefix('.') {
            return Some(Self::Named(name));
        }
        let inside = text.strip_prefix('(')?.strip_suffix(')')?;
        match inside.split_once(")(") {
            None => inside.parse().ok().map(Self::Indexed),
            // Column first: (3)(0) is the x of a translation, in all exporters and importers.
            Some((column, row)) => {
                let (column, row): (usize, usize) = (column.parse().ok()?, row.parse().ok()?);
                (column < 4 && row < 4).then_some(Self::Indexed(row * 4 + column))
            }
        }
    }

    /// The index of the number in a step of that kind.
    fn of(&self, kind: Kind) -> Option<usize> {
        let index = match (self, kind) {
            (Self::Indexed(index), _) => *index,
            (Self::Named("ANGLE"), Kind::Rotate) => 3,
            (Self::Named(name), Kind::Translate | Kind::Rotate | Kind::Scale) => {
                ["X", "Y", "Z"].iter().position(|axis| axis == name)?
            }
            (Self::Named(_), _) => return None,
        };
        (index < kind.width()).then_some(index)
    }
}

/// The element with that sid below `from`: the first in breadth-first order.
fn below<'a>(document: &Document<'a>, from: Node<'a, 'a>, sid: &str) -> Option<Node<'a, 'a>> {
    let mut pending = VecDeque::from([from]);
    while let Some(element) = pending.pop_front() {
        document.count_numbers(element.children().count()).ok()?;
        let mut children = element.children();
        if let Some(found) = children.find(|child| child.attribute("sid") == Some(sid)) {
            return Some(found);
        }
        pending.extend(element.children().filter(Node::is_element));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::collada::document::parse;

    const NODES: &str = r#"<COLLADA>
        <node id="Bone.001"><translate sid="t"/><rotate sid="r"/><matrix sid="m"/>
            <node sid="tip"><scale sid="t"/></node>
        </node>
        <camera id="eye"><xfov sid="x"/></camera>
    </COLLADA>"#;

    fn of(address: &str) -> Option<(usize, Kind, Option<usize>)> {
        let xml = parse(NODES).expect("it is well-formed");
        let document = Document::new(&xml);
        let target = target(&document, address)?;
        Some((target.step, target.kind, target.member))
    }

    #[test]
    fn members_are_named_or_indexed() {
        assert_eq!(of("Bone.001/t"), Some((0, Kind::Translate, None)));
        assert_eq!(of("Bone.001/t.Z"), Some((0, Kind::Translate, Some(2))));
        assert_eq!(of("Bone.001/t(1)"), Some((0, Kind::Translate, Some(1))));
        assert_eq!(of("Bone.001/r.ANGLE"), Some((1, Kind::Rotate, Some(3))));
        assert_eq!(of("Bone.001/r.X"), Some((1, Kind::Rotate, Some(0))));
        assert_eq!(of("Bone.001/m(3)(0)"), Some((2, Kind::Matrix, Some(3))));
        assert_eq!(of("Bone.001/m(0)(3)"), Some((2, Kind::Matrix, Some(12))));
    }

    #[test]
    fn sids_lead_from_node_to_node() {
        assert_eq!(of("Bone.001/tip/t.Y"), Some((0, Kind::Scale, Some(1))));
    }

    #[test]
    fn only_transforms_are_targets() {
        for address in [
            "",
            "/",
            "(",
            "Bone.001",
            "Bone.001/none",
            "Bone.001/t.ANGLE",
            "Bone.001/t(3)",
            "Bone.001/m(4)(0)",
            "Bone.001/m(99999999999999999999)",
            "Bone.001/t(",
            "Bone.001/tip",
            "eye/x",
        ] {
            assert_eq!(of(address), None, "{address:?}");
        }
    }

    #[test]
    fn a_weight_of_a_morph_controller_is_an_id_with_an_index() {
        assert_eq!(indexed("face.weights(2)"), Some(("face.weights", 2)));
        assert_eq!(indexed("face/weights(2)"), None);
        assert_eq!(indexed("face"), None);
    }
}

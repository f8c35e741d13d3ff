//! `<channel>`: samplers and their targets.

use roxmltree::{Node, NodeId as XmlId};

use super::address::{self, Target};
use super::document::{Document, is};
use super::error::{Failure, Unclear};
use super::frames::Frames;
use super::morphs;
use super::motion::{Drive, Driver};
use super::sampler::Sampler;
use super::stack::Kind;

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
    addresses.filter(|address| {
        address::target(document, address).is_none() && address::is_dangling(document, address)
    })
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
        let transform = address::target(document, address).map(Goal::Transform);
        let goal = transform.or_else(|| {
            let (id, index) = address::indexed(address)?;
            Some(Goal::Weight(morphs::weights(document, id)?, index))
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
pub(super) fn drives(sampler: &Sampler, target: &Target<'_>) -> Result<Vec<Drive>, Unclear> {
    let (numbers, width) = (target.numbers(), sampler.width());
    if width < numbers.len() {
        let needed = numbers.len();
        let what = format!("a transform of {needed} numbers has a sampler of {width}");
        return Err(Unclear::Misfit { what });
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

//! The nodes of the scene, once per instance.

use std::collections::HashMap;

use roxmltree::{Node, NodeId as XmlId};

use super::document::{Document, Failure, ReadError, child, children, is};
use super::stack::Stack;
use crate::log::Notes;
use crate::rig::LocalTransform;

/// The name of an unnamed scene.
const SCENE: &str = "Scene";

/// Most nodes of a scene; a crowd has some thousands.
const MAX_NODES: usize = 1 << 18;

/// How deeply instances may be nested. Nodes that instance each other in a cycle reach it.
const MAX_INSTANCES: usize = 64;

/// The nodes of a scene, parents first, depth first: a node's own children, then the nodes that it instances.
#[derive(Default)]
pub(super) struct Scene<'a> {
    pub(super) nodes: Vec<SceneNode<'a>>,
    by_element: HashMap<XmlId, Vec<usize>>,
    by_sid: HashMap<&'a str, Vec<usize>>,
    by_name: HashMap<&'a str, usize>,
}

/// One instance of a node in the scene.
pub(super) struct SceneNode<'a> {
    pub(super) element: Node<'a, 'a>,
    pub(super) parent: Option<usize>,
    /// One past the index of the last node below it.
    end: usize,
    /// How many instances contain it, and the index of the innermost one's root; the scene if there is none.
    instances: usize,
    instance: usize,
}

impl<'a> Scene<'a> {
    /// Walks the scene of `document` depth first.
    pub(super) fn read(document: &Document<'a>, notes: &mut Notes) -> Result<Self, Failure> {
        let mut scene = Self::default();
        let names = names(document);
        let mut pending = vec![(shown(document)?, None, 0)];
        while let Some((element, parent, instances)) = pending.pop() {
            let number = scene.add(element, parent, instances);
            if scene.nodes.len() > MAX_NODES || instances > MAX_INSTANCES {
                let why = ReadError::TooMuch {
                    limit: if instances > MAX_INSTANCES {
                        MAX_INSTANCES
                    } else {
                        MAX_NODES
                    },
                    what: "nodes by <instance_node>; a node may instance itself",
                };
                return Err(Failure::at(element, why));
            }
            document.count_numbers(element.children().count())?;
            let mut below: Vec<_> = children(element, "node")
                .map(|node| (node, Some(number), instances))
                .collect();
            for instance in children(element, "instance_node") {
                let url = instance.attribute("url").unwrap_or_default();
                // Some exporters write names instead of ids.
                let named = || names.get(url.strip_prefix('#')?).copied();
                match document.at(url, "node").ok().or_else(named) {
                    Some(node) => below.push((node, Some(number), instances + 1)),
                    None => notes.add(
                        super::document::error_location(element),
                        format!("skipped an instance of {url:?}, which is not a node of this file"),
                    ),
                }
            }
            pending.extend(below.into_iter().rev());
        }
        scene.close();
        Ok(scene)
    }

    fn add(&mut self, element: Node<'a, 'a>, parent: Option<usize>, instances: usize) -> usize {
        let number = self.nodes.len();
        let above = parent.map(|parent| &self.nodes[parent]);
        let inside = above.filter(|above| above.instances == instances);
        self.nodes.push(SceneNode {
            element,
            parent,
            end: number + 1,
            instances,
            instance: inside.map_or(number, |inside| inside.instance),
        });
        self.by_element
            .entry(element.id())
            .or_default()
            .push(number);
        if let Some(sid) = element.attribute("sid") {
            self.by_sid.entry(sid).or_default().push(number);
        }
        let names = ["name", "id"].map(|key| element.attribute(key));
        for name in names.into_iter().flatten() {
            self.by_name.entry(name).or_insert(number);
        }
        number
    }

    fn close(&mut self) {
        for number in (1..self.nodes.len()).rev() {
            let SceneNode { end, parent, .. } = self.nodes[number];
            if let Some(parent) = parent {
                let above = &mut self.nodes[parent];
                above.end = above.end.max(end);
            }
        }
    }

    /// The indices of the instances of `element`, ascending.
    pub(super) fn indices(&self, element: XmlId) -> &[usize] {
        self.by_element.get(&element).map_or(&[], Vec::as_slice)
    }

    /// The instance of `element` that shares the innermost instance with node `near`: searches the subtrees of the instances
    /// around `near`, from the innermost outwards.
    fn nearest(&self, element: XmlId, near: usize) -> Option<usize> {
        let indices = self.indices(element);
        if let [] | [_] = indices {
            return indices.first().copied();
        }
        let mut around = Some(near);
        while let Some(number) = around {
            let top = self.nodes[number].instance;
            let SceneNode { end, parent, .. } = self.nodes[top];
            if let Some(inside) = first_within(indices, top, end) {
                return Some(inside);
            }
            around = parent;
        }
        None
    }

    /// The nodes that `words`, names or ids of joints, refer to in the mesh of node `near`.
    ///
    /// COLLADA 1.4.1, "skin": a name is a sid below the skeletons; the first skeleton that has it is used. Exporters also
    /// write node names and ids, and omit the skeletons, so the search falls back to those.
    pub(super) fn joints(
        &self,
        document: &Document<'a>,
        (words, are_ids): (&[&'a str], bool),
        skeletons: &[Node<'a, 'a>],
        near: usize,
    ) -> Vec<Option<usize>> {
        let roots: Vec<usize> = skeletons
            .iter()
            .filter_map(|root| self.nearest(root.id(), near))
            .collect();
        let meant = |word: &&str| {
            let below = |indices: &[usize]| {
                let mut roots = roots.iter();
                roots.find_map(|&root| first_within(indices, root, self.nodes[root].end))
            };
            if are_ids {
                let node = document.by_id(word)?;
                return below(self.indices(node.id())).or_else(|| self.nearest(node.id(), near));
            }
            let by_sid = self.by_sid.get(word).map_or(&[][..], Vec::as_slice);
            let anywhere = || self.by_name.get(word).or(by_sid.first()).copied();
            below(by_sid).or_else(anywhere)
        };
        words.iter().map(meant).collect()
    }
}

impl SceneNode<'_> {
    /// The name, else the id or sid, so that messages can name the node.
    pub(super) fn name(&self) -> String {
        let mut named = ["name", "id", "sid"]
            .into_iter()
            .filter_map(|key| self.element.attribute(key));
        match named.find(|name| !name.is_empty()) {
            None if is(self.element, "visual_scene") => SCENE.to_owned(),
            name => name.unwrap_or_default().to_owned(),
        }
    }

    /// Translation, rotation and scale if the file has them in this order, else a matrix, which may be sheared.
    pub(super) fn rest(&self) -> Result<LocalTransform, Failure> {
        let stack = Stack::read(self.element);
        Ok(stack.map_err(|why| Failure::at(self.element, why))?.rest())
    }
}

/// The first of `indices`, which ascend, from `start` up to `end`. A subtree is a contiguous range of indices.
fn first_within(indices: &[usize], start: usize, end: usize) -> Option<usize> {
    let first = indices.partition_point(|&index| index < start);
    indices.get(first).copied().filter(|&index| index < end)
}

/// The scene that `<scene>` names, or the only one.
fn shown<'a>(document: &Document<'a>) -> Result<Node<'a, 'a>, Failure> {
    let instance =
        child(document.root(), "scene").and_then(|scene| child(scene, "instance_visual_scene"));
    if let Some(url) = instance.and_then(|instance| instance.attribute("url")) {
        return Ok(document.at(url, "visual_scene")?);
    }
    let mut all = document.library("library_visual_scenes", "visual_scene");
    let first = all.next().ok_or(ReadError::Missing {
        url: String::new(),
        what: "visual_scene",
    })?;
    Ok(first)
}

/// The first node of each name.
fn names<'a>(document: &Document<'a>) -> HashMap<&'a str, Node<'a, 'a>> {
    let mut names = HashMap::new();
    let nodes = document.root().descendants();
    for node in nodes.filter(|node| is(*node, "node")) {
        if let Some(name) = node.attribute("name") {
            names.entry(name).or_insert(node);
        }
    }
    names
}

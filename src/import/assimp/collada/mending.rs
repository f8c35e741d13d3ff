//! What assimp would misread in a document: it is given the document with this written otherwise.
//!
//! - Which node a skin's joint is. assimp looks in the whole scene for a node of that name or id, then for one of that sid
//!   (`ColladaLoader.cpp`, `CreateMesh`), in no node that is instanced, and hands on the name of what it finds, which may
//!   be that of several nodes or of none. The format means the sid, below the instance's skeletons. Where that is another
//!   node, all nodes get names of their own, and joints name those; afterwards the [names](Names) are put back.
//! - `lookat` and `skew`: of the one assimp takes the up for the y axis, the other it ignores (`ColladaParser.cpp`,
//!   `CalculateResultTransform`). They become matrices.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use roxmltree::{Node, NodeId};

use super::document::{Document, children, is, parse, words};
use super::hierarchy::{self, AUTO_NAME};
use super::stack::{self, Kind, Stack};
use crate::rig::{Asset, Note, Place, Skeleton};
use crate::shown::escaped;

/// A document that is written otherwise.
#[derive(Debug, Default)]
pub(super) struct Mended {
    pub(super) text: String,
    pub(super) names: Names,
    pub(super) notes: Vec<Note>,
}

/// What nodes are called, by the numbers that they are called by in the mended document.
#[derive(Debug, Default)]
pub(in crate::import::assimp) struct Names(Vec<String>);

/// What a node is called in the mended document, before its number.
const TOKEN: &str = "skincheck.node.";

/// Part of the text, and what it becomes.
type Edit = (Range<usize>, String);

/// `text` as assimp should have it; `None` if it reads it as it is.
pub(super) fn mended(text: &str) -> Option<Mended> {
    let xml = parse(text).ok()?;
    let document = Document::new(&xml);
    let mut edits: Vec<Edit> = xml.descendants().filter_map(as_matrix).collect();
    let mut mended = Mended::default();
    if let Ok(scene) = hierarchy::scene(&document) {
        let mut skins = Skins::of(&document, scene);
        if skins.are_misread() {
            if skins.can_be_named && !text.contains(TOKEN) {
                mended.names = skins.name(text, &mut edits);
            } else {
                let message =
                    "joints of its skins may be taken for other nodes of the same name or sid";
                skins.note("file".to_owned(), message);
            }
        }
        mended.notes = skins.notes;
    }
    if edits.is_empty() && mended.notes.is_empty() {
        return None;
    }
    mended.text = edited(text, edits)?;
    Some(mended)
}

/// `None` if parts of the text that are to be changed overlap, as in no document that means anything.
fn edited(text: &str, mut edits: Vec<Edit>) -> Option<String> {
    edits.sort_by_key(|(range, _)| range.start);
    let (mut edited, mut from) = (String::with_capacity(text.len()), 0);
    for (range, new) in edits {
        edited.push_str(text.get(from..range.start)?);
        edited.push_str(&new);
        from = range.end;
    }
    edited.push_str(text.get(from..)?);
    Some(edited)
}

/// `text` as XML has it.
fn xml(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    text.replace('>', "&gt;").replace('"', "&quot;")
}

/// The matrix of a `lookat` or a `skew`.
fn as_matrix(element: Node<'_, '_>) -> Option<Edit> {
    let misread = [("lookat", Kind::LookAt), ("skew", Kind::Skew)];
    let (_, kind) = misread.into_iter().find(|(name, _)| is(element, name))?;
    if words(element).count() != kind.width() {
        return None;
    }
    let matrix = Stack::of(stack::step(element, kind).ok()?).matrix();
    let rows = matrix.transpose().to_cols_array();
    let numbers: Vec<String> = rows.iter().map(f64::to_string).collect();
    let sid = element.attribute("sid");
    let sid = sid.map_or_else(String::new, |sid| format!(" sid=\"{}\"", xml(sid)));
    let text = format!("<matrix{sid}>{}</matrix>", numbers.join(" "));
    matrix.is_finite().then_some((element.range(), text))
}

/// A joint of a skin.
struct Joint<'a> {
    /// The node that it is, if there is one.
    meant: Option<Node<'a, 'a>>,
    /// The node that assimp would find.
    found: Option<Node<'a, 'a>>,
    word: &'a str,
}

/// The joints of all skins.
struct Skins<'a> {
    nodes: Vec<Node<'a, 'a>>,
    /// By the list that they stand in.
    lists: Vec<(Node<'a, 'a>, Vec<Joint<'a>>)>,
    notes: Vec<Note>,
    /// Whether nodes can have other names: all that are instanced are known by their ids, and there are not too many to look
    /// at.
    can_be_named: bool,
}

/// Nodes and joints that are looked at for all skins together; models have a few thousand.
const MOST_WORK: usize = 1 << 24;

/// What is at and below sets of nodes, by its sid.
struct Trees<'a> {
    by_roots: HashMap<Vec<NodeId>, HashMap<&'a str, Node<'a, 'a>>>,
    work_left: usize,
}

impl<'a> Skins<'a> {
    fn of(document: &Document<'a>, scene: Node<'a, 'a>) -> Self {
        let all = document.root().descendants();
        let mut instances: HashMap<NodeId, Vec<Node<'a, 'a>>> = HashMap::new();
        for instance in all.clone().filter(|node| is(*node, "instance_controller")) {
            if let Some(skin) = skin_of(document, instance) {
                instances.entry(skin.id()).or_default().push(instance);
            }
        }
        let urls = all.clone().filter(|node| is(*node, "instance_node"));
        let mut urls = urls.filter_map(|instance| instance.attribute("url"));
        let mut skins = Self {
            nodes: all.clone().filter(|node| is(*node, "node")).collect(),
            lists: Vec::new(),
            notes: Vec::new(),
            can_be_named: urls.all(|url| !url.starts_with('#') || document.at(url, "node").is_ok()),
        };
        let (sids, mut trees) = (Sids::of(scene), Trees::new());
        for skin in all.filter(|node| is(*node, "skin")) {
            let instances = instances.remove(&skin.id()).unwrap_or_default();
            if skins
                .add(document, (&sids, &mut trees), skin, &instances)
                .is_none()
            {
                skins.can_be_named = false;
                break;
            }
        }
        skins
    }

    fn note(&mut self, place: String, message: &str) {
        let message = message.to_owned();
        self.notes.push(Note { place, message });
    }

    /// `None` if there is too much to look at.
    fn add(
        &mut self,
        document: &Document<'a>,
        (sids, trees): (&Sids<'a>, &mut Trees<'a>),
        skin: Node<'a, 'a>,
        instances: &[Node<'a, 'a>],
    ) -> Option<()> {
        let Some(list) = joint_list(document, skin) else {
            return Some(());
        };
        let id = skin
            .parent()
            .and_then(|controller| controller.attribute("id"));
        let place = format!("controller {:?}", id.unwrap_or_default());
        let mut of_instances = meant_by(document, trees, list, instances)?.into_iter();
        let first = of_instances.next().unwrap_or_default();
        if of_instances.any(|other| other != first) {
            let message = "is instanced with several skeletons, and all instances follow the first";
            self.note(place.clone(), message);
        }
        let mut weights =
            children(skin, "vertex_weights").flat_map(|weights| children(weights, "v"));
        if weights.any(|v| v.text().is_some_and(|text| text.contains('-'))) {
            let message =
                "vertices that follow no joint but the bind shape (-1) follow the first joint";
            self.note(place.clone(), message);
        }
        let joints = words(list).enumerate().map(|(index, word)| {
            let found = sids.found(word);
            let meant = first.get(index).copied().flatten();
            Joint {
                meant: meant.or(found),
                found,
                word,
            }
        });
        let joints: Vec<Joint<'a>> = joints.collect();
        let mut lists = self.lists.iter();
        let Some((_, known)) = lists.find(|(known, _)| *known == list) else {
            self.lists.push((list, joints));
            return Some(());
        };
        let pairs = known.iter().zip(&joints);
        if pairs.into_iter().any(|(a, b)| a.meant != b.meant) {
            let message =
                "shares its list of joints with a controller of another skeleton, and follows that";
            self.note(place, message);
        }
        Some(())
    }

    /// Whether assimp would take another node for a joint, or one whose name is that of several, or none.
    fn are_misread(&self) -> bool {
        let mut named: HashMap<&str, usize> = HashMap::new();
        for node in &self.nodes {
            *named.entry(name(*node)).or_default() += 1;
        }
        let is_clear = |node: Node<'a, 'a>| !name(node).is_empty() && named[name(node)] == 1;
        let mut joints = self.lists.iter().flat_map(|(_, joints)| joints);
        joints.any(|joint| {
            let is_other = |meant| joint.found != Some(meant) || !is_clear(meant);
            joint.meant.is_some_and(is_other)
        })
    }

    /// Calls each node by its number.
    fn name(&self, text: &str, edits: &mut Vec<Edit>) -> Names {
        let mut numbers = HashMap::new();
        let mut names = Vec::new();
        for (number, node) in self.nodes.iter().enumerate() {
            numbers.insert(node.id(), number);
            edits.push(renamed(text, *node, &format!("{TOKEN}{number}.")));
            names.push(match (name(*node), node.attribute("id")) {
                ("", None | Some("")) => format!("{AUTO_NAME}{number}"),
                ("", Some(id)) => id.to_owned(),
                (name, _) => name.to_owned(),
            });
        }
        for (list, joints) in &self.lists {
            let words: Vec<String> = joints
                .iter()
                .map(
                    |joint| match joint.meant.and_then(|node| numbers.get(&node.id())) {
                        Some(number) => format!("{TOKEN}{number}."),
                        None => xml(joint.word),
                    },
                )
                .collect();
            let (Some(first), Some(last)) = (list.first_child(), list.last_child()) else {
                continue;
            };
            edits.push((first.range().start..last.range().end, words.join(" ")));
        }
        Names(names)
    }
}

fn name<'a>(node: Node<'a, 'a>) -> &'a str {
    node.attribute("name").unwrap_or_default()
}

/// `node` with another name.
fn renamed(text: &str, node: Node<'_, '_>, name: &str) -> Edit {
    if let Some(attribute) = node.attribute_node("name") {
        return (attribute.range_value(), name.to_owned());
    }
    let start = node.range().start;
    let tag = text[start..].find(|c: char| c.is_whitespace() || c == '/' || c == '>');
    let end = start + tag.unwrap_or_default();
    (end..end, format!(" name=\"{name}\""))
}

/// The skin that an instance is of, below morphs.
fn skin_of<'a>(document: &Document<'a>, instance: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
    let controller = document.at(instance.attribute("url")?, "controller").ok()?;
    let skin = |controller| children(controller, "skin").next();
    skin(controller).or_else(|| {
        let morph = children(controller, "morph").next()?;
        skin(document.at(morph.attribute("source")?, "controller").ok()?)
    })
}

/// The list of names or ids of the joints of a skin.
fn joint_list<'a>(document: &Document<'a>, skin: Node<'a, 'a>) -> Option<Node<'a, 'a>> {
    let mut inputs = children(skin, "joints").flat_map(|joints| children(joints, "input"));
    let input = inputs.find(|input| input.attribute("semantic") == Some("JOINT"))?;
    let source = document.at(input.attribute("source")?, "source").ok()?;
    let mut lists = source.children();
    lists.find(|list| is(*list, "Name_array") || is(*list, "IDREF_array"))
}

fn skeletons<'a>(
    document: &Document<'a>,
    instance: Node<'a, 'a>,
) -> impl Iterator<Item = Node<'a, 'a>> {
    let urls = children(instance, "skeleton").filter_map(|skeleton| skeleton.text());
    urls.filter_map(|url| document.at(url.trim(), "node").ok())
}

/// What the words of `list` mean: once for each set of skeletons that `instances` have; `None` if that is too much to look
/// at.
fn meant_by<'a>(
    document: &Document<'a>,
    trees: &mut Trees<'a>,
    list: Node<'a, 'a>,
    instances: &[Node<'a, 'a>],
) -> Option<Vec<Vec<Option<Node<'a, 'a>>>>> {
    let is_by_id = list.tag_name().name() == "IDREF_array";
    let mut known = HashSet::new();
    let mut all = Vec::new();
    for instance in instances {
        let roots: Vec<_> = skeletons(document, *instance).collect();
        if !known.insert(roots.iter().map(Node::id).collect::<Vec<_>>()) {
            continue;
        }
        let words: Vec<&str> = words(list).collect();
        trees.spend(words.len())?;
        let by_id = |word| document.by_id(word).filter(|node| is(*node, "node"));
        all.push(if is_by_id {
            words.into_iter().map(by_id).collect()
        } else {
            let below = trees.below(document, &roots)?;
            let words = words.into_iter();
            words.map(|word| below.get(word).copied()).collect()
        });
    }
    Some(all)
}

impl<'a> Trees<'a> {
    fn new() -> Self {
        Self {
            by_roots: HashMap::new(),
            work_left: MOST_WORK,
        }
    }

    fn spend(&mut self, work: usize) -> Option<()> {
        self.work_left = self.work_left.checked_sub(work)?;
        Some(())
    }

    /// The first node of each sid at and below `roots`, also in nodes that are instanced there.
    fn below(
        &mut self,
        document: &Document<'a>,
        roots: &[Node<'a, 'a>],
    ) -> Option<&HashMap<&'a str, Node<'a, 'a>>> {
        let key: Vec<NodeId> = roots.iter().map(Node::id).collect();
        if !self.by_roots.contains_key(&key) {
            let (mut by_sid, mut seen) = (HashMap::new(), HashSet::new());
            let mut pending: Vec<Node<'a, 'a>> = roots.iter().rev().copied().collect();
            while let Some(node) = pending.pop() {
                if !seen.insert(node.id()) {
                    continue;
                }
                self.spend(1)?;
                if let Some(sid) = node.attribute("sid") {
                    by_sid.entry(sid).or_insert(node);
                }
                let instances = children(node, "instance_node");
                let urls = instances.filter_map(|instance| instance.attribute("url"));
                let instanced = urls.filter_map(|url| document.at(url, "node").ok());
                let below: Vec<_> = children(node, "node").chain(instanced).collect();
                pending.extend(below.into_iter().rev());
            }
            self.by_roots.insert(key.clone(), by_sid);
        }
        self.by_roots.get(&key)
    }
}

/// What assimp finds in a scene.
struct Sids<'a> {
    by_name_or_id: HashMap<&'a str, Node<'a, 'a>>,
    by_sid: HashMap<&'a str, Node<'a, 'a>>,
}

impl<'a> Sids<'a> {
    fn of(scene: Node<'a, 'a>) -> Self {
        let (mut by_name_or_id, mut by_sid) = (HashMap::new(), HashMap::new());
        let nodes = scene.descendants();
        for node in nodes.filter(|node| is(*node, "node") || *node == scene) {
            for key in ["name", "id"]
                .map(|key| node.attribute(key))
                .into_iter()
                .flatten()
            {
                by_name_or_id.entry(key).or_insert(node);
            }
            if let Some(sid) = node.attribute("sid") {
                by_sid.entry(sid).or_insert(node);
            }
        }
        Self {
            by_name_or_id,
            by_sid,
        }
    }

    fn found(&self, word: &str) -> Option<Node<'a, 'a>> {
        let named = self
            .by_name_or_id
            .get(word)
            .or_else(|| self.by_sid.get(word));
        named.copied()
    }
}

impl Names {
    /// Calls everything in `asset` by its own name again.
    pub(in crate::import::assimp) fn put_back(&self, asset: &mut Asset) {
        if self.0.is_empty() {
            return;
        }
        let mut joints = asset.skeleton.joints().to_vec();
        for joint in &mut joints {
            joint.name = self.restored(&joint.name, str::to_owned);
        }
        if let Ok(skeleton) = Skeleton::new(joints) {
            asset.skeleton = skeleton;
        }
        for note in &mut asset.notes {
            note.place = self.restored(&note.place, escaped);
            note.message = self.restored(&note.message, escaped);
        }
        for defect in &mut asset.evidence.defects {
            defect.message = self.restored(&defect.message, escaped);
            self.put_back_in(&mut defect.place);
        }
    }

    fn put_back_in(&self, place: &mut Place) {
        if let Some(joint) = &mut place.joint {
            *joint = self.restored(joint, str::to_owned);
        }
        for (joint, _) in &mut place.joints {
            *joint = self.restored(joint, str::to_owned);
        }
    }

    /// `text` with each number as the name that it stands for.
    fn restored(&self, text: &str, write: impl Fn(&str) -> String) -> String {
        let mut parts = text.split(TOKEN);
        let mut restored = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let name = part.split_once('.').and_then(|(number, rest)| {
                let number: usize = number.parse().ok()?;
                Some((self.0.get(number)?, rest))
            });
            if let Some((name, rest)) = name {
                restored.push_str(&write(name));
                restored.push_str(rest);
            } else {
                restored.push_str(TOKEN);
                restored.push_str(part);
            }
        }
        restored
    }
}

#[cfg(test)]
mod tests;

//! As much of XML Schema as the schema of JUnit uses: elements, their attributes, and which may be in which. It refuses a
//! schema that uses more.

use std::collections::BTreeMap;

use roxmltree::{Document, Node};

/// What the schema allows, by the element's name.
pub(super) struct Schema {
    elements: BTreeMap<String, Element>,
}

#[derive(Default)]
struct Element {
    /// Names, and whether they are required.
    attributes: BTreeMap<String, bool>,
    children: Vec<String>,
    text: bool,
}

impl Schema {
    pub(super) fn parse(xsd: &str) -> Self {
        let document = Document::parse(xsd).expect("the schema is XML");
        let root = document.root_element();
        let elements = elements_of(root).filter(|node| is(*node, "element"));
        Self {
            elements: elements.map(|node| (name(node), element(node))).collect(),
        }
    }

    /// What is wrong with the document.
    pub(super) fn complaints(&self, xml: &str) -> Vec<String> {
        let document = match Document::parse(xml) {
            Ok(document) => document,
            Err(error) => return vec![error.to_string()],
        };
        let nodes = document.descendants().filter(Node::is_element);
        nodes.flat_map(|node| self.complaints_about(node)).collect()
    }

    fn complaints_about(&self, node: Node<'_, '_>) -> Vec<String> {
        let tag = node.tag_name().name();
        let Some(allowed) = self.elements.get(tag) else {
            return vec![format!("there is no element {tag}")];
        };
        let unknown = node.attributes().map(|attribute| attribute.name());
        let unknown = unknown.filter(|name| !allowed.attributes.contains_key(*name));
        let unknown = unknown.map(|name| format!("{tag} has no attribute {name}"));
        let required = allowed.attributes.iter().filter(|(_, required)| **required);
        let missing = required.filter(|(name, _)| !node.has_attribute(name.as_str()));
        let missing = missing.map(|(name, _)| format!("{tag} lacks {name}"));
        let children = elements_of(node).map(|child| child.tag_name().name());
        let strays = children.filter(|child| !allowed.children.iter().any(|name| name == child));
        let strays = strays.map(|child| format!("{child} in {tag}"));
        let text = node.children().filter(Node::is_text);
        let text = text.filter_map(|child| child.text());
        let text = text.filter(|text| !allowed.text && !text.trim().is_empty());
        let text = text.map(|text| format!("text in {tag}: {text}"));
        unknown.chain(missing).chain(strays).chain(text).collect()
    }
}

/// A declaration with a complex type of its own, or a named type, of which only strings are known.
fn element(node: Node<'_, '_>) -> Element {
    let Some(complex) = elements_of(node).find(|child| is(*child, "complexType")) else {
        return Element {
            text: node.attribute("type") == Some("xs:string"),
            ..Element::default()
        };
    };
    let mut element = Element {
        text: complex.attribute("mixed") == Some("true"),
        ..Element::default()
    };
    for inner in complex.descendants().filter(Node::is_element).skip(1) {
        match inner.tag_name().name() {
            "attribute" => {
                let required = inner.attribute("use") == Some("required");
                element.attributes.insert(name(inner), required);
            }
            "element" => {
                let reference = inner.attribute("ref").expect("elements are references");
                element.children.push(reference.to_owned());
            }
            "choice" => assert_eq!(inner.attribute("maxOccurs"), Some("unbounded")),
            "sequence" => assert_eq!(elements_of(inner).count(), 1, "the order is not checked"),
            other => panic!("xs:{other} is not known"),
        }
    }
    element
}

fn elements_of<'a, 'input>(node: Node<'a, 'input>) -> impl Iterator<Item = Node<'a, 'input>> {
    node.children().filter(Node::is_element)
}

fn is(node: Node<'_, '_>, name: &str) -> bool {
    node.tag_name().name() == name
}

fn name(node: Node<'_, '_>) -> String {
    let name = node.attribute("name").expect("it has a name");
    name.to_owned()
}

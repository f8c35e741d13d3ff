//! The pictures in the documentation.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use skincheck::rig::NodeId;
use skincheck::view::Show;

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn files(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    let paths = entries.map(|entry| entry.expect("it can be listed").path());
    paths
        .filter(|path| path.extension().is_some_and(|own| own == extension))
        .collect()
}

/// The text of a page, and where its images are.
fn images(page: &Path) -> (String, Vec<PathBuf>) {
    let text = fs::read_to_string(page).expect("it is text");
    let starts = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
    let links = starts.filter_map(|rest| Some(rest.split_once(')')?.0));
    let is_image = |link: &&str| {
        let is_of_the_project = !link.contains("://");
        is_of_the_project
            && [".png", ".gif", ".svg"]
                .iter()
                .any(|end| link.ends_with(end))
    };
    let images = links.filter(is_image).map(|link| docs().join(link));
    let images = images.collect();
    (text, images)
}

#[test]
fn the_gallery_shows_every_mode() {
    let (gallery, _) = images(&docs().join("gallery.md"));
    for show in Show::all(NodeId(0)) {
        let name = show.name();
        let image = match name {
            "lit" => "render/walker.png".to_owned(),
            name => format!("render/show_{name}.png"),
        };
        let mut cells = gallery.split('|');
        let shows = |cell: &str| cell.contains(&image) && cell.contains(&format!("`--show {name}"));
        assert!(cells.any(shows), "{name} is not in docs/gallery.md");
    }
}

#[test]
fn every_image_of_a_page_is_there() {
    let mut shown = 0;
    for page in files(&docs(), "md") {
        for image in images(&page).1 {
            assert!(image.exists(), "{}: {}", page.display(), image.display());
            shown += 1;
        }
    }
    assert!(shown > 20, "{shown}");
}

#[test]
fn every_diagram_is_on_a_page_and_readable_in_light_and_dark() {
    let canonical = |path: &PathBuf| path.canonicalize().expect("it is there");
    let pages = files(&docs(), "md");
    let shown = pages.iter().flat_map(|page| images(page).1);
    let shown: BTreeSet<PathBuf> = shown.map(|image| canonical(&image)).collect();
    let diagrams = files(&docs().join("diagrams"), "svg");
    assert!(diagrams.len() >= 3, "{diagrams:?}");
    for diagram in diagrams {
        let name = diagram.display();
        assert!(shown.contains(&canonical(&diagram)), "{name} is on no page");
        let text = fs::read_to_string(&diagram).expect("it is text");
        let document = roxmltree::Document::parse(&text).expect("it is well-formed");
        let root = document.root_element();
        let size = root.attribute("viewBox").expect("it has a size");
        let size: Vec<f64> = size
            .split(' ')
            .map(|number| number.parse().expect("a number"))
            .collect();
        let title = root
            .children()
            .find(|child| child.has_tag_name((SVG, "title")));
        assert!(title.is_some_and(|title| title.text().is_some()), "{name}");
        let style = root
            .children()
            .find(|child| child.has_tag_name((SVG, "style")));
        let style = style
            .and_then(|style| style.text())
            .expect("it has a style");
        assert!(style.contains("prefers-color-scheme: dark"), "{name}");
        let texts = document
            .descendants()
            .filter(|node| node.has_tag_name((SVG, "text")));
        for text in texts {
            for (side, most) in [("x", size[2]), ("y", size[3])] {
                let at = text.attribute(side).expect("it has a position");
                let at: f64 = at.parse().expect("a number");
                assert!((0.0..=most).contains(&at), "{name}: {:?}", text.text());
            }
        }
    }
}

const SVG: &str = "http://www.w3.org/2000/svg";

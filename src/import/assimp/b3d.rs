//! Blitz3D: what assimp loses of it (`B3DImporter.cpp`, `ReadVRTS`, `ReadBONE`, `ReadBB3D`), told.

use std::collections::BTreeMap;
use std::path::Path;

use crate::rig::{Asset, Note};
use crate::units::amount;

/// Weights that assimp keeps of a vertex.
const MOST_WEIGHTS: usize = 4;

/// Joints that assimp tells apart: it counts them in a byte.
const MOST_NODES: usize = 256;

/// Bytes of a node's transform, behind its name.
const TRANSFORM: usize = 40;

/// The bit of the flags of vertices that says that they have colours.
const COLORED: u8 = 2;

/// Adds notes to `asset` if the file at `path` is called a Blitz3D file and has more than assimp keeps.
pub(super) fn note(asset: &mut Asset, path: &Path) {
    let extension = path.extension().unwrap_or_default();
    if !extension.eq_ignore_ascii_case("b3d") {
        return;
    }
    let file = std::fs::read(path).unwrap_or_default();
    let messages = Contents::of(&file).messages();
    asset.notes.extend(messages.into_iter().map(|message| Note {
        place: "file".to_owned(),
        message,
    }));
}

/// What is counted of a file.
#[derive(Debug, Default)]
struct Contents {
    nodes: usize,
    animations: usize,
    meshes: usize,
    is_colored: bool,
    /// Of each vertex that has some other than 0.
    weights: BTreeMap<u32, usize>,
}

impl Contents {
    fn of(file: &[u8]) -> Self {
        let mut contents = Self::default();
        let mut pending = vec![file];
        while let Some(rest) = pending.pop() {
            let Some((tag, body, behind)) = split(rest) else {
                continue;
            };
            pending.push(behind);
            match tag {
                b"BB3D" => pending.extend(body.get(4..)),
                b"NODE" => {
                    contents.nodes += 1;
                    let end_of_name = body.iter().position(|&byte| byte == 0);
                    pending.extend(end_of_name.and_then(|end| body.get(end + 1 + TRANSFORM..)));
                }
                b"MESH" => {
                    contents.meshes += 1;
                    pending.extend(body.get(4..));
                }
                b"VRTS" => contents.is_colored |= body.first().is_some_and(|f| f & COLORED != 0),
                b"BONE" => contents.count_weights(body),
                b"ANIM" => contents.animations += 1,
                _ => {}
            }
        }
        contents
    }

    fn count_weights(&mut self, body: &[u8]) {
        for record in body.as_chunks::<8>().0 {
            let [a, b, c, d, weight @ ..] = *record;
            if f32::from_le_bytes(weight) == 0.0 {
                continue;
            }
            let vertex = u32::from_le_bytes([a, b, c, d]);
            *self.weights.entry(vertex).or_default() += 1;
        }
    }

    fn messages(&self) -> Vec<String> {
        let heavy = self
            .weights
            .values()
            .filter(|&&count| count > MOST_WEIGHTS)
            .count();
        let rows = [
            (
                heavy > 0,
                format!(
                    "more than {MOST_WEIGHTS} weights at {}, of which assimp keeps the first",
                    amount(heavy, "vertex")
                ),
            ),
            (
                self.nodes > MOST_NODES,
                format!("assimp confuses the weights of more than {MOST_NODES} nodes"),
            ),
            (
                self.meshes > 1 && !self.weights.is_empty(),
                "assimp counts the vertices of weights over all meshes".to_owned(),
            ),
            (
                self.animations > 1,
                "assimp leaves out all of several animations".to_owned(),
            ),
            (
                self.is_colored,
                "assimp leaves out the colours of vertices".to_owned(),
            ),
        ];
        let told = rows.into_iter().filter(|(holds, _)| *holds);
        told.map(|(_, message)| message).collect()
    }
}

/// The tag and the body of the first chunk, and what is behind it.
fn split(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (tag, rest) = bytes.split_at_checked(4)?;
    let (len, rest) = rest.split_first_chunk::<4>()?;
    let (body, behind) = rest.split_at_checked(usize::try_from(u32::from_le_bytes(*len)).ok()?)?;
    Some((tag, body, behind))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm() -> Vec<u8> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        std::fs::read(folder.join("arm.b3d")).unwrap()
    }

    #[test]
    fn an_ordinary_file_gets_no_note() {
        let contents = Contents::of(&arm());
        assert_eq!(
            (contents.nodes, contents.meshes, contents.animations),
            (4, 1, 1)
        );
        assert_eq!(contents.weights.len(), 24);
        assert_eq!(contents.messages(), [""; 0]);
    }

    #[test]
    fn a_vertex_of_five_joints_is_noted() {
        let mut file = arm();
        let bone = file.windows(4).position(|tag| tag == b"BONE").unwrap() + 8;
        for weight in 0..5 {
            file[bone + 8 * weight] = 0;
        }
        let messages = Contents::of(&file).messages();
        let mut weightless = file.clone();
        weightless[bone + 4..bone + 8].fill(0);
        assert_eq!(Contents::of(&weightless).messages(), [""; 0]);
        assert_eq!(messages.len(), 1);
        assert!(
            messages[0].starts_with("more than 4 weights at 1 vertex,"),
            "{messages:?}"
        );
    }
}

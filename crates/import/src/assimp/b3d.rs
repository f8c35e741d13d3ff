//! What assimp loses of Blitz3D files: weights and keys, where several meshes have them.

use crate::log::Log;
use crate::rig::Misread;

/// The parts of a file.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Parts {
    meshes: usize,
    bones: usize,
    animations: usize,
}

/// Notes what assimp's importer does to these parts (`B3DImporter.cpp`): the indices of `ReadBONE` count the vertices of all meshes,
/// and `ReadBB3D` drops the animations if there are several.
pub(super) fn note_losses(parts: &Parts, log: &mut Log) {
    let Parts {
        meshes,
        bones,
        animations,
    } = *parts;
    if meshes > 1 && bones > 0 {
        let message = format!(
            "assimp gives the weights of all {meshes} meshes to the vertices of the first, so nothing that needs weights is checked"
        );
        log.misread(Misread::Weights, message);
    }
    if animations > 1 {
        let message = format!(
            "assimp drops all {animations} animations, so nothing that needs clips is checked"
        );
        log.misread(Misread::Motion, message);
    }
}

/// Counts the chunks of a file: a tag, the length of the content, and that. Chunks are nested in three kinds of chunks, behind their
/// own fields.
pub(super) fn parts(file: &[u8]) -> Parts {
    let mut parts = Parts::default();
    let mut open = vec![file];
    while let Some(rest) = open.pop() {
        let Some((tag, content, behind)) = chunk(rest) else {
            continue;
        };
        open.push(behind);
        match tag {
            b"MESH" => parts.meshes += 1,
            b"BONE" => parts.bones += usize::from(!content.is_empty()),
            b"ANIM" => parts.animations += 1,
            _ => {}
        }
        // A version; a brush; a name that ends in 0, and position, scale and rotation.
        let fields = match tag {
            b"BB3D" | b"MESH" => Some(4),
            b"NODE" => content
                .iter()
                .position(|byte| *byte == 0)
                .map(|end| end + 41),
            _ => None,
        };
        open.extend(fields.and_then(|fields| content.get(fields..)));
    }
    parts
}

/// The tag and the content of the first chunk, and what is behind it.
fn chunk(bytes: &[u8]) -> Option<(&[u8; 4], &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first_chunk::<4>()?;
    let (length, rest) = rest.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (content, behind) = rest.split_at_checked(length)?;
    Some((tag, content, behind))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::bytes;

    #[test]
    fn the_parts_of_a_file_are_counted() {
        let file = bytes("arm.b3d");
        let expected = Parts {
            meshes: 1,
            bones: 3,
            animations: 1,
        };
        assert_eq!(parts(&file), expected);
        for len in 0..file.len() {
            assert!(parts(&file[..len]).bones <= 3);
        }
    }

    #[test]
    fn weights_and_clips_of_several_meshes_are_misread() {
        let misread = |meshes, bones, animations| {
            let parts = Parts {
                meshes,
                bones,
                animations,
            };
            let mut log = Log::default();
            note_losses(&parts, &mut log);
            log.misread
        };
        assert_eq!(misread(1, 9, 1), []);
        assert_eq!(misread(2, 0, 0), []);
        assert_eq!(misread(2, 9, 1), [Misread::Weights]);
        assert_eq!(misread(2, 9, 2), [Misread::Weights, Misread::Motion]);
    }
}

//! What assimp loses of MilkShape files: the weights of all joints but a vertex's first, and the axes of position keys.

use crate::log::Log;
use crate::rig::Misread;

/// The parts of a file that assimp gets wrong.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Parts {
    /// The vertices that follow several joints.
    blended: usize,
    /// The joints with position keys that are rotated at rest.
    moved: usize,
}

/// Notes what assimp's importer does to these parts (`MS3DLoader.cpp`): `ReadComments` reads a count of 32 bits where the file has
/// 16, and `InternReadFile` adds position keys to the rest position.
pub(super) fn note_losses(parts: &Parts, log: &mut Log) {
    let Parts { blended, moved } = *parts;
    if blended > 0 {
        let message = format!(
            "assimp reads only the first joint of {blended} vertices that follow several, so nothing that needs weights is \
             checked"
        );
        log.misread(Misread::Weights, message);
    }
    if moved > 0 {
        let message = format!(
            "assimp puts the position keys of {moved} joints in the axes of their parents, so nothing that needs clips is checked"
        );
        log.misread(Misread::Motion, message);
    }
}

/// Counts these parts of a file, as far as it goes.
pub(super) fn parts(file: &[u8]) -> Parts {
    let mut parts = Parts::default();
    let mut reader = Reader(file);
    // Nothing is read beyond the end of a file that is cut off.
    let _ = reader.parts(&mut parts);
    parts
}

/// What is left of a file, in little endian.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn parts(&mut self, parts: &mut Parts) -> Option<()> {
        // Signature and version.
        self.skip(10 + 4)?;
        let vertices = self.u16()?;
        // Flags, position, joint and count of triangles.
        self.skip(15 * vertices)?;
        // Flags, corners, normals, texture coordinates, smoothing and group.
        let triangles = self.u16()?;
        self.skip(70 * triangles)?;
        for _ in 0..self.u16()? {
            // Flags, name, triangles and material.
            self.skip(33)?;
            let triangles = self.u16()?;
            self.skip(2 * triangles + 1)?;
        }
        let materials = self.u16()?;
        self.skip(361 * materials)?;
        // Frames per second, current time and count of frames.
        self.skip(12)?;
        for _ in 0..self.u16()? {
            parts.moved += usize::from(self.is_moved()?);
        }
        // Comments of groups, materials and joints, and one of the model, whose count has no index before its length.
        self.skip(4)?;
        for _ in 0..3 {
            for _ in 0..self.u32()? {
                self.skip(4)?;
                self.skip_text()?;
            }
        }
        for _ in 0..self.u32()? {
            self.skip_text()?;
        }
        // From the second version on, weights are followed by one number, and by two from the third.
        let numbers = self.u32()?.saturating_sub(1).min(2);
        for _ in 0..vertices {
            let [second, third, fourth] = self.array()?;
            self.skip(3 + 4 * numbers)?;
            parts.blended +=
                usize::from([second, third, fourth].iter().any(|joint| *joint != NONE));
        }
        Some(())
    }

    /// Whether a joint is rotated at rest and has a position key off its rest position.
    fn is_moved(&mut self) -> Option<bool> {
        // Flags, and its name and its parent's.
        self.skip(1 + 32 + 32)?;
        let rotation: [u8; 12] = self.array()?;
        self.skip(12)?;
        let [rotations, positions] = [self.u16()?, self.u16()?];
        self.skip(16 * rotations)?;
        let mut is_off = false;
        for _ in 0..positions {
            // The time of the key.
            self.skip(4)?;
            is_off |= !is_zero(&self.array::<12>()?);
        }
        Some(is_off && !is_zero(&rotation))
    }

    fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (own, rest) = self.0.split_first_chunk::<N>()?;
        self.0 = rest;
        Some(*own)
    }

    fn u16(&mut self) -> Option<usize> {
        self.array().map(u16::from_le_bytes).map(usize::from)
    }

    fn u32(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.array()?)).ok()
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.0 = self.0.get(bytes..)?;
        Some(())
    }

    fn skip_text(&mut self) -> Option<()> {
        let length = self.u32()?;
        self.skip(length)
    }
}

/// The index of no joint.
const NONE: u8 = 0xff;

/// Whether all of three floats are 0.
fn is_zero(floats: &[u8; 12]) -> bool {
    let (floats, _) = floats.as_chunks::<4>();
    floats.iter().all(|own| f32::from_le_bytes(*own) == 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::bytes;

    /// The arm with its wrist, which is rotated at rest, away from its rest position.
    fn moved() -> Vec<u8> {
        let mut file = bytes("arm.ms3d");
        let name = file.windows(6).position(|window| window == b"wrist\0");
        let joint = name.expect("it has a wrist") - 1;
        let count = |at: usize| usize::from(u16::from_le_bytes([file[at], file[at + 1]]));
        let position = joint + 93 + 16 * count(joint + 89) + 4;
        file[position..position + 4].copy_from_slice(&1.0_f32.to_le_bytes());
        file
    }

    #[test]
    fn blended_vertices_and_moved_joints_are_counted() {
        let file = bytes("arm.ms3d");
        let still = parts(&file);
        assert!(still.blended > 0, "{still:?}");
        assert_eq!(still.moved, 0);
        assert_eq!(parts(&moved()).moved, 1);
        for len in 0..file.len() {
            assert!(parts(&file[..len]).blended <= still.blended);
        }
    }

    #[test]
    fn what_assimp_loses_is_misread() {
        let misread = |blended, moved| {
            let mut log = Log::default();
            note_losses(&Parts { blended, moved }, &mut log);
            log.misread
        };
        assert_eq!(misread(0, 0), []);
        assert_eq!(misread(3, 0), [Misread::Weights]);
        assert_eq!(misread(3, 1), [Misread::Weights, Misread::Motion]);
    }
}

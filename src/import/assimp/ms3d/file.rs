//! A walk through a MilkShape 3D file, version 4 (`ms3dspec.h`; `msModel.cpp` of MilkShape's own viewer).

use crate::import::ImporterError;
use crate::import::text::decode;

/// How a file begins: its magic and its version.
pub(super) const START: &[u8; 14] = b"MS3D000000\x04\0\0\0";

/// Bytes of records.
const VERTEX: usize = 15;
const TRIANGLE: usize = 70;
const MATERIAL: usize = 361;
const RATE_AND_LENGTH: usize = 12;
const KEY: usize = 16;

/// Joints and weights of a vertex in the file, in the file's order.
pub(super) type Weights = Vec<(usize, f32)>;

/// What assimp loses, and what it takes to put it back.
#[derive(Debug, Default, PartialEq)]
pub(super) struct File {
    /// One a vertex.
    pub(super) weights: Vec<Weights>,
    /// For each group the vertices of its triangles.
    pub(super) groups: Vec<Vec<[usize; 3]>>,
    /// Names.
    pub(super) joints: Vec<String>,
    /// How many bytes there are before comments and weights.
    pub(super) plain_bytes: usize,
    /// Whether the part behind them could be read.
    pub(super) is_whole: bool,
}

impl File {
    /// Walks through `bytes`, a whole file.
    ///
    /// # Errors
    ///
    /// [`ImporterError::Parse`] if it ends before its joints do, or a group has a triangle that is not there.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, ImporterError> {
        let mut walk = Walk(bytes);
        let (mut file, first) = Self::plain(&mut walk).ok_or_else(|| ImporterError::Parse {
            message: "it ends before its joints do, or names a triangle that is not there"
                .to_owned(),
        })?;
        file.plain_bytes = bytes.len() - walk.0.len();
        let others = if walk.0.is_empty() {
            Some(Vec::new())
        } else {
            others(&mut walk, first.len())
        };
        file.is_whole = others.is_some();
        file.weights = weights(&first, &others.unwrap_or_default(), file.joints.len());
        Ok(file)
    }

    /// Everything up to the joints, and the first joint of each vertex.
    fn plain(walk: &mut Walk<'_>) -> Option<(Self, Vec<u8>)> {
        walk.take(START.len())?;
        let vertices = walk.u16()?;
        let vertices = walk.take(VERTEX * vertices)?.chunks_exact(VERTEX);
        let first = vertices.map(|vertex| vertex[13]).collect();
        let triangles = walk.u16()?;
        let triangles = walk.take(TRIANGLE * triangles)?.chunks_exact(TRIANGLE);
        let triangles: Vec<[usize; 3]> = triangles.map(corners).collect();
        let mut file = Self::default();
        for _ in 0..walk.u16()? {
            walk.take(33)?;
            let count = walk.u16()?;
            let own = numbers(walk.take(2 * count)?);
            let own = own.map(|number| triangles.get(number).copied());
            file.groups.push(own.collect::<Option<_>>()?);
            walk.take(1)?;
        }
        let materials = walk.u16()?;
        walk.take(MATERIAL * materials + RATE_AND_LENGTH)?;
        for _ in 0..walk.u16()? {
            let head = walk.take(89)?;
            let name = head[1..33].split(|&byte| byte == 0).next()?;
            file.joints.push(decode(name));
            let keys = walk.u16()? + walk.u16()?;
            walk.take(KEY * keys)?;
        }
        Some((file, first))
    }
}

fn corners(triangle: &[u8]) -> [usize; 3] {
    let mut numbers = numbers(&triangle[2..8]);
    std::array::from_fn(|_| numbers.next().unwrap_or_default())
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = usize> {
    let (pairs, _) = bytes.as_chunks::<2>();
    pairs.iter().map(|pair| u16::from_le_bytes(*pair).into())
}

/// Three more joints and three weights of each vertex, behind the comments; none in an old file.
fn others(walk: &mut Walk<'_>, vertices: usize) -> Option<Vec<[u8; 6]>> {
    if walk.u32()? == 1 {
        for _of in ["groups", "materials", "joints"] {
            for _ in 0..walk.u32()? {
                walk.u32()?;
                walk.text()?;
            }
        }
        if walk.u32()? == 1 {
            walk.text()?;
        }
    }
    if walk.0.is_empty() {
        return Some(Vec::new());
    }
    let size = match walk.u32()? {
        1 => 6,
        2 => 10,
        3 => 14,
        _ => return None,
    };
    let records = walk.take(size * vertices)?.chunks_exact(size);
    Some(
        records
            .filter_map(|record| record.first_chunk().copied())
            .collect(),
    )
}

/// The weights in the file are those of the first three joints, and the last has the rest. MilkShape counts in percent;
/// its specification says 255ths, and who has followed that has vertices that exceed 100.
fn weights(first: &[u8], others: &[[u8; 6]], joints: usize) -> Vec<Weights> {
    let sum = |other: &[u8; 6]| other[3..].iter().map(|&part| u32::from(part)).sum::<u32>();
    let whole = if others.iter().any(|other| sum(other) > 100) {
        255
    } else {
        100
    };
    let vertex = |(index, &first): (usize, &u8)| {
        let [second, third, last, stated @ ..] = others.get(index).copied().unwrap_or_default();
        let [one, two, three] = stated.map(i32::from);
        let weights = match stated {
            [0, 0, 0] => [whole, 0, 0, 0],
            _ => [one, two, three, whole - one - two - three],
        };
        let joints_of = [first, second, third, last].map(usize::from).into_iter();
        let known = joints_of
            .zip(weights)
            .filter(|&(joint, weight)| weight > 0 && joint < joints);
        known
            .map(|(joint, weight)| (joint, share(weight, whole)))
            .collect()
    };
    first.iter().enumerate().map(vertex).collect()
}

#[expect(clippy::cast_precision_loss, reason = "parts of 255")]
fn share(part: i32, whole: i32) -> f32 {
    part as f32 / whole as f32
}

/// What is left of a file.
struct Walk<'a>(&'a [u8]);

impl<'a> Walk<'a> {
    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn u16(&mut self) -> Option<usize> {
        numbers(self.take(2)?).next()
    }

    fn u32(&mut self) -> Option<u32> {
        let bytes = self.take(4)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes))
    }

    /// A length and as many bytes.
    fn text(&mut self) -> Option<&'a [u8]> {
        let len = usize::try_from(self.u32()?).ok()?;
        self.take(len)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arm() -> Vec<u8> {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures");
        std::fs::read(folder.join("arm.ms3d")).unwrap()
    }

    fn close(found: &Weights, expected: &[(usize, f32)]) -> bool {
        let pairs = found.iter().zip(expected);
        found.len() == expected.len()
            && pairs
                .into_iter()
                .all(|(a, b)| a.0 == b.0 && (a.1 - b.1).abs() < 1e-6)
    }

    #[test]
    fn a_file_cut_anywhere_is_refused_or_has_single_weights() {
        let whole = arm();
        let plain = File::read(&whole).unwrap().plain_bytes;
        for len in 0..whole.len() {
            match File::read(&whole[..len]) {
                Ok(file) => {
                    assert!(len >= plain);
                    assert_eq!(file.is_whole, len == plain || len == plain + 20, "{len}");
                }
                Err(_) => assert!(len < plain),
            }
        }
    }

    #[test]
    fn weights_are_percent_unless_they_exceed_that() {
        let none = 255;
        let four = weights(&[2], &[[1, 0, 3, 40, 30, 20]], 4);
        assert!(
            close(&four[0], &[(2, 0.4), (1, 0.3), (0, 0.2), (3, 0.1)]),
            "{four:?}"
        );
        let bytes = weights(&[0, 1], &[[1, none, none, 204, 51, 0], [0; 6]], 2);
        assert!(close(&bytes[0], &[(0, 0.8), (1, 0.2)]), "{bytes:?}");
        assert!(close(&bytes[1], &[(1, 1.0)]), "{bytes:?}");
    }

    #[test]
    fn a_vertex_without_weights_is_its_first_joints_and_one_without_that_nobodys() {
        let lists = weights(&[1, 255, 7], &[[255, 255, 255, 0, 0, 0]; 3], 2);
        assert!(close(&lists[0], &[(1, 1.0)]));
        assert!(lists[1].is_empty() && lists[2].is_empty());
    }
}

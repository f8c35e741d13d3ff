//! A copy as replacements of bytes of its model.

use std::ops::Range;

/// Bytes that replace others.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Patch {
    /// The replaced bytes of the model.
    pub replaced: Range<usize>,
    /// What takes their place.
    pub bytes: Vec<u8>,
}

/// Differences with fewer equal bytes between them are one.
const GAP: usize = 16;

/// The most bytes of all replacements of a model: larger ones are no change that a report can show.
const MOST: usize = 4096;

/// The replacements that make `after` of `before`, in order; `None` if they are too large.
pub(crate) fn between(before: &[u8], after: &[u8]) -> Option<Vec<Patch>> {
    let patches = if before.len() == after.len() {
        runs(before, after)
    } else {
        vec![inserted(before, after)]
    };
    let sizes = patches
        .iter()
        .map(|patch| patch.replaced.len() + patch.bytes.len());
    (sizes.sum::<usize>() <= MOST).then_some(patches)
}

/// The differing bytes of files of one length.
fn runs(before: &[u8], after: &[u8]) -> Vec<Patch> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    let pairs = before.iter().zip(after).enumerate();
    for (at, _) in pairs.filter(|(_, (before, after))| before != after) {
        match ranges.last_mut() {
            Some(last) if at - last.end < GAP => last.end = at + 1,
            _ => ranges.push(at..at + 1),
        }
    }
    let patch = |range: Range<usize>| Patch {
        bytes: after[range.clone()].to_vec(),
        replaced: range,
    };
    ranges.into_iter().map(patch).collect()
}

/// All between the equal beginnings and ends of two files.
fn inserted(before: &[u8], after: &[u8]) -> Patch {
    let equal = |(a, b): &(&u8, &u8)| a == b;
    let start = before.iter().zip(after).take_while(equal).count();
    let [rest, new] = [&before[start..], &after[start..]];
    let end = rest
        .iter()
        .rev()
        .zip(new.iter().rev())
        .take_while(equal)
        .count();
    Patch {
        replaced: start..before.len() - end,
        bytes: new[..new.len() - end].to_vec(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replacements_make_the_one_of_the_other() {
        let long = [b'a'; 2 * GAP];
        let texts: [&[u8]; 5] = [b"", b"abc", b"abd", b"aab", &long];
        for before in texts {
            for after in texts {
                let mut made = before.to_vec();
                for patch in between(before, after)
                    .expect("they are small")
                    .into_iter()
                    .rev()
                {
                    made.splice(patch.replaced, patch.bytes);
                }
                assert_eq!(made, after);
            }
        }
        let [mut first, zeros] = [[0; 200], [0; 200]];
        (first[3], first[150]) = (1, 1);
        assert_eq!(
            between(&zeros, &first).map(|patches| patches.len()),
            Some(2)
        );
        assert_eq!(between(&[0; MOST], &[1; MOST]), None);
    }
}

//! A cached verdict: the findings in one file, and the files they depend on.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::super::record::{Record, packed};
use super::state::{FileState, States};

/// The findings in one file, and the files they depend on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(in crate::check) struct Verdict {
    /// The key of the file; `None` if the verdict must not be used again.
    pub(in crate::check) key: Option<String>,
    /// Every other file that was read, looked for or listed.
    pub(in crate::check) files: Vec<FileState>,
    /// The time of reading and checking.
    pub(in crate::check) micros: u64,
    #[serde(with = "packed")]
    pub(in crate::check) report: Record,
}

impl Verdict {
    /// Whether it is the verdict for `key`, with all dependencies unchanged.
    pub(in crate::check) fn holds(&self, key: &str, states: &States) -> bool {
        self.key.as_deref() == Some(key) && self.files.iter().all(|file| states.holds(file))
    }

    /// The files that the model refers to.
    pub(in crate::check) fn named(&self) -> impl Iterator<Item = PathBuf> {
        self.files.iter().map(|file| PathBuf::from(&file.path))
    }

    /// One line of text with a checksum.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let text = serde_json::to_string(self).expect("no key is anything but a string");
        format!("{}\n{text}\n", blake3::hash(text.as_bytes()).to_hex()).into_bytes()
    }

    /// Parses [`Verdict::to_bytes`]; `None` if damaged.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (checksum, text) = std::str::from_utf8(bytes).ok()?.split_once('\n')?;
        let text = text.strip_suffix('\n')?;
        let is_whole = blake3::hash(text.as_bytes()).to_hex().as_str() == checksum;
        is_whole.then(|| serde_json::from_str(text).ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::check::FileReport;

    #[test]
    fn a_single_damaged_byte_makes_it_no_verdict() {
        let verdict = Verdict {
            key: Some("k".into()),
            files: Vec::new(),
            micros: 7,
            report: Record::of(&FileReport::default()),
        };
        let bytes = verdict.to_bytes();
        assert!(Verdict::parse(&bytes).is_some());
        for index in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[index] ^= 1;
            assert!(Verdict::parse(&damaged).is_none(), "byte {index}");
            assert!(Verdict::parse(&bytes[..index]).is_none(), "{index} bytes");
        }
    }
}

//! Fingerprints, by which other programs recognize a finding in the next run.

use std::collections::BTreeMap;
use std::path::Path;

use super::escape::uri;
use crate::check::baseline::subject;
use crate::finding::Finding;
use crate::rig::Location;

/// Each finding, and the number of earlier ones with the same code and subject.
pub(super) fn numbered(findings: &[Finding]) -> impl Iterator<Item = (&Finding, usize)> {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    findings.iter().map(move |finding| {
        let before = counts.entry((finding.code, subject(&finding.location)));
        let before = before.and_modify(|count| *count += 1).or_default();
        (finding, *before)
    })
}

/// The fingerprint of a finding. It stays the same as long as the code, the file, the names, and the number of earlier findings with
/// the same ones do.
///
/// * `before` – that number.
pub(super) fn fingerprint(path: &Path, code: &str, location: &Location, before: usize) -> String {
    let (path, subject, before) = (uri(path), subject(location), before.to_string());
    let parts = [code, &path, &subject, &before];
    hash(if before == "0" { &parts[..3] } else { &parts })
}

/// FNV-1a over the parts, with separators.
fn hash(parts: &[&str]) -> String {
    const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(PRIME);
    let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
    format!("{:016x}", bytes.fold(OFFSET, step))
}

//! The times that files took, which balance the next split into shards.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use super::folder::Cache;

/// The number of different runs whose times are stored.
const MOST_RUNS: usize = 64;

impl Cache {
    /// Microseconds by path, from the last whole run with the same arguments; empty before the first.
    ///
    /// * `arguments` – their digest.
    pub(in crate::check) fn timings_of(&self, arguments: &str) -> BTreeMap<String, u64> {
        let text = fs::read(self.timings_file(arguments)).ok();
        text.and_then(|text| serde_json::from_slice(&text).ok())
            .unwrap_or_default()
    }

    /// Stores the times of a whole run. A shard stores none, because a shard of the same run that starts later would
    /// then split differently.
    pub(in crate::check) fn keep_timings(&self, arguments: &str, micros: &BTreeMap<String, u64>) {
        let text = serde_json::to_vec(micros).expect("no key is anything but a string");
        self.write(&self.timings_file(arguments), &text);
        let files = fs::read_dir(self.timings()).into_iter().flatten();
        let files = files.filter_map(|entry| {
            let entry = entry.ok()?;
            Some((entry.metadata().ok()?.modified().ok()?, entry.path()))
        });
        let mut files: Vec<_> = files.collect();
        files.sort();
        for (_, file) in files.iter().rev().skip(MOST_RUNS) {
            // Another process may have removed it.
            let _ = fs::remove_file(file);
        }
    }

    fn timings_file(&self, arguments: &str) -> PathBuf {
        self.timings().join(format!("{arguments}.json"))
    }
}

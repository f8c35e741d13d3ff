//! Errors of reading a baseline.

/// Why a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// It is not what `--write-baseline` writes.
    #[error("this is not a skincheck baseline; write one to another path with --write-baseline")]
    Malformed(#[source] serde_json::Error),
    /// Its version is unknown to this version of skincheck.
    #[error(
        "expected the schema {expected}, found \"{found}\"; remove it, and write a new one with --write-baseline"
    )]
    Schema {
        /// The version that skincheck writes.
        expected: &'static str,
        /// The version in the file.
        found: String,
    },
}

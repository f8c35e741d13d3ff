//! Why a baseline cannot be used.

/// Why a baseline cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BaselineError {
    /// It is not what `--write-baseline` writes.
    #[error("this is no baseline of skincheck; write one with --write-baseline")]
    Malformed(#[source] serde_json::Error),
    /// It is of a version that this program does not know.
    #[error(
        "expected the schema {expected}, found \"{found}\"; write it anew with --write-baseline"
    )]
    Schema {
        /// The one that this program writes.
        expected: &'static str,
        /// The one that the file names.
        found: String,
    },
}

//! The JSON report of a check as a record: shards and baselines are read from it.

use std::io;
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::paths::read_up_to;
use crate::shown::escaped;

/// The name of the layout of JSON reports; its number grows with breaking changes.
pub(crate) const SCHEMA: &str = "skincheck/report/1";

/// The command whose reports are records.
pub(crate) const COMMAND: &str = "check";

/// The most bytes of a report: hundreds of thousands of models.
const MOST_BYTES: u64 = 1 << 30;

/// Why a file is not a JSON report of a check.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The file cannot be read.
    #[error("it cannot be read")]
    Unreadable(#[source] io::Error),
    /// It is not JSON, or fields are missing or wrong.
    #[error("not a JSON report of skincheck check")]
    Malformed(#[source] serde_json::Error),
    /// It has another layout.
    #[error("expected the schema {SCHEMA}, found \"{}\"", escaped(found))]
    Schema {
        /// The schema in the file.
        found: String,
    },
    /// It is the report of another command.
    #[error(
        "expected a report of skincheck check, found one of {}",
        escaped(found)
    )]
    Command {
        /// The command in the file.
        found: String,
    },
}

/// The fields that every report has.
#[derive(Deserialize)]
#[serde(expecting = "an object with schema and command")]
struct Header {
    schema: String,
    command: String,
}

/// Reads the fields of `T` from the report at `path`.
///
/// # Errors
///
/// [`RecordError`].
pub(crate) fn read<T: DeserializeOwned>(path: &Path) -> Result<T, RecordError> {
    parse(&read_up_to(path, MOST_BYTES).map_err(RecordError::Unreadable)?)
}

/// The same from the bytes of a report.
pub(crate) fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, RecordError> {
    let header: Header = serde_json::from_slice(bytes).map_err(RecordError::Malformed)?;
    if header.schema != SCHEMA {
        let found = header.schema;
        return Err(RecordError::Schema { found });
    }
    if header.command != COMMAND {
        let found = header.command;
        return Err(RecordError::Command { found });
    }
    serde_json::from_slice(bytes).map_err(RecordError::Malformed)
}

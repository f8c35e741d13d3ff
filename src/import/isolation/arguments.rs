//! The command line of a worker.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::Limits;
use crate::import::{Clips, Wanted};

/// The exit code of a worker that does not understand its arguments.
pub(super) const MISUSED: u8 = 2;

/// The version that both ends of the pipe must have.
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The arguments of a worker behind the version, in the order of the command line.
pub(super) struct Arguments {
    pub(super) importer: String,
    pub(super) memory_bytes: u64,
    pub(super) processor_seconds: u64,
    pub(super) clips: Clips,
    pub(super) variant: Option<String>,
    pub(super) path: PathBuf,
    pub(super) read_from: Vec<PathBuf>,
}

impl Arguments {
    pub(super) fn new(importer: &str, path: &Path, wanted: &Wanted, limits: &Limits) -> Self {
        Self {
            importer: importer.to_owned(),
            memory_bytes: limits.memory_bytes,
            // The parent enforces wall-clock time; this limit is for a child that has lost its parent.
            processor_seconds: limits.time.as_secs().saturating_add(1),
            clips: wanted.clips.clone(),
            variant: wanted.variant.clone(),
            path: path.to_owned(),
            read_from: wanted.read_from.clone(),
        }
    }

    pub(super) fn to_vec(&self) -> Vec<OsString> {
        let clips = match &self.clips {
            Clips::All => "all".to_owned(),
            Clips::None => "none".to_owned(),
            Clips::One(name) => format!("one:{name}"),
        };
        let mut list = vec![
            VERSION.into(),
            self.importer.clone().into(),
            self.memory_bytes.to_string().into(),
            self.processor_seconds.to_string().into(),
            clips.into(),
            self.variant
                .as_ref()
                .map_or_else(|| "usual".to_owned(), |name| format!("variant:{name}"))
                .into(),
            self.path.clone().into(),
        ];
        list.extend(self.read_from.iter().map(OsString::from));
        list
    }

    pub(super) fn parse(mut arguments: impl Iterator<Item = OsString>) -> Option<Self> {
        let mut text = || arguments.next()?.into_string().ok();
        if text()? != VERSION {
            return None;
        }
        let parsed = (text()?, text()?.parse().ok()?, text()?.parse().ok()?);
        let clips = match &*text()? {
            "all" => Clips::All,
            "none" => Clips::None,
            one => Clips::One(one.strip_prefix("one:")?.to_owned()),
        };
        let variant = match &*text()? {
            "usual" => None,
            named => Some(named.strip_prefix("variant:")?.to_owned()),
        };
        let path = PathBuf::from(arguments.next()?);
        Some(Self {
            importer: parsed.0,
            memory_bytes: parsed.1,
            processor_seconds: parsed.2,
            clips,
            variant,
            path,
            read_from: arguments.map(PathBuf::from).collect(),
        })
    }
}

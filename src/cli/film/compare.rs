//! The earlier version of a model.

use std::path::Path;

use anyhow::{Context, ensure};

use super::Args;
use crate::cli::load::file_name;
use crate::cli::report::Console;
use crate::import::Clips;
use crate::rig::Asset;
use crate::shown;

/// The largest image that GitHub shows within a comment, in bytes.
const MOST_INLINE: usize = 10_000_000;

/// The earlier version of the model and its file's name, if one is to be compared.
pub(super) fn earlier(args: &Args, console: Console) -> anyhow::Result<Option<(Asset, String)>> {
    let Some(path) = &args.compare else {
        return Ok(None);
    };
    ensure!(
        args.backend.is_cpu(),
        "--compare draws two models at a time, which only the backend `cpu` supports; omit --backend"
    );
    // Clips correspond by name, so all of them are read.
    let mut asset = args.model.load_beside(path, true, Clips::All, console)?;
    args.look
        .face(&mut asset)
        .with_context(|| shown::path(path))?;
    let skin = args.before.over(&args.skin);
    skin.see(&mut asset).with_context(|| shown::path(path))?;
    Ok(Some((asset, file_name(path))))
}

/// Warns of an animation that would not be shown in a pull request.
pub(super) fn warn_of_size(bytes: usize, path: &Path, console: Console) {
    if bytes > MOST_INLINE {
        console.warn(format_args!(
            "{}: {} MB, and GitHub shows at most {} MB within a comment; choose a smaller --size, a lower --fps or \
            fewer --clip",
            shown::path(path),
            bytes.div_ceil(1_000_000),
            MOST_INLINE / 1_000_000
        ));
    }
}

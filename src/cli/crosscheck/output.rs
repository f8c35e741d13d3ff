//! The results of many models: text as soon as one is done, other formats at the end.

use std::path::Path;

use anyhow::bail;

use crate::cli::output::print;
use crate::cli::report::Console;
use crate::report::Format;
use crate::shown;

/// What is known of all models so far.
pub(super) struct Output<T> {
    format: Format,
    pub(super) compared: Vec<T>,
    /// Models that could not be compared, each with the reason.
    pub(super) errors: Vec<(String, String)>,
}

impl<T> Output<T> {
    /// * `format` – text is printed at once, anything else at the end.
    pub(super) fn new(format: Format) -> Self {
        Self {
            format,
            compared: Vec::new(),
            errors: Vec::new(),
        }
    }

    /// Adds a model.
    ///
    /// * `text` – prints its result.
    pub(super) fn add(
        &mut self,
        model: &Path,
        result: anyhow::Result<T>,
        text: impl FnOnce(&T) -> String,
    ) -> anyhow::Result<()> {
        match result {
            Ok(compared) => {
                if self.format == Format::Text {
                    print(&text(&compared))?;
                }
                self.compared.push(compared);
            }
            Err(error) => {
                let path = shown::path(model);
                let named = error.to_string().contains(&path);
                let error = if named { error } else { error.context(path) };
                Console::error(&error);
                self.errors
                    .push((shown::unicode(model), format!("{error:#}")));
            }
        }
        Ok(())
    }

    /// Whether all models agree.
    ///
    /// # Errors
    ///
    /// If some could not be compared.
    pub(super) fn agrees(&self, agrees: impl Fn(&T) -> bool) -> anyhow::Result<bool> {
        let failed = self.errors.len();
        if failed > 0 {
            let all = self.compared.len() + failed;
            bail!("{failed} of {all} models could not be compared");
        }
        Ok(self.compared.iter().all(agrees))
    }
}

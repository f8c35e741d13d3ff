//! The results of many models: text as soon as one is done, JSON at the end.

use std::path::Path;

use anyhow::bail;
use skincheck::shown;

use crate::cli::output::print;
use crate::cli::report::Console;

/// What is known of all models so far.
pub(super) struct Output<T> {
    json: bool,
    pub(super) compared: Vec<T>,
    /// Models that could not be compared, each with the reason.
    pub(super) errors: Vec<(String, String)>,
}

impl<T> Output<T> {
    /// * `json` – whether nothing is printed before the end.
    pub(super) fn new(json: bool) -> Self {
        Self {
            json,
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
                if !self.json {
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

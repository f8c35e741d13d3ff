//! The models being checked, to be named if the program runs out of memory.

use std::path::Path;
use std::sync::Mutex;

use crate::shown;

static MODELS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Calls `report` with the models that this process is checking, unless there are none. Allocates nothing.
pub fn with_models_at_work(report: impl FnOnce(&[String])) {
    // The thread that asks may be the one that is adding a model.
    if let Ok(models) = MODELS.try_lock()
        && !models.is_empty()
    {
        report(&models);
    }
}

/// A model is at work as long as this exists.
pub(super) struct AtWork {
    model: String,
}

impl AtWork {
    pub(super) fn on(path: &Path) -> Self {
        let model = shown::path(path);
        let mut models = MODELS.lock().expect("nothing panics while it is held");
        models.push(model.clone());
        Self { model }
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let mut models = MODELS.lock().expect("nothing panics while it is held");
        let own = models.iter().position(|model| *model == self.model);
        own.map(|own| models.remove(own));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_named_while_they_are_at_work() {
        let is_named = || {
            let mut is_named = false;
            with_models_at_work(|models| is_named = models.iter().any(|model| model == "a.glb"));
            is_named
        };
        let work = AtWork::on(Path::new("a.glb"));
        assert!(is_named());
        drop(work);
        assert!(!is_named());
    }
}

//! A folder in which a copy can be read back, with the buffers that it names. Its images are those of the model.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

/// The folders that are in use.
static OPEN: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());

/// A temporary folder with the buffers of a model, laid out as they are.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: TempDir,
    /// The copy in it.
    model: PathBuf,
}

impl Stage {
    /// Copies `buffers`, but not the model itself.
    ///
    /// * `path` – the model.
    pub(crate) fn new<'a>(
        path: &Path,
        buffers: impl Iterator<Item = &'a Path>,
    ) -> io::Result<Self> {
        let path = path.canonicalize()?;
        let name = path.file_name().unwrap_or_default();
        let own = path.parent().unwrap_or(Path::new("")).to_owned();
        let mut named: Vec<PathBuf> = buffers.map(Path::canonicalize).collect::<io::Result<_>>()?;
        named.retain(|file| *file != path);
        // The lowest folder that holds all of them.
        let root = own
            .ancestors()
            .find(|folder| named.iter().all(|file| file.starts_with(folder)));
        let root = root.unwrap_or(Path::new(""));
        let folder = TempDir::with_prefix("skincheck-fix-")?;
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.push(folder.path().to_owned());
        drop(open);
        let below = |file: &Path| folder.path().join(file.strip_prefix(root).unwrap_or(file));
        for file in &named {
            let copy = below(file);
            fs::create_dir_all(copy.parent().unwrap_or(&copy))?;
            fs::copy(file, copy)?;
        }
        let model = below(&own).join(name);
        fs::create_dir_all(model.parent().unwrap_or(&model))?;
        Ok(Self { folder, model })
    }

    /// Writes a copy. Returns its path.
    pub(crate) fn write(&self, file: &[u8]) -> io::Result<&Path> {
        fs::write(&self.model, file)?;
        Ok(&self.model)
    }

    /// The folder whose files the copy may name.
    pub(crate) fn root(&self) -> &Path {
        self.folder.path()
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
        open.retain(|own| own != self.folder.path());
    }
}

/// Removes the temporary folders of repairs, for a program that ends itself in the middle of one.
pub fn abandon() {
    remove(&OPEN);
}

fn remove(open: &Mutex<Vec<PathBuf>>) {
    // A thread that holds the lock may wait for the end of the program.
    let open = open.try_lock().map(|mut open| std::mem::take(&mut *open));
    for folder in open.unwrap_or_default() {
        // There is nobody left to tell.
        let _ = fs::remove_dir_all(folder);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_that_names_itself_is_not_copied() {
        let folder = TempDir::new().expect("there is room");
        let model = folder.path().join("a.gltf");
        fs::write(&model, "{}").expect("there is room");
        let stage = Stage::new(&model, [model.as_path()].into_iter()).expect("there is room");
        let files = stage.root().read_dir().expect("it is there");
        assert_eq!(files.count(), 0);
    }

    #[test]
    fn a_program_that_ends_removes_what_is_open() {
        let folder = TempDir::new().expect("there is room");
        let model = folder.path().join("a.gltf");
        fs::write(&model, "{}").expect("there is room");
        let stage = Stage::new(&model, std::iter::empty()).expect("there is room");
        let root = stage.root().to_owned();
        assert!(OPEN.lock().expect("no test panics in it").contains(&root));
        remove(&Mutex::new(vec![root.clone()]));
        assert!(!root.exists());
        drop(stage);
        assert!(!OPEN.lock().expect("no test panics in it").contains(&root));
    }
}

//! A folder in which a copy can be read back, with the buffers that it names. Its images are those of the model.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use tempfile::TempDir;

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
}

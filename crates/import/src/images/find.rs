//! Finds the file of an image: models contain the paths of the machine that they were made on.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::path::{Component, Path, PathBuf};

use crate::files::{self, Reach, Refusal};

/// Names of folders for images, beside a model or beside its folder.
const FOLDERS: &[&str] = &[
    "",
    "textures",
    "texture",
    "tex",
    "images",
    "materials",
    "maps",
    "../textures",
    "../images",
];

/// The extensions of supported formats, in the order in which they are tried.
const EXTENSIONS: &[&str] = &["png", "jpg", "jpeg", "tga", "bmp", "webp", "ktx2"];

/// Longest path that is searched for, in bytes: the limit of Linux.
const LONGEST: usize = 4096;

/// How many folders of a foreign path are tried at most.
const DEEPEST: usize = 8;

/// How many folders, up and down, a path may have to be searched for without regard to case.
const MOST_STEPS: usize = 32;

/// Whether a file is the one that the model names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Match {
    /// At exactly the path that the model names.
    Exact,
    /// In another folder, or with a slightly different name.
    Similar,
}

/// How many folders are read for all images of a model.
const MOST_FOLDERS: usize = 1 << 10;

/// How many entries all these folders may have.
const MOST_ENTRIES_IN_ALL: usize = 1 << 18;

/// Looks for files, and reads each folder at most once, however many files are looked for.
pub(super) struct Finder<'a> {
    reach: &'a Reach,
    /// Paths that models name without a file there; of a path out of reach, its name beside the model.
    missing: BTreeSet<PathBuf>,
    folders: BTreeMap<PathBuf, Listing>,
    entries_left: usize,
}

/// The entries of a folder by their names in lower case, the first of several; `None` if there are too many to read, so
/// that only exact names are found.
type Listing = Option<BTreeMap<String, OsString>>;

impl<'a> Finder<'a> {
    /// * `reach` – the files that may be found.
    pub(super) fn new(reach: &'a Reach) -> Self {
        Self {
            reach,
            missing: BTreeSet::new(),
            folders: BTreeMap::new(),
            entries_left: MOST_ENTRIES_IN_ALL,
        }
    }

    /// The regular file that a model in `folder` refers to by `wanted`.
    ///
    /// Tried in this order: the path itself (with `\` as `/`, without `file://`, with `%20` as a space); its last parts in
    /// `folder`, as in `textures/a.png` for `C:\work\textures\a.png`; its file name in one of the usual folders; the same
    /// with the extension of another image format. All but the first ignore case.
    pub(super) fn find(&mut self, folder: &Path, wanted: &Path) -> Option<(Match, PathBuf)> {
        let spellings = spellings(wanted)?;
        for path in spellings.iter().map(|path| folder.join(path)) {
            if self.reach.has_file(&path) {
                return Some((Match::Exact, path));
            }
            // A path out of reach may be found by its name.
            let name = path.file_name().unwrap_or_default();
            let missing = if self.reach.excludes(&path) {
                folder.join(name)
            } else {
                path
            };
            self.missing.insert(missing);
        }
        let candidates: Vec<PathBuf> = spellings.iter().flat_map(|path| candidates(path)).collect();
        let other_formats = candidates.iter().flat_map(|path| {
            let extensions = EXTENSIONS.iter();
            extensions.map(|extension| path.with_extension(extension))
        });
        let mut all = candidates.iter().cloned().chain(other_formats);
        let found = all.find_map(|path| self.find_ignoring_case(folder, &path));
        found.map(|path| (Match::Similar, path))
    }

    /// The refusal, if everything that a model in `folder` may mean by `wanted` is out of reach.
    pub(super) fn refusal(&self, folder: &Path, wanted: &Path) -> Option<Refusal> {
        let paths = spellings(wanted)?.into_iter().map(|path| folder.join(path));
        let refusals: Option<Vec<Refusal>> = paths
            .map(|path| self.reach.real(&path).err().filter(Refusal::is_outside))
            .collect();
        refusals?.pop()
    }

    /// The other paths that the results depend on: missing files, and listed folders.
    pub(super) fn into_looked_at(self) -> impl Iterator<Item = PathBuf> {
        let reach = self.reach;
        let folders = self.folders.into_keys();
        let listed = folders.filter(|folder| reach.real(folder).is_ok());
        self.missing.into_iter().chain(listed)
    }

    /// The regular file at `relative` in `folder`, ignoring the case of its folders and its name.
    fn find_ignoring_case(&mut self, folder: &Path, relative: &Path) -> Option<PathBuf> {
        let mut path = folder.to_owned();
        for component in relative.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => path.push(".."),
                Component::Normal(name) => path.push(self.entry_ignoring_case(&path, name)?),
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        self.reach.has_file(&path).then_some(path)
    }

    /// The entry of `folder` that equals `name` except for case; the exact one is preferred, then the first.
    fn entry_ignoring_case(&mut self, folder: &Path, name: &OsStr) -> Option<OsString> {
        let exact = || folder.join(name).exists().then(|| name.to_owned());
        let Some(listing) = self.listing(folder) else {
            return exact();
        };
        let alike = listing.get(&name.to_str()?.to_lowercase())?;
        if alike == name {
            return Some(alike.clone());
        }
        exact().or_else(|| Some(alike.clone()))
    }

    fn listing(&mut self, folder: &Path) -> Option<&BTreeMap<String, OsString>> {
        if !self.folders.contains_key(folder) && self.folders.len() < MOST_FOLDERS {
            let listing = self.read(folder);
            self.folders.insert(folder.to_owned(), listing);
        }
        self.folders.get(folder)?.as_ref()
    }

    fn read(&mut self, folder: &Path) -> Listing {
        if self.reach.real(folder).is_err() {
            return Some(BTreeMap::new());
        }
        let most = files::MOST_ENTRIES.min(self.entries_left);
        let names = files::entries(folder, most);
        self.entries_left -= names.as_ref().map_or(most, Vec::len);
        names.map(by_lower_case)
    }
}

/// Sorted in reverse, so that the first of several names with one key is inserted last and stays.
fn by_lower_case(mut names: Vec<OsString>) -> BTreeMap<String, OsString> {
    names.sort_by(|a, b| b.cmp(a));
    let pairs = names
        .into_iter()
        .filter_map(|name| Some((name.to_str()?.to_lowercase(), name)));
    pairs.collect()
}

/// The relative paths that the text may mean; `None` if it is not a usable path.
fn spellings(wanted: &Path) -> Option<Vec<PathBuf>> {
    let text = wanted.to_str().filter(|text| text.len() <= LONGEST)?;
    let local = text.strip_prefix("file://").unwrap_or(text);
    let local = local.replace('\\', "/");
    let decoded = files::percent_decoded(&local);
    let mut spellings = vec![PathBuf::from(&local)];
    if decoded != local {
        spellings.push(PathBuf::from(decoded));
    }
    spellings[0].file_name()?;
    Some(spellings)
}

/// Paths relative to the model's folder, the likeliest first.
fn candidates(path: &Path) -> Vec<PathBuf> {
    let parts: Vec<&OsStr> = path.components().filter_map(normal).collect();
    let Some(name) = parts.last() else {
        return Vec::new();
    };
    let deepest = parts.len().saturating_sub(DEEPEST);
    let tails = (deepest..parts.len()).map(|start| parts[start..].iter().collect());
    let usual = FOLDERS.iter().map(|folder| Path::new(folder).join(name));
    // Unchanged, with its `..`, for a file whose name differs only in case.
    let short = path.is_relative() && path.components().count() <= MOST_STEPS;
    let whole = short.then(|| path.to_owned());
    whole.into_iter().chain(tails).chain(usual).collect()
}

fn normal(component: Component<'_>) -> Option<&OsStr> {
    match component {
        Component::Normal(name) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Everything below `folder`.
    fn below(folder: &Path) -> Reach {
        Reach::of(&folder.join("model.gltf"), &[])
    }

    /// A folder with `a.txt`, `B.PNG` and a folder `sub` with `c.png`.
    fn folder() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("sub")).unwrap();
        for name in ["a.txt", "B.PNG", "sub/c.png"] {
            fs::write(folder.path().join(name), "").unwrap();
        }
        folder
    }

    #[test]
    fn each_folder_is_read_once_for_any_number_of_files() {
        let folder = folder();
        let reach = below(folder.path());
        let mut finder = Finder::new(&reach);
        for index in 0..100 {
            let wanted = format!("C:\\work\\sub\\{index}.psd");
            assert_eq!(finder.find(folder.path(), Path::new(&wanted)), None);
        }
        let inside = folder.path().join("sub");
        assert!(finder.folders.contains_key(folder.path()));
        assert!(finder.folders.contains_key(&inside));
        let listings = finder.folders.values().flatten();
        let entries: usize = listings.map(BTreeMap::len).sum();
        assert_eq!(finder.entries_left, MOST_ENTRIES_IN_ALL - entries);
    }

    #[test]
    fn a_folder_of_too_many_entries_has_exact_names_only() {
        let folder = folder();
        let reach = below(folder.path());
        let wanted = |entries_left, name: &str| {
            let mut finder = Finder {
                entries_left,
                ..Finder::new(&reach)
            };
            finder.find(folder.path(), Path::new(name)).is_some()
        };
        assert!(wanted(3, "C:\\B.PNG") && wanted(3, "C:\\b.png"));
        assert!(wanted(2, "C:\\B.PNG"));
        let case_matters = !folder.path().join("b.PNG").exists();
        assert_eq!(wanted(2, "C:\\b.png"), !case_matters);
    }

    #[test]
    fn a_path_that_wanders_leads_to_no_more_folders_than_a_sensible_one() {
        let folder = folder();
        let reach = below(folder.path());
        let mut finder = Finder::new(&reach);
        let wanted = |rounds| format!("{}SUB/C.png", "sub/../".repeat(rounds));
        assert!(finder.find(folder.path(), wanted(15).as_ref()).is_some());
        let known = finder.folders.len();
        // What is found is found by its last parts.
        assert!(finder.find(folder.path(), wanted(500).as_ref()).is_some());
        assert!(finder.folders.len() <= known + DEEPEST);
    }

    #[test]
    fn a_folder_out_of_reach_is_neither_read_nor_depended_on() {
        let folder = folder();
        let model = folder.path().join("sub");
        let found = |reach: &Reach| {
            let mut finder = Finder::new(reach);
            let found = finder.find(&model, Path::new("../B.PNG")).is_some();
            let alike = finder.find(&model, Path::new("../b.jpg")).is_some();
            let looked_at: Vec<PathBuf> = finder.into_looked_at().collect();
            let leads_out =
                |path: &PathBuf| path.components().any(|part| part == Component::ParentDir);
            (found, alike, looked_at.iter().any(leads_out))
        };
        assert_eq!(found(&below(&model)), (false, false, false));
        assert_eq!(found(&below(folder.path())), (true, true, true));
    }
}

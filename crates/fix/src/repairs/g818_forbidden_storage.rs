//! `G818`: accessors that start or step where they must not are stored anew, each in a view of its own.

use std::collections::BTreeMap;

use super::{Changed, Job};
use crate::document::{Document, Json};

pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    let mut changed = Changed::default();
    let accessors = job.document.json.get("accessors");
    let count = accessors.map_or(0, |all| all.items().len());
    let mut sharers: BTreeMap<usize, usize> = BTreeMap::new();
    for index in (0..count).filter(|index| is_attribute(job.document, *index)) {
        if let Some(view) = number(job.document, &format!("accessors/{index}/bufferView")) {
            *sharers.entry(view).or_default() += 1;
        }
    }
    for index in 0..count {
        if job.document.users(index).next().is_some() && is_misplaced(job.document, index, &sharers)
        {
            let done = job.document.rewrite(index);
            changed.add(done.map(|()| 1));
        }
    }
    changed
}

fn number(document: &Document, path: &str) -> Option<usize> {
    document.json.at(path).and_then(Json::whole)
}

fn is_attribute(document: &Document, accessor: usize) -> bool {
    document
        .users(accessor)
        .any(|user| user.starts_with("meshes/") && !user.ends_with("/indices"))
}

/// Whether the place of an accessor breaks a rule of §3.6.2.4 of glTF 2.0.
///
/// * `sharers` – how many accessors of attributes use each view.
fn is_misplaced(document: &Document, index: usize, sharers: &BTreeMap<usize, usize>) -> bool {
    let Some(view) = number(document, &format!("accessors/{index}/bufferView")) else {
        return false;
    };
    let Ok(accessor) = document.accessor(index) else {
        return false;
    };
    let own = number(document, &format!("accessors/{index}/byteOffset")).unwrap_or(0);
    let start = number(document, &format!("bufferViews/{view}/byteOffset")).unwrap_or(0);
    let stride = number(document, &format!("bufferViews/{view}/byteStride"));
    let size = accessor.component.size();
    let is_forbidden = if is_attribute(document, index) {
        let is_shared = sharers.get(&view).is_some_and(|count| *count > 1);
        let step = stride.unwrap_or(accessor.width * size);
        !own.is_multiple_of(4) || !step.is_multiple_of(4) || is_shared && stride.is_none()
    } else {
        stride.is_some()
    };
    is_forbidden || !start.saturating_add(own).is_multiple_of(size)
}

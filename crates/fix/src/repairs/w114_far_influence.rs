//! `W114`: a vertex that follows a distant joint gets the weights of the nearest vertex that does not, along the surface.

use super::surface::bind_to_nearest;
use super::weights::{Sets, each_group};
use super::{Changed, Job};

/// Binds the vertices that findings name as the nearest others, if they are few.
pub(super) fn repair(job: &mut Job<'_>) -> Changed {
    let most = job.most;
    each_group(job, |document, sets, vertices, changed| {
        let most = most.unwrap_or_else(|| sets.vertices().div_ceil(ONE_IN));
        if vertices.len() > most {
            let count = vertices.len();
            changed.leave(format!(
                "{count} vertices would follow other joints, which is more than {most}, see --most"
            ));
            return;
        }
        let is_source =
            |sets: &Sets, vertex: usize| !vertices.contains(&vertex) && sets.has_weight(vertex);
        bind_to_nearest(document, sets, vertices, is_source, changed);
    })
}

/// So large a part of a mesh is no mistake at single vertices.
const ONE_IN: usize = 100;

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::document::Document;
    use crate::finding::{Code, Finding, Level};
    use crate::repairs::{Changes, named};
    use crate::rig::{InstanceId, Location};
    use crate::testing::{Layout, Model, STORAGES, loaded};

    #[test]
    fn named_vertices_get_the_weights_of_their_neighbours_unless_there_are_too_many() {
        for storage in STORAGES {
            let mut model = Model::sound(storage, Layout::Apart);
            for vertex in [0, 1] {
                model.joints[vertex] = [0, 1, 0, 0];
                model.weights[vertex] = [0.0, 1.0, 0.0, 0.0];
            }
            let mut finding = Finding::new(Code("W114"), Level::Hint, Location::FILE, "is far");
            finding.affected.vertices(InstanceId(0), [0, 1]);
            let (file, asset) = (model.bytes(), loaded(&model.bytes()));
            let mut document =
                Document::open(&file, Path::new(""), &[], Vec::new()).expect("it is whole");
            let mut job = Job {
                document: &mut document,
                asset: &asset,
                findings: &[&finding],
                named: named(&asset, [&finding], Changes::Weights),
                most: None,
                most_influences: None,
            };
            let refused = repair(&mut job);
            assert_eq!(refused.count, 0);
            assert_eq!(
                refused.left,
                ["2 vertices would follow other joints, which is more than 1, see --most"]
            );
            job.most = Some(2);
            assert_eq!(repair(&mut job).count, 2);
            let copy = loaded(&document.close().expect("it is small"));
            let weights = &copy.meshes[0].influences;
            assert_eq!(weights.of(0), weights.of(2), "{storage:?}");
            assert_eq!(weights.of(1), weights.of(3), "{storage:?}");
        }
    }
}

//! Clips, joints and meshes that arguments name.

use pyo3::exceptions::{PyIndexError, PyTypeError};
use pyo3::prelude::*;
use skincheck::pose;
use skincheck::rig::{Asset, ClipId, InstanceId, NodeId};

use crate::error::{Raise, UnknownNameError};
use crate::parts::{Clip, Joint, Mesh};

/// The clip that an argument names: by name, by index, or as an object.
pub(crate) fn clip(asset: &Asset, argument: &Bound<'_, PyAny>) -> PyResult<ClipId> {
    let named = |name: &str| pose::find_clip(asset, name).raise(UnknownNameError::new_err);
    if let Ok(clip) = argument.cast::<Clip>() {
        return named(&clip.get().name);
    }
    if let Ok(name) = argument.extract::<String>() {
        return named(&name);
    }
    index(argument, asset.clips.len(), "clip").map(ClipId::from_index)
}

/// The node that an argument names: by name, by index, or as an object.
pub(crate) fn joint(asset: &Asset, argument: &Bound<'_, PyAny>) -> PyResult<NodeId> {
    if let Ok(joint) = argument.cast::<Joint>() {
        return below(joint.get().index, asset.skeleton.len(), "joint").map(NodeId::from_index);
    }
    if let Ok(name) = argument.extract::<String>() {
        return pose::find_joint(asset, &name).raise(UnknownNameError::new_err);
    }
    index(argument, asset.skeleton.len(), "joint").map(NodeId::from_index)
}

/// The mesh that an argument names: by name, by index, or as an object.
pub(crate) fn mesh(asset: &Asset, argument: &Bound<'_, PyAny>) -> PyResult<InstanceId> {
    if let Ok(mesh) = argument.cast::<Mesh>() {
        let index = mesh.get().id.index();
        return below(index, asset.instances.len(), "mesh").map(InstanceId::from_index);
    }
    if let Ok(name) = argument.extract::<String>() {
        return pose::find_mesh(asset, &name).raise(UnknownNameError::new_err);
    }
    index(argument, asset.instances.len(), "mesh").map(InstanceId::from_index)
}

fn index(argument: &Bound<'_, PyAny>, count: usize, what: &str) -> PyResult<usize> {
    let index = argument.extract::<isize>().map_err(|_| {
        let given = argument.get_type().name().map(|name| name.to_string());
        PyTypeError::new_err(format!(
            "expected the name, index or object of a {what}, not {}",
            given.unwrap_or_default()
        ))
    })?;
    let index = usize::try_from(index).unwrap_or(usize::MAX);
    below(index, count, what)
}

fn below(index: usize, count: usize, what: &str) -> PyResult<usize> {
    if index < count {
        return Ok(index);
    }
    let plural = if what == "mesh" {
        "meshes"
    } else {
        &format!("{what}s")
    };
    Err(PyIndexError::new_err(format!(
        "there is no {what} of this index: the model has {count} {plural}, numbered from 0"
    )))
}

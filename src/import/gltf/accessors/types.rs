//! Types of components and elements, and what messages call them.

use gltf::json::Accessor;
use gltf::json::accessor::{ComponentType, GenericComponentType, Type};
use gltf::json::validation::Checked;

use crate::import::gltf::error::AccessProblem;

pub(super) fn component(
    component: Checked<GenericComponentType>,
) -> Result<ComponentType, AccessProblem> {
    match component {
        Checked::Valid(component) => Ok(component.0),
        Checked::Invalid => Err(AccessProblem::UnknownType),
    }
}

/// * `width` – of an element, in numbers.
pub(super) fn expect_width(accessor: &Accessor, width: usize) -> Result<(), AccessProblem> {
    let Checked::Valid(found) = accessor.type_ else {
        return Err(AccessProblem::UnknownType);
    };
    let expected = match width {
        1 => Type::Scalar,
        2 => Type::Vec2,
        3 => Type::Vec3,
        4 => Type::Vec4,
        _ => Type::Mat4,
    };
    if found == expected {
        return Ok(());
    }
    Err(AccessProblem::Unfit {
        found: type_name(found),
        expected: type_name(expected),
    })
}

fn type_name(kind: Type) -> &'static str {
    match kind {
        Type::Scalar => "SCALAR",
        Type::Vec2 => "VEC2",
        Type::Vec3 => "VEC3",
        Type::Vec4 => "VEC4",
        Type::Mat2 => "MAT2",
        Type::Mat3 => "MAT3",
        Type::Mat4 => "MAT4",
    }
}

pub(super) fn component_name(component: ComponentType) -> &'static str {
    match component {
        ComponentType::I8 => "signed bytes",
        ComponentType::U8 => "unsigned bytes",
        ComponentType::I16 => "signed shorts",
        ComponentType::U16 => "unsigned shorts",
        ComponentType::U32 => "unsigned integers",
        ComponentType::F32 => "floats",
    }
}

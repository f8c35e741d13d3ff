//! Names of the file's objects, for users who look them up in the file.

use ufbx::{DomValueType, Element};

/// Such as `Model::Arm#2067543504`; without a number before version 7, where objects have none.
pub(super) fn of_object(class: &str, object: &Element) -> String {
    let words = object.dom_node.as_deref();
    let first = words.and_then(|words| words.values.first());
    let number = first.filter(|value| value.type_ == DomValueType::Number);
    let number = number.map(|value| format!("#{}", value.value_int));
    format!("{class}::{}{}", object.name, number.unwrap_or_default())
}

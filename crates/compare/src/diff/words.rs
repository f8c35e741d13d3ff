//! Numbers and names in messages.

use crate::units::{self, metres};

/// Three significant digits.
pub(super) fn significant(value: f64) -> String {
    units::significant(value, 3)
}

/// Three significant digits, or as many as show that it is not 1.
pub(super) fn factor(value: f64) -> String {
    units::unlike(value, 1.0, 3)
}

/// Such as `0.5 to 2 s`.
pub(super) fn span([start, end]: &[f64; 2]) -> String {
    format!(
        "{} to {}",
        units::seconds(*start).trim_end_matches(" s"),
        units::seconds(*end)
    )
}

/// Lengths in the unit of the model before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Lengths {
    pub(super) diagonal: f64,
    pub(super) metres_per_unit: Option<f64>,
}

impl Lengths {
    /// Such as `2.5 mm (0.14 % of the diagonal)`.
    pub(super) fn show(&self, length: f64) -> String {
        let part = format!(
            "{} % of the diagonal",
            significant(100.0 * length / self.diagonal)
        );
        match self.metres_per_unit {
            Some(unit) => format!("{} ({part})", metres(length * unit)),
            None => part,
        }
    }
}

/// `, and 3 more joints`, or nothing.
pub(super) fn and_more(more: usize, what: &str) -> String {
    match more {
        0 => String::new(),
        more => format!(", and {more} more {}", crate::units::counted(what, more)),
    }
}

/// ` (700 after)`, the index of a vertex on the other side, or nothing if it is the same.
pub(crate) fn index_after(before: usize, after: usize) -> String {
    if before == after {
        String::new()
    } else {
        format!(" ({after} after)")
    }
}

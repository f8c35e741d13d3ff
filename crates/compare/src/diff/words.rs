//! Numbers and names in messages.

use crate::units::{self, LengthUnit, length_in, unit_for};

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

/// Lengths in the unit of the model before, and how one output shows them.
#[doc(hidden)]
#[derive(Debug, Clone, Copy)]
pub struct Lengths {
    pub(super) diagonal: f64,
    pub(super) metres_per_unit: Option<f64>,
    /// One unit for all, so that no two lengths need conversion to be compared.
    unit: LengthUnit,
}

impl Lengths {
    /// * `metres_per_unit` – of the model before, if known.
    pub(super) fn new(diagonal: f64, metres_per_unit: Option<f64>) -> Self {
        let unit = LengthUnit::Metre;
        Self {
            diagonal,
            metres_per_unit,
            unit,
        }
        .up_to(diagonal)
    }

    /// The same lengths in the unit that suits those up to `largest`.
    pub(super) fn up_to(self, largest: f64) -> Self {
        let unit = unit_for(largest * self.metres_per_unit.unwrap_or(1.0));
        Self { unit, ..self }
    }

    /// Such as `2.5 mm`, or `2.5 units` if the model states no unit.
    #[must_use]
    pub fn plain(&self, length: f64) -> String {
        match self.metres_per_unit {
            Some(unit) => length_in(self.unit, length * unit),
            None => format!("{} units", significant(length)),
        }
    }

    /// The diagonal, in the unit that suits it.
    #[must_use]
    pub fn size(&self) -> String {
        self.up_to(self.diagonal).plain(self.diagonal)
    }

    /// The factor to the unit that is shown, and its name.
    #[must_use]
    pub fn shown(&self) -> (f64, &'static str) {
        match self.metres_per_unit {
            Some(unit) => (unit / self.unit.metres(), self.unit.name()),
            None => (1.0, "units"),
        }
    }

    /// Such as `2.5 mm (0.14 % of the diagonal)`.
    pub(super) fn show(&self, length: f64) -> String {
        let part = format!(
            "{} % of the diagonal",
            significant(100.0 * length / self.diagonal)
        );
        match self.metres_per_unit {
            Some(_) => format!("{} ({part})", self.plain(length)),
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

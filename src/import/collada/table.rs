//! Rows of numbers.

/// As many rows as an accessor counts, each with `width` numbers, one after the other.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Table {
    pub(super) width: usize,
    pub(super) values: Vec<f64>,
}

impl Table {
    /// How many rows there are.
    pub(super) fn rows(&self) -> usize {
        self.values.len() / self.width
    }

    /// Reorders the rows by `order`, whose indices must exist.
    pub(super) fn gather(&mut self, order: &[usize]) {
        let rows = order.iter().filter(|row| **row < self.rows());
        self.values = rows
            .flat_map(|row| self.row(*row).iter().copied())
            .collect();
    }

    /// Row number `row`, which must exist.
    pub(super) fn row(&self, row: usize) -> &[f64] {
        &self.values[row * self.width..][..self.width]
    }
}

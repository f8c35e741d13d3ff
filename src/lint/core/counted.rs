//! Counts faults of one kind, and keeps the worst.

use glam::Vec3;

/// The number of faults, the worst one, and the vertices of all.
#[derive(Debug, Clone, PartialEq)]
pub(in crate::lint) struct Counted<T> {
    /// The number of faults.
    pub(in crate::lint) count: usize,
    /// The severity of the worst fault; larger is worse.
    pub(in crate::lint) worst: f64,
    /// The first of the worst faults.
    pub(in crate::lint) which: Option<T>,
    /// The vertices of all faults.
    pub(in crate::lint) vertices: Vec<u32>,
}

/// A fault at vertices of a mesh.
pub(in crate::lint) trait AtVertices {
    /// The vertices.
    fn vertices(&self) -> impl IntoIterator<Item = u32>;
}

impl AtVertices for usize {
    fn vertices(&self) -> impl IntoIterator<Item = u32> {
        u32::try_from(*self)
    }
}

impl AtVertices for (usize, Vec3) {
    fn vertices(&self) -> impl IntoIterator<Item = u32> {
        u32::try_from(self.0)
    }
}

impl<const N: usize> AtVertices for [u32; N] {
    fn vertices(&self) -> impl IntoIterator<Item = u32> {
        *self
    }
}

impl<T> Default for Counted<T> {
    fn default() -> Self {
        Self {
            count: 0,
            worst: f64::NEG_INFINITY,
            which: None,
            vertices: Vec::new(),
        }
    }
}

impl<T: AtVertices> Counted<T> {
    /// Counts one fault.
    pub(in crate::lint) fn add(&mut self, badness: f64, which: T) {
        self.count += 1;
        self.vertices.extend(which.vertices());
        if badness > self.worst {
            self.worst = badness;
            self.which = Some(which);
        }
    }
}

/// The count as a number for comparison with limits.
#[expect(clippy::cast_precision_loss, reason = "nothing is counted to 2^52")]
pub(in crate::lint) fn as_f64(count: usize) -> f64 {
    count as f64
}

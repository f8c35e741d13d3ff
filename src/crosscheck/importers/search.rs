//! Finds the vertex of one mesh that equals a vertex of another, within the tolerances.

use glam::DVec3;

use super::matching::Key;
use super::record::{Paired, Record};
use super::report::Kind;
use super::shown::Shown;
use super::tolerance::{POSITION, WEIGHT};
use crate::diff::nearest::Nearest;
use crate::rig::Bounds;

/// Most vertices at one position that are tried as counterparts.
const MOST_CANDIDATES: usize = 256;

/// The nearest miss.
pub(super) struct Miss {
    pub(super) kind: Kind,
    /// The index of the nearest vertex.
    pub(super) nearest: Option<usize>,
    /// A difference of weights, or of offsets as a fraction of the mesh's diagonal; infinite for a missing vertex.
    pub(super) apart: f64,
}

/// A search among the vertices of one joint's meshes.
pub(super) struct Search<'a> {
    paired: Paired<'a>,
    shown: &'a Shown,
    side: usize,
    numbers: &'a [usize],
    nearest: Nearest,
    /// How far apart two positions or offsets may be, in mesh space.
    radius: f64,
    has_nonfinite_positions: bool,
}

impl<'a> Search<'a> {
    pub(super) fn new(paired: Paired<'a>, shown: &'a Shown, side: usize, group: Key) -> Self {
        let numbers = shown.groups.get(&group).map_or(&[][..], Vec::as_slice);
        let asset = paired.matching.trees[side].asset;
        let position = |number: &usize| -> DVec3 {
            let vertex = shown.list[*number];
            let mesh = asset.mesh_of(&asset.instances[vertex.instance]);
            mesh.positions[vertex.vertex].as_dvec3()
        };
        let positions: Vec<DVec3> = numbers.iter().map(position).collect();
        Self {
            radius: POSITION * Bounds::of(positions.iter().copied()).diagonal(),
            has_nonfinite_positions: positions.iter().any(|position| !position.is_finite()),
            nearest: Nearest::new(positions),
            paired,
            shown,
            side,
            numbers,
        }
    }

    /// The index of a vertex that equals `record` within the tolerances.
    pub(super) fn best(&self, record: &Record) -> Result<usize, Miss> {
        let position = record.position.as_dvec3();
        let missing = || Miss {
            kind: Kind::VertexMissing,
            nearest: None,
            apart: f64::INFINITY,
        };
        if !position.is_finite() {
            return self.odd().ok_or_else(missing);
        }
        match self.nearest.to(position) {
            Some((_, apart)) if apart <= self.radius => self.best_here(record, position),
            _ => Err(missing()),
        }
    }

    fn best_here(&self, record: &Record, position: DVec3) -> Result<usize, Miss> {
        let mut least = Miss {
            kind: Kind::Influences,
            nearest: None,
            apart: f64::INFINITY,
        };
        for index in self.nearest.within(position, self.radius, MOST_CANDIDATES) {
            let number = self.numbers[index];
            let other = Record::of(self.paired, self.side, self.shown.list[number]);
            let (weights, morphs) = (record.weights_apart(&other), record.morphs_apart(&other));
            let (kind, apart) = if weights > WEIGHT {
                (Kind::Influences, weights)
            } else if morphs > self.radius {
                (Kind::MorphOffsets, morphs * POSITION / self.radius)
            } else {
                return Ok(number);
            };
            let is_nearer = (kind, -apart) > (least.kind, -least.apart);
            if least.nearest.is_none() || is_nearer {
                least = Miss {
                    kind,
                    nearest: Some(number),
                    apart,
                };
            }
        }
        Err(least)
    }

    /// Any vertex that is not finite: those cannot be distinguished.
    fn odd(&self) -> Option<usize> {
        let asset = self.paired.matching.trees[self.side].asset;
        let is_odd = |number: &&usize| {
            let vertex = self.shown.list[**number];
            let mesh = asset.mesh_of(&asset.instances[vertex.instance]);
            !mesh.positions[vertex.vertex].is_finite()
        };
        self.numbers
            .iter()
            .find(is_odd)
            .copied()
            .filter(|_| self.has_nonfinite_positions)
    }
}

//! Recognizes surfaces that were skinned with different methods.

use super::DiffError;
use super::comparison::{Comparison, Measurement};
use super::kinds::Kind;
use super::measure;
use super::side::{At, Source};
use crate::finding::Finding;
use crate::rig::{Blending, SkinningMethod};

/// Another method explains a difference if the remaining distance is less than this fraction of it.
const EXPLAINS: f64 = 0.1;

/// The most clips that are examined.
const MOST: usize = 8;

/// A side that has the surface of the other side if it is skinned with this method.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reskinned {
    pub(super) side: usize,
    pub(super) method: SkinningMethod,
}

impl Comparison<'_> {
    /// The finding that one side, skinned with another method, has the surface of the other side.
    pub(super) fn skinning_method(
        &self,
        measurements: &[Measurement],
    ) -> Result<Option<(Finding, Reskinned)>, DiffError> {
        let mut differing: Vec<&Measurement> = measurements
            .iter()
            .filter(|one| one.surface.used > 1.0)
            .collect();
        differing.sort_by(|a, b| b.surface.max.total_cmp(&a.surface.max));
        for one in differing.into_iter().take(MOST) {
            for side in [0, 1] {
                for method in [SkinningMethod::Linear, SkinningMethod::DualQuaternion] {
                    let Some(name) = self.stated_method(side, one, method) else {
                        continue;
                    };
                    let Some(apart) = self.apart_with(side, method, one)? else {
                        continue;
                    };
                    if apart <= one.limit.length.max(EXPLAINS * one.surface.max) {
                        let finding = self.method_finding(one, side, [name, shown(method)]);
                        return Ok(Some((finding, Reskinned { side, method })));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The method that a side's worst mesh was skinned with, unless it is `other`.
    fn stated_method(
        &self,
        side: usize,
        one: &Measurement,
        other: SkinningMethod,
    ) -> Option<&'static str> {
        let Source::Model(asset) = self.sides[side].source else {
            return None;
        };
        let vertex = self.vertices.pairs.get(one.surface.worst?.0)?[side] as usize;
        let surface = self.sides[side].vertices.surfaces[vertex] as usize;
        let own = match asset.mesh_of(&asset.instances[surface]).blending {
            Blending::Linear => SkinningMethod::Linear,
            Blending::DualQuaternion => SkinningMethod::DualQuaternion,
            Blending::Mixed(_) => return Some("partly with dual quaternions"),
        };
        (own != other).then(|| shown(own))
    }

    /// The largest distance at the worst sample, if one side is skinned with another method.
    fn apart_with(
        &self,
        side: usize,
        method: SkinningMethod,
        one: &Measurement,
    ) -> Result<Option<f64>, DiffError> {
        let Some((_, sample)) = one.surface.worst else {
            return Ok(None);
        };
        let times = one.samples.list[sample].times;
        let at = |side: usize| At::of(one.clips, times, side);
        let Some(own) = self.sides[side].frame_by(method, at(side))? else {
            return Ok(None);
        };
        let other = self.sides[1 - side].frame(at(1 - side), false)?;
        let apart = self.vertices.pairs.iter().map(|pair| {
            let point = own.positions[pair[side] as usize];
            measure::distance([point, other.positions[pair[1 - side] as usize]])
        });
        Ok(Some(f64::from(apart.fold(0.0, f32::max))))
    }

    /// * `methods` – of `side`, and of the other side.
    fn method_finding(&self, one: &Measurement, side: usize, methods: [&str; 2]) -> Finding {
        let [before, after] = [methods[side], methods[1 - side]];
        let mesh = self
            .worst_vertex(one)
            .map(|worst| worst.mesh)
            .unwrap_or_default();
        let message = format!(
            "mesh \"{mesh}\" is skinned {before} before and {after} after, which moves vertices by up to {}",
            self.lengths.show(one.surface.max)
        );
        let finding = Kind::SkinningMethod.finding(message);
        finding.mesh(&mesh, None).by(one.surface.max)
    }
}

fn shown(method: SkinningMethod) -> &'static str {
    match method {
        SkinningMethod::DualQuaternion => "with dual quaternions",
        _ => "linearly",
    }
}

//! Finds the extreme points of a mesh along given directions without skinning all of it.
//!
//! Vertices that lie close together and mostly follow the same joint form a region. With weights that are not negative,
//! a vertex at `p` is skinned to a blend of the positions `M_j p` that its joints would move it to alone. So along a
//! direction `d` it reaches no farther than the largest `d · M_j p` over the joints `j` of the region and over the box
//! around its vertices, which takes a few products per joint. Only vertices of regions whose bound exceeds the current
//! extreme are skinned, by the same arithmetic as everywhere, so the extreme point is found to the bit.
//!
//! Regions with the farthest bounds come first: the sooner the true extreme is found, the more regions are skipped.
//!
//! # Reference
//!
//! L. Kavan, J. Žára, "Fast collision detection for skeletally deformable models", Computer Graphics Forum 24 (3), 2005:
//! bounds of blends are blends of bounds.

mod regions;

use std::sync::OnceLock;

use glam::{DVec3, Mat4, Vec3};

use super::dual_quaternion::DualQuaternions;
use super::morph::{self, Vertices};
use super::posed::PosedInstance;
use super::prepared::PreparedMeshes;
use super::{Attributes, SkinningError, kernel};
use crate::pose::ModelPose;
use crate::rig::{Asset, SkinningOptions};

use regions::{Listed, NODE, Region, Regions};

/// The regions of the meshes of an asset. Serves for any number of poses, from several threads at a time.
#[derive(Debug)]
pub(crate) struct Outline<'a> {
    asset: &'a Asset,
    options: SkinningOptions,
    prepared: PreparedMeshes,
    /// One entry per mesh: for its instances without a skin, and for those with one.
    meshes: Vec<[OnceLock<Regions>; 2]>,
}

impl<'a> Outline<'a> {
    pub(crate) fn new(asset: &'a Asset, options: SkinningOptions) -> Self {
        Self {
            asset,
            options,
            prepared: PreparedMeshes::new(asset, options),
            meshes: asset.meshes.iter().map(|_| Default::default()).collect(),
        }
    }

    /// Passes world-space positions in `pose` to `include`: those of all vertices that may reach farther along one of
    /// `directions` than the positions passed before. Ignores hidden instances and vertices without a triangle; returns
    /// whether other vertices exist.
    ///
    /// * `include` – returns the current extent along each direction.
    ///
    /// # Errors
    ///
    /// Same as [`deform`](super::deform).
    pub(crate) fn visit<const N: usize>(
        &self,
        pose: &ModelPose,
        directions: &[DVec3; N],
        mut include: impl FnMut(&[Vec3]) -> [f64; N],
    ) -> Result<bool, SkinningError> {
        let mut any = false;
        for posed in self.prepared.posed(self.asset, pose)? {
            let (posed, mesh) = posed?;
            if !pose.look.shows(posed.id) {
                continue;
            }
            let skinned = posed.skin.is_some();
            let regions = &self.meshes[mesh.index()][usize::from(skinned)];
            let regions = regions.get_or_init(|| Regions::of(posed.mesh, skinned, self.options));
            any |= !regions.order.is_empty();
            let visit = Visit::new(&posed, regions, directions);
            match DualQuaternions::of(&posed, self.options) {
                // The bound holds for linear blends only: dual quaternions may carry a vertex beyond its joints'
                // positions.
                Some(dual) => {
                    visit.each(|vertex, point| dual.position(vertex, point), &mut include);
                }
                None => visit.run(&mut include),
            }
        }
        Ok(any)
    }
}

/// The effect of a slot on the extent of a point along `N` directions.
struct Rows<const N: usize> {
    /// `direction · column` for the four columns of the slot's matrix.
    along: [[f64; N]; 4],
    /// The sum of the magnitudes of all elements in those products, times the direction's magnitudes: of the 3x3 part,
    /// and of the translation.
    sizes: [f64; 2],
}

impl<const N: usize> Rows<N> {
    fn of(matrix: &Mat4, directions: &[DVec3; N]) -> Self {
        let columns = [matrix.x_axis, matrix.y_axis, matrix.z_axis, matrix.w_axis]
            .map(|column| column.truncate().as_dvec3());
        let lengths = directions.iter().map(|d| d.abs().element_sum());
        let length = lengths.fold(0.0, f64::max);
        let [x, y, z, w] = columns.map(|column| length * column.abs().element_sum());
        Self {
            along: columns.map(|column| directions.map(|direction| direction.dot(column))),
            sizes: [x + y + z, w],
        }
    }

    /// The magnitude of all terms of a product with a point whose coordinates are at most `reach`.
    fn size(&self, reach: f64) -> f64 {
        let [linear, translation] = self.sizes;
        linear * reach + translation
    }

    /// The largest extent of a point of a box along each direction.
    #[inline]
    fn farthest(&self, middle: DVec3, half: DVec3) -> [f64; N] {
        let [x, y, z, w] = &self.along;
        let mut farthest = *w;
        for (to, along) in farthest.iter_mut().enumerate() {
            // A linear function over a box is largest at the corner that its coefficients point to.
            *along += x[to] * middle.x + x[to].abs() * half.x;
            *along += y[to] * middle.y + y[to].abs() * half.y;
            *along += z[to] * middle.z + z[to].abs() * half.z;
        }
        farthest
    }
}

/// An instance in a pose.
struct Visit<'a, const N: usize> {
    posed: &'a PosedInstance<'a>,
    regions: &'a Regions,
    vertices: Vertices<'a>,
    /// One entry per slot that the regions use.
    rows: Vec<Rows<N>>,
}

impl<'a, const N: usize> Visit<'a, N> {
    fn new(posed: &'a PosedInstance<'a>, regions: &'a Regions, directions: &[DVec3; N]) -> Self {
        let visit = Self {
            posed,
            regions,
            vertices: morph::morph(posed.mesh, posed.morph_weights, Attributes::Positions),
            rows: Vec::new(),
        };
        let rows = |slot: &u32| Rows::of(visit.matrix(*slot), directions);
        Self {
            rows: regions.used().map(rows).collect(),
            ..visit
        }
    }

    fn run(&self, include: &mut impl FnMut(&[Vec3]) -> [f64; N]) {
        let regions = self.regions;
        if self.is_morphed() {
            // The boxes are around the undeformed mesh.
            for region in &regions.fine {
                include(&self.positions(region).collect::<Vec<Vec3>>());
            }
            return;
        }
        // Two levels: one bound dismisses a coarse region, and a fine region skins few vertices in vain.
        let mut reached = include(&[]);
        self.each_beyond(&regions.coarse, &mut reached, &mut |coarse, reached| {
            for coarse in coarse {
                let fine = &regions.fine[coarse.parts.clone()];
                self.each_beyond(fine, reached, &mut |fine, reached| {
                    let positions = fine.iter().flat_map(|fine| self.positions(fine));
                    *reached = include(&positions.collect::<Vec<Vec3>>());
                });
            }
        });
    }

    /// Skins every vertex by `position`.
    fn each(
        &self,
        position: impl Fn(usize, Vec3) -> Vec3,
        include: &mut impl FnMut(&[Vec3]) -> [f64; N],
    ) {
        let vertices = self.regions.order.iter().map(|vertex| *vertex as usize);
        let positions = vertices.map(|vertex| position(vertex, self.vertices.positions[vertex]));
        include(&positions.collect::<Vec<Vec3>>());
    }

    /// Visits the regions that may extend beyond `reached`. First all regions with the farthest bound along a
    /// direction, then those that still may.
    fn each_beyond<'r>(
        &self,
        regions: &'r [Region],
        reached: &mut [f64; N],
        visit: &mut impl FnMut(&[&'r Region], &mut [f64; N]),
    ) {
        let bounds: Vec<[f64; N]> = regions
            .iter()
            .map(|region| self.bound(region, reached))
            .collect();
        let mut is_farthest = vec![false; regions.len()];
        let farthest = |direction: usize| {
            let along = |index: &usize| bounds[*index][direction];
            (0..regions.len()).max_by(|a, b| along(a).total_cmp(&along(b)))
        };
        // The regions with the farthest bounds raise the extent the most, so they come first.
        for index in (0..N).filter_map(farthest) {
            is_farthest[index] = true;
        }
        // The second round compares with the extent after the first.
        for wanted in [true, false] {
            let is_beyond = |index: &usize| {
                let mut pairs = bounds[*index].iter().zip(&*reached);
                is_farthest[*index] == wanted && pairs.any(|(bound, reached)| bound > reached)
            };
            let beyond = (0..regions.len()).filter(is_beyond);
            let beyond: Vec<&Region> = beyond.map(|index| &regions[index]).collect();
            if !beyond.is_empty() {
                visit(&beyond, reached);
            }
        }
    }

    /// An upper bound of the extent of a vertex of `region` along each direction.
    ///
    /// Let `g_j` be the largest extent of the box if slot `j` moves it, and `w_j` the weights of a vertex, with the sum
    /// `s`: 1 except for rounding, or the sum in the file. Then `Σ w_j g_j` is at most `s max g_j`. For any number `c`
    /// it also equals `s c + Σ w_j (g_j - c)`. That is at most the same expression with the largest `w_j` of the region
    /// where `g_j` exceeds `c`, and with the least `w_j` where it does not. With `c` in the middle, this is tight where
    /// weights hardly vary. The smaller of the two bounds counts.
    ///
    /// Rounding in f32 is added: a product of a weight, an element and a coordinate goes through `n + 4` roundings of
    /// 2⁻²⁴ if `n` influences are blended (see [`bound`](super::bound)). Twice as much covers the rounding of this
    /// bound in f64, and underflow.
    ///
    /// * `reached` – where the first bound does not exceed this along any direction, the second is not computed.
    fn bound(&self, region: &Region, reached: &[f64; N]) -> [f64; N] {
        let [least, most] = region.weights;
        let (middle, half) = region.extent();
        let slots = self.regions.slots_of(region);
        let reach = 1.0 + (middle.abs() + half).max_element();
        let (mut size, mut largest) = (0.0, [f64::NEG_INFINITY; N]);
        let farthest = |listed: &Listed| self.rows[listed.position].farthest(middle, half);
        for listed in slots {
            size += self.rows[listed.position].size(reach);
            for (largest, along) in largest.iter_mut().zip(farthest(listed)) {
                *largest = if along > *largest { along } else { *largest };
            }
        }
        // 2 (n + 4) roundings of half an epsilon.
        let roundings = f64::from(f32::EPSILON) * (f64::from(region.influences) + 8.0);
        let rounding = roundings * most * size + f64::from(f32::MIN_POSITIVE) * reach;
        if !(region.is_bounded && rounding.is_finite()) {
            return [f64::INFINITY; N];
        }
        // A negative extent is largest with the least sum of weights.
        let at_most = |value: f64| value * if value > 0.0 { most } else { least };
        let first = largest.map(|along| at_most(along) + rounding);
        if first
            .iter()
            .zip(reached)
            .all(|(first, reached)| first <= reached)
        {
            return first;
        }
        let farthest: Vec<[f64; N]> = slots.iter().map(farthest).collect();
        let weighted = weighted(slots, &farthest, at_most);
        // NaN, from weights that are all 0, is not the smaller one.
        std::array::from_fn(|to| (weighted[to] + rounding).min(first[to]))
    }

    fn is_morphed(&self) -> bool {
        matches!(self.vertices.positions, std::borrow::Cow::Owned(_))
    }

    /// Passes the vertices of a fine region to `include`.
    fn positions(&self, region: &Region) -> impl Iterator<Item = Vec3> {
        let skin = self.posed.skin.as_ref();
        let palette: &[Mat4] = skin.map_or(&[], |skin| &skin.palette);
        region.parts.clone().map(move |index| {
            let point = self.vertices.positions[self.regions.order[index] as usize];
            let influences = self.regions.influences_of(index);
            kernel::position(palette, influences, &self.posed.world_from_node, point)
        })
    }

    fn matrix(&self, slot: u32) -> &Mat4 {
        match &self.posed.skin {
            Some(skin) if slot != NODE => &skin.palette[slot as usize],
            _ => &self.posed.world_from_node,
        }
    }
}

/// The second bound of [`Visit::bound`], without rounding errors.
///
/// * `farthest` – the largest extent of the box for each of `slots`.
/// * `at_most` – an upper bound of a number times the sum of a vertex's weights.
fn weighted<const N: usize>(
    slots: &[Listed],
    farthest: &[[f64; N]],
    at_most: impl Fn(f64) -> f64,
) -> [f64; N] {
    // c: the mean of the slots' extents, weighted by the middle of their weights.
    let (mut centre, mut total) = ([0.0; N], 0.0);
    for (listed, along) in slots.iter().zip(farthest) {
        let weight = f64::from(listed.weights[0] + listed.weights[1]);
        total += weight;
        for (centre, along) in centre.iter_mut().zip(along) {
            *centre += weight * along;
        }
    }
    centre = centre.map(|sum| sum / total);
    let mut weighted = centre.map(at_most);
    for (listed, along) in slots.iter().zip(farthest) {
        let [least, most] = listed.weights.map(f64::from);
        for (to, along) in along.iter().enumerate() {
            let beyond = along - centre[to];
            weighted[to] += beyond * if beyond > 0.0 { most } else { least };
        }
    }
    weighted
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::pose::law::{Verdict, check};
    use crate::pose::rigs::{PosedRig, posed_rigs};
    use crate::rig::{Influence, Influences, SkinSlot, WeightPolicy};

    const DIRECTIONS: [DVec3; 4] = [
        DVec3::X,
        DVec3::NEG_Y,
        DVec3::new(0.3, -0.2, 0.9),
        DVec3::new(-2.0, 5.0, 0.0),
    ];

    /// The initial extent.
    const NOWHERE: [f64; 4] = [f64::NEG_INFINITY; 4];

    type Bound = fn(&Visit<'_, 4>, &Region) -> [f64; 4];

    /// No vertex of a region is farther than its bound, whatever the weights add up to.
    fn no_vertex_is_beyond_its_bound(bound: Bound) -> Verdict<PosedRig> {
        check(&posed_rigs(), |mut rig| {
            let vertices = u32::try_from(rig.asset.meshes[0].positions.len()).unwrap();
            rig.asset.meshes[0].triangles = (0..vertices).map(|v| [v; 3]).collect();
            let mut pose = rig.model_pose();
            pose.morph_weights.clear();
            let options = SkinningOptions {
                weights: WeightPolicy::AsIs,
                ..SkinningOptions::default()
            };
            let prepared = PreparedMeshes::new(&rig.asset, options);
            for posed in prepared.posed(&rig.asset, &pose).unwrap() {
                let (posed, _) = posed.unwrap();
                let regions = Regions::of(posed.mesh, posed.skin.is_some(), options);
                let visit = Visit::new(&posed, &regions, &DIRECTIONS);
                for region in &regions.fine {
                    let bounds = bound(&visit, region);
                    for position in visit.positions(region) {
                        for (direction, bound) in DIRECTIONS.iter().zip(bounds) {
                            let along = direction.dot(position.as_dvec3());
                            prop_assert!(along <= bound, "{} > {}", along, bound);
                        }
                    }
                }
            }
            Ok(())
        })
    }

    #[test]
    fn bounds_hold_whatever_the_weights_add_up_to() {
        let real: Bound = |visit, region| visit.bound(region, &NOWHERE);
        no_vertex_is_beyond_its_bound(real).unwrap();
    }

    #[test]
    fn bounds_that_forget_the_size_of_the_box_or_the_sum_of_the_weights_are_caught() {
        let without_size: Bound = |visit, region| visit.bound(&region.shrunk(), &NOWHERE);
        assert!(no_vertex_is_beyond_its_bound(without_size).is_err());
        let without_sum: Bound = |visit, region| {
            let mut region = region.clone();
            region.weights = [0.0; 2];
            visit.bound(&region, &NOWHERE)
        };
        assert!(no_vertex_is_beyond_its_bound(without_sum).is_err());
    }

    #[test]
    fn a_negative_weight_is_not_bounded() {
        let mut asset = crate::pose::rigs::asset_of(vec![]);
        asset.meshes.push(crate::rig::Mesh {
            positions: vec![Vec3::X; 3],
            triangles: vec![[0, 1, 2]],
            influences: Influences::from_vertices([1.5, -0.5, 1.0].map(|weight| {
                [
                    Influence {
                        slot: SkinSlot(0),
                        weight,
                    },
                    Influence {
                        slot: SkinSlot(0),
                        weight: 1.0,
                    },
                ]
            })),
            ..crate::rig::Mesh::default()
        });
        let options = SkinningOptions::default();
        let bounded =
            |skinned| Regions::of(&asset.meshes[0], skinned, options).coarse[0].is_bounded;
        assert!(bounded(false) && !bounded(true));
    }
}

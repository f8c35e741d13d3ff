//! `W117`: mirror-asymmetry.

mod body;
mod joints;
mod names;
mod places;

use crate::lint::analysis::uses;
use crate::lint::core::numbers::beside;
use crate::lint::rules::rule::declare_rule;
use crate::lint::{Context, Findings, Limit, LimitRange, Offence, Rule};
use body::{Body, Near};

/// The share of the weight that goes to other joints. Tools that mirror weights come to within the two steps of 8-bit
/// weights, 0.008; what is painted by eye on both sides is off by a tenth and more. In between, 0.05 moves a vertex by 5 %
/// of how far two neighbouring joints go apart.
const DIFFERENCE: Limit = Limit {
    key: "difference",
    default: 0.05,
    range: LimitRange::PART,
    about: "share of the weight that goes to other joints",
};

/// The share of a mesh's vertices that have a mirror image. Of a body with a bag or a scar, far more than three of four
/// have one; of a model that looks elsewhere or is posed, next to none.
const PARTNERS: Limit = Limit {
    key: "partners",
    default: 0.75,
    range: LimitRange::PART,
    about: "share of vertices with a mirror image, below which a mesh is not judged",
};

/// In diagonals. Positions of 16 bits are off by half a step, 0.8e-5 of the extent, on either side, and so is the plane;
/// f32 and text of six digits are off by less. It is 0.1 mm of a person, less than vertices are apart.
const PLACE: Limit = Limit {
    key: "place",
    default: 5e-5,
    range: LimitRange::FROM_ZERO,
    about: "distance from the mirror image over the diagonal, up to which vertices are a pair",
};

/// In diagonals. Skeletons that are fitted to a mesh automatically miss symmetry by some 1 % of a person's height; other
/// joints than those of the fingers, which have names, are farther apart than 2 %.
const JOINTS: Limit = Limit {
    key: "joints",
    default: 0.02,
    range: LimitRange::FROM_ZERO,
    about: "distance from the mirror image over the diagonal, up to which joints are a pair",
};

declare_rule! {
    /// ## What it does
    /// Checks that vertices on the left and their mirror images on the right have mirrored weights.
    ///
    /// The plane between left and right is across the left axis of the model, through its origin or through the middle of
    /// the skin's joints. Joints are pairs by their names (`LeftArm` and `RightArm`, `arm_L` and `arm_R`, `l_arm`, `arm.L`),
    /// and, where these tell no side, by their places when bound; both only if their places mirror each other up to `joints`
    /// (2 % of the diagonal). Joints in the middle are their own mirror images. Vertices are pairs if their places mirror each
    /// other up to `place` (0.00005 of the diagonal); those in the middle are checked against themselves. The limit,
    /// `difference`, is the share of the weight that would have to go to other joints to make both sides alike.
    ///
    /// What has no mirror image is not judged: neither single vertices and joints, nor a mesh in which fewer than `partners`
    /// (75 %) of the vertices have one. Each mesh is judged by itself: not a left shoe against a right one.
    ///
    /// ## Why is this bad?
    /// The model bends differently on both sides: one shoulder caves in, one knee is sharper, and a mirrored clip looks unlike
    /// the clip. Often it shows that one side was painted and never mirrored. Whoever wants it so does not ask for this rule.
    ///
    /// ## How to fix
    /// - Blender: *Weights → Mirror* (with *Mirror Vertex Group*) or *Weights → Symmetrize*; bones need names with sides.
    /// - Maya: *Skin → Mirror Skin Weights*, with the plane across the model's left.
    /// - 3ds Max: the Skin modifier's *Mirror Mode*, in the bind pose.
    ///
    /// ## References
    /// - glTF 2.0 §3.4: a model looks along +Z, so that its left is +X.
    MirrorAsymmetry, "W117", "mirror-asymmetry", OnRequest, limits: [DIFFERENCE, PARTNERS, PLACE, JOINTS]
}

impl Rule for MirrorAsymmetry {
    fn check(&self, cx: &Context<'_>, out: &mut Findings) {
        let [limit, partners, place, joints] =
            [DIFFERENCE, PARTNERS, PLACE, JOINTS].map(|limit| cx.limit(&Self::META, &limit));
        for skinned in uses::skinned(cx.asset) {
            let near = Near { place, joints };
            let Some(body) = Body::of(cx.asset, &skinned, near, partners) else {
                continue;
            };
            let group = cx.mesh(skinned.instance);
            for vertex in 0..skinned.mesh.positions.len() {
                let Some((image, distance)) = body.image(vertex).filter(|(_, d)| *d > limit) else {
                    continue;
                };
                out.add(Offence::above(&group, "vertex", distance, limit), |place| {
                    let place = cx.at_vertex(place, skinned.instance, vertex);
                    (place, message(vertex, image, distance, limit))
                });
            }
        }
    }
}

fn message(vertex: usize, image: usize, distance: f64, limit: f64) -> String {
    let other = if image == vertex {
        "on its own other side".to_owned()
    } else {
        format!("at its mirror image, vertex {image}")
    };
    let distance = beside(distance, limit, 2);
    format!("{distance} of the weight is on other joints than {other}, limit {limit}")
}

#[cfg(test)]
mod tests;

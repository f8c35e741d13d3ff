//! Small models whose counts are each within limits, and whose product may be far beyond a budget.

mod document;
mod images;
mod motion;
mod shapes;
mod texts;

use crate::random::Random;

/// A model.
pub(crate) struct Product {
    /// What is multiplied.
    pub(crate) kind: &'static str,
    /// The name of its file.
    pub(crate) name: &'static str,
    pub(crate) bytes: Vec<u8>,
}

/// What is multiplied, the name of the file, and its content with counts of its own choice.
type Kind = (&'static str, &'static str, fn(&mut Random) -> Vec<u8>);

const KINDS: &[Kind] = &[
    ("instances", "product.glb", shapes::instances),
    ("primitives", "product.glb", shapes::primitives),
    ("gpu instances", "product.glb", shapes::gpu_instances),
    ("zeros", "product.glb", shapes::zeros),
    ("overdraw", "product.glb", shapes::overdraw),
    ("morph targets", "product.glb", shapes::morph_targets),
    ("clips", "product.glb", motion::clips),
    ("long clip", "product.glb", motion::long_clip),
    ("nodes", "product.glb", motion::nodes),
    ("skins", "product.glb", motion::skins),
    ("PNG", "product.glb", images::png),
    ("KTX2", "product.glb", images::ktx),
    ("polygon", "product.dae", texts::collada_polygon),
    ("polygon", "product.obj", texts::obj_polygon),
    ("polygon", "product.fbx", texts::fbx_polygon),
    ("references", "product.dae", texts::references),
    ("rotations", "product.dae", texts::rotations),
    ("controllers", "product.dae", texts::controllers),
    ("elements", "product.dae", texts::elements),
    ("frames", "product.bvh", texts::bvh),
    ("frames", "product.smd", texts::smd),
    ("frames", "product.md5anim", texts::md5anim),
];

impl Product {
    pub(crate) fn any(random: &mut Random) -> Self {
        let (kind, name, make) = random.pick(KINDS);
        let bytes = make(random);
        Self { kind, name, bytes }
    }
}

/// The exponent of the largest product.
const LARGEST: usize = 36;

/// Powers of two whose product is any up to the largest, and large ones mostly, each within its own limit.
///
/// * `most` – the exponents of the limits.
fn counts<const N: usize>(random: &mut Random, most: [usize; N]) -> [usize; N] {
    let possible = LARGEST.min(most.iter().sum());
    let most_missing = random.below(possible + 1);
    let mut left = possible - random.below(most_missing + 1);
    let mut exponents = [0; N];
    while left > 0 {
        let index = random.below(N);
        if exponents[index] < most[index] {
            exponents[index] += 1;
            left -= 1;
        }
    }
    exponents.map(|exponent| 1 << exponent)
}

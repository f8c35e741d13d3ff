//! The colours of the vertices: the file's own, or data made visible.

use glam::{Vec3, Vec4};

use crate::rig::{Asset, Influence, JointId, Mesh, MeshInstance};
use crate::view::Show;

/// sRGB colours for 0, 1, 2, … influences; more than the last counts as the last.
const INFLUENCE_COLORS: [[u8; 3]; 9] = [
    [70, 70, 74],
    [52, 92, 200],
    [44, 162, 190],
    [70, 180, 90],
    [200, 205, 70],
    [235, 150, 50],
    [222, 80, 50],
    [190, 45, 90],
    [225, 70, 225],
];

/// The colours of the vertices of one mesh instance.
#[derive(Debug, Clone, Copy)]
pub(super) struct VertexColors<'a> {
    show: Show,
    instance: &'a MeshInstance,
    mesh: &'a Mesh,
    /// Joint of each palette slot.
    slots: &'a [JointId],
    base_color: Vec4,
}

impl<'a> VertexColors<'a> {
    /// * `base_color` – linear; what the file's vertex colours are multiplied with.
    pub(super) fn new(
        show: Show,
        asset: &'a Asset,
        instance: &'a MeshInstance,
        base_color: Vec4,
    ) -> Self {
        let slots = asset
            .skin_of(instance)
            .map_or(&[][..], |skin| skin.joints.as_slice());
        Self {
            show,
            instance,
            mesh: asset.mesh_of(instance),
            slots,
            base_color,
        }
    }

    /// Linear RGBA of `vertex`. For [`Show::Weights`] red is the joint's share, to be coloured after interpolation.
    pub(super) fn of(&self, vertex: usize) -> Vec4 {
        match self.show {
            Show::Lit | Show::Texture => self.material_color(vertex),
            Show::Weights(joint) => Vec4::splat(self.share_of(joint, vertex)),
            Show::Influences => influence_color(self.influence_count(vertex)).extend(1.0),
            Show::Joints => self.mixed_joint_colors(vertex).extend(1.0),
            Show::Normals | Show::Uv | Show::Depth | Show::Wireframe => Vec4::ONE,
        }
    }

    fn material_color(&self, vertex: usize) -> Vec4 {
        let colors = self.mesh.color_sets.first();
        let own = colors.and_then(|colors| colors.get(vertex));
        self.base_color * own.copied().unwrap_or(Vec4::ONE)
    }

    fn influences(&self, vertex: usize) -> &'a [Influence] {
        self.mesh.influences.of(vertex)
    }

    fn influence_count(&self, vertex: usize) -> usize {
        let pulls = |influence: &&Influence| influence.weight != 0.0;
        self.influences(vertex).iter().filter(pulls).count()
    }

    /// Joints and their shares of the pull on `vertex`, which sum to 1. What no joint pulls, its node does.
    fn shares(&self, vertex: usize) -> impl Iterator<Item = (JointId, f32)> {
        let influences = self.influences(vertex);
        let total: f32 = influences.iter().map(|influence| influence.weight).sum();
        let bound = total > 0.0 && !self.slots.is_empty();
        let by_skin = influences.iter().filter_map(move |influence| {
            let joint = self.slots.get(influence.slot as usize)?;
            Some((*joint, influence.weight / total))
        });
        let by_node = (!bound).then_some((self.instance.joint, 1.0));
        by_skin.filter(move |_| bound).chain(by_node)
    }

    fn share_of(&self, joint: JointId, vertex: usize) -> f32 {
        let its_own = |(other, share): (JointId, f32)| (other == joint).then_some(share);
        self.shares(vertex).filter_map(its_own).sum()
    }

    fn mixed_joint_colors(&self, vertex: usize) -> Vec3 {
        self.shares(vertex)
            .map(|(joint, share)| joint_color(joint) * share)
            .sum()
    }
}

fn influence_color(count: usize) -> Vec3 {
    let tables = super::srgb::tables();
    let code = INFLUENCE_COLORS[count.min(INFLUENCE_COLORS.len() - 1)];
    Vec3::from(code.map(|channel| tables.decode(channel)))
}

/// A colour of its own for every joint: hues one golden section apart never come close to an earlier one soon, and
/// three levels of brightness keep apart those that do.
fn joint_color(joint: JointId) -> Vec3 {
    const GOLDEN_SECTION: f64 = 0.618_033_988_749_894_9;
    let turns = f64::from(joint.0) * GOLDEN_SECTION;
    let hue = hue(turns - turns.floor());
    let (lightness, saturation) = [(0.85, 0.92), (0.38, 0.95), (0.95, 0.6)][joint.index() % 3];
    (Vec3::ONE + (hue - Vec3::ONE) * saturation) * lightness
}

/// Full colour of the hue `turn` (0..1, red at 0).
#[expect(
    clippy::cast_possible_truncation,
    reason = "0..1 loses nothing that is seen"
)]
fn hue(turn: f64) -> Vec3 {
    let away_from = |centre: f64| (turn * 6.0 - centre).abs();
    let channel = |value: f64| value.clamp(0.0, 1.0) as f32;
    Vec3::new(
        channel(away_from(3.0) - 1.0),
        channel(2.0 - away_from(2.0)),
        channel(2.0 - away_from(4.0)),
    )
}

/// Linear colour of a joint's share (0..1): blue, cyan, green, yellow, red; nearly black where it is none.
pub(super) fn heat(share: f32) -> Vec3 {
    const STOPS: [Vec3; 5] = [
        Vec3::new(0.01, 0.03, 0.45),
        Vec3::new(0.0, 0.45, 0.75),
        Vec3::new(0.03, 0.6, 0.08),
        Vec3::new(0.95, 0.75, 0.02),
        Vec3::new(0.85, 0.02, 0.01),
    ];
    const NONE: Vec3 = Vec3::new(0.012, 0.012, 0.014);
    if share.is_nan() || share <= 0.0 {
        return NONE;
    }
    let place = share.min(1.0) * 4.0;
    let pairs = [1.0, 2.0, 3.0, 4.0].iter().zip(STOPS.windows(2));
    let between = |(end, pair): (&f32, &[Vec3])| pair[1] + (pair[1] - pair[0]) * (place - end);
    let mut found = pairs.filter(|(end, _)| place <= **end).map(between);
    found.next().unwrap_or(STOPS[4])
}

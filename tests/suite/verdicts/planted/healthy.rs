//! Healthy models of many kinds.

use glam::Vec3;
use skincheck::rig::Asset;

use super::rig::{Bone, Plan, Swing};

/// A name, and a plan.
type Shape = (&'static str, fn() -> Plan);
type Variant = (&'static str, fn(&mut Plan));

/// Shapes in the order of [`all`]; each has [`VARIANTS`] variants.
const SHAPES: &[Shape] = &[
    ("person", person),
    ("dog", dog),
    ("snake", snake),
    ("hand", hand),
    ("spider", spider),
    ("bird", bird),
    ("crane", crane),
    ("arm", arm),
    ("squid", squid),
];

/// Changes a plan: coarse, fine, in centimetres with seams, in pieces with curves, slow, and without a clip.
const VARIANTS: &[Variant] = &[
    ("plain", |_| {}),
    ("coarse", |plan| {
        plan.sides = 6;
        plan.rings = 4;
        plan.rate = 24.0;
        gentler(plan, 0.7);
    }),
    ("fine, in centimetres", |plan| {
        plan.sides = 20;
        plan.rings = 10;
        plan.unit = 100.0;
        plan.seam = true;
        plan.rate = 60.0;
    }),
    ("in pieces, by curves", |plan| {
        plan.apart = true;
        plan.cubic = true;
        plan.rate = 10.0;
        plan.seconds = 2.0;
    }),
    ("without a clip", |plan| plan.rate = 0.0),
];

/// The number of models.
pub(crate) fn count() -> usize {
    SHAPES.len() * VARIANTS.len()
}

/// The name and the asset of each.
pub(crate) fn all() -> impl Iterator<Item = (String, Asset)> {
    SHAPES.iter().flat_map(|(shape, plan)| {
        VARIANTS.iter().map(move |(variant, change)| {
            let mut plan = plan();
            change(&mut plan);
            (format!("{shape}, {variant}"), plan.build())
        })
    })
}

/// The models that faults are planted in: some of the shapes, coarse for speed, one with seams.
pub(crate) fn hosts() -> impl Iterator<Item = Asset> {
    let shapes = ["person", "dog", "hand", "bird"];
    let shapes = SHAPES.iter().filter(move |(name, _)| shapes.contains(name));
    shapes.map(|(name, plan)| {
        let mut plan = plan();
        plan.seam = *name == "dog";
        (plan.sides, plan.rings, plan.rate) = (8, 4, 24.0);
        plan.build()
    })
}

fn gentler(plan: &mut Plan, part: f32) {
    for bone in &mut plan.bones {
        bone.swing.degrees *= part;
        bone.swing.middle *= part;
    }
}

/// Builds a plan.
struct Maker(Plan);

impl Maker {
    fn new(name: &str) -> Self {
        Self(Plan {
            name: name.into(),
            bones: Vec::new(),
            limbs: Vec::new(),
            sides: 12,
            rings: 6,
            blend: 0.4,
            rate: 30.0,
            seconds: 1.0,
            bob: 0.0,
            unit: 1.0,
            seam: false,
            apart: false,
            cubic: false,
        })
    }

    fn bone(
        &mut self,
        name: impl Into<String>,
        parent: Option<usize>,
        (x, y, z): (f32, f32, f32),
        radius: f32,
        swing: Swing,
    ) -> usize {
        self.0.bones.push(Bone {
            name: name.into(),
            parent,
            head: Vec3::new(x, y, z),
            radius,
            swing,
        });
        self.0.bones.len() - 1
    }

    fn limb(&mut self, bones: &[usize], (x, y, z): (f32, f32, f32)) {
        self.0.limbs.push((bones.to_vec(), Vec3::new(x, y, z)));
    }
}

/// Back and forth by `degrees` about an axis.
fn swing(axis: Vec3, degrees: f32, phase: f32) -> Swing {
    Swing {
        axis,
        degrees,
        middle: 0.0,
        phase,
    }
}

/// From straight to `degrees` and back.
fn hinge(axis: Vec3, degrees: f32, phase: f32) -> Swing {
    Swing {
        axis,
        degrees: degrees / 2.0,
        middle: degrees / 2.0,
        phase,
    }
}

const SIDES: [(&str, f32, f32); 2] = [("Left", 1.0, 0.0), ("Right", -1.0, 0.5)];

fn person() -> Plan {
    let mut rig = Maker::new("person");
    let rotation = |degrees| swing(Vec3::Y, degrees, 0.1);
    let hips = rig.bone("Hips", None, (0.0, 1.0, 0.0), 0.14, rotation(8.0));
    let spine = rig.bone("Spine", Some(hips), (0.0, 1.15, 0.0), 0.13, rotation(6.0));
    let chest = rig.bone("Chest", Some(spine), (0.0, 1.3, 0.0), 0.15, rotation(5.0));
    let neck = rig.bone("Neck", Some(chest), (0.0, 1.5, 0.0), 0.06, rotation(-8.0));
    let head = rig.bone("Head", Some(neck), (0.0, 1.6, 0.0), 0.08, rotation(-6.0));
    rig.limb(&[hips, spine, chest, neck, head], (0.0, 1.8, 0.0));
    for (side, sign, phase) in SIDES {
        let name = |part: &str| format!("{side}{part}");
        let arm = swing(Vec3::X, 30.0, phase);
        let upper = rig.bone(
            name("Arm"),
            Some(chest),
            (0.2 * sign, 1.42, 0.0),
            0.055,
            arm,
        );
        let at = (0.32 * sign, 1.17, 0.0);
        let bend = hinge(Vec3::X, -70.0, phase);
        let fore = rig.bone(name("ForeArm"), Some(upper), at, 0.045, bend);
        let at = (0.4 * sign, 0.95, 0.02);
        let wave = swing(Vec3::Z, 15.0, phase);
        let hand = rig.bone(name("Hand"), Some(fore), at, 0.035, wave);
        rig.limb(&[upper, fore, hand], (0.44 * sign, 0.78, 0.03));
        let leg = swing(Vec3::X, -28.0, phase);
        let thigh = rig.bone(
            name("UpLeg"),
            Some(hips),
            (0.1 * sign, 0.92, 0.0),
            0.085,
            leg,
        );
        let knee = hinge(Vec3::X, 65.0, phase + 0.2);
        let shin = rig.bone(
            name("Leg"),
            Some(thigh),
            (0.11 * sign, 0.5, 0.01),
            0.06,
            knee,
        );
        let at = (0.11 * sign, 0.1, 0.0);
        let foot = rig.bone(
            name("Foot"),
            Some(shin),
            at,
            0.045,
            swing(Vec3::X, 15.0, phase),
        );
        rig.limb(&[thigh, shin, foot], (0.11 * sign, 0.03, 0.16));
    }
    rig.0.bob = 0.03;
    rig.0
}

fn dog() -> Plan {
    let mut rig = Maker::new("dog");
    let nod = |degrees, phase| swing(Vec3::X, degrees, phase);
    let hips = rig.bone("hips", None, (0.0, 0.5, -0.3), 0.11, nod(5.0, 0.0));
    let belly = rig.bone("belly", Some(hips), (0.0, 0.52, -0.1), 0.12, nod(8.0, 0.1));
    let chest = rig.bone("chest", Some(belly), (0.0, 0.53, 0.12), 0.13, nod(8.0, 0.2));
    let neck = rig.bone("neck", Some(chest), (0.0, 0.62, 0.32), 0.08, nod(10.0, 0.3));
    let head = rig.bone("head", Some(neck), (0.0, 0.72, 0.45), 0.08, nod(10.0, 0.5));
    rig.limb(&[hips, belly, chest, neck, head], (0.0, 0.7, 0.65));
    let mut tail = Vec::new();
    for part in 0..4_u8 {
        let at = (
            0.0,
            0.55 + 0.05 * f32::from(part),
            -0.4 - 0.09 * f32::from(part),
        );
        let parent = tail.last().copied().unwrap_or(hips);
        let wag = swing(Vec3::Y, 20.0, 0.1 * f32::from(part));
        tail.push(rig.bone(format!("tail{part}"), Some(parent), at, 0.03, wag));
    }
    rig.limb(&tail, (0.0, 0.78, -0.78));
    for (end, above, z) in [("fore", chest, 0.15), ("hind", hips, -0.3)] {
        for (side, sign, phase) in SIDES {
            let name = |part: &str| format!("{end}{side}{part}");
            let step = nod(25.0, phase);
            let upper = rig.bone(
                name("Upper"),
                Some(above),
                (0.1 * sign, 0.45, z),
                0.05,
                step,
            );
            let at = (0.1 * sign, 0.25, z - 0.02);
            let bend = hinge(Vec3::X, 50.0, phase);
            let lower = rig.bone(name("Lower"), Some(upper), at, 0.035, bend);
            let at = (0.1 * sign, 0.07, z);
            let paw = rig.bone(name("Paw"), Some(lower), at, 0.03, nod(12.0, phase));
            rig.limb(&[upper, lower, paw], (0.1 * sign, 0.02, z + 0.08));
        }
    }
    rig.0.bob = 0.02;
    rig.0
}

/// A chain of joints along a line.
fn chain(
    rig: &mut Maker,
    (name, parent): (&str, Option<usize>),
    (from, to): (Vec3, Vec3),
    count: u8,
    radius: f32,
    swing: impl Fn(f32) -> Swing,
) {
    let mut bones: Vec<usize> = Vec::new();
    for number in 0..count {
        let along = f32::from(number) / f32::from(count);
        let at = from.lerp(to, along);
        let above = bones.last().copied().or(parent);
        let wide = radius * (1.0 - 0.5 * along);
        let bone = rig.bone(
            format!("{name}{number}"),
            above,
            at.into(),
            wide,
            swing(along),
        );
        bones.push(bone);
    }
    rig.limb(&bones, to.into());
}

fn snake() -> Plan {
    let mut rig = Maker::new("snake");
    let ends = (Vec3::ZERO, Vec3::Z * 2.4);
    let wave = |along| swing(Vec3::Y, 22.0, along);
    chain(&mut rig, ("spine", None), ends, 12, 0.08, wave);
    rig.0
}

fn hand() -> Plan {
    let mut rig = Maker::new("hand");
    let still = Swing::STILL;
    let wrist = rig.bone(
        "wrist",
        None,
        (0.0, 0.0, 0.0),
        0.035,
        swing(Vec3::Z, 20.0, 0.0),
    );
    let palm = rig.bone("palm", Some(wrist), (0.0, 0.05, 0.0), 0.042, still);
    rig.limb(&[wrist, palm], (0.0, 0.1, 0.0));
    for (number, name) in (0_u8..).zip(["thumb", "index", "middle", "ring", "pinky"]) {
        let x = 0.018 * (f32::from(number) - 2.0);
        let ends = (Vec3::new(x, 0.09, 0.0), Vec3::new(1.2 * x, 0.19, 0.0));
        let curl = move |_| hinge(Vec3::X, 55.0, 0.05 * f32::from(number));
        chain(&mut rig, (name, Some(palm)), ends, 3, 0.008, curl);
    }
    rig.0
}

fn spider() -> Plan {
    let mut rig = Maker::new("spider");
    let body = rig.bone(
        "body",
        None,
        (0.0, 0.3, 0.0),
        0.12,
        swing(Vec3::Y, 5.0, 0.0),
    );
    let head = rig.bone(
        "head",
        Some(body),
        (0.0, 0.3, 0.2),
        0.08,
        swing(Vec3::X, 8.0, 0.0),
    );
    rig.limb(&[body, head], (0.0, 0.3, 0.32));
    for leg in 0..8_u8 {
        let angle = 0.4 + 0.75 * f32::from(leg);
        let out = Vec3::new(libm::sinf(angle), 0.0, libm::cosf(angle));
        let from = Vec3::Y * 0.3 + out * 0.1;
        let lift = move |along| {
            let axis = out.cross(Vec3::Y);
            swing(axis, 14.0, 0.125 * f32::from(leg) + 0.2 * along)
        };
        let ends = (from, from + out * 0.55);
        chain(
            &mut rig,
            (&format!("leg{leg}_"), Some(body)),
            ends,
            4,
            0.025,
            lift,
        );
    }
    rig.0
}

fn bird() -> Plan {
    let mut rig = Maker::new("bird");
    let body = rig.bone(
        "body",
        None,
        (0.0, 1.0, -0.1),
        0.09,
        swing(Vec3::X, 4.0, 0.3),
    );
    let breast = rig.bone("breast", Some(body), (0.0, 1.0, 0.1), 0.1, Swing::STILL);
    let neck = rig.bone(
        "neck",
        Some(breast),
        (0.0, 1.06, 0.25),
        0.05,
        swing(Vec3::X, 10.0, 0.0),
    );
    let head = rig.bone(
        "head",
        Some(neck),
        (0.0, 1.15, 0.33),
        0.05,
        swing(Vec3::X, 10.0, 0.5),
    );
    rig.limb(&[body, breast, neck, head], (0.0, 1.15, 0.45));
    for (side, sign, _) in SIDES {
        let from = Vec3::new(0.07 * sign, 1.04, 0.05);
        let ends = (from, from + Vec3::new(0.8 * sign, 0.03, -0.1));
        let flap = move |along| swing(Vec3::Z, sign * 25.0 * (1.0 - 0.4 * along), -0.25 * along);
        chain(
            &mut rig,
            (&format!("wing{side}"), Some(breast)),
            ends,
            4,
            0.035,
            flap,
        );
        let hip = rig.bone(
            format!("leg{side}"),
            Some(body),
            (0.04 * sign, 0.93, -0.08),
            0.02,
            swing(Vec3::X, 12.0, 0.0),
        );
        rig.limb(&[hip], (0.04 * sign, 0.78, -0.06));
    }
    rig.0.bob = 0.05;
    rig.0
}

fn crane() -> Plan {
    let mut rig = Maker::new("crane");
    let base = rig.bone(
        "base",
        None,
        (0.0, 0.0, 0.0),
        0.3,
        swing(Vec3::Y, 60.0, 0.0),
    );
    let boom = rig.bone(
        "boom",
        Some(base),
        (0.0, 0.8, 0.0),
        0.15,
        hinge(Vec3::X, 35.0, 0.0),
    );
    let jib = rig.bone(
        "jib",
        Some(boom),
        (0.0, 2.6, 0.0),
        0.12,
        hinge(Vec3::X, 60.0, 0.2),
    );
    let hook = rig.bone(
        "hook",
        Some(jib),
        (0.0, 4.0, 0.0),
        0.1,
        hinge(Vec3::X, -40.0, 0.2),
    );
    rig.limb(&[base, boom, jib, hook], (0.0, 4.8, 0.0));
    rig.0.seconds = 4.0;
    rig.0
}

fn arm() -> Plan {
    let mut rig = Maker::new("arm");
    let upper = rig.bone(
        "upper",
        None,
        (0.0, 0.0, 0.0),
        0.05,
        swing(Vec3::Z, 40.0, 0.0),
    );
    let lower = rig.bone(
        "lower",
        Some(upper),
        (0.3, 0.0, 0.0),
        0.045,
        hinge(Vec3::Y, 85.0, 0.0),
    );
    let wrist = rig.bone(
        "wrist",
        Some(lower),
        (0.55, 0.0, 0.0),
        0.03,
        swing(Vec3::X, 45.0, 0.3),
    );
    rig.limb(&[upper, lower, wrist], (0.68, 0.0, 0.0));
    rig.0
}

fn squid() -> Plan {
    let mut rig = Maker::new("squid");
    let mantle = rig.bone(
        "mantle",
        None,
        (0.0, 0.0, 0.0),
        0.15,
        swing(Vec3::Y, 15.0, 0.0),
    );
    let top = rig.bone(
        "top",
        Some(mantle),
        (0.0, 0.3, 0.0),
        0.12,
        swing(Vec3::X, 10.0, 0.0),
    );
    rig.limb(&[mantle, top], (0.0, 0.6, 0.0));
    for number in 0..6_u8 {
        let angle = 1.047 * f32::from(number);
        let out = Vec3::new(libm::sinf(angle), 0.0, libm::cosf(angle));
        let from = out * 0.09 - Vec3::Y * 0.04;
        let ends = (from, from + out * 0.2 - Vec3::Y * 0.7);
        let wave = move |along| swing(out.cross(Vec3::Y), 18.0, along + 0.1 * f32::from(number));
        chain(
            &mut rig,
            (&format!("arm{number}_"), Some(mantle)),
            ends,
            6,
            0.03,
            wave,
        );
    }
    rig.0
}

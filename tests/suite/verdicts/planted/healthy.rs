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

    /// Adds a tube around bones that hang on each other, and returns the first.
    ///
    /// * `name` – how the name of each bone begins.
    /// * `tip` – the end of the last bone.
    fn limb(&mut self, name: &str, parent: Option<usize>, bones: &[Part], tip: Point) -> usize {
        let first = self.0.bones.len();
        for (index, (part, head, radius, swing)) in (first..).zip(bones) {
            self.0.bones.push(Bone {
                name: format!("{name}{part}"),
                parent: if index == first {
                    parent
                } else {
                    Some(index - 1)
                },
                head: Vec3::from(*head),
                radius: *radius,
                swing: *swing,
            });
        }
        let bones = (first..first + bones.len()).collect();
        self.0.limbs.push((bones, Vec3::from(tip)));
        first
    }

    /// Adds a limb of `count` bones along a line, numbered from 0, that gets thinner towards its end.
    fn chain(
        &mut self,
        (name, parent): (&str, Option<usize>),
        (from, to): (Vec3, Vec3),
        (count, radius): (u8, f32),
        swing: impl Fn(f32) -> Swing,
    ) {
        let names: Vec<String> = (0..count).map(|number| number.to_string()).collect();
        let mut bones: Vec<Part> = Vec::new();
        for (number, name) in (0..count).zip(&names) {
            let along = f32::from(number) / f32::from(count);
            let head = from.lerp(to, along).into();
            bones.push((name, head, radius * (1.0 - 0.5 * along), swing(along)));
        }
        self.limb(name, parent, &bones, to.into());
    }
}

type Point = (f32, f32, f32);

/// The end of a bone's name, its position, its radius, and how it swings.
type Part<'a> = (&'a str, Point, f32, Swing);

const X: Vec3 = Vec3::X;
const Y: Vec3 = Vec3::Y;
const Z: Vec3 = Vec3::Z;

/// Back and forth by `degrees` about an axis.
const fn swing(axis: Vec3, degrees: f32, phase: f32) -> Swing {
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
        middle: degrees / 2.0,
        ..swing(axis, degrees / 2.0, phase)
    }
}

const SIDES: [(&str, f32, f32); 2] = [("Left", 1.0, 0.0), ("Right", -1.0, 0.5)];

fn person() -> Plan {
    let mut rig = Maker::new("person");
    let trunk = [
        ("Hips", (0.0, 1.0, 0.0), 0.14, swing(Y, 8.0, 0.1)),
        ("Spine", (0.0, 1.15, 0.0), 0.13, swing(Y, 6.0, 0.1)),
        ("Chest", (0.0, 1.3, 0.0), 0.15, swing(Y, 5.0, 0.1)),
        ("Neck", (0.0, 1.5, 0.0), 0.06, swing(Y, -8.0, 0.1)),
        ("Head", (0.0, 1.6, 0.0), 0.08, swing(Y, -6.0, 0.1)),
    ];
    let hips = rig.limb("", None, &trunk, (0.0, 1.8, 0.0));
    let chest = hips + 2;
    for (side, x, phase) in SIDES {
        let (upper, fore) = (swing(X, 30.0, phase), hinge(X, -70.0, phase));
        let arm = [
            ("Arm", (0.2 * x, 1.42, 0.0), 0.055, upper),
            ("ForeArm", (0.32 * x, 1.17, 0.0), 0.045, fore),
            ("Hand", (0.4 * x, 0.95, 0.02), 0.035, swing(Z, 15.0, phase)),
        ];
        rig.limb(side, Some(chest), &arm, (0.44 * x, 0.78, 0.03));
        let (thigh, knee) = (swing(X, -28.0, phase), hinge(X, 65.0, phase + 0.2));
        let leg = [
            ("UpLeg", (0.1 * x, 0.92, 0.0), 0.085, thigh),
            ("Leg", (0.11 * x, 0.5, 0.01), 0.06, knee),
            ("Foot", (0.11 * x, 0.1, 0.0), 0.045, swing(X, 15.0, phase)),
        ];
        rig.limb(side, Some(hips), &leg, (0.11 * x, 0.03, 0.16));
    }
    rig.0.bob = 0.03;
    rig.0
}

fn dog() -> Plan {
    let mut rig = Maker::new("dog");
    let trunk = [
        ("hips", (0.0, 0.5, -0.3), 0.11, swing(X, 5.0, 0.0)),
        ("belly", (0.0, 0.52, -0.1), 0.12, swing(X, 8.0, 0.1)),
        ("chest", (0.0, 0.53, 0.12), 0.13, swing(X, 8.0, 0.2)),
        ("neck", (0.0, 0.62, 0.32), 0.08, swing(X, 10.0, 0.3)),
        ("head", (0.0, 0.72, 0.45), 0.08, swing(X, 10.0, 0.5)),
    ];
    let hips = rig.limb("", None, &trunk, (0.0, 0.7, 0.65));
    let chest = hips + 2;
    let tail = [("0", 0.0), ("1", 1.0), ("2", 2.0), ("3", 3.0)].map(|(name, part)| {
        let head = (0.0, 0.55 + 0.05 * part, -0.4 - 0.09 * part);
        (name, head, 0.03, swing(Y, 20.0, 0.1 * part))
    });
    rig.limb("tail", Some(hips), &tail, (0.0, 0.78, -0.78));
    for (end, above, z) in [("fore", chest, 0.15), ("hind", hips, -0.3)] {
        for (side, sign, phase) in SIDES {
            let x = 0.1 * sign;
            let leg = [
                ("Upper", (x, 0.45, z), 0.05, swing(X, 25.0, phase)),
                ("Lower", (x, 0.25, z - 0.02), 0.035, hinge(X, 50.0, phase)),
                ("Paw", (x, 0.07, z), 0.03, swing(X, 12.0, phase)),
            ];
            let tip = (x, 0.02, z + 0.08);
            rig.limb(&format!("{end}{side}"), Some(above), &leg, tip);
        }
    }
    rig.0.bob = 0.02;
    rig.0
}

fn snake() -> Plan {
    let mut rig = Maker::new("snake");
    let ends = (Vec3::ZERO, Z * 2.4);
    rig.chain(("spine", None), ends, (12, 0.08), |along| {
        swing(Y, 22.0, along)
    });
    rig.0
}

fn hand() -> Plan {
    let mut rig = Maker::new("hand");
    let palm = [
        ("wrist", (0.0, 0.0, 0.0), 0.035, swing(Z, 20.0, 0.0)),
        ("palm", (0.0, 0.05, 0.0), 0.042, Swing::STILL),
    ];
    let palm = rig.limb("", None, &palm, (0.0, 0.1, 0.0)) + 1;
    for (number, name) in (0_u8..).zip(["thumb", "index", "middle", "ring", "pinky"]) {
        let x = 0.018 * (f32::from(number) - 2.0);
        let ends = (Vec3::new(x, 0.09, 0.0), Vec3::new(1.2 * x, 0.19, 0.0));
        let curl = hinge(X, 55.0, 0.05 * f32::from(number));
        rig.chain((name, Some(palm)), ends, (3, 0.008), |_| curl);
    }
    rig.0
}

fn spider() -> Plan {
    let mut rig = Maker::new("spider");
    let body = [
        ("body", (0.0, 0.3, 0.0), 0.12, swing(Y, 5.0, 0.0)),
        ("head", (0.0, 0.3, 0.2), 0.08, swing(X, 8.0, 0.0)),
    ];
    let body = rig.limb("", None, &body, (0.0, 0.3, 0.32));
    for leg in 0..8_u8 {
        let angle = 0.4 + 0.75 * f32::from(leg);
        let out = Vec3::new(libm::sinf(angle), 0.0, libm::cosf(angle));
        let from = Y * 0.3 + out * 0.1;
        let lift = |along| swing(out.cross(Y), 14.0, 0.125 * f32::from(leg) + 0.2 * along);
        let (name, ends) = (format!("leg{leg}_"), (from, from + out * 0.55));
        rig.chain((&name, Some(body)), ends, (4, 0.025), lift);
    }
    rig.0
}

fn bird() -> Plan {
    let mut rig = Maker::new("bird");
    let trunk = [
        ("body", (0.0, 1.0, -0.1), 0.09, swing(X, 4.0, 0.3)),
        ("breast", (0.0, 1.0, 0.1), 0.1, Swing::STILL),
        ("neck", (0.0, 1.06, 0.25), 0.05, swing(X, 10.0, 0.0)),
        ("head", (0.0, 1.15, 0.33), 0.05, swing(X, 10.0, 0.5)),
    ];
    let body = rig.limb("", None, &trunk, (0.0, 1.15, 0.45));
    let breast = body + 1;
    for (side, sign, _) in SIDES {
        let from = Vec3::new(0.07 * sign, 1.04, 0.05);
        let ends = (from, from + Vec3::new(0.8 * sign, 0.03, -0.1));
        let flap = |along| swing(Z, sign * 25.0 * (1.0 - 0.4 * along), -0.25 * along);
        let wing = format!("wing{side}");
        rig.chain((&wing, Some(breast)), ends, (4, 0.035), flap);
        let leg = ("", (0.04 * sign, 0.93, -0.08), 0.02, swing(X, 12.0, 0.0));
        let tip = (0.04 * sign, 0.78, -0.06);
        rig.limb(&format!("leg{side}"), Some(body), &[leg], tip);
    }
    rig.0.bob = 0.05;
    rig.0
}

fn crane() -> Plan {
    let mut rig = Maker::new("crane");
    let boom = [
        ("base", (0.0, 0.0, 0.0), 0.3, swing(Y, 60.0, 0.0)),
        ("boom", (0.0, 0.8, 0.0), 0.15, hinge(X, 35.0, 0.0)),
        ("jib", (0.0, 2.6, 0.0), 0.12, hinge(X, 60.0, 0.2)),
        ("hook", (0.0, 4.0, 0.0), 0.1, hinge(X, -40.0, 0.2)),
    ];
    rig.limb("", None, &boom, (0.0, 4.8, 0.0));
    rig.0.seconds = 4.0;
    rig.0
}

fn arm() -> Plan {
    let mut rig = Maker::new("arm");
    let arm = [
        ("upper", (0.0, 0.0, 0.0), 0.05, swing(Z, 40.0, 0.0)),
        ("lower", (0.3, 0.0, 0.0), 0.045, hinge(Y, 85.0, 0.0)),
        ("wrist", (0.55, 0.0, 0.0), 0.03, swing(X, 45.0, 0.3)),
    ];
    rig.limb("", None, &arm, (0.68, 0.0, 0.0));
    rig.0
}

fn squid() -> Plan {
    let mut rig = Maker::new("squid");
    let mantle = [
        ("mantle", (0.0, 0.0, 0.0), 0.15, swing(Y, 15.0, 0.0)),
        ("top", (0.0, 0.3, 0.0), 0.12, swing(X, 10.0, 0.0)),
    ];
    let mantle = rig.limb("", None, &mantle, (0.0, 0.6, 0.0));
    for number in 0..6_u8 {
        let angle = 1.047 * f32::from(number);
        let out = Vec3::new(libm::sinf(angle), 0.0, libm::cosf(angle));
        let from = out * 0.09 - Y * 0.04;
        let wave = |along| swing(out.cross(Y), 18.0, along + 0.1 * f32::from(number));
        let (name, ends) = (format!("arm{number}_"), (from, from + out * 0.2 - Y * 0.7));
        rig.chain((&name, Some(mantle)), ends, (6, 0.03), wave);
    }
    rig.0
}

//! Models built limb by limb: each a chain of joints in a closed tube.

use std::f32::consts::TAU;

use glam::{Mat4, Quat, Vec3};
use skincheck::rig::{
    Asset, Channel, Clip, DefectKind, Evidence, Format, Influence, Influences, LocalTransform,
    Mesh, MeshId, MeshInstance, Node, NodeId, Reader, ReaderCode, Skeleton, Skin, SkinId, SkinSlot,
    Span, Track, Trs,
};
use skincheck::units::Seconds;

/// One joint of a [`Plan`].
#[derive(Debug, Clone)]
pub(crate) struct Bone {
    pub(crate) name: String,
    pub(crate) parent: Option<usize>,
    /// Its position in the world at rest.
    pub(crate) head: Vec3,
    /// The radius of the tube there.
    pub(crate) radius: f32,
    /// How the clips rotate it.
    pub(crate) swing: Swing,
}

/// A rotation back and forth about an axis of the world.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Swing {
    pub(crate) axis: Vec3,
    /// In degrees, about `middle`.
    pub(crate) degrees: f32,
    pub(crate) middle: f32,
    /// The phase, as a fraction of the clip.
    pub(crate) phase: f32,
}

impl Swing {
    pub(crate) const STILL: Self = Self {
        axis: Vec3::X,
        degrees: 0.0,
        middle: 0.0,
        phase: 0.0,
    };

    fn at(&self, round: f32) -> Quat {
        let angle = self.middle + self.degrees * libm::sinf(TAU * (round + self.phase));
        Quat::from_axis_angle(self.axis, angle.to_radians())
    }
}

/// The defects that an importer of the asset looks for.
const SEEN: [DefectKind; 6] = [
    DefectKind::EmptyChannel,
    DefectKind::NonfiniteKey,
    DefectKind::NonfiniteWeight,
    DefectKind::NegativeWeight,
    DefectKind::WeightsNotNormalized,
    DefectKind::DuplicateInfluence,
];

/// A model to build.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) name: String,
    pub(crate) bones: Vec<Bone>,
    /// For each tube, its bones and its end.
    pub(crate) limbs: Vec<(Vec<usize>, Vec3)>,
    /// Vertices around a tube.
    pub(crate) sides: usize,
    /// Rings per bone.
    pub(crate) rings: usize,
    /// The fraction of a bone at either end that shares its vertices with the neighbour.
    pub(crate) blend: f32,
    /// Keys per second, and seconds; 0 keys for no clip.
    pub(crate) rate: f32,
    pub(crate) seconds: f32,
    /// How far the root moves up and down.
    pub(crate) bob: f32,
    /// Factor on all lengths, such as 100 for centimetres.
    pub(crate) unit: f32,
    /// Whether the vertices of a tube are doubled along a line, as a texture's seam does.
    pub(crate) seam: bool,
    /// Whether each limb is a separate mesh.
    pub(crate) apart: bool,
    /// Whether the keys are cubic.
    pub(crate) cubic: bool,
}

impl Plan {
    /// The asset.
    pub(crate) fn build(&self) -> Asset {
        let mut asset = Asset {
            format: Format::Gltf,
            reader: Reader::own(ReaderCode::Gltf, "planted"),
            skins: vec![self.skin()],
            evidence: Evidence {
                examined: SEEN.to_vec(),
                ..Evidence::default()
            },
            ..Asset::of(Skeleton::new(self.joints()).expect("parents come first"))
        };
        asset.space.metres_per_unit = Some(f64::from(1.0 / self.unit));
        let mut tubes: Vec<Tube> = self.limbs.iter().map(|limb| self.tube(limb)).collect();
        if !self.apart {
            let whole = tubes.into_iter().reduce(Tube::joined);
            tubes = whole.into_iter().collect();
        }
        let root = asset.skeleton.len() - 1;
        for (number, tube) in tubes.into_iter().enumerate() {
            asset.meshes.push(tube.mesh(format!("body{number}")));
            asset.instances.push(MeshInstance::skinned(
                NodeId(root as u32),
                MeshId(number as u32),
                SkinId(0),
            ));
        }
        if self.rate > 0.0 {
            asset.clips.push(self.clip("Move", 1.0));
            asset.clips.push(self.clip("Idle", 0.25));
        }
        asset
    }

    /// The bones, and a node for the meshes.
    fn joints(&self) -> Vec<Node> {
        let joint = |bone: &Bone| {
            let origin = bone
                .parent
                .map_or(Vec3::ZERO, |parent| self.bones[parent].head);
            Node {
                name: bone.name.clone(),
                parent: bone.parent.map(|parent| NodeId(parent as u32)),
                rest: LocalTransform::Trs(Trs {
                    translation: (bone.head - origin) * self.unit,
                    ..Trs::IDENTITY
                }),
            }
        };
        let body = Node {
            name: "Body".into(),
            parent: None,
            rest: LocalTransform::Trs(Trs::IDENTITY),
        };
        self.bones.iter().map(joint).chain([body]).collect()
    }

    fn skin(&self) -> Skin {
        let bones = self.bones.iter();
        Skin {
            name: self.name.clone(),
            joints: (0..self.bones.len())
                .map(|bone| NodeId(bone as u32))
                .collect(),
            inverse_bind_matrices: bones
                .map(|bone| Mat4::from_translation(-bone.head * self.unit))
                .collect(),
        }
    }

    fn clip(&self, name: &str, much: f32) -> Clip {
        let keys = (self.rate * self.seconds).round() as usize;
        let times: Vec<f32> = (0..=keys).map(|key| key as f32 / self.rate).collect();
        let round = |time: f32| time / self.seconds;
        let rotations = |bone: &Bone| {
            let swing = Swing {
                degrees: bone.swing.degrees * much,
                middle: bone.swing.middle * much,
                ..bone.swing
            };
            move |time: f32| swing.at(round(time))
        };
        let mut channels = Vec::new();
        for (number, bone) in self.bones.iter().enumerate() {
            let mut channel = Channel::of(NodeId(number as u32));
            if bone.swing.degrees != 0.0 {
                channel.rotation = Some(self.track(&times, rotations(bone)));
            }
            if number == 0 && self.bob > 0.0 {
                let bob = |time: f32| {
                    let up = self.bob * much * libm::sinf(2.0 * TAU * round(time));
                    (bone.head + Vec3::Y * up) * self.unit
                };
                let keys = times.iter().map(|time| (f64::from(*time), bob(*time)));
                channel.translation = Some(Track::linear(keys));
            }
            if channel.rotation.is_some() || channel.translation.is_some() {
                channels.push(channel);
            }
        }
        Clip {
            channels,
            ..Clip::new(name, Seconds(f64::from(times[keys])))
        }
    }

    fn track(&self, times: &[f32], value: impl Fn(f32) -> Quat) -> Track<Quat> {
        let slope = |time: f32| {
            let [before, after] = [time - 1e-3, time + 1e-3].map(&value);
            (after - before) * 500.0
        };
        let keys = times.iter().map(|time| (f64::from(*time), value(*time)));
        let mut track = Track::linear(keys);
        if self.cubic {
            for (key, times) in track.keys.iter_mut().zip(times.windows(2)) {
                let [leave, arrive] = [times[0], times[1]].map(slope);
                key.span = Span::Cubic { leave, arrive };
            }
        }
        track
    }

    /// The tube around a limb.
    fn tube(&self, (bones, tip): &(Vec<usize>, Vec3)) -> Tube {
        let heads = bones.iter().map(|bone| &self.bones[*bone]);
        let mut points: Vec<(Vec3, f32)> = heads.map(|bone| (bone.head, bone.radius)).collect();
        let thin = 0.7 * points[points.len() - 1].1;
        points.push((*tip, thin));
        let mut tube = Tube::default();
        let first = (points[1].0 - points[0].0).normalize();
        let mut across = first.any_orthonormal_vector();
        let columns = self.sides + usize::from(self.seam);
        let mut rings = Vec::new();
        for bone in 0..bones.len() {
            let steps = self.rings + usize::from(bone + 1 == bones.len());
            for step in 0..steps {
                rings.push((bone, step as f32 / self.rings as f32));
            }
        }
        for (bone, along) in &rings {
            let ([from, wide], [to, narrow]) = (
                [points[*bone].0, Vec3::splat(points[*bone].1)],
                [points[bone + 1].0, Vec3::splat(points[bone + 1].1)],
            );
            let mut tangent = (to - from).normalize();
            // The ring at a joint has half of its angle.
            if *along == 0.0 && *bone > 0 {
                tangent = (tangent + (from - points[bone - 1].0).normalize()).normalize();
            }
            across = (across - tangent * across.dot(tangent)).normalize();
            let beside = tangent.cross(across);
            let radius = wide.lerp(narrow, *along).x;
            let influences = self.shares(bones, *bone, *along);
            for side in 0..columns {
                let angle = TAU * (side % self.sides) as f32 / self.sides as f32;
                let (sin, cos) = (libm::sinf(angle), libm::cosf(angle));
                let out = across * cos + beside * sin;
                tube.push(from.lerp(to, *along) + out * radius, out, &influences);
            }
        }
        let ends = [
            (points[0].0, -first),
            (*tip, (*tip - points[bones.len() - 1].0).normalize()),
        ];
        let last = rings.len() - 1;
        for ring in 0..last {
            for side in 0..self.sides {
                let [a, b] = [side, self.next(side)].map(|side| ring * columns + side);
                let [c, d] = [a + columns, b + columns];
                tube.triangles.extend([[a, b, d], [a, d, c]]);
            }
        }
        for (ring, (position, normal)) in [0, last].into_iter().zip(ends) {
            let influences = tube.influences[ring * columns].clone();
            let radius = points[if ring == 0 { 0 } else { points.len() - 1 }].1;
            let end = tube.positions.len();
            tube.push(position + normal * 0.6 * radius, normal, &influences);
            for side in 0..self.sides {
                let [a, b] = [side, self.next(side)].map(|side| ring * columns + side);
                tube.triangles
                    .push(if ring == 0 { [b, a, end] } else { [a, b, end] });
            }
        }
        tube.positions
            .iter_mut()
            .for_each(|position| *position *= self.unit);
        tube
    }

    fn next(&self, side: usize) -> usize {
        if self.seam {
            side + 1
        } else {
            (side + 1) % self.sides
        }
    }

    /// The joints that influence a ring of a bone: only its own, except at its ends.
    fn shares(&self, bones: &[usize], bone: usize, along: f32) -> Vec<Influence> {
        let smooth = |x: f32| x * x * (3.0 - 2.0 * x);
        let half = |x: f32| 0.5 * smooth((1.0 - x / self.blend).clamp(0.0, 1.0));
        let (before, after) = (half(along), half(1.0 - along));
        let other = |index: Option<usize>| index.and_then(|index| bones.get(index));
        let mut shares = Vec::new();
        let neighbours = [
            (other(bone.checked_sub(1)), before),
            (other(Some(bone + 1)), after),
        ];
        let mut own = 1.0;
        for (other, weight) in neighbours {
            if let Some(other) = other
                && weight > 0.01
            {
                own -= weight;
                shares.push(Influence::new(SkinSlot(*other as u32), weight));
            }
        }
        shares.insert(0, Influence::new(SkinSlot(bones[bone] as u32), own));
        shares
    }
}

/// The surface of a limb.
#[derive(Debug, Default)]
struct Tube {
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    influences: Vec<Vec<Influence>>,
    triangles: Vec<[usize; 3]>,
}

impl Tube {
    fn push(&mut self, position: Vec3, normal: Vec3, influences: &[Influence]) {
        self.positions.push(position);
        self.normals.push(normal);
        self.influences.push(influences.to_vec());
    }

    fn joined(mut self, other: Self) -> Self {
        let first = self.positions.len();
        let moved = other
            .triangles
            .iter()
            .map(|corners| corners.map(|corner| first + corner));
        self.triangles.extend(moved);
        self.positions.extend(other.positions);
        self.normals.extend(other.normals);
        self.influences.extend(other.influences);
        self
    }

    fn mesh(self, name: String) -> Mesh {
        Mesh {
            name,
            influences: Influences::from_vertices(self.influences),
            triangles: self
                .triangles
                .iter()
                .map(|corners| corners.map(|corner| corner as u32))
                .collect(),
            positions: self.positions,
            normals: self.normals,
            ..Mesh::default()
        }
    }
}

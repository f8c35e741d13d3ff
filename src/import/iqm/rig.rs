//! Joints and poses: the skeleton, and what a frame drives.

use glam::{DMat4, Mat4, Quat, Vec3};

use super::bytes::{Bytes, Damage, floats};
use super::header::{Header, List};
use crate::rig::{Joint, JointId, LocalTransform, Trs};

/// Numbers of a joint's transform: translation, quaternion (x, y, z, w), scale.
pub(super) const CHANNELS: usize = 10;

/// The joints of a file in the skeleton's order, which is the file's own unless it has a child before its parent.
#[derive(Debug)]
pub(super) struct Rig {
    pub(super) joints: Vec<Joint>,
    /// For each joint of the file its place in the skeleton.
    pub(super) ids: Vec<JointId>,
    /// For each joint of the file `joint_from_mesh` at rest.
    pub(super) inverse_binds: Vec<Mat4>,
}

impl Rig {
    /// The joints of the file. Their rest is the bind pose.
    ///
    /// # Errors
    ///
    /// [`Damage`] if the list or a name is not there, a parent is none, or a joint is its own ancestor.
    pub(super) fn read(file: Bytes<'_>, header: &Header<'_>) -> Result<Self, Damage> {
        let List { count, offset } = header.joints;
        let records: Vec<[u32; 12]> = file.records("the joints", offset, count)?;
        let parents: Vec<u32> = records.iter().map(|record| record[1]).collect();
        let named = |(index, record): (usize, &[u32; 12])| {
            let name = header.names.at(record[0], || format!("joint {index}"))?;
            Ok((name, trs(floats(&record[2..]))))
        };
        let joints = records.iter().enumerate().map(named);
        Self::new("joint", &parents, joints.collect::<Result<_, _>>()?)
    }

    /// Hangs `joints` on their `parents`, numbers in the file of which negative ones are none.
    pub(super) fn new(
        what: &'static str,
        parents: &[u32],
        joints: Vec<(String, Trs)>,
    ) -> Result<Self, Damage> {
        let parents = checked(what, parents)?;
        let order = parents_first(what, &parents)?;
        let mut ids = vec![JointId(0); parents.len()];
        for (new, &old) in order.iter().enumerate() {
            ids[old] = JointId::from_index(new);
        }
        let inverse_binds = inverse_binds(&order, &parents, &joints);
        let mut sorted: Vec<(JointId, Joint)> = ids
            .iter()
            .zip(joints)
            .zip(&parents)
            .map(|((&id, (name, trs)), parent)| {
                let parent = parent.map(|parent| ids[parent]);
                let rest = LocalTransform::Trs(trs);
                (id, Joint { name, parent, rest })
            })
            .collect();
        sorted.sort_by_key(|(id, _)| *id);
        Ok(Self {
            joints: sorted.into_iter().map(|(_, joint)| joint).collect(),
            ids,
            inverse_binds,
        })
    }
}

fn checked(what: &'static str, parents: &[u32]) -> Result<Vec<Option<usize>>, Damage> {
    let check = |(index, parent): (usize, &u32)| match parent.cast_signed() {
        ..0 => Ok(None),
        number if (number.cast_unsigned() as usize) < parents.len() => {
            Ok(Some(number.cast_unsigned() as usize))
        }
        number => Err(Damage::NotThere {
            place: format!("{what} {index}"),
            what: "parent",
            number: number.into(),
            count: parents.len(),
        }),
    };
    parents.iter().enumerate().map(check).collect()
}

/// All numbers, each after its parent's, and otherwise as they are.
fn parents_first(what: &'static str, parents: &[Option<usize>]) -> Result<Vec<usize>, Damage> {
    #[derive(Clone, Copy, PartialEq)]
    enum State {
        New,
        Pending,
        Placed,
    }
    let mut states = vec![State::New; parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    let mut pending = Vec::new();
    for start in 0..parents.len() {
        let mut next = Some(start);
        while let Some(number) = next.filter(|&number| states[number] != State::Placed) {
            if states[number] == State::Pending {
                return Err(Damage::Cycle { what, number });
            }
            states[number] = State::Pending;
            pending.push(number);
            next = parents[number];
        }
        while let Some(number) = pending.pop() {
            states[number] = State::Placed;
            order.push(number);
        }
    }
    Ok(order)
}

/// The inverse of each joint's world transform, in double precision until the end.
fn inverse_binds(
    order: &[usize],
    parents: &[Option<usize>],
    joints: &[(String, Trs)],
) -> Vec<Mat4> {
    let mut worlds = vec![DMat4::IDENTITY; parents.len()];
    for &number in order {
        let local = exact_matrix(&joints[number].1);
        worlds[number] = parents[number].map_or(local, |parent| worlds[parent] * local);
    }
    worlds
        .iter()
        .map(|world| world.inverse().as_mat4())
        .collect()
}

fn exact_matrix(trs: &Trs) -> DMat4 {
    let rotation = trs.rotation.as_dquat();
    DMat4::from_scale_rotation_translation(
        trs.scale.as_dvec3(),
        rotation.normalize(),
        trs.translation.as_dvec3(),
    )
}

/// The parts of a transform from the numbers of its channels.
pub(super) fn trs(channels: [f32; CHANNELS]) -> Trs {
    let [tx, ty, tz, qx, qy, qz, qw, sx, sy, sz] = channels;
    Trs {
        translation: Vec3::new(tx, ty, tz),
        rotation: unit(Quat::from_xyzw(qx, qy, qz, qw)),
        scale: Vec3::new(sx, sy, sz),
    }
}

/// Channels are rounded to 16 bits, so that a quaternion is of unit length only roughly. One without a length stays as
/// it is, to be seen.
fn unit(rotation: Quat) -> Quat {
    let length = rotation.as_dquat().length();
    if length.is_finite() && length > 0.0 {
        (rotation.as_dquat() / length).as_quat()
    } else {
        rotation
    }
}

/// How a frame drives a joint.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pose {
    /// The joint's parent, as in the file.
    pub(super) parent: u32,
    /// Bit `c` is set if channel `c` has a number in each frame.
    mask: u32,
    offset: [f32; CHANNELS],
    scale: [f32; CHANNELS],
    /// The number of its first channel in a frame.
    first: usize,
}

impl Pose {
    /// All poses; the position in the list is the number of the joint.
    ///
    /// # Errors
    ///
    /// [`Damage`] if the list is not there or contradicts the header.
    pub(super) fn read_all(file: Bytes<'_>, header: &Header<'_>) -> Result<Vec<Self>, Damage> {
        let List { count, offset } = header.poses;
        let records: Vec<[u32; 22]> = file.records("the poses", offset, count)?;
        let mut used = 0;
        let pose = |record: &[u32; 22]| {
            let pose = Self {
                parent: record[0],
                mask: record[1] & ((1 << CHANNELS) - 1),
                offset: floats(&record[2..12]),
                scale: floats(&record[12..]),
                first: used as usize,
            };
            used += pose.mask.count_ones();
            pose
        };
        let poses = records.iter().map(pose).collect();
        let stated = header.channels;
        if used == stated || count == 0 {
            Ok(poses)
        } else {
            Err(Damage::Channels { stated, used })
        }
    }

    /// Whether one of `channels` has a number in each frame.
    pub(super) fn drives(&self, channels: std::ops::Range<usize>) -> bool {
        channels
            .into_iter()
            .any(|channel| self.mask >> channel & 1 == 1)
    }

    /// The transform in `frame`, the numbers of all channels of all joints.
    pub(super) fn at(&self, frame: &[[u8; 2]]) -> Trs {
        let mut next = self.first;
        trs(std::array::from_fn(|channel| {
            let offset = f64::from(self.offset[channel]);
            if self.mask >> channel & 1 == 0 {
                return self.offset[channel];
            }
            let number = frame.get(next).copied().map_or(0, u16::from_le_bytes);
            next += 1;
            narrowed(offset + f64::from(number) * f64::from(self.scale[channel]))
        }))
    }
}

/// Rounded once, from a sum that is exact but for one rounding in double precision.
#[expect(
    clippy::cast_possible_truncation,
    reason = "rounding is what it is for"
)]
fn narrowed(number: f64) -> f32 {
    number as f32
}

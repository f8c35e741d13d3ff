//! An engine as the laws see a program: every subject is the pose of a whole asset.

use glam::{DMat4, Mat3, Quat, Vec3};
use skincheck::laws::{Body, Interpolator, Posed, Poser, Skinner, Subjects};
use skincheck::rig::{Asset, Channel, Clip, LocalTransform, Node, NodeId, Skeleton, Track, Trs};
use skincheck::units::Seconds;

/// An engine that only poses assets.
pub(super) struct Whole(pub(super) Box<dyn Poser>);

impl Whole {
    pub(super) fn subjects(&self) -> Subjects<'_> {
        Subjects {
            rotations: Some(self),
            vectors: Some(self),
            poser: Some(self),
            skinners: vec![("skinning", self)],
            ..Subjects::default()
        }
    }

    fn posed(&self, rig: &Asset, time: f64) -> Posed {
        let poses = self.0.pose(rig, &[time]).unwrap_or_default();
        poses.into_iter().next().unwrap_or_default()
    }

    /// The transform of a node that a channel drives.
    fn driven(&self, channel: Channel, time: f64) -> DMat4 {
        let node = Node {
            name: "node".to_owned(),
            parent: None,
            rest: LocalTransform::Trs(Trs::IDENTITY),
        };
        let mut rig = Asset::of(Skeleton::new(vec![node]).expect("one node is a root"));
        let tracks = [
            channel.rotation.as_ref().map(end),
            channel.translation.as_ref().map(end),
        ];
        let end = tracks.into_iter().flatten().fold(0.0, f64::max);
        rig.clips = vec![Clip {
            channels: vec![channel],
            ..Clip::new("clip", Seconds(end))
        }];
        let posed = self.posed(&rig, time);
        posed.nodes.first().copied().unwrap_or(DMat4::NAN)
    }
}

fn end<T>(track: &Track<T>) -> f64 {
    track.keys.last().map_or(0.0, |key| key.time.0)
}

impl Poser for Whole {
    fn pose(&self, rig: &Asset, times: &[f64]) -> Option<Vec<Posed>> {
        self.0.pose(rig, times)
    }
}

impl Interpolator<Quat> for Whole {
    /// From the matrix, scaled by its longest axis.
    fn sample(&self, track: &Track<Quat>, time: f64) -> Quat {
        let channel = Channel {
            rotation: Some(track.clone()),
            ..Channel::of(NodeId(0))
        };
        let axes = Mat3::from_mat4(self.driven(channel, time).as_mat4());
        let columns = [axes.x_axis, axes.y_axis, axes.z_axis];
        let farthest = columns
            .map(Vec3::length)
            .into_iter()
            .fold(1.0_f32, |worst, length| {
                if (length - 1.0).abs() > (worst - 1.0).abs() {
                    length
                } else {
                    worst
                }
            });
        let [x, y, z] = columns.map(|column| column / column.length());
        Quat::from_mat3(&Mat3::from_cols(x, y, z)) * farthest
    }
}

impl Interpolator<Vec3> for Whole {
    fn sample(&self, track: &Track<Vec3>, time: f64) -> Vec3 {
        let channel = Channel {
            translation: Some(track.clone()),
            ..Channel::of(NodeId(0))
        };
        self.driven(channel, time).w_axis.truncate().as_vec3()
    }
}

impl Skinner for Whole {
    fn skin(&self, body: &Body) -> Vec<Vec3> {
        let mut rig = body.to_asset();
        rig.clips = vec![Clip::new("rest", Seconds::ZERO)];
        let mesh = self.posed(&rig, 0.0).meshes.into_iter().next();
        let positions = mesh.unwrap_or_default().into_iter();
        positions.map(glam::DVec3::as_vec3).collect()
    }
}

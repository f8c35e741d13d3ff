//! Another program, or a function, as the subject of the laws. It receives rigs as glTF and poses them.
//!
//! The laws of a case ask for the same poses, so that answers are kept until the next case ([`Engine::forget`]).

use std::cell::RefCell;
use std::collections::HashMap;
use std::time::Duration;

use glam::{DMat4, Mat3, Quat, Vec3};

use super::case::{rig_of_rotation, rig_of_vector};
use super::channel::{Channel, EngineError, Function, Process, Skipped, cut};
use super::protocol::{Answer, request};
use super::{Body, Capabilities, Interpolator, Posed, Poser, Skinner};
use crate::export;
use crate::rig::{Asset, LocalTransform, Node, NodeId, Skeleton, Track, Trs};

/// A running program, or a function. After its first error it receives no more requests, and every result is NaN.
#[derive(Debug)]
pub struct Engine {
    /// In a cell, because implementations under test are shared.
    state: RefCell<State>,
}

#[derive(Debug)]
struct State {
    channel: Box<dyn Channel>,
    /// For the first answer, which waits for the program's start.
    start_limit: Duration,
    limit: Duration,
    asked: u64,
    capabilities: Capabilities,
    /// The answers since [`Engine::forget`], by the bits of the time.
    known: HashMap<Document, HashMap<u64, Reply>>,
    /// Whether a reply since [`Engine::take_unsupported`] was that.
    is_unsupported: bool,
    unsupported: Unsupported,
    error: Option<EngineError>,
}

/// A rig as glTF, and whether its clip or its rest pose is asked for.
type Document = (String, bool);

/// A pose; `None` if the program does not support the rig.
type Reply = Option<Posed>;

/// Requests that the program does not support.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Unsupported {
    /// How many.
    pub count: u64,
    /// The reason it gave for the first.
    pub first: String,
}

impl Engine {
    /// Starts `command` in a shell.
    ///
    /// * `start_limit` – how long it may take to answer the first request.
    /// * `limit` – how long it may take to answer another one.
    ///
    /// # Errors
    ///
    /// [`EngineError::Start`] if there is no shell.
    pub fn start(
        command: &str,
        start_limit: Duration,
        limit: Duration,
    ) -> Result<Self, EngineError> {
        let channel = Box::new(Process::start(command)?);
        Ok(Self::over(channel, start_limit, limit))
    }

    /// An engine that runs in this process.
    ///
    /// * `answer` – takes a request and returns its answer, both JSON objects; an error ends the test.
    pub fn function(answer: impl FnMut(&str) -> Result<String, String> + 'static) -> Self {
        let channel = Box::new(Function::new(answer));
        Self::over(channel, Duration::MAX, Duration::MAX)
    }

    fn over(channel: Box<dyn Channel>, start_limit: Duration, limit: Duration) -> Self {
        let state = State {
            channel,
            start_limit,
            limit,
            asked: 0,
            capabilities: Capabilities::default(),
            known: HashMap::new(),
            is_unsupported: false,
            unsupported: Unsupported::default(),
            error: None,
        };
        Self {
            state: RefCell::new(state),
        }
    }

    /// Returns the capabilities that the program declares. Asks for the pose of one node, and so waits until the
    /// program has started.
    ///
    /// # Errors
    ///
    /// The program does not answer.
    ///
    /// # Panics
    ///
    /// Never: one node is a root.
    pub fn capabilities(&self) -> Result<Capabilities, EngineError> {
        let node = Node {
            name: "node".to_owned(),
            parent: None,
            rest: LocalTransform::Trs(Trs::IDENTITY),
        };
        let rig = Asset::of(Skeleton::new(vec![node]).expect("one node is a root"));
        let _ = self.poses(&rig, None);
        self.take_unsupported();
        match self.take_error() {
            Some(error) => Err(error),
            None => Ok(self.state.borrow().capabilities.clone()),
        }
    }

    /// The lines of the program's output that were not answers.
    #[must_use]
    pub fn skipped(&self) -> Skipped {
        self.state.borrow().channel.skipped()
    }

    /// The requests that the program does not support.
    #[must_use]
    pub fn unsupported(&self) -> Unsupported {
        self.state.borrow().unsupported.clone()
    }

    /// The first error since the last call of this function.
    #[must_use]
    pub fn take_error(&self) -> Option<EngineError> {
        self.state.borrow_mut().error.take()
    }

    /// Whether there is an error. Results after it mean nothing.
    pub(super) fn has_failed(&self) -> bool {
        self.state.borrow().error.is_some()
    }

    /// Whether a request since the last call was unsupported. Results that depend on it mean nothing.
    pub(super) fn take_unsupported(&self) -> bool {
        std::mem::take(&mut self.state.borrow_mut().is_unsupported)
    }

    /// Forgets the answers so far.
    pub(super) fn forget(&self) {
        self.state.borrow_mut().known.clear();
    }

    /// The poses of a rig, one per time. `None` after an error, and for a rig that glTF cannot represent or the program does
    /// not support.
    ///
    /// * `times` – `None` for the rest pose.
    fn poses(&self, rig: &Asset, times: Option<&[f64]>) -> Option<Vec<Posed>> {
        let gltf = export::to_gltf_line(rig).ok()?;
        let mut state = self.state.borrow_mut();
        let document = (gltf, times.is_some());
        let times = times.unwrap_or(&[0.0]);
        let known = state.known.get(&document);
        let is_known = |time: &&f64| known.is_some_and(|known| known.contains_key(&time.to_bits()));
        let unknown: Vec<f64> = times
            .iter()
            .filter(|time| !is_known(time))
            .copied()
            .collect();
        if !unknown.is_empty() {
            state.fetch(&document, &unknown);
        }
        let known = state.known.get(&document)?;
        let replies: Option<Vec<Reply>> = times
            .iter()
            .map(|time| known.get(&time.to_bits()).cloned())
            .collect();
        let poses: Option<Vec<Posed>> = replies?.into_iter().collect();
        state.is_unsupported |= poses.is_none();
        poses
    }

    /// Whether the program supports a rig by its capabilities. If not, the case counts as unsupported.
    fn declares(&self, rig: &Asset) -> bool {
        let mut state = self.state.borrow_mut();
        let is_declared = state.capabilities.support(rig);
        state.is_unsupported |= !is_declared;
        is_declared
    }

    /// Whether the program can be sent the rig.
    fn supports(&self, rig: &Asset) -> bool {
        self.state.borrow().capabilities.support(rig) && export::to_gltf_line(rig).is_ok()
    }
}

impl State {
    /// Asks for poses. The first error ends all requests.
    fn fetch(&mut self, document: &Document, times: &[f64]) {
        if self.error.is_none() {
            self.error = self.exchange(document, times).err();
        }
    }

    fn exchange(&mut self, document: &Document, times: &[f64]) -> Result<(), EngineError> {
        let id = self.asked;
        self.asked += 1;
        let (gltf, clip) = document;
        let limit = if id == 0 {
            self.start_limit
        } else {
            self.limit
        };
        let line = self
            .channel
            .ask(id, request(id, *clip, times, gltf), limit)?;
        let replies = self.replies(id, &line, times.len())?;
        let times = times.iter().map(|time| time.to_bits());
        let known = self.known.entry(document.clone()).or_default();
        known.extend(times.zip(replies));
        Ok(())
    }

    /// One reply per time.
    fn replies(&mut self, id: u64, line: &str, times: usize) -> Result<Vec<Reply>, EngineError> {
        let answer = Answer::parse(id, line, times)?;
        if let Some(capabilities) = answer.capabilities {
            self.capabilities = capabilities;
        }
        if let Some(reason) = answer.unsupported {
            if self.unsupported.count == 0 {
                self.unsupported.first = cut(&reason);
            }
            self.unsupported.count += 1;
            return Ok(vec![None; times]);
        }
        let poses = answer.poses.iter();
        Ok(poses.map(|pose| Some(pose.posed())).collect())
    }
}

impl Engine {
    /// `world_from_node` of the only node of a rig.
    fn node(&self, rig: &Asset, time: f64) -> DMat4 {
        let poses = self.poses(rig, Some(&[time])).unwrap_or_default();
        let node = poses.first().and_then(|posed| posed.nodes.first());
        node.copied().unwrap_or(DMat4::NAN)
    }
}

impl Interpolator<Quat> for Engine {
    fn accepts(&self, track: &Track<Quat>) -> bool {
        self.supports(&rig_of_rotation(track))
    }

    /// From the node's matrix, scaled by its longest axis: the matrix of a quaternion that is not normalized is not
    /// orthonormal.
    fn sample(&self, track: &Track<Quat>, time: f64) -> Quat {
        let matrix = self.node(&rig_of_rotation(track), time);
        let axes = Mat3::from_mat4(matrix.as_mat4());
        let lengths = [axes.x_axis, axes.y_axis, axes.z_axis].map(Vec3::length);
        let farthest = lengths.into_iter().fold(1.0_f32, |worst, length| {
            if (length - 1.0).abs() > (worst - 1.0).abs() {
                length
            } else {
                worst
            }
        });
        let columns = [axes.x_axis, axes.y_axis, axes.z_axis];
        let [x, y, z] = [0, 1, 2].map(|at| columns[at] / lengths[at]);
        Quat::from_mat3(&Mat3::from_cols(x, y, z)) * farthest
    }
}

impl Interpolator<Vec3> for Engine {
    fn accepts(&self, track: &Track<Vec3>) -> bool {
        self.supports(&rig_of_vector(track))
    }

    fn sample(&self, track: &Track<Vec3>, time: f64) -> Vec3 {
        let matrix = self.node(&rig_of_vector(track), time);
        matrix.w_axis.truncate().as_vec3()
    }
}

impl Poser for Engine {
    fn pose(&self, rig: &Asset, times: &[f64]) -> Option<Vec<Posed>> {
        if !self.declares(rig) {
            return None;
        }
        self.poses(rig, Some(times))
    }
}

/// The rig below one root, which glTF asks of the joints of a skin.
fn rooted(mut rig: Asset) -> Asset {
    let shifted = |id: NodeId| NodeId::from_index(id.index() + 1);
    let root = Node {
        name: "root".to_owned(),
        parent: None,
        rest: LocalTransform::Trs(Trs::IDENTITY),
    };
    let below = rig.skeleton.nodes().iter().map(|node| Node {
        parent: Some(node.parent.map_or(NodeId(0), shifted)),
        ..node.clone()
    });
    let nodes = std::iter::once(root).chain(below).collect();
    rig.skeleton = Skeleton::new(nodes).expect("each parent is before its child");
    for instance in &mut rig.instances {
        instance.node = shifted(instance.node);
    }
    for joint in rig.skins.iter_mut().flat_map(|skin| &mut skin.joints) {
        *joint = shifted(*joint);
    }
    rig
}

impl Skinner for Engine {
    fn skin(&self, body: &Body) -> Vec<Vec3> {
        let rig = rooted(body.to_asset());
        if !self.declares(&rig) {
            return Vec::new();
        }
        let poses = self.poses(&rig, None).unwrap_or_default();
        let pose = poses.into_iter().next().unwrap_or_default();
        let mesh = pose.meshes.into_iter().next().unwrap_or_default();
        mesh.iter().map(|position| position.as_vec3()).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use glam::Mat4;

    use super::*;
    use crate::rig::{Influence, Influences, SkinSlot};

    const LIMIT: Duration = Duration::from_millis(300);

    #[test]
    fn a_function_answers_and_its_error_ends_the_test() {
        let said = |answer: Result<&str, &str>| {
            let answer = answer.map(str::to_owned).map_err(str::to_owned);
            Engine::function(move |_| answer.clone()).capabilities()
        };
        let able = r#"{"id": 0, "poses": [{"nodes": []}], "capabilities": {"influences": 4}}"#;
        let influences = said(Ok(able)).map(|declared| declared.influences);
        assert_eq!(influences.unwrap().map(std::num::NonZeroU32::get), Some(4));
        let error = said(Err("no time")).unwrap_err().to_string();
        assert_eq!(
            error,
            "the program answered request 0 with the error \"no time\""
        );
    }

    #[cfg(unix)]
    fn error_of(command: &str, seconds: f64) -> String {
        let limit = Duration::from_secs_f64(seconds);
        let engine = Engine::start(command, limit, limit).expect("there is a shell");
        let _ = engine.skin(&Body::default());
        engine.take_error().expect("it does not answer").to_string()
    }

    #[cfg(unix)]
    #[test]
    fn a_line_without_end_is_an_error_and_takes_little_memory() {
        let error = error_of("exec cat /dev/zero", 60.0);
        assert!(error.contains("a line of more than 16 MiB"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn lines_without_end_run_into_the_time_limit() {
        let error = error_of("exec yes", 0.3);
        assert!(
            error.contains("did not answer request 0 within 0.3 s"),
            "{error}"
        );
        assert!(error.contains(r#"the first is "y""#), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn a_long_error_of_the_program_is_cut() {
        let answer = "head -c 100000 /dev/zero | tr '\\0' x";
        let command =
            format!("read -r line; echo \"{{\\\"id\\\": 0, \\\"error\\\": \\\"$({answer})\\\"}}\"");
        let error = error_of(&command, 10.0);
        assert!(
            error.contains("with the error \"xxx") && error.len() < 300,
            "{error}"
        );
    }

    /// A program that does not read must not block the writing of a request that is larger than a pipe's buffer.
    #[cfg(unix)]
    #[test]
    fn a_program_that_reads_nothing_runs_into_the_time_limit() {
        let engine = Engine::start("exec sleep 30", LIMIT, LIMIT).expect("there is a shell");
        let body = Body {
            positions: vec![Vec3::ONE; 20_000],
            ..Body::default()
        };
        assert!(engine.skin(&body).is_empty());
        let error = engine.take_error().expect("it does not answer");
        assert!(matches!(error, EngineError::Slow { .. }), "{error}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn what_the_program_started_ends_with_the_run() {
        let folder = tempfile::tempdir().expect("there is room");
        let pids = folder.path().join("pids");
        let command = format!("sleep 271 & sleep 272 & echo $! > {}; wait", pids.display());
        let engine = Engine::start(&command, LIMIT, LIMIT).expect("there is a shell");
        let _ = engine.skin(&Body::default());
        drop(engine);
        let pid = std::fs::read_to_string(&pids).expect("it was started");
        let status = format!("/proc/{}/stat", pid.trim());
        let started = Instant::now();
        // A killed grandchild is reaped by the system, some time.
        while std::fs::read_to_string(&status).is_ok_and(|status| !status.contains(") Z ")) {
            assert!(
                started.elapsed() < Duration::from_secs(5),
                "{pid} is still there"
            );
            thread::sleep(Duration::from_millis(10));
        }
    }

    /// Answers one request.
    #[cfg(unix)]
    #[test]
    fn the_same_question_is_asked_once() {
        let pose = "{\"nodes\": [[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]]}";
        let answer = format!("{{\"id\": 0, \"poses\": [{pose}]}}");
        let command = format!("read -r one; printf '%s\\n' '{answer}'; exec sleep 9");
        let limit = Duration::from_secs(5);
        let engine = Engine::start(&command, limit, limit).expect("there is a shell");
        let still = Track::linear([(0.0, Vec3::ZERO), (1.0, Vec3::ZERO)]);
        let twice: [Vec3; 2] = [engine.sample(&still, 0.5), engine.sample(&still, 0.5)];
        assert_eq!(twice, [Vec3::ZERO; 2]);
        assert!(engine.take_error().is_none());
    }

    #[cfg(unix)]
    #[test]
    fn capabilities_are_declared_in_an_answer() {
        let declared = |capabilities: &str| {
            let answer = format!(
                "{{\"id\": 0, \"capabilities\": {capabilities}, \"poses\": [{{\"nodes\": []}}]}}"
            );
            let command = format!("read -r line; printf '%s\\n' '{answer}'; exec sleep 9");
            let limit = Duration::from_secs(5);
            let engine = Engine::start(&command, limit, limit).expect("there is a shell");
            engine.capabilities().map_err(|error| error.to_string())
        };
        let four = declared(r#"{"influences": 4, "interpolations": ["step", "linear"]}"#).unwrap();
        let track = |span| Track {
            keys: vec![crate::rig::Key {
                time: crate::units::Seconds(0.0),
                value: Vec3::ONE,
                span,
            }],
        };
        let still = Vec3::ZERO;
        let cubic = crate::rig::Span::Cubic {
            leave: still,
            arrive: still,
        };
        assert!(four.support(&rig_of_vector(&track(crate::rig::Span::Step))));
        assert!(!four.support(&rig_of_vector(&track(cubic))));
        let error = declared(r#"{"influence": 4}"#).unwrap_err();
        assert!(error.contains("unknown field `influence`"), "{error}");
        let error = declared(r#"{"weight_bits": 40}"#).unwrap_err();
        assert!(error.contains("`weight_bits` is above 16"), "{error}");
    }

    #[cfg(unix)]
    #[test]
    fn an_engine_that_uses_weights_as_they_are_gets_sums_of_1_only() {
        let answer =
            r#"{"id": 0, "capabilities": {"normalizes": false}, "poses": [{"nodes": []}]}"#;
        let command = format!("read -r line; printf '%s\\n' '{answer}'; exec sleep 9");
        let engine = Engine::start(&command, LIMIT, LIMIT).expect("there is a shell");
        let body = |weight: f32| Body {
            positions: vec![Vec3::ONE],
            influences: Influences::from_vertices([[Influence::new(SkinSlot(0), weight)]]),
            inverse_binds: vec![Mat4::IDENTITY],
            joints: vec![Mat4::IDENTITY],
            ..Body::default()
        };
        let capabilities = engine.capabilities().expect("it answers once");
        assert!(capabilities.support(&body(1.0).to_asset()));
        assert!(engine.skin(&body(0.5)).is_empty());
        assert!(engine.take_unsupported());
        assert!(engine.take_error().is_none(), "no second request was sent");
    }

    /// Its only answer has no line break.
    #[cfg(unix)]
    #[test]
    fn a_rotation_is_as_long_as_the_matrix_in_the_answer() {
        let matrix = "[1.5,0,0,0, 0,1.5,0,0, 0,0,1.5,0, 0,0,0,1]";
        let answer = format!("{{\"id\": 0, \"poses\": [{{\"nodes\": [{matrix}]}}]}}");
        let limit = Duration::from_secs(10);
        let engine = Engine::start(&format!("read -r line; printf '{answer}'"), limit, limit);
        let track = Track::linear([(0.0, Quat::IDENTITY), (1.0, Quat::IDENTITY)]);
        let rotation: Quat = engine.expect("there is a shell").sample(&track, 0.0);
        assert!(
            rotation.abs_diff_eq(Quat::IDENTITY * 1.5, 1e-6),
            "{rotation}"
        );
    }
}

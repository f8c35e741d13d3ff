//! Runs two skinning paths in parallel, for the cross-checks of all files.

use std::fmt;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, JoinHandle};

use crate::backend::{BACKENDS, Device, Driver};
use crate::crosscheck::{self, CrosscheckError, Options, Report};
use crate::deadline::Deadline;
use crate::pose::{Take, Times};
use crate::rig::{Asset, ClipId};
use crate::view::Viewport;

/// The resources of the cross-checks: the CPU path and OpenGL, opened once for all files.
///
/// OpenGL is bound to one thread. Both paths therefore run on a thread of their own, which the checks of files wait
/// for.
pub struct CrossCheck {
    /// Why the two paths are not available.
    missing: Option<String>,
    jobs: Option<Sender<Job>>,
    thread: Option<JoinHandle<()>>,
}

/// Two opened paths.
type Devices = [Box<dyn Device>; 2];

struct Job {
    asset: Arc<Asset>,
    deadline: Deadline,
    reply: Sender<Result<Report, CrosscheckError>>,
}

impl CrossCheck {
    /// Opens both paths. Without OpenGL, the rules that need it are not checkable and say why.
    #[must_use]
    pub fn start() -> Self {
        Self::with(|| {
            let open = |name: &str| {
                let backend = BACKENDS
                    .iter()
                    .find(|backend| backend.name() == name)
                    .ok_or_else(|| format!("this build has no {name} path"))?;
                backend
                    .open(Driver::Auto)
                    .map_err(|error| innermost(&error))
            };
            Ok([open("cpu")?, open("gl")?])
        })
    }

    /// Opens any two paths. `open` runs on their thread, and returns an error message if they cannot be opened.
    pub(crate) fn with(open: impl FnOnce() -> Result<Devices, String> + Send + 'static) -> Self {
        let (jobs, waiting) = channel();
        let (opened, is_open) = channel();
        let thread = Builder::new().spawn(move || match open() {
            Ok(devices) => {
                if opened.send(None).is_ok() {
                    work(devices, &waiting);
                }
            }
            // If the receiver is gone, so is the caller who started the thread.
            Err(reason) => opened.send(Some(reason)).unwrap_or_default(),
        });
        // If no thread could be started, no message arrives.
        let missing = is_open.recv().unwrap_or_else(|_| Some(STOPPED.to_owned()));
        Self {
            missing,
            jobs: Some(jobs),
            thread: thread.ok(),
        }
    }

    /// Compares the two paths on `asset`, or returns why they cannot be compared.
    pub(crate) fn compare(&self, asset: &Asset, deadline: Deadline) -> Result<Report, String> {
        if let Some(missing) = &self.missing {
            return Err(missing.clone());
        }
        let (reply, answer) = channel();
        let asset = Arc::new(asset.clone());
        let sent = self.jobs.as_ref().map(|jobs| {
            jobs.send(Job {
                asset,
                deadline,
                reply,
            })
        });
        sent.and_then(Result::ok).ok_or(STOPPED)?;
        let report = answer.recv().map_err(|_| STOPPED)?;
        report.map_err(|error| innermost(&error))
    }
}

/// The thread ends early only by a panic.
const STOPPED: &str = "the second path has stopped";

fn innermost(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.last().map_or_else(String::new, ToString::to_string)
}

impl Drop for CrossCheck {
    fn drop(&mut self) {
        self.jobs = None;
        // The panic has printed its message, so there is nothing left to do.
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

impl fmt::Debug for CrossCheck {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("CrossCheck");
        debug
            .field("missing", &self.missing)
            .finish_non_exhaustive()
    }
}

fn work(mut devices: Devices, jobs: &Receiver<Job>) {
    for job in jobs {
        let report = compare(&mut devices, &job);
        // The caller may have given up.
        job.reply.send(report).unwrap_or_default();
    }
}

/// The size of images: large enough that a character's triangles cover a few pixels, small enough for hundreds of
/// files.
const VIEWPORT: Viewport = Viewport {
    width: 256,
    height: 256,
};

fn compare([first, second]: &mut Devices, job: &Job) -> Result<Report, CrosscheckError> {
    let asset = job.asset.as_ref();
    let options = Options {
        viewport: VIEWPORT,
        deadline: job.deadline,
        ..Options::default()
    };
    let (mut first, mut second) = (first.load(asset)?, second.load(asset)?);
    let takes = takes(asset);
    crosscheck::run(
        asset,
        [first.as_mut(), second.as_mut()],
        &takes,
        &options,
        &mut |_| {},
    )
}

/// The most clips that are compared; of more, evenly spaced ones. Paths and precisions that differ do so in any clip.
const MOST_CLIPS: usize = 8;

/// The rest pose, and the start, middle and end of each clip.
pub(crate) fn takes(asset: &Asset) -> Vec<Take> {
    let all = asset.clips.len();
    let clips = (0..all.min(MOST_CLIPS)).map(|index| index * all / all.min(MOST_CLIPS));
    let of_clip = |index: usize| {
        let times = Times::Even(3).of(&asset.clips[index]).ok()?.0;
        Some(Take::Clip(ClipId::from_index(index), times))
    };
    std::iter::once(Take::rest(asset))
        .chain(clips.filter_map(of_clip))
        .collect()
}

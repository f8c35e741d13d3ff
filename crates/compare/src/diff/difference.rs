//! A difference of two models: its kind, and a finding.

use super::kinds::Kind;
use crate::finding::{Cause, Code, Finding, Level, Measure, Unit};
use crate::rig::{ClipId, InstanceId, Location, NodeId};
use crate::units::Seconds;

/// What a comparison finds: a difference, or a remark that does not count as one.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Difference {
    /// Its kind.
    pub kind: Kind,
    /// Where it is, and its size. Its code is the name of the kind.
    pub finding: Finding,
}

/// The index of a mesh, joint or clip of the model before. The ids of a difference are its ids; what only the model after
/// has is stated by name.
#[derive(Debug, Clone, Copy)]
#[doc(hidden)]
pub struct Before(pub(super) usize);

impl Kind {
    /// A difference of this kind.
    ///
    /// * `message` – a sentence without a full stop, which names its subject.
    #[doc(hidden)]
    pub fn found(self, message: impl Into<String>) -> Difference {
        let code = Code(self.name());
        Difference {
            kind: self,
            finding: Finding::new(code, Level::Error, Location::FILE, message),
        }
    }
}

impl Difference {
    /// Whether it counts: it is no remark.
    #[must_use]
    pub fn counts(&self) -> bool {
        self.finding.level == Level::Error
    }

    pub(super) fn remark(self) -> Self {
        self.remark_if(true)
    }

    pub(super) fn remark_if(mut self, is_remark: bool) -> Self {
        if is_remark {
            self.finding.level = Level::Info;
        }
        self
    }

    pub(super) fn joint(mut self, name: &str, id: Option<Before>) -> Self {
        let location = &mut self.finding.location;
        location.joint = Some(name.to_owned());
        location.ids.node = id.map(|Before(joint)| NodeId::from_index(joint));
        self
    }

    pub(super) fn mesh(mut self, name: &str, id: Option<Before>) -> Self {
        let location = &mut self.finding.location;
        location.mesh = Some(name.to_owned());
        location.ids.instance = id.map(|Before(surface)| InstanceId::from_index(surface));
        self
    }

    #[doc(hidden)]
    #[must_use]
    pub fn clip(mut self, name: &str, id: Option<Before>) -> Self {
        let location = &mut self.finding.location;
        location.clip = Some(name.to_owned());
        location.ids.clip = id.map(|Before(clip)| ClipId::from_index(clip));
        self
    }

    pub(super) fn at(mut self, time: f64) -> Self {
        self.finding.location.time = Some(Seconds(time));
        self
    }

    /// * `displacement` – the largest that results.
    pub(super) fn by(mut self, displacement: f64) -> Self {
        self.finding.measure = Some(Measure {
            unit: Unit::Length,
            value: displacement,
            limit: None,
        });
        self
    }

    pub(super) fn caused(mut self, cause: impl Into<String>) -> Self {
        self.finding.cause = Some(Cause::Words(cause.into()));
        self
    }

    /// The displacement, or 0.
    pub(super) fn size(&self) -> f64 {
        self.finding.measure.map_or(0.0, |measure| measure.value)
    }
}

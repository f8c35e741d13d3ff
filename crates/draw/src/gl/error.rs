//! Errors of the OpenGL path.

use crate::rig::{InstanceId, NodeId, SkinId, SkinSlot};

/// Packages to install if OpenGL is missing.
const PACKAGES: &str = "install libegl1 and libgl1-mesa-dri (Debian, Ubuntu), mesa-libEGL and mesa-dri-drivers (Fedora, \
                        RHEL), Mesa-libEGL1 and Mesa-dri (openSUSE), libglvnd and mesa (Arch), or mesa-egl and \
                        mesa-dri-gallium (Alpine)";

/// The part of OpenGL that this machine lacks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Missing {
    /// The library that opens contexts is not installed.
    #[error("libEGL is not installed")]
    Library,
    /// The library has no usable driver.
    #[error("libEGL finds no driver that supports rendering without a window ({reason})")]
    Driver {
        /// The error of the attempt.
        reason: String,
    },
    /// The driver does not support an OpenGL 3.3 core context.
    #[error("the driver does not support OpenGL 3.3 ({reason})")]
    Version {
        /// The error of the attempt, or the version it supports.
        reason: String,
    },
}

/// The reason why the OpenGL path failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GlError {
    /// No OpenGL 3.3 core context is available. Tests may skip on this error only.
    #[error("no OpenGL: {0}; {PACKAGES}")]
    Unavailable(Missing),
    /// OpenGL is available, but not of the requested kind.
    #[error("OpenGL in {wanted} was requested, but this machine's is {renderer:?}")]
    WrongKind {
        /// `software` or `hardware`.
        wanted: &'static str,
        /// `GL_RENDERER`.
        renderer: String,
    },
    /// This thread already has an OpenGL context and would wait for itself.
    #[error("this thread already has an open OpenGL context; only one is possible at a time")]
    Nested,
    /// `glGetError` was not `GL_NO_ERROR` after `call`.
    #[error("OpenGL error {code:#06x} after {call}")]
    Call {
        /// The call that was checked.
        call: &'static str,
        /// The raw error.
        code: u32,
    },
    /// The driver refused a shader of this program.
    #[error("the driver rejects the shader {shader}: {log}")]
    Shader {
        /// The name of the program.
        shader: &'static str,
        /// The driver's message.
        log: String,
    },
    /// A framebuffer is not complete.
    #[error("the driver cannot draw to the image's format (status {status:#06x})")]
    Framebuffer {
        /// `glCheckFramebufferStatus`.
        status: u32,
    },
    /// Transform feedback wrote fewer vertices than were sent.
    #[error("transform feedback wrote {written} of {sent} points")]
    Feedback {
        /// The number of written vertices.
        written: u64,
        /// The number of sent vertices.
        sent: u64,
    },
    /// The asset does not fit into what the driver can address.
    #[error("{what} need {needed} elements; the driver's limit is {limit}")]
    TooLarge {
        /// Such as `the influences`.
        what: &'static str,
        /// The needed number.
        needed: usize,
        /// The driver's limit.
        limit: usize,
    },
    /// The pose belongs to another skeleton: it lacks the node of an instance.
    #[error("the pose lacks the node of mesh instance {instance}")]
    UnknownNode {
        /// The instance.
        instance: InstanceId,
    },
    /// The pose belongs to another skeleton: it lacks a joint of a skin.
    #[error("skin {skin} binds joint {joint}, but the pose has {joints} joints")]
    UnknownJoint {
        /// The skin.
        skin: SkinId,
        /// The missing joint.
        joint: NodeId,
        /// How many joints the pose has.
        joints: usize,
    },
    /// A vertex names a palette slot that its skin lacks.
    #[error("mesh instance {instance} uses palette slot {slot}, but its skin has {slots}")]
    UnknownSlot {
        /// The instance.
        instance: InstanceId,
        /// The missing slot.
        slot: SkinSlot,
        /// How many slots there are.
        slots: usize,
    },
    /// More translucent surfaces overlap than can be blended.
    #[error("more than {limit} translucent surfaces overlap")]
    TooManyLayers {
        /// The most that are blended.
        limit: u32,
    },
}

//! What can go wrong with OpenGL.

use crate::rig::{InstanceId, JointId, SkinId};

/// What to install where OpenGL is missing.
const PACKAGES: &str = "install libegl1 and libgl1-mesa-dri (Debian, Ubuntu), mesa-libEGL and mesa-dri-drivers (Fedora, \
                        RHEL), Mesa-libEGL1 and Mesa-dri (openSUSE), libglvnd and mesa (Arch), or mesa-egl and \
                        mesa-dri-gallium (Alpine)";

/// Which part of OpenGL this machine lacks.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Missing {
    /// The library that opens contexts is not installed.
    #[error("libEGL is not installed")]
    Library,
    /// The library is there, and no driver that it could use.
    #[error("libEGL finds no driver that supports rendering without a window ({reason})")]
    Driver {
        /// What the attempt ended with.
        reason: String,
    },
    /// A driver is there, and offers no OpenGL 3.3 core context.
    #[error("the driver does not support OpenGL 3.3 ({reason})")]
    Version {
        /// What the attempt ended with, or which version it offers.
        reason: String,
    },
}

/// Why the OpenGL path gave up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum GlError {
    /// No OpenGL 3.3 core context can be had here. Tests may skip on this error and on no other.
    #[error("no OpenGL: {0}; {PACKAGES}")]
    Unavailable(Missing),
    /// OpenGL is there, and not of the wanted kind.
    #[error("OpenGL in {wanted} was requested, but this machine's is {renderer:?}")]
    WrongKind {
        /// `software` or `hardware`.
        wanted: &'static str,
        /// `GL_RENDERER`.
        renderer: String,
    },
    /// This thread has an OpenGL context already; it would wait for itself.
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
        /// Which.
        shader: &'static str,
        /// What the driver says.
        log: String,
    },
    /// Framebuffers are not complete, with the driver's status.
    #[error("the driver cannot draw to the image's format (status {status:#06x})")]
    Framebuffer {
        /// `glCheckFramebufferStatus`.
        status: u32,
    },
    /// Fewer vertices came back than were sent.
    #[error("transform feedback wrote {written} of {sent} points")]
    Feedback {
        /// How many came back.
        written: u64,
        /// How many were sent.
        sent: u64,
    },
    /// The asset does not fit into what the driver can address.
    #[error("{what} need {needed} elements; the driver's limit is {limit}")]
    TooLarge {
        /// Such as `the influences`.
        what: &'static str,
        /// How many.
        needed: usize,
        /// How many are possible.
        limit: usize,
    },
    /// The pose is of another skeleton: it lacks the node of an instance.
    #[error("the pose lacks the node of mesh instance {instance}")]
    UnknownNode {
        /// Which instance.
        instance: InstanceId,
    },
    /// The pose is of another skeleton: it lacks a joint of a skin.
    #[error("skin {skin} binds joint {joint}, but the pose has {joints} joints")]
    UnknownJoint {
        /// Which skin.
        skin: SkinId,
        /// The missing joint.
        joint: JointId,
        /// How many joints the pose has.
        joints: usize,
    },
    /// A vertex names a palette slot that its skin has not.
    #[error("mesh instance {instance} uses palette slot {slot}, but its skin has {slots}")]
    UnknownSlot {
        /// Which instance.
        instance: InstanceId,
        /// The missing slot.
        slot: u32,
        /// How many slots there are.
        slots: usize,
    },
    /// More translucent surfaces lie behind each other than are mixed.
    #[error("more than {limit} translucent surfaces overlap")]
    TooManyLayers {
        /// How many are mixed at most.
        limit: u32,
    },
}

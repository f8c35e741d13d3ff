//! The basis of rules and analyses: descriptions of rules, findings, settings, and the context with its cache.

pub(super) mod context;
pub(super) mod contract;
pub(super) mod conversion;
pub(super) mod evidence;
pub(super) mod findings;
pub(super) mod meta;
pub(super) mod numbers;
pub(super) mod reading;
pub(super) mod settings;

pub(super) mod names;

pub(super) mod location;

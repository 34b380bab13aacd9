//! DynamoRIO's synthetic instructions ("drmemtrace", "regdeps encodings"): categories and virtual
//! registers. They replace the instructions of the traced program, which was x86 in all published
//! traces.

pub(crate) mod architecture;

//! DynamoRIO's synthetic instructions ("drmemtrace", "regdeps encodings"): categories and virtual registers.
//! They stand for those of whatever was recorded, which was x86 in all traces that are published.

pub(crate) mod architecture;
mod encoding;
mod registers;

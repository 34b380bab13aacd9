//! DynamoRIO's synthetic instructions ("drmemtrace", "regdeps encodings"): registers by number and a category, nothing that decodes.
//! They stand for those of whatever was recorded, which was x86 in all traces that are published.

pub(crate) mod architecture;

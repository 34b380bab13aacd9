//! Compressed input, and the copies of it in files.

pub use crate::kept::{CacheFileOptions, CacheFilePlace};
pub use crate::packed::{
    Damage, DamageKind, ForwardReader, PackedKind, PackedText, TextUnpacker, head_of,
};
pub use crate::step_store::DamagedCopy;

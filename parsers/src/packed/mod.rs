//! Random access to compressed text, as if it were plain.
//!
//! gzip, zstd and xz can only be unpacked from the front. The first opening therefore unpacks the
//! whole file once, on a separate thread, and packs it again in small blocks into a *copy*, a file
//! next to the index. From then on every byte is one block away. [`PackedText`] is a
//! [`ReadAt`](crate::read_at::ReadAt) over the text, which grows while the copy is made. The whole
//! text is never held at once, neither in memory nor on disk.
//!
//! A copy belongs to one state of one packed file. Its header records that state, and each block
//! has a checksum. It is disposable: if anything is wrong with it, it is made again.
//!
//! Damage in the packed file ends the text and is no error. A full disk and an unreadable file are
//! errors, so that no index of half a trace is kept as complete.
//!
//! ```
//! use std::sync::Arc;
//!
//! use stepback_parsers::ReadAt as _;
//! use stepback_parsers::files::{CacheFileOptions, PackedKind, PackedText};
//!
//! let packed = zstd::encode_all(&b"1 clk IT (1) 00008000 e1a00000 A svc : NOP\n"[..], 3)?;
//! let kind = PackedKind::of(&packed)?.expect("it begins like a zstd file");
//! let text = PackedText::open(Arc::new(packed), kind, CacheFileOptions::default())?;
//! let mut word = [0; 3];
//! assert_eq!(text.read_at(40, &mut word)?, 3);
//! assert_eq!(&word, b"OP\n");
//! # Ok::<(), std::io::Error>(())
//! ```

mod codec;
mod fill;
pub(crate) mod kind;
mod layout;
mod shared;
#[cfg(test)]
mod tests;
mod text;
pub(crate) mod unpacker;

pub use crate::packed::kind::{Damage, DamageKind};
pub use crate::packed::unpacker::{ForwardReader, head_of};
pub use kind::PackedKind;
pub use text::PackedText;
pub use unpacker::TextUnpacker;

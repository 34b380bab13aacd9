//! Compresses and decompresses single blocks.

use std::io;
use std::sync::{Mutex, OnceLock, PoisonError};

use zstd::dict::{DecoderDictionary, EncoderDictionary};
use zstd::zstd_safe::{CCtx, CParameter, DCtx, compress_bound, get_error_name};

/// Bytes of text in a block. A query for one step decompresses one block. Measured: 8 KiB take 10
/// microseconds and compress to 19 % of the text, 16 KiB take 18 microseconds and 17 %.
pub(super) const BLOCK: usize = 8 << 10;
/// Compression level. In blocks this short, higher levels are slower and no smaller; negative ones
/// are no faster to decompress.
const LEVEL: i32 = 1;
/// Size of the dictionary, which holds content common to many blocks. Half the size costs 1 % of
/// the text, twice the size gains nothing.
const DICTIONARY_BYTES: usize = 64 << 10;
/// Length in bytes of the samples that the dictionary is trained from.
const SAMPLE: usize = 4 << 10;

/// Compression state of a copy. The first blocks come before the dictionary and do not use it.
#[derive(Default)]
pub(super) struct Codec {
    dictionary: OnceLock<Dictionary>,
    /// Contexts that are not in use.
    idle: Mutex<Vec<DCtx<'static>>>,
}

struct Dictionary {
    encoder: EncoderDictionary<'static>,
    decoder: DecoderDictionary<'static>,
}

/// Compresses blocks, each with a checksum.
pub(super) struct BlockPacker<'a>(CCtx<'a>);

/// Trains a dictionary from the beginning of a text. Returns none if the samples have too little in
/// common.
pub(super) fn train(head: &[u8]) -> Option<Vec<u8>> {
    let sizes = vec![SAMPLE; head.len() / SAMPLE];
    let whole = head.get(..sizes.len() * SAMPLE)?;
    zstd::dict::from_continuous(whole, &sizes, DICTIONARY_BYTES).ok()
}

impl Codec {
    /// Sets the dictionary for all blocks from now on. Must be called at most once.
    pub fn set_dictionary(&self, bytes: &[u8]) {
        let dictionary = Dictionary {
            encoder: EncoderDictionary::copy(bytes, LEVEL),
            decoder: DecoderDictionary::copy(bytes),
        };
        let is_first = self.dictionary.set(dictionary).is_ok();
        debug_assert!(is_first, "blocks could not be read with another dictionary");
    }

    /// Creates a packer, with the dictionary if it is set.
    pub fn packer(&self) -> io::Result<BlockPacker<'_>> {
        let mut context = CCtx::try_create().ok_or(io::ErrorKind::OutOfMemory)?;
        context
            .set_parameter(CParameter::CompressionLevel(LEVEL))
            .map_err(told)?;
        context
            .set_parameter(CParameter::ChecksumFlag(true))
            .map_err(told)?;
        if let Some(dictionary) = self.dictionary.get() {
            context
                .ref_cdict(dictionary.encoder.as_cdict())
                .map_err(told)?;
        }
        Ok(BlockPacker(context))
    }

    /// Decompresses a block that fills `out` exactly.
    ///
    /// # Errors
    /// The block is damaged.
    pub fn unpack(&self, packed: &[u8], out: &mut [u8]) -> io::Result<()> {
        let idle = self
            .idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let mut context = idle
            .or_else(DCtx::try_create)
            .ok_or(io::ErrorKind::OutOfMemory)?;
        let count = match self.dictionary.get() {
            Some(dictionary) => {
                context.decompress_using_ddict(out, packed, dictionary.decoder.as_ddict())
            }
            None => context.decompress(out, packed),
        };
        self.idle
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(context);
        match count.map_err(told)? == out.len() {
            true => Ok(()),
            false => Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "a block is too short",
            )),
        }
    }
}

impl BlockPacker<'_> {
    /// Appends a compressed block to `out` and returns its length.
    pub fn pack(&mut self, text: &[u8], out: &mut Vec<u8>) -> io::Result<u16> {
        let mut packed = io::Cursor::new(out);
        let end = packed.get_ref().len();
        packed.get_mut().reserve(compress_bound(text.len()));
        packed.set_position(end as u64);
        let count = self.0.compress2(&mut packed, text).map_err(told)?;
        u16::try_from(count)
            .map_err(|_| io::Error::other("a packed block is longer than any can be"))
    }
}

fn told(code: usize) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, get_error_name(code))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(length: usize) -> Vec<u8> {
        let line = |number: usize| {
            format!(
                "{number} clk IT ({number}) {:08x} d503201f O EL1h_n : NOP\n",
                number * 4
            )
        };
        (0..)
            .flat_map(|number| line(number).into_bytes())
            .take(length)
            .collect()
    }

    #[test]
    fn blocks_from_before_the_dictionary_are_read_with_it() {
        let text = text(1 << 20);
        let codec = Codec::default();
        let (mut packed, mut out) = (Vec::new(), vec![0; BLOCK]);
        let plain = usize::from(
            codec
                .packer()
                .unwrap()
                .pack(&text[..BLOCK], &mut packed)
                .unwrap(),
        );
        codec.set_dictionary(&train(&text).unwrap());
        let rest = usize::from(
            codec
                .packer()
                .unwrap()
                .pack(&text[..BLOCK], &mut packed)
                .unwrap(),
        );
        assert_eq!(plain + rest, packed.len());
        for part in [&packed[..plain], &packed[plain..]] {
            codec.unpack(part, &mut out).unwrap();
            assert_eq!(out, text[..BLOCK]);
        }
    }

    #[test]
    fn a_flipped_bit_is_noticed() {
        let text = text(BLOCK);
        let codec = Codec::default();
        let mut packed = Vec::new();
        codec.packer().unwrap().pack(&text, &mut packed).unwrap();
        for place in 0..packed.len() {
            packed[place] ^= 4;
            let mut out = vec![0; BLOCK];
            assert!(
                codec.unpack(&packed, &mut out).is_err() || out == text,
                "{place}"
            );
            packed[place] ^= 4;
        }
    }

    #[test]
    fn what_cannot_be_packed_fits_too() {
        let mut state = 1u64;
        let mut noise = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (state >> 56) as u8
        };
        let text: Vec<u8> = (0..BLOCK).map(|_| noise()).collect();
        let codec = Codec::default();
        let (mut packed, mut out) = (Vec::new(), vec![0; BLOCK]);
        codec.packer().unwrap().pack(&text, &mut packed).unwrap();
        codec.unpack(&packed, &mut out).unwrap();
        assert_eq!(out, text);
    }
}

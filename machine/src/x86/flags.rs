//! x86 flags (Intel SDM, volume 1, 3.4.3 "EFLAGS Register").

use iced_x86::RflagsBits;

use crate::status::{PartialBits, StatusFlag, StatusRegister};

/// Bit positions of the arithmetic flags, with the decoder's constants for them.
const PLACES: [(u32, u32); 7] = [
    (RflagsBits::CF, 0),
    (RflagsBits::PF, 2),
    (RflagsBits::AF, 4),
    (RflagsBits::ZF, 6),
    (RflagsBits::SF, 7),
    (RflagsBits::DF, 10),
    (RflagsBits::OF, 11),
];

/// All of these flags.
pub const FLAG_BITS: u64 = 0xcd5;

/// Returns the status register bits for the decoder's set of flags.
pub fn bits_of(flags: u32) -> u64 {
    let known = PLACES.iter().filter(|(flag, _)| flags & flag != 0);
    known.fold(0, |bits, (_, place)| bits | 1 << place)
}

/// Decodes the condition flags.
pub fn status(bytes: &[Option<u8>]) -> StatusRegister {
    const FLAGS: [(char, u32); 6] = [('o', 11), ('s', 7), ('z', 6), ('a', 4), ('p', 2), ('c', 0)];
    let bits = PartialBits(bytes);
    let flags = FLAGS.map(|(letter, place)| StatusFlag {
        letter,
        word: "",
        is_set: bits.flag(place),
    });
    StatusRegister {
        flags: flags.to_vec(),
        ..StatusRegister::default()
    }
}

//! The flags (Intel SDM, volume 1, 3.4.3 "EFLAGS Register").

use crate::status::{Bits, Flag, Status};

/// The condition flags.
pub fn status(bytes: &[Option<u8>]) -> Status {
    const FLAGS: [(char, u32); 6] = [('o', 11), ('s', 7), ('z', 6), ('a', 4), ('p', 2), ('c', 0)];
    let bits = Bits(bytes);
    let flags = FLAGS.map(|(letter, place)| Flag { letter, word: "", is_set: bits.flag(place) });
    Status { flags: flags.to_vec(), ..Status::default() }
}

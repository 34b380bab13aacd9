//! Encoding of numbers, addresses, values and modes in a block. [`AddressPredictor`] and
//! [`ValuePredictor`] keep recent addresses and values, so that most are stored as a short
//! difference from one of them. Reading past the end returns zeros, which is checked once per
//! block.

use stepback_machine::Mode;
use stepback_machine::banks::{SecurityState, ThreadStack};

/// Buffer of a block that is being written.
#[derive(Clone, Debug, Default)]
pub struct NumberWriter {
    /// Bytes written until now.
    pub bytes: Vec<u8>,
}

impl NumberWriter {
    #[inline(always)]
    pub fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    /// Writes a LEB128 number: seven bits a byte, the lowest first.
    #[inline]
    pub fn number(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.bytes.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.bytes.push(number as u8);
    }

    /// Writes a difference in zigzag form: small ones take few bytes, regardless of sign.
    #[inline]
    pub fn difference(&mut self, to: u64, from: u64) {
        self.number(zigzag(to.wrapping_sub(from)));
    }

    pub fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.bytes.extend_from_slice(text.as_bytes());
    }
}

/// Number of zeros that must follow the bytes of a [`NumberReader`].
pub const PADDING: usize = 16;

/// Reads the bytes of a block. Past the end it returns zeros, and [`NumberReader::is_sound`] is then
/// false.
#[derive(Clone, Copy, Debug)]
pub struct NumberReader<'a> {
    /// Bytes of the block and [`PADDING`] zeros.
    padded: &'a [u8],
    place: usize,
}

impl<'a> NumberReader<'a> {
    pub fn new(padded: &'a [u8]) -> Self {
        Self { padded, place: 0 }
    }

    fn end(&self) -> usize {
        self.padded.len().saturating_sub(PADDING)
    }

    #[inline(always)]
    pub fn is_at_end(&self) -> bool {
        self.place >= self.end()
    }

    /// Returns whether nothing was read past the end.
    pub fn is_sound(&self) -> bool {
        self.place <= self.end()
    }

    #[inline(always)]
    pub fn byte(&mut self) -> u8 {
        let byte = self.padded.get(self.place).copied().unwrap_or(0);
        self.place += 1;
        byte
    }

    #[inline(always)]
    fn word(&self) -> u64 {
        let word = self
            .padded
            .get(self.place..)
            .and_then(|rest| rest.first_chunk());
        word.map_or(0, |word| u64::from_le_bytes(*word))
    }

    #[inline(always)]
    pub fn number(&mut self) -> u64 {
        let first = self.byte();
        if first < 0x80 {
            u64::from(first)
        } else {
            self.long_number(first)
        }
    }

    fn long_number(&mut self, first: u8) -> u64 {
        let mut number = u64::from(first & 0x7f);
        for shift in (7..64).step_by(7) {
            let byte = self.byte();
            number |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        number
    }

    #[inline(always)]
    pub fn difference(&mut self, from: u64) -> u64 {
        from.wrapping_add(unzigzag(self.number()))
    }

    /// Returns the bytes that were not read yet.
    pub fn rest(&self) -> &'a [u8] {
        self.padded.get(self.place..self.end()).unwrap_or_default()
    }

    pub fn text(&mut self) -> String {
        let length = usize::try_from(self.number()).unwrap_or(usize::MAX);
        let end = self.place.saturating_add(length);
        let text = self
            .padded
            .get(self.place..end.min(self.end()))
            .unwrap_or_default();
        self.place = end;
        String::from_utf8_lossy(text).into_owned()
    }
}

#[inline(always)]
fn zigzag(difference: u64) -> u64 {
    difference << 1 ^ ((difference as i64 >> 63) as u64)
}

#[inline(always)]
fn unzigzag(number: u64) -> u64 {
    number >> 1 ^ (number & 1).wrapping_neg()
}

/// Recent addresses, which predict the next one: it is usually close to one of them.
///
/// An address is stored as the difference from the closest of them. Its first byte holds the index
/// of that address (2 bits), the number of further bytes (3 bits), and the lowest 3 bits of the
/// difference.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AddressPredictor {
    recent: [u64; 4],
    oldest: u8,
}

/// Number of bytes after the first one, indexed by the 3-bit field in it.
const WIDTHS: [u8; 8] = [0, 1, 2, 3, 4, 5, 6, 8];
/// Zigzag difference from which an address replaces the oldest one instead of the closest.
const FAR: u64 = 1 << 17;

impl AddressPredictor {
    #[inline(always)]
    pub fn write(&mut self, address: u64, out: &mut NumberWriter) {
        let [a, b, c, d] = self
            .recent
            .map(|recent| zigzag(address.wrapping_sub(recent)));
        let (first, slot) = if b < a { (b, 1) } else { (a, 0) };
        let (second, other) = if d < c { (d, 3) } else { (c, 2) };
        let (number, slot) = if second < first {
            (second, other)
        } else {
            (first, slot)
        };
        let rest = number >> 3;
        let needed = (71 - (rest | 1).leading_zeros()) / 8 * u32::from(rest != 0);
        let width = needed.min(7);
        out.byte(slot | (width as u8) << 2 | ((number & 7) as u8) << 5);
        let bytes = usize::from(WIDTHS[width as usize]);
        out.bytes.extend_from_slice(&rest.to_le_bytes()[..bytes]);
        self.note(slot, number, address);
    }

    #[inline(always)]
    pub fn read(&mut self, reader: &mut NumberReader<'_>) -> u64 {
        let head = reader.byte();
        let slot = head & 3;
        let bytes = WIDTHS[usize::from(head >> 2 & 7)];
        let mask = u64::MAX.checked_shr(64 - 8 * u32::from(bytes)).unwrap_or(0);
        let rest = reader.word() & mask;
        reader.place += usize::from(bytes);
        let number = rest << 3 | u64::from(head >> 5);
        let address = self.recent[usize::from(slot)].wrapping_add(unzigzag(number));
        self.note(slot, number, address);
        address
    }

    #[inline(always)]
    fn note(&mut self, slot: u8, number: u64, address: u64) {
        let slot = if number < FAR {
            slot
        } else {
            let oldest = self.oldest;
            self.oldest = (oldest + 1) & 3;
            oldest
        };
        self.recent[usize::from(slot & 3)] = address;
    }

    pub fn save(&self, out: &mut NumberWriter) {
        out.byte(self.oldest);
        self.recent
            .iter()
            .for_each(|recent| out.bytes.extend_from_slice(&recent.to_le_bytes()));
    }

    pub fn load(reader: &mut NumberReader<'_>) -> Self {
        let oldest = reader.byte() & 3;
        let recent = [(); 4].map(|()| {
            let word = reader.word();
            reader.place += 8;
            word
        });
        Self { recent, oldest }
    }
}

/// Recent values, which predict the next one: a register usually gets a value close to its last
/// one, or the value just loaded.
///
/// A value is stored as the difference from one of the two. Its first byte holds the choice (1
/// bit), the number of further bytes (3 bits), and the lowest 4 bits of the difference.
#[derive(Clone, Copy, Debug)]
pub struct ValuePredictor {
    /// Last values, indexed by register number modulo 64. Registers that share an index predict
    /// each other badly.
    last: [u64; 64],
    loaded: u64,
}

impl Default for ValuePredictor {
    fn default() -> Self {
        Self {
            last: [0; 64],
            loaded: 0,
        }
    }
}

impl ValuePredictor {
    /// Writes the value of a register.
    #[inline(always)]
    pub fn write_register(&mut self, register: u16, value: u64, out: &mut NumberWriter) {
        let Self { last, loaded } = self;
        let last = &mut last[usize::from(register % 64)];
        write_value(value, [*last, *loaded], out);
        *last = value;
    }

    /// Reads the value of a register.
    #[inline(always)]
    pub fn read_register(&mut self, register: u16, reader: &mut NumberReader<'_>) -> u64 {
        let last = &mut self.last[usize::from(register % 64)];
        *last = read_value([*last, self.loaded], reader);
        *last
    }

    /// Writes the value of a memory access.
    #[inline(always)]
    pub fn write_memory(&mut self, value: u64, out: &mut NumberWriter) {
        write_value(value, [self.loaded, 0], out);
        self.loaded = value;
    }

    /// Reads the value of a memory access.
    #[inline(always)]
    pub fn read_memory(&mut self, reader: &mut NumberReader<'_>) -> u64 {
        self.loaded = read_value([self.loaded, 0], reader);
        self.loaded
    }
}

#[inline(always)]
fn write_value(value: u64, close: [u64; 2], out: &mut NumberWriter) {
    let [a, b] = close.map(|close| zigzag(value.wrapping_sub(close)));
    let (number, which) = if b < a { (b, 1) } else { (a, 0) };
    let rest = number >> 4;
    let needed = (71 - (rest | 1).leading_zeros()) / 8 * u32::from(rest != 0);
    let width = needed.min(7);
    out.byte(which | (width as u8) << 1 | ((number & 15) as u8) << 4);
    let bytes = usize::from(WIDTHS[width as usize]);
    out.bytes.extend_from_slice(&rest.to_le_bytes()[..bytes]);
}

#[inline(always)]
fn read_value(close: [u64; 2], reader: &mut NumberReader<'_>) -> u64 {
    let head = reader.byte();
    let bytes = WIDTHS[usize::from(head >> 1 & 7)];
    let mask = u64::MAX.checked_shr(64 - 8 * u32::from(bytes)).unwrap_or(0);
    let rest = reader.word() & mask;
    reader.place += usize::from(bytes);
    close[usize::from(head & 1)].wrapping_add(unzigzag(rest << 4 | u64::from(head >> 4)))
}

/// Returns the number of a mode: its kind in the lowest byte, its fields above.
pub fn number_of_mode(mode: Mode) -> u64 {
    let [kind, a, b, c] = match mode {
        Mode::Other => [0; 4],
        Mode::Level {
            level,
            has_own_stack,
        } => [1, level, u8::from(has_own_stack), 0],
        Mode::Banked([a, b, c]) => [2, a, b, c],
        Mode::Handler(security) => [3, number_of_security(security), 0, 0],
        Mode::Window {
            current,
            count,
            globals,
        } => [4, current, count, globals],
        Mode::Thread(security, stack) => {
            let stack = match stack {
                ThreadStack::Unsaid => 0,
                ThreadStack::Main => 1,
                ThreadStack::Process => 2,
            };
            [5, stack, number_of_security(security), 0]
        }
        Mode::Untold => [6, 0, 0, 0],
    };
    u64::from(u32::from_le_bytes([kind, a, b, c]))
}

/// Returns the mode of a stored number.
pub fn mode_of_number(number: u64) -> Option<Mode> {
    let [kind, a, b, c] = u32::try_from(number).ok()?.to_le_bytes();
    Some(match kind {
        0 => Mode::Other,
        1 => Mode::Level {
            level: a,
            has_own_stack: b != 0,
        },
        2 => Mode::Banked([a, b, c]),
        3 => Mode::Handler(*SECURITY.get(usize::from(a))?),
        4 => Mode::of_window_status(u32::from_le_bytes([a, b, c, 0]))?,
        5 => {
            let stack = match a {
                0 => ThreadStack::Unsaid,
                1 => ThreadStack::Main,
                2 => ThreadStack::Process,
                _ => return None,
            };
            Mode::Thread(*SECURITY.get(usize::from(b))?, stack)
        }
        6 => Mode::Untold,
        _ => return None,
    })
}

/// Security states, indexed by their stored numbers.
const SECURITY: [SecurityState; 4] = [
    SecurityState::Undivided,
    SecurityState::Secure,
    SecurityState::NonSecure,
    SecurityState::Unsaid,
];

fn number_of_security(security: SecurityState) -> u8 {
    SECURITY
        .iter()
        .zip(0..)
        .find(|(known, _)| **known == security)
        .map_or(0, |(_, number)| number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let numbers = [
            0,
            1,
            7,
            8,
            127,
            128,
            300,
            1 << 14,
            1 << 35,
            u64::MAX - 1,
            u64::MAX,
            1 << 63,
        ];
        let mut writer = NumberWriter::default();
        let mut addresses = AddressPredictor::default();
        for number in numbers {
            writer.number(number);
            writer.difference(number, 77);
            addresses.write(number, &mut writer);
            addresses.write(number.rotate_left(9), &mut writer);
        }
        writer.text("é");
        addresses.save(&mut writer);
        writer.bytes.extend_from_slice(&[0; PADDING]);
        let mut reader = NumberReader::new(&writer.bytes);
        let mut read = AddressPredictor::default();
        for number in numbers {
            assert_eq!((reader.number(), reader.difference(77)), (number, number));
            assert_eq!(
                (read.read(&mut reader), read.read(&mut reader)),
                (number, number.rotate_left(9))
            );
        }
        assert_eq!(reader.text(), "é");
        assert_eq!(AddressPredictor::load(&mut reader), addresses);
        assert!(reader.is_at_end() && reader.is_sound());
        reader.number();
        assert!(!reader.is_sound());
    }

    #[test]
    fn values_are_read_as_they_were_written() {
        let numbers = [
            0,
            1,
            7,
            8,
            127,
            128,
            300,
            1 << 14,
            1 << 35,
            u64::MAX - 1,
            u64::MAX,
            1 << 63,
        ];
        let mut writer = NumberWriter::default();
        let mut values = ValuePredictor::default();
        for (register, number) in numbers.into_iter().enumerate() {
            values.write_memory(number.rotate_left(7), &mut writer);
            values.write_register(register as u16 % 3, number, &mut writer);
            values.write_register(register as u16 % 3, number.wrapping_add(3), &mut writer);
        }
        writer.bytes.extend_from_slice(&[0; PADDING]);
        let mut reader = NumberReader::new(&writer.bytes);
        let mut values = ValuePredictor::default();
        for (register, number) in numbers.into_iter().enumerate() {
            assert_eq!(values.read_memory(&mut reader), number.rotate_left(7));
            assert_eq!(
                values.read_register(register as u16 % 3, &mut reader),
                number
            );
            assert_eq!(
                values.read_register(register as u16 % 3, &mut reader),
                number.wrapping_add(3)
            );
        }
        assert!(reader.is_at_end() && reader.is_sound());
    }

    #[test]
    fn close_addresses_take_one_or_two_bytes() {
        let mut writer = NumberWriter::default();
        let mut addresses = AddressPredictor::default();
        for round in 0..100 {
            for base in [0x7fff_0000_0000, 0x40_0000, 0x5555_0000_0000] {
                addresses.write(base + round * 8, &mut writer);
            }
        }
        assert!(
            writer.bytes.len() < 3 * 10 + 300 * 2,
            "{}",
            writer.bytes.len()
        );
    }
}

#[cfg(test)]
mod modes_tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_their_modes() {
        let level = Mode::Level {
            level: 2,
            has_own_stack: true,
        };
        let window = Mode::Window {
            current: 31,
            count: 32,
            globals: 7,
        };
        let stacks = [ThreadStack::Unsaid, ThreadStack::Main, ThreadStack::Process];
        let threads = SECURITY
            .into_iter()
            .flat_map(|state| stacks.map(|stack| Mode::Thread(state, stack)));
        let handlers = SECURITY.map(Mode::Handler);
        let modes = [
            Mode::Other,
            level,
            Mode::Banked(*b"irq"),
            window,
            Mode::Untold,
        ];
        for mode in modes.into_iter().chain(threads).chain(handlers) {
            assert_eq!(mode_of_number(number_of_mode(mode)), Some(mode));
        }
        assert_eq!([99, 1 << 32, 0x0808_0804].map(mode_of_number), [None; 3]);
    }
}

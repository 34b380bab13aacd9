//! Reads the packets of a client from its bytes: `$BODY#SUM`, acknowledgements and interrupts.
//!
//! The reader keeps at most [`PACKET_BYTES`] bytes, whatever the client sends.

/// Maximum length of the body of a packet in bytes.
pub const PACKET_BYTES: usize = 16 << 10;

/// Something that the client sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClientInput {
    /// The body of a packet with the right checksum. Binary data is still escaped.
    Packet(Vec<u8>),
    /// A packet with a wrong checksum, which the client sends again on request.
    Damaged,
    /// A packet with more than [`PACKET_BYTES`] bytes.
    TooLong,
    /// A request to stop the running program: a byte of value 3 between packets.
    Interrupt,
}

/// Reader of packets.
#[derive(Debug, Default)]
pub struct PacketReader {
    state: ReaderState,
    body: Vec<u8>,
    is_too_long: bool,
    sum: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ReaderState {
    #[default]
    Between,
    Body,
    /// After `#`.
    Checksum,
    /// After the first digit of the checksum.
    LastDigit(u8),
}

impl PacketReader {
    /// Takes the next byte. Returns what it completes.
    pub fn push(&mut self, byte: u8) -> Option<ClientInput> {
        match (self.state, byte) {
            (ReaderState::Between, 3) => Some(ClientInput::Interrupt),
            // `$` never occurs unescaped in a body: the rest of a packet was lost.
            (ReaderState::Between | ReaderState::Body, b'$') => {
                self.begin();
                None
            }
            (ReaderState::Between, _) => None,
            (ReaderState::Body, b'#') => {
                self.state = ReaderState::Checksum;
                None
            }
            (ReaderState::Body, byte) => {
                self.sum = self.sum.wrapping_add(byte);
                match self.body.len() < PACKET_BYTES {
                    true => self.body.push(byte),
                    false => self.is_too_long = true,
                }
                None
            }
            (ReaderState::Checksum, digit) => {
                self.state = ReaderState::LastDigit(digit);
                None
            }
            (ReaderState::LastDigit(first), second) => {
                self.state = ReaderState::Between;
                Some(self.finished(checksum(first, second)))
            }
        }
    }

    fn begin(&mut self) {
        self.state = ReaderState::Body;
        self.body.clear();
        self.is_too_long = false;
        self.sum = 0;
    }

    fn finished(&mut self, stated: Option<u8>) -> ClientInput {
        if stated != Some(self.sum) {
            ClientInput::Damaged
        } else if self.is_too_long {
            ClientInput::TooLong
        } else {
            ClientInput::Packet(std::mem::take(&mut self.body))
        }
    }
}

/// Returns a packet with this body.
pub fn framed(body: &[u8]) -> Vec<u8> {
    let sum = body.iter().fold(0u8, |sum, byte| sum.wrapping_add(*byte));
    let mut packet = Vec::with_capacity(body.len() + 4);
    packet.push(b'$');
    packet.extend_from_slice(body);
    packet.extend_from_slice(format!("#{sum:02x}").as_bytes());
    packet
}

fn checksum(first: u8, second: u8) -> Option<u8> {
    let digit = |byte: u8| {
        let digit = char::from(byte).to_digit(16)?;
        u8::try_from(digit).ok()
    };
    Some(digit(first)? << 4 | digit(second)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(bytes: &[u8], expected: &[ClientInput]) {
        let mut reader = PacketReader::default();
        let inputs: Vec<_> = bytes.iter().filter_map(|byte| reader.push(*byte)).collect();
        assert_eq!(inputs, expected, "{:?}", String::from_utf8_lossy(bytes));
    }

    fn packet(body: &str) -> ClientInput {
        ClientInput::Packet(body.as_bytes().to_vec())
    }

    #[test]
    fn packets_have_a_checksum() {
        check(b"+$g#67+$m0,4#FD", &[packet("g"), packet("m0,4")]);
        check(
            b"$g#66$g#6x$#00",
            &[ClientInput::Damaged, ClientInput::Damaged, packet("")],
        );
    }

    #[test]
    fn a_new_packet_ends_an_incomplete_one() {
        check(b"$m0,$g#67", &[packet("g")]);
        check(
            b"\x03$g#67\x03",
            &[ClientInput::Interrupt, packet("g"), ClientInput::Interrupt],
        );
    }

    #[test]
    fn a_packet_without_end_takes_no_more_memory() {
        let mut reader = PacketReader::default();
        assert_eq!(reader.push(b'$'), None);
        for _ in 0..10 * PACKET_BYTES {
            assert_eq!(reader.push(0), None);
        }
        assert!(reader.body.capacity() <= 2 * PACKET_BYTES);
        let inputs: Vec<_> = b"#00"
            .iter()
            .filter_map(|byte| reader.push(*byte))
            .collect();
        assert_eq!(inputs, [ClientInput::TooLong]);
    }

    #[test]
    fn a_framed_body_is_read_back() {
        let mut reader = PacketReader::default();
        let inputs: Vec<_> = framed(b"qSupported:a+;b-")
            .into_iter()
            .filter_map(|byte| reader.push(byte))
            .collect();
        assert_eq!(inputs, [packet("qSupported:a+;b-")]);
    }
}

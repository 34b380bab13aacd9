//! Messages of the base protocol: header lines, an empty line, and a body of `Content-Length` bytes.

use std::io::{self, BufRead, Read as _};

/// Maximum length of a body. Requests are much shorter.
pub const BODY_LIMIT_BYTES: u64 = 4 << 20;
/// Maximum length of a header line.
const LINE_LIMIT_BYTES: u64 = 1 << 12;
/// Maximum length of a body that is skipped. A longer one is taken for a damaged header.
const SKIP_LIMIT_BYTES: u64 = 1 << 30;

/// Something that a client sent.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame {
    /// Body of a message.
    Body(Vec<u8>),
    /// A body of this length was skipped.
    TooLong(u64),
    /// The header has no usable length, and was skipped.
    Damaged,
}

/// Reads messages from a stream. Memory is bounded by [`BODY_LIMIT_BYTES`].
pub struct FrameReader<R> {
    input: R,
}

/// Content of a header.
#[derive(Default)]
struct Header {
    len_bytes: Option<u64>,
    is_empty: bool,
    is_damaged: bool,
}

impl<R: BufRead> FrameReader<R> {
    pub fn new(input: R) -> Self {
        Self { input }
    }

    /// Reads the next message; none at the end of the stream, even within a message.
    ///
    /// # Errors
    /// The stream could not be read.
    pub fn next_frame(&mut self) -> io::Result<Option<Frame>> {
        loop {
            let Some(header) = self.header()? else {
                return Ok(None);
            };
            return match header.len_bytes {
                _ if header.is_empty => continue,
                Some(len_bytes) if !header.is_damaged && len_bytes <= BODY_LIMIT_BYTES => {
                    self.body(len_bytes)
                }
                Some(len_bytes) if !header.is_damaged && len_bytes <= SKIP_LIMIT_BYTES => {
                    io::copy(&mut (&mut self.input).take(len_bytes), &mut io::sink())?;
                    Ok(Some(Frame::TooLong(len_bytes)))
                }
                _ => Ok(Some(Frame::Damaged)),
            };
        }
    }

    fn body(&mut self, len_bytes: u64) -> io::Result<Option<Frame>> {
        let mut body = Vec::new();
        (&mut self.input).take(len_bytes).read_to_end(&mut body)?;
        let is_whole = body.len() as u64 == len_bytes;
        Ok(is_whole.then_some(Frame::Body(body)))
    }

    /// Reads the lines up to an empty one; none at the end of the stream.
    fn header(&mut self) -> io::Result<Option<Header>> {
        let mut header = Header {
            is_empty: true,
            ..Header::default()
        };
        loop {
            let mut line = Vec::new();
            let count = (&mut self.input)
                .take(LINE_LIMIT_BYTES)
                .read_until(b'\n', &mut line)?;
            if count == 0 {
                return Ok(None);
            }
            if line.last() != Some(&b'\n') {
                // A longer line, or the end of the stream. The rest is read as further lines.
                header.is_damaged = true;
                header.is_empty = false;
                continue;
            }
            let line = String::from_utf8_lossy(&line);
            let line = line.trim();
            if line.is_empty() {
                return Ok(Some(header));
            }
            header.is_empty = false;
            let Some((name, value)) = line.split_once(':') else {
                header.is_damaged = true;
                continue;
            };
            if name.trim().eq_ignore_ascii_case("Content-Length") {
                let len_bytes = value.trim().parse().ok();
                header.is_damaged |= len_bytes.is_none() || header.len_bytes.is_some();
                header.len_bytes = len_bytes;
            }
        }
    }
}

/// Returns a message with its header.
pub fn framed(body: &[u8]) -> Vec<u8> {
    let mut message = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    message.extend_from_slice(body);
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(input: &[u8]) -> Vec<Frame> {
        let mut reader = FrameReader::new(input);
        std::iter::from_fn(|| reader.next_frame().unwrap()).collect()
    }

    #[test]
    fn a_body_follows_its_length() {
        let two = [framed(b"{}"), framed(b"[1]")].concat();
        let expected = [Frame::Body(b"{}".to_vec()), Frame::Body(b"[1]".to_vec())];
        assert_eq!(frames(&two), expected);
        let spelt = b"content-length:2\nContent-Type: x\n\n{}";
        assert_eq!(frames(spelt), [Frame::Body(b"{}".to_vec())]);
    }

    #[test]
    fn a_header_without_a_length_is_skipped() {
        let input = [b"Content-Length: x\r\n\r\n".to_vec(), framed(b"{}")].concat();
        assert_eq!(
            frames(&input),
            [Frame::Damaged, Frame::Body(b"{}".to_vec())]
        );
        let input = b"Content-Length: 99999999999999999999\r\n\r\n";
        assert_eq!(frames(input), [Frame::Damaged]);
        let input = b"Content-Length: 18446744073709551615\r\n\r\n";
        assert_eq!(frames(input), [Frame::Damaged]);
    }

    #[test]
    fn a_long_body_is_skipped() {
        let long = vec![b' '; (BODY_LIMIT_BYTES + 1) as usize];
        let input = [framed(&long), framed(b"{}")].concat();
        assert_eq!(
            frames(&input),
            [
                Frame::TooLong(BODY_LIMIT_BYTES + 1),
                Frame::Body(b"{}".to_vec())
            ]
        );
    }

    #[test]
    fn an_unfinished_message_is_none() {
        assert_eq!(frames(b"Content-Length: 5\r\n\r\n{}"), []);
        assert_eq!(frames(b"Content-Length: 5"), []);
    }
}

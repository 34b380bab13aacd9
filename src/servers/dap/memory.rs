//! Reads of memory.

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value as Json, json};
use stepback_index::answer::{ByteState, ThreadId};
use stepback_index::query::MemoryAt;
use stepback_index::{Cancel, QueryError};
use stepback_machine::Address;

use super::arguments::Arguments;
use super::program::TracedProgram;
use crate::servers::viewpoint::memory_of;

/// Maximum number of bytes in an answer.
const MEMORY_LIMIT_BYTES: u64 = 1 << 20;

impl TracedProgram {
    /// Reads memory as the current thread sees it. Bytes after the first unknown one are not sent:
    /// the client asks for them after the number of unknown ones.
    pub fn read_memory(&self, arguments: Arguments<'_>, cancel: &Cancel) -> Result<Json> {
        let address = arguments.address("memoryReference")?;
        let count = arguments
            .count("count")?
            .context("the argument \"count\" is missing")?;
        ensure!(
            count <= MEMORY_LIMIT_BYTES,
            "at most {MEMORY_LIMIT_BYTES} bytes can be read at once"
        );
        let bytes = match count {
            0 => Vec::new(),
            count => self.memory(self.thread, address, count, cancel)?,
        };
        let known: Vec<u8> = bytes.iter().map_while(|byte| byte.value).collect();
        let rest = bytes.iter().skip(known.len());
        let unknown = rest.take_while(|byte| byte.value.is_none()).count() as u64;
        // Bytes beyond the end of the address space are no bytes.
        let beyond = match known.len() as u64 + unknown == bytes.len() as u64 {
            true => count.saturating_sub(bytes.len() as u64),
            false => 0,
        };
        Ok(json!({
            "address": format!("{address:#x}"),
            "data": base64(&known),
            "unreadableBytes": unknown + beyond,
        }))
    }

    /// Reads memory as a thread sees it.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn memory(
        &self,
        thread: ThreadId,
        address: u64,
        len_bytes: u64,
        cancel: &Cancel,
    ) -> Result<Vec<ByteState>, QueryError> {
        let question = MemoryAt {
            position: self.position,
            address: Address(address),
            len_bytes,
        };
        memory_of(self.index(), thread, question, cancel)
    }
}

/// Encodes bytes (RFC 4648, section 4).
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let byte = |place: usize| u32::from(three.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = (bits >> (18 - 6 * place)) & 63;
            let letter = LETTERS.get(letter as usize).copied().unwrap_or(b'=');
            text.push(if place <= three.len() {
                letter.into()
            } else {
                '='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_encoded_in_groups_of_three() {
        // Section 10 of RFC 4648.
        let pairs = [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ];
        for (bytes, text) in pairs {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
    }
}

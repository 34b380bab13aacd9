//! Bytes of values that are not in memory ([`ValueContent`]).

use std::sync::Arc;

use stepback_index::answer::ByteState;

/// Bytes of a value that is not in memory, in memory order. Its parts share them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueContent {
    bytes: Arc<[ByteState]>,
    start: usize,
    /// Size of the value. Bytes that are missing are unknown.
    len: usize,
    /// DWARF number of the register that contains the bytes.
    register: Option<u16>,
}

impl ValueContent {
    /// Notes the register that contains the bytes.
    #[must_use]
    pub fn in_register(self, number: u16) -> Self {
        Self {
            register: Some(number),
            ..self
        }
    }

    /// Returns the DWARF number of the register that contains the value; none if it is in several
    /// places or computed.
    pub fn register(&self) -> Option<u16> {
        self.register
    }

    /// Returns the part at an offset; without a size, all of the rest.
    pub fn part(&self, offset_bytes: u64, size_bytes: Option<u64>) -> Self {
        let offset = usize::try_from(offset_bytes).unwrap_or(usize::MAX);
        let size = size_bytes.map(|size| usize::try_from(size).unwrap_or(usize::MAX));
        Self {
            bytes: self.bytes.clone(),
            start: self.start.saturating_add(offset),
            len: size.unwrap_or_else(|| self.len.saturating_sub(offset)),
            register: self.register,
        }
    }

    /// Returns the first bytes, at most `limit` of them.
    pub fn first_bytes(&self, limit: u64) -> Vec<ByteState> {
        let len = usize::try_from(limit).map_or(self.len, |limit| limit.min(self.len));
        let rest = self.bytes.get(self.start..).unwrap_or_default();
        let mut bytes: Vec<ByteState> = rest.iter().take(len).copied().collect();
        bytes.resize(len, ByteState::default());
        bytes
    }
}

impl From<Vec<ByteState>> for ValueContent {
    fn from(bytes: Vec<ByteState>) -> Self {
        Self {
            start: 0,
            len: bytes.len(),
            bytes: bytes.into(),
            register: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use stepback_index::answer::ByteState;

    use super::ValueContent;

    fn content(bytes: &[u8]) -> ValueContent {
        let known = |byte: &u8| ByteState {
            value: Some(*byte),
            ..ByteState::default()
        };
        ValueContent::from(bytes.iter().map(known).collect::<Vec<_>>())
    }

    #[track_caller]
    fn check(content: &ValueContent, limit: u64, expected: &[Option<u8>]) {
        let bytes = content.first_bytes(limit);
        let values: Vec<Option<u8>> = bytes.iter().map(|byte| byte.value).collect();
        assert_eq!(values, expected);
    }

    #[test]
    fn a_part_has_the_bytes_at_its_offset() {
        let four = content(&[1, 2, 3, 4]);
        check(&four.part(1, Some(2)), 16, &[Some(2), Some(3)]);
        check(&four.part(1, None).part(1, None), 16, &[Some(3), Some(4)]);
        check(&four.part(1, Some(3)), 1, &[Some(2)]);
    }

    #[test]
    fn bytes_behind_the_end_are_unknown() {
        let two = content(&[1, 2]);
        check(&two.part(1, Some(3)), 16, &[Some(2), None, None]);
        check(&two.part(5, Some(1)), 16, &[None]);
        check(&two.part(5, None), 16, &[]);
        check(&two.part(u64::MAX, Some(u64::MAX)), 2, &[None, None]);
    }
}

//! Buffers that parsers reuse from call to call.

use std::any::Any;
use std::fmt;

/// Buffers that a parser keeps from call to call to save allocations. Each format has its own type
/// of buffers.
#[derive(Default)]
pub struct ParseScratch(Option<Box<dyn Any + Send + Sync>>);

impl ParseScratch {
    /// Returns the buffers of a format. They are created on first use, and again after a call for
    /// another format.
    #[inline]
    pub(crate) fn of<T: Default + Any + Send + Sync>(&mut self) -> &mut T {
        if !self.0.as_deref().is_some_and(|held| held.is::<T>()) {
            self.0 = Some(Box::<T>::default());
        }
        let Some(held) = self.0.as_deref_mut().and_then(|held| held.downcast_mut()) else {
            unreachable!("it was just made")
        };
        held
    }
}

impl fmt::Debug for ParseScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ParseScratch").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_stay_until_another_format_comes() {
        let mut scratch = ParseScratch::default();
        scratch.of::<Vec<u8>>().push(7);
        assert_eq!(scratch.of::<Vec<u8>>(), &[7]);
        assert_eq!(scratch.of::<String>(), "");
        assert_eq!(scratch.of::<Vec<u8>>(), &[0; 0]);
    }
}

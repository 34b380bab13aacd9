//! Events of a segment's addresses or memory blocks, grouped when the segment is encoded.

use crate::store::directory::DirectoryWriter;
use crate::store::keys::KeyTable;

/// Events of a key in trace order.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventsOfKey<'a, E> {
    pub events: &'a [E],
    /// Events of the key before it in the same group of the directory; none for the first key of a
    /// group.
    pub before: &'a [E],
}

/// Events of keys in trace order. The buffers are reused from segment to segment.
#[derive(Debug, Default)]
pub(super) struct KeyedEvents<E> {
    pub keys: KeyTable,
    /// Number of the key, and the event.
    events: Vec<(u32, E)>,
    starts: Vec<u32>,
    /// Keys with their numbers, ascending.
    order: Vec<(u64, u32)>,
    /// Events by the number of their key, and for each key in trace order.
    grouped: Vec<E>,
    directory: DirectoryWriter,
}

impl<E: Copy> KeyedEvents<E> {
    /// Removes all keys and events.
    pub fn clear(&mut self) {
        self.keys.clear();
        self.events.clear();
    }

    /// Adds an event of the key with this number.
    #[inline(always)]
    pub fn push(&mut self, number: u32, event: E) {
        self.events.push((number, event));
    }

    /// Returns the number of events.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.events.len()
    }

    /// Returns the number of the last event's key.
    #[inline(always)]
    pub fn last_number(&self) -> Option<u32> {
        self.events.last().map(|(number, _)| *number)
    }

    /// Appends the directory of all keys. `encode` writes the events of a key as for
    /// [`DirectoryWriter::push`]; its results are returned by ascending key.
    pub fn finish<T>(
        &mut self,
        bytes: &mut Vec<u8>,
        mut encode: impl FnMut(&mut Vec<u8>, &mut Vec<u8>, EventsOfKey<'_, E>) -> T,
    ) -> Vec<T> {
        self.group();
        let Self {
            starts,
            order,
            grouped,
            directory,
            ..
        } = self;
        directory.clear();
        let mut encoded = Vec::with_capacity(order.len());
        let mut before: &[E] = &[];
        for (key, number) in order.iter().map(|(key, number)| (*key, *number as usize)) {
            // Each start has moved to its end, which is the start of the next.
            let start = if number == 0 { 0 } else { starts[number - 1] };
            let events = &grouped[start as usize..starts[number] as usize];
            if directory.begins_group() {
                before = &[];
            }
            let of_key = EventsOfKey { events, before };
            encoded.push(directory.push(key, |entries, lists| encode(entries, lists, of_key)));
            before = events;
        }
        directory.finish(bytes);
        encoded
    }

    /// Sorts the keys, and the events by their number (counting sort).
    fn group(&mut self) {
        let keys = self.keys.keys();
        self.order.clear();
        self.order.extend(keys.iter().copied().zip(0..));
        self.order.sort_unstable_by_key(|(key, _)| *key);
        self.starts.clear();
        self.starts.resize(keys.len() + 1, 0);
        for (number, _) in &self.events {
            self.starts[*number as usize + 1] += 1;
        }
        (1..self.starts.len()).for_each(|number| self.starts[number] += self.starts[number - 1]);
        self.grouped.clear();
        if let Some((_, filler)) = self.events.first() {
            self.grouped.resize(self.events.len(), *filler);
        }
        for (number, event) in &self.events {
            let place = &mut self.starts[*number as usize];
            self.grouped[*place as usize] = *event;
            *place += 1;
        }
    }

    /// Returns the keys with their numbers, ascending, after [`Self::finish`].
    pub fn sorted(&self) -> &[(u64, u32)] {
        &self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_grouped_by_ascending_key_in_trace_order() {
        let mut events = KeyedEvents::default();
        for (key, event) in [(7, 'a'), (3, 'b'), (7, 'c'), (5, 'd')] {
            let number = events.keys.number(key) as u32;
            events.push(number, event);
        }
        let groups = events.finish(&mut Vec::new(), |_, _, key| String::from_iter(key.events));
        assert_eq!(groups, ["b", "d", "ac"]);
        assert_eq!(events.sorted(), [(3, 1), (5, 2), (7, 0)]);
        events.clear();
        assert!(events.finish(&mut Vec::new(), |_, _, _| ()).is_empty());
    }
}

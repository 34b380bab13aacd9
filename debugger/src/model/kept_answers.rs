//! Small cache of recent answers, so that repeating a query does not mean waiting again.

/// Recent answers, the newest last.
#[derive(Debug)]
pub struct AnswerCache<K, A> {
    list: Vec<(K, A)>,
}

/// Maximum number of answers.
const LIMIT: usize = 8;

impl<K, A> Default for AnswerCache<K, A> {
    fn default() -> Self {
        Self { list: Vec::new() }
    }
}

impl<K: PartialEq, A: Clone> AnswerCache<K, A> {
    /// Returns the cached answer to a query.
    pub fn get(&self, key: &K) -> Option<A> {
        self.list
            .iter()
            .find(|(known, _)| known == key)
            .map(|(_, answer)| answer.clone())
    }

    /// Stores an answer and evicts the oldest one if the cache is full.
    pub fn put(&mut self, key: K, answer: A) {
        self.list.retain(|(known, _)| *known != key);
        self.list.push((key, answer));
        let surplus = self.list.len().saturating_sub(LIMIT);
        self.list.drain(..surplus);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_answers_are_kept() {
        let mut kept = AnswerCache::default();
        (0..20).for_each(|number| kept.put(number, number * 2));
        assert_eq!(
            (kept.get(&11), kept.get(&12), kept.get(&19)),
            (None, Some(24), Some(38))
        );
        kept.put(12, 1);
        kept.put(20, 2);
        assert_eq!((kept.get(&12), kept.get(&13)), (Some(1), None));
    }
}

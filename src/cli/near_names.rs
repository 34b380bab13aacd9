//! Names that a misspelt word may mean.

/// Returns the names most similar to a word: those that begin with it, else the nearest ones. Empty
/// if all differ too much.
pub fn near_names<Names: Iterator<Item = &'static str>>(
    word: &str,
    names: impl Fn() -> Names,
) -> Vec<&'static str> {
    let word = word.to_ascii_lowercase();
    let begun: Vec<_> = names()
        .filter(|name| word.len() > 2 && name.starts_with(&word))
        .collect();
    if !begun.is_empty() {
        return begun;
    }
    let limit = if word.len() > 3 { 2 } else { 1 };
    let nearest = names().map(|name| distance(&word, name)).min();
    let is_nearest =
        |name: &&str| nearest.is_some_and(|near| near <= limit && distance(&word, name) == near);
    names().filter(is_nearest).collect()
}

/// Optimal string alignment distance: the number of insertions, deletions, substitutions and swaps
/// of neighbouring letters. Cost: the product of the lengths.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<u8> = other.bytes().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    let mut last = None;
    for (line, letter) in one.bytes().enumerate() {
        let mut next = vec![line + 1];
        for (place, target) in other.iter().enumerate() {
            let at =
                |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX - 1);
            let changed = at(&row, place) + usize::from(letter != *target);
            let mut best = changed
                .min(at(&row, place + 1) + 1)
                .min(at(&next, place) + 1);
            let is_swapped =
                place > 0 && last == Some(*target) && other.get(place - 1) == Some(&letter);
            if is_swapped {
                best = best.min(at(&before, place - 1) + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(letter);
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn swapped_letters_are_one_mistake() {
        assert_eq!(distance("ab", "ba"), 1);
        assert_eq!(distance("", "info"), 4);
    }
}

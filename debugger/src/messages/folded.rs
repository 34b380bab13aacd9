//! Folding of case and accents, for matching text typed on any keyboard.

/// Returns a text in lower case without accents. Maps character by character, so that character
/// indexes stay valid.
pub fn folded(text: &str) -> String {
    text.chars().map(folded_letter).collect()
}

/// Returns a character in lower case without its accent.
pub fn folded_letter(letter: char) -> char {
    match letter.to_lowercase().next().unwrap_or(letter) {
        'à' | 'â' => 'a',
        'ç' => 'c',
        'é' | 'è' | 'ê' | 'ë' => 'e',
        'î' | 'ï' => 'i',
        'ô' => 'o',
        'ù' | 'û' => 'u',
        '’' => '\'',
        '\u{a0}' => ' ',
        letter => letter,
    }
}

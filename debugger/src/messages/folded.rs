//! Texts as they may be typed on any keyboard.

/// A text in small letters without accents: letter by letter, so that places stay what they are.
pub fn folded(text: &str) -> String {
    text.chars().map(folded_letter).collect()
}

/// The same of a letter.
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

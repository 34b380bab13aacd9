//! Paths in the tokens of a macro that contains no expressions or statements.

use proc_macro2::{TokenStream, TokenTree};

/// Returns all runs of names joined by `::`, also inside groups.
pub fn paths_in_tokens(tokens: TokenStream) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    let mut path: Vec<String> = Vec::new();
    // Number of colons since the last name.
    let mut colons = 0;
    for token in tokens {
        match token {
            TokenTree::Ident(name) => {
                if colons != 2 && !path.is_empty() {
                    paths.push(std::mem::take(&mut path));
                }
                path.push(name.to_string());
                colons = 0;
            }
            TokenTree::Punct(mark) if mark.as_char() == ':' => colons += 1,
            TokenTree::Group(group) => {
                paths.extend(paths_in_tokens(group.stream()));
                colons = 0;
            }
            _ => colons = 0,
        }
        if colons > 2 {
            colons = 0;
        }
    }
    paths.extend((!path.is_empty()).then_some(path));
    paths
}

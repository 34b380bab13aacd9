//! Product code: all code except that compiled only for tests and fuzzing.

use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Attribute, Meta, Token};

/// Returns true if no attribute restricts the code to tests.
pub fn is_in_the_product(attributes: &[Attribute]) -> bool {
    attributes.iter().all(|attribute| match &attribute.meta {
        Meta::Path(path) => !path.is_ident("test"),
        Meta::List(list) if list.path.is_ident("cfg") => {
            list.parse_args::<Meta>()
                .ok()
                .and_then(|condition| holds(&condition))
                != Some(false)
        }
        _ => true,
    })
}

/// Returns true if a condition holds in the product. None if it depends on the machine or is
/// unknown.
fn holds(condition: &Meta) -> Option<bool> {
    match condition {
        Meta::Path(path) if path.is_ident("test") || path.is_ident("fuzzing") => Some(false),
        Meta::List(list) => {
            let parts = Punctuated::<Meta, Token![,]>::parse_terminated
                .parse2(list.tokens.clone())
                .ok()?;
            let parts: Vec<_> = parts.iter().map(holds).collect();
            match list.path.get_ident()?.to_string().as_str() {
                "not" => parts.first().copied().flatten().map(|part| !part),
                "all" if parts.contains(&Some(false)) => Some(false),
                "any" if parts.contains(&Some(true)) => Some(true),
                "all" | "any" if parts.contains(&None) => None,
                "all" => Some(true),
                "any" => Some(false),
                _ => None,
            }
        }
        _ => None,
    }
}

//! Names, lines and attributes of syntax.

use proc_macro2::Span;
use syn::{Attribute, Item};

pub(super) fn line_of(span: Span) -> usize {
    span.start().line
}

pub(super) fn line_of_path(path: &syn::Path) -> usize {
    path.segments
        .first()
        .map_or(1, |segment| line_of(segment.ident.span()))
}

/// Returns the names of a path, with a leading `::` as an empty first name.
pub(super) fn names_of(path: &syn::Path) -> Vec<String> {
    let root = path.leading_colon.as_ref().map(|_| String::new());
    root.into_iter()
        .chain(
            path.segments
                .iter()
                .map(|segment| segment.ident.to_string()),
        )
        .collect()
}

pub(super) fn name_in(item: &Item) -> Option<&proc_macro2::Ident> {
    let name = match item {
        Item::Const(item) => &item.ident,
        Item::Enum(item) => &item.ident,
        Item::Fn(item) => &item.sig.ident,
        Item::Static(item) => &item.ident,
        Item::Struct(item) => &item.ident,
        Item::Trait(item) => &item.ident,
        Item::TraitAlias(item) => &item.ident,
        Item::Type(item) => &item.ident,
        Item::Union(item) => &item.ident,
        Item::Macro(item) => item.ident.as_ref()?,
        _ => return None,
    };
    Some(name)
}

pub(super) fn attributes_of(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// Returns true if an attribute of a name contains a word.
pub(super) fn says(attributes: &[Attribute], name: &str, word: &str) -> bool {
    let tokens = |attribute: &Attribute| match &attribute.meta {
        syn::Meta::List(list) => list.tokens.clone(),
        _ => proc_macro2::TokenStream::new(),
    };
    let is_word = |token: proc_macro2::TokenTree| matches!(token, proc_macro2::TokenTree::Ident(ident) if ident == word);
    attributes.iter().any(|attribute| {
        attribute.path().is_ident(name) && tokens(attribute).into_iter().any(is_word)
    })
}

/// Returns the line of an owned text in a type: the type itself, or one of its arguments.
pub(super) fn line_of_text(of: &syn::Type) -> Option<usize> {
    let syn::Type::Path(path) = of else {
        return None;
    };
    path.path
        .segments
        .iter()
        .find_map(|segment| match &segment.arguments {
            syn::PathArguments::AngleBracketed(arguments) => {
                arguments.args.iter().find_map(|one| match one {
                    syn::GenericArgument::Type(of) => line_of_text(of),
                    _ => None,
                })
            }
            _ => (segment.ident == "String").then(|| line_of(segment.ident.span())),
        })
}

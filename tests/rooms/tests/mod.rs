//! The resolver and the rules on small source trees.

mod resolver;
mod rules;
mod trees;

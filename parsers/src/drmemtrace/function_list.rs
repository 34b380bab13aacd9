//! `funclist.log`: the traced functions by their numbers.
//!
//! ```
//! use stepback_parsers::drmemtrace::FunctionList;
//!
//! let list = FunctionList::parse(b"6,1,0x7f4a24a5a930,libc.so.6!malloc\n7,1,0x7f4a24a5aef0,noret,libc.so.6!free\n");
//! assert_eq!(list.name_of(6), Some("libc.so.6!malloc"));
//! assert!(!list.functions[1].is_return_traced);
//! ```

use crate::drmemtrace::companion::{CompanionProblems, decimal, hexadecimal, lines};

/// Traced functions of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FunctionList {
    /// Functions in the order of the file. Several may have one number: aliases at one address, or
    /// one name in several libraries.
    pub functions: Vec<TracedFunction>,
    /// Lines that could not be read.
    pub problems: CompanionProblems,
}

/// Function whose calls the recorder traced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TracedFunction {
    /// Number that markers refer to.
    pub id: u64,
    /// Number of recorded arguments.
    pub argument_count: u64,
    /// Address of the function.
    pub address: u64,
    /// False when its return is not recorded (`noret`).
    pub is_return_traced: bool,
    /// Name with its library, such as `libc.so.6!malloc`.
    pub name: String,
}

impl FunctionList {
    /// Parses a file; invalid lines become problems.
    pub fn parse(bytes: &[u8]) -> Self {
        let mut list = Self::default();
        for (offset, line) in lines(bytes).filter(|(_, line)| !line.is_empty()) {
            match function(line) {
                Some(function) => list.functions.push(function),
                None => {
                    let message = "no \"id,arguments,0xaddress,library!function\"".to_owned();
                    list.problems.push(offset, message);
                }
            }
        }
        list
    }

    /// Returns the first name of a number, such as `libc.so.6!malloc`.
    pub fn name_of(&self, id: u64) -> Option<&str> {
        self.functions
            .iter()
            .find(|function| function.id == id)
            .map(|function| &*function.name)
    }
}

impl TracedFunction {
    /// Returns the name without its library: `malloc` for `libc.so.6!malloc`.
    pub fn symbol(&self) -> &str {
        self.name
            .split_once('!')
            .map_or(&self.name, |(_, symbol)| symbol)
    }
}

fn function(line: &[u8]) -> Option<TracedFunction> {
    let mut fields = line.splitn(4, |byte| *byte == b',');
    let (id, argument_count) = (decimal(fields.next()?)?, decimal(fields.next()?)?);
    let address = hexadecimal(fields.next()?)?;
    let mut is_return_traced = true;
    let mut name = fields.next()?;
    // Names of templates have commas too, but after the exclamation mark.
    while let Some((flag, rest)) = split_at_comma(name).filter(|(flag, _)| !flag.contains(&b'!')) {
        is_return_traced &= flag != b"noret";
        name = rest;
    }
    let name = String::from_utf8_lossy(name).into_owned();
    Some(TracedFunction {
        id,
        argument_count,
        address,
        is_return_traced,
        name,
    })
    .filter(|found| !found.name.is_empty())
}

fn split_at_comma(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let comma = text.iter().position(|byte| *byte == b',')?;
    Some((text.get(..comma)?, text.get(comma + 1..)?))
}

//! Numbers of names and of memory in expressions.

use super::error::ExpressionErrorKind as Kind;
use super::lookup::{NameLookup, SymbolAbsence, ValueLookup, Width};
use super::shown::{ChosenReading, address_of_name, bare_hex};
use super::token::NameKind;
use super::typed_number::TypedNumber;
use super::value_path::{ValuePath, VariableAspect};

/// Looks up a name.
pub fn look_up(kind: NameKind, name: &str, context: &dyn NameLookup) -> Result<TypedNumber, Kind> {
    if kind == NameKind::Any
        && let Some(found) = context.variable(&ValuePath::of_name(name), VariableAspect::Value)
    {
        return number_of(found, name);
    }
    look_up_word(kind, name, context).map(TypedNumber::word)
}

/// Looks up a register or a symbol.
fn look_up_word(kind: NameKind, name: &str, context: &dyn NameLookup) -> Result<u64, Kind> {
    let register = if kind == NameKind::Symbol {
        None
    } else {
        context.register(name)
    };
    match register {
        Some(ValueLookup::Unknown) => {
            let address = if kind == NameKind::Any {
                context.address_of_unknown(name)
            } else {
                None
            };
            return address.ok_or_else(|| Kind::RegisterUnknown(name.to_owned()));
        }
        Some(other) => return number_of(other, name).map(TypedNumber::bits),
        None if kind == NameKind::Register => return Err(Kind::NoRegister(name.to_owned())),
        None => {}
    }
    let addresses = context.symbols(name);
    match addresses[..] {
        [address] => Ok(address),
        [_, ..] => Err(several(name, addresses, context)),
        [] if kind == NameKind::Symbol => {
            Err(absent(name, context).unwrap_or_else(|| Kind::NoSymbol(name.to_owned())))
        }
        [] => address_of_name(name, context)
            .ok_or_else(|| absent(name, context).unwrap_or_else(|| Kind::NoName(name.to_owned()))),
    }
}

/// Looks up a variable or a part of one. `&main` is the address of a symbol.
pub fn look_up_path(
    path: &ValuePath,
    aspect: VariableAspect,
    context: &dyn NameLookup,
) -> Result<TypedNumber, Kind> {
    if let Some(found) = context.variable(path, aspect) {
        return number_of(found, &path.to_string());
    }
    let addresses = match aspect {
        VariableAspect::Address if path.parts.is_empty() => context.symbols(&path.name),
        _ => Vec::new(),
    };
    match addresses[..] {
        [address] => Ok(TypedNumber::word(address)),
        [_, ..] => Err(several(&path.name, addresses, context)),
        [] => Err(absent(&path.name, context)
            .filter(|_| aspect == VariableAspect::Address)
            .unwrap_or_else(|| Kind::NoVariable(path.name.clone()))),
    }
}

/// Returns the error for a name that no symbol has, if the reason is known.
fn absent(name: &str, context: &dyn NameLookup) -> Option<Kind> {
    Some(match context.absence(name)? {
        SymbolAbsence::ThreadLocal => Kind::ThreadLocal(name.to_owned()),
        SymbolAbsence::NoImages => Kind::NoImages(name.to_owned()),
    })
}

fn several(name: &str, addresses: Vec<u64>, context: &dyn NameLookup) -> Kind {
    Kind::SeveralSymbols(
        name.into(),
        addresses.into(),
        context.full_names(name).into(),
    )
}

/// Returns the number of a variable or a register.
fn number_of(found: ValueLookup, name: &str) -> Result<TypedNumber, Kind> {
    match found {
        ValueLookup::Known(value) => Ok(TypedNumber::word(value)),
        ValueLookup::Typed(number) => Ok(number),
        ValueLookup::Unknown => Err(Kind::RegisterUnknown(name.to_owned())),
        ValueLookup::NoNumber(why) => Err(Kind::NoNumber(name.to_owned(), Box::new(why))),
        ValueLookup::Failed(why) => Err(Kind::RegisterFailed(name.to_owned(), why)),
    }
}

/// Returns the reading of a name that may be a hexadecimal address as well.
pub fn reading_of_name(name: &str, context: &dyn NameLookup) -> Option<ChosenReading> {
    let address = bare_hex(name)?;
    let variable = context.variable(&ValuePath::of_name(name), VariableAspect::Value);
    if variable.is_some() {
        return None;
    }
    let reading = |taken, other, is_hexadecimal| ChosenReading {
        text: name.to_owned(),
        taken,
        other,
        is_hexadecimal,
    };
    match look_up_word(NameKind::Any, name, context) {
        Ok(taken) if matches!(context.register(name), Some(ValueLookup::Unknown)) => {
            Some(reading(taken, None, true))
        }
        Ok(taken) if context.register(name).is_none() && context.symbols(name).is_empty() => {
            Some(reading(taken, None, true))
        }
        Ok(taken) if taken != address && context.is_used(address) => {
            Some(reading(taken, Some(address), false))
        }
        _ => None,
    }
}

/// A lookup in which a name means one of the symbols that have it.
pub struct SingleSymbolLookup<'a> {
    pub context: &'a dyn NameLookup,
    pub name: &'a str,
    pub address: u64,
}

impl NameLookup for SingleSymbolLookup<'_> {
    fn register(&self, name: &str) -> Option<ValueLookup> {
        self.context.register(name)
    }

    fn symbols(&self, name: &str) -> Vec<u64> {
        if name == self.name {
            vec![self.address]
        } else {
            self.context.symbols(name)
        }
    }

    fn absence(&self, name: &str) -> Option<SymbolAbsence> {
        self.context.absence(name)
    }

    fn variable(&self, path: &ValuePath, aspect: VariableAspect) -> Option<ValueLookup> {
        self.context.variable(path, aspect)
    }

    fn memory(&self, address: u64, width: Width) -> ValueLookup {
        self.context.memory(address, width)
    }

    fn is_used(&self, address: u64) -> bool {
        self.context.is_used(address)
    }

    fn address_of_unknown(&self, name: &str) -> Option<u64> {
        self.context.address_of_unknown(name)
    }
}

/// Reads a number in memory.
pub fn load(address: u64, width: Width, context: &dyn NameLookup) -> Result<TypedNumber, Kind> {
    match context.memory(address, width) {
        ValueLookup::Known(value) => Ok(TypedNumber::word(value)),
        ValueLookup::Typed(number) => Ok(number),
        ValueLookup::Unknown => Err(Kind::MemoryUnknown(address)),
        ValueLookup::NoNumber(why) => Err(Kind::NoNumber(format!("{address:#x}"), Box::new(why))),
        ValueLookup::Failed(why) => Err(Kind::MemoryFailed(address, why)),
    }
}

//! Arguments of a request, by name and type.

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value as Json};

/// The arguments of a request.
#[derive(Clone, Copy)]
pub struct Arguments<'a>(pub &'a Map<String, Json>);

impl<'a> Arguments<'a> {
    fn value(self, name: &str) -> Option<&'a Json> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// Returns a text; none if it is missing.
    ///
    /// # Errors
    /// The argument has another type.
    pub fn text(self, name: &str) -> Result<Option<&'a str>> {
        let text = |value: &'a Json| {
            value
                .as_str()
                .with_context(|| format!("the argument {name:?} must be a string"))
        };
        self.value(name).map(text).transpose()
    }

    pub fn required_text(self, name: &str) -> Result<&'a str> {
        self.text(name)?
            .with_context(|| format!("the argument {name:?} is missing"))
    }

    /// Returns an integer; none if it is missing.
    ///
    /// # Errors
    /// The argument has another type.
    pub fn number(self, name: &str) -> Result<Option<i64>> {
        let number = |value: &Json| {
            let whole = value.as_f64().filter(|number| number.fract() == 0.0);
            let exact = whole.filter(|number| number.abs() <= 9_007_199_254_740_992.0);
            value
                .as_i64()
                .or(exact.map(|number| number as i64))
                .with_context(|| match whole {
                    Some(_) => format!("the argument {name:?} is out of range"),
                    None => format!("the argument {name:?} must be an integer"),
                })
        };
        self.value(name).map(number).transpose()
    }

    pub fn required_number(self, name: &str) -> Result<i64> {
        self.number(name)?
            .with_context(|| format!("the argument {name:?} is missing"))
    }

    /// Returns an integer that is not negative; none if it is missing.
    ///
    /// # Errors
    /// The argument has another type or is negative.
    pub fn count(self, name: &str) -> Result<Option<u64>> {
        let count = |number: i64| {
            u64::try_from(number)
                .ok()
                .with_context(|| format!("the argument {name:?} must not be negative"))
        };
        self.number(name)?.map(count).transpose()
    }

    /// Returns true if a switch is set; false if it is missing.
    pub fn is_set(self, name: &str) -> Result<bool> {
        match self.value(name) {
            None => Ok(false),
            Some(Json::Bool(is_set)) => Ok(*is_set),
            Some(_) => bail!("the argument {name:?} must be true or false"),
        }
    }

    /// Returns a list; an empty one if it is missing.
    ///
    /// # Errors
    /// The argument has another type.
    pub fn list(self, name: &str) -> Result<&'a [Json]> {
        match self.value(name) {
            None => Ok(&[]),
            Some(Json::Array(list)) => Ok(list),
            Some(_) => bail!("the argument {name:?} must be an array"),
        }
    }

    /// Returns the objects of a list.
    ///
    /// # Errors
    /// The argument is no list of objects.
    pub fn objects(self, name: &str) -> Result<Vec<Arguments<'a>>> {
        let object = |value: &'a Json| {
            let object = value.as_object();
            object
                .map(Arguments)
                .with_context(|| format!("the argument {name:?} must contain objects"))
        };
        self.list(name)?.iter().map(object).collect()
    }

    /// Returns an object; none if it is missing.
    pub fn object(self, name: &str) -> Result<Option<Arguments<'a>>> {
        let object = |value: &'a Json| {
            let object = value.as_object();
            object
                .map(Arguments)
                .with_context(|| format!("the argument {name:?} must be an object"))
        };
        self.value(name).map(object).transpose()
    }

    /// Returns the address in a memory or instruction reference plus the argument `offset`.
    ///
    /// # Errors
    /// The reference is missing or no number.
    pub fn address(self, name: &str) -> Result<u64> {
        let text = self.required_text(name)?;
        let address = address_of(text)
            .with_context(|| format!("the argument {name:?} is no address: {text:?}"))?;
        let offset = self.number("offset")?.unwrap_or(0);
        Ok(address.wrapping_add_signed(offset))
    }
}

/// Parses a hexadecimal number with `0x`, or a decimal one.
pub fn address_of(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
            u64::from_str_radix(digits, 16).ok()
        }
        Some(_) => None,
        None if text.bytes().all(|digit| digit.is_ascii_digit()) => text.parse().ok(),
        None => None,
    }
}

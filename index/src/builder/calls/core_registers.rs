//! Serialises the tracked registers: serde has no impl for arrays of more than 32 values, so they
//! are lists.

use serde::de::{Deserialize, Deserializer, Error as _};
use serde::ser::{Serialize as _, Serializer};

use crate::builder::segment::transfers::CORE;

pub fn serialize<S: Serializer>(
    core: &[Option<u64>; CORE],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    core.as_slice().serialize(serializer)
}

pub fn deserialize<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<[Option<u64>; CORE], D::Error> {
    let core = Vec::<Option<u64>>::deserialize(deserializer)?;
    core.try_into().map_err(|core: Vec<_>| {
        D::Error::invalid_length(core.len(), &"as many as there are registers")
    })
}

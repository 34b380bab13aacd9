//! Serialises hash maps in the order of their keys, so that equal builds write equal files.

use std::collections::BTreeMap;

use foldhash::HashMap;
use serde::ser::{Serialize, Serializer};

pub fn serialize<K: Serialize + Ord, V: Serialize, S: Serializer>(
    map: &HashMap<K, V>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    map.iter().collect::<BTreeMap<_, _>>().serialize(serializer)
}

//! Small readers over an open index, from which the questions are put together.

pub(crate) mod banks;
pub(crate) mod byte_values;
pub(crate) mod bytes;
pub(crate) mod concurrent;
pub(crate) mod direction;
pub(crate) mod encodings;
pub(crate) mod external_slots;
pub(crate) mod far_uses;
pub(crate) mod functions;
pub(crate) mod key_maps;
pub(crate) mod lines;
pub(crate) mod markers;
pub(crate) mod names;
pub(crate) mod names_at;
pub(crate) mod operands;
pub(crate) mod overtaken;
pub(crate) mod own_steps;
pub(crate) mod points;
pub(crate) mod problems;
pub(crate) mod records;
pub(crate) mod register_reader;
pub(crate) mod slots;
pub(crate) mod touches;
pub(crate) mod views;
pub(crate) mod visits;

//! Calling conventions of functions, system calls and semihosting.

pub use crate::abi::{
    Abi, Privilege, RegisterBit, ReturnAddress, SemihostingCall, SystemCallConvention,
    SystemCallFailure,
};

//! Operations of the machine.

/// An operation. Registers are numbers, targets are places in the code.
///
/// The machine draws a random value for anything that a program would compute (an index, a
/// condition). The text shows an instruction that could have produced it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// No operation.
    Nop,
    /// Sets `to` to a number.
    Move { to: usize, value: u64 },
    /// Sets `to` to the sum of two registers.
    Add {
        to: usize,
        left: usize,
        right: usize,
    },
    /// Sets `to` to a number below `end`.
    Random { to: usize, end: u64 },
    /// Decrements `to`.
    Decrement { to: usize },
    /// Sets `to` to an address in the heap, a multiple of 64.
    Point { to: usize },
    /// Sets the flags.
    Compare { left: usize, right: usize },
    /// Adds a number to a vector register.
    Vector { to: usize },
    /// Branches to `target` with a chance in 256ths.
    BranchIf { target: usize, chance: u8 },
    /// Branches to `target` unless the register is zero.
    BranchUnlessZero { register: usize, target: usize },
    /// Branches to `target` if the register is zero.
    BranchIfZero { register: usize, target: usize },
    /// Branches to `target`.
    Branch { target: usize },
    /// Loads `size` bytes.
    Load {
        to: usize,
        base: usize,
        offset: u64,
        size: u64,
    },
    /// Stores `size` bytes.
    Store {
        from: usize,
        base: usize,
        offset: u64,
        size: u64,
    },
    /// Loads 8 bytes and advances the base past them.
    LoadNext { to: usize, base: usize },
    /// Stores 8 bytes and advances the base past them.
    StoreNext { from: usize, base: usize },
    /// Allocates a frame of this many bytes and stores `x29` and `x30` at its lower end.
    Enter { frame: u64 },
    /// Stores two registers in the frame.
    Save {
        first: usize,
        second: usize,
        offset: u64,
    },
    /// Loads two registers from the frame.
    Restore {
        first: usize,
        second: usize,
        offset: u64,
    },
    /// Loads `x29` and `x30` and frees the frame.
    Leave { frame: u64 },
    /// Calls the code at `target`.
    Call { target: usize },
    /// Sets `to` to the address of a function from [`crate::code::Code::table`].
    PickFunction { to: usize },
    /// Calls the function that the register points to.
    CallRegister { register: usize },
    /// Returns.
    Return,
    /// Loads from a block of memory that was never touched.
    LoadFresh { to: usize, is_scattered: bool },
    /// Stores to a block of memory that was never touched.
    StoreFresh { from: usize, is_scattered: bool },
    /// Loads 16 bytes from the end of a stream and advances.
    StreamLoad {
        first: usize,
        second: usize,
        base: usize,
    },
    /// Stores 16 bytes to the end of a stream and advances.
    StreamStore {
        first: usize,
        second: usize,
        base: usize,
    },
}

//! What an instruction of the machine does.

/// An operation. Registers are numbers, targets are places in the code.
///
/// Where a program would compute (an index, a condition), the machine throws dice:
/// the text shows an instruction that might have given the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Nothing.
    Nop,
    /// `to` becomes a number.
    Move { to: usize, value: u64 },
    /// `to` becomes the sum of two registers.
    Add {
        to: usize,
        left: usize,
        right: usize,
    },
    /// `to` becomes a number below `end`.
    Random { to: usize, end: u64 },
    /// `to` becomes one less.
    Decrement { to: usize },
    /// `to` becomes an address in the heap, a multiple of 64.
    Point { to: usize },
    /// The flags become something.
    Compare { left: usize, right: usize },
    /// A vector register becomes the sum of itself and a number.
    Vector { to: usize },
    /// Goes to `target` so many times of 256.
    BranchIf { target: usize, chance: u8 },
    /// Goes to `target` unless the register is zero.
    BranchUnlessZero { register: usize, target: usize },
    /// Goes to `target` if the register is zero.
    BranchIfZero { register: usize, target: usize },
    /// Goes to `target`.
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
    /// Loads 8 bytes and moves the base behind them.
    LoadNext { to: usize, base: usize },
    /// Stores 8 bytes and moves the base behind them.
    StoreNext { from: usize, base: usize },
    /// Makes a frame of so many bytes and stores `x29` and `x30` at its lower end.
    Enter { frame: u64 },
    /// Stores two registers in the frame.
    Save {
        first: usize,
        second: usize,
        offset: u64,
    },
    /// Loads them.
    Restore {
        first: usize,
        second: usize,
        offset: u64,
    },
    /// Loads `x29` and `x30` and gives the frame back.
    Leave { frame: u64 },
    /// Calls the code at `target`.
    Call { target: usize },
    /// `to` becomes the address of one of some functions, by their places in [`crate::code::Code::table`].
    PickFunction { to: usize },
    /// Calls what the register points at.
    CallRegister { register: usize },
    /// Returns.
    Return,
    /// Loads from a block of memory that nothing touched before.
    LoadFresh { to: usize, is_scattered: bool },
    /// Stores to one.
    StoreFresh { from: usize, is_scattered: bool },
    /// Loads 16 bytes from the end of a stream and moves on.
    StreamLoad {
        first: usize,
        second: usize,
        base: usize,
    },
    /// Stores 16 bytes to the end of a stream and moves on.
    StreamStore {
        first: usize,
        second: usize,
        base: usize,
    },
}

//! Generates programs shaped like real ones.

use crate::code::Code;
use crate::operation::Operation;
use crate::{Dice, Shape};

/// Number of functions on each level. Functions call those of deeper levels.
const LEVELS: [usize; 6] = [6, 12, 24, 40, 40, 38];
/// Deepest level of recursive functions.
const RECURSIVE_LEVEL: usize = 4;
/// Size of a function's frame in bytes: `x29`, `x30` and four saved registers.
const FRAME: u64 = 0x30;

impl Code {
    /// Generates the program of a shape.
    pub fn of(shape: Shape, dice: &mut Dice) -> Self {
        match shape {
            Shape::Program => Compiler {
                dice,
                operations: Vec::new(),
            }
            .program(),
            Shape::Hostile => Self::straight(false),
            Shape::Scattered => Self::straight(true),
            Shape::Streaming => Self::copy(),
        }
    }

    /// Endless code that alternates loads and stores; the machine repeats it.
    fn straight(is_scattered: bool) -> Self {
        let load = Operation::LoadFresh {
            to: 1,
            is_scattered,
        };
        Self {
            operations: vec![
                load,
                Operation::StoreFresh {
                    from: 1,
                    is_scattered,
                },
            ],
            table: Vec::new(),
            start: 0,
        }
    }

    /// A copy loop.
    fn copy() -> Self {
        use Operation as Op;
        let operations = vec![
            Op::StreamLoad {
                first: 3,
                second: 4,
                base: 1,
            },
            Op::StreamStore {
                first: 3,
                second: 4,
                base: 0,
            },
            Op::Decrement { to: 2 },
            Op::BranchUnlessZero {
                register: 2,
                target: 0,
            },
            Op::Random { to: 2, end: 4096 },
            Op::Branch { target: 0 },
        ];
        Self {
            operations,
            table: Vec::new(),
            start: 4,
        }
    }
}

struct Compiler<'a> {
    dice: &'a mut Dice,
    operations: Vec<Operation>,
}

/// A generated function.
#[derive(Clone, Copy)]
struct Function {
    place: usize,
    is_recursive: bool,
}

impl Compiler<'_> {
    fn program(mut self) -> Code {
        let mut deeper: Vec<Function> = Vec::new();
        let mut table = Vec::new();
        for (level, count) in LEVELS.into_iter().enumerate().rev() {
            let is_leaf = level + 1 == LEVELS.len();
            let made: Vec<_> = (0..count)
                .map(|_| {
                    let is_recursive = level == RECURSIVE_LEVEL && self.dice.one_in(6);
                    if is_leaf {
                        self.leaf()
                    } else {
                        self.function(&deeper, is_recursive)
                    }
                })
                .collect();
            // All functions can be reached: a real program has little code that never runs.
            table.extend(
                made.iter()
                    .filter(|function| !function.is_recursive)
                    .map(|function| function.place),
            );
            // Calls functions of the next level most often.
            deeper = [made.clone(), made, deeper].concat();
        }
        let start = self.operations.len();
        self.operations.extend([
            Operation::PickFunction { to: 8 },
            Operation::CallRegister { register: 8 },
            Operation::Branch { target: start },
        ]);
        Code {
            operations: self.operations,
            table,
            start,
        }
    }

    fn push(&mut self, operation: Operation) -> usize {
        self.operations.push(operation);
        self.operations.len() - 1
    }

    fn leaf(&mut self) -> Function {
        let place = self.operations.len();
        self.push(Operation::Point { to: 9 });
        self.straight(9);
        if self.dice.one_in(3) {
            self.repeat(10, 12, |compiler| {
                compiler.push(Operation::LoadNext { to: 11, base: 9 });
                compiler.push(Operation::Add {
                    to: 12,
                    left: 12,
                    right: 11,
                });
            });
        }
        self.straight(9);
        self.push(Operation::Return);
        Function {
            place,
            is_recursive: false,
        }
    }

    fn function(&mut self, deeper: &[Function], is_recursive: bool) -> Function {
        use Operation as Op;
        let place = self.operations.len();
        self.push(Op::Enter { frame: FRAME });
        self.push(Op::Save {
            first: 19,
            second: 20,
            offset: 0x10,
        });
        self.push(Op::Save {
            first: 21,
            second: 22,
            offset: 0x20,
        });
        if is_recursive {
            let guard = self.push(Op::Nop);
            self.push(Op::Decrement { to: 0 });
            self.push(Op::Call { target: place });
            self.operations[guard] = Op::BranchIfZero {
                register: 0,
                target: guard + 3,
            };
        }
        self.push(Op::Point { to: 19 });
        for _ in 0..5 + self.dice.below(4) {
            self.block(deeper);
        }
        self.push(Op::Restore {
            first: 21,
            second: 22,
            offset: 0x20,
        });
        self.push(Op::Restore {
            first: 19,
            second: 20,
            offset: 0x10,
        });
        self.push(Op::Leave { frame: FRAME });
        match self
            .dice
            .pick(deeper)
            .filter(|callee| !callee.is_recursive && self.dice.one_in(12))
        {
            Some(callee) => self.push(Op::Branch {
                target: callee.place,
            }),
            None => self.push(Op::Return),
        };
        Function {
            place,
            is_recursive,
        }
    }

    fn block(&mut self, deeper: &[Function]) {
        match self.dice.below(11) {
            0 => self.repeat(20, 4, |compiler| {
                compiler.straight(19);
                compiler.call(deeper);
            }),
            1 => self.repeat(21, 12, |compiler| {
                compiler.push(Operation::LoadNext { to: 22, base: 19 });
                compiler.push(Operation::Add {
                    to: 1,
                    left: 1,
                    right: 22,
                });
                compiler.push(Operation::StoreNext { from: 1, base: 19 });
            }),
            2 | 3 => self.optional(|compiler| compiler.call(deeper)),
            4 => self.optional(|compiler| compiler.straight(19)),
            5 if self.dice.one_in(2) => self.call(deeper),
            _ => self.straight(19),
        }
    }

    fn call(&mut self, deeper: &[Function]) {
        self.straight(19);
        let Some(callee) = self.dice.pick(deeper) else {
            return;
        };
        if callee.is_recursive {
            self.push(Operation::Random { to: 0, end: 32 });
        }
        self.push(Operation::Call {
            target: callee.place,
        });
    }

    /// Emits code that runs sometimes, with a chance in 256ths.
    fn optional(&mut self, inner: impl FnOnce(&mut Self)) {
        self.push(Operation::Compare { left: 0, right: 1 });
        let branch = self.push(Operation::Nop);
        inner(self);
        let (target, chance) = (self.operations.len(), 32 + self.dice.below(192) as u8);
        self.operations[branch] = Operation::BranchIf { target, chance };
    }

    /// Emits code that repeats fewer than `end` times.
    fn repeat(&mut self, counter: usize, end: u64, inner: impl FnOnce(&mut Self)) {
        self.push(Operation::Random { to: counter, end });
        let guard = self.push(Operation::Nop);
        inner(self);
        self.push(Operation::Decrement { to: counter });
        let target = self.push(Operation::BranchUnlessZero {
            register: counter,
            target: guard + 1,
        }) + 1;
        self.operations[guard] = Operation::BranchIfZero {
            register: counter,
            target,
        };
    }

    /// Emits some consecutive instructions; `base` holds an address in the heap.
    fn straight(&mut self, base: usize) {
        for _ in 0..3 + self.dice.below(8) {
            let operation = self.plain(base);
            self.push(operation);
        }
    }

    fn plain(&mut self, base: usize) -> Operation {
        use Operation as Op;
        let to = self.dice.below(8) as usize;
        let (left, right) = (self.dice.below(8) as usize, self.dice.below(16) as usize);
        let size = 1 << [3, 3, 3, 2, 2, 1, 0, 0][self.dice.below(8) as usize];
        let offset = size * self.dice.below(64 / size);
        match self.dice.below(32) {
            0..4 => Op::Load {
                to,
                base,
                offset,
                size,
            },
            4..7 => Op::Store {
                from: to,
                base,
                offset,
                size,
            },
            7..9 => Op::Compare { left, right },
            9 => Op::Vector {
                to: self.dice.below(crate::registers::VECTORS as u64) as usize,
            },
            10..14 => Op::Move {
                to,
                value: self.dice.below(1 << 16),
            },
            14..16 => Op::Point { to: base },
            16..18 => Op::Nop,
            _ => Op::Add { to, left, right },
        }
    }
}

//! Register numbers of two traces ([`RegisterNumbers`]): registers outside the architecture's table
//! are numbered by each trace, so only their names are comparable.

use foldhash::HashMap;
use stepback_index::Index;
use stepback_index::answer::ThreadId;
use stepback_index::read::NameReader;
use stepback_machine::{RegisterId, RegisterView};

/// Converts registers of a trace to those of the first trace.
pub(crate) struct RegisterNumbers<'a> {
    first: &'a Index,
    thread: ThreadId,
    known: HashMap<RegisterId, Option<RegisterId>>,
}

impl<'a> RegisterNumbers<'a> {
    /// Creates a converter to the registers of a thread of the first trace.
    pub fn new(first: &'a Index, thread: ThreadId) -> Self {
        Self {
            first,
            thread,
            known: HashMap::default(),
        }
    }

    /// Returns the bytes of a register in the first trace. `None` if that trace has no such
    /// register, and for the program counter, which the alignment compares.
    pub fn in_first(
        &mut self,
        index: &Index,
        thread: ThreadId,
        view: RegisterView,
    ) -> Option<RegisterView> {
        let register = match view.register {
            RegisterId::PC => return None,
            plain if plain < RegisterId::FIRST_NAMED => plain,
            named => {
                let (first, wanted) = (self.first, self.thread);
                let find = || {
                    let set = index.instruction_set(thread);
                    let name = NameReader(index).whole_name(view, set);
                    Some(NameReader(first).register_view(&name, wanted)?.register)
                };
                (*self.known.entry(named).or_insert_with(find))?
            }
        };
        Some(RegisterView { register, ..view })
    }
}

//! Local variables and arguments of a frame ([`local_variables`]), read by the debug information of
//! the images. An unknown value is shown as such, and so is a variable that the compiler left out.

use std::cell::RefCell;
use std::collections::HashMap;

use stepback_index::answer::{ByteState, Evidence, ValueSource};
use stepback_index::query::{MemoryAt, MemoryOf, RegisterViewsAt};
use stepback_index::read::NameReader;
use stepback_index::{Cancel, Query as _, QueryError};
use stepback_machine::Address;
use stepback_machine::convention::ReturnAddress;
use stepback_machine::dwarf_registers::DwarfRegister;
use stepback_parsers::{Position, Step};

use crate::analysis::step_places::step_record;
use crate::image::{
    EvaluationState, FrameValues, FrameVariables, KnownNumber, PlacedVariable, ScopedVariable,
    VariableKind,
};
use crate::model::frame_place::FramePlace;
use crate::model::typed_value::TypedValue;
use crate::session::Session;

/// A local variable or an argument.
#[derive(Clone, Debug)]
pub struct LocalVariable {
    pub name: String,
    pub kind: VariableKind,
    /// Number of the function that declares it: of the inlined functions inside it.
    pub function: usize,
    pub value: TypedValue,
}

/// Returns the variables of a frame and of the functions that are inlined in its function, those of
/// the innermost scope first. Empty without debug information for its code.
///
/// Cost: one read of a register or of memory for each variable. The first query reads the debug
/// information.
///
/// # Errors
/// See [`QueryError`].
pub fn local_variables(
    session: &Session,
    place: &FramePlace,
    cancel: &Cancel,
) -> Result<Vec<LocalVariable>, QueryError> {
    let Some(found) = found_at(session, place) else {
        return Ok(Vec::new());
    };
    let frame = FrameReader::new(session, place, &found, cancel)?;
    let variables = found.variables().iter();
    variables
        .map(|variable| frame.variable(&found, variable))
        .collect()
}

/// Returns the variable with a name in the selected function, or around it; none if no
/// variable has it. Reads only this variable.
///
/// # Errors
/// See [`QueryError`].
pub fn local_variable(
    session: &Session,
    place: &FramePlace,
    name: &str,
    cancel: &Cancel,
) -> Result<Option<LocalVariable>, QueryError> {
    let Some(found) = found_at(session, place) else {
        return Ok(None);
    };
    let mut variables = found.variables().iter();
    let is_found =
        |variable: &&ScopedVariable| variable.function >= place.inlined && variable.name == name;
    match variables.find(is_found) {
        Some(variable) => {
            let frame = FrameReader::new(session, place, &found, cancel)?;
            frame.variable(&found, variable).map(Some)
        }
        None => Ok(None),
    }
}

/// Returns a variable outside functions.
///
/// # Errors
/// See [`QueryError`].
pub fn global_variable(
    session: &Session,
    place: &FramePlace,
    found: &FrameVariables,
    cancel: &Cancel,
) -> Result<Option<TypedValue>, QueryError> {
    let Some(variable) = found.variables().first() else {
        return Ok(None);
    };
    let frame = FrameReader::new(session, place, found, cancel)?;
    Ok(Some(frame.variable(found, variable)?.value))
}

fn found_at(session: &Session, place: &FramePlace) -> Option<FrameVariables> {
    session.images.variables_at(place.address?)
}

/// Returns the position at the entry of a frame; none if the trace does not show that the frame was
/// entered at the start of its function.
fn entry_position(
    session: &Session,
    place: &FramePlace,
    entry: Option<Address>,
    cancel: &Cancel,
) -> Result<Option<Position>, QueryError> {
    let call = place.call.as_ref();
    let shown = call.filter(|call| call.evidence != Evidence::Caller);
    let Some(step) = shown.and_then(|call| call.entry_step) else {
        return Ok(None);
    };
    let record = step_record(step, &session.index, cancel)?;
    let is_start = record.is_some_and(|record| Some(record.pc) == entry);
    Ok(is_start.then(|| Step::before(step)))
}

/// Reads memory as a thread sees it.
///
/// # Errors
/// See [`QueryError`].
pub fn thread_memory(
    session: &Session,
    place: &FramePlace,
    range: MemoryAt,
    cancel: &Cancel,
) -> Result<Vec<ByteState>, QueryError> {
    if range.len_bytes == 0 {
        return Ok(Vec::new());
    }
    let set = session.index.instruction_set(place.thread);
    let question = MemoryAt {
        address: Address(set.plain_address(range.address.0)),
        ..range
    };
    MemoryOf {
        thread: Some(place.thread),
        question,
    }
    .run(&session.index, cancel)
}

/// State of a frame, read from the index.
struct FrameReader<'a> {
    session: &'a Session,
    place: &'a FramePlace,
    /// Position at the entry of the function.
    entry: Option<Position>,
    /// Registers that were read.
    known: RefCell<HashMap<RegisterRead, Option<Vec<ByteState>>>>,
    state: EvaluationState,
    cancel: &'a Cancel,
}

/// A register by its DWARF number, with the position at which it was read.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct RegisterRead {
    number: u16,
    position: Position,
}

impl<'a> FrameReader<'a> {
    fn new(
        session: &'a Session,
        place: &'a FramePlace,
        found: &FrameVariables,
        cancel: &'a Cancel,
    ) -> Result<Self, QueryError> {
        Ok(Self {
            session,
            place,
            entry: entry_position(session, place, found.entry(), cancel)?,
            known: RefCell::default(),
            state: EvaluationState::default(),
            cancel,
        })
    }

    fn variable(
        &self,
        found: &FrameVariables,
        variable: &ScopedVariable,
    ) -> Result<LocalVariable, QueryError> {
        self.cancel.check()?;
        let PlacedVariable {
            types,
            of_type,
            place,
        } = found.find_in(self, variable, &self.state)?;
        let value = TypedValue {
            types,
            of_type,
            place,
            bits: None,
        };
        Ok(LocalVariable {
            name: variable.name.clone(),
            kind: variable.kind,
            function: variable.function,
            value,
        })
    }

    fn register_at(&self, wanted: RegisterRead) -> Result<Option<Vec<ByteState>>, QueryError> {
        self.cancel.check()?;
        if let Some(known) = self.known.borrow().get(&wanted) {
            return Ok(known.clone());
        }
        let RegisterRead { number, position } = wanted;
        let names = NameReader(&self.session.index);
        let set = names.set_at(self.place.thread, self.mode_at(position))?;
        let read = match set.dwarf_register(number) {
            Some(DwarfRegister::Named(name)) => self.named_register(&name, position)?,
            Some(DwarfRegister::Zero) => {
                let zero = ByteState {
                    value: Some(0),
                    source: ValueSource::Recorded,
                    seen_at: None,
                };
                Some(vec![zero; usize::from(set.word_bytes())])
            }
            None => None,
        };
        self.known.borrow_mut().insert(wanted, read.clone());
        Ok(read)
    }

    /// Returns the position of the processor mode for registers of a position.
    fn mode_at(&self, registers_at: Position) -> Position {
        match registers_at == self.place.registers_at {
            true => self.place.mode_at,
            false => registers_at,
        }
    }

    fn named_register(
        &self,
        name: &str,
        position: Position,
    ) -> Result<Option<Vec<ByteState>>, QueryError> {
        let (index, thread) = (&self.session.index, self.place.thread);
        let view = NameReader(index).register_view_at(name, thread, self.mode_at(position))?;
        let Some(view) = view else {
            return Ok(None);
        };
        let question = RegisterViewsAt {
            position,
            thread,
            views: vec![(name.to_owned(), view)],
        };
        let states = question.run(index, self.cancel)?;
        Ok(states.into_iter().next().map(|state| {
            let source = state.source;
            let byte = |value: Option<u8>| match value {
                Some(_) => ByteState {
                    value,
                    source,
                    seen_at: state.written_at,
                },
                None => ByteState::default(),
            };
            state.value.0.into_iter().map(byte).collect()
        }))
    }
}

impl FrameValues for FrameReader<'_> {
    fn register(&self, number: u16) -> Result<Option<Vec<ByteState>>, QueryError> {
        self.register_at(RegisterRead {
            number,
            position: self.place.registers_at,
        })
    }

    fn entry_register(&self, number: u16) -> Result<Option<Vec<ByteState>>, QueryError> {
        match self.entry {
            Some(position) => self.register_at(RegisterRead { number, position }),
            None => Ok(None),
        }
    }

    fn entry_stack(&self) -> Result<Option<KnownNumber>, QueryError> {
        let Some(entry) = self.entry else {
            return Ok(None);
        };
        let set = NameReader(&self.session.index).set_at(self.place.thread, entry)?;
        let pointer = self.named_register("sp", entry)?;
        let pointer = pointer.and_then(|bytes| KnownNumber::of_bytes(&bytes));
        // The return address that the call pushed is above.
        let pushed = match set.abi().return_address {
            ReturnAddress::Stack => u64::from(set.word_bytes()),
            ReturnAddress::Register(_) | ReturnAddress::Unknown => 0,
        };
        Ok(pointer.map(|pointer| KnownNumber {
            value: set.stack_end(pointer.value).wrapping_add(pushed),
            ..pointer
        }))
    }

    fn memory(&self, address: u64, len_bytes: u64) -> Result<Vec<ByteState>, QueryError> {
        let range = MemoryAt {
            position: self.place.position,
            address: Address(address),
            len_bytes,
        };
        thread_memory(self.session, self.place, range, self.cancel)
    }

    fn is_big_endian(&self) -> bool {
        self.session.index.info().is_big_endian
    }
}

//! System and host calls of a step.

use stepback_machine::convention::SemihostingCall;
use stepback_machine::flow::FlowKind;
use stepback_machine::{Instruction, Registers};
use stepback_parsers::{MarkerKind, Step};

use crate::answers::error::{Cancel, QueryError};
use crate::answers::slice::SliceEndKind;
use crate::query::slice::flow::StepFlow;
use crate::read::markers::{MarkerReader, WantedMarkers};
use crate::read::register_reader::RegisterReader;
use crate::read::slots::SlotReader;

impl StepFlow<'_> {
    /// Returns the name of the system or host call that a trap made, as an end.
    pub(super) fn system_call_end(
        &self,
        instruction: &Instruction,
    ) -> Result<SliceEndKind, QueryError> {
        let step = self.step();
        let (Some(text), Some(asking)) = (&self.text, step) else {
            return Ok(SliceEndKind::System { step, name: None });
        };
        let set = text.instruction_set;
        if let Some(host) = set
            .host_call()
            .filter(|_| set.is_host_call(text.opcode, text.length_bytes))
        {
            let number = self.register_before(asking, host.operation)?;
            return Ok(SliceEndKind::System {
                step,
                name: number.and_then(SemihostingCall::operation_name),
            });
        }
        let stated = self.recorded_system_call(asking)?;
        let number = match (stated, set.abi().system_calls.number) {
            (Some(number), _) => Some(number),
            (None, Some(name)) if instruction.control.flow == FlowKind::Trap => {
                self.register_before(asking, name)?
            }
            (None, _) => None,
        };
        Ok(SliceEndKind::System {
            step,
            name: number.and_then(|number| set.system_call_name(number)),
        })
    }

    /// Returns the number of the system call that a step made, if a marker records it: the marker
    /// may come after steps of other threads.
    fn recorded_system_call(&self, step: Step) -> Result<Option<u64>, QueryError> {
        if self.index.contents.markers.is_empty() {
            return Ok(None);
        }
        let next = SlotReader(self.index).next_step_of(self.thread, step.after())?;
        let until = next.map_or(self.index.end(), Step::before);
        let wanted = WantedMarkers {
            kinds: &[MarkerKind::SYSTEM_CALL],
            thread: Some(self.thread),
        };
        let stated = MarkerReader(self.index)
            .last(wanted, until, &Cancel::default())?
            .pop();
        Ok(stated
            .filter(|stated| stated.step == Some(step))
            .map(|stated| stated.marker.value))
    }

    /// Returns the value of a register before a step, if the trace states it.
    fn register_before(&self, step: Step, name: &str) -> Result<Option<u64>, QueryError> {
        let set = self.index.instruction_set(self.thread);
        let Some(view) = Registers::view(name, set).filter(|_| !self.index.has_operands_alone())
        else {
            return Ok(None);
        };
        let mut reader = RegisterReader::new(self.index, self.thread, step.before());
        Ok(reader.state(name.to_owned(), view)?.value.to_u64())
    }
}

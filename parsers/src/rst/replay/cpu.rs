//! State of a processor at the current position in the trace.

use stepback_machine::banks::WindowChange;
use stepback_machine::flow::{DelaySlotRule, FlowKind};
use stepback_machine::{Mode, RegisterId, RegisterView};

use crate::events::ThreadNumber;
use crate::rst::records::{Instruction, PaVaDiff, RegisterValues, Trap};
use crate::rst::replay::effects::ObservedBytes;
use crate::rst::replay::frames::{
    WindowContents, WindowFrames, WindowPosition, chosen_cells, unknown_cells,
};
use crate::rst::replay::last_trap::{LEVELS, LastTrap};
use crate::rst::replay::translations::Translations;

/// A system call that has not returned.
#[derive(Clone, Copy, Debug)]
pub struct PendingSystemCall {
    /// Number of the call, as in markers.
    pub number: u64,
    /// Trap level of the caller.
    pub level: u8,
    /// Return address; none if unknown.
    pub next_pc: Option<u64>,
}

/// Number of windows if the trace does not state it.
const USUAL_WINDOWS: u8 = 8;
/// PSTATE bits that select a set of globals, with the number of the set: alternate, interrupt,
/// memory management (The SPARC Architecture Manual, Version 9, 5.2.1, and UltraSPARC User's
/// Manual, 14.5.9).
const GLOBAL_BITS: [(u64, u8); 3] = [(1, 3), (1 << 11, 1), (1 << 10, 2)];

/// State of a processor.
#[derive(Debug)]
pub struct ReplayCpu {
    /// Thread of the processor.
    pub thread: ThreadNumber,
    /// The current window. Counted from an arbitrary one until the trace states it.
    pub window: u8,
    /// Offset of the window numbers here from those of the trace, once the trace has stated one.
    /// Cells named before a late statement keep their numbers.
    window_base: Option<u8>,
    /// True after a trap that turned to a window that the trace does not state.
    is_window_guessed: bool,
    /// Frames in the windows.
    frames: WindowFrames,
    /// Number of windows.
    pub windows: u8,
    /// The current set of globals.
    pub globals: u8,
    /// Trap level.
    pub level: u8,
    /// The mode that was sent to the encoder last.
    pub stated_mode: Mode,
    /// The last instruction.
    pub last: Option<LastStep>,
    /// PC and nPC after the last instruction, if they follow from it.
    way: Option<ProgramCounters>,
    /// A TRAP with an instruction that is still to come.
    pub trap: Option<Trap>,
    /// Address of an instruction in a delay slot that the end of a trap handler resumes.
    pub resumed_slot: Option<u64>,
    /// The trap that the last instruction took.
    pub last_trap: Option<LastTrap>,
    /// A system call in progress.
    pub call: Option<PendingSystemCall>,
    /// PAVADIFF for the next instruction.
    pub translation: Option<PaVaDiff>,
    /// Memory values recorded before the instruction that may load them.
    pub ahead: Vec<ObservedBytes>,
    /// Address of a memory value that continues the last record, if that is a memory value too.
    pub continued_at: Option<u64>,
    /// Values for the moment after the end of a trap, recorded before it.
    pub after_trap: Option<RegisterValues>,
    /// Values recorded before the first instruction, while the window may be unknown.
    pub early: Vec<RegisterValues>,
    /// False until the first instruction.
    pub has_begun: bool,
    /// Physical pages of its virtual pages.
    pub translations: Translations,
    /// The last recorded contexts: primary and secondary, of instructions and of data.
    pub contexts: Option<[u16; 4]>,
    /// The window at each trap level, to return to.
    saved_windows: [Option<u8>; LEVELS as usize + 1],
    /// Known value of each register.
    known: Vec<Option<u64>>,
}

/// PC and nPC (The SPARC Architecture Manual, Version 9, 6.3.4).
#[derive(Clone, Copy, Debug)]
struct ProgramCounters {
    pc: u64,
    next_pc: u64,
}

/// The last instruction of a processor.
#[derive(Debug)]
pub struct LastStep {
    /// Address of the instruction.
    pub pc: u64,
    /// Effect on the next instruction.
    pub delay: DelaySlotRule,
    /// Registers that it wrote, without a recorded value until now, as absolute cells.
    pub untold: Vec<RegisterView>,
    /// Registers that it wrote.
    pub written: Vec<RegisterView>,
    /// Registers of the window that it turned to, unknown until the trace records them.
    pub unknown: Vec<RegisterView>,
    /// Register by which it chose a window or a set of globals that only the trace can state.
    pub choice: Option<RegisterView>,
}

impl ReplayCpu {
    /// Creates the state of a processor, with the number of windows if it is known.
    pub fn new(thread: ThreadNumber, windows: Option<u8>) -> Self {
        Self {
            thread,
            window: 0,
            window_base: None,
            is_window_guessed: false,
            frames: WindowFrames::default(),
            windows: windows.unwrap_or(USUAL_WINDOWS),
            globals: 0,
            level: 0,
            stated_mode: Mode::Other,
            last: None,
            way: None,
            trap: None,
            resumed_slot: None,
            last_trap: None,
            call: None,
            translation: None,
            ahead: Vec::new(),
            continued_at: None,
            after_trap: None,
            early: Vec::new(),
            has_begun: false,
            translations: Translations::default(),
            contexts: None,
            saved_windows: [None; LEVELS as usize + 1],
            known: vec![None; usize::from(RegisterId::FIRST_NAMED.0)],
        }
    }

    /// Returns the current meaning of plain register names.
    pub fn mode(&self) -> Mode {
        Mode::Window {
            current: self.window % self.windows,
            count: self.windows,
            globals: self.globals,
        }
    }

    /// Returns the absolute register, in its window.
    pub fn home(&self, view: RegisterView) -> RegisterView {
        RegisterView {
            register: self.mode().home(view.register),
            ..view
        }
    }

    /// Turns `by` windows forward, or back if negative.
    fn turn(&mut self, by: i16) {
        let windows = i16::from(self.windows);
        self.window = (i16::from(self.window) + by).rem_euclid(windows) as u8;
    }

    fn place(&self) -> WindowPosition {
        WindowPosition {
            window: self.window % self.windows,
            count: self.windows,
        }
    }

    /// Initialises the windows before the first instruction. `callers` is the number of `restore`s
    /// until a frame must be loaded.
    pub fn begin_frames(&mut self, callers: Option<u64>) {
        self.frames.begin(self.place(), callers.unwrap_or(u64::MAX));
    }

    /// Turns to the window that an instruction leads to. Returns the cells that are unknown there.
    pub fn follow(&mut self, step: WindowChange) -> Vec<RegisterView> {
        match step {
            WindowChange::Save => self.turn(1),
            WindowChange::Restore => self.turn(-1),
            WindowChange::Flush | WindowChange::Choice => {}
        }
        unknown_cells(self.frames.follow(step, self.place()), self.mode())
    }

    /// Returns the address that the last instruction leads to, if this instruction is elsewhere.
    pub fn missed_by(&self, found: &Instruction) -> Option<u64> {
        self.way.map(|way| way.pc).filter(|pc| *pc != found.pc)
    }

    /// Returns true if the last instruction leads to this one.
    pub fn leads_to(&self, found: &Instruction) -> bool {
        self.way.is_some_and(|way| way.pc == found.pc)
    }

    /// Updates PC and nPC after an instruction.
    pub fn go_on(&mut self, found: &Instruction, flow: FlowKind) {
        let after = found.pc.wrapping_add(4);
        let next_pc = self
            .way
            .filter(|way| way.pc == found.pc)
            .map_or(after, |way| way.next_pc);
        let branched_to = found.ea.filter(|_| found.is_taken && !found.is_annulled);
        self.way = match branched_to {
            Some(target) if flow == FlowKind::ExceptionReturn => Some(ProgramCounters {
                pc: target,
                next_pc: target.wrapping_add(4),
            }),
            Some(target) => Some(ProgramCounters {
                pc: next_pc,
                next_pc: target,
            }),
            None => Some(ProgramCounters {
                pc: next_pc,
                next_pc: next_pc.wrapping_add(4),
            }),
        };
    }

    /// Takes a trap that has no record, so its type is unknown.
    pub fn enter_unrecorded_trap(&mut self) {
        self.translations.turn();
        self.way = None;
        if let Some(place) = self.saved_windows.get_mut(usize::from(self.level) + 1) {
            *place = Some(self.window);
        }
        self.level = self.level.saturating_add(1).min(LEVELS);
        self.is_window_guessed = true;
    }

    /// Takes a trap, which may turn to another window (The SPARC Architecture Manual, Version 9,
    /// 7.6 "Trap Processing"). Returns the cells that are unknown until the handler has loaded
    /// them.
    pub fn enter_trap(&mut self, trap: &Trap, can_save: Option<u64>) -> Vec<RegisterView> {
        self.translations.turn();
        self.way = None;
        if let Some(place) = self.saved_windows.get_mut(usize::from(self.level) + 1) {
            *place = Some(self.window);
        }
        self.level = trap.level.saturating_add(1).min(LEVELS);
        match trap.trap_type {
            0x24 => self.turn(1),
            // A spill trap occurs if no window can be saved to, so an unknown CANSAVE counts as 0.
            0x80..=0xbf => {
                self.is_window_guessed = can_save.is_none();
                self.turn(2 + i16::from(can_save.unwrap_or(0) as u8));
            }
            0xc0..=0xff => {
                self.turn(-1);
                self.frames.load(self.place());
                return unknown_cells(WindowContents::Loaded, self.mode());
            }
            _ => {}
        }
        Vec::new()
    }

    /// Returns true if the processor is at the level of the trap's handler.
    pub fn is_inside(&self, trap: &Trap) -> bool {
        self.level == trap.level.saturating_add(1).min(LEVELS)
    }

    /// Returns from a trap handler.
    pub fn leave_trap(&mut self) {
        self.translations.turn();
        if let Some(window) = self
            .saved_windows
            .get_mut(usize::from(self.level))
            .and_then(Option::take)
        {
            self.window = window;
        }
        self.is_window_guessed = false;
        self.level = self.level.saturating_sub(1);
    }

    /// Sets the window that the trace states.
    pub fn set_window(&mut self, window: u64) {
        let Some(stated) = u8::try_from(window)
            .ok()
            .filter(|window| *window < self.windows)
        else {
            return;
        };
        let is_named = self.stated_mode != Mode::Other;
        let base = match self.window_base {
            Some(base) => base,
            None if self.is_window_guessed => return,
            None if is_named => (self.window + self.windows - stated) % self.windows,
            None => 0,
        };
        self.window_base = Some(base);
        let window = (stated + base) % self.windows;
        if window != self.window && is_named {
            self.window = window;
            self.frames.lose_others(self.place());
        }
        self.window = window;
    }

    /// Returns the number of the current window in the trace; none until the trace has stated one.
    pub fn stated_window(&self) -> Option<u8> {
        let base = self.window_base?;
        Some((self.window + self.windows - base) % self.windows)
    }

    /// Returns the window here for a number in the trace.
    pub fn window_of(&self, stated: u8) -> u8 {
        (stated + self.window_base.unwrap_or(0)) % self.windows
    }

    /// Selects the set of globals for a value of PSTATE.
    pub fn set_state(&mut self, pstate: u64) {
        self.globals = GLOBAL_BITS
            .iter()
            .find(|(bit, _)| pstate & bit != 0)
            .map_or(0, |(_, set)| *set);
    }

    /// Returns the known value of a register.
    pub fn known(&self, home: RegisterView) -> Option<u64> {
        *self.known.get(place_of(home)?)?
    }

    /// Sets the known value of a register from here on.
    pub fn learn(&mut self, home: RegisterView, value: Option<u64>) {
        if let Some(place) = place_of(home).and_then(|place| self.known.get_mut(place)) {
            *place = value;
        }
    }

    /// Takes the registers that are unknown after the last instruction.
    pub fn take_unknown(&mut self) -> Vec<RegisterView> {
        let mode = self.mode();
        let Some(last) = &mut self.last else {
            return Vec::new();
        };
        let mut unknown = std::mem::take(&mut last.untold);
        unknown.append(&mut last.unknown);
        if let Some(choice) = last.choice.take().filter(|choice| unknown.contains(choice)) {
            unknown.extend(chosen_cells(choice, mode));
        }
        unknown
    }

    /// Records that the trace states the value of a register.
    pub fn confirm(&mut self, home: RegisterView) {
        if let Some(last) = self.last.as_mut().filter(|last| !last.unknown.is_empty()) {
            last.unknown.retain(|view| !view.overlaps(home));
        }
        if let Some(trap) = &mut self.last_trap {
            trap.confirm(home);
        }
    }

    /// Returns true if the last instruction wrote a register, and counts its value as recorded.
    pub fn takes_for_written(&mut self, home: RegisterView) -> bool {
        let is_given = self
            .last_trap
            .as_mut()
            .is_some_and(|trap| trap.takes_for_result(home));
        let Some(last) = &mut self.last else {
            return is_given;
        };
        last.untold.retain(|view| !view.overlaps(home));
        is_given || last.written.iter().any(|view| view.overlaps(home))
    }
}

/// Returns the index of a register in the known values. Registers with separately named parts are
/// not tracked. Of the status register only the condition codes are, which follow its other bytes.
fn place_of(view: RegisterView) -> Option<usize> {
    const CONDITIONS_AT: u16 = 4;
    let has_parts = (RegisterId::V0..RegisterId(RegisterId::V0.0 + 16)).contains(&view.register);
    let offset = if view.register == RegisterId::PSR {
        CONDITIONS_AT
    } else {
        0
    };
    (view.offset == offset && !has_parts).then_some(usize::from(view.register.0))
}

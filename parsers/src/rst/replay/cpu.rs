//! What is known of a processor at the place of the trace that was read up to.

use stepback_machine::{DelaySlotRule, FlowKind, Mode, RegisterId, RegisterView, WindowChange};

use crate::events::ThreadNumber;
use crate::rst::records::{Instruction, PaVaDiff, RegisterValues, Trap};
use crate::rst::replay::frames::{
    WindowContents, WindowFrames, WindowPosition, chosen_cells, unknown_cells,
};
use crate::rst::replay::last_trap::LastTrap;
use crate::rst::replay::memory::ObservedBytes;
use crate::rst::replay::system_calls::PendingSystemCall;
use crate::rst::replay::translations::Translations;

/// Windows of a processor that does not say how many it has.
const USUAL_WINDOWS: u8 = 8;
/// Trap levels that have registers of their own.
pub const LEVELS: u8 = 7;
/// PSTATE bits that choose a set of globals, and which (The SPARC Architecture Manual, Version 9, 5.2.1, and
/// UltraSPARC User's Manual, 14.5.9): alternate, interrupt, memory management.
const GLOBAL_BITS: [(u64, u8); 3] = [(1, 3), (1 << 11, 1), (1 << 10, 2)];

/// A processor.
#[derive(Debug)]
pub struct ReplayCpu {
    /// Its thread.
    pub thread: ThreadNumber,
    /// The window in use; where the trace has not said it, counted from an arbitrary one.
    pub window: u8,
    /// How far from the numbers of the trace those here are, once the trace has said one: where it did so late, the cells
    /// that were named before keep their numbers.
    window_base: Option<u8>,
    /// A trap was taken of which it is not told to which window it turned.
    is_window_guessed: bool,
    /// Which frames the windows hold.
    frames: WindowFrames,
    /// How many windows there are.
    pub windows: u8,
    /// The set of globals in use.
    pub globals: u8,
    /// Trap level.
    pub level: u8,
    /// The mode that was told last.
    pub told_mode: Mode,
    /// Its last instruction.
    pub last: Option<LastStep>,
    /// PC and nPC after its last instruction, where it says so.
    way: Option<ProgramCounters>,
    /// A trap whose instruction is still to come.
    pub trap: Option<Trap>,
    /// The address of an instruction in a delay slot that the end of a trap's handler resumes.
    pub resumed_slot: Option<u64>,
    /// The trap that its last instruction took.
    pub last_trap: Option<LastTrap>,
    /// A system call that is being served.
    pub call: Option<PendingSystemCall>,
    /// Translations that the next instruction uses first.
    pub translation: Option<PaVaDiff>,
    /// What memory holds, said before the instruction that may load it.
    pub ahead: Vec<ObservedBytes>,
    /// Where a continued value of memory goes on.
    pub continued_at: Option<u64>,
    /// Values that tell of the moment behind the end of a trap, said before it.
    pub behind_trap: Option<RegisterValues>,
    /// Values that were said before the first instruction, while the window may be unknown.
    pub early: Vec<RegisterValues>,
    /// False until the first instruction.
    pub has_begun: bool,
    /// Which physical pages its virtual ones are.
    pub translations: Translations,
    /// The contexts that were told last: primary and secondary, of instructions and of data.
    pub contexts: Option<[u16; 4]>,
    /// The window at each trap level, to come back to.
    saved_windows: [Option<u8>; LEVELS as usize + 1],
    /// By register: what the trace's reader knows of it.
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
    /// Its address.
    pub pc: u64,
    /// What becomes of the instruction behind it.
    pub delay: DelaySlotRule,
    /// The registers that it wrote and that the trace has not told of yet, as absolute cells.
    pub untold: Vec<RegisterView>,
    /// The registers that it wrote.
    pub written: Vec<RegisterView>,
    /// Those of the window that it turned to of which nothing is known until the trace tells them.
    pub unknown: Vec<RegisterView>,
    /// By which register it chose a window or a set of globals, where only the trace can say which.
    pub choice: Option<RegisterView>,
}

impl ReplayCpu {
    /// Nothing known yet but how many windows there are, if that.
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
            told_mode: Mode::Other,
            last: None,
            way: None,
            trap: None,
            resumed_slot: None,
            last_trap: None,
            call: None,
            translation: None,
            ahead: Vec::new(),
            continued_at: None,
            behind_trap: None,
            early: Vec::new(),
            has_begun: false,
            translations: Translations::default(),
            contexts: None,
            saved_windows: [None; LEVELS as usize + 1],
            known: vec![None; usize::from(RegisterId::FIRST_NAMED.0)],
        }
    }

    /// What plain names mean.
    pub fn mode(&self) -> Mode {
        Mode::Window {
            current: self.window % self.windows,
            count: self.windows,
            globals: self.globals,
        }
    }

    /// The register itself, whatever window it is in.
    pub fn home(&self, view: RegisterView) -> RegisterView {
        RegisterView {
            register: self.mode().home(view.register),
            ..view
        }
    }

    /// Turns to a window so many further on.
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

    /// Takes the windows as they are before the first instruction, which may turn back so often before a frame has to be loaded.
    pub fn begin_frames(&mut self, callers: Option<u64>) {
        self.frames.begin(self.place(), callers.unwrap_or(u64::MAX));
    }

    /// Takes the window that an instruction leads to; gives the cells of which nothing is known there.
    pub fn follow(&mut self, step: WindowChange) -> Vec<RegisterView> {
        match step {
            WindowChange::Save => self.turn(1),
            WindowChange::Restore => self.turn(-1),
            WindowChange::Flush | WindowChange::Choice => {}
        }
        unknown_cells(self.frames.follow(step, self.place()), self.mode())
    }

    /// Returns where the last instruction leads, if that is not to this one.
    pub fn missed_by(&self, found: &Instruction) -> Option<u64> {
        self.way.map(|way| way.pc).filter(|pc| *pc != found.pc)
    }

    /// True when the last instruction leads to this one.
    pub fn leads_to(&self, found: &Instruction) -> bool {
        self.way.is_some_and(|way| way.pc == found.pc)
    }

    /// Notes where an instruction leads.
    pub fn go_on(&mut self, found: &Instruction, flow: FlowKind) {
        let behind = found.pc.wrapping_add(4);
        let next_pc = self
            .way
            .filter(|way| way.pc == found.pc)
            .map_or(behind, |way| way.next_pc);
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

    /// A trap is taken, which may turn to another window (The SPARC Architecture Manual, Version 9, 7.6 "Trap Processing").
    /// Gives the cells of which nothing is known until its handler has loaded them.
    pub fn enter_trap(&mut self, trap: &Trap, can_save: Option<u64>) -> Vec<RegisterView> {
        self.translations.turn();
        self.way = None;
        if let Some(place) = self.saved_windows.get_mut(usize::from(self.level) + 1) {
            *place = Some(self.window);
        }
        self.level = trap.level.saturating_add(1).min(LEVELS);
        match trap.trap_type {
            0x24 => self.turn(1),
            // A spill is asked for when no window can be saved to, so where nothing says how many there are, there is none.
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

    /// True when control is at the level of a trap's handler.
    pub fn is_inside(&self, trap: &Trap) -> bool {
        self.level == trap.level.saturating_add(1).min(LEVELS)
    }

    /// The handler of a trap is done.
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

    /// Takes the window that the trace says.
    pub fn set_window(&mut self, window: u64) {
        let Some(told) = u8::try_from(window)
            .ok()
            .filter(|window| *window < self.windows)
        else {
            return;
        };
        let is_named = self.told_mode != Mode::Other;
        let base = match self.window_base {
            Some(base) => base,
            None if self.is_window_guessed => return,
            None if is_named => (self.window + self.windows - told) % self.windows,
            None => 0,
        };
        self.window_base = Some(base);
        let window = (told + base) % self.windows;
        if window != self.window && is_named {
            self.window = window;
            self.frames.lose_others(self.place());
        }
        self.window = window;
    }

    /// The number of the window in use as the trace counts them; none while it has not said one.
    pub fn told_window(&self) -> Option<u8> {
        let base = self.window_base?;
        Some((self.window + self.windows - base) % self.windows)
    }

    /// The window here that has a number in the trace.
    pub fn window_of(&self, told: u8) -> u8 {
        (told + self.window_base.unwrap_or(0)) % self.windows
    }

    /// Takes the set of globals that the processor's state chooses.
    pub fn set_state(&mut self, pstate: u64) {
        self.globals = GLOBAL_BITS
            .iter()
            .find(|(bit, _)| pstate & bit != 0)
            .map_or(0, |(_, set)| *set);
    }

    /// What is known of a register.
    pub fn known(&self, home: RegisterView) -> Option<u64> {
        *self.known.get(place_of(home)?)?
    }

    /// Notes what a register holds from here on.
    pub fn learn(&mut self, home: RegisterView, value: Option<u64>) {
        if let Some(place) = place_of(home).and_then(|place| self.known.get_mut(place)) {
            *place = value;
        }
    }

    /// The registers of which nothing is known behind the last instruction.
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

    /// What a register holds is told.
    pub fn confirm(&mut self, home: RegisterView) {
        if let Some(last) = self.last.as_mut().filter(|last| !last.unknown.is_empty()) {
            last.unknown.retain(|view| !view.overlaps(home));
        }
        if let Some(trap) = &mut self.last_trap {
            trap.confirm(home);
        }
    }

    /// True when the last instruction wrote a register; it counts as told then.
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

/// Registers of which parts have names of their own are not compared; of the status register only the condition codes are,
/// which stand behind what else is in it.
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

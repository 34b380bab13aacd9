//! Which list it is.

use serde::{Deserialize, Serialize};

use crate::panels::row::EmptyWords;
use crate::theme::icons;
use stepback_debugger::action::PanelKind;
use stepback_debugger::messages::say;

/// What a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableKind {
    /// All accesses of some memory.
    Accesses,
    /// The blocks of the heap.
    Heap,
    /// The pages of memory, the busiest first.
    Heat,
    /// The tasks of an operating system, each with its runs.
    Tasks,
    /// The functions, those that took most first.
    Functions,
    /// What a search found.
    Find,
    /// What memory consists of.
    Regions,
    /// The words of the stack.
    StackMemory,
    /// What calls or steps read and write.
    Effects,
}

impl TableKind {
    /// The name on the tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Accesses => say!("table-accesses"),
            Self::Heap => say!("table-heap"),
            Self::Heat => say!("table-heat"),
            Self::Tasks => say!("table-tasks"),
            Self::Functions => say!("table-functions"),
            Self::Find => say!("table-find"),
            Self::Regions => say!("table-regions"),
            Self::StackMemory => say!("table-stack-memory"),
            Self::Effects => say!("table-effects"),
        }
    }

    /// The icon on the tab.
    pub fn icon(self) -> char {
        match self {
            Self::Accesses => icons::LIST,
            Self::Heap => icons::MEMORY,
            Self::Heat => icons::SUN,
            Self::Tasks => icons::THREADS,
            Self::Functions => icons::CALLS,
            Self::Find => icons::SEARCH,
            Self::Regions => icons::MEMORY,
            Self::StackMemory => icons::STACK,
            Self::Effects => icons::SWAP,
        }
    }

    /// What a kind of panel lists; of other kinds nothing is asked.
    pub fn of(kind: PanelKind) -> Self {
        [Self::Heap, Self::Heat, Self::Tasks, Self::Regions, Self::StackMemory, Self::Effects]
            .into_iter()
            .find(|list| list.panel() == kind)
            .unwrap_or(Self::Accesses)
    }

    /// The kind of panel that shows it.
    pub fn panel(self) -> PanelKind {
        match self {
            Self::Accesses => PanelKind::Accesses,
            Self::Heap => PanelKind::Heap,
            Self::Heat => PanelKind::Heat,
            Self::Tasks => PanelKind::Tasks,
            Self::Functions => PanelKind::Functions,
            Self::Find => PanelKind::Find,
            Self::Regions => PanelKind::Regions,
            Self::StackMemory => PanelKind::StackMemory,
            Self::Effects => PanelKind::Effects,
        }
    }

    /// Letters of the widest column: longer texts are cut, except in the last. What matched is the last of the hits.
    pub fn longest(self) -> usize {
        if self == Self::Find { 24 } else { 44 }
    }

    /// Whether one click travels; where a row is about many moments, two do.
    pub fn travels_at_once(self) -> bool {
        !matches!(self, Self::Functions | Self::StackMemory)
    }

    /// Whether Enter travels; elsewhere it shows memory.
    pub fn travels_by_enter(self) -> bool {
        matches!(self, Self::Accesses | Self::Functions | Self::Find | Self::Effects | Self::Tasks)
    }

    /// Whether its rows are moments in their order: the position is marked between them.
    pub fn has_position(self) -> bool {
        self == Self::Accesses
    }

    /// The column by which rows stand before any was chosen, the highest first; none where they stand as in the trace.
    pub fn usual_order(self) -> Option<&'static str> {
        (self == Self::Functions).then_some("Self")
    }

    /// Whether moving the cursor travels: rows are the moments of one walk.
    pub fn follows_cursor(self) -> bool {
        self == Self::Find
    }

    /// What going to the step of a row is called.
    pub fn travel_words(self) -> &'static str {
        match self {
            Self::Functions => say!("table-travel-to-the-first-call"),
            Self::StackMemory => say!("table-travel-to-its-write"),
            _ => say!("table-travel-there"),
        }
    }

    /// The sentence and the advice where there is nothing to ask for.
    pub fn nothing_asked(self) -> EmptyWords<'static> {
        match self {
            Self::Accesses => {
                EmptyWords(say!("table-no-register-memory-or-code"), say!("table-type-above-or-right-click"))
            }
            Self::Heap => EmptyWords(say!("table-the-trace-does-not-tell"), say!("table-record-it-again-with-record")),
            Self::Heat => EmptyWords(say!("table-no-access-of-memory"), say!("table-the-trace-has-no-loads")),
            Self::Tasks => EmptyWords(say!("table-no-task-ran"), say!("table-the-trace-has-no-steps")),
            Self::Functions => EmptyWords(say!("table-no-function-was-called"), say!("table-the-trace-has-no-calls")),
            Self::Find => EmptyWords(say!("table-nothing-is-looked-for"), say!("table-type-into-the-field-above")),
            Self::Regions => EmptyWords(say!("table-no-memory-is-accessed"), say!("table-the-trace-has-no-loads")),
            Self::Effects => EmptyWords(say!("table-no-steps-are-chosen"), say!("table-choose-a-call-or-steps")),
            Self::StackMemory => EmptyWords(say!("table-the-stack-is-not-known"), say!("table-go-to-a-step-behind")),
        }
    }

    /// The advice where the list is empty.
    pub fn nothing_found(self) -> &'static str {
        match self {
            Self::Accesses => say!("table-ask-for-more-bytes-for"),
            Self::Heap => say!("table-no-function-that-allocates-returns"),
            Self::Heat => say!("table-the-trace-has-no-loads"),
            Self::Tasks => say!("table-the-trace-has-no-steps"),
            Self::Functions => say!("table-the-trace-has-no-calls"),
            Self::Regions => say!("table-the-trace-has-no-loads-and"),
            Self::StackMemory => say!("table-go-to-a-position-where"),
            Self::Effects => say!("effects-nothing-was-used"),
            Self::Find => say!("table-read-the-text-in-another"),
        }
    }
}

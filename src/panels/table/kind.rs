//! Which list it is.

use serde::{Deserialize, Serialize};

use crate::action::PanelKind;
use crate::panels::row::EmptyWords;
use crate::theme::icons;

/// What a list has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum TableKind {
    /// All accesses of some memory.
    Accesses,
    /// The blocks of the heap.
    Heap,
    /// The pages of memory, the busiest first.
    Heat,
    /// The functions, those that took most first.
    Functions,
    /// What a search found.
    Find,
    /// What memory consists of.
    Regions,
    /// The words of the stack.
    StackMemory,
}

impl TableKind {
    /// The name on the tab.
    pub fn title(self) -> &'static str {
        match self {
            Self::Accesses => "Accesses",
            Self::Heap => "Heap",
            Self::Heat => "Heat",
            Self::Functions => "Functions",
            Self::Find => "Find",
            Self::Regions => "Regions",
            Self::StackMemory => "Stack memory",
        }
    }

    /// The icon on the tab.
    pub fn icon(self) -> char {
        match self {
            Self::Accesses => icons::LIST,
            Self::Heap => icons::MEMORY,
            Self::Heat => icons::SUN,
            Self::Functions => icons::CALLS,
            Self::Find => icons::SEARCH,
            Self::Regions => icons::MEMORY,
            Self::StackMemory => icons::STACK,
        }
    }

    /// What a kind of panel lists; of other kinds nothing is asked.
    pub fn of(kind: PanelKind) -> Self {
        [Self::Heap, Self::Heat, Self::Regions, Self::StackMemory]
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
            Self::Functions => PanelKind::Functions,
            Self::Find => PanelKind::Find,
            Self::Regions => PanelKind::Regions,
            Self::StackMemory => PanelKind::StackMemory,
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
        matches!(self, Self::Accesses | Self::Functions | Self::Find)
    }

    /// Whether its rows are moments in their order: the position is marked between them.
    pub fn has_position(self) -> bool {
        self == Self::Accesses
    }

    /// Whether moving the cursor travels: rows are the moments of one walk.
    pub fn follows_cursor(self) -> bool {
        self == Self::Find
    }

    /// What going to the step of a row is called.
    pub fn travel_words(self) -> &'static str {
        match self {
            Self::Functions => "Travel to the first call",
            Self::StackMemory => "Travel to its write",
            _ => "Travel there",
        }
    }

    /// The sentence and the advice where there is nothing to ask for.
    pub fn nothing_asked(self) -> EmptyWords<'static> {
        match self {
            Self::Accesses => EmptyWords(
                "No register, memory or code is chosen",
                "Type above, or right-click a register, a byte or a step.",
            ),
            Self::Heap => EmptyWords(
                "The trace does not tell of the heap",
                "Record it again with -record_heap, and keep the file funclist.log beside the trace.",
            ),
            Self::Heat => EmptyWords("No access of memory", "The trace has no loads and stores."),
            Self::Functions => EmptyWords("No function was called", "The trace has no calls."),
            Self::Find => EmptyWords("Nothing is looked for", "Type into the field above."),
            Self::Regions => EmptyWords("No memory is accessed", "The trace has no loads and stores."),
            Self::StackMemory => EmptyWords("The stack is not known", "Go to a step behind the first."),
        }
    }

    /// The advice where the list is empty.
    pub fn nothing_found(self) -> &'static str {
        match self {
            Self::Accesses => "Ask for more bytes, for all threads, or from the start of the trace.",
            Self::Heap => "No function that allocates returns in the trace.",
            Self::Heat => "The trace has no loads and stores.",
            Self::Functions => "The trace has no calls.",
            Self::Regions => "The trace has no loads and stores, and no images.",
            Self::StackMemory => "Go to a position where the stack pointer is known.",
            Self::Find => "Read the text in another way, or take something out of it.",
        }
    }
}

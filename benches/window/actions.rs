//! Actions of the user: a long session with all features of the window, in a fixed order.

use egui::{
    Event, Key, Modifiers, MouseWheelSource, MouseWheelUnit, PointerButton, Pos2, TouchPhase, pos2,
    vec2,
};

/// A user action.
pub struct Action {
    /// Category in the report.
    pub kind: &'static str,
    /// Events of each frame.
    pub frames: Vec<Vec<Event>>,
}

/// An endless sequence of user actions.
pub struct Actions {
    step_count: u64,
    /// State of the random numbers.
    state: u64,
}

/// Keys that step.
const WALK: [(Modifiers, Key); 8] = [
    (Modifiers::NONE, Key::ArrowDown),
    (Modifiers::NONE, Key::ArrowUp),
    (Modifiers::NONE, Key::S),
    (Modifiers::SHIFT, Key::S),
    (Modifiers::NONE, Key::N),
    (Modifiers::SHIFT, Key::N),
    (Modifiers::NONE, Key::F),
    (Modifiers::NONE, Key::PageDown),
];

/// Keys that fold, unfold and fit.
const VIEW: [(Modifiers, Key); 7] = [
    (Modifiers::NONE, Key::Minus),
    (Modifiers::NONE, Key::Plus),
    (Modifiers::NONE, Key::OpenCurlyBracket),
    (Modifiers::NONE, Key::CloseCurlyBracket),
    (Modifiers::NONE, Key::Z),
    (Modifiers::SHIFT, Key::Z),
    (Modifiers::ALT, Key::ArrowLeft),
];

/// Command lines that show panels and run queries over the whole trace.
const COMMANDS: [&str; 14] = [
    "Last write x0",
    "Last write x1",
    "Last write sp:8",
    "Show memory sp",
    "Show functions",
    "Show calls",
    "Show watches",
    "Watch x0",
    "Show stack",
    "All values x2",
    "Show source",
    "Compare before and after this call",
    "Use layout Profile",
    "Use layout Debug",
];

/// Search texts: words, a value, an access.
const SOUGHT: [&str; 4] = ["ret", "x0 = 5", "access: sp:16", "/b(l|r) /"];

impl Actions {
    /// Creates the actions for a trace of this number of steps.
    pub fn new(step_count: u64) -> Self {
        Self {
            step_count,
            state: 0x9e37_79b9_7f4a_7c15,
        }
    }

    /// Returns a number below `end` (SplitMix64).
    fn below(&mut self, end: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.state ^ (self.state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % end.max(1)
    }

    fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        let place = self.below(all.len() as u64);
        all[usize::try_from(place).unwrap_or(0)]
    }

    /// Returns a point among the panels, below the timeline.
    fn among_panels(&mut self) -> Pos2 {
        pos2(self.below(1600) as f32, 260.0 + self.below(700) as f32)
    }

    fn in_timeline(&mut self) -> Pos2 {
        pos2(
            40.0 + self.below(1500) as f32,
            110.0 + self.below(80) as f32,
        )
    }

    fn wheel(&mut self, place: Pos2) -> Vec<Vec<Event>> {
        let direction = if self.below(2) == 0 { -50.0 } else { 50.0 };
        let turned = Event::MouseWheel {
            unit: MouseWheelUnit::Point,
            source: MouseWheelSource::Unknown,
            delta: vec2(0.0, direction),
            phase: TouchPhase::Move,
            modifiers: Modifiers::NONE,
        };
        let moved = vec![Event::PointerMoved(place)];
        std::iter::once(moved)
            .chain(std::iter::repeat_n(vec![turned], 5))
            .collect()
    }
}

impl Iterator for Actions {
    type Item = Action;

    fn next(&mut self) -> Option<Action> {
        let (kind, frames) = match self.below(20) {
            0..6 => ("walking", vec![press(self.one_of(&WALK))]),
            6 => (
                "held key",
                std::iter::repeat_n(press(WALK[0]), 20).collect(),
            ),
            7 => ("view", vec![press(self.one_of(&VIEW))]),
            8..11 => {
                let place = self.below(self.step_count).to_string();
                ("going", typed((Modifiers::COMMAND, Key::G), &place))
            }
            11..14 => {
                let line = self.one_of(&COMMANDS);
                (
                    "commands",
                    typed((Modifiers::COMMAND | Modifiers::SHIFT, Key::P), line),
                )
            }
            14 => {
                let sought = self.one_of(&SOUGHT);
                ("finding", typed((Modifiers::COMMAND, Key::F), sought))
            }
            15..17 => {
                let place = self.among_panels();
                ("scrolling", self.wheel(place))
            }
            17 => {
                let place = self.in_timeline();
                ("timeline zoom", self.wheel(place))
            }
            18 => {
                let place = self.in_timeline();
                ("timeline click", click(place))
            }
            _ => {
                let place = self.among_panels();
                (
                    "clicking",
                    click(place)
                        .into_iter()
                        .chain([press((Modifiers::NONE, Key::Escape))])
                        .collect(),
                )
            }
        };
        Some(Action { kind, frames })
    }
}

/// Returns the events that the window system sends for a key.
fn press((modifiers, key): (Modifiers, Key)) -> Vec<Event> {
    let stroke = |pressed| Event::Key {
        key,
        pressed,
        modifiers,
        repeat: false,
        physical_key: None,
    };
    let held = [
        Event::ModifiersChanged(modifiers),
        stroke(true),
        stroke(false),
    ];
    held.into_iter()
        .chain([Event::ModifiersChanged(Modifiers::NONE)])
        .collect()
}

/// Opens a box, types into it and leaves it.
fn typed(opening: (Modifiers, Key), text: &str) -> Vec<Vec<Event>> {
    let letters = text
        .chars()
        .map(|letter| vec![Event::Text(letter.to_string())]);
    let left = [
        press((Modifiers::NONE, Key::Enter)),
        press((Modifiers::NONE, Key::Escape)),
    ];
    std::iter::once(press(opening))
        .chain(letters)
        .chain(left)
        .collect()
}

fn click(place: Pos2) -> Vec<Vec<Event>> {
    let button = |pressed| Event::PointerButton {
        pos: place,
        button: PointerButton::Primary,
        pressed,
        modifiers: Modifiers::NONE,
    };
    vec![
        vec![Event::PointerMoved(place)],
        vec![button(true)],
        vec![button(false)],
    ]
}

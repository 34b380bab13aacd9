//! Formats the effects of a step as short texts: `x0 ← 5a7d`, `[80020010] ← a9`, `↓ taken`.

use stepback_index::answer::{Access, AccessTarget, Effect, HostOperation, StepRecord, Value};
use stepback_machine::display::StatusRegister;
use stepback_machine::{AccessKind, InstructionSet, RegisterId, RegisterView};
use stepback_parsers::RegisterSource;

use super::text::{flags_name, flags_text, short_hex};
use super::{TextRole, TextSpan};
use crate::action::CellName;
use crate::messages::say;
use crate::session::Session;

/// Minimum number of digits for which a shortened value is still useful.
const FEWEST_DIGITS: usize = 4;

/// One effect of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EffectText {
    /// Cell, such as `x0` or `[80020010]`; the whole text if there is no value.
    pub label: TextSpan,
    /// New value of the cell. For a load in a trace without values, the loaded value.
    pub value: Option<String>,
    /// The trace does not state the value; it follows from other steps.
    pub is_inferred: bool,
    /// Size of the access, in traces that record no values.
    pub size_bytes: Option<u64>,
    /// A load, which is shown only if there is room.
    pub is_read: bool,
    /// Name of the cell for queries.
    pub cell: Option<CellName>,
}

/// Contiguous accesses of one kind.
struct AccessRun<'a> {
    kind: AccessKind,
    first: u64,
    size_bytes: u64,
    /// Stored or loaded value, if the run is a single access.
    value: Option<&'a Value>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BranchOutcome {
    /// Taken to a higher address.
    Down,
    /// Taken to a lower address, or to itself.
    Up,
    /// Not taken.
    Not,
}

/// Effects that fit into the available width.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FittedEffects {
    /// Shown effects, in order.
    pub shown: Vec<EffectText>,
    /// Number of effects that did not fit; loads are not counted.
    pub hidden: usize,
    /// True if a load did not fit.
    pub is_read_hidden: bool,
}

/// Width of a letter of plain text relative to one of code.
const WORDS: f32 = 0.82;

/// Widths in pixels.
#[derive(Clone, Copy, Debug)]
pub struct EffectMeasure {
    /// Available width.
    pub room: f32,
    /// One character of code.
    pub advance: f32,
    /// Gap between a cell and its value, arrow included.
    pub arrow: f32,
    /// Gap between two effects.
    pub gap: f32,
}

/// Returns the bytes of the status register that a write sets, unknown ones before them; none for
/// other registers.
fn status_bytes(view: RegisterView, value: &Value) -> Option<Vec<Option<u8>>> {
    let before = std::iter::repeat_n(None, usize::from(view.offset));
    (view.register == RegisterId::PSR).then(|| before.chain(value.0.iter().copied()).collect())
}

impl EffectText {
    /// Formats an effect of a step; none for exceptions, notes and markers, which concern no cell.
    pub fn of(effect: &Effect, set: InstructionSet) -> Option<Self> {
        match effect {
            Effect::Register { name, view, value } => {
                let status = status_bytes(*view, value).map(|bytes| set.status(&bytes));
                let (label, text) = match status {
                    // A write that sets no flags may still select the registers in use (the mode).
                    Some(StatusRegister {
                        flags,
                        mode: Some(mode),
                        ..
                    }) if flags.iter().all(|flag| flag.is_set.is_none()) => {
                        let rest = mode
                            .strip_prefix(name)
                            .map(str::trim_start)
                            .map(str::to_owned);
                        (name.clone(), rest.unwrap_or(mode))
                    }
                    Some(status) => (flags_name(&status), flags_text(&status)),
                    None => (
                        name.clone(),
                        short_hex(value).unwrap_or_else(|| say!("effect-unknown").to_owned()),
                    ),
                };
                let cell = Some(CellName::Register(name.clone()));
                let label = TextSpan::new(TextRole::Register, label);
                Some(Self {
                    label,
                    value: Some(text),
                    is_inferred: false,
                    size_bytes: None,
                    is_read: false,
                    cell,
                })
            }
            Effect::Access(access) => Some(Self::of_access(access)),
            Effect::Exception(_) | Effect::Note(_) | Effect::Marker(_) | Effect::More(_) => None,
        }
    }

    /// Formats the accesses of a step in a trace without values. Contiguous accesses are merged.
    pub fn of_accesses<'a>(effects: impl Iterator<Item = &'a Effect>) -> Vec<Self> {
        let mut runs: Vec<AccessRun<'_>> = Vec::new();
        for effect in effects {
            let Effect::Access(
                access @ Access {
                    target:
                        AccessTarget::Memory {
                            address,
                            size_bytes,
                        },
                    ..
                },
            ) = effect
            else {
                continue;
            };
            // A repeated string instruction alternates between reads and writes, upwards or
            // downwards.
            let (first, size) = (address.0, *size_bytes);
            let continued = runs.iter_mut().rev().take(2).find(|run| {
                let is_next = run.first.checked_add(run.size_bytes) == Some(first)
                    || first.checked_add(size) == Some(run.first);
                run.kind == access.kind && is_next
            });
            match continued {
                // Several accesses have no single value.
                Some(run) => {
                    (run.first, run.size_bytes, run.value) =
                        (run.first.min(first), run.size_bytes + size, None)
                }
                None => runs.push(AccessRun {
                    kind: access.kind,
                    first,
                    size_bytes: size,
                    value: Some(&access.value),
                }),
            }
        }
        runs.into_iter().map(Self::of_run).collect()
    }

    fn of_run(run: AccessRun<'_>) -> Self {
        let is_read = run.kind == AccessKind::Read;
        let label = TextSpan::new(
            if is_read {
                TextRole::Read
            } else {
                TextRole::Write
            },
            format!("[{:x}]", run.first),
        );
        let value = run.value.and_then(short_hex);
        let cell = Some(CellName::Memory(
            format!("{:#x}", run.first),
            run.size_bytes,
        ));
        Self {
            label,
            is_inferred: value.is_some(),
            value,
            size_bytes: Some(run.size_bytes),
            is_read,
            cell,
        }
    }

    /// Builds an effect that consists only of words.
    pub fn of_words(meaning: TextRole, text: impl Into<String>) -> Self {
        let label = TextSpan::new(meaning, text);
        Self {
            label,
            value: None,
            is_inferred: false,
            size_bytes: None,
            is_read: false,
            cell: None,
        }
    }

    fn of_access(access: &Access) -> Self {
        let is_read = access.kind == AccessKind::Read;
        let meaning = match () {
            () if is_read && access.is_external => TextRole::External,
            () if is_read => TextRole::Read,
            () => TextRole::Write,
        };
        let (label, cell) = match &access.target {
            AccessTarget::Register(name) => (name.clone(), CellName::Register(name.clone())),
            AccessTarget::Memory {
                address,
                size_bytes,
            } => (
                format!("[{:x}]", address.0),
                CellName::Memory(format!("{address}"), *size_bytes),
            ),
        };
        // The value of a load is shown at its destination, unless it reveals an external change.
        let is_value_shown = !is_read || access.is_external;
        let unknown = || {
            access
                .host_operation
                .map_or(say!("effect-unknown"), HostOperation::name)
                .to_owned()
        };
        let value = is_value_shown.then(|| short_hex(&access.value).unwrap_or_else(unknown));
        let (label, is_inferred) = (
            TextSpan::new(meaning, label),
            access.is_inferred && value.is_some(),
        );
        Self {
            label,
            value,
            is_inferred,
            size_bytes: None,
            is_read,
            cell: Some(cell),
        }
    }

    /// Formats the outcome of a branch.
    pub fn of_branch(taken: BranchOutcome) -> Self {
        let (meaning, text) = match taken {
            BranchOutcome::Down => (TextRole::Taken, say!("effect-taken")),
            BranchOutcome::Up => (TextRole::Taken, say!("effect-taken-2")),
            BranchOutcome::Not => (TextRole::Label, say!("effect-not-taken")),
        };
        Self::of_words(meaning, text)
    }

    /// Returns the text after the arrow: the value, or the size of the access if the value is not
    /// recorded.
    pub fn shown_value(&self) -> Option<String> {
        self.value.clone().or_else(|| {
            self.size_bytes
                .map(|bytes| say!("text-bytes", count = bytes))
        })
    }

    /// Returns the arrow between the cell and its value: into the cell or out of it.
    pub fn arrow(&self) -> &'static str {
        if self.is_read && self.label.meaning == TextRole::Read {
            "→"
        } else {
            "←"
        }
    }

    /// Returns the whole effect on one line; inferred values are marked.
    pub fn full_text(&self) -> String {
        let Some(value) = self.shown_value() else {
            return self.label.text.clone();
        };
        let aside = match (self.is_inferred, self.size_bytes) {
            (true, Some(bytes)) => say!(
                "effect-bytes-inferred",
                bytes = say!("text-bytes", count = bytes)
            ),
            (true, None) => say!("effect-inferred").to_owned(),
            (false, _) => String::new(),
        };
        format!("{} {} {value}{aside}", self.label.text, self.arrow())
    }

    fn width(&self, measure: &EffectMeasure) -> f32 {
        let value = self
            .shown_value()
            .map_or(0.0, |value| width_of(&value, measure) + measure.arrow);
        // Text without a cell is drawn in the proportional font, which is narrower.
        let label = if self.cell.is_none() { WORDS } else { 1.0 };
        label * width_of(&self.label.text, measure) + value
    }

    /// Shortens the effect by dropping high digits until it fits. A store loses digits of its
    /// address, because the stored value matters more. Other effects lose digits of the value, or
    /// all of them if only a few would be left. Returns none if not even the cell fits.
    fn shortened(&self, room: f32, measure: &EffectMeasure) -> Option<Self> {
        if let Some(stored) = self.with_short_address(room, measure) {
            return Some(stored);
        }
        let value = self.value.as_ref()?;
        let fixed = width_of(&self.label.text, measure) + measure.arrow + measure.advance;
        if fixed > room {
            return None;
        }
        let mut digits = value.len();
        // Count down instead of dividing, so that no float is converted to a length.
        while digits > 0
            && fixed + measure.advance * f32::from(u16::try_from(digits).unwrap_or(u16::MAX)) > room
        {
            digits -= 1;
        }
        let kept = value
            .get(value.len() - digits..)
            .filter(|_| digits >= FEWEST_DIGITS)
            .unwrap_or("");
        Some(Self {
            value: Some(format!("…{kept}")),
            ..self.clone()
        })
    }
}

impl EffectText {
    /// Shortens the address of a store: `[…20011] ← 25`. Returns none for other effects, or if too
    /// few digits would be left.
    fn with_short_address(&self, room: f32, measure: &EffectMeasure) -> Option<Self> {
        let digits = self
            .label
            .text
            .strip_prefix('[')?
            .strip_suffix(']')
            .filter(|_| !self.is_read)?;
        (FEWEST_DIGITS..digits.len()).rev().find_map(|kept| {
            let address = digits.get(digits.len() - kept..)?;
            let label = TextSpan::new(self.label.meaning, format!("[…{address}]"));
            let short = Self {
                label,
                ..self.clone()
            };
            (short.width(measure) <= room).then_some(short)
        })
    }

    /// Returns true if digits are missing.
    fn is_cut(&self) -> bool {
        self.label.text.contains('…')
            || self
                .value
                .as_ref()
                .is_some_and(|value| value.starts_with('…'))
    }
}

/// Formats all effects of a step on one line.
pub fn effect_words(session: &Session, record: &StepRecord) -> String {
    let has_values = session.index.source().traits().registers == RegisterSource::Recorded;
    let effects: Vec<EffectText> = match has_values {
        true => {
            let set = record.instruction_set;
            record
                .effects
                .iter()
                .filter_map(|effect| EffectText::of(effect, set))
                .collect()
        }
        false => EffectText::of_accesses(record.effects.iter()),
    };
    effects
        .iter()
        .map(EffectText::full_text)
        .collect::<Vec<_>>()
        .join("  ")
}

impl FittedEffects {
    /// Selects as many effects as fit: first the changes, then the loads.
    pub fn new(effects: &[EffectText], measure: &EffectMeasure) -> Self {
        let mut fitted = Self::default();
        let mut used = 0.0;
        let changes: Vec<&EffectText> = effects.iter().filter(|effect| !effect.is_read).collect();
        for (place, effect) in changes.iter().enumerate() {
            let left = changes.len() - place - 1;
            // Reserve room for `+2` after it, unless it is the last.
            let count = if left == 0 {
                0.0
            } else {
                measure.gap + 2.0 * measure.advance
            };
            let room = measure.room - used - count;
            let shown = if effect.width(measure) <= room {
                Some((*effect).clone())
            } else {
                effect.shortened(room, measure).filter(|_| place == 0)
            };
            let Some(shown) = shown else {
                fitted.hidden = left + 1;
                return fitted;
            };
            used += shown.width(measure) + measure.gap;
            fitted.shown.push(shown);
        }
        for read in effects.iter().filter(|effect| effect.is_read) {
            let width = read.width(measure);
            if used + width > measure.room {
                fitted.is_read_hidden = true;
                break;
            }
            used += width + measure.gap;
            fitted.shown.push(read.clone());
        }
        fitted
    }

    /// Returns true if a change is missing or shortened.
    pub fn is_short(&self) -> bool {
        self.hidden > 0 || self.shown.iter().any(EffectText::is_cut)
    }

    /// Returns the width of the shown effects in pixels.
    pub fn width(&self, measure: &EffectMeasure) -> f32 {
        self.shown
            .iter()
            .map(|effect| effect.width(measure) + measure.gap)
            .sum()
    }
}

fn width_of(text: &str, measure: &EffectMeasure) -> f32 {
    measure.advance * f32::from(u16::try_from(text.chars().count()).unwrap_or(u16::MAX))
}

#[cfg(test)]
mod tests {
    use stepback_index::answer::Value;
    use stepback_machine::{Address, RegisterView};

    use super::*;

    fn register(name: &str, number: u64) -> EffectText {
        let view = RegisterView::new(RegisterId(1), 0, 8);
        let value = Value(number.to_le_bytes().map(Some).to_vec());
        EffectText::of(
            &Effect::Register {
                name: name.to_owned(),
                view,
                value,
            },
            InstructionSet::A64,
        )
        .unwrap()
    }

    fn access(kind: AccessKind, address: u64, bytes: &[u8]) -> EffectText {
        let value = Value(bytes.iter().copied().map(Some).collect());
        let size_bytes = bytes.len() as u64;
        let target = AccessTarget::Memory {
            address: Address(address),
            size_bytes,
        };
        EffectText::of(
            &Effect::Access(Access {
                kind,
                target,
                value,
                is_inferred: false,
                is_decoded: false,
                is_external: false,
                host_operation: None,
            }),
            InstructionSet::A64,
        )
        .unwrap()
    }

    #[track_caller]
    fn check(effects: &[EffectText], characters: f32, expected: &str) {
        let measure = EffectMeasure {
            room: characters,
            advance: 1.0,
            arrow: 3.0,
            gap: 2.0,
        };
        let fitted = FittedEffects::new(effects, &measure);
        let mut texts: Vec<String> = fitted.shown.iter().map(EffectText::full_text).collect();
        if fitted.hidden > 0 {
            texts.push(format!("+{}", fitted.hidden));
        }
        assert_eq!(texts.join("  "), expected);
    }

    #[test]
    fn changes_come_before_loads() {
        let load = access(AccessKind::Read, 0x8402_0024, &[0x25]);
        let effects = [load, register("w1", 0x25)];
        check(&effects, 40.0, "w1 ← 25  [84020024]");
        check(&effects, 12.0, "w1 ← 25");
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let effects = [
            access(AccessKind::Write, 0x8fff_f650, &[0x60, 0xf6]),
            register("x2", 1),
            register("sp", 2),
        ];
        check(&effects, 60.0, "[8ffff650] ← f660  x2 ← 1  sp ← 2");
        check(&effects, 30.0, "[8ffff650] ← f660  x2 ← 1  +1");
        check(&effects, 22.0, "[8ffff650] ← f660  +2");
        check(&effects, 20.0, "[…fff650] ← f660  +2");
        check(&effects, 8.0, "+3");
    }

    #[test]
    fn a_long_value_loses_its_high_digits() {
        let effects = [register("x2", 0xbfb1_e598_a4e5_bda9)];
        check(&effects, 21.0, "x2 ← bfb1e598a4e5bda9");
        check(&effects, 17.0, "x2 ← …598a4e5bda9");
        check(&effects, 9.0, "x2 ← …");
        check(&effects, 5.0, "+1");
    }

    #[test]
    fn accesses_without_values_say_how_much_and_where() {
        let access = |kind, address, size_bytes| {
            let target = AccessTarget::Memory {
                address: Address(address),
                size_bytes,
            };
            Effect::Access(Access {
                kind,
                target,
                value: Value(Vec::new()),
                is_inferred: false,
                is_decoded: false,
                is_external: false,
                host_operation: None,
            })
        };
        let (read, write) = (AccessKind::Read, AccessKind::Write);
        let mut effects = vec![access(read, 0x7ffd_0010, 8), access(write, 0x6000, 8)];
        let texts = |effects: &[Effect]| -> Vec<String> {
            EffectText::of_accesses(effects.iter())
                .iter()
                .map(EffectText::full_text)
                .collect()
        };
        assert_eq!(
            texts(&effects),
            ["[7ffd0010] → 8 bytes", "[6000] ← 8 bytes"]
        );
        effects.extend([
            access(read, 0x7ffd_0018, 8),
            access(write, 0x6008, 8),
            access(read, 0x10, 1),
        ]);
        assert_eq!(
            texts(&effects),
            [
                "[7ffd0010] → 16 bytes",
                "[6000] ← 16 bytes",
                "[10] → 1 byte"
            ]
        );
        assert_eq!(
            texts(&[
                access(write, 8, 8),
                access(write, 0, 8),
                access(write, u64::MAX, 1)
            ])
            .len(),
            2
        );
    }

    #[test]
    fn a_store_of_what_the_program_says_shows_it_as_inferred() {
        let target = AccessTarget::Memory {
            address: Address(0x6000),
            size_bytes: 8,
        };
        let store = Effect::Access(Access {
            kind: AccessKind::Write,
            target,
            value: Value(0x10_u64.to_le_bytes().map(Some).to_vec()),
            is_inferred: true,
            is_decoded: false,
            is_external: false,
            host_operation: None,
        });
        let texts = EffectText::of_accesses(std::iter::once(&store));
        assert_eq!(
            texts.first().map(EffectText::full_text).as_deref(),
            Some("[6000] ← 10 (8 bytes, inferred)")
        );
        check(&texts, 20.0, "[6000] ← 10 (8 bytes, inferred)");
        check(&texts, 5.0, "+1");
    }

    #[test]
    fn flags_are_spelled() {
        let value = Value(0x2000_03cd_u32.to_le_bytes().map(Some).to_vec());
        let view = RegisterView::new(RegisterId::PSR, 0, 4);
        let effect = Effect::Register {
            name: "psr".to_owned(),
            view,
            value,
        };
        let effect = EffectText::of(&effect, InstructionSet::A64).unwrap();
        assert_eq!(effect.full_text(), "nzcv ← nzCv");
        assert_eq!(effect.cell, Some(CellName::Register("psr".to_owned())));
    }

    #[test]
    fn conditions_and_windows_of_sparc_are_spelled() {
        let text = |name: &str, view, bytes: &[u8]| {
            let value = Value(bytes.iter().copied().map(Some).collect());
            let effect = Effect::Register {
                name: name.to_owned(),
                view,
                value,
            };
            EffectText::of(&effect, InstructionSet::Sparc64)
                .unwrap()
                .full_text()
        };
        let conditions = RegisterView::new(RegisterId::PSR, 4, 1);
        assert_eq!(text("ccr", conditions, &[0x49]), "icc xcc ← NzvC nZvc");
        let window = RegisterView::new(RegisterId::PSR, 0, 4);
        assert_eq!(text("window", window, &[3, 8, 0, 0]), "window ← 3 of 8");
    }
}

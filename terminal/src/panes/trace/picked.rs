//! What of the last step is picked: one thing that it did, whose write before can be travelled to.

use stepback_parsers::Position;

use stepback_debugger::action::CellName;
use stepback_debugger::model::step_rows::StepRow;

/// One of the lines that belong to the last step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PickedEffect {
    /// Of the step before which position.
    pub at: Position,
    /// Which line, from 0; the first is the instruction itself in raw text.
    pub place: usize,
    /// Which of the things that the step did.
    pub effect: Option<usize>,
    /// What it is about.
    pub cell: Option<CellName>,
}

/// The next of the things that a step did, or nothing again behind the last. What is no cell is passed over.
pub fn next_effect(
    row: &StepRow,
    at: Position,
    now: Option<&PickedEffect>,
) -> Option<PickedEffect> {
    let first = now
        .filter(|now| now.at == at)
        .map_or(0, |now| now.place + 1);
    let (place, effect) = row
        .effects
        .iter()
        .enumerate()
        .skip(first)
        .find(|(_, effect)| effect.cell.is_some())?;
    Some(PickedEffect {
        at,
        place,
        effect: Some(place),
        cell: effect.cell.clone(),
    })
}

/// The next of the lines of a step, or nothing again behind the last.
pub fn next_line(
    lines: &[String],
    row: Option<&StepRow>,
    at: Position,
    now: Option<&PickedEffect>,
) -> Option<PickedEffect> {
    let place = now
        .filter(|now| now.at == at)
        .map_or(0, |now| now.place + 1);
    let line = lines.get(place)?;
    let effect = row.and_then(|row| effect_in(line, row));
    let cell = effect.and_then(|effect| row?.effects.get(effect)?.cell.clone());
    Some(PickedEffect {
        at,
        place,
        effect,
        cell,
    })
}

/// Which of the things that a step did a line of its text tells of: it has the register's name, or the address.
fn effect_in(line: &str, row: &StepRow) -> Option<usize> {
    let words: Vec<String> = line
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .map(str::to_lowercase)
        .collect();
    row.effects.iter().position(|effect| match &effect.cell {
        Some(CellName::Register(name)) => words.iter().any(|word| word == name),
        Some(CellName::Memory(address, _)) => {
            let digits = address.trim_start_matches("0x");
            words.iter().any(|word| {
                word.trim_start_matches("0x").trim_start_matches('0')
                    == digits.trim_start_matches('0')
            })
        }
        None => false,
    })
}

//! A damaged index, or copy of a trace's records, that a question of the window met: it is made again while the window
//! goes on, and what was asked is asked again.

use std::sync::Arc;

use super::app::App;
use super::lookup::Lookup;
use super::opening::Showing;
use super::options::TraceChoice;
use super::toasts::ToastKind;
use crate::session::Damage;

/// How far it is with what is damaged.
#[derive(Default)]
pub enum Mending {
    /// Nothing was found damaged.
    #[default]
    Unneeded,
    /// It is being made again; the search that met it waits.
    UnderWay(Option<Box<Lookup>>),
    /// It was made again: what is damaged again so soon will not become better.
    Done,
}

impl App {
    /// Begins to make again what a panel found damaged, when nothing is being opened.
    pub(super) fn mend_what_was_met(&mut self) {
        if self.opening.is_none()
            && let Some(damage) = self.worker.take_damage()
        {
            self.mend(damage);
        }
    }

    /// Begins to make again what is damaged, unless that is under way. False where it is not to be made again.
    pub(super) fn mend(&mut self, damage: Damage) -> bool {
        let Some(workspace) = self.workspace.as_mut() else { return false };
        match workspace.mending {
            Mending::UnderWay(_) => return true,
            Mending::Done => return false,
            Mending::Unneeded => {}
        }
        let Some(options) = damage.mended(&workspace.options).filter(|_| self.opening.is_none()) else { return false };
        workspace.mending = Mending::UnderWay(None);
        self.toasts.show(ToastKind::Info, damage.notice());
        self.start_opening(TraceChoice::of(options), Showing::Whole);
        if let Some(opening) = &mut self.opening {
            (opening.is_shown, opening.is_card_hidden) = (true, true);
        }
        true
    }

    /// Keeps a search until it can be asked again. Gives it back where nothing is being made.
    pub(super) fn hold(&mut self, lookup: Lookup) -> Option<Lookup> {
        match self.workspace.as_mut().map(|workspace| &mut workspace.mending) {
            Some(Mending::UnderWay(held)) => {
                *held = Some(Box::new(lookup));
                None
            }
            _ => Some(lookup),
        }
    }

    /// What was damaged is made again, or could not be: what waited for it is asked again.
    pub(super) fn end_mending(&mut self) {
        let Some(workspace) = self.workspace.as_mut() else { return };
        let Mending::UnderWay(held) = &mut workspace.mending else { return };
        let held = held.take();
        workspace.mending = Mending::Done;
        workspace.moving.release();
        if workspace.lookup.is_none() {
            let session = Arc::clone(&workspace.session);
            workspace.lookup = held.map(|lookup| lookup.asked_again(&session, &self.worker));
        }
    }
}

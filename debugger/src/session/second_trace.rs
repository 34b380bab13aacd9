//! The second of two compared traces ([`SecondTrace`]). Its index is repaired as that of the first
//! is: if a question meets damage in it, the index is rebuilt and the question is repeated once.

use std::sync::Arc;

use anyhow::{Error, Result, anyhow};

use super::notice::Damage;
use super::open::Session;
use super::options::OpenOptions;

/// A second trace, with the answer to a question about both.
pub struct SecondTrace<T> {
    pub session: Arc<Session>,
    pub answer: T,
    /// Damage that was repaired for the answer.
    pub mended: Option<Damage>,
}

impl<T> SecondTrace<T> {
    /// Opens a second trace, unless it is open already, and asks a question about it. An error that
    /// is not about the second trace is returned unchanged.
    ///
    /// # Errors
    /// The trace cannot be opened, the question fails, or the index is damaged and must not be
    /// rebuilt.
    pub fn ask(
        options: &OpenOptions,
        known: Option<Arc<Session>>,
        open: impl Fn(&OpenOptions) -> Result<Session>,
        ask: impl Fn(&Session) -> Result<T>,
    ) -> Result<Self> {
        let mut session = match known {
            Some(session) => session,
            None => Arc::new(open(options)?),
        };
        let mut mended = None;
        loop {
            let error = match ask(&session) {
                Ok(answer) => {
                    return Ok(Self {
                        session,
                        answer,
                        mended,
                    });
                }
                Err(error) => error,
            };
            let Some(damage) = damage_of_second(&error, &session) else {
                return Err(error);
            };
            // A second damage in a row would not be cured by a third attempt.
            let again = damage.mended(options).filter(|_| mended.is_none());
            let Some(again) = again else {
                // Only the words are kept: the index of the first trace is not damaged.
                return Err(anyhow!("{}: {error:#}", options.path.display()));
            };
            session = Arc::new(open(&again)?);
            mended = Some(damage);
        }
    }
}

/// Returns the damage that an error reports, if it is in the index of the second trace.
fn damage_of_second(error: &Error, session: &Session) -> Option<Damage> {
    let damage = Damage::of(error.as_ref())?;
    let is_here = damage == Damage::Index && session.index.check_all_parts().is_err();
    is_here.then_some(damage)
}

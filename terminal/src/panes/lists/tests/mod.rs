//! Screen tests of the tables, one file per subject.

mod bookmarks;
mod effects;
mod externals;
mod find;
mod functions;
mod tables;
mod threads;
mod warnings;
mod watches;

use stepback_debugger::action::*;
use stepback_debugger::notes::*;
use stepback_debugger::views::*;

use super::list::ListPane;
use super::test_screen::PaneStage;

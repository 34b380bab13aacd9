//! Details of one byte, and the actions on the bytes around an address.

use std::sync::Arc;

use stepback_index::Cancel;
use stepback_machine::{Address, Endian};

use super::view::MemoryView;
use crate::action::{
    Access, Action, AppAction, CellName, Direction, MarkAction, SliceAction, TravelAction,
    ViewAction,
};
use crate::analysis::heap::{has_heap, heap};
use crate::desk::Desk;
use crate::keymap::watch_text;
use crate::model::byte_detail::{ByteDetail, byte_detail};
use crate::model::heap_table::block_words;
use crate::model::memory::{aligned, aligned_cell};
use crate::notes::{BookmarkChange, BookmarkPlace, WatchChange};

/// An action on the bytes around an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteAction {
    /// Travels to an access of a number of aligned bytes.
    GoToAccess(u64, Access, Direction),
    /// Slices the value of a number of aligned bytes.
    Why(u64),
    /// Lists the accesses of the group.
    ListAccesses,
    /// Lists the values of the group.
    ListValues,
    /// Watches the group.
    Watch,
    /// Adds the group to the waveform.
    Wave,
    /// Names the group.
    Name,
    /// Shows memory from the address on.
    Show,
    /// Follows the pointer in the 8 aligned bytes, if they are known.
    FollowPointer,
    /// Copies the address.
    CopyAddress,
    /// Copies the digits of the byte.
    CopyValue,
}

impl MemoryView {
    /// Applies an action to the bytes around an address, at the moment that is shown.
    pub fn act(
        &mut self,
        address: Address,
        action: ByteAction,
        desk: &Desk,
        out: &mut Vec<Action>,
    ) {
        let group = u64::from(self.group);
        let cell = aligned_cell(address, group);
        let action = match action {
            ByteAction::GoToAccess(len_bytes, access, direction) => {
                // Keep the bytes in sight.
                self.hold();
                out.extend(desk.windows.start_from(self.follow));
                Action::Travel(TravelAction::GoToAccess(
                    aligned_cell(address, len_bytes),
                    access,
                    direction,
                ))
            }
            ByteAction::Why(len_bytes) => {
                let here = desk.windows.position_of(self.follow);
                Action::Slice(SliceAction::WhyAt(aligned_cell(address, len_bytes), here))
            }
            ByteAction::ListAccesses => Action::View(ViewAction::ListAccesses(
                aligned(address, group).to_string(),
                group,
                None,
            )),
            ByteAction::ListValues => Action::View(ViewAction::ListValues(cell)),
            ByteAction::Watch => {
                Action::Mark(MarkAction::Watch(WatchChange::Add(watch_text(&cell))))
            }
            ByteAction::Wave => Action::Mark(MarkAction::Wave(WatchChange::Add(watch_text(&cell)))),
            ByteAction::Name => Action::Mark(MarkAction::Bookmark(BookmarkChange::Call(
                self.place(address),
            ))),
            ByteAction::Show => Action::View(ViewAction::ShowMemory(address.to_string())),
            ByteAction::FollowPointer => {
                let Some(to) = self.pointer_at(address, desk) else {
                    return;
                };
                Action::View(ViewAction::ShowMemory(format!("{to:#x}")))
            }
            ByteAction::CopyAddress => Action::App(AppAction::Copy(address.to_string())),
            ByteAction::CopyValue => {
                let Some(cell) = self.cell(address) else {
                    return;
                };
                Action::App(AppAction::Copy(cell.hex()))
            }
        };
        out.push(action);
    }

    /// Returns the bytes under the cursor, as many as a group has.
    pub fn selection(&self) -> Option<CellName> {
        self.state
            .cursor
            .map(|address| aligned_cell(address, u64::from(self.group)))
    }

    /// Returns the group that contains an address, as a place for bookmarks.
    pub fn place(&self, address: Address) -> BookmarkPlace {
        let len_bytes = u64::from(self.group);
        BookmarkPlace::Memory {
            address: aligned(address, len_bytes).0,
            len_bytes,
        }
    }

    /// Requests the details of a byte.
    pub fn poll_byte(&mut self, address: Address, desk: &Desk) {
        let key = (address, desk.windows.position_of(self.follow));
        self.state
            .detail
            .poll(&key, &desk.worker, |(address, position)| {
                let (address, position, session) = (*address, *position, Arc::clone(&desk.session));
                move |cancel: &Cancel| byte_detail(&session, address, position, cancel)
            });
    }

    /// Returns the details of a byte if they are those of the last request. Those of another byte
    /// would be wrong, not merely old.
    pub fn byte(&self, address: Address) -> Option<&ByteDetail> {
        self.state
            .detail
            .peek()
            .map(|(_, detail)| detail)
            .filter(|detail| detail.address == address)
    }

    /// Requests the blocks of the heap, if the functions that allocate them are known. Cost: the
    /// whole trace, once.
    pub fn poll_heap(&mut self, desk: &Desk) {
        if has_heap(desk.session.companions.functions.as_ref()) {
            self.state.heap.poll_long(&(), &desk.worker, |()| {
                let session = Arc::clone(&desk.session);
                move |cancel: &Cancel| {
                    Ok(heap(
                        &session.index,
                        session.companions.functions.as_ref(),
                        cancel,
                    )?)
                }
            });
        }
    }

    /// Describes the heap block that contains an address, once the blocks are known.
    pub fn heap_words(&self, address: Address, desk: &Desk) -> Option<String> {
        let (_, blocks) = self.state.heap.peek()?;
        block_words(
            &desk.session,
            blocks,
            address,
            desk.windows.position_of(self.follow),
        )
    }

    /// Returns the 8 aligned bytes around an address as a number of the traced CPU, if they are
    /// known and in sight.
    fn pointer_at(&self, address: Address, desk: &Desk) -> Option<u64> {
        let value = |address| self.cell(address).and_then(|cell| cell.value);
        let first = aligned(address, 8).0;
        let bytes: Option<Vec<u8>> = (0..8).map(|place| value(Address(first + place))).collect();
        let bytes = bytes?.try_into().ok()?;
        Some(match self.endian(desk) {
            Endian::Big => u64::from_be_bytes(bytes),
            Endian::Little => u64::from_le_bytes(bytes),
        })
    }
}

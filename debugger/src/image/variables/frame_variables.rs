//! Variables in scope at an instruction ([`FrameVariables`]).

use std::sync::Arc;

use stepback_index::QueryError;
use stepback_machine::Address;

use crate::image::variables::array_lengths::{FrameLengths, LengthReader};
use crate::image::variables::evaluation::EvaluationState;
use crate::image::variables::frame_values::FrameValues;
use crate::image::variables::image_variables::{ImageVariables, ScopeAtAddress, catch_panic};
use crate::image::variables::location::{LocationReader, VariablePlace};
use crate::image::variables::scopes::ScopedVariable;
use crate::image::variables::types::VariableType;
use crate::image::variables::variable_types::VariableTypes;

/// The variables in scope at an instruction.
pub struct FrameVariables {
    pub(super) image: Arc<ImageVariables>,
    pub(super) scope: Arc<ScopeAtAddress>,
}

impl FrameVariables {
    /// Finds the variables in scope at an address; none if the image has no function there.
    pub(in crate::image) fn find(image: &Arc<ImageVariables>, address: Address) -> Option<Self> {
        let address = image.lines.own(address)?;
        Some(Self {
            image: Arc::clone(image),
            scope: image.scope_at(address)?,
        })
    }

    /// Creates the variables of a scope.
    pub(super) fn of_scope(image: &Arc<ImageVariables>, scope: ScopeAtAddress) -> Self {
        Self {
            image: Arc::clone(image),
            scope: Arc::new(scope),
        }
    }

    /// Returns the variables, those of the innermost scope first.
    pub fn variables(&self) -> &[ScopedVariable] {
        &self.scope.code.variables
    }

    /// Returns the names of the functions: the innermost inlined one first, the one of the frame
    /// last.
    pub fn functions(&self) -> &[Option<Arc<str>>] {
        &self.scope.code.functions
    }

    /// Returns the offset of the innermost function, inlined function or block with variables in the
    /// debug information.
    pub fn block(&self) -> Option<usize> {
        let header = &self.scope.function.unit.unit.header;
        let offset = self.scope.code.block?;
        Some(offset.to_debug_info_offset(header)?.0)
    }

    /// Returns the address at which the function is entered.
    pub fn entry(&self) -> Option<Address> {
        let entries = &self.image.loaded()?.entries;
        let own = catch_panic(|| {
            let low = self.scope.function.die.attr_value(gimli::DW_AT_low_pc);
            let unit = &self.scope.function.unit.unit;
            let low = low.and_then(|low| entries.dwarf.attr_address(unit, low).ok().flatten());
            low.or_else(|| {
                entries
                    .ranges_of(&self.scope.function)
                    .first()
                    .map(|first| first.start)
            })
        });
        own.flatten()
            .map(|own| Address(own.wrapping_add(self.image.lines.offset())))
    }

    /// Returns the type of a variable.
    fn type_of(&self, variable: &ScopedVariable) -> VariableType {
        let entry = catch_panic(|| self.image.loaded()?.entries.type_of(&variable.entry));
        VariableType::of(entry.flatten())
    }

    /// Finds a variable in a frame. Queries of a frame share a state.
    ///
    /// # Errors
    /// See [`QueryError`].
    pub fn find_in(
        &self,
        frame: &dyn FrameValues,
        variable: &ScopedVariable,
        state: &EvaluationState,
    ) -> Result<PlacedVariable, QueryError> {
        let of_type = self.type_of(variable);
        let found = self.image.loaded().and_then(|loaded| {
            let reader = LocationReader {
                entries: &loaded.entries,
                rules: &loaded.rules,
                function: &self.scope.function,
                address: self.scope.address,
                offset: self.image.lines.offset(),
                frame,
                state,
            };
            catch_panic(|| -> Result<_, QueryError> {
                let constant = FrameLengths::default();
                let lengths = LengthReader {
                    types: loaded.types(&constant),
                    locations: &reader,
                };
                let lengths = lengths.lengths_in(of_type)?;
                let size_bytes = loaded.types(&lengths).size_of(of_type);
                let place = reader.place_of(&variable.entry, size_bytes)?;
                Ok((lengths, place))
            })
        });
        let (lengths, place) = match found {
            Some(found) => found?,
            None => (FrameLengths::default(), VariablePlace::Unreadable),
        };
        Ok(PlacedVariable {
            types: VariableTypes {
                image: Arc::clone(&self.image),
                lengths: Arc::new(lengths),
            },
            of_type,
            place,
        })
    }
}

/// A variable in a frame.
pub struct PlacedVariable {
    pub types: VariableTypes,
    pub of_type: VariableType,
    pub place: VariablePlace,
}

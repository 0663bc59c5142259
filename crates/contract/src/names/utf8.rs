//! Where in a character a walk over bytes stands.
//!
//! Automata read bytes; lengths and order count characters. Following this alongside keeps every
//! walk on well-formed UTF-8 (Unicode 15 table 3-7), where the order of bytes is that of
//! characters.

/// A place between two bytes of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Utf8 {
    Boundary,
    /// One continuation byte is missing.
    One,
    Two,
    Three,
    AfterE0,
    AfterEd,
    AfterF0,
    AfterF4,
}

/// The first bytes of the ranges that [`Utf8::step`] tells apart.
pub(super) const BORDERS: [u8; 13] =
    [0x80, 0x90, 0xA0, 0xC0, 0xC2, 0xE0, 0xE1, 0xED, 0xEE, 0xF0, 0xF1, 0xF4, 0xF5];

impl Utf8 {
    pub(super) fn step(self, byte: u8) -> Option<Self> {
        let (first, last, next) = match self {
            Self::Boundary => return Self::enter(byte),
            Self::One => (0x80, 0xBF, Self::Boundary),
            Self::Two => (0x80, 0xBF, Self::One),
            Self::Three => (0x80, 0xBF, Self::Two),
            Self::AfterE0 => (0xA0, 0xBF, Self::One),
            Self::AfterEd => (0x80, 0x9F, Self::One),
            Self::AfterF0 => (0x90, 0xBF, Self::Two),
            Self::AfterF4 => (0x80, 0x8F, Self::Two),
        };
        (first..=last).contains(&byte).then_some(next)
    }

    fn enter(byte: u8) -> Option<Self> {
        match byte {
            0x00..=0x7F => Some(Self::Boundary),
            0xC2..=0xDF => Some(Self::One),
            0xE0 => Some(Self::AfterE0),
            0xED => Some(Self::AfterEd),
            0xE1..=0xEF => Some(Self::Two),
            0xF0 => Some(Self::AfterF0),
            0xF1..=0xF3 => Some(Self::Three),
            0xF4 => Some(Self::AfterF4),
            0x80..=0xC1 | 0xF5..=0xFF => None,
        }
    }

    /// How many bytes the character still lacks.
    pub(super) fn missing(self) -> u8 {
        match self {
            Self::Boundary => 0,
            Self::One => 1,
            Self::Two | Self::AfterE0 | Self::AfterEd => 2,
            Self::Three | Self::AfterF0 | Self::AfterF4 => 3,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_character_and_nothing_else_is_a_walk_from_boundary_to_boundary() {
        for character in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            let mut bytes = character.encode_utf8(&mut buffer).bytes();
            let end = bytes.try_fold(Utf8::Boundary, Utf8::step);
            assert_eq!(end, Some(Utf8::Boundary), "{character:?}");
        }
        assert_eq!(count(Utf8::Boundary), ('\0'..=char::MAX).count());
    }

    fn count(from: Utf8) -> usize {
        let steps = (0..=u8::MAX).filter_map(|byte| from.step(byte));
        steps.map(|to| if to == Utf8::Boundary { 1 } else { count(to) }).sum()
    }
}

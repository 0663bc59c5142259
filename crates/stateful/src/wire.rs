//! Values as bytes, for the messages between a test and the process that runs its sequences.
//!
//! Both ends are the same binary, so there are no versions and no names: a value is the sequence of its
//! parts. Reading never panics: what does not fit is `None`.

use std::collections::BTreeMap;

use crate::{
    Argument, Fault, FaultKind, StateText, execution::SequenceOutcome, fault::FaultParts,
    statistics::Counts,
};

/// A value that can be sent.
pub(crate) trait Wire: Sized {
    fn write(&self, bytes: &mut Vec<u8>);
    fn read(bytes: &mut &[u8]) -> Option<Self>;
}

impl Wire for u64 {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend(self.to_le_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let (number, rest) = bytes.split_first_chunk()?;
        *bytes = rest;
        Some(Self::from_le_bytes(*number))
    }
}

/// Numbers that are sent as others.
macro_rules! as_u64 {
    ($($number:ty),+) => {$(
        impl Wire for $number {
            fn write(&self, bytes: &mut Vec<u8>) {
                let number = u64::try_from(*self).expect("no platform has larger ones");
                number.write(bytes);
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                u64::read(bytes)?.try_into().ok()
            }
        }
    )+};
}

as_u64!(u32, usize);

impl Wire for bool {
    fn write(&self, bytes: &mut Vec<u8>) {
        u64::from(*self).write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some(u64::read(bytes)? != 0)
    }
}

impl Wire for String {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.len().write(bytes);
        bytes.extend(self.as_bytes());
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        let length = usize::read(bytes)?;
        let (text, rest) = bytes.split_at_checked(length)?;
        *bytes = rest;
        Self::from_utf8(text.to_vec()).ok()
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.len().write(bytes);
        for item in self {
            item.write(bytes);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        (0..usize::read(bytes)?).map(|_| T::read(bytes)).collect()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.is_some().write(bytes);
        if let Some(value) = self {
            value.write(bytes);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        if bool::read(bytes)? { Some(Some(T::read(bytes)?)) } else { Some(None) }
    }
}

impl<A: Wire, B: Wire> Wire for (A, B) {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.0.write(bytes);
        self.1.write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        Some((A::read(bytes)?, B::read(bytes)?))
    }
}

impl<K: Wire + Ord, V: Wire> Wire for BTreeMap<K, V> {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.len().write(bytes);
        for (key, value) in self {
            key.write(bytes);
            value.write(bytes);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        (0..usize::read(bytes)?).map(|_| <(K, V)>::read(bytes)).collect()
    }
}

/// Structs that are sent as their fields, in this order.
macro_rules! by_fields {
    ($($name:ident { $($field:ident),+ })+) => {$(
        impl Wire for $name {
            fn write(&self, bytes: &mut Vec<u8>) {
                $(self.$field.write(bytes);)+
            }

            fn read(bytes: &mut &[u8]) -> Option<Self> {
                Some(Self { $($field: Wire::read(bytes)?),+ })
            }
        }
    )+};
}

by_fields! {
    Argument { name, value }
    StateText { model, system }
    FaultParts { kind, location, identity, during, detail }
    Counts { ran, blocked, rejected, labels, transitions, is_cut_short, warnings }
}

impl Wire for Fault {
    fn write(&self, bytes: &mut Vec<u8>) {
        self.parts().write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        FaultParts::read(bytes).map(Self::from_parts)
    }
}

impl Wire for FaultKind {
    fn write(&self, bytes: &mut Vec<u8>) {
        (*self as u64).write(bytes);
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        const KINDS: [FaultKind; 7] = [
            FaultKind::Postcondition,
            FaultKind::Prediction,
            FaultKind::Invariant,
            FaultKind::Error,
            FaultKind::Panic,
            FaultKind::Timeout,
            FaultKind::Crash,
        ];
        KINDS.get(usize::read(bytes)?).copied()
    }
}

impl Wire for SequenceOutcome {
    fn write(&self, bytes: &mut Vec<u8>) {
        let (number, fault) = match self {
            Self::Passed => (0, None),
            Self::Blocked => (1, None),
            Self::Exhausted => (2, None),
            Self::TooShort => (3, None),
            Self::Failed(fault) => (4, Some(fault)),
            Self::StartFailed(fault) => (5, Some(fault)),
            Self::ProposalFailed(fault) => (6, Some(fault)),
        };
        u64::write(&number, bytes);
        if let Some(fault) = fault {
            fault.write(bytes);
        }
    }

    fn read(bytes: &mut &[u8]) -> Option<Self> {
        match u64::read(bytes)? {
            0 => Some(Self::Passed),
            1 => Some(Self::Blocked),
            2 => Some(Self::Exhausted),
            3 => Some(Self::TooShort),
            4 => Fault::read(bytes).map(Self::Failed),
            5 => Fault::read(bytes).map(Self::StartFailed),
            6 => Fault::read(bytes).map(Self::ProposalFailed),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn again<T: Wire>(value: &T) -> Option<T> {
        let mut bytes = Vec::new();
        value.write(&mut bytes);
        // What is cut off is refused.
        for end in 0..bytes.len() {
            assert!(T::read(&mut &bytes[..end]).is_none(), "{end} of {}", bytes.len());
        }
        let mut rest = &bytes[..];
        let read = T::read(&mut rest);
        assert!(rest.is_empty());
        read
    }

    #[test]
    fn reading_inverts_writing() {
        let fault = Fault::new(FaultKind::Crash, "here", "ä").with_identity("6").during("setup");
        let outcomes = [
            SequenceOutcome::Passed,
            SequenceOutcome::Blocked,
            SequenceOutcome::Exhausted,
            SequenceOutcome::TooShort,
            SequenceOutcome::Failed(fault.clone()),
            SequenceOutcome::StartFailed(fault.clone()),
            SequenceOutcome::ProposalFailed(fault.clone()),
        ];
        for outcome in &outcomes {
            assert_eq!(format!("{:?}", again(outcome)), format!("{:?}", Some(outcome)));
        }
        let counts = Counts {
            ran: vec![1, 2],
            rejected: [((1, "key".to_owned()), 3)].into(),
            is_cut_short: true,
            warnings: vec![(0, fault)],
            ..Counts::none(2)
        };
        assert_eq!(format!("{:?}", again(&counts)), format!("{:?}", Some(&counts)));
        assert_eq!(again(&vec![Some("a".to_owned()), None]).unwrap(), [Some("a".to_owned()), None]);
    }
}

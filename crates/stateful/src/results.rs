//! The results of steps: those that later steps may refer to, and all of them as text for reports.

use std::{
    any::{Any, TypeId},
    borrow::Cow,
    fmt::{self, Debug, Write},
};

/// The longest text of a result that is kept of a sequence that is not traced.
const LONGEST: usize = 200;

/// The yielded values of a sequence, which later steps may refer to.
#[derive(Default)]
pub(crate) struct Results(Vec<Yielded>);

/// A value that a step yielded.
struct Yielded {
    step: u32,
    /// Which of the values of the step it is.
    part: u32,
    command: usize,
    value: Box<dyn Any>,
    is_consumed: bool,
}

impl Results {
    pub(crate) fn add(&mut self, step: u32, command: usize, values: Vec<Box<dyn Any>>) {
        for (part, value) in (0..).zip(values) {
            self.0.push(Yielded { step, part, command, value, is_consumed: false });
        }
    }

    /// The values of this type that steps of `commands` yielded, each with its step and its part.
    pub(crate) fn of<T: Any>(&self, commands: &[usize]) -> Vec<((u32, u32), &T)> {
        let those = self.0.iter().filter(|it| !it.is_consumed && commands.contains(&it.command));
        those.filter_map(|it| Some(((it.step, it.part), it.value.downcast_ref()?))).collect()
    }

    /// Nobody can refer to this value any more.
    pub(crate) fn consume(&mut self, step: u32, part: u32) {
        for it in self.0.iter_mut().filter(|it| (it.step, it.part) == (step, part)) {
            it.is_consumed = true;
        }
    }
}

/// The results of all steps as text, one after the other in one buffer.
#[derive(Debug, Default)]
pub(crate) struct ResultLog {
    text: String,
    ends: Vec<usize>,
}

impl ResultLog {
    /// Adds the result of a step. Formatting a large one would cost more than the step, so it is cut off
    /// unless all of it is wanted.
    pub(crate) fn add<R: Debug>(&mut self, result: &R, is_whole: bool) {
        if size_of::<R>() > 0 {
            let limit = if is_whole { usize::MAX } else { LONGEST };
            let mut cut = Cut { text: &mut self.text, left: limit };
            // The error means that the limit is reached.
            let _ = write!(cut, "{result:?}");
        }
        self.ends.push(self.text.len());
    }

    /// Adds a step without a result.
    pub(crate) fn add_nothing(&mut self) {
        self.ends.push(self.text.len());
    }

    /// The results of the first `steps` steps.
    pub(crate) fn texts(&self) -> Vec<String> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| self.text[*start..*end].to_owned()).collect()
    }
}

/// Writes up to a limit.
struct Cut<'a> {
    text: &'a mut String,
    left: usize,
}

impl Write for Cut<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if text.len() <= self.left {
            self.left -= text.len();
            self.text.push_str(text);
            return Ok(());
        }
        let end = (0..=self.left).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
        self.text.push_str(&text[..end]);
        self.text.push('…');
        self.left = 0;
        Err(fmt::Error)
    }
}

/// A reference to the yielded values of other commands.
#[derive(Clone, Debug)]
pub struct Reference {
    /// The commands.
    pub(crate) commands: Vec<Cow<'static, str>>,
    /// The type that is expected of their values.
    pub(crate) value_type: ValueType,
}

/// A type that can be compared, with its name for messages.
#[derive(Clone, Copy, Debug)]
pub struct ValueType {
    id: TypeId,
    pub(crate) name: &'static str,
}

impl ValueType {
    pub(crate) fn of<T: 'static>() -> Self {
        Self { id: TypeId::of::<T>(), name: std::any::type_name::<T>() }
    }

    pub(crate) fn is(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

/// The names of the commands whose values an argument may be: one, or several.
///
/// ```
/// use foolproof_stateful::Producers;
///
/// let one = Producers::from("open");
/// let several = Producers::from(["open", "open several"]);
/// # let _ = (one, several);
/// ```
#[derive(Clone, Debug)]
pub struct Producers(pub(crate) Vec<Cow<'static, str>>);

impl From<&'static str> for Producers {
    fn from(command: &'static str) -> Self {
        Self(vec![command.into()])
    }
}

impl From<String> for Producers {
    fn from(command: String) -> Self {
        Self(vec![command.into()])
    }
}

impl<const N: usize> From<[&'static str; N]> for Producers {
    fn from(commands: [&'static str; N]) -> Self {
        Self(commands.into_iter().map(Cow::from).collect())
    }
}

impl From<Vec<String>> for Producers {
    fn from(commands: Vec<String>) -> Self {
        Self(commands.into_iter().map(Cow::from).collect())
    }
}

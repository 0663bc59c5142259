//! Which ways there are to make the strings of a shape, and in which order to try them.

use foolproof_contract::{
    StringCheck, StringShape,
    language::{Automaton, Condition, LookAroundPolicy, PatternConditions, TooLarge},
};

use super::{
    content::Content, format::Format, retry::Retry, sketch::Sketch, text, walk::Walk,
    window::Window,
};
use crate::Source;

/// Draws that decide whether plausible values have a chance.
const PROBES: u64 = 32;

/// Tries where a draw may be refused.
const TRIES: u64 = 200;

/// Tries where a refused draw has something better behind it.
const FEW_TRIES: u64 = 12;

/// Characters of all tries together: those of huge strings are fewer.
const CHARACTERS: usize = 4_000_000;

/// Greatest least length that counts are limited above; longer texts are sketched.
const LIMITED_LENGTH: usize = 2_000;

/// One way to make a string.
#[derive(Debug)]
pub(super) struct Way {
    maker: Maker,
    pub(super) tries: u64,
    /// Whether to leave it out in one of four draws.
    pub(super) is_optional: bool,
    /// Whether the patterns and formats need no check.
    is_exact: bool,
}

#[derive(Debug)]
enum Maker {
    Text,
    /// One word.
    Word,
    /// Words joined in some style.
    Label,
    Format(Format),
    Content(Content),
    Walk(Box<Walk>),
    Sketch(Box<Sketch>),
}

impl Way {
    fn new(maker: Maker, window: Window, tries: u64) -> Self {
        let tries = affordable(window, tries);
        Self { maker, tries, is_optional: false, is_exact: false }
    }

    /// Writes a string to `text`, whatever that was; `false` if it is refused.
    pub(super) fn attempt(
        &self,
        text: &mut String,
        window: Window,
        check: &StringCheck,
        source: &mut impl Source,
    ) -> bool {
        text.clear();
        let is_drawn = match &self.maker {
            Maker::Text => text::draw(text, window, source),
            Maker::Format(format) => {
                source.note_spread(format.spread());
                format.draw(text, window, source)
            }
            Maker::Content(content) => content.draw(text, window, source),
            Maker::Word => {
                text::word(text, source);
                true
            }
            Maker::Label => {
                text::label(text, source);
                true
            }
            Maker::Walk(walk) => {
                walk.draw(text, source);
                true
            }
            Maker::Sketch(sketch) => {
                sketch.draw(text, source);
                true
            }
        };
        is_drawn
            && window.admits(text)
            && check.includes(text)
            && (self.is_exact || check.admits(text))
    }
}

impl Way {
    /// At most `most` texts along the patterns, if they are one automaton; to be checked like draws.
    pub(super) fn texts(&self, most: usize) -> Vec<String> {
        match &self.maker {
            Maker::Walk(walk) => walk.texts(most, CHARACTERS),
            Maker::Text
            | Maker::Word
            | Maker::Label
            | Maker::Format(_)
            | Maker::Content(_)
            | Maker::Sketch(_) => Vec::new(),
        }
    }
}

/// How often a string of `window` may be drawn: `tries` times, unless it is huge.
fn affordable(window: Window, tries: u64) -> u64 {
    tries.min((CHARACTERS / window.least.max(1)).max(1) as u64)
}

/// The ways for `shape`, whose window is not empty. None if there is no such string, or none can be
/// checked in a reasonable time.
pub(super) fn ways(shape: &StringShape, window: Window, check: &StringCheck) -> Vec<Way> {
    if shape.patterns.iter().chain(&shape.excluded_patterns).any(|it| is_costly(it)) {
        return Vec::new();
    }
    let formats: Vec<Format> = shape.formats.iter().map(|name| Format::of(name)).collect();
    let format = formats.iter().find(|format| **format != Format::Unknown);
    let content = Content::of(&shape.content_media_types, &shape.content_encodings);
    let is_free = shape.patterns.is_empty() && shape.excluded_patterns.is_empty();
    let makers = match (format, content) {
        (Some(format), _) => vec![Maker::Format(*format)],
        (None, Some(content)) => vec![Maker::Content(content)],
        (None, None) if is_free => vec![Maker::Text],
        (None, None) => vec![Maker::Text, Maker::Label, Maker::Word],
    };
    let is_text = format.is_none() && content.is_none();
    let (mut natural, accepted) = most_accepted(makers, window, check);
    natural.is_exact = is_free && (is_unconditional(shape) || is_one_format(shape, &formats));
    // Free text and content have no expression to walk along.
    if is_free && (format.is_none() || accepted * 10 >= PROBES * 9) {
        return vec![natural];
    }
    match walks(shape, &formats, window) {
        Walks::Nothing => Vec::new(),
        Walks::Some(walks) if walks.is_empty() => vec![natural],
        Walks::Some(walks) if accepted * 8 >= PROBES => {
            natural.tries = natural.tries.min(FEW_TRIES);
            natural.is_optional = is_text && !shape.patterns.is_empty();
            std::iter::once(natural).chain(walks).collect()
        }
        Walks::Some(walks) => walks.into_iter().chain([natural]).collect(),
    }
}

/// The first maker with a fair chance, or else the one whose draws are refused least; and how many
/// of [`PROBES`] probes were accepted. The makers come with the most varied first.
fn most_accepted(makers: Vec<Maker>, window: Window, check: &StringCheck) -> (Way, u64) {
    let mut best: Option<(Way, u64)> = None;
    for maker in makers {
        let way = Way::new(maker, window, TRIES);
        let mut text = String::new();
        let is_accepted =
            |probe: &u64| way.attempt(&mut text, window, check, &mut Retry::new(0, *probe));
        let probes = affordable(window, PROBES);
        let accepted = (0..probes).filter(is_accepted).count() as u64 * PROBES / probes;
        if best.as_ref().is_none_or(|(_, most)| accepted > *most) {
            best = Some((way, accepted));
        }
        if accepted * 3 >= PROBES {
            break;
        }
    }
    best.expect("there is a maker for every kind of shape")
}

/// Whether nothing beside patterns and lengths is asked.
fn is_unconditional(shape: &StringShape) -> bool {
    shape.formats.is_empty()
        && shape.excluded_formats.is_empty()
        && shape.content_media_types.is_empty()
        && shape.content_encodings.is_empty()
}

/// Whether one format is all that is asked beside a length, and its values need no check.
fn is_one_format(shape: &StringShape, formats: &[Format]) -> bool {
    matches!(formats, [format] if format.is_by_construction())
        && shape.excluded_formats.is_empty()
        && shape.content_media_types.is_empty()
        && shape.content_encodings.is_empty()
}

enum Walks {
    /// There is no such string.
    Nothing,
    Some(Vec<Way>),
}

/// The ways along the patterns, and along the formats where they are regular.
fn walks(shape: &StringShape, formats: &[Format], window: Window) -> Walks {
    let readings = Readings::of(shape, formats, LookAroundPolicy::Drop);
    if readings.conditions.is_empty() {
        return Walks::Some(Vec::new());
    }
    let guess = if readings.is_exact { None } else { guess(shape, formats, window) };
    match explore(&readings.conditions, window) {
        Ok(Some(walk)) => {
            let mut way = Way::new(Maker::Walk(Box::new(walk)), window, TRIES);
            way.is_exact = readings.is_exact && is_unconditional(shape);
            Walks::Some(guess.into_iter().chain([way]).collect())
        }
        // The expressions of formats leave values out, so nothing is proven with them.
        Ok(None) if formats.iter().all(|format| format.pattern().is_none()) => Walks::Nothing,
        Ok(None) => Walks::Some(Vec::new()),
        Err(TooLarge) => {
            Walks::Some(guess.into_iter().chain(partial(&readings.conditions, window)).collect())
        }
    }
}

/// A way that takes look-around for text, where a pattern has any.
fn guess(shape: &StringShape, formats: &[Format], window: Window) -> Option<Way> {
    let looks = |pattern: &String| pattern.contains("(?=") || pattern.contains("(?<=");
    if !shape.patterns.iter().any(looks) {
        return None;
    }
    let readings = Readings::of(shape, formats, LookAroundPolicy::Consume);
    let walk = explore(&readings.conditions, window).ok()??;
    Some(Way::new(Maker::Walk(Box::new(walk)), window, TRIES / 4))
}

/// The patterns of a shape as conditions.
struct Readings {
    conditions: Vec<Condition>,
    /// Whether the conditions say all that the patterns do.
    is_exact: bool,
}

impl Readings {
    fn of(shape: &StringShape, formats: &[Format], look_around: LookAroundPolicy) -> Self {
        let mut readings = Self { conditions: Vec::new(), is_exact: true };
        for pattern in &shape.patterns {
            readings.add(PatternConditions::of(pattern, look_around));
        }
        for pattern in &shape.excluded_patterns {
            match PatternConditions::of(pattern, LookAroundPolicy::Drop)
                .and_then(PatternConditions::negate)
            {
                Some(condition) => readings.conditions.push(condition),
                None => readings.is_exact = false,
            }
        }
        for pattern in formats.iter().filter_map(|format| format.pattern()) {
            readings.add(PatternConditions::of(&pattern, LookAroundPolicy::Drop));
        }
        readings
    }

    fn add(&mut self, read: Option<PatternConditions>) {
        self.is_exact &= read.as_ref().is_some_and(|read| read.exact);
        self.conditions.extend(read.into_iter().flat_map(|read| read.conditions));
    }
}

/// A number of bytes that no string of the shape is shorter than, by its lengths and its patterns.
pub(super) fn least_length(shape: &StringShape, window: Window) -> usize {
    let readings = shape.patterns.iter();
    let readings = readings.filter_map(|it| PatternConditions::of(it, LookAroundPolicy::Drop));
    let conditions = readings.flat_map(|read| read.conditions);
    let wanted = conditions.filter(Condition::is_match);
    wanted.map(|it| it.expression().least_length()).fold(window.least, usize::max)
}

/// The most steps that one check of a string may take, about: a second or two.
const CHECK_STEPS: usize = 400_000_000;

/// Whether a check of one string takes too long. A pattern that may start anywhere is followed from each character of the
/// text at once, and its shortest text is as long as its count.
pub(crate) fn is_costly(pattern: &str) -> bool {
    // Nothing shorter takes so long, and most patterns need not be read again.
    let has_large_count = pattern.bytes().filter(u8::is_ascii_digit).count() > 4;
    let reading = || PatternConditions::of(pattern, LookAroundPolicy::Drop);
    has_large_count
        && reading().is_some_and(|reading| {
            reading.conditions.iter().map(Condition::expression).any(|expression| {
                let length = expression.least_length();
                !expression.is_anchored_at_start() && length.saturating_mul(length) > CHECK_STEPS
            })
        })
}

fn explore(conditions: &[Condition], window: Window) -> Result<Option<Walk>, TooLarge> {
    Walk::new(Automaton::explore(conditions)?, window)
}

/// Ways for conditions that are too large together: with their counts limited, without those that are
/// too large alone, and straight along an expression.
fn partial(conditions: &[Condition], window: Window) -> Vec<Way> {
    let mut ways = Vec::new();
    let room = u32::try_from(window.least.min(LIMITED_LENGTH)).unwrap_or(0) + 16;
    for extra in [room.max(64), 8] {
        let limited: Vec<Condition> =
            conditions.iter().map(|condition| limit_counts(condition, extra)).collect();
        if let Ok(Some(walk)) = explore(&limited, window) {
            ways.push(Way::new(Maker::Walk(Box::new(walk)), window, TRIES / 4));
            break;
        }
    }
    let wanted = || conditions.iter().filter(|it| it.is_match());
    if ways.is_empty() {
        let small: Vec<Condition> = conditions.iter().filter(|it| fits(it)).cloned().collect();
        let has_wanted = small.iter().any(Condition::is_match);
        if let (true, Ok(Some(walk))) = (has_wanted, explore(&small, window)) {
            ways.push(Way::new(Maker::Walk(Box::new(walk)), window, TRIES / 4));
        }
    }
    let large = wanted().find(|it| !fits(it)).or_else(|| wanted().next());
    let sketch = large.and_then(|it| Sketch::of(it.expression(), window));
    ways.extend(sketch.map(|it| Way::new(Maker::Sketch(Box::new(it)), window, TRIES)));
    ways
}

/// A condition that must fail stays as it is: limiting it would allow too much.
fn limit_counts(condition: &Condition, extra: u32) -> Condition {
    match condition {
        Condition::Match(expression) => Condition::Match(expression.limit_counts(extra)),
        Condition::NoMatch(_) => condition.clone(),
    }
}

fn fits(condition: &Condition) -> bool {
    Automaton::explore(std::slice::from_ref(condition)).is_ok()
}

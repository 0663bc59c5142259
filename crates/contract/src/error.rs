//! What can be wrong with a contract, and where.
//!
//! Every error says what (its [`Problem`]), where (file, JSON Pointer and, when the text is at hand,
//! line and column) and what to do about it. A schema that admits no value is not an error: it is
//! a result, reported by [`Canonical`](crate::Canonical).

use std::{fmt, path::PathBuf};

use thiserror::Error as ThisError;

use crate::{Location, Pointer, Position, text::Syntax};

/// Why a contract could not be read, with the place it happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    problem: Problem,
    document: Option<String>,
    pointer: Option<Pointer>,
    position: Option<Position>,
}

/// What is wrong, apart from where.
#[derive(Clone, Debug, PartialEq, Eq, ThisError)]
#[non_exhaustive]
pub enum Problem {
    /// The file could not be opened or read.
    #[error("cannot read `{}`: {reason}", path.display())]
    Unreadable {
        /// The file as it was named.
        path: PathBuf,
        /// What the operating system said.
        reason: String,
    },
    /// Something other than a regular file was named, which may never end or never be there.
    #[error("`{}` is {kind}, not a regular file", path.display())]
    NotAFile {
        /// The file as it was named.
        path: PathBuf,
        /// What it is, with its article.
        kind: &'static str,
    },
    /// The contract has more bytes than the caller allows.
    #[error("the contract is too large with `{name}`: {} bytes, the limit is {limit}", size_of(*.size, *.limit))]
    TooLarge {
        /// The file with which it is too large: its own, or one that it refers to.
        name: String,
        /// How many bytes it has with this file, if that is known.
        size: Option<u64>,
        /// The most bytes allowed.
        limit: u64,
    },
    /// The bytes are not UTF-8 text.
    #[error("the text is not UTF-8: invalid byte at offset {offset}")]
    NotUtf8 {
        /// Byte offset of the first invalid byte.
        offset: usize,
    },
    /// The text holds nothing.
    #[error("the document is empty")]
    Empty,
    /// The text breaks the grammar of its format.
    #[error("invalid {format}: {message}")]
    Syntax {
        /// The format the text was read as.
        format: Syntax,
        /// What the parser said.
        message: String,
    },
    /// One object names one key twice, so readers would disagree on its meaning.
    #[error("duplicate key `{key}`")]
    DuplicateKey {
        /// The repeated key.
        key: String,
    },
    /// The document nests deeper than any reader of it could follow.
    #[error("nested deeper than {limit} levels")]
    TooDeep {
        /// The deepest level accepted.
        limit: usize,
    },
    /// YAML aliases, and anchors inside one another, repeat more than a contract can reasonably hold.
    #[error("with `{name}`, aliases repeat more than {limit} bytes of the document")]
    TooManyAliases {
        /// The alias or anchor that goes beyond the limit, as written.
        name: String,
        /// The number of bytes that may be repeated.
        limit: usize,
    },
    /// A value that JSON cannot express, such as YAML's `.nan`.
    #[error("`{text}` has no JSON equivalent")]
    NotJson {
        /// The value as written.
        text: String,
    },
    /// Something other than an object or a boolean stands where a schema should be.
    #[error("a schema must be an object or a boolean, not {found}")]
    NotASchema {
        /// What was found, with its article.
        found: &'static str,
    },
    /// `$schema` names a dialect nobody here knows.
    #[error("unknown dialect `{uri}`")]
    UnknownDialect {
        /// The URI in `$schema`.
        uri: String,
    },
    /// A contract format of a version that is not supported.
    #[error("{what} is not supported")]
    UnsupportedVersion {
        /// The format and version.
        what: String,
    },
    /// A part of an OpenAPI document does not have the form that the specification requires.
    #[error("invalid API: {message}")]
    InvalidApi {
        /// What is wrong.
        message: String,
    },
    /// An OpenAPI document was given where a single schema is needed.
    #[error("an OpenAPI document has many schemas")]
    ManySchemas,
    /// A keyword holds a value that its definition forbids.
    #[error("invalid schema: {message}")]
    InvalidSchema {
        /// What the dialect's meta-schema said.
        message: String,
    },
    /// A pattern is not a regular expression of ECMA-262, or its automaton is too large.
    #[error("`{pattern}` is not a regular expression that can be compiled")]
    InvalidPattern {
        /// The pattern as written.
        pattern: String,
    },
    /// A reference that names nothing.
    #[error("`{keyword}` to `{reference}` points to nothing")]
    DanglingReference {
        /// `$ref`, `$dynamicRef` or `$recursiveRef`.
        keyword: &'static str,
        /// The reference as written.
        reference: String,
    },
    /// A reference that leaves the documents at hand.
    #[error("`{keyword}` to `{reference}` leaves the document{}", .reason.as_ref().map(|reason| format!(": {reason}")).unwrap_or_default())]
    ExternalReference {
        /// `$ref`, `$dynamicRef` or `$recursiveRef`.
        keyword: &'static str,
        /// The reference as written.
        reference: String,
        /// Why it was not read although files were allowed.
        reason: Option<String>,
    },
    /// References that lead back to themselves on the same value, directly or through keywords such
    /// as `allOf`: judging a value by them would never end.
    #[error("a reference leads back to itself on the same value: {}", path(.cycle))]
    ReferenceCycle {
        /// The locations on the cycle, from the first one met; the last is the first again.
        cycle: Vec<Location>,
    },
    /// References that lead to references, more often than any reader of them should have to follow.
    #[error("a chain of more than {limit} references starts here")]
    ReferenceChain {
        /// The longest chain accepted.
        limit: usize,
    },
    /// A pattern so long that compiling it would take more memory than it is worth.
    #[error("a pattern of {length} bytes is too long, the limit is {limit}")]
    PatternTooLong {
        /// Its length.
        length: usize,
        /// The longest pattern accepted.
        limit: usize,
    },
    /// A number with more digits than any value needs.
    #[error("a number of {length} characters is too long, the limit is {limit}")]
    NumberTooLong {
        /// Its length.
        length: usize,
        /// The longest number accepted.
        limit: usize,
    },
    /// The oracle could not be built for a reason of its own.
    #[error("the schema cannot be compiled: {message}")]
    NotCompilable {
        /// What the validator said.
        message: String,
    },
}

impl Problem {
    /// A stable identifier for documentation, tests and reports.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => "contract::unreadable",
            Self::NotAFile { .. } => "contract::not-a-file",
            Self::TooLarge { .. } => "contract::too-large",
            Self::NotUtf8 { .. } => "contract::not-utf8",
            Self::Empty => "contract::empty",
            Self::Syntax { .. } => "contract::syntax",
            Self::DuplicateKey { .. } => "contract::duplicate-key",
            Self::TooDeep { .. } => "contract::too-deep",
            Self::TooManyAliases { .. } => "contract::too-many-aliases",
            Self::NotJson { .. } => "contract::not-json",
            Self::NotASchema { .. } => "contract::not-a-schema",
            Self::UnknownDialect { .. } => "contract::unknown-dialect",
            Self::UnsupportedVersion { .. } => "contract::unsupported-version",
            Self::InvalidApi { .. } => "contract::invalid-api",
            Self::ManySchemas => "contract::many-schemas",
            Self::InvalidSchema { .. } => "contract::invalid-schema",
            Self::InvalidPattern { .. } => "contract::invalid-pattern",
            Self::DanglingReference { .. } => "contract::dangling-reference",
            Self::ExternalReference { .. } => "contract::external-reference",
            Self::ReferenceCycle { .. } => "contract::reference-cycle",
            Self::ReferenceChain { .. } => "contract::reference-chain",
            Self::PatternTooLong { .. } => "contract::pattern-too-long",
            Self::NumberTooLong { .. } => "contract::number-too-long",
            Self::NotCompilable { .. } => "contract::not-compilable",
        }
    }

    /// What to do about it, in one sentence.
    #[must_use]
    pub fn help(&self) -> &'static str {
        match self {
            Self::Unreadable { .. } => {
                "check the path and its permissions; `-` reads standard input"
            }
            Self::NotAFile { .. } => "pass a regular file, or `-` to read standard input",
            Self::TooLarge { .. } => {
                "pass `--max-contract-bytes N` to allow more; it may take a hundred times as much memory"
            }
            Self::NotUtf8 { .. } => "save the document as UTF-8",
            Self::Empty => "pass a JSON Schema or an OpenAPI document, in JSON or YAML",
            Self::Syntax { .. } => "correct the text at this place",
            Self::DuplicateKey { .. } => "remove or rename one of the two members",
            Self::TooDeep { .. } => "flatten the document, for example through `$defs` and `$ref`",
            Self::TooManyAliases { .. } => {
                "write the repeated part once and refer to it with `$ref`"
            }
            Self::NotJson { .. } => "write a value that JSON has, or quote it to make it a string",
            Self::NotASchema { .. } => "write `true` to admit any value, `false` to admit none",
            Self::UnknownDialect { .. } => {
                "use one of the drafts 4, 6, 7, 2019-09 or 2020-12, or leave `$schema` out"
            }
            Self::UnsupportedVersion { .. } => {
                "convert the document to OpenAPI 2.0, 3.0, 3.1 or 3.2"
            }
            Self::InvalidApi { .. } => "correct the document as the OpenAPI specification says",
            Self::ManySchemas => "choose an entry: one side of one operation",
            Self::InvalidSchema { .. } => "correct the keyword as the dialect's specification says",
            Self::InvalidPattern { .. } => "correct the pattern; it is read as ECMA-262 reads it",
            Self::DanglingReference { .. } => "correct the reference, or add what it names",
            Self::ExternalReference { reason: None, .. } => {
                "pass `--allow-file-refs` to read files beside the document; the network is never used"
            }
            Self::ExternalReference { reason: Some(_), .. } => {
                "put the file where the reference points, or copy its content under `$defs`"
            }
            Self::ReferenceCycle { .. } => {
                "remove the reference, or put it below a keyword that enters the value, such as `properties` or `items`"
            }
            Self::ReferenceChain { .. } => "refer to the last of them directly",
            Self::PatternTooLong { .. } => "split the pattern, or use `enum`",
            Self::NumberTooLong { .. } => "write the number with fewer digits",
            Self::NotCompilable { .. } => "correct the schema at this place",
        }
    }
}

/// A size that is too large, or what is known of it.
fn size_of(size: Option<u64>, limit: u64) -> String {
    size.map_or_else(|| format!("more than {limit}"), |size| size.to_string())
}

/// The most locations of a cycle that a message lists.
const LISTED: usize = 12;

/// Locations in the order they are applied; of a long path the beginning and the last.
fn path(locations: &[Location]) -> String {
    let show = |location: &Location| {
        format!("{}{}", location.resource().unwrap_or_default(), location.pointer().to_fragment())
    };
    let mut shown: Vec<String> = locations.iter().take(LISTED).map(show).collect();
    if let Some(last) = locations.get(LISTED..).and_then(<[Location]>::last) {
        shown.extend(["…".to_owned(), show(last)]);
    }
    shown.join(" → ")
}

impl Error {
    pub(crate) fn new(problem: Problem) -> Self {
        Self(Box::new(Inner { problem, document: None, pointer: None, position: None }))
    }

    pub(crate) fn at(mut self, pointer: Pointer) -> Self {
        self.0.pointer = Some(pointer);
        self
    }

    pub(crate) fn position_at(mut self, position: Position) -> Self {
        self.0.position = Some(position);
        self
    }

    pub(crate) fn in_document(mut self, name: &str) -> Self {
        self.0.document.get_or_insert_with(|| name.to_owned());
        self
    }

    /// What is wrong.
    #[must_use]
    pub fn problem(&self) -> &Problem {
        &self.0.problem
    }

    /// A stable identifier for documentation, tests and reports.
    #[must_use]
    pub fn code(&self) -> &'static str {
        self.0.problem.code()
    }

    /// What to do about it.
    #[must_use]
    pub fn help(&self) -> &'static str {
        self.0.problem.help()
    }

    /// The name of the document it happened in.
    #[must_use]
    pub fn document(&self) -> Option<&str> {
        self.0.document.as_deref()
    }

    /// The value it happened at.
    #[must_use]
    pub fn pointer(&self) -> Option<&Pointer> {
        self.0.pointer.as_ref()
    }

    /// The place in the text.
    #[must_use]
    pub fn position(&self) -> Option<Position> {
        self.0.position
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner { problem, document, pointer, position } = &*self.0;
        if let Some(document) = document {
            write!(formatter, "{document}:")?;
        }
        if let Some(position) = position {
            write!(formatter, "{position}:")?;
        }
        if document.is_some() || position.is_some() {
            formatter.write_str(" ")?;
        }
        write!(formatter, "{problem}")?;
        if let Some(pointer) = pointer {
            write!(formatter, " at `{}`", pointer.to_fragment())?;
        }
        Ok(())
    }
}

impl std::error::Error for Error {}

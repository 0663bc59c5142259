//! A contract as read: its value, its kind and dialect, and everything it refers to.
//!
//! Reading decides what the document is, completes it with the files it may refer to, and checks it
//! against its dialect's meta-schema. What comes out can be compiled: the graph, the canonical
//! form and the oracle start from here and never touch a file.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

use referencing::{Registry, RegistryBuilder, Uri};
use serde_json::Value;

use crate::{
    Draft, Error, Location, Pointer, Position,
    error::Problem,
    files::{self, Files},
    fingerprint::{Rules, fingerprint},
    metaschema,
    openapi::{self, ApiVersion, Side},
    references::{self, Completed, Unavailable},
    text::{self, IndexedText, MAX_DEPTH, SourceText, Syntax},
};

/// What kind of contract a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ContractKind {
    /// A JSON Schema.
    Schema,
    /// An OpenAPI document, whose schemas are many: see [`Api`](crate::openapi::Api).
    OpenApi(ApiVersion),
}

impl fmt::Display for ContractKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Schema => formatter.write_str("JSON Schema"),
            Self::OpenApi(version) => version.fmt(formatter),
        }
    }
}

/// How the dialect of a document was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DraftOrigin {
    /// The caller chose it.
    Chosen,
    /// `$schema` declares it, or the OpenAPI version implies it.
    Declared,
    /// Nothing declares it; it is the first of [`Draft::GUESSES`] that the document compiles under.
    Guessed,
}

/// How to read a document. The default reads one document and nothing else.
#[derive(Clone, Debug)]
pub struct ReadOptions {
    draft: Option<Draft>,
    format: Option<Syntax>,
    resources: Vec<(String, Value)>,
    files: Option<Files>,
    max_bytes: u64,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            draft: None,
            format: None,
            resources: Vec::new(),
            files: None,
            max_bytes: files::MAX_BYTES,
        }
    }
}

impl ReadOptions {
    /// Read as `draft`, whatever the document declares.
    #[must_use]
    pub fn draft(mut self, draft: Draft) -> Self {
        self.draft = Some(draft);
        self
    }

    /// Read the text as `format` instead of detecting its format.
    #[must_use]
    pub fn format(mut self, format: Syntax) -> Self {
        self.format = Some(format);
        self
    }

    /// Make `value` known under `uri`, so that references to it resolve.
    #[must_use]
    pub fn resource(mut self, uri: impl Into<String>, value: Value) -> Self {
        self.resources.push((uri.into(), value));
        self
    }

    /// Read files that the document refers to, if they lie in `folder` or below it.
    #[must_use]
    pub fn allow_files(mut self, folder: impl AsRef<Path>) -> Self {
        self.files = Some(Files::new(folder.as_ref()));
        self
    }

    /// Read at most `bytes` bytes, those of the files that the document refers to included [default: 64 MiB].
    #[must_use]
    pub fn max_bytes(mut self, bytes: u64) -> Self {
        self.max_bytes = bytes;
        self
    }
}

/// A contract, read and checked. Cheap to clone.
///
/// ```
/// use foolproof_contract::{Document, Draft, ContractKind};
///
/// let document = Document::from_text("age.yaml", "type: integer\nminimum: 18\n")?;
/// assert_eq!(document.kind(), ContractKind::Schema);
/// assert_eq!(document.draft(), Draft::Draft202012);
///
/// let error = Document::from_text("twice.json", r#"{"type": "string", "type": "null"}"#).unwrap_err();
/// assert_eq!(error.to_string(), "twice.json:1:20: duplicate key `type` at `#`");
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Document(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: String,
    kind: ContractKind,
    draft: Draft,
    origin: DraftOrigin,
    /// The base for references where the document does not name its own.
    base: Option<String>,
    root: Resource,
    /// The other documents of the contract, by URI.
    others: BTreeMap<String, Resource>,
    /// Of an API: the documents that it refers to and that could not be read.
    unavailable: BTreeMap<String, Unavailable>,
    /// Of an entry of an API: which one, and what in it is not the user's.
    entry: Option<EntryOrigin>,
}

/// One side of one operation of an API, or the whole of a schema.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct EntryId(u32);

impl EntryId {
    pub(crate) fn new(operation: usize, side: Side) -> Self {
        let operation = u32::try_from(operation).expect("an API has fewer than 2^31 operations");
        Self(operation * 2 + u32::from(side == Side::Response))
    }

    /// The index of the operation.
    #[must_use]
    pub fn operation(self) -> usize {
        (self.0 / 2) as usize
    }

    /// The side of the operation.
    #[must_use]
    pub fn side(self) -> Side {
        if self.0.is_multiple_of(2) { Side::Request } else { Side::Response }
    }
}

/// What in the document of an entry stands for something else.
#[derive(Debug)]
struct EntryOrigin {
    id: EntryId,
    /// For places that were added: the place in the user's document that they stand for.
    origins: BTreeMap<Pointer, Location>,
    /// The sites below which nothing has a target.
    unobserved: BTreeSet<Pointer>,
}

/// A document that was cut out of a larger one.
pub(crate) struct Excerpted {
    pub(crate) value: Value,
    pub(crate) others: BTreeMap<String, Value>,
    pub(crate) entry: EntryId,
    pub(crate) origins: BTreeMap<Pointer, Location>,
    pub(crate) unobserved: BTreeSet<Pointer>,
}

/// One document among those a contract consists of.
#[derive(Debug)]
pub(crate) struct Resource {
    pub(crate) name: String,
    /// The value that schemas are compiled from: as written, but for what
    /// [`references::normalize`] rewrites in place.
    pub(crate) value: Arc<Value>,
    /// As written, where that differs.
    original: Option<Arc<Value>>,
    text: Option<Arc<IndexedText>>,
}

impl Resource {
    pub(crate) fn from_value(name: String, value: Value) -> Self {
        Self { name, value: Arc::new(value), original: None, text: None }
    }

    pub(crate) fn from_text(
        name: &str,
        text: String,
        format: Option<Syntax>,
    ) -> Result<Self, Error> {
        let (value, format) =
            text::parse(&text, format).map_err(|error| error.in_document(name))?;
        let text = Arc::new(IndexedText::new(text, format));
        let (name, value) = (name.to_owned(), Arc::new(value));
        Ok(Self { name, value, original: None, text: Some(text) })
    }

    /// The value as it was written.
    fn written(&self) -> &Value {
        self.original.as_ref().unwrap_or(&self.value)
    }

    /// Its text, or what was written as indented JSON.
    fn source_text(&self, uri: Option<&str>) -> SourceText {
        match &self.text {
            Some(text) => SourceText::new(&self.name, uri, Arc::clone(text.text()), text.syntax()),
            None => SourceText::of_value(&self.name, self.written()).at_uri(uri),
        }
    }

    /// Rewrites what every validator should read alike, keeping what was written if that differs.
    fn normalize(&mut self, draft: Draft) {
        if references::is_normal(&self.value, draft) {
            return;
        }
        let mut rewritten = Value::clone(&self.value);
        references::normalize(&mut rewritten, draft);
        let written = std::mem::replace(&mut self.value, Arc::new(rewritten));
        self.original.get_or_insert(written);
    }

    /// Adds the document's name, and the position in its text, to an error that has a pointer.
    pub(crate) fn locate(&self, error: Error) -> Error {
        let error = error.in_document(&self.name);
        let (Some(pointer), None, Some(text)) = (error.pointer(), error.position(), &self.text)
        else {
            return error;
        };
        match text.position(pointer) {
            Some(position) => error.position_at(position),
            None => error,
        }
    }
}

impl Document {
    /// Reads the contract at `path`, by itself.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
        Self::open_with(path, &ReadOptions::default())
    }

    /// Reads the contract at `path`.
    pub fn open_with(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Self, Error> {
        let path = path.as_ref();
        let bytes = files::read(path, options.max_bytes)?;
        Self::from_bytes(&path.display().to_string(), bytes, options, Some(path))
    }

    /// The bytes of the file at `path`, for [`Document::from_bytes`].
    ///
    /// The file is a regular one, or a stream of this process such as `/dev/stdin`.
    pub fn read_bytes(path: impl AsRef<Path>, options: &ReadOptions) -> Result<Vec<u8>, Error> {
        files::read(path.as_ref(), options.max_bytes)
    }

    /// The bytes of `stream`, for [`Document::from_bytes`]; `name` is what errors call it.
    pub fn read_stream(
        name: &str,
        stream: impl Read,
        options: &ReadOptions,
    ) -> Result<Vec<u8>, Error> {
        files::read_stream(name, stream, options.max_bytes)
    }

    /// Reads a contract from text; `name` is what errors call it.
    pub fn from_text(name: &str, text: &str) -> Result<Self, Error> {
        Self::from_bytes(name, text.as_bytes().to_vec(), &ReadOptions::default(), None)
    }

    /// Reads a contract from bytes, UTF-8 with or without a byte order mark.
    pub fn from_bytes(
        name: &str,
        bytes: Vec<u8>,
        options: &ReadOptions,
        path: Option<&Path>,
    ) -> Result<Self, Error> {
        let text = text::decode(bytes).map_err(|error| error.in_document(name))?;
        let format = options.format.or_else(|| path.and_then(Syntax::of_path));
        Self::complete(Resource::from_text(name, text, format)?, options, path)
    }

    /// Reads a contract from a JSON value.
    pub fn from_value(value: Value) -> Result<Self, Error> {
        Self::from_value_with(value, &ReadOptions::default())
    }

    /// Reads a contract from a JSON value.
    pub fn from_value_with(value: Value, options: &ReadOptions) -> Result<Self, Error> {
        if text::depth_of(&value) > MAX_DEPTH {
            return Err(Error::new(Problem::TooDeep { limit: MAX_DEPTH }));
        }
        Self::complete(Resource::from_value("schema".to_owned(), value), options, None)
    }

    fn complete(
        mut root: Resource,
        options: &ReadOptions,
        path: Option<&Path>,
    ) -> Result<Self, Error> {
        let kind = kind_of(&root.value).map_err(|error| root.locate(error))?;
        let mut offered: BTreeMap<String, Resource> = options
            .resources
            .iter()
            .map(|(uri, value)| (uri.clone(), Resource::from_value(uri.clone(), value.clone())))
            .collect();
        let declared =
            declared_draft(kind, &root.value, &offered).map_err(|error| root.locate(error))?;
        let first = options.draft.or(declared).unwrap_or(Draft::GUESSES[0]);
        let base = options.files.as_ref().and(path).and_then(files::uri_of);
        let bytes = root.text.as_ref().map_or(0, |text| text.text().len() as u64);
        let files = options.files.as_ref();
        let files = files.map(|files| files.of_contract(bytes, options.max_bytes));
        // The schemas of an API are rewritten and checked when an entry needs them.
        if kind == ContractKind::Schema {
            root.normalize(first);
            for resource in offered.values_mut() {
                resource.normalize(first);
            }
            check_patterns(&root.value).map_err(|error| root.locate(error))?;
        }
        let Completed { others, unavailable } =
            references::complete(kind, &root, base.as_deref(), first, files.as_ref(), offered)?;
        let mut inner = Inner {
            name: root.name.clone(),
            kind,
            draft: first,
            origin: DraftOrigin::Declared,
            base,
            root,
            others,
            unavailable,
            entry: None,
        };
        inner.choose_draft(options.draft, declared)?;
        Ok(Self(Arc::new(inner)))
    }

    /// The name the document was read under.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// What kind of contract it is.
    #[must_use]
    pub fn kind(&self) -> ContractKind {
        self.0.kind
    }

    /// The draft its schemas are read under.
    #[must_use]
    pub fn draft(&self) -> Draft {
        self.0.draft
    }

    /// How the draft was found.
    #[must_use]
    pub fn draft_origin(&self) -> DraftOrigin {
        self.0.origin
    }

    /// The document as a value, ready to be compiled. Every pointer into it is a pointer into the
    /// user's own document.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.0.root.value
    }

    /// The same, shared.
    pub(crate) fn shared_value(&self) -> Arc<Value> {
        Arc::clone(&self.0.root.value)
    }

    /// The document exactly as it was written.
    #[must_use]
    pub fn original(&self) -> &Value {
        self.0.root.written()
    }

    /// The text it was read from; `None` if it was read from a value.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.0.root.text.as_ref().map(|text| &**text.text())
    }

    /// The format of the text.
    #[must_use]
    pub fn format(&self) -> Option<Syntax> {
        self.0.root.text.as_ref().map(|text| text.syntax())
    }

    /// Which entry of an API it is; that of a whole schema otherwise.
    #[must_use]
    pub fn entry(&self) -> EntryId {
        self.0.entry.as_ref().map(|entry| entry.id).unwrap_or_default()
    }

    /// Whether it is an entry of an API, and so consists of parts of a larger document.
    pub(crate) fn is_excerpt(&self) -> bool {
        self.0.entry.is_some()
    }

    /// Whether the user wrote what is at `location`. What an entry of an API adds, such as the object over the
    /// parameters of a request, is in no document.
    #[must_use]
    pub fn is_written(&self, location: &Location) -> bool {
        let is_added = |pointer: &Pointer| {
            pointer.is_root() || pointer.is_within(&Pointer::root().key(openapi::ADDED))
        };
        self.0.entry.is_none() || location.resource().is_some() || !is_added(location.pointer())
    }

    /// What stands in the user's document for the place `added`, which the user did not write: for
    /// example the use site of a parameter. `None` if nothing does.
    #[must_use]
    pub fn origin(&self, added: &Location) -> Option<&Location> {
        let entry = self.0.entry.as_ref().filter(|_| added.resource().is_none())?;
        entry.origins.get(added.pointer())
    }

    /// Whether what is reached through the edge written at `site` is observed. Forms are not, and neither are
    /// responses that are no success.
    #[must_use]
    pub fn is_observed(&self, site: &Location) -> bool {
        let is_listed = |entry: &EntryOrigin| entry.unobserved.contains(site.pointer());
        site.resource().is_some() || !self.0.entry.as_ref().is_some_and(is_listed)
    }

    /// The other documents this one was completed with: URI and value.
    pub fn resources(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.others.iter().map(|(uri, resource)| (uri.as_str(), &*resource.value))
    }

    /// The files that the contract refers to and that were read for it. Not the contract's own.
    pub fn referenced_files(&self) -> impl Iterator<Item = PathBuf> {
        self.0.others.keys().filter_map(|uri| files::path_of(uri))
    }

    /// The fingerprint of the contract: a hash of the parsed documents, with sorted keys and without
    /// what only describes. Contracts with equal fingerprints admit the same values, if they are read under
    /// the same options.
    ///
    /// ```
    /// use foolproof_contract::Document;
    ///
    /// let fingerprint = |text| Document::from_text("age", text).map(|it| it.fingerprint());
    /// let age = fingerprint(r#"{ "type": "integer", "minimum": 18 }"#)?;
    /// assert_eq!(fingerprint("title: Age\nminimum: 18\ntype: integer")?, age);
    /// assert_ne!(fingerprint("minimum: 21\ntype: integer")?, age);
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn fingerprint(&self) -> String {
        let rules = match self.0.kind {
            ContractKind::Schema => Rules::Schema(self.0.draft),
            ContractKind::OpenApi(_) => Rules::OpenApi,
        };
        let others = self.0.others.values().map(Resource::written);
        fingerprint(rules, self.0.root.written(), others)
    }

    /// The value at `location`, in this document or in one it was completed with.
    #[must_use]
    pub fn at(&self, location: &Location) -> Option<&Value> {
        let value = match location.resource() {
            None => Some(self.value()),
            Some(uri) => self.0.others.get(uri).map(|resource| &*resource.value),
        };
        location.pointer().resolve(value?)
    }

    /// The positions in the text at which the values at `pointers` start. Pointers that the text does
    /// not contain are absent.
    ///
    /// ```
    /// use foolproof_contract::{Document, Pointer};
    ///
    /// let document = Document::from_text("age.json", "{\n  \"minimum\": 18\n}")?;
    /// let minimum = Pointer::root().key("minimum");
    /// assert_eq!(document.positions([&minimum])[&minimum].to_string(), "2:14");
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn positions<'p>(
        &self,
        pointers: impl IntoIterator<Item = &'p Pointer>,
    ) -> BTreeMap<&'p Pointer, Position> {
        match &self.0.root.text {
            Some(text) => text::locate(text.text(), text.syntax(), pointers),
            None => BTreeMap::new(),
        }
    }

    /// The texts of the contract: its own first, then those of the documents that it refers to.
    #[must_use]
    pub fn source_texts(&self) -> Vec<SourceText> {
        let others = self.0.others.iter();
        let others = others.map(|(uri, resource)| resource.source_text(Some(uri)));
        std::iter::once(self.0.root.source_text(None)).chain(others).collect()
    }

    pub(crate) fn locate(&self, error: Error) -> Error {
        self.0.root.locate(error)
    }

    /// Fails for an API, which is no schema but has many.
    pub(crate) fn require_schema(&self) -> Result<(), Error> {
        match self.kind() {
            ContractKind::Schema => Ok(()),
            ContractKind::OpenApi(_) => {
                Err(Error::new(Problem::ManySchemas).at(Pointer::root()).in_document(self.name()))
            }
        }
    }

    /// A document that consists of parts of this one.
    pub(crate) fn excerpt(&self, parts: Excerpted) -> Result<Self, Error> {
        let Excerpted { value, others, entry, origins, unobserved } = parts;
        let cut = |value: Value, whole: &Resource| Resource {
            name: whole.name.clone(),
            value: Arc::new(value),
            original: None,
            text: whole.text.clone(),
        };
        let root = cut(value, &self.0.root);
        check_patterns(&root.value).map_err(|error| root.locate(error))?;
        let others = others.into_iter().filter_map(|(uri, value)| {
            let whole = self.0.others.get(&uri)?;
            Some((uri, cut(value, whole)))
        });
        Ok(Self(Arc::new(Inner {
            name: self.0.name.clone(),
            kind: ContractKind::Schema,
            draft: self.0.draft,
            origin: self.0.origin,
            base: self.0.base.clone(),
            root,
            others: others.collect(),
            unavailable: BTreeMap::new(),
            entry: Some(EntryOrigin { id: entry, origins, unobserved }),
        })))
    }

    /// Why `reference` has no target, which would be at `target` if its document is known.
    pub(crate) fn missing_reference(
        &self,
        keyword: &'static str,
        reference: &str,
        target: Option<&Location>,
    ) -> Problem {
        let resource = target.and_then(Location::resource);
        let unavailable = resource.and_then(|uri| self.0.unavailable.get(uri));
        let reference = metaschema::shorten(reference);
        match unavailable {
            Some(Unavailable { reason }) => {
                Problem::ExternalReference { keyword, reference, reason: reason.clone() }
            }
            None => Problem::DanglingReference { keyword, reference },
        }
    }

    /// The base that references in the document resolve against, unless it names its own.
    pub(crate) fn base(&self) -> Option<&str> {
        self.0.base.as_deref()
    }

    /// Every document of the contract, ready to resolve references, with the URI of this one.
    pub(crate) fn registry(&self) -> Result<(Registry<'_>, Uri<String>), Error> {
        self.0.registry().map_err(|error| self.locate(error))
    }

    /// Every document of the contract but this one.
    pub(crate) fn other_resources(&self) -> Result<Registry<'_>, Error> {
        self.0
            .builder()
            .and_then(RegistryBuilder::prepare)
            .map_err(|error| self.locate(unusable(&error)))
    }

    /// Adds the position in the document known as `uri` to an error that has a pointer.
    pub(crate) fn locate_in(&self, uri: &str, error: Error) -> Error {
        match self.0.others.get(uri) {
            Some(resource) => resource.locate(error),
            None => error.in_document(uri),
        }
    }
}

impl Inner {
    /// Checks the document against its draft, or finds the draft it compiles under.
    fn choose_draft(
        &mut self,
        chosen: Option<Draft>,
        declared: Option<Draft>,
    ) -> Result<(), Error> {
        if let Some(draft) = chosen.or(declared) {
            self.draft = draft;
            self.origin =
                if chosen.is_some() { DraftOrigin::Chosen } else { DraftOrigin::Declared };
            return self.check(draft).map_err(|error| self.root.locate(error));
        }
        self.origin = DraftOrigin::Guessed;
        let mut first_error = None;
        let mut allowed = None;
        for draft in Draft::GUESSES {
            match self.check(draft) {
                Ok(()) => {
                    allowed = allowed.or(Some(draft));
                    if self.compiles(draft) {
                        self.draft = draft;
                        return Ok(());
                    }
                }
                Err(error) => {
                    first_error.get_or_insert(error);
                }
            }
        }
        // A document that is well formed but compiles under no draft has a dangling reference or an
        // invalid pattern: the graph and the oracle report where.
        if let Some(draft) = allowed {
            self.draft = draft;
            return Ok(());
        }
        Err(self.root.locate(first_error.expect("every draft was rejected")))
    }

    /// Whether every schema of the document is one its draft allows.
    fn check(&self, draft: Draft) -> Result<(), Error> {
        let check_at = |value: &Value, at: &Pointer| metaschema::check(draft, value, at);
        crate::stack::with_large_stack(|| match self.kind {
            ContractKind::Schema => check_at(&self.root.value, &Pointer::root()),
            // Each of its schemas is checked when an entry needs it.
            ContractKind::OpenApi(_) => Ok(()),
        })
    }

    fn compiles(&self, draft: Draft) -> bool {
        self.registry().is_ok_and(|(registry, _)| {
            crate::oracle::compiles(&registry, self.base.as_deref(), draft, &self.root.value)
        })
    }

    fn registry(&self) -> Result<(Registry<'_>, Uri<String>), Error> {
        let own = self.draft.to_referencing().create_resource_ref(&self.root.value);
        let uri = match (&self.base, own.id()) {
            (_, Some(id)) if referencing::Uri::parse(id).is_ok() => id.to_owned(),
            (Some(base), _) => base.clone(),
            (None, Some(id)) => id.to_owned(),
            (None, None) => references::DEFAULT_BASE.to_owned(),
        };
        let build = || {
            let uri = referencing::uri::from_str(&uri)?;
            let registry = self.builder()?.add(uri.as_str(), own)?.prepare()?;
            Ok::<_, referencing::Error>((registry, uri))
        };
        build().map_err(|error| unusable(&error))
    }

    fn builder(&self) -> Result<RegistryBuilder<'_>, referencing::Error> {
        let own = self.draft.to_referencing();
        self.others.iter().try_fold(Registry::new().draft(own), |builder, (uri, resource)| {
            // A document may be of another draft than the one that refers to it.
            let declared = own.detect(&resource.value);
            let draft = if declared == referencing::Draft::Unknown { own } else { declared };
            builder.add(uri.as_str(), draft.create_resource_ref(&resource.value))
        })
    }
}

fn unusable(error: &referencing::Error) -> Error {
    // Of several documents that are missing, the library names one by chance.
    let message = if matches!(error, referencing::Error::Unretrievable { .. }) {
        "a reference leads to a document that is not at hand".to_owned()
    } else {
        error.to_string()
    };
    Error::new(Problem::NotCompilable { message }).at(Pointer::root())
}

/// The longest pattern, in bytes. Compiling one needs hundreds of times its length in memory, and
/// the longest in real schemas are a few kilobytes.
const MAX_PATTERN: usize = 64 * 1024;

/// Rejects patterns that are too long to compile.
fn check_patterns(document: &Value) -> Result<(), Error> {
    let too_long = |pattern: &str, at: &dyn Fn() -> Pointer| {
        if pattern.len() <= MAX_PATTERN {
            return Ok(());
        }
        let problem = Problem::PatternTooLong { length: pattern.len(), limit: MAX_PATTERN };
        Err(Error::new(problem).at(at()))
    };
    let may_hold_patterns = |value: &Value| value.is_object() || value.is_array();
    let mut pending = vec![(document, Pointer::root())];
    while let Some((value, at)) = pending.pop() {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(pattern)) = members.get("pattern") {
                    too_long(pattern, &|| at.key("pattern"))?;
                }
                if let Some(Value::Object(schemas)) = members.get("patternProperties") {
                    for pattern in schemas.keys() {
                        too_long(pattern, &|| at.key("patternProperties"))?;
                    }
                }
                let inner = members.iter().filter(|(_, child)| may_hold_patterns(child));
                pending.extend(inner.map(|(key, child)| (child, at.key(key))));
            }
            Value::Array(items) => {
                let inner = items.iter().enumerate().filter(|(_, item)| may_hold_patterns(item));
                pending.extend(inner.map(|(index, item)| (item, at.index(index))));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    Ok(())
}

pub(crate) fn not_a_schema(value: &Value) -> Error {
    let found = match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    };
    Error::new(Problem::NotASchema { found })
}

fn kind_of(value: &Value) -> Result<ContractKind, Error> {
    let members = match value {
        Value::Bool(_) => return Ok(ContractKind::Schema),
        Value::Object(members) => members,
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
            return Err(not_a_schema(value).at(Pointer::root()));
        }
    };
    let unsupported = |what: String, key| {
        Err(Error::new(Problem::UnsupportedVersion { what }).at(Pointer::root().key(key)))
    };
    // A schema may well describe a property of these names; as keywords they hold a version.
    let version = |key: &str| match members.get(key) {
        Some(Value::String(version)) => Some(version.clone()),
        Some(Value::Number(version)) => Some(version.to_string()),
        _ => None,
    };
    let api = |version| Ok(ContractKind::OpenApi(version));
    match version("openapi") {
        Some(version) if version.starts_with("3.0") => return api(ApiVersion::V3_0),
        Some(version) if version.starts_with("3.1") => return api(ApiVersion::V3_1),
        Some(version) if version.starts_with("3.2") => return api(ApiVersion::V3_2),
        Some(version) => return unsupported(format!("OpenAPI {version}"), "openapi"),
        None => {}
    }
    match version("swagger") {
        Some(version) if version.starts_with('2') => api(ApiVersion::V2_0),
        Some(version) => unsupported(format!("Swagger {version}"), "swagger"),
        None => Ok(ContractKind::Schema),
    }
}

/// The draft that the document itself declares.
fn declared_draft(
    kind: ContractKind,
    value: &Value,
    others: &BTreeMap<String, Resource>,
) -> Result<Option<Draft>, Error> {
    let keyword = match kind {
        ContractKind::Schema => "$schema",
        // OpenAPI 3.0 §4.7.24: its schema object is a dialect of Wright draft 00, whose keywords
        // are those of draft 4.
        ContractKind::OpenApi(ApiVersion::V2_0 | ApiVersion::V3_0) => {
            return Ok(Some(Draft::Draft4));
        }
        ContractKind::OpenApi(ApiVersion::V3_1 | ApiVersion::V3_2) => "jsonSchemaDialect",
    };
    let Some(uri) = value.get(keyword).and_then(Value::as_str) else {
        return Ok((kind != ContractKind::Schema).then_some(Draft::Draft202012));
    };
    if kind != ContractKind::Schema && uri.starts_with("https://spec.openapis.org/oas/3.") {
        return Ok(Some(Draft::Draft202012));
    }
    let mut next = uri.to_owned();
    // A custom meta-schema names the draft it extends in its own `$schema`.
    for _ in 0..=others.len() {
        if let Some(draft) = Draft::from_uri(&next) {
            return Ok(Some(draft));
        }
        let known = others.get(next.trim_end_matches('#'));
        match known.and_then(|known| known.value.get("$schema")).and_then(Value::as_str) {
            Some(uri) => uri.clone_into(&mut next),
            None => break,
        }
    }
    let at = Pointer::root().key(keyword);
    Err(Error::new(Problem::UnknownDialect { uri: metaschema::shorten(uri) }).at(at))
}

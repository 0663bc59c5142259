//! Reading the contract that the command line names.

use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use foolproof_contract::{Document, Error, ReadOptions};

use crate::{
    args::{ContractArgs, DraftArg},
    failure::Failure,
    outputs::{self, Input, Sink},
};

/// A contract with the size of its text.
pub(crate) struct Source {
    pub(crate) document: Document,
    pub(crate) bytes: usize,
}

/// Which file a contract is in, and how it is read.
pub(crate) struct ContractFile<'a> {
    /// The file; `-` is standard input.
    pub(crate) file: &'a Path,
    /// Where files that it refers to may be: nowhere, in its own folder, or in another one.
    pub(crate) folder: Option<&'a Option<PathBuf>>,
    pub(crate) draft: Option<DraftArg>,
    /// The most bytes that it may have, unless the default is meant.
    pub(crate) max_bytes: Option<u64>,
}

/// Reads the contract.
pub(crate) fn read(args: &ContractArgs) -> Result<Source, Failure> {
    let folder = args.allow_file_refs.as_ref();
    let max_bytes = args.max_contract_bytes;
    read_file(&ContractFile { file: &args.file, folder, draft: args.draft, max_bytes })
}

/// Reads the contract in a file.
pub(crate) fn read_file(args: &ContractFile<'_>) -> Result<Source, Failure> {
    let mut options = ReadOptions::default();
    if let Some(draft) = args.draft {
        options = options.draft(draft.into());
    }
    if let Some(bytes) = args.max_bytes {
        options = options.max_bytes(bytes);
    }
    let is_stdin = args.file == Path::new("-");
    if let Some(folder) = args.folder {
        let own = args.file.parent().filter(|parent| !parent.as_os_str().is_empty());
        let own = if is_stdin { Path::new(".") } else { own.unwrap_or(Path::new(".")) };
        options = options.allow_files(folder.as_deref().unwrap_or(own));
    }
    let (name, bytes, path) = if is_stdin {
        let bytes = Document::read_stream("<stdin>", io::stdin().lock(), &options)?;
        ("<stdin>".to_owned(), bytes, None)
    } else {
        let bytes = Document::read_bytes(args.file, &options)?;
        (args.file.display().to_string(), bytes, Some(args.file))
    };
    let size = bytes.len();
    let text: Option<Arc<str>> = std::str::from_utf8(&bytes)
        .ok()
        .map(|text| Arc::from(text.strip_prefix('\u{feff}').unwrap_or(text)));
    match Document::from_bytes(&name, bytes, &options, path) {
        Ok(document) => Ok(Source { document, bytes: size }),
        Err(error) => Err(with_text(error, &name, text)),
    }
}

impl Source {
    /// Fails if one of `outputs` is a file that the contract refers to.
    pub(crate) fn check_outputs(&self, outputs: &[Sink<'_>]) -> Result<(), Failure> {
        let files: Vec<PathBuf> = self.document.referenced_files().collect();
        let input = |path| Input { role: "part of the contract", path };
        let inputs: Vec<Input<'_>> = files.iter().map(|path| input(path.as_path())).collect();
        outputs::check(outputs, &inputs)
    }

    /// `error` with the text that it is in, if that is the text of the contract itself.
    pub(crate) fn fail(&self, error: Error) -> Failure {
        let text = self.document.text().map(Arc::from);
        with_text(error, self.document.name(), text)
    }
}

fn with_text(error: Error, name: &str, text: Option<Arc<str>>) -> Failure {
    let is_own = error.document().is_none_or(|document| document == name);
    Failure::Contract { error, text: text.filter(|_| is_own) }
}

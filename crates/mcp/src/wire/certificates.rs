//! Certificates of a private authority, by which servers over HTTPS are trusted beside the public ones.

use rustls::{
    RootCertStore,
    pki_types::{CertificateDer, pem::PemObject as _},
};
use thiserror::Error;

/// The certificates of a private authority, at least one.
///
/// ```
/// use foolproof_mcp::wire::{CaCertificates, CaCertificatesError};
///
/// let nothing = CaCertificates::from_pem(b"not a certificate");
/// assert_eq!(nothing, Err(CaCertificatesError::Empty));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaCertificates(Vec<CertificateDer<'static>>);

/// Why a text has no certificates that can be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CaCertificatesError {
    /// It has no block that is a certificate.
    #[error("there is no certificate in it, which begins with `-----BEGIN CERTIFICATE-----`")]
    Empty,
    /// A block cannot be read.
    #[error("certificate {number} cannot be read: {detail}")]
    Unreadable {
        /// Its place, from 1.
        number: usize,
        /// What is wrong with it.
        detail: String,
    },
    /// The content of a block is not a certificate.
    #[error("certificate {number} is invalid: {detail}")]
    Invalid {
        /// Its place, from 1.
        number: usize,
        /// What is wrong with it.
        detail: String,
    },
}

impl CaCertificates {
    /// The certificates in a text in the format PEM. Blocks of other kinds are ignored.
    pub fn from_pem(pem: &[u8]) -> Result<Self, CaCertificatesError> {
        let mut certificates = Vec::new();
        for (index, read) in CertificateDer::pem_slice_iter(pem).enumerate() {
            let number = index + 1;
            let certificate = read.map_err(|error| CaCertificatesError::Unreadable {
                number,
                detail: error.to_string(),
            })?;
            RootCertStore::empty().add(certificate.clone()).map_err(|error| {
                CaCertificatesError::Invalid { number, detail: error.to_string() }
            })?;
            certificates.push(certificate);
        }
        if certificates.is_empty() {
            return Err(CaCertificatesError::Empty);
        }
        Ok(Self(certificates))
    }
}

/// The public authorities, and those of `own`.
pub(super) fn roots(own: Option<&CaCertificates>) -> RootCertStore {
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    roots.add_parsable_certificates(own.into_iter().flat_map(|own| own.0.iter().cloned()));
    roots
}

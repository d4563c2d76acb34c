//! Whom a native client trusts.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};

/// Why a file of certificates is of no use.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// It cannot be read, or holds no certificate.
    #[error("{} holds no certificate that can be read: name a PEM file with --ca ({source})", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What it says.
        source: rustls::pki_types::pem::Error,
    },
    /// It holds what no authority can be.
    #[error("{} holds a certificate that is none of an authority: {source}", .path.display())]
    Unusable {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        source: rustls::Error,
    },
}

/// Trust in the system's authorities and in those of a PEM file. There is no way to trust everybody: a relay that made its
/// own certificate for WebTransport tells its hash.
pub fn trust(extra: Option<&Path>) -> Result<Arc<ClientConfig>, TlsError> {
    let mut roots = RootCertStore::empty();
    // A machine without authorities still plays on http.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if let Some(path) = extra {
        let unreadable = |source| TlsError::Unreadable {
            path: path.to_owned(),
            source,
        };
        for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
            let certificate = certificate.map_err(unreadable)?;
            roots
                .add(certificate)
                .map_err(|source| TlsError::Unusable {
                    path: path.to_owned(),
                    source,
                })?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .expect("ring speaks TLS 1.2 and 1.3")
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}

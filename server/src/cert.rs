//! The certificates: one that we sign ourselves and browsers know by its hash, or the operator's, from files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, SystemTime};

use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair, PKCS_ECDSA_P256_SHA256};
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert, ServerConfig};
use rustls::sign::CertifiedKey;
use x509_parser::prelude::{FromDer as _, X509Certificate};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// How long a certificate of our own is valid from its start. Browsers take at most 14 days by hash, and one of them not
/// a second more.
const VALIDITY: Duration = DAY.saturating_mul(13);
/// How far before its first use it starts: a player's clock may be that slow.
const BACK_DATED: Duration = DAY;
/// How far before its end the next one takes over: a player's clock may be that fast, and a page that was told of both
/// hashes may have slept that long.
const SPARE: Duration = DAY.saturating_mul(2);

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertError {
    /// A file cannot be read.
    #[error("{} cannot be read: {source}", .path.display())]
    Unreadable {
        /// Which.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file holds something else than it should.
    #[error("{} holds no {wanted} in PEM: {reason}", .path.display())]
    NotPem {
        /// Which.
        path: PathBuf,
        /// What should be in it.
        wanted: &'static str,
        /// What is wrong.
        reason: String,
    },
    /// Certificate and key are no pair, or of a kind that is not known here.
    #[error("the certificate cannot be used: {0}")]
    Unusable(#[from] rustls::Error),
    /// The certificate is no certificate.
    #[error("the certificate cannot be read: {0}")]
    Unparsable(String),
    /// None could be made.
    #[error("no certificate could be made: {0}")]
    NotMade(#[from] rcgen::Error),
}

/// A certificate with its key, and what is to be known of it.
#[derive(Clone, Debug)]
pub struct Certificate {
    key: Arc<CertifiedKey>,
    /// SHA-256 of its bytes, by which a browser knows one that nobody vouches for.
    pub hash: [u8; 32],
    /// From when it is valid.
    pub from: SystemTime,
    /// Until when.
    pub until: SystemTime,
}

impl Certificate {
    /// One of our own for `hosts`, ECDSA over P-256 as browsers want it.
    pub fn self_signed(hosts: &[String], from: SystemTime) -> Result<Self, CertError> {
        let mut params = CertificateParams::new(hosts)?;
        params.not_before = from.into();
        params.not_after = (from + VALIDITY).into();
        let name = &mut params.distinguished_name;
        name.push(DnType::CommonName, "Afterimage relay");
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        let key = KeyPair::generate_for(&PKCS_ECDSA_P256_SHA256)?;
        let chain = vec![params.self_signed(&key)?.der().clone()];
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        Self::new(chain, key)
    }

    /// The one that lies in two files.
    pub fn from_files(cert: &Path, key: &Path) -> Result<Self, CertError> {
        let wrong = |path: &Path, wanted| {
            let path = path.to_owned();
            move |reason: rustls::pki_types::pem::Error| CertError::NotPem {
                path,
                wanted,
                reason: reason.to_string(),
            }
        };
        let bytes = read(cert)?;
        let chain: Vec<_> = CertificateDer::pem_slice_iter(&bytes)
            .collect::<Result<_, _>>()
            .map_err(wrong(cert, "certificate"))?;
        if chain.is_empty() {
            let none = rustls::pki_types::pem::Error::NoItemsFound;
            return Err(wrong(cert, "certificate")(none));
        }
        let key_bytes = read(key)?;
        let key = PrivateKeyDer::from_pem_slice(&key_bytes).map_err(wrong(key, "private key"))?;
        Self::new(chain, key)
    }

    fn new(
        chain: Vec<CertificateDer<'static>>,
        key: PrivateKeyDer<'static>,
    ) -> Result<Self, CertError> {
        let unparsable = |reason: String| CertError::Unparsable(reason);
        let first = chain
            .first()
            .ok_or_else(|| unparsable("there is none".to_owned()))?;
        let (_, parsed) =
            X509Certificate::from_der(first).map_err(|error| unparsable(error.to_string()))?;
        let validity = parsed.validity();
        let at = |time: x509_parser::time::ASN1Time| SystemTime::from(time.to_datetime());
        let (from, until) = (at(validity.not_before), at(validity.not_after));
        let hash = wtransport::tls::Certificate::from_der(first.to_vec())
            .map_err(|error| unparsable(error.to_string()))?
            .hash();
        Ok(Self {
            hash: *hash.as_ref(),
            from,
            until,
            key: Arc::new(CertifiedKey::from_der(chain, key, &provider())?),
        })
    }
}

/// The certificate in use and the one that follows it, so that a browser can be told of both before either is needed.
///
/// The second is made with the first, dated for the day on which it takes over; so its hash is known ten days ahead.
#[derive(Clone, Debug)]
pub struct Rotation {
    hosts: Vec<String>,
    /// In use.
    pub current: Certificate,
    /// Takes over.
    pub next: Certificate,
}

impl Rotation {
    /// A certificate to use from `now` on, and its successor.
    pub fn new(hosts: Vec<String>, now: SystemTime) -> Result<Self, CertError> {
        let current = Certificate::self_signed(&hosts, now - BACK_DATED)?;
        let next = after(&hosts, &current)?;
        Ok(Self {
            hosts,
            current,
            next,
        })
    }

    /// Moves on if it is time to; whether it did. A machine that slept for weeks, or whose clock was set back, starts
    /// afresh.
    pub fn handle(&mut self, now: SystemTime) -> Result<bool, CertError> {
        let usable = |one: &Certificate| one.from <= now && now < one.until - SPARE;
        if usable(&self.current) {
            return Ok(false);
        }
        if usable(&self.next) {
            let next = after(&self.hosts, &self.next)?;
            self.current = std::mem::replace(&mut self.next, next);
        } else {
            *self = Self::new(self.hosts.clone(), now)?;
        }
        Ok(true)
    }
}

fn after(hosts: &[String], current: &Certificate) -> Result<Certificate, CertError> {
    Certificate::self_signed(hosts, current.until - SPARE - BACK_DATED)
}

/// The operator's certificate in two files that may change under us, as those who renew it write them.
#[derive(Debug)]
pub struct Files {
    cert: PathBuf,
    key: PathBuf,
    seen: Seen,
}

/// What of two files changes when they are written: when and how long, of each.
type Seen = [Option<(SystemTime, u64)>; 2];

impl Files {
    /// Reads both.
    pub fn new(cert: PathBuf, key: PathBuf) -> Result<(Self, Certificate), CertError> {
        let seen = Self::look(&cert, &key);
        let certificate = Certificate::from_files(&cert, &key)?;
        Ok((Self { cert, key, seen }, certificate))
    }

    /// The certificate, if a file changed since it was last read. One that cannot be used is said once, and read again
    /// when a file changes again.
    pub fn poll(&mut self) -> Option<Result<Certificate, CertError>> {
        let seen = Self::look(&self.cert, &self.key);
        if seen == self.seen {
            return None;
        }
        self.seen = seen;
        Some(Certificate::from_files(&self.cert, &self.key))
    }

    fn look(cert: &Path, key: &Path) -> Seen {
        [cert, key].map(|path| {
            let about = fs::metadata(path).ok()?;
            Some((about.modified().ok()?, about.len()))
        })
    }
}

/// Gives every handshake the certificate of the moment. Sessions that stand keep the one that they began with.
#[derive(Debug)]
pub struct Presented(RwLock<Arc<CertifiedKey>>);

impl Presented {
    /// With this one to begin with.
    pub fn new(certificate: &Certificate) -> Arc<Self> {
        Arc::new(Self(RwLock::new(Arc::clone(&certificate.key))))
    }

    /// From now on this one.
    pub fn set(&self, certificate: &Certificate) {
        let mut key = self.0.write().unwrap_or_else(PoisonError::into_inner);
        *key = Arc::clone(&certificate.key);
    }
}

impl ResolvesServerCert for Presented {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let key = self.0.read().unwrap_or_else(PoisonError::into_inner);
        Some(Arc::clone(&key))
    }
}

/// TLS for https.
pub fn https(presented: Arc<Presented>) -> Result<ServerConfig, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider()))
        .with_safe_default_protocol_versions()?
        .with_no_client_auth()
        .with_cert_resolver(presented);
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}

/// TLS for QUIC, which knows no version before 1.3.
pub fn quic(presented: Arc<Presented>) -> Result<ServerConfig, rustls::Error> {
    let mut config = ServerConfig::builder_with_provider(Arc::new(provider()))
        .with_protocol_versions(&[&rustls::version::TLS13])?
        .with_no_client_auth()
        .with_cert_resolver(presented);
    config.alpn_protocols = vec![wtransport::tls::WEBTRANSPORT_ALPN.to_vec()];
    Ok(config)
}

fn provider() -> CryptoProvider {
    ring::default_provider()
}

fn read(path: &Path) -> Result<Vec<u8>, CertError> {
    fs::read(path).map_err(|source| CertError::Unreadable {
        path: path.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts() -> Vec<String> {
        vec!["localhost".to_owned(), "127.0.0.1".to_owned()]
    }

    /// A moment without a fraction, as certificates have them.
    fn start() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_800_000_000)
    }

    #[test]
    fn a_certificate_is_what_browsers_take_by_its_hash() {
        let now = start();
        let rotation = Rotation::new(hosts(), now).unwrap();
        let made = &rotation.current;
        assert_eq!(made.from, now - DAY);
        let length = made.until.duration_since(made.from).unwrap();
        assert_eq!(length, 13 * DAY);
        let der = made.key.cert[0].clone();
        let (_, parsed) = X509Certificate::from_der(&der).unwrap();
        let algorithm = parsed.public_key().algorithm.clone();
        let curve = algorithm.parameters.unwrap().oid().unwrap();
        assert_eq!(curve.to_id_string(), "1.2.840.10045.3.1.7", "P-256");
        assert_ne!(rotation.next.hash, made.hash);
    }

    #[test]
    fn the_next_takes_over_before_the_end_and_was_announced_all_along() {
        let mut rotation = Rotation::new(hosts(), start()).unwrap();
        let mut hours = 0;
        let mut rotations = 0;
        while hours < 24 * 60 {
            hours += 1;
            let now = start() + hours * Duration::from_secs(3600);
            let announced = rotation.next.hash;
            if rotation.handle(now).unwrap() {
                rotations += 1;
                assert_eq!(rotation.current.hash, announced);
            }
            // A clock that is a day slow or fast finds it valid.
            assert!(rotation.current.from <= now - DAY + Duration::from_secs(1));
            assert!(rotation.current.until >= now + DAY);
        }
        assert_eq!(rotations, 6, "sixty days, ten each");
    }

    #[test]
    fn a_clock_that_jumped_starts_afresh() {
        let mut rotation = Rotation::new(hosts(), start()).unwrap();
        for now in [start() + 40 * DAY, start() - 40 * DAY] {
            let before = rotation.clone();
            assert!(rotation.handle(now).unwrap());
            assert_ne!(rotation.current.hash, before.current.hash);
            assert_ne!(rotation.current.hash, before.next.hash);
            assert_eq!(rotation.current.from, now - DAY);
            assert!(!rotation.handle(now).unwrap());
        }
    }
}

//! A certificate of an authority: https and WebTransport use it, and a new one as soon as its files are there.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use afterimage_tests::guest::Host;
use rcgen::{CertificateParams, IsCa, Issuer, KeyPair};
use rustls::client::Resumption;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::Value;
use server::Settings;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use wtransport::Endpoint;

/// An authority, and a folder where it puts what it signs.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    trust: Arc<ClientConfig>,
    folder: PathBuf,
}

impl Authority {
    fn new(folder: &str) -> Self {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(rcgen::BasicConstraints::Unconstrained);
        let own = params.self_signed(&key).unwrap();
        let mut roots = RootCertStore::empty();
        roots.add(own.der().clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut trust = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots)
            .with_no_client_auth();
        // A session that is taken up again is shown no certificate.
        trust.resumption = Resumption::disabled();
        let folder =
            std::env::temp_dir().join(format!("afterimage-{folder}-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self {
            issuer: Issuer::new(params, key),
            trust: Arc::new(trust),
            folder,
        }
    }

    /// Where the certificate and its key are.
    fn files(&self) -> [PathBuf; 2] {
        ["relay.pem", "relay.key"].map(|name| self.folder.join(name))
    }

    /// Signs a new certificate for `localhost` and puts it in place of the one before.
    fn sign(&self) -> CertificateDer<'static> {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let replace = |path: &Path, text: String| {
            let new = path.with_extension("new");
            fs::write(&new, text).unwrap();
            fs::rename(&new, path).unwrap();
        };
        let [at, key_at] = self.files();
        replace(&key_at, key.serialize_pem());
        replace(&at, certificate.pem());
        certificate.der().clone()
    }
}

/// Asks over https: the certificate that the relay shows, and its answer's body.
async fn ask(
    host: &Host,
    trust: &Arc<ClientConfig>,
    path: &str,
) -> (CertificateDer<'static>, String) {
    let tcp = TcpStream::connect(host.door.at).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let mut tls = TlsConnector::from(Arc::clone(trust))
        .connect(name, tcp)
        .await
        .unwrap();
    let request = format!(
        "GET {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\r\n",
        host.door.host
    );
    tls.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    // An end without TLS' own goodbye is an end all the same.
    let _ = tls.read_to_string(&mut answer).await;
    let shown = tls.get_ref().1.peer_certificates().unwrap()[0]
        .clone()
        .into_owned();
    let body = answer.split_once("\r\n\r\n").map_or("", |(_, body)| body);
    (shown, body.to_owned())
}

/// A WebTransport client that trusts the authority, and no hash.
async fn webtransport(
    host: &Host,
    trust: &Arc<ClientConfig>,
) -> Result<wtransport::Connection, String> {
    let mut tls = ClientConfig::clone(trust);
    tls.alpn_protocols = vec![b"h3".to_vec()];
    let config = wtransport::ClientConfig::builder()
        .with_bind_address(([127, 0, 0, 1], 0).into())
        .with_custom_tls(tls)
        .build();
    let endpoint = Endpoint::client(config).map_err(|error| error.to_string())?;
    let url = format!("https://localhost:{}/wt", host.door.at.port());
    let connecting = tokio::time::timeout(Duration::from_secs(5), endpoint.connect(url));
    let connected = connecting.await.map_err(|_| "late".to_owned())?;
    connected.map_err(|error| error.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authoritys_certificate_is_used_and_read_again_when_it_changes() {
    let authority = Authority::new("pem");
    let first = authority.sign();
    let mut settings = Settings::default();
    let [cert, key] = authority.files();
    settings.place.cert = Some(cert.clone());
    settings.place.key = Some(key);
    let host = Host::start(settings).await;

    let (shown, body) = ask(&host, &authority.trust, "/api/certificate").await;
    assert_eq!(shown, first);
    let told: Value = serde_json::from_str(&body).unwrap();
    assert_eq!(told["authority"], true, "{told}");
    let session = webtransport(&host, &authority.trust).await.unwrap();
    let stranger = Authority::new("stranger");
    assert!(
        webtransport(&host, &stranger.trust).await.is_err(),
        "nobody else's"
    );

    // Half a file is no certificate: the relay keeps the one it has.
    let whole = fs::read_to_string(&cert).unwrap();
    fs::write(&cert, &whole[..whole.len() / 2]).unwrap();
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(ask(&host, &authority.trust, "/healthz").await.0, first);

    let second = authority.sign();
    let began = Instant::now();
    while ask(&host, &authority.trust, "/healthz").await.0 != second {
        assert!(
            began.elapsed() < Duration::from_secs(10),
            "it still shows the old one"
        );
        tokio::time::sleep(Duration::from_millis(200)).await;
    }
    webtransport(&host, &authority.trust).await.unwrap();
    // Whoever was in before is still in.
    let closed = tokio::time::timeout(Duration::from_millis(200), session.closed()).await;
    assert!(closed.is_err(), "a new certificate drops nobody");
    host.stop().await;
    for authority in [authority, stranger] {
        let _ = fs::remove_dir_all(&authority.folder);
    }
}

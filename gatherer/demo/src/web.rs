//! The server of the little web.

use crate::{Page, Site};
use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderMap, Response, StatusCode, Uri, header};
use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// Sites that answer until this is dropped.
pub struct Web {
    origins: BTreeMap<String, String>,
    requests: Requests,
    served: BTreeMap<String, Arc<Served>>,
    servers: JoinSet<()>,
}

/// Every request in order, and whoever waits for the next.
type Requests = Arc<watch::Sender<Vec<Request>>>;

/// A request as the server saw it.
#[derive(Debug, Clone)]
pub struct Request {
    /// The site's name.
    pub site: String,
    /// Path and query.
    pub path: String,
    /// Who asked.
    pub user_agent: String,
    /// Whether it came with a login.
    pub authorized: bool,
    /// When it came.
    pub at: Instant,
}

struct Served {
    name: String,
    site: RwLock<Arc<Site>>,
    origins: BTreeMap<String, String>,
    requests: Requests,
    visits: Mutex<BTreeMap<String, u64>>,
}

impl Web {
    /// Serves each site on a loopback address of its own: 127.0.0.2, 127.0.0.3 and so on, or, where there is only
    /// one loopback address, on ports of that.
    ///
    /// # Errors
    /// When no port can be had.
    pub async fn start(sites: Vec<Site>) -> io::Result<Self> {
        let mut listeners = Vec::new();
        let mut origins = BTreeMap::new();
        for (index, site) in sites.into_iter().enumerate() {
            let own = TcpListener::bind(format!("127.0.0.{}:0", index + 2)).await;
            let listener = match own {
                Ok(listener) => listener,
                Err(_) => TcpListener::bind("127.0.0.1:0").await?,
            };
            origins.insert(site.name.clone(), format!("http://{}", listener.local_addr()?));
            listeners.push((site, listener));
        }
        let requests = Requests::default();
        let (mut servers, mut all) = (JoinSet::new(), BTreeMap::new());
        for (site, listener) in listeners {
            let name = site.name.clone();
            let served = Arc::new(Served {
                name: name.clone(),
                site: RwLock::new(Arc::new(site)),
                origins: origins.clone(),
                requests: Arc::clone(&requests),
                visits: Mutex::default(),
            });
            let router = axum::Router::new().fallback(answer).with_state(served.clone());
            all.insert(name, served);
            servers.spawn(async move {
                // Ends with the web; an error here shows as unreachable pages there.
                let _ = axum::serve(listener, router).await;
            });
        }
        Ok(Self { origins, requests, served: all, servers })
    }

    /// The address of a site, such as `http://127.0.0.2:40123`.
    ///
    /// # Panics
    /// When there is no such site.
    pub fn origin(&self, site: &str) -> &str {
        self.origins.get(site).expect("the site was given to `start`")
    }

    /// All sites by name, with their addresses.
    pub fn origins(&self) -> impl Iterator<Item = (&str, &str)> {
        self.origins.iter().map(|(name, origin)| (name.as_str(), origin.as_str()))
    }

    /// Every request so far, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.borrow().clone()
    }

    /// Done when so many requests have come.
    pub async fn reached(&self, count: usize) {
        let mut requests = self.requests.subscribe();
        // The sender lives as long as this web.
        let _ = requests.wait_for(|requests| requests.len() >= count).await;
    }

    /// Puts another site in the place of the one with the same name.
    pub fn replace(&self, site: Site) {
        if let Some(served) = self.served.get(&site.name) {
            *served.site.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(site);
        }
    }

    /// Stops answering.
    pub async fn stop(&mut self) {
        self.servers.shutdown().await;
    }
}

async fn answer(State(served): State<Arc<Served>>, uri: Uri, headers: HeaderMap) -> Response<Body> {
    served.note(&uri, &headers);
    let path = uri.path();
    let site = served.site.read().unwrap_or_else(PoisonError::into_inner).clone();
    let page = site.pages.get(path).cloned().unwrap_or_default();
    let file = match &page.file {
        Some(file) => format!("/{file}"),
        None if path.ends_with('/') => format!("{path}index.html"),
        None => path.to_owned(),
    };
    let body = site.files.get(&file).map(|bytes| served.fill_in(path, &page, bytes));
    let status = match (page.status, &body) {
        (Some(status), _) => StatusCode::from_u16(status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
        (None, Some(_)) => StatusCode::OK,
        (None, None) => StatusCode::NOT_FOUND,
    };
    let body = body.unwrap_or_default();
    let mut response = Response::builder().status(status);
    if let Some(location) = &page.location {
        response = response.header(header::LOCATION, served.name_sites(location));
    }
    if status == StatusCode::OK && site.validators {
        let etag = etag(&body);
        if headers.get(header::IF_NONE_MATCH).is_some_and(|known| known.as_bytes() == etag.as_bytes()) {
            response = response.status(StatusCode::NOT_MODIFIED);
            return response.body(Body::empty()).expect("a fixed answer is well formed");
        }
        response = response.header(header::ETAG, etag);
    }
    let content_type = page.content_type.as_deref().unwrap_or_else(|| content_type(&file));
    response = response.header(header::CONTENT_TYPE, content_type);
    let body = if page.cut { cut(&body) } else { Body::from(body) };
    response.body(body).expect("site.toml holds well formed headers")
}

impl Served {
    fn note(&self, uri: &Uri, headers: &HeaderMap) {
        let agent = headers.get(header::USER_AGENT).map(|agent| String::from_utf8_lossy(agent.as_bytes()).into_owned());
        let request = Request {
            site: self.name.clone(),
            path: uri.path_and_query().map_or_else(String::new, ToString::to_string),
            user_agent: agent.unwrap_or_default(),
            authorized: headers.contains_key(header::AUTHORIZATION),
            at: Instant::now(),
        };
        self.requests.send_modify(|requests| requests.push(request));
    }

    /// Replaces the placeholders in text; other bytes stay as they are.
    fn fill_in(&self, path: &str, page: &Page, bytes: &[u8]) -> Vec<u8> {
        let Some(text) = std::str::from_utf8(bytes).ok().filter(|text| text.contains("{{")) else {
            return bytes.to_vec();
        };
        let text = self.name_sites(text);
        if !page.changes {
            return text.into_bytes();
        }
        let mut visits = self.visits.lock().unwrap_or_else(PoisonError::into_inner);
        let visit = visits.entry(path.to_owned()).or_default();
        *visit += 1;
        text.replace("{{visit}}", &visit.to_string()).into_bytes()
    }

    fn name_sites(&self, text: &str) -> String {
        let replace =
            |text: String, (name, origin): (&String, &String)| text.replace(&format!("{{{{{name}}}}}"), origin);
        self.origins.iter().fold(text.to_owned(), replace)
    }
}

/// Half of the body, then the connection breaks.
fn cut(body: &[u8]) -> Body {
    let half = body[..body.len() / 2].to_vec();
    let broken = Err(io::Error::from(io::ErrorKind::ConnectionReset));
    Body::from_stream(futures_util::stream::iter([Ok(half), broken]))
}

fn etag(body: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

fn content_type(file: &str) -> &'static str {
    match file.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html",
        "txt" => "text/plain",
        "md" => "text/markdown",
        "csv" => "text/csv",
        "atom" => "application/atom+xml",
        "xml" => "application/xml",
        "pdf" => "application/pdf",
        "gz" => "application/gzip",
        "png" => "image/png",
        _ => "application/octet-stream",
    }
}

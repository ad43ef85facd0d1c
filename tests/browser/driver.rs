//! A real browser, driven by the protocol that all browsers share (`WebDriver`). It asks nobody but us.

use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Where the protocol keeps the name of an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// The driver, a browser, and a window in it.
pub(crate) struct Browser {
    driver: Child,
    port: u16,
    session: String,
}

impl Browser {
    /// Opens a window of this size, or says what is missing for that. A driver that is there has to do its work.
    #[expect(clippy::disallowed_methods, reason = "tests start the browser")]
    pub(crate) fn open(profile: &Path, (width, height): (u32, u32)) -> Result<Self, String> {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| format!("no chromedriver ({error}); install chromium and chromium-driver"))?;
        let mut lines = BufReader::new(driver.stdout.take().expect("stdout is piped")).lines();
        let port = lines.find_map(|line| {
            let line = line.ok()?;
            line.split("started successfully on port ").nth(1)?.trim_end_matches('.').parse().ok()
        });
        // What it says later must not stop it.
        std::thread::spawn(move || lines.for_each(drop));
        let mut browser = Self { driver, port: port.unwrap_or(0), session: String::new() };
        let arguments = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-dev-shm-usage",
        ];
        let own = [format!("--user-data-dir={}", profile.display()), format!("--window-size={width},{height}")];
        let arguments: Vec<_> = arguments.iter().map(ToString::to_string).chain(own).collect();
        let wanted = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            "goog:chromeOptions": { "args": arguments },
            "goog:loggingPrefs": { "performance": "ALL" },
        } } });
        let session = browser.tell("POST", "/session", &wanted);
        let session = session.unwrap_or_else(|error| panic!("no browser for the driver that is here: {error}"));
        session["sessionId"].as_str().unwrap_or_default().clone_into(&mut browser.session);
        Ok(browser)
    }

    /// One command; what it gives, or what the driver says against it.
    fn tell(&self, method: &str, path: &str, body: &Value) -> Result<Value, String> {
        let told = |error: std::io::Error| format!("{method} {path}: {error}");
        let mut socket = TcpStream::connect(("127.0.0.1", self.port)).map_err(told)?;
        socket.set_read_timeout(Some(Duration::from_secs(60))).map_err(told)?;
        let body = if method == "POST" { body.to_string() } else { String::new() };
        let length = body.len();
        let head = format!("{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\n", self.port);
        let head = format!("{head}Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n");
        socket.write_all(format!("{head}{body}").as_bytes()).map_err(told)?;
        let mut answer: Value = serde_json::from_slice(&body_of(BufReader::new(socket)).map_err(told)?)
            .map_err(|error| format!("{method} {path}: {error}"))?;
        match answer["value"]["error"].as_str() {
            Some(error) => Err(format!("{error}: {}", answer["value"]["message"])),
            None => Ok(answer["value"].take()),
        }
    }

    #[track_caller]
    fn ask(&self, method: &str, what: &str, body: &Value) -> Value {
        let path = format!("/session/{}{what}", self.session);
        self.tell(method, &path, body).unwrap_or_else(|error| panic!("{method} {what}: {error}"))
    }

    #[track_caller]
    pub(crate) fn go(&self, url: &str) {
        self.ask("POST", "/url", &json!({ "url": url }));
    }

    pub(crate) fn url(&self) -> String {
        self.ask("GET", "/url", &Value::Null).as_str().unwrap_or_default().to_owned()
    }

    /// All elements that a selector of style sheets finds.
    #[track_caller]
    pub(crate) fn all(&self, selector: &str) -> Vec<String> {
        let found = self.ask("POST", "/elements", &json!({ "using": "css selector", "value": selector }));
        let names = found.as_array().into_iter().flatten().filter_map(|one| one[ELEMENT].as_str());
        names.map(str::to_owned).collect()
    }

    #[track_caller]
    pub(crate) fn one(&self, selector: &str) -> String {
        let found = self.ask("POST", "/element", &json!({ "using": "css selector", "value": selector }));
        found[ELEMENT].as_str().unwrap_or_default().to_owned()
    }

    /// The text of an element as it is seen.
    #[track_caller]
    pub(crate) fn text(&self, selector: &str) -> String {
        let element = self.one(selector);
        self.ask("GET", &format!("/element/{element}/text"), &Value::Null).as_str().unwrap_or_default().to_owned()
    }

    #[track_caller]
    pub(crate) fn click(&self, selector: &str) {
        let element = self.one(selector);
        self.ask("POST", &format!("/element/{element}/click"), &json!({}));
    }

    /// Sends a form by its button, and waits until another page is there: a click does not.
    #[track_caller]
    pub(crate) fn submit(&self, selector: &str) {
        let before = self.one("html");
        self.click(selector);
        let end = Instant::now() + Duration::from_secs(30);
        let session = &self.session;
        let is_old = || self.tell("GET", &format!("/session/{session}/element/{before}/name"), &Value::Null).is_ok();
        let asked = json!({ "script": "return document.readyState;", "args": [] });
        let state = || self.tell("POST", &format!("/session/{session}/execute/sync"), &asked);
        while is_old() || state().is_ok_and(|state| state != "complete") {
            assert!(Instant::now() < end, "{selector} leads nowhere");
        }
    }

    #[track_caller]
    pub(crate) fn write(&self, selector: &str, text: &str) {
        let element = self.one(selector);
        self.ask("POST", &format!("/element/{element}/clear"), &json!({}));
        self.ask("POST", &format!("/element/{element}/value"), &json!({ "text": text }));
    }

    /// What the driver makes of the page, by a script of its own: the page needs none.
    #[track_caller]
    pub(crate) fn find_out(&self, script: &str) -> Value {
        self.ask("POST", "/execute/sync", &json!({ "script": script, "args": [] }))
    }

    /// Something that only this browser can be told.
    #[track_caller]
    pub(crate) fn set(&self, command: &str, parameters: &Value) {
        self.ask("POST", "/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }));
    }

    pub(crate) fn prefer(&self, scheme: &str) {
        let features = json!([{ "name": "prefers-color-scheme", "value": scheme }]);
        self.set("Emulation.setEmulatedMedia", &json!({ "features": features }));
    }

    /// A window as wide as this.
    pub(crate) fn resize(&self, width: u32) {
        let size = json!({ "width": width, "height": 800, "deviceScaleFactor": 1, "mobile": true });
        self.set("Emulation.setDeviceMetricsOverride", &size);
    }

    /// Every URL that was asked for since the last look, with the status of its answer.
    pub(crate) fn requests(&self) -> Vec<(String, Option<u64>)> {
        let log = self.ask("POST", "/se/log", &json!({ "type": "performance" }));
        let mut requests = Vec::new();
        for line in log.as_array().into_iter().flatten().filter_map(|line| line["message"].as_str()) {
            let event: Value = serde_json::from_str(line).unwrap_or_default();
            let told = &event["message"]["params"];
            match event["message"]["method"].as_str() {
                Some("Network.requestWillBeSent") => {
                    requests.push((told["request"]["url"].as_str().unwrap_or_default().to_owned(), None));
                }
                Some("Network.responseReceived") => {
                    let url = told["response"]["url"].as_str().unwrap_or_default();
                    requests.push((url.to_owned(), told["response"]["status"].as_u64()));
                }
                _ => {}
            }
        }
        requests
    }
}

/// The body of an answer. The driver does not always close the connection behind it.
fn body_of(mut answer: impl BufRead) -> std::io::Result<Vec<u8>> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        answer.read_line(&mut line)?;
        let Some((name, value)) = line.trim().split_once(':') else {
            if line.trim().is_empty() {
                break;
            }
            continue;
        };
        if name.eq_ignore_ascii_case("content-length") {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    answer.read_exact(&mut body)?;
    Ok(body)
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver closes the browser, and is then ended itself.
        let _ = self.tell("DELETE", &format!("/session/{}", self.session), &Value::Null);
        let _ = self.driver.kill();
        let _ = self.driver.wait();
    }
}

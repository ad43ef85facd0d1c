//! The pages for people, in a real browser: what is on them, that they need no scripts and ask nobody else, in light and
//! dark, on a phone, and that their forms lead somewhere.
//!
//! Where there is no browser they are skipped, loudly; a machine that says it is a test machine (`CI=true`) must have one.

mod driver;
#[path = "../program/stage.rs"]
#[expect(dead_code, reason = "these tests need a part of it")]
mod stage;

use driver::Browser;
use gatherer_demo::{Page, Site};
use serde_json::json;
use stage::Stage;
use std::os::unix::fs::PermissionsExt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::time::Duration;

/// A window of a gatherer's pages: the browser, where the gatherer is, and where its site is.
struct Look<'a> {
    browser: &'a Browser,
    base: &'a str,
    site: &'a str,
}

/// What a test is called, and what it does.
type Test = (&'static str, fn(&Look<'_>));

const TESTS: &[Test] = &[
    ("the_status_page_says_what_is_and_what_is_wrong", status),
    ("every_page_can_be_read_by_everybody", readable),
    ("no_page_asks_anybody_else_or_needs_a_script", alone),
    ("light_and_dark_can_be_read", schemes),
    ("pages_fit_a_phone", phone),
    ("the_search_box_leads_to_an_explanation", search),
    ("runs_and_records_are_found_by_following_links", links),
    ("a_form_is_heard_with_its_token_only", forms),
];

const TOKEN: &str = "a-long-secret-word";

fn site() -> Site {
    Site::new("site")
        .with("/robots.txt", "User-agent: *\nDisallow: /secret/\n")
        .with(
            "/index.html",
            "<title>Start</title><a href=a.html>a</a><a href=gone.html>b</a><a href=secret/x.html>x</a>\
             <a href=old.html>old</a>",
        )
        .with("/a.html", "<title>A &lt;script&gt;alert(1)&lt;/script&gt; page</title><p>Words.")
        .with_page(Page { path: "/old.html".into(), status: Some(503), ..Page::default() })
}

const CONFIG: &str = "[[http-token]]\nname = \"me\"\nsecret = { file = \"token\" }\nrights = [\"status\", \"operate\"]\n\
    [[root-node]]\nname = \"site\"\nurl = \"{{site}}/\"\ndelay = \"0s\"\n\
    [[root-node]]\nname = \"broken site\"\nurl = \"http://127.0.0.1:1/\"\ndelay = \"0s\"\n";

#[expect(clippy::print_stdout, reason = "a test runner prints its results")]
fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let wanted: Vec<_> = arguments.iter().filter(|argument| !argument.starts_with('-')).collect();
    let is_wanted = |test: &&Test| wanted.is_empty() || wanted.iter().any(|word| test.0.contains(word.as_str()));
    let tests: Vec<_> = TESTS.iter().filter(is_wanted).collect();
    if arguments.iter().any(|argument| argument == "--list") {
        tests.iter().for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", tests.len());
    if tests.is_empty() {
        return ExitCode::SUCCESS;
    }
    let profile = tempfile::tempdir().expect("a directory");
    let browser = match Browser::open(profile.path(), (1_200, 900)) {
        Ok(browser) => browser,
        Err(why) if std::env::var("CI").is_ok_and(|value| value == "true") => {
            println!("browser: FAILED: may not be skipped: {why}");
            return ExitCode::FAILURE;
        }
        Err(why) => {
            tests.iter().for_each(|(name, _)| println!("test {name} ... SKIPPED: {why}"));
            println!("\nbrowser: 0 passed, 0 failed, {} skipped\n", tests.len());
            return ExitCode::SUCCESS;
        }
    };
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    let (stage, server, base) = runtime.block_on(on_stage());
    let look = Look { browser: &browser, base: &base, site: stage.web.origin("site") };
    let mut failed = 0;
    for (name, test) in &tests {
        let ended = catch_unwind(AssertUnwindSafe(|| test(&look)));
        failed += usize::from(ended.is_err());
        println!("test {name} ... {}", if ended.is_ok() { "ok" } else { "FAILED" });
    }
    println!("\nbrowser: {} passed, {failed} failed, 0 skipped\n", tests.len() - failed);
    drop(browser);
    runtime.block_on(async { drop((stage, server)) });
    runtime.shutdown_timeout(Duration::from_secs(5));
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// A gatherer that has run twice, over a site with some faults and one that is not there, and serves.
async fn on_stage() -> (Stage, tokio::process::Child, String) {
    let stage = Stage::with(site(), "").await;
    let token = stage.path().join("token");
    std::fs::write(&token, TOKEN).expect("a file");
    std::fs::set_permissions(&token, PermissionsExt::from_mode(0o600)).expect("permissions");
    stage.configure(CONFIG);
    for _ in 0..2 {
        let ended = stage.gatherer(&["run", "--now"]).await;
        assert_eq!(ended.code, Some(3), "one root node gives nothing: {ended:?}");
    }
    let (server, _, http) = stage.serve_with(&["serve", "--no-run"]).await;
    (stage, server, http)
}

impl Look<'_> {
    fn at(&self, path: &str) -> &Browser {
        self.browser.go(&format!("{}{path}", self.base));
        self.browser
    }

    /// Every page there is.
    fn paths(&self) -> Vec<String> {
        let record = format!("/records/{}", encoded(&format!("{}/a.html", self.site)));
        let explain = format!("/explain?url={}", encoded(&format!("{}/gone.html", self.site)));
        let views = ["", "?view=soif", "?view=json", "?view=xml"].map(|view| format!("{record}{view}"));
        let fixed = ["/", "/runs", "/runs/1", "/records", "/records?root=site&kind=HTML&site=", "/explain", "/nothing"];
        fixed.into_iter().map(str::to_owned).chain(views).chain([explain]).collect()
    }
}

fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() => (byte as char).to_string(),
        byte => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}

#[track_caller]
fn says(text: &str, parts: &[&str]) {
    parts.iter().for_each(|part| assert!(text.contains(part), "{part:?} is not in:\n{text}"));
}

fn status(look: &Look<'_>) {
    let browser = look.at("/");
    assert_eq!(browser.text("h1"), "Nothing runs at the moment");
    let main = browser.text("main");
    says(&main, &["broken site", "gave nothing", "Recent runs", "Run 2", "missing", "gone.html", "server-trouble"]);
    says(&main, &["robots", "Hosts that wait", "Someone should look at this"]);
    assert_eq!(browser.all("svg.chart g").len(), 2, "a bar for each run");
    browser.click("td a[href^='/explain']");
    says(&browser.text("main"), &["next run", "would"]);
}

fn readable(look: &Look<'_>) {
    for path in look.paths() {
        let browser = look.at(&path);
        let complaints = browser.find_out(
            "const all = s => [...document.querySelectorAll(s)], bad = [];
             if (document.documentElement.lang !== 'en') bad.push('no language');
             for (const s of ['header', 'nav', 'main', 'footer'])
               if (!document.querySelector(s)) bad.push('no ' + s);
             if (all('h1').length !== 1) bad.push('not one h1');
             let level = 1;
             for (const h of all('h1,h2,h3,h4')) {
               const l = +h.tagName[1];
               if (l > level + 1) bad.push('a level is left out before ' + h.textContent);
               if (!h.textContent.trim()) bad.push('an empty heading');
               level = l;
             }
             for (const t of all('table')) {
               if (!t.caption || !t.caption.textContent.trim()) bad.push('a table without a caption');
               if (!t.tHead) bad.push('a table without heads');
               for (const h of t.querySelectorAll('th')) if (!h.scope) bad.push('a head without scope: ' + h.textContent);
             }
             for (const i of all('input,select'))
               if (!i.labels.length && !i.getAttribute('aria-label')) bad.push('a field without a label: ' + i.name);
             for (const s of all('svg[role=img]'))
               if (!s.querySelector('title') || !s.querySelector('desc').textContent) bad.push('a picture without words');
             const ids = all('[id]').map(e => e.id);
             if (new Set(ids).size !== ids.length) bad.push('an id twice');
             for (const a of all('a')) if (!a.textContent.trim()) bad.push('a link without words');
             if (!document.title.includes(' - test')) bad.push('title: ' + document.title);
             return bad;",
        );
        assert_eq!(complaints, json!([]), "{path}");
    }
}

fn alone(look: &Look<'_>) {
    look.browser.requests();
    for path in look.paths() {
        let browser = look.at(&path);
        let scripts = browser.find_out(
            "return document.scripts.length + [...document.querySelectorAll('*')].filter(e => [...e.attributes]
               .some(a => a.name.startsWith('on') || a.name === 'style')).length;",
        );
        assert_eq!(scripts, json!(0), "{path} has scripts or styles of its own");
    }
    let requests = look.browser.requests();
    assert!(requests.len() > 20, "{requests:?}");
    for (url, status) in &requests {
        // The browser has pages of its own.
        let is_our_own = ["data:", "chrome:"].iter().any(|scheme| url.starts_with(scheme));
        assert!(url.starts_with(look.base) || is_our_own, "{url} is asked for");
        let is_expected = status.is_none_or(|status| status < 400 || url.ends_with("/nothing"));
        assert!(is_expected, "{url} answers {status:?}");
    }
    // With scripts off nothing is missing.
    look.browser.set("Emulation.setScriptExecutionDisabled", &json!({ "value": true }));
    let (base, browser) = (look.base, look.browser);
    browser.go(&format!("{base}/"));
    browser.go(&format!("{base}/runs"));
    browser.set("Emulation.setScriptExecutionDisabled", &json!({ "value": false }));
    assert_eq!(browser.all("tbody tr").len(), 2);
}

fn schemes(look: &Look<'_>) {
    let mut papers = Vec::new();
    for scheme in ["light", "dark"] {
        look.browser.prefer(scheme);
        for path in ["/", "/runs/1", "/explain"] {
            let browser = look.at(path);
            // By the formula of WCAG 2, for every text against what is behind it.
            let worst = browser.find_out(
                "const lum = c => { const [r, g, b] = c.map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 :
                   Math.pow((v + 0.055) / 1.055, 2.4); }); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
                 const rgb = t => t.match(/[\\d.]+/g).map(Number);
                 const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor);
                   if (c.length < 4 || c[3] > 0) return c.slice(0, 3); } return [255, 255, 255]; };
                 let worst = [21, ''];
                 for (const e of document.querySelectorAll('body *')) {
                   if (e.closest('svg') || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
                   const a = lum(rgb(getComputedStyle(e).color).slice(0, 3)), b = lum(behind(e));
                   const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
                   if (ratio < worst[0]) worst = [ratio, e.outerHTML.slice(0, 120)];
                 }
                 return worst;",
            );
            assert!(worst[0].as_f64().is_some_and(|ratio| ratio >= 4.5), "{scheme} {path}: {worst}");
        }
        papers.push(look.browser.find_out("return getComputedStyle(document.body).backgroundColor;"));
    }
    assert_ne!(papers[0], papers[1], "dark is not light");
    look.browser.prefer("light");
}

fn phone(look: &Look<'_>) {
    look.browser.resize(360);
    for path in look.paths() {
        let browser = look.at(&path);
        let sizes = browser.find_out("return [document.documentElement.scrollWidth, window.innerWidth];");
        assert!(sizes[0].as_u64() <= sizes[1].as_u64(), "{path} is wider than the window: {sizes}");
    }
    look.browser.set("Emulation.clearDeviceMetricsOverride", &json!({}));
}

fn search(look: &Look<'_>) {
    let browser = look.at("/");
    let url = format!("{}/secret/x.html", look.site);
    browser.write("input[name=url]", &url);
    browser.submit(".search button");
    assert_eq!(browser.url(), format!("{}/explain?url={}", look.base, encoded(&url).replace("%2E", ".")));
    assert_eq!(browser.text("h1"), url);
    says(&browser.text("dl"), &["scope", "robots rules forbid it (disallow /secret/)", "next run"]);
    browser.write("input[name=url]", "no URL at all");
    browser.submit(".search button");
    says(&browser.text("main"), &["no URL at all is no URL", "begins with http://"]);
}

fn links(look: &Look<'_>) {
    let browser = look.at("/");
    browser.click("nav a[href='/runs']");
    browser.click("a[href='/runs/1']");
    assert_eq!(browser.text("h1"), "Run 1");
    says(&browser.text("main"), &["Kinds", "HTML"]);
    browser.click("nav a[href='/records']");
    browser.click("tbody a[href*='a.html']");
    assert_eq!(browser.text("h1"), "A <script>alert(1)</script> page");
    browser.click("nav a[href$='view=soif']");
    says(&browser.text("pre"), &["@FILE { ", "Title{"]);
    browser.click("nav a[href$='view=json']");
    says(&browser.text("pre"), &["\"attributes\": {"]);
    browser.click("nav a[href$='view=xml']");
    says(&browser.text("pre"), &["<object "]);
    browser.click("main a[href^='/explain']");
    says(&browser.text("dl"), &["record", "HTML of"]);
}

fn forms(look: &Look<'_>) {
    let browser = look.at("/");
    browser.write("#run-token", "another-long-secret");
    browser.submit("form[action='/run'] button");
    says(&browser.text("main"), &["this token is not known here"]);
    let browser = look.at("/");
    browser.write("#reload-token", TOKEN);
    browser.submit("form[action='/reload'] button");
    let answer = browser.text("main");
    assert!(!answer.contains("token") && !answer.contains("not sent by"), "the form counts: {answer}");
    assert!(!browser.url().contains(TOKEN), "the token is in no URL");
}

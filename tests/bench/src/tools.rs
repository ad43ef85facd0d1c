//! Who is measured: the gatherer, and those of its peers that are installed.

use crate::site::Site;
use std::fmt::Write as _;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Requests at once, for everybody.
pub(crate) const CONNECTIONS: u32 = 16;

/// Where peers may be found.
#[derive(Debug, Clone)]
pub(crate) struct Places {
    pub(crate) gatherer: PathBuf,
    pub(crate) wget2: PathBuf,
    /// A Python with Scrapy.
    pub(crate) scrapy: PathBuf,
    /// A folder with `node_modules/@crawlee/cheerio`.
    pub(crate) crawlee: PathBuf,
    pub(crate) spider: PathBuf,
}

/// A program that visits the whole web.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tool {
    Gatherer,
    Wget2,
    Scrapy,
    Crawlee,
    Spider,
}

impl Tool {
    pub(crate) const ALL: [Self; 5] = [Self::Gatherer, Self::Wget2, Self::Scrapy, Self::Crawlee, Self::Spider];

    /// Its name and version, if it is installed.
    pub(crate) fn version(self, places: &Places) -> Option<String> {
        let said = |program: &Path, arguments: &[&str]| {
            let output = quiet(program).args(arguments).stdout(Stdio::piped()).output().ok()?;
            let text = String::from_utf8_lossy(&output.stdout).trim().lines().next()?.to_owned();
            output.status.success().then_some(text)
        };
        match self {
            Self::Gatherer => said(&places.gatherer, &["--version"]),
            Self::Wget2 => said(&places.wget2, &["--version"]).and_then(|line| {
                let words: Vec<_> = line.split_whitespace().skip(1).take(2).collect();
                Some(words.join(" ").to_lowercase()).filter(|name| !name.is_empty())
            }),
            Self::Scrapy => said(&places.scrapy, &["-c", "import scrapy; print('scrapy', scrapy.__version__)"]),
            Self::Crawlee => {
                let manifest =
                    fs::read_to_string(places.crawlee.join("node_modules/@crawlee/cheerio/package.json")).ok()?;
                let manifest: serde_json::Value = serde_json::from_str(&manifest).ok()?;
                Some(format!("crawlee {}", manifest["version"].as_str()?))
            }
            Self::Spider => said(&places.spider, &["--version"]),
        }
    }

    /// The command that visits everything, with its files in an empty folder.
    pub(crate) fn command(self, places: &Places, site: &Site, port: u16, folder: &Path) -> io::Result<Command> {
        let starts: Vec<_> = (0..site.hosts).map(|host| format!("http://{}:{port}/", Site::address(host))).collect();
        fs::write(folder.join("starts.txt"), starts.join("\n") + "\n")?;
        let mut command = match self {
            Self::Gatherer => {
                fs::write(folder.join("gatherer.toml"), config(site, &starts))?;
                let mut command = quiet(&places.gatherer);
                command.args(["run", "gatherer.toml"]);
                command
            }
            Self::Wget2 => {
                let mut command = quiet(&places.wget2);
                let threads = format!("--max-threads={CONNECTIONS}");
                command.args(["--recursive", "--level=0", "--no-robots", "--tries=1", "--quiet", &threads]);
                command.args(["--directory-prefix=pages", "--input-file=starts.txt"]);
                command
            }
            Self::Scrapy => {
                fs::write(folder.join("spider.py"), SPIDER)?;
                let mut command = quiet(&places.scrapy);
                command.args(["spider.py", &CONNECTIONS.to_string()]);
                command
            }
            Self::Crawlee => {
                fs::write(folder.join("crawl.mjs"), CRAWL)?;
                std::os::unix::fs::symlink(places.crawlee.join("node_modules"), folder.join("node_modules"))?;
                let mut command = quiet(Path::new("node"));
                command.args(["crawl.mjs", &CONNECTIONS.to_string()]);
                command
            }
            Self::Spider => {
                let mut command = quiet(Path::new("sh"));
                command.args(["-c", SITE_BY_SITE, "sh"]).arg(&places.spider);
                command
            }
        };
        command.current_dir(folder);
        Ok(command)
    }
}

/// A program that says nothing.
#[expect(clippy::disallowed_methods, reason = "programs are what is measured")]
pub(crate) fn quiet(program: &Path) -> Command {
    let mut command = Command::new(program);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// The gatherer without manners: it may ask as fast as its peers.
fn config(site: &Site, starts: &[String]) -> String {
    let (most, hosts) = (site.pages.saturating_mul(2) + 1_000, site.hosts + 1);
    let mut config = format!(
        "[gatherer]\ncontact = \"bench@example.org\"\n[run]\nworkers = {CONNECTIONS}\n\
         [fetch]\nrobots = false\n\
         [[root-node]]\nname = \"bench\"\nurl-max = {most}\nhost-max = {hosts}\nhost-filter = [\"allow .\"]\n\
         delay = \"0s\"\nconnections = {CONNECTIONS}\nurl = [\n"
    );
    for start in starts {
        let _ = writeln!(config, "\"{start}\",");
    }
    config + "]\n"
}

/// It takes one site at a time, and has no setting for requests at once.
const SITE_BY_SITE: &str =
    r#"while read -r start; do "$1" --http --url "$start" crawl --output-links; done < starts.txt > links.txt"#;

/// Links and titles, and no more than that.
const SPIDER: &str = r#"import sys
from scrapy.crawler import CrawlerProcess
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor
from scrapy.spiders import Spider
from scrapy import Request

class Bench(Spider):
    name = "bench"
    start_urls = open("starts.txt").read().split()
    links = LinkExtractor(deny_extensions=[])

    def parse(self, response):
        if isinstance(response, HtmlResponse):
            yield {"url": response.url, "title": response.css("title::text").get()}
            for link in self.links.extract_links(response):
                yield Request(link.url, self.parse)
        else:
            yield {"url": response.url, "size": len(response.body)}

connections = int(sys.argv[1])
process = CrawlerProcess({
    "CONCURRENT_REQUESTS": connections, "CONCURRENT_REQUESTS_PER_DOMAIN": connections, "DOWNLOAD_DELAY": 0,
    "ROBOTSTXT_OBEY": False, "LOG_LEVEL": "CRITICAL", "RETRY_ENABLED": False, "TELNETCONSOLE_ENABLED": False,
    "FEEDS": {"items.jsonl": {"format": "jsonlines"}},
})
process.crawl(Bench)
process.start()
"#;

/// Links and titles, and no more than that.
const CRAWL: &str = r#"import { readFileSync } from "node:fs";
import { CheerioCrawler, Configuration, Dataset, log } from "@crawlee/cheerio";
log.setLevel(log.LEVELS.OFF);
const connections = Number(process.argv[2]);
const crawler = new CheerioCrawler({
    minConcurrency: connections, maxConcurrency: connections, maxRequestRetries: 0, useSessionPool: false,
    additionalMimeTypes: ["application/pdf", "application/gzip", "application/atom+xml"],
    async requestHandler({ $, request, enqueueLinks }) {
        if (typeof $ !== "function") return;
        await Dataset.pushData({ url: request.url, title: $("title").text() });
        await enqueueLinks({ strategy: "all" });
    },
}, new Configuration({ purgeOnStart: true }));
await crawler.run(readFileSync("starts.txt", "utf8").trim().split("\n"));
"#;

//! What a small run costs, counted in instructions: they are nearly the same each time, on whatever machine and beside whatever
//! else, as times are not.
//!
//! The count is held against the figure in `instructions.txt`. A run that takes much more is a fault; one that takes less
//! deserves a new figure: `GATHERER_TEST_COST=keep cargo test --workspace --test cost`. Without valgrind nothing can be
//! counted, which is said.

#![expect(clippy::print_stdout, reason = "a test runner prints what became of its tests")]
#![expect(clippy::disallowed_methods, reason = "the real program is run, by another one that counts")]

use gatherer_demo::{Site, Web};
use std::collections::BTreeSet;
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

/// Pages of the site.
const PAGES: usize = 150;
/// So many times the figure is too much.
const TOO_MUCH: f64 = 1.25;
const FIGURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cost/instructions.txt");
const WORDS: &str = "the harbour and its lights were seen from every ship that came along the coast in winter when storms had \
    taken the older towers one by one while keepers wrote down wind weather passing sails oil burnt glass cleaned letters sent";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    // Whoever asks for the tests, or for some of them by name, is answered in the usual form.
    if std::env::args().any(|argument| argument == "--list") {
        println!("a_small_run_costs_what_it_did: test");
        return Ok(ExitCode::SUCCESS);
    }
    let wanted = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    if wanted.is_some_and(|wanted| !"a_small_run_costs_what_it_did".contains(&wanted)) {
        return Ok(ExitCode::SUCCESS);
    }
    if !Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success()) {
        println!("SKIPPED: what a small run costs: install valgrind to have it counted");
        return Ok(ExitCode::SUCCESS);
    }
    let counted = tokio::runtime::Runtime::new()?.block_on(count())?;
    if std::env::var("GATHERER_TEST_COST").is_ok_and(|wish| wish == "keep") {
        std::fs::write(FIGURE, format!("{counted}\n"))?;
    }
    let figure: u64 = std::fs::read_to_string(FIGURE)?.trim().parse()?;
    #[expect(clippy::cast_precision_loss, reason = "a ratio need not be exact")]
    let ratio = counted as f64 / figure as f64;
    println!("a run of {PAGES} pages: {} million instructions, {ratio:.2} of the figure", counted / 1_000_000);
    if ratio > TOO_MUCH {
        println!("FAILED: that is too much; `valgrind --tool=callgrind` with `callgrind_annotate` shows where it goes");
        return Ok(ExitCode::FAILURE);
    }
    Ok(ExitCode::SUCCESS)
}

/// Gathers the site under valgrind; how many instructions that took.
async fn count() -> Result<u64, Box<dyn Error>> {
    let web = Web::start(vec![site()]).await?;
    let directory = tempfile::tempdir()?;
    let origin = web.origin("site");
    let config = format!(
        "[gatherer]\ncontact = \"test@example.org\"\n[fetch]\nrobots = false\n[run]\nworkers = 2\n\
         [[root-node]]\nurl = \"{origin}/\"\ndelay = \"0s\"\nconnections = 2\n"
    );
    std::fs::write(directory.path().join("gatherer.toml"), config)?;
    let (folder, out) = (directory.path().to_owned(), directory.path().join("counts"));
    let ended = tokio::task::spawn_blocking(move || run(&folder, &out)).await??;
    let fetched: BTreeSet<_> = web.requests().into_iter().map(|request| request.path).collect();
    assert_eq!(fetched.len(), PAGES, "all pages are fetched, and nothing else: {ended}");
    let counted = ended.lines().find_map(|line| line.split_once("Collected : ")?.1.trim().parse().ok());
    counted.ok_or_else(|| format!("valgrind says no number: {ended}").into())
}

fn run(folder: &Path, out: &Path) -> std::io::Result<String> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", &format!("--callgrind-out-file={}", out.display()), env!("CARGO_BIN_EXE_gatherer")])
        .args(["run", "gatherer.toml"])
        .current_dir(folder)
        .output()?;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    if output.status.success() { Ok(said) } else { Err(std::io::Error::other(said)) }
}

/// Pages like those of the web: some kilobytes of words, headings, twenty links each.
fn site() -> Site {
    let words: Vec<_> = WORDS.split_whitespace().collect();
    (0..PAGES).fold(Site::new("site"), |site, number| {
        let mut state = number as u64 + 1;
        let mut below = |end: usize| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap_or(0) % end
        };
        let mut body = format!("<!DOCTYPE html><html lang=en><title>Page {number} of the harbour</title><body>");
        for paragraph in 0..12 {
            let sentence: Vec<_> = (0..100).map(|_| words[below(words.len())]).collect();
            body.push_str(&["<h2>Part ", &paragraph.to_string(), "</h2><p>", &sentence.join(" "), "</p>"].concat());
        }
        for link in 1..=20 {
            let to = if link <= 10 { (number * 10 + link) % PAGES } else { below(PAGES) };
            body.push_str(&["<a href=\"", &path(to), "\">", words[below(words.len())], "</a> "].concat());
        }
        let file = if number == 0 { "/index.html".to_owned() } else { path(number) };
        site.with(&file, body)
    })
}

fn path(number: usize) -> String {
    if number == 0 { "/".to_owned() } else { format!("/page-{number}.html") }
}

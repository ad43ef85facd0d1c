//! `gatherer manual` and `gatherer completions`: what is installed beside the program, made of the command line itself.

use super::print;
use crate::arguments::{Arguments, CompletionsWish, ManualWish};
use anyhow::{Context, Result};
use clap::CommandFactory;
use clap_mangen::Man;
use std::fmt::Write as _;
use std::io::Write as _;
use std::process::ExitCode;

/// What the first page says beyond its options.
const ABOUT: &str = r"
A config file names root nodes, where gathering starts. `gatherer run` visits what is due under them, keeps robots.txt and pauses, recognizes what each document is, reduces it to a structured summary, and folds the summaries into a store. `gatherer serve` does the same again and again, and serves what has changed to brokers: on one port by Harvest's protocol, on the other over HTTP.

To start: `gatherer demo` shows it all on a little web of its own. `gatherer init` writes a config, `gatherer check` says all that is wrong with it at once, `gatherer explain URL` what became of a URL and why.
";

/// Exit codes, as in the README.
const EXIT: &[(&str, &str)] = &[
    ("0", "Done, or asked to stop; the next run goes on from there."),
    ("1", "Failed, or something was found to be wrong; standard error says what to do."),
    ("2", "Wrong arguments or config."),
    ("3", "Done, but a root node, or another gatherer, has given nothing."),
    ("130", "Asked to stop a second time; nothing is lost."),
];

const FILES: &[(&str, &str)] = &[
    (
        "gatherer.toml",
        "The config, where none is named. `gatherer config` prints every setting in force and where it came from.",
    ),
    (
        "data/",
        "The store, beside the config, unless `data-directory` says otherwise. One gatherer at a time writes to it.",
    ),
];

const VARIABLES: &[(&str, &str)] = &[(
    "GATHERER_LOG",
    "What is said on standard error, in the place of -v: a level such as debug, or levels by part.",
)];

/// Examples, by page.
const EXAMPLES: &[(&str, &str, &str)] = &[
    (
        "gatherer",
        "gatherer init docs --contact you@example.org --url https://www.example.org/docs/",
        "A config for one site.",
    ),
    ("gatherer", "cd docs && gatherer check && gatherer run", "Its first run."),
    (
        "gatherer-init",
        "gatherer init docs --contact you@example.org --url https://www.example.org/",
        "A config for one site.",
    ),
    ("gatherer-check", "gatherer check --set run.workers=4", "The config with one setting changed."),
    (
        "gatherer-config",
        "gatherer config --schema > gatherer.schema.json",
        "For editors that complete keys; `#:schema gatherer.schema.json` as first line of the config leads many of them there.",
    ),
    ("gatherer-run", "gatherer run --json", "One run, and its report for machines."),
    ("gatherer-serve", "gatherer serve /etc/gatherer/gatherer.toml", "As a service."),
    (
        "gatherer-explain",
        "gatherer explain https://www.example.org/a.html",
        "Why there is no record of it, or how old the one is that there is.",
    ),
    (
        "gatherer-export",
        "gatherer export --form json --site docs.example.org --kind PDF",
        "All PDF documents of one site.",
    ),
    (
        "gatherer-collect",
        "gatherer collect http://127.0.0.1:8580 --cursor here.cursor -o changes.jsonl --form json",
        "A copy that is kept in step.",
    ),
    ("gatherer-store-check", "gatherer store check --json", "For a watchdog: exit code 1 if anything is wrong."),
    ("gatherer-store-stats", "gatherer store stats --top 50", "The fifty largest sites."),
    (
        "gatherer-store-backup",
        "gatherer store backup /backup/gatherer --keep 14",
        "Every night, while the gatherer goes on.",
    ),
    (
        "gatherer-store-restore",
        "gatherer store restore /backup/gatherer --force",
        "The latest backup; what is there now is kept under another name.",
    ),
    (
        "gatherer-forget",
        "gatherer forget --site old.example.org --yes",
        "All of a site that is no longer wanted, once the config does not lead there any more.",
    ),
    (
        "gatherer-import",
        "gatherer import sample.cf --contact you@example.org -o gatherer.toml",
        "A Harvest gatherer's configuration.",
    ),
    (
        "gatherer-completions",
        "gatherer completions bash > ~/.local/share/bash-completion/completions/gatherer",
        "For bash.",
    ),
    ("gatherer-manual", "gatherer manual ~/.local/share/man/man1", "A page for each command."),
    ("gatherer-plugin-new", "gatherer plugin new recipes --lang python", "A plugin to start from."),
    ("gatherer-summarize", "gatherer summarize paper.pdf --form json", "What a record of a file would look like."),
];

pub(crate) fn completions(wish: &CompletionsWish) -> Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(wish.shell, &mut Arguments::command(), "gatherer", &mut text);
    std::io::stdout().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}

pub(crate) fn manual(wish: &ManualWish) -> Result<ExitCode> {
    let mut command = Arguments::command().disable_help_subcommand(true);
    command.build();
    let mut pages = Vec::new();
    collect(&command, &mut pages)?;
    let Some(folder) = &wish.folder else {
        std::io::stdout().write_all(&pages[0].1)?;
        return Ok(ExitCode::SUCCESS);
    };
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    for (name, page) in &pages {
        let path = folder.join(format!("{name}.1"));
        std::fs::write(&path, page).with_context(|| format!("cannot write {}", path.display()))?;
    }
    print(&format!("wrote {} pages to {}", pages.len(), folder.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// The page of a command, then those of the commands below it.
fn collect(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    let name = command.get_display_name().unwrap_or_else(|| command.get_name()).to_owned();
    let source = format!("gatherer {}", env!("CARGO_PKG_VERSION"));
    let man = Man::new(command.clone()).title(name.to_uppercase()).source(source).manual("Gatherer's manual");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    if name == "gatherer" {
        page.extend(paragraphs(ABOUT).into_bytes());
    }
    man.render_options_section(&mut page)?;
    if command.get_subcommands().any(|below| !below.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    page.extend(further(&name).into_bytes());
    pages.push((name, page));
    for below in command.get_subcommands().filter(|below| !below.is_hide_set()) {
        collect(below, pages)?;
    }
    Ok(())
}

/// The sections behind the options.
fn further(name: &str) -> String {
    let mut text = String::new();
    let examples: Vec<_> = EXAMPLES.iter().filter(|(page, ..)| *page == name).collect();
    if !examples.is_empty() {
        text.push_str(".SH EXAMPLES\n");
        for (_, line, what) in examples {
            let _ = write!(text, ".PP\n{}\n.PP\n.RS 4\n.nf\n{}\n.fi\n.RE\n", roff(what), roff(line));
        }
    }
    let tables: [(&str, &[(&str, &str)]); 3] = [("EXIT STATUS", EXIT), ("FILES", FILES), ("ENVIRONMENT", VARIABLES)];
    for (title, rows) in tables.into_iter().filter(|(title, _)| name == "gatherer" || *title == "EXIT STATUS") {
        let _ = writeln!(text, ".SH \"{title}\"");
        for (term, what) in rows {
            let _ = write!(text, ".TP\n\\fB{}\\fR\n{}\n", roff(term), roff(what));
        }
    }
    if name != "gatherer" {
        text.push_str(".SH \"SEE ALSO\"\n\\fBgatherer\\fR(1)\n");
    }
    text
}

fn paragraphs(text: &str) -> String {
    text.trim().split("\n\n").map(|paragraph| format!(".PP\n{}\n", roff(paragraph))).collect()
}

/// Text that roff takes as it is; what stands between backquotes is set in bold.
fn roff(text: &str) -> String {
    let mut out = String::new();
    for (index, part) in text.split('`').enumerate() {
        let part = part.replace('\\', "\\e").replace('-', "\\-").replace('\'', "\\(aq");
        let part = if part.starts_with('.') { format!("\\&{part}") } else { part };
        if index % 2 == 1 {
            let _ = write!(out, "\\fB{part}\\fR");
        } else {
            out.push_str(&part);
        }
    }
    out
}

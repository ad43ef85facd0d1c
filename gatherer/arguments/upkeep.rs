//! Commands that look after what is there: the store, the config, what is installed beside the program.

use super::{Form, Source, SourceOption, whole_url};
use clap::{Args, Subcommand};
use std::path::PathBuf;
use url::{Host, Url};

#[derive(Debug, Args)]
pub(crate) struct ConfigWish {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Print the JSON Schema of the config instead, for editors
    #[arg(long)]
    pub(crate) schema: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ExportWish {
    #[command(flatten)]
    pub(crate) source: Source,
    /// How to write them
    #[arg(long, value_enum, default_value_t = Form::Soif)]
    pub(crate) form: Form,
    /// Only these kinds, with commas between them
    #[arg(long, value_name = "KINDS", value_delimiter = ',')]
    pub(crate) kind: Vec<String>,
    /// Only this root node
    #[arg(long, value_name = "NAME")]
    pub(crate) root: Option<String>,
    /// Only this host, and those below it
    #[arg(long, value_name = "HOST", value_parser = host)]
    pub(crate) site: Option<Host>,
}

#[derive(Debug, Args)]
pub(crate) struct StoreWish {
    #[command(subcommand)]
    pub(crate) deed: StoreDeed,
}

#[derive(Debug, Subcommand)]
pub(crate) enum StoreDeed {
    /// Read everything, and say what does not fit together; a gatherer may be running
    Check(StoreCheckWish),
    /// Say what the store holds and how much room it takes; a gatherer may be running
    Stats(StatsWish),
    /// Give back the room of what was overwritten and deleted
    Compact(Source),
    /// Copy the store into a folder of backups, and read the copy; a gatherer may be running
    Backup(BackupWish),
    /// Put a backup in the place of the store
    Restore(RestoreWish),
    /// Save what can be saved of a damaged store, and put its parts in step
    Repair(Source),
}

#[derive(Debug, Args)]
pub(crate) struct StoreCheckWish {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Print the findings as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatsWish {
    #[command(flatten)]
    pub(crate) source: Source,
    /// Print the numbers as JSON, with all sites and kinds
    #[arg(long)]
    pub(crate) json: bool,
    /// How many sites and kinds are shown
    #[arg(long, value_name = "NUMBER", default_value_t = 10)]
    pub(crate) top: usize,
}

#[derive(Debug, Args)]
pub(crate) struct BackupWish {
    /// The folder of backups; each gets a folder of its own there, and shares with the one before what has not changed
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// How many are kept there; older ones are removed when a new one is good
    #[arg(long, value_name = "NUMBER", default_value_t = 7, value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) keep: u32,
    #[command(flatten)]
    pub(crate) source: SourceOption,
}

#[derive(Debug, Args)]
pub(crate) struct RestoreWish {
    /// A folder of backups, of which the latest is taken, or one backup in it
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// Do it even if there is a store already: that is moved beside, under another name
    #[arg(long)]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) source: SourceOption,
}

#[derive(Debug, Args)]
#[group(id = "what", required = true, multiple = false, args = ["url", "site", "root"])]
pub(crate) struct ForgetWish {
    /// The URL, with all that is inside of it
    #[arg(value_parser = whole_url)]
    pub(crate) url: Option<Url>,
    /// A host, and all those below it
    #[arg(long, value_name = "HOST", value_parser = host)]
    pub(crate) site: Option<Host>,
    /// A root node, or another gatherer that was collected from, by its name
    #[arg(long, value_name = "NAME")]
    pub(crate) root: Option<String>,
    /// Do not ask back
    #[arg(short, long)]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) source: SourceOption,
}

#[derive(Debug, Args)]
pub(crate) struct ImportWish {
    /// The configuration of a Harvest gatherer; what it names is looked for beside it
    pub(crate) file: PathBuf,
    /// Your mail address or web page, for webmasters
    #[arg(long)]
    pub(crate) contact: Option<String>,
    /// Write to this file instead of standard output; it must not be there yet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct CompletionsWish {
    /// The shell
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub(crate) struct ManualWish {
    /// Write a page for each command into this folder, instead of the first one to standard output
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,
}

fn host(text: &str) -> Result<Host, String> {
    Host::parse(text).map_err(|error| format!("expected a host such as docs.example.org ({error})"))
}

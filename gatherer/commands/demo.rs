//! `gatherer demo`: the two-minute tour.

use super::{print, progress::run_shown, report::summary, runtime, serve};
use crate::arguments::DemoWish;
use anyhow::{Context, Result};
use gatherer_collect::{Approach, Gatherer, Place, Wish};
use gatherer_demo::Web;
use gatherer_engine::{Daemon, Engine, RunOptions};
use gatherer_pipeline::SystemClock;
use gatherer_settings::{Overrides, Settings};
use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;
use url::Url;

pub(crate) fn demo(wish: &DemoWish) -> Result<ExitCode> {
    runtime()?.block_on(async {
        tokio::select! {
            toured = tour(wish) => toured,
            () = super::asked_to_stop() => Ok(ExitCode::SUCCESS),
        }
    })
}

async fn tour(wish: &DemoWish) -> Result<ExitCode> {
    let mut web = Web::start(gatherer_demo::bundled()).await.context("cannot serve the demo's web on loopback")?;
    let directory = tempfile::tempdir().context("cannot make a temporary directory")?;
    let config = config(&web, wish)?;
    let settings = Settings::from_text(&config, "demo.toml", directory.path(), &Overrides::default())?;
    let engine = Engine::new(super::with_worker(settings.clone()), Arc::new(SystemClock))?;

    print("A little web runs on this machine:")?;
    for (name, origin) in web.origins() {
        print(&format!("  {origin}/  {name}"))?;
    }
    print("\nIt is gathered for the first time.")?;
    gather(&engine).await?;
    print("\nIt is gathered again: one page has changed, the others have only been asked.")?;
    gather(&engine).await?;

    let example = Url::parse(web.origin("harbour"))?.join("/hotels/anchor.html")?;
    print(&format!("\nThe record of {example}, as brokers get it:\n"))?;
    print(&record(&engine, &example)?)?;

    let (doors, address, http) = serve::bound(&settings).await?;
    let (address, http) = (address.to_string(), http.map(|http| http.to_string()).unwrap_or_default());
    let serving = tokio::spawn({
        let daemon = Daemon::new(engine.clone(), false, Box::new(|| Err("the demo has no config file".to_owned())));
        async move { daemon.serve(doors, std::future::pending()).await }
    });
    let collected = collect(address.clone()).await?;
    print(&format!("\nA broker has collected {collected} records from {address}."))?;
    if !wish.once {
        print("Brokers are served there until Ctrl-C. In another terminal:")?;
        print(&format!("  gatherer collect {address}\n  curl -s 'http://{http}/changes?since=0'"))?;
        // Whoever runs the tour ends it.
        std::future::pending::<()>().await;
    }
    serving.abort();
    // The store must be closed before its directory is removed.
    let _ = serving.await;
    web.stop().await;
    Ok(ExitCode::SUCCESS)
}

async fn gather(engine: &Arc<Engine>) -> Result<()> {
    let report = run_shown(engine, RunOptions::default(), std::future::pending()).await?;
    print(summary(&report).trim_end())
}

/// The config of the demo. Everything is due again at once, so that the second run has something to do.
fn config(web: &Web, wish: &DemoWish) -> Result<String> {
    let mut text = format!(
        "[gatherer]\nname = \"demo\"\ncontact = \"demo@localhost.localdomain\"\n\
         [broker]\nlisten = \"{}\"\n[http]\nlisten = \"{}\"\n\
         [root-node-defaults]\ndelay = \"5ms\"\nrefresh-rate = \"0s\"\nurl-filter = []\n",
        wish.broker, wish.http
    );
    for (name, origin) in web.origins() {
        write!(text, "[[root-node]]\nname = \"{name}\"\nurl = \"{origin}/\"\n")?;
    }
    Ok(text)
}

fn record(engine: &Engine, url: &Url) -> Result<String> {
    let record = engine.store().view().record(url)?.with_context(|| format!("{url} was not gathered"))?;
    let mut soif = Vec::new();
    record.write_soif(&mut soif);
    Ok(String::from_utf8_lossy(&soif).trim_end().to_owned())
}

async fn collect(address: String) -> Result<u64> {
    let session = move || {
        let mut gatherer = Gatherer::connect(&address, &Approach::default())?;
        let round = gatherer.collect(&Place::default(), &Wish::default(), |_, _| Ok(()))?;
        anyhow::Ok(round.tally.updated)
    };
    tokio::task::spawn_blocking(session).await?
}

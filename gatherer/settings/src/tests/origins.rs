//! Which layer wins, and that the report says so.

use super::{completed, load, load_under};
use crate::{Origin, Overrides, Settings, Voter};
use gatherer_pipeline::{Access, Order};
use std::path::Path;
use std::time::Duration;

/// The report says of `key` that it is `value`, from `origin`.
fn check(settings: &Settings, key: &str, value: &str, origin: &str) {
    let setting = settings.report().iter().find(|setting| setting.key == key).expect(key);
    assert_eq!((&*setting.value, &*setting.origin.to_string()), (value, origin), "{key}");
}

#[test]
fn defaults_below_the_file_below_the_command_line() {
    let overrides = Overrides::default().set("run.workers", "2").set("run.workers", "3").set("gatherer.name", "1984");
    let settings = load_under(&completed("[run]\nworkers = 1\nfold-chunk = 7"), &overrides).expect("good");
    assert_eq!((settings.running.workers, settings.running.fold_chunk), (3, 7));
    check(&settings, "run.workers", "3", "command line");
    check(&settings, "run.fold-chunk", "7", "gatherer.toml:3");
    check(&settings, "run.deletion-brake-share", "0.2", "default");
    check(&settings, "gatherer.name", "\"1984\"", "command line");
}

#[test]
fn root_nodes_over_their_defaults() {
    let config = completed(
        "[root-node-defaults]\ndelay = '2s'\nurl-max = 5\n[[root-node]]\nurl = 'http://x/'\ndelay = '3s'\n\
         [[root-node]]\nurl = 'http://y/a/'\nname = 'why'",
    );
    let overrides = Overrides::default().set("root-node-defaults.delay", "4s").set("root-node.why.depth", "9");
    let settings = load_under(&config, &overrides).expect("good");
    let delays: Vec<_> = settings.root_nodes.iter().map(|root_node| root_node.delay.as_secs()).collect();
    assert_eq!(delays, [3, 4]);
    assert_eq!((settings.root_nodes[0].depth, settings.root_nodes[1].depth), (None, Some(9)));
    check(&settings, "root-node.x.delay", "\"3s\"", "gatherer.toml:6");
    check(&settings, "root-node.why.delay", "\"4s\"", "command line");
    check(&settings, "root-node.why.url-max", "5", "gatherer.toml:3");
    check(&settings, "root-node.why.order", "\"breadth\"", "default");
    check(&settings, "root-node.x.name", "\"x\"", "from its start");
}

#[test]
fn paths_are_relative_to_their_layer() {
    let config =
        completed("[[root-node]]\nenumeration = ['./list', 'a']\n[[root-node]]\nenumeration = ['locate', 'b']");
    let settings = load(&config).expect("good");
    assert_eq!(settings.identity.data_directory, Path::new("/etc/gatherer/data"));
    check(&settings, "gatherer.data-directory", "\"/etc/gatherer/data\"", "default");
    let programs: Vec<_> = settings.root_nodes.iter().flat_map(|root_node| &root_node.enumeration).collect();
    assert_eq!(programs[0].program, Path::new("/etc/gatherer/./list"));
    assert_eq!((programs[1].program.as_path(), &*programs[1].arguments), (Path::new("locate"), &["b".to_owned()][..]));
    assert_eq!(settings.root_nodes[1].name, "locate");

    let settings = load_under(&config, &Overrides::default().set("gatherer.data-directory", "here")).expect("good");
    assert_eq!(settings.identity.data_directory, Path::new("here"));
}

#[test]
fn access_follows_the_first_url() {
    let config =
        "[[root-node]]\nurl = 'file:///usr/share/doc/'\n[[root-node]]\nurl = 'file:///x'\naccess = ['http', 'file']";
    let settings = load(&completed(config)).expect("good");
    assert_eq!(settings.root_nodes[0].access, [Access::File]);
    assert_eq!(settings.root_nodes[1].access, [Access::Http, Access::File]);
    check(&settings, "root-node.localhost/usr/share/doc.access", "[\"file\"]", "from its first URL");
}

#[test]
fn names_are_host_and_path() {
    let name =
        |url: &str| load(&completed(&format!("[[root-node]]\nurl = '{url}'"))).expect(url).root_nodes[0].name.clone();
    assert_eq!(name("https://www.example.org/"), "www.example.org");
    assert_eq!(name("http://localhost:8000/docs/"), "localhost:8000/docs");
    assert_eq!(name("http://x/a/very/long/path/that/nobody/wants/to/read/in/a/report/"), "x/.../report");
}

#[test]
fn the_host_is_found_if_not_said() {
    let settings = load(&completed("")).expect("good");
    assert!(!settings.identity.host.is_empty());
    let origin = |settings: &Settings| {
        settings.report().iter().find(|one| one.key == "gatherer.host").map(|one| one.origin.clone())
    };
    assert_eq!(origin(&settings), Some(Origin::Derived("this machine")));
    let settings = load(&completed("[gatherer]\ncontact = 'https://x/'\nhost = 'h'")).expect("good");
    check(&settings, "gatherer.host", "\"h\"", "gatherer.toml:3");
}

#[test]
fn tables_keep_their_order() {
    let config = "[[kind]]\nvoter = 'name'\npattern = '\\.x$'\nkind = 'X'\n[[rule]]\nwhen = 'a'\nset = { b = '1', a = '2' }\n\
                  [[rule]]\nname = 'short'\nwhen = 'b'\nremove = ['c']\ndelete = true\ntime-to-live = '1h'";
    let settings = load(&completed(config)).expect("good");
    assert_eq!((settings.kinds[0].voter, settings.kinds[0].pattern.as_str()), (Voter::Name, r"\.x$"));
    let [first, second] = &settings.rules[..] else { unreachable!("two rules were written") };
    assert_eq!((&*first.name, &*first.set[0].0, &*first.set[1].0, first.delete), ("rule 1", "b", "a", false));
    assert_eq!((&*second.name, second.time_to_live, second.delete), ("short", Some(Duration::from_hours(1)), true));
    assert_eq!((first.place.line(), second.place.line()), (6, 10));
    check(&settings, "kind.1.pattern", "'\\.x$'", "gatherer.toml:3");
    check(&settings, "rule.short.remove", "[\"c\"]", "gatherer.toml:11");
}

#[test]
fn defaults_are_what_they_say() {
    let settings = load(&completed("")).expect("good");
    assert_eq!(settings.patience.gone_apart, Duration::from_hours(24));
    assert_eq!(settings.fetching.body_limit, 16 << 20);
    let root_node = &settings.root_nodes[0];
    assert_eq!((root_node.order, root_node.depth, root_node.url_max), (Order::Breadth, None, 10_000));
    let denied = |path: &str| {
        root_node.url_filter.iter().find(|rule| rule.pattern.is_match(path)).expect("the last matches all")
    };
    for (path, verdict) in
        [("/a.GIF", "deny"), ("/a.js?v=3", "deny"), ("/a.json", "allow"), ("/view?of=a.png", "allow"), ("/", "allow")]
    {
        assert!(denied(path).to_string().starts_with(verdict), "{path}");
    }
}

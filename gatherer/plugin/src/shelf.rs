//! All plugins at hand: found in their folders, judged, put into order, loaded. What cannot be used is named with its
//! reason, and the others go on.

use crate::dylib::{Inside, Library};
use crate::form::{Form, Grants, Limits};
use crate::manifest::{FILE, Made, Manifest, Manner, Role};
use crate::once::Once;
use crate::plugin::{Plugin, Start};
use crate::pool::Pool;
use crate::process::Launch;
use crate::sandbox::Sandbox;
use crate::since_0_1::Pair;
use crate::wasm::{Cache, Runtime, Wasm, hexadecimal};
use gatherer_pipeline::{Md5, events};
use sha2::{Digest, Sha256};
use std::cell::OnceCell;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

/// Largest artifact.
const ARTIFACT_LIMIT: u64 = 512 << 20;

/// What the operator says of all plugins.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Policy {
    /// Where they are: a folder is a plugin, or holds folders that are.
    pub folders: Vec<PathBuf>,
    /// Names of those that go first.
    pub order: Vec<String>,
    /// What they may be granted.
    pub grants: Vec<String>,
    /// What is said of single ones.
    pub wishes: Vec<Wish>,
    /// Where compiled components are kept.
    pub cache: Option<PathBuf>,
    /// This program, which is also the worker.
    pub worker: Option<PathBuf>,
    /// Programs and workers are not kept from anything.
    pub unguarded: bool,
}

/// What the operator says of one plugin.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Wish {
    /// Which.
    pub name: String,
    /// It is not to be used.
    pub off: bool,
    /// What it takes, whatever its manifest says.
    pub kinds: Option<Vec<String>>,
    /// What it is granted beside what all are.
    pub grants: Vec<String>,
    /// Its options.
    pub options: Vec<(String, String)>,
    /// Its bounds.
    pub deadline: Option<Duration>,
    /// In bytes.
    pub memory: Option<u64>,
    /// In bytes.
    pub output: Option<usize>,
    /// A library is loaded into the gatherer itself.
    pub in_process: bool,
}

/// All plugins at hand.
#[derive(Default)]
pub struct Shelf {
    plugins: Vec<Arc<Plugin>>,
    out: Vec<Out>,
    /// What was there when it was read.
    stamp: Vec<(PathBuf, Option<SystemTime>, u64)>,
}

/// A plugin that is not in use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Out {
    /// Its name, or its folder where it has none.
    pub name: String,
    /// Where it lies, if anywhere.
    pub folder: Option<PathBuf>,
    /// Why.
    pub reason: String,
    /// Whether something has to be mended: one that was switched off is as it should be.
    pub is_wrong: bool,
}

impl Shelf {
    /// Finds, judges and loads what the policy names.
    pub fn read(policy: &Policy) -> Self {
        let mut shelf = Self { stamp: stamp(&policy.folders), ..Self::default() };
        let loader = Loader::new(policy);
        let mut found: Vec<(PathBuf, Manifest)> = Vec::new();
        for folder in &policy.folders {
            for place in shelf.places(folder) {
                match Manifest::read(&place) {
                    Ok(manifest) => shelf.meet(place, manifest, &mut found),
                    Err(reason) => shelf.leave_out(&place.display().to_string(), Some(place), reason),
                }
            }
        }
        let rank = |manifest: &Manifest| {
            let place = policy.order.iter().position(|name| *name == manifest.name);
            (place.unwrap_or(usize::MAX), manifest.name.clone())
        };
        found.sort_by_key(|(_, manifest)| rank(manifest));
        shelf.judge_names(policy, &found);
        for (folder, manifest) in found {
            let name = manifest.name.clone();
            if policy.wishes.iter().any(|wish| wish.name == name && wish.off) {
                let reason = "switched off by the config".to_owned();
                shelf.out.push(Out { name, folder: Some(folder), reason, is_wrong: false });
                continue;
            }
            match loader.load(&folder, manifest) {
                Ok(plugin) => {
                    events::plugin_in(&name, &plugin.kinds().join(" "), &plugin.about());
                    shelf.plugins.push(Arc::new(plugin));
                }
                Err(reason) => shelf.leave_out(&name, Some(folder), reason),
            }
        }
        shelf
    }

    /// One plugin, from its folder, as an author wants to try it: all that it asks for is granted.
    ///
    /// # Errors
    /// What is wrong with it, and what to do.
    pub fn one(folder: &Path, policy: &Policy) -> Result<Plugin, String> {
        let manifest = Manifest::read(folder)?;
        Loader::new(policy).load(folder, manifest)
    }

    /// Folders of plugins in this folder.
    fn places(&mut self, folder: &Path) -> Vec<PathBuf> {
        if folder.join(FILE).is_file() {
            return vec![folder.to_owned()];
        }
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) => {
                self.leave_out(
                    &folder.display().to_string(),
                    Some(folder.to_owned()),
                    format!("the folder, which [plugins] folders names, cannot be read: {error}"),
                );
                return Vec::new();
            }
        };
        let places = entries.filter_map(|entry| Some(entry.ok()?.path())).filter(|place| place.join(FILE).is_file());
        let mut places: Vec<_> = places.collect();
        places.sort();
        places
    }

    fn meet(&mut self, place: PathBuf, manifest: Manifest, found: &mut Vec<(PathBuf, Manifest)>) {
        match found.iter().find(|(_, known)| known.name == manifest.name) {
            Some((first, _)) => {
                let reason = format!(
                    "{} has the same name as {}, which comes first: rename one of them, or take it out of plugins.folders",
                    place.display(),
                    first.display()
                );
                self.leave_out(&manifest.name, None, reason);
            }
            None => found.push((place, manifest)),
        }
    }

    /// Complains of names in the config that no plugin has.
    fn judge_names(&mut self, policy: &Policy, found: &[(PathBuf, Manifest)]) {
        let named = policy.wishes.iter().map(|wish| &wish.name).chain(&policy.order);
        for name in named {
            let is_known = found.iter().any(|(_, manifest)| manifest.name == *name)
                || self.out.iter().any(|out| out.name == *name);
            if !is_known {
                let near = found.iter().map(|(_, manifest)| manifest.name.as_str());
                let near = { near }.find(|known| strsim::damerau_levenshtein(known, name) <= 2);
                let hint = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
                self.leave_out(name, None, format!("the config names it, but it is in none of plugins.folders{hint}"));
            }
        }
    }

    fn leave_out(&mut self, name: &str, folder: Option<PathBuf>, reason: String) {
        let reason = crate::since_0_1::shown(&reason);
        self.out.push(Out { name: name.to_owned(), folder, reason, is_wrong: true });
    }

    /// Those in use, in order.
    pub fn plugins(&self) -> &[Arc<Plugin>] {
        &self.plugins
    }

    /// Those in use that have this role, in order.
    pub fn of(&self, role: Role) -> impl Iterator<Item = &Arc<Plugin>> {
        self.plugins.iter().filter(move |plugin| plugin.manifest().role == role)
    }

    /// The enumerator of this name.
    ///
    /// # Errors
    /// Why there is none.
    pub fn enumerator(&self, name: &str) -> Result<&Arc<Plugin>, String> {
        let plugin = self.plugins.iter().find(|plugin| plugin.manifest().name == name);
        match plugin {
            Some(plugin) if plugin.manifest().role == Role::Enumerator => Ok(plugin),
            Some(plugin) => Err(format!("{name} is a {}, no enumerator", plugin.manifest().role.interface())),
            None => Err(format!("there is no enumerator {name} in use; `gatherer plugin list` says who is")),
        }
    }

    /// Those not in use.
    pub fn out(&self) -> &[Out] {
        &self.out
    }

    /// Whether something in the folders is otherwise than when they were read, or was wrong then and may be well now.
    pub fn is_stale(&self, policy: &Policy) -> bool {
        self.out.iter().any(|out| out.is_wrong) || self.stamp != stamp(&policy.folders)
    }

    /// The same; but what was in use before and cannot be used now stays in use as it was.
    #[must_use]
    pub fn or_as_before(mut self, before: &Self) -> Self {
        let wrong: Vec<_> = self.out.iter().filter(|out| out.is_wrong).map(|out| out.folder.clone()).collect();
        let is_wanted = |plugin: &&Arc<Plugin>| wrong.contains(&Some(plugin.folder().to_owned()));
        for plugin in before.plugins.iter().filter(is_wanted) {
            self.plugins.push(plugin.clone());
        }
        for out in self.out.iter_mut().filter(|out| out.is_wrong) {
            if before.plugins.iter().any(|plugin| out.folder.as_deref() == Some(plugin.folder())) {
                out.reason.push_str("; until that is mended it stays in use as it was");
            }
        }
        self
    }
}

/// What lies in the folders, as far as a change of it would matter: manifests and what they name, by age and size.
fn stamp(folders: &[PathBuf]) -> Vec<(PathBuf, Option<SystemTime>, u64)> {
    let look = |path: PathBuf| {
        let metadata = fs::metadata(&path).ok()?;
        Some((path, metadata.modified().ok(), metadata.len()))
    };
    let mut stamps = Vec::new();
    for folder in folders {
        let inner = fs::read_dir(folder).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
        for place in std::iter::once(folder.clone()).chain(inner.filter(|path| path.is_dir())) {
            let files = fs::read_dir(&place).into_iter().flatten().filter_map(|entry| Some(entry.ok()?.path()));
            stamps.extend(files.filter(|path| path.is_file()).filter_map(look));
        }
    }
    stamps.sort();
    stamps
}

/// Makes plugins of folders.
struct Loader<'a> {
    policy: &'a Policy,
    /// Made when the first component is met.
    runtime: OnceCell<Result<Runtime, String>>,
    cache: OnceCell<Option<Cache>>,
}

impl<'a> Loader<'a> {
    fn new(policy: &'a Policy) -> Self {
        Self { policy, runtime: OnceCell::new(), cache: OnceCell::new() }
    }
}

impl Loader<'_> {
    fn load(&self, folder: &Path, manifest: Manifest) -> Result<Plugin, String> {
        let usual = Wish::default();
        let wish = self.policy.wishes.iter().find(|wish| wish.name == manifest.name).unwrap_or(&usual);
        let asked = Grants::named(&manifest.grants);
        let granted: Vec<_> = self.policy.grants.iter().chain(&wish.grants).cloned().collect();
        let grants = asked.and(Grants::named(&granted));
        let mut limits = manifest.limits()?;
        limits.deadline = wish.deadline.unwrap_or(limits.deadline);
        limits.memory = wish.memory.unwrap_or(limits.memory);
        limits.output = wish.output.unwrap_or(limits.output);
        let kinds = wish.kinds.clone().unwrap_or_else(|| manifest.kinds.clone());
        let options = options(&manifest, &wish.options)?;
        let path = artifact(folder, &manifest)?;
        let (bytes, file) = timed(|| fs::read(&path).map(|bytes| (hexadecimal(&Sha256::digest(&bytes)), bytes)));
        let (digest, bytes) = bytes.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        // One for all components: what it takes is told apart.
        let needs_engine = manifest.form == Made::Wasm;
        let engine = if needs_engine { timed(|| self.runtime().is_ok()).1 } else { Duration::ZERO };
        let (form, own) = timed(|| {
            let form = self.form(folder, &manifest, wish, &path, (&bytes, &digest), grants, limits)?;
            agree(&*form, &manifest).map(|()| form)
        });
        let form = form?;
        let arguments = &manifest.arguments;
        let mark = format!("{}{digest}{kinds:?}{options:?}{grants:?}{arguments:?}", manifest.label());
        let mark = Md5::of(mark.as_bytes());
        let mut plugin = Plugin::new(manifest, kinds, options, mark.to_string(), form, limits.output);
        plugin.lies_in(folder);
        plugin.took(Start { file, engine, own });
        Ok(plugin)
    }

    #[expect(clippy::too_many_arguments, reason = "all that a form is made of")]
    fn form(
        &self,
        folder: &Path,
        manifest: &Manifest,
        wish: &Wish,
        path: &Path,
        (bytes, digest): (&[u8], &str),
        grants: Grants,
        limits: Limits,
    ) -> Result<Box<dyn Form>, String> {
        let role = manifest.role;
        let sandbox = match (self.policy.unguarded, grants.network) {
            (true, _) => Sandbox::Off,
            (false, true) => Sandbox::WithNetwork,
            (false, false) => Sandbox::On,
        };
        if wish.in_process && manifest.form != Made::Dylib {
            return Err(format!("in-process is for libraries, and this is a {}", manifest.form));
        }
        Ok(match (manifest.form, manifest.talk) {
            (Made::Wasm, _) => {
                Box::new(Wasm::load(self.runtime()?, (bytes, digest), role, grants, limits, manifest.instances())?)
            }
            (Made::Dylib, _) => {
                is_for_this_machine(bytes)?;
                // What is loaded stays as it is, whatever becomes of the folder.
                let kept = self.cache().and_then(|cache| cache.put(&format!("{digest}.so"), bytes, 0o500).ok());
                let place = kept.unwrap_or_else(|| path.to_owned());
                if wish.in_process {
                    let library = Library::load(&place)?;
                    events::plugin_inside(&manifest.name);
                    return Ok(Box::new(Inside { library, grants }));
                }
                let program = self.policy.worker.clone().ok_or("there is no worker to load libraries in")?;
                let arguments = vec!["worker".into(), "--dylib".into(), place.into_os_string()];
                let launch = Launch { program, arguments, directory: None, is_ours: true, sandbox };
                Box::new(Pool::new(launch, role.interface(), grants, limits))
            }
            (Made::Program, Manner::Messages) => {
                let (program, arguments) = (path.to_owned(), manifest.arguments.iter().map(Into::into).collect());
                let directory = Some(folder.to_owned());
                let launch = Launch { program, arguments, directory, is_ours: false, sandbox };
                Box::new(Pool::new(launch, role.interface(), grants, limits))
            }
            (Made::Program, Manner::Once) => {
                Box::new(Once { program: path.to_owned(), arguments: manifest.arguments.clone(), limits, sandbox })
            }
        })
    }

    fn runtime(&self) -> Result<&Runtime, String> {
        self.runtime.get_or_init(|| Runtime::new(self.cache())).as_ref().map_err(Clone::clone)
    }

    /// Where compiled components are kept; one that cannot be used costs time only.
    fn cache(&self) -> Option<Cache> {
        let open = |place: &Path| Cache::open(place).inspect_err(|why| events::plugin_cache_unused(why)).ok();
        self.cache.get_or_init(|| self.policy.cache.as_deref().and_then(open)).clone()
    }
}

/// What a piece of work gives, and how long it took.
fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let began = Instant::now();
    let given = work();
    (given, began.elapsed())
}

/// Where the artifact is: inside of its folder, whatever links say.
fn artifact(folder: &Path, manifest: &Manifest) -> Result<PathBuf, String> {
    let path = folder.join(&manifest.artifact);
    let shown = path.display();
    let found = path.canonicalize().and_then(|path| Ok((folder.canonicalize()?, fs::metadata(&path)?, path)));
    let (home, metadata, path) = found
        .map_err(|error| format!("there is no {shown} ({error}): has it been built? See the build.sh beside it"))?;
    if !path.starts_with(home) {
        return Err(format!("{shown} leads out of its folder"));
    }
    if !metadata.is_file() || metadata.len() > ARTIFACT_LIMIT {
        return Err(format!("{shown} is no file that could be loaded"));
    }
    if manifest.form == Made::Program && metadata.permissions().mode() & 0o111 == 0 {
        return Err(format!("{shown} cannot be executed: `chmod +x {shown}`"));
    }
    Ok(path)
}

/// A library says in its first bytes what machine it is for.
fn is_for_this_machine(bytes: &[u8]) -> Result<(), String> {
    let own = match std::env::consts::ARCH {
        "x86_64" => Some(62_u16),
        "aarch64" => Some(183),
        "x86" => Some(3),
        "arm" => Some(40),
        "riscv64" => Some(243),
        _ => None,
    };
    let machine = match bytes.get(..20) {
        Some(start) if start.starts_with(b"\x7fELF") => {
            let pair = [start[18], start[19]];
            if start[5] == 2 { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }
        }
        _ => return Err("it is no dynamic library: build it with the build.sh of its folder".to_owned()),
    };
    match own {
        Some(own) if own != machine => Err(format!(
            "it is a library for another machine (number {machine} of ELF; this one is {}, {own}): compile it here",
            std::env::consts::ARCH
        )),
        _ => Ok(()),
    }
}

/// Its options: the operator's word, else the defaults.
pub(crate) fn options(manifest: &Manifest, said: &[(String, String)]) -> Result<Vec<Pair>, String> {
    for (name, value) in said {
        let Some(option) = manifest.options.get(name) else {
            let known: Vec<_> = manifest.options.keys().map(String::as_str).collect();
            return Err(match known.as_slice() {
                [] => format!("the config sets the option {name}, and it has none"),
                known => format!("the config sets the option {name}; it has {}", known.join(", ")),
            });
        };
        if !option.values.is_empty() && !option.values.contains(value) {
            return Err(format!("the option {name} cannot be {value:?}; it can be {}", option.values.join(", ")));
        }
    }
    let value = |(name, option): (&String, &crate::manifest::OptionText)| {
        let said = said.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        Some(Pair { name: name.clone(), value: said.or_else(|| option.default.clone())? })
    };
    Ok(manifest.options.iter().filter_map(value).collect())
}

/// Whether it says of itself what its manifest says.
fn agree(form: &dyn Form, manifest: &Manifest) -> Result<(), String> {
    let description = form.describe().map_err(|trouble| trouble.to_string())?;
    let Some(description) = description else { return Ok(()) };
    let (name, version) = (crate::since_0_1::shown(&description.name), crate::since_0_1::shown(&description.version));
    if (name.as_str(), version.as_str()) != (manifest.name.as_str(), manifest.version.as_str()) {
        return Err(format!(
            "it says that it is {name} {version}, and its plugin.toml that it is {}: build it again, or mend one of them",
            manifest.label()
        ));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_breaks_while_it_is_in_use_stays_as_it_was() {
        let directory = tempfile::tempdir().expect("a directory");
        let folder = directory.path().join("own");
        fs::create_dir(&folder).expect("a folder");
        let manifest = "name = \"own\"\nversion = \"1.0.0\"\ncontract = \"since-0.1\"\nform = \"program\"\nartifact = \"run\"\nkinds = [\"Text\"]\n";
        fs::write(folder.join(FILE), manifest).expect("a manifest");
        fs::write(folder.join("run"), "#!/bin/sh\n").expect("a program");
        fs::set_permissions(folder.join("run"), fs::Permissions::from_mode(0o755)).expect("permissions");
        let policy = Policy { folders: vec![directory.path().to_owned()], ..Policy::default() };
        let first = Shelf::read(&policy);
        assert_eq!((first.plugins().len(), first.out().len(), first.is_stale(&policy)), (1, 0, false));

        // In the middle of a copy.
        fs::write(folder.join(FILE), &manifest[..40]).expect("half a manifest");
        assert!(first.is_stale(&policy));
        let second = Shelf::read(&policy).or_as_before(&first);
        assert_eq!((second.plugins().len(), second.out().len()), (1, 1));
        assert!(second.out()[0].reason.ends_with("it stays in use as it was"), "{:?}", second.out());
        assert!(second.is_stale(&policy), "it may be whole by now");

        // Taken away on purpose.
        fs::remove_dir_all(&folder).expect("removed");
        let third = Shelf::read(&policy).or_as_before(&second);
        assert_eq!((third.plugins().len(), third.out().len()), (0, 0));
    }
}

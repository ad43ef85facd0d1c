//! `gatherer plugin new`: a small plugin to start from.

use crate::arguments::{Language, NewWish, PluginForm};
use crate::commands::print;
use anyhow::{Context, Result, bail};
use include_dir::{Dir, include_dir};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

static TEMPLATES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/plugins/templates");
static RUST: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/plugins/sdk/rust");
static C: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/plugins/sdk/c");
const WIT: &str = include_str!("../../../schemas/summarizer/since-0.1/plugin.wit");

/// A language, how its templates are called, and its forms; the first is the usual one.
const LANGUAGES: [(Language, &str, &[PluginForm]); 5] = [
    (Language::Rust, "rust", &[PluginForm::Wasm, PluginForm::Dylib]),
    (Language::C, "c", &[PluginForm::Wasm, PluginForm::Dylib]),
    (Language::Javascript, "javascript", &[PluginForm::Wasm]),
    (Language::Python, "python", &[PluginForm::Program, PluginForm::Wasm]),
    (Language::Shell, "shell", &[PluginForm::Program]),
];

pub(super) fn new(wish: &NewWish) -> Result<ExitCode> {
    let is_small = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if wish.name.is_empty() || !wish.name.bytes().all(is_small) || !wish.name.as_bytes()[0].is_ascii_lowercase() {
        bail!("a plugin's name is made of small letters, digits and `-`, and begins with a letter: {:?}", wish.name);
    }
    let (_, lang, forms) = LANGUAGES.iter().find(|(lang, ..)| *lang == wish.lang).expect("each language has its row");
    let form = wish.form.unwrap_or(forms[0]);
    if !forms.contains(&form) {
        bail!("there is no template for {} in {lang}; there is {}", name(form), names(forms));
    }
    let folder = PathBuf::from(&wish.name);
    if folder.exists() {
        bail!("{} is there already: choose another name, or move it away", folder.display());
    }
    let project = Project { name: &wish.name, form, folder: &folder };
    project.write(lang)?;
    print(&format!("wrote {}", folder.display()))?;
    print(&format!(
        "next: cd {0} && ./build.sh && gatherer plugin check . && gatherer plugin run . samples/note.txt",
        folder.display()
    ))?;
    Ok(ExitCode::SUCCESS)
}

fn name(form: PluginForm) -> &'static str {
    match form {
        PluginForm::Wasm => "wasm",
        PluginForm::Dylib => "dylib",
        PluginForm::Program => "program",
    }
}

fn names(forms: &[PluginForm]) -> String {
    forms.iter().map(|form| name(*form)).collect::<Vec<_>>().join(" and ")
}

struct Project<'a> {
    name: &'a str,
    form: PluginForm,
    folder: &'a Path,
}

impl Project<'_> {
    fn write(&self, lang: &str) -> Result<()> {
        for part in ["any", name(self.form)] {
            if let Some(files) = TEMPLATES.get_dir(format!("{lang}/{part}")) {
                self.copy(files, files.path(), "", true)?;
            }
        }
        match lang {
            "rust" => self.copy(&RUST, Path::new(""), "sdk", false)?,
            "c" => self.copy(&C, Path::new(""), "sdk", false)?,
            _ => {}
        }
        if matches!(lang, "javascript" | "python") && self.form == PluginForm::Wasm {
            self.put(&self.folder.join("wit/plugin.wit"), WIT.as_bytes(), false)?;
        }
        Ok(())
    }

    /// Copies what is in a directory, with the project's own names where the template leaves room for them.
    fn copy(&self, directory: &Dir<'_>, base: &Path, under: &str, fill: bool) -> Result<()> {
        for file in directory.files() {
            let path = file.path().strip_prefix(base).unwrap_or(file.path()).to_string_lossy();
            let path = self.folder.join(under).join(path.replace("__name__", self.name));
            match file.contents_utf8().filter(|_| fill) {
                Some(text) => self.put(&path, self.filled(text).as_bytes(), text.starts_with("#!"))?,
                None => self.put(&path, file.contents(), file.contents().starts_with(b"#!"))?,
            }
        }
        directory.dirs().try_for_each(|inner| self.copy(inner, base, under, fill))
    }

    fn filled(&self, text: &str) -> String {
        let under = self.name.replace('-', "_");
        let artifact = match self.form {
            PluginForm::Wasm => format!("{}.wasm", self.name),
            PluginForm::Dylib => format!("lib{under}.so"),
            PluginForm::Program => self.name.to_owned(),
        };
        text.replace("{{name}}", self.name)
            .replace("{{crate}}", &under)
            .replace("{{form}}", name(self.form))
            .replace("{{artifact}}", &artifact)
    }

    fn put(&self, path: &Path, content: &[u8], is_program: bool) -> Result<()> {
        let written = || -> std::io::Result<()> {
            fs::create_dir_all(path.parent().unwrap_or(self.folder))?;
            fs::write(path, content)?;
            if is_program {
                fs::set_permissions(path, fs::Permissions::from_mode(0o755))?;
            }
            Ok(())
        };
        written().with_context(|| format!("cannot write {}", path.display()))
    }
}

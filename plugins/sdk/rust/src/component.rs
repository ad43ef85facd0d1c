//! The form of a WebAssembly component. For [`export!`](crate::export) only: nothing here is for authors.
//!
//! What a component imports is what its code calls: the linker drops the rest. So nothing in here calls `log`, `body`
//! or `deadline` unless the plugin does, and there is no table of functions that would hold on to them.

use crate::{Call, Enumerator, Level, Plugin, PostSummarizer, Recognizer, RootCall, Summarizer, SummaryCall};
use asks::gatherer::plugin::{body, deadline, log};
use contract::{Attribute, Correction, Description, Document, Draft, Error, Guess, RootNode, Setting};
use std::marker::PhantomData;
use std::sync::Once;
use std::time::Duration;

/// The types of the contract. All but two are those that authors know, so nothing has to be converted.
pub mod contract {
    pub use crate::{Attribute, Child, Correction, Document, Draft, Guess, Pair, Reference, RootNode, Vote};
    pub use crate::{Trouble as Error, Trouble};

    /// An option that a plugin takes.
    pub struct Setting {
        /// What it is called.
        pub name: String,
        /// One line for the operator.
        pub about: String,
        /// What counts if the operator sets nothing.
        pub default: Option<String>,
    }

    /// A plugin's word on itself.
    pub struct Description {
        /// What it is called.
        pub name: String,
        /// Three numbers.
        pub version: String,
        /// What it takes.
        pub kinds: Vec<String>,
        /// What can be set.
        pub options: Vec<Setting>,
    }
}

/// Bindings of one part of the contract's worlds, in a module of its own. Whoever makes the component puts together
/// what the parts import and export. Whole worlds would each bring the macro that exports `plugin`, and a crate can
/// have that only once.
macro_rules! part {
    ($part:ident, $wit:literal) => {
        #[allow(
            unsafe_code,
            missing_docs,
            unreachable_pub,
            clippy::pedantic,
            reason = "this is what wit-bindgen writes"
        )]
        pub mod $part {
            wit_bindgen::generate!({
                path: "wit",
                inline: $wit,
                with: { "gatherer:plugin/types@0.1.0": crate::component::contract },
                generate_all,
                pub_export_macro: true,
            });
        }
    };
}

/// What a plugin may ask.
#[allow(unsafe_code, missing_docs, unreachable_pub, clippy::pedantic, reason = "this is what wit-bindgen writes")]
mod asks {
    wit_bindgen::generate!({
        path: "wit",
        inline: "package gatherer:sdk; world asks {
            import gatherer:plugin/log@0.1.0;
            import gatherer:plugin/body@0.1.0;
            import gatherer:plugin/deadline@0.1.0;
        }",
        generate_all,
    });
}

part!(describing, "package gatherer:sdk; world describing { export gatherer:plugin/plugin@0.1.0; }");
part!(summarizer, "package gatherer:sdk; world summarizer { export gatherer:plugin/summarizer@0.1.0; }");
part!(recognizer, "package gatherer:sdk; world recognizer { export gatherer:plugin/recognizer@0.1.0; }");
part!(enumerator, "package gatherer:sdk; world enumerator { export gatherer:plugin/enumerator@0.1.0; }");
part!(post_summarizer, "package gatherer:sdk; world post-summarizer { export gatherer:plugin/post-summarizer@0.1.0; }");

/// The way to the gatherer. It holds nothing: the imports are functions.
#[derive(Clone, Copy)]
pub(crate) struct Line<'a>(PhantomData<&'a ()>);

impl Line<'_> {
    pub(crate) fn log(self, level: Level, text: &str) {
        let level = match level {
            Level::Debug => log::Level::Debug,
            Level::Info => log::Level::Info,
            Level::Warn => log::Level::Warn,
        };
        log::write(level, text);
    }

    pub(crate) fn read(self, offset: u64, length: u32) -> Vec<u8> {
        body::read(offset, length)
    }

    /// 0 is what the gatherer says if `deadline` is not granted. If nothing were left nobody would hear it.
    pub(crate) fn left(self) -> Option<Duration> {
        Some(deadline::left()).filter(|left| *left > 0).map(Duration::from_millis)
    }
}

/// A plugin, as the exports of a component.
pub struct Component<P>(PhantomData<P>);

impl<P: Plugin> describing::exports::gatherer::plugin::plugin::Guest for Component<P> {
    fn describe() -> Description {
        let text = |text: Option<&str>| text.map(str::to_owned);
        let setting = |setting: &crate::Setting| Setting {
            name: setting.name.to_owned(),
            about: setting.about.to_owned(),
            default: text(setting.default),
        };
        Description {
            name: P::NAME.to_owned(),
            version: P::VERSION.to_owned(),
            kinds: P::KINDS.iter().copied().map(str::to_owned).collect(),
            options: P::OPTIONS.iter().map(setting).collect(),
        }
    }
}

impl<P: Summarizer> summarizer::exports::gatherer::plugin::summarizer::Guest for Component<P> {
    fn summarize(document: Document, content: Vec<u8>) -> Result<Draft, Error> {
        P::summarize(&Call::new(&document, &content, line::<P>()))
    }
}

impl<P: Recognizer> recognizer::exports::gatherer::plugin::recognizer::Guest for Component<P> {
    fn recognize(document: Document, content: Vec<u8>) -> Result<Vec<Guess>, Error> {
        P::recognize(&Call::new(&document, &content, line::<P>()))
    }
}

impl<P: Enumerator> enumerator::exports::gatherer::plugin::enumerator::Guest for Component<P> {
    fn enumerate(root: RootNode) -> Result<Vec<String>, Error> {
        P::enumerate(&RootCall::new(&root, line::<P>()))
    }
}

impl<P: PostSummarizer> post_summarizer::exports::gatherer::plugin::post_summarizer::Guest for Component<P> {
    fn correct(document: Document, attributes: Vec<Attribute>) -> Result<Correction, Error> {
        P::correct(&SummaryCall::new(&document, line::<P>()), attributes)
    }
}

/// The line for one call. A component ends with a trap when it panics, so what the panic says goes out before.
fn line<'a, P: Plugin>() -> Line<'a> {
    static HOOK: Once = Once::new();
    if P::PANICS_TO_LOG {
        HOOK.call_once(|| {
            std::panic::set_hook(Box::new(|panic| {
                let said = panic.to_string().replace('\n', " ");
                Line(PhantomData).log(Level::Warn, &said);
            }));
        });
    }
    Line(PhantomData)
}

/// What [`export!`](crate::export) comes to.
#[doc(hidden)]
#[macro_export]
macro_rules! __export {
    ($role:ident, $plugin:ty) => {
        const _: () = {
            type Exported = $crate::component::Component<$plugin>;
            $crate::component::describing::export! { Exported with_types_in $crate::component::describing }
            $crate::component::$role::export! { Exported with_types_in $crate::component::$role }
        };
    };
}

//! The form of a dynamic library: `gatherer-plugin.h` in Rust, and the way through it. For [`export!`](crate::export)
//! only: nothing here is for authors.
//!
//! This is the one file with `unsafe` in it. The structures have the layout of those in the header; a pointer with the
//! number of items behind it is a [`List`] here, whose lifetime says how long it may be looked at. With that the rest
//! is plain code.

#![expect(unsafe_code, reason = "what comes from C has to be taken at its word")]

#[deny(unsafe_code)]
mod answer;
#[cfg(test)]
mod tests;

use crate::{Enumerator, Plugin, PostSummarizer, Recognizer, Summarizer, panics};
use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::sync::OnceLock;

/// Version 0.1 of the contract.
pub const CONTRACT: u32 = 1;
/// A time that is not known.
pub const NO_TIME: u64 = u64::MAX;

/// The call ended with an answer.
pub const DONE: c_int = 0;
/// This document is not for this plugin.
pub const REFUSED: c_int = 1;
/// The plugin itself is in trouble.
pub const FAILED: c_int = 2;
/// There is to be no record.
pub const LEAVE_OUT: c_int = 3;

/// A pointer and how many items are behind it.
#[repr(C)]
pub struct List<'a, T> {
    data: *const T,
    length: usize,
    life: PhantomData<&'a [T]>,
}

/// `gatherer_bytes`.
pub type Bytes<'a> = List<'a, u8>;

impl<'a, T> List<'a, T> {
    /// No value.
    pub const NONE: Self = Self { data: std::ptr::null(), length: 0, life: PhantomData };

    /// What is in a slice.
    pub const fn of(items: &'a [T]) -> Self {
        Self { data: items.as_ptr(), length: items.len(), life: PhantomData }
    }

    /// The items; nothing if there is no value.
    pub fn get(self) -> Option<&'a [T]> {
        if self.data.is_null() {
            return None;
        }
        // SAFETY: the fields are private. Either `of` took them from a slice that lives for 'a, or C made the list:
        // then the contract promises so many items behind the pointer, for as long as the call lasts in which it was
        // handed over, and a list is only ever seen through a reference to that call's arguments.
        Some(unsafe { std::slice::from_raw_parts(self.data, self.length) })
    }

    /// The items; none if there is no value.
    pub fn items(self) -> &'a [T] {
        self.get().unwrap_or_default()
    }
}

impl<'a> Bytes<'a> {
    /// The text; what is no UTF-8 in it is replaced. Nothing if there is no value.
    pub fn text(self) -> Option<String> {
        self.get().map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// The text, or no value.
    pub fn of_option(text: Option<&'a str>) -> Self {
        text.map_or(Self::NONE, |text| Self::of(text.as_bytes()))
    }
}

impl<T> Clone for List<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for List<'_, T> {}

// SAFETY: a list is a shared slice, and may go wherever that may go.
unsafe impl<T: Sync> Send for List<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for List<'_, T> {}

/// `gatherer_pair`.
#[repr(C)]
pub struct Pair<'a> {
    pub name: Bytes<'a>,
    pub value: Bytes<'a>,
}

/// `gatherer_vote`.
#[repr(C)]
pub struct Vote<'a> {
    pub voter: Bytes<'a>,
    pub kind: Bytes<'a>,
    pub because: Bytes<'a>,
}

/// `gatherer_document`.
#[repr(C)]
pub struct Document<'a> {
    pub size_of_this: u32,
    pub cut: u32,
    pub url: Bytes<'a>,
    pub kind: Bytes<'a>,
    pub votes: List<'a, Vote<'a>>,
    pub headers: List<'a, Pair<'a>>,
    pub charset: Bytes<'a>,
    pub size: u64,
    pub fetched: u64,
    pub modified: u64,
    pub previous: Bytes<'a>,
    pub options: List<'a, Pair<'a>>,
}

/// `gatherer_attribute`.
#[repr(C)]
pub struct Attribute<'a> {
    pub name: Bytes<'a>,
    pub value: Bytes<'a>,
    pub language: Bytes<'a>,
    pub weight: f32,
}

/// `gatherer_child`.
#[repr(C)]
pub struct Child<'a> {
    pub name: Bytes<'a>,
    pub kind: Bytes<'a>,
    pub media_type: Bytes<'a>,
    pub modified: u64,
    pub content: Bytes<'a>,
}

/// `gatherer_root`.
#[repr(C)]
pub struct Root<'a> {
    pub size_of_this: u32,
    pub name: Bytes<'a>,
    pub urls: List<'a, Bytes<'a>>,
    pub url_max: u64,
    pub options: List<'a, Pair<'a>>,
}

/// `gatherer_host`.
#[repr(C)]
pub struct Host {
    pub size_of_this: u32,
    pub context: *mut c_void,
    pub log: extern "C" fn(&Host, c_int, Bytes<'_>),
    pub read: extern "C" fn(&Host, u64, *mut c_void, usize) -> usize,
    pub deadline: extern "C" fn(&Host) -> u64,
    pub attribute: extern "C" fn(&Host, &Attribute<'_>),
    pub text: extern "C" fn(&Host, Bytes<'_>),
    pub reference: extern "C" fn(&Host, Bytes<'_>, Bytes<'_>, c_int),
    pub canonical: extern "C" fn(&Host, Bytes<'_>),
    pub child: extern "C" fn(&Host, &Child<'_>),
    pub complaint: extern "C" fn(&Host, Bytes<'_>),
    pub guess: extern "C" fn(&Host, Bytes<'_>, Bytes<'_>),
    pub url: extern "C" fn(&Host, Bytes<'_>),
    pub reason: extern "C" fn(&Host, Bytes<'_>),
}

/// `gatherer_setting`.
#[repr(C)]
pub struct Setting<'a> {
    pub name: Bytes<'a>,
    pub about: Bytes<'a>,
    pub default_value: Bytes<'a>,
}

/// Works on a document and its beginning.
pub type OnDocument = extern "C" fn(&Document<'_>, Bytes<'_>, &Host) -> c_int;
/// Works on a root node.
pub type OnRoot = extern "C" fn(&Root<'_>, &Host) -> c_int;
/// Works on the attributes of a summary.
pub type OnSummary = extern "C" fn(&Document<'_>, *const Attribute<'_>, usize, &Host) -> c_int;

/// `gatherer_plugin_table`.
#[repr(C)]
pub struct Table {
    pub contract: u32,
    pub size: u32,
    pub name: Bytes<'static>,
    pub version: Bytes<'static>,
    pub kinds: List<'static, Bytes<'static>>,
    pub options: List<'static, Setting<'static>>,
    pub summarize: Option<OnDocument>,
    pub recognize: Option<OnDocument>,
    pub enumerate: Option<OnRoot>,
    pub correct: Option<OnSummary>,
}

impl Table {
    /// What a plugin says of itself; what it can do is still to be said. The lists live as long as the library.
    fn describe<P: Plugin>() -> Self {
        let kinds: Vec<_> = P::KINDS.iter().map(|kind| Bytes::of(kind.as_bytes())).collect();
        let setting = |setting: &'static crate::Setting| Setting {
            name: Bytes::of(setting.name.as_bytes()),
            about: Bytes::of(setting.about.as_bytes()),
            default_value: Bytes::of_option(setting.default),
        };
        let options: Vec<_> = P::OPTIONS.iter().map(setting).collect();
        Self {
            contract: CONTRACT,
            size: size_of::<Self>().try_into().expect("a table is small"),
            name: Bytes::of(P::NAME.as_bytes()),
            version: Bytes::of(P::VERSION.as_bytes()),
            kinds: List::of(kinds.leak()),
            options: List::of(options.leak()),
            summarize: None,
            recognize: None,
            enumerate: None,
            correct: None,
        }
    }

    /// The table of a summarizer.
    pub fn summarizer<P: Summarizer>() -> Self {
        Self { summarize: Some(answer::summarize::<P>), ..Self::describe::<P>() }
    }

    /// The table of a recognizer.
    pub fn recognizer<P: Recognizer>() -> Self {
        Self { recognize: Some(answer::recognize::<P>), ..Self::describe::<P>() }
    }

    /// The table of an enumerator.
    pub fn enumerator<P: Enumerator>() -> Self {
        Self { enumerate: Some(answer::enumerate::<P>), ..Self::describe::<P>() }
    }

    /// The table of a post-summarizer.
    pub fn post_summarizer<P: PostSummarizer>() -> Self {
        Self { correct: Some(correct::<P>), ..Self::describe::<P>() }
    }
}

/// What `gatherer_plugin` answers. A gatherer that speaks a later contract runs plugins of this one too.
pub fn answer(table: &'static OnceLock<Table>, contract: u32, make: fn() -> Table) -> Option<&'static Table> {
    (contract >= CONTRACT).then(|| {
        panics::keep_to_ourselves();
        table.get_or_init(make)
    })
}

/// Here pointer and length are arguments of their own; the rest is in [`answer`].
extern "C" fn correct<P: PostSummarizer>(
    document: &Document<'_>,
    attributes: *const Attribute<'_>,
    attribute_count: usize,
    host: &Host,
) -> c_int {
    answer::correct::<P>(document, List { data: attributes, length: attribute_count, life: PhantomData }, host)
}

/// What [`export!`](crate::export) comes to.
#[doc(hidden)]
#[macro_export]
macro_rules! __export {
    ($role:ident, $plugin:ty) => {
        #[cfg(all(panic = "abort", not(test)))]
        ::core::compile_error!(
            "a dynamic library has to unwind when it panics: take panic = \"abort\" out of the profile"
        );

        /// The one symbol of the plugin.
        #[unsafe(no_mangle)]
        extern "C" fn gatherer_plugin(contract: u32) -> ::core::option::Option<&'static $crate::c_abi::Table> {
            static TABLE: ::std::sync::OnceLock<$crate::c_abi::Table> = ::std::sync::OnceLock::new();
            $crate::c_abi::answer(&TABLE, contract, $crate::c_abi::Table::$role::<$plugin>)
        }
    };
}

/// For a gatherer that is made up in a test: copies what of the body was asked for.
#[cfg(test)]
fn copy_out(body: &[u8], offset: u64, buffer: *mut c_void, length: usize) -> usize {
    let rest = usize::try_from(offset).ok().and_then(|offset| body.get(offset..)).unwrap_or_default();
    let count = rest.len().min(length);
    // SAFETY: whoever reads gives a buffer of that length, and it is not part of the body.
    unsafe { std::ptr::copy_nonoverlapping(rest.as_ptr(), buffer.cast(), count) };
    count
}

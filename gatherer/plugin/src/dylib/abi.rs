//! The structures of `gatherer-plugin.h`, field by field.

use std::ffi::{c_int, c_void};

#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct Bytes {
    pub(super) data: *const u8,
    pub(super) length: usize,
}

#[repr(C)]
pub(super) struct CPair {
    pub(super) name: Bytes,
    pub(super) value: Bytes,
}

#[repr(C)]
pub(super) struct CVote {
    pub(super) voter: Bytes,
    pub(super) kind: Bytes,
    pub(super) because: Bytes,
}

#[repr(C)]
pub(super) struct CDocument {
    pub(super) size_of_this: u32,
    pub(super) cut: u32,
    pub(super) url: Bytes,
    pub(super) kind: Bytes,
    pub(super) votes: *const CVote,
    pub(super) vote_count: usize,
    pub(super) headers: *const CPair,
    pub(super) header_count: usize,
    pub(super) charset: Bytes,
    pub(super) size: u64,
    pub(super) fetched: u64,
    pub(super) modified: u64,
    pub(super) previous: Bytes,
    pub(super) options: *const CPair,
    pub(super) option_count: usize,
}

#[repr(C)]
pub(super) struct CAttribute {
    pub(super) name: Bytes,
    pub(super) value: Bytes,
    pub(super) language: Bytes,
    pub(super) weight: f32,
}

#[repr(C)]
pub(super) struct CChild {
    pub(super) name: Bytes,
    pub(super) kind: Bytes,
    pub(super) media_type: Bytes,
    pub(super) modified: u64,
    pub(super) content: Bytes,
}

#[repr(C)]
pub(super) struct CRoot {
    pub(super) size_of_this: u32,
    pub(super) name: Bytes,
    pub(super) urls: *const Bytes,
    pub(super) url_count: usize,
    pub(super) url_max: u64,
    pub(super) options: *const CPair,
    pub(super) option_count: usize,
}

#[repr(C)]
pub(super) struct CSetting {
    pub(super) name: Bytes,
    pub(super) about: Bytes,
    pub(super) default_value: Bytes,
}

#[repr(C)]
pub(super) struct CHost {
    pub(super) size_of_this: u32,
    pub(super) context: *const super::Collected<'static>,
    pub(super) log: unsafe extern "C" fn(*const CHost, c_int, Bytes),
    pub(super) read: unsafe extern "C" fn(*const CHost, u64, *mut c_void, usize) -> usize,
    pub(super) deadline: unsafe extern "C" fn(*const CHost) -> u64,
    pub(super) attribute: unsafe extern "C" fn(*const CHost, *const CAttribute),
    pub(super) text: unsafe extern "C" fn(*const CHost, Bytes),
    pub(super) reference: unsafe extern "C" fn(*const CHost, Bytes, Bytes, c_int),
    pub(super) canonical: unsafe extern "C" fn(*const CHost, Bytes),
    pub(super) child: unsafe extern "C" fn(*const CHost, *const CChild),
    pub(super) complaint: unsafe extern "C" fn(*const CHost, Bytes),
    pub(super) guess: unsafe extern "C" fn(*const CHost, Bytes, Bytes),
    pub(super) url: unsafe extern "C" fn(*const CHost, Bytes),
    pub(super) reason: unsafe extern "C" fn(*const CHost, Bytes),
}

pub(super) type Summarize = unsafe extern "C" fn(*const CDocument, Bytes, *const CHost) -> c_int;
pub(super) type Enumerate = unsafe extern "C" fn(*const CRoot, *const CHost) -> c_int;
pub(super) type Correct = unsafe extern "C" fn(*const CDocument, *const CAttribute, usize, *const CHost) -> c_int;

#[repr(C)]
pub(super) struct Table {
    pub(super) contract: u32,
    pub(super) size: u32,
    pub(super) name: Bytes,
    pub(super) version: Bytes,
    pub(super) kinds: *const Bytes,
    pub(super) kind_count: usize,
    pub(super) options: *const CSetting,
    pub(super) option_count: usize,
    pub(super) summarize: Option<Summarize>,
    pub(super) recognize: Option<Summarize>,
    pub(super) enumerate: Option<Enumerate>,
    pub(super) correct: Option<Correct>,
}

//! How the large halves of records are packed: each of them alone and once, with a dictionary of what many have in common.
//!
//! They are packed before they are written. RocksDB would do it by itself, file by file, but only after they have gone through
//! its log and its first level as they are, and would read and write all of them once more for it.
//!
//! A dictionary lies among the records that it is for, under a number of its own, and is written before them: wherever they
//! are, it is too. Many records would be lost with it, so that a second copy lies in a file of another family. A new one is
//! made now and then of what came since, and is used if it packs that clearly better.

use crate::disk::{Batch, Disk, Family};
use crate::record::{Body, Head, Record};
use crate::{Store, StoreError, keys};
use serde::de::DeserializeOwned;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use zstd::zstd_safe::{CCtx, CDict, DCtx, DDict, compress_bound, get_frame_content_size, train_from_buffer};

/// First byte of what is packed; the dictionary's number and a zstd frame follow.
const PACKED: u8 = 2;
/// First byte of a dictionary.
const DICTIONARY: u8 = 3;
/// Its size,
const DICTIONARY_BYTES: usize = 112 << 10;
/// that of the records which it is made of,
const SAMPLE_BYTES: usize = 3 << 19;
/// and the longest of them. What is longer counts with its beginning.
const LONGEST_SAMPLE: usize = 64 << 10;
/// Where there is a dictionary, one byte in so many is looked at for the next one.
const STRIDE: usize = 64;
/// A new dictionary has to save so many hundredths.
const WORTH: usize = 3;
/// zstd's own usual one.
const LEVEL: i32 = 3;
/// Dictionaries in memory, for reading.
const REMEMBERED: usize = 64;
/// No record is larger when it is unpacked: what says so is damaged.
const LARGEST: u64 = 1 << 30;
/// Under which name META keeps the number of the dictionary in use, and, with the number behind it, the second copy of each.
const IN_USE: &[u8] = b"dictionary";

/// A record about to be put down, its large half packed.
pub(crate) struct Pending {
    pub(crate) head: Head,
    pub(crate) body: Vec<u8>,
}

/// Dictionaries, and what is needed again and again for packing.
#[derive(Default)]
pub(crate) struct Packing {
    /// With which is packed.
    present: RwLock<Option<Arc<Present>>>,
    /// With which was unpacked, the latest first.
    known: Mutex<VecDeque<(u64, Arc<DDict<'static>>)>>,
    samples: Mutex<Samples>,
    packers: Mutex<Vec<CCtx<'static>>>,
    unpackers: Mutex<Vec<DCtx<'static>>>,
}

struct Present {
    number: u64,
    dictionary: CDict<'static>,
}

/// Records of which the next dictionary will be made, one behind the other.
#[derive(Default)]
struct Samples {
    bytes: Vec<u8>,
    sizes: Vec<usize>,
    /// So many bytes are passed over before the next one.
    pass: usize,
}

impl Packing {
    fn present(&self) -> Option<Arc<Present>> {
        self.present.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn begin_with(&self, number: u64, dictionary: &[u8]) {
        let present = Present { number, dictionary: CDict::create(dictionary, LEVEL) };
        *self.present.write().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(present));
    }

    /// Packs a value.
    fn pack(&self, plain: &[u8]) -> Vec<u8> {
        let present = self.present();
        let mut packer = lock(&self.packers).pop().unwrap_or_default();
        let frame = frame(&mut packer, plain, present.as_ref().map(|present| &present.dictionary));
        lock(&self.packers).push(packer);
        let number = present.map_or(0, |present| present.number);
        [&[PACKED], &number.to_be_bytes()[..], &*frame].concat()
    }

    /// Looks at what is packed. Gives a new dictionary when it is time for one, and it is worth it.
    fn learn(&self, plain: &[u8]) -> Option<Vec<u8>> {
        let present = self.present();
        let samples = lock(&self.samples).taken(plain, present.is_some())?;
        // Nobody waits for this.
        samples.dictionary(present.as_deref())
    }
}

impl Samples {
    /// Adds a sample if it is time for one. Gives all of them when they are enough, and begins anew.
    fn taken(&mut self, plain: &[u8], has_dictionary: bool) -> Option<Self> {
        self.pass = self.pass.saturating_sub(plain.len());
        if self.pass > 0 {
            return None;
        }
        let sample = &plain[..plain.len().min(LONGEST_SAMPLE)];
        self.bytes.extend_from_slice(sample);
        self.sizes.push(sample.len());
        self.pass = if has_dictionary { sample.len() * STRIDE } else { 0 };
        let pass = self.pass;
        (self.bytes.len() >= SAMPLE_BYTES).then(|| std::mem::replace(self, Self { pass, ..Self::default() }))
    }

    /// A dictionary made of one half, if it packs the other half better than the present one does.
    fn dictionary(&self, present: Option<&Present>) -> Option<Vec<u8>> {
        let half = self.sizes.len() / 2;
        let (sizes, rest) = self.sizes.split_at(half);
        let (bytes, rest_bytes) = self.bytes.split_at(sizes.iter().sum());
        let mut dictionary = Vec::with_capacity(DICTIONARY_BYTES);
        // What is too little, or all alike, makes none.
        train_from_buffer(&mut dictionary, bytes, sizes).ok()?;
        let packed = |dictionary: Option<&CDict<'_>>| {
            let (mut packer, mut left) = (CCtx::default(), rest_bytes);
            let sizes = rest.iter().filter_map(|size| left.split_off(..*size));
            sizes.map(|sample| frame(&mut packer, sample, dictionary).len()).sum::<usize>()
        };
        let new = packed(Some(&CDict::create(&dictionary, LEVEL)));
        let old = packed(present.map(|present| &present.dictionary));
        (new * 100 < old * (100 - WORTH)).then_some(dictionary)
    }
}

/// A zstd frame.
fn frame(packer: &mut CCtx<'_>, plain: &[u8], dictionary: Option<&CDict<'_>>) -> Vec<u8> {
    let mut frame = Vec::with_capacity(compress_bound(plain.len()));
    let packed = match dictionary {
        Some(dictionary) => packer.compress_using_cdict(&mut frame, plain, dictionary),
        None => packer.compress(&mut frame, plain, LEVEL),
    };
    packed.expect("there is room for all that zstd may make of it");
    frame
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Puts a dictionary in both of its places.
pub(crate) fn put_dictionary(batch: &mut Batch<'_>, number: u64, dictionary: &Vec<u8>) {
    batch.put_bytes(Family::Attributes, &number.to_be_bytes(), &[&[DICTIONARY], &**dictionary].concat());
    batch.put(Family::Meta, &copy_key(number), dictionary);
}

fn copy_key(number: u64) -> Vec<u8> {
    [IN_USE, &number.to_be_bytes()].concat()
}

/// Whether a value among the attributes is a dictionary, and no record's.
pub(crate) fn is_dictionary(value: &[u8]) -> bool {
    value.first() == Some(&DICTIONARY)
}

/// How long a value is when it is unpacked.
pub(crate) fn plain_length(value: &[u8]) -> u64 {
    let frame = split(value).map(|(_, frame)| frame);
    frame.and_then(|frame| get_frame_content_size(frame).ok().flatten()).unwrap_or(value.len() as u64)
}

/// The dictionary's number and the frame of what is packed.
fn split(value: &[u8]) -> Option<(u64, &[u8])> {
    let (number, frame) = value.strip_prefix(&[PACKED])?.split_first_chunk()?;
    Some((u64::from_be_bytes(*number), frame))
}

impl Disk {
    /// Goes on with the dictionary that was in use. If it cannot be read, a new one will be made.
    pub(crate) fn begin_packing(&self) {
        let number: Option<u64> = self.get(Family::Meta, IN_USE).ok().flatten();
        let dictionary = number.and_then(|number| Some((number, self.dictionary(number).ok()??)));
        if let Some((number, dictionary)) = dictionary {
            self.packing.begin_with(number, &dictionary);
        }
    }

    /// The numbers of all dictionaries that have a second copy.
    pub(crate) fn copied_dictionaries(&self) -> Result<Vec<u64>, StoreError> {
        let pairs = self.scan(Family::Meta, IN_USE, &keys::behind(IN_USE));
        let number = |key: &[u8]| key[IN_USE.len()..].first_chunk().map(|number| u64::from_be_bytes(*number));
        pairs.filter_map(|pair| pair.map(|(key, _)| number(&key)).transpose()).collect()
    }

    /// The last number that was given to something put down, or to a dictionary. One that was lost among the attributes keeps its
    /// number: what was packed with it names that.
    pub(crate) fn last_number(&self) -> Result<u64, StoreError> {
        let last = [Family::Working, Family::Refresh, Family::Attributes].map(|family| self.last_key(family));
        let last = last.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().max();
        let last = last.and_then(|key| Some(u64::from_be_bytes(*key.first_chunk()?)));
        Ok(self.copied_dictionaries()?.into_iter().chain(last).max().unwrap_or(0))
    }

    /// Which of its two places a dictionary has: first that among the attributes, then that of its copy.
    pub(crate) fn dictionary_places(&self, number: u64) -> (bool, bool) {
        let first = self.value(Family::Attributes, &number.to_be_bytes()).ok().flatten();
        let copy: Option<Vec<u8>> = self.get(Family::Meta, &copy_key(number)).ok().flatten();
        (first.is_some_and(|value| is_dictionary(&value)), copy.is_some())
    }

    /// A dictionary, from the first of its two places where it can be read.
    pub(crate) fn dictionary(&self, number: u64) -> Result<Option<Vec<u8>>, StoreError> {
        let first = self
            .value(Family::Attributes, &number.to_be_bytes())
            .map(|value| value.and_then(|value| value.strip_prefix(&[DICTIONARY]).map(<[u8]>::to_vec)));
        match first {
            Ok(Some(dictionary)) => Ok(Some(dictionary)),
            first => self.get(Family::Meta, &copy_key(number)).ok().flatten().map_or(first, |copy| Ok(Some(copy))),
        }
    }

    /// A large half, unpacked and read.
    pub(crate) fn unpacked<T: DeserializeOwned>(&self, value: &[u8]) -> Result<T, StoreError> {
        let mut plain = Vec::new();
        self.unpack(value, &mut plain)?;
        self.decode(Family::Attributes, &plain)
    }

    /// Unpacks a large half.
    pub(crate) fn unpack(&self, value: &[u8], plain: &mut Vec<u8>) -> Result<(), StoreError> {
        plain.clear();
        let damaged = |what: &str| {
            let what = format!("a value in {} cannot be unpacked ({what})", Family::Attributes.name());
            StoreError::Damaged { path: self.path().to_owned(), what }
        };
        let (number, frame) = split(value).ok_or_else(|| damaged("it does not say how it is packed"))?;
        let size = get_frame_content_size(frame).ok().flatten().filter(|size| *size <= LARGEST);
        let size = size.and_then(|size| usize::try_from(size).ok()).ok_or_else(|| damaged("its size is unknown"))?;
        plain.try_reserve_exact(size).map_err(|_| damaged("it is larger than the memory"))?;
        let dictionary = if number == 0 { None } else { Some(self.known(number)?) };
        let mut unpacker = lock(&self.packing.unpackers).pop().unwrap_or_default();
        let unpacked = match &dictionary {
            Some(dictionary) => unpacker.decompress_using_ddict(plain, frame, dictionary),
            None => unpacker.decompress(plain, frame),
        };
        lock(&self.packing.unpackers).push(unpacker);
        unpacked.map_err(|code| damaged(zstd::zstd_safe::get_error_name(code)))?;
        Ok(())
    }

    /// A dictionary for reading.
    fn known(&self, number: u64) -> Result<Arc<DDict<'static>>, StoreError> {
        let mut known = lock(&self.packing.known);
        let place = known.iter().position(|(known, _)| *known == number);
        let dictionary = if let Some((_, dictionary)) = place.and_then(|place| known.remove(place)) {
            dictionary
        } else {
            let bytes = self.dictionary(number)?.ok_or_else(|| StoreError::Damaged {
                path: self.path().to_owned(),
                what: format!("the dictionary with number {number} is missing"),
            })?;
            known.truncate(REMEMBERED - 1);
            Arc::new(DDict::create(&bytes))
        };
        known.push_front((number, dictionary.clone()));
        Ok(dictionary)
    }
}

impl Store {
    /// Packs a record that was made with something.
    pub(crate) fn pack_made<M>(&self, made: Option<(Record, M)>) -> Result<Option<(Pending, M)>, StoreError> {
        made.map(|(record, made_with)| Ok((self.pack(record)?, made_with))).transpose()
    }

    /// Packs the large half of a record. This takes longer than writing it, so it is done before anything is locked.
    pub(crate) fn pack(&self, record: Record) -> Result<Pending, StoreError> {
        let Record { head, body } = record;
        let plain = Disk::encode::<Body>(&body);
        let packing = &self.disk.packing;
        if let Some(dictionary) = packing.learn(&plain) {
            let number = self.next_pending();
            let mut batch = self.disk.batch();
            put_dictionary(&mut batch, number, &dictionary);
            batch.put(Family::Meta, IN_USE, &number);
            batch.commit()?;
            packing.begin_with(number, &dictionary);
        }
        Ok(Pending { head, body: packing.pack(&plain) })
    }
}

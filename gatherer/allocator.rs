//! Where memory comes from. What the system's own allocator has free falls to pieces in a long run: at a hundred thousand pages
//! it takes a quarter more time.

use tikv_jemallocator::Jemalloc;

#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// Two heaps are enough for all threads, and what is free for a second goes back to the system.
#[expect(unsafe_code, reason = "the allocator looks for its settings under this name")]
// SAFETY: a pointer to bytes that end with zero and never change, as the allocator expects it; nobody else has this name.
#[unsafe(export_name = "malloc_conf")]
static SETTINGS: &[u8; 47] = b"narenas:2,dirty_decay_ms:1000,muzzy_decay_ms:0\0";

//! No panic may cross the border to C or end a program that stays: it becomes the reason of a failed call.

use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    /// While a call is at work: what its panic said, and where.
    static SAID: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Lets panics of calls go to the gatherer instead of standard error. The place of a panic is known to the hook only.
pub(crate) fn keep_to_ourselves() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |panic| {
            let is_ours =
                SAID.with_borrow_mut(|said| said.as_mut().map(|said| *said = panic.to_string().replace('\n', " ")));
            if is_ours.is_none() {
                before(panic);
            }
        }));
    });
}

/// What the work gives, or what its panic said.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    SAID.set(Some(String::new()));
    // Nothing that the work has touched is looked at afterwards.
    let result = catch_unwind(AssertUnwindSafe(work));
    let said = SAID.take().filter(|said| !said.is_empty());
    result.map_err(|payload| said.unwrap_or_else(|| format!("panicked: {}", message(payload.as_ref()))))
}

fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    text.or_else(|| payload.downcast_ref::<String>().map(String::as_str)).unwrap_or("nothing was said")
}

//! Any text as references on a page, under any rules of a root node about the form of URLs.

use gatherer_pipeline::{Candidate, UrlRules};
use gatherer_prepare::{UrlForm, canonical, shape};
use url::Url;

pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let base = Url::parse("http://example.org/dir/page?x=1").expect("a URL");
    let forms = [UrlForm::new(&UrlRules::default())];
    for line in text.lines().take(50) {
        let Ok(found) = canonical(line, Some(&base)) else { continue };
        assert_eq!(found.url.fragment(), None, "{} has a fragment", found.url);
        assert!(shape(&found.url).len() <= 200, "{} has a long shape", found.url);
        for form in &forms {
            let Ok(once) = form.apply(found.url.clone()) else { continue };
            assert_eq!(form.apply(once.clone()).ok().as_ref(), Some(&once), "the form of a form is itself");
            assert_eq!(Candidate::start(once.clone(), "any").url(), &once);
        }
    }
}

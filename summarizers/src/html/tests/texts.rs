//! What a page is about, and what stands around it.

use super::*;

#[test]
fn what_stands_around_comes_last() {
    check_text("<nav>menu</nav><p>a<p>b", "a\nb\n\nmenu");
    check_text(
        "<header>site <a href=x>home</a></header><nav><ul><li>one<li>two</ul></nav><main><h1>Corn</h1>grows</main>
         <aside>advert</aside><footer>imprint</footer>",
        "Corn\ngrows\n\nsite home\none\ntwo\nadvert\nimprint",
    );
    check_text("<div role=navigation>menu</div><p>a<div role=Banner>b</div>c", "a\nc\n\nmenu\nb");
    check_text("<div hidden>h</div>a<div aria-hidden=true>i</div><div aria-hidden=false>b</div>", "a\nb\n\nh\ni");
    check_text("<div role=dialog>cookies?</div><p>a", "a\n\ncookies?");
    check_text("<p>a<div hidden=until-found>b</div>", "a\nb");
}

#[test]
fn headers_and_footers_of_articles_belong_to_them() {
    check_text(
        "<article><header>Corn</header>grows<footer>Ann</footer></article><footer>f</footer>",
        "Corn\ngrows\nAnn\n\nf",
    );
    check_text("<main><header>Corn</header>grows<nav>toc</nav></main>", "Corn\ngrows\n\ntoc");
    check_text("<aside><article><header>x</header>y</article></aside><p>a", "a\n\nx\ny");
    check_text("<div aria-hidden=true><main>a</main>b</div>", "a\n\nb");
    check_text("<div role=main><header>a</header></div><header>b</header>", "a\n\nb");
}

#[test]
fn inline_parts_do_not_tear_words() {
    check_text("foo<span hidden>x</span>bar <b aria-hidden=true>y <b>z</b></b>w", "foobar w\n\nx\ny z");
    check_text("<span hidden>a<span>b</span>c</span>d", "d\n\nabc");
    check_text("<p hidden>a<p>b", "b\n\na");
    check_text("<ul><li hidden>a<li>b</ul>", "b\n\na");
}

#[test]
fn a_page_without_such_parts_stays_as_it_is() {
    check_text("<div class=nav>a</div><p>b<div>c</div>", "a\nb\nc");
    check_text("<body hidden><p>a", "a");
    check_text("<nav>only <a href=x>a menu</a></nav>", "only a menu");
}

#[test]
fn references_and_headings_around_count_as_all() {
    let page = "<nav><h2>Site</h2><a href=x>home</a></nav><h1>Corn</h1>";
    check(page, &[("Headings", "Site\nCorn"), ("text", "Corn\n\nSite\nhome")]);
    check_references(page, &[("http://example.org/dir/x", "home")]);
}

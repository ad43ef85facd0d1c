//! Tables, and pages read by them.

use super::*;
use crate::testing;
use gatherer_pipeline::Kind;
use url::Url;

fn summarize(table: &str, html: &str) -> Draft {
    let table = HtmlTable::read(table).expect("a table");
    let url = Url::parse("http://example.org/dir/page.html").expect("a URL");
    let leaf = Leaf::new(&url, &Kind::HTML, html.as_bytes());
    HtmlByTable::new(table).summarize(&leaf).expect("never refuses")
}

/// Exactly these attributes.
#[track_caller]
fn check(table: &str, html: &str, expected: &[(&str, &str)]) {
    let draft = summarize(table, html);
    assert_eq!(draft.attributes().len(), expected.len(), "{:#?}", draft.attributes());
    testing::check(&draft, expected);
}

#[test]
fn harvests_own_table_is_read_and_works() {
    let page = "<HTML><HEAD><TITLE>Corn &amp; maize</TITLE>
        <META NAME=author CONTENT='Ann'><META NAME=md5 CONTENT=x></HEAD>
        <BODY><H1>All about <I>corn</I></H1><P>It grows in <A HREF=fields.html>the fields</A>,
        <CODE>x=<B>1</B></CODE> and
        <CITE>books</CITE>.<UL><LI>red<LI>blue</UL><IMG SRC=corn.gif><A HREF=ad REL=nofollow>ad</A>
        <ADDRESS>Ann<BR>Iowa</ADDRESS></BODY></HTML>";
    check(
        HtmlTable::HARVEST,
        page,
        &[
            ("title", "Corn & maize"),
            ("author", "Ann"),
            ("headings", "All about corn"),
            ("keywords", "1\nad\nblue\ncorn\nred\nthe fields"),
            ("references", "books"),
            ("images", "corn.gif"),
            ("address", "Ann\nIowa"),
            ("body", "It grows in the fields, and .\nred\nblue\nad"),
        ],
    );
    let draft = summarize(HtmlTable::HARVEST, page);
    let found: Vec<_> =
        draft.references().iter().map(|found| (found.url.as_str(), &*found.text, found.follow)).collect();
    assert_eq!(
        found,
        [("http://example.org/dir/fields.html", "the fields", true), ("http://example.org/dir/ad", "ad", false)]
    );
    assert_eq!((draft.text(), draft.complaints()), ("", [].as_slice()));
}

#[test]
fn a_page_cannot_choose_a_name_that_no_record_can_hold() {
    let draft = summarize("<META:CONTENT> $NAME", "<meta name='two words' content=x><meta name=crop content=maize>");
    assert_eq!(draft.attributes(), [("crop".to_owned(), "maize".to_owned())]);
    assert_eq!(draft.complaints(), ["\"two words\" cannot be the name of an attribute"]);
}

#[test]
fn every_fault_of_a_table_is_told_with_its_line() {
    let table = "# a comment\n\n<A> x,parent\nA y\n<B>\n<C> ignore,x\n<A> z\n<D:E> parent\n<F> $\n<G> a b\n\
                 <:H> x\n<I:> x\n<J:K> $NAME";
    let expected = [
        (4, "\"A\" is neither <TAG> nor <TAG:ATTRIBUTE>"),
        (5, "<B> has no names: write ignore to drop it"),
        (6, "<C>: ignore stands alone"),
        (7, "<A> has two lines: write all its names into one"),
        (8, "<D:E>: parent is for texts, not for attributes"),
        (9, "<F>: $ needs the name of an attribute"),
        (10, "<G>: \"a b\" cannot be the name of an attribute"),
        (11, "\"<:H>\" is neither <TAG> nor <TAG:ATTRIBUTE>"),
        (12, "\"<I:>\" is neither <TAG> nor <TAG:ATTRIBUTE>"),
    ];
    let told = HtmlTable::read(table).expect_err("faults");
    let told: Vec<_> = told.iter().map(|(line, complaint)| (*line, complaint.as_str())).collect();
    assert_eq!(told, expected);
    let lines = [("<A>".to_owned(), vec!["x".to_owned()]), ("B".to_owned(), vec![]), ("<C>".to_owned(), vec![])];
    let told = HtmlTable::new(lines).expect_err("faults");
    assert_eq!(told, ["\"B\" is neither <TAG> nor <TAG:ATTRIBUTE>", "<C> has no names: write ignore to drop it"]);
}

#[test]
fn both_forms_make_the_same_table() {
    let lines =
        [("<a:HREF>", vec!["url-references"]), ("<H1>", vec!["headings", "parent"]), ("<code>", vec!["ignore"])];
    let lines = lines.map(|(element, names)| (element.to_owned(), names.into_iter().map(str::to_owned).collect()));
    let text = "<A:href>\turl-references\n<h1> headings , parent\n<CODE> ignore # dropped";
    assert_eq!(HtmlTable::new(lines).ok(), HtmlTable::read(text).ok());
}

#[test]
fn text_goes_where_the_table_says() {
    check("<B> k\n<P> t", "<p>a <i>b</i> <b>c</b> d", &[("k", "c"), ("t", "a b d")]);
    check("<B> k,parent\n<P> t", "<p>a <b>b <i>c</i></b> d", &[("k", "b c"), ("t", "a b c d")]);
    check("<B> ignore\n<P> t", "<p>a <b>b <i>c</i></b> d", &[("t", "a d")]);
    check("<P> t,u", "<p>a<p>b", &[("t", "a\nb"), ("u", "a\nb")]);
    check("<LI> t", "<ul><li>a<ul><li>b<li>c</ul><li>d</ul>x", &[("t", "b\nc\na\nd")]);
    check("<TD> t", "<table><tr><td>a<td>b<tr><td>c</table>x", &[("t", "a\nb\nc")]);
    check("<OPTION> t", "<select><option>a<option>b</select>x", &[("t", "a\nb")]);
    check("<PRE> t", "<pre>a  b\nc</pre>", &[("t", "a b\nc")]);
    check("<B> $CLASS", "<b class=x>1</b><b>2</b><b class=md5>3</b>", &[("x", "1")]);
    check("<IMG:ALT> alt\n<IMG:SRC> ignore", "<img src=a alt=' b  c '><img src=d>", &[("alt", "b c")]);
}

#[test]
fn head_and_body_are_there_without_their_tags() {
    let table = "<HEAD> head\n<BODY> body\n<TITLE> title,parent";
    check(table, "<title>t</title><p>a", &[("title", "t"), ("head", "t"), ("body", "a")]);
    check(table, "a<p>b", &[("body", "a\nb")]);
    check(table, "<html><head><title>t</title><body>a", &[("title", "t"), ("head", "t"), ("body", "a")]);
    check(table, "<body><script>x</script><style>y</style><template>z</template>a", &[("body", "a")]);
    check("<SCRIPT> script", "<script>x</script>", &[("script", "x")]);
}

#[test]
fn references_are_resolved_by_the_base() {
    let draft =
        summarize("<A:HREF> url-references", "<base href=/b/><a href='c#d'>x</a><a href='mailto:a@b.example'>y</a>");
    let found: Vec<_> = draft.references().iter().map(|found| (found.url.as_str(), &*found.text)).collect();
    assert_eq!(found, [("http://example.org/b/c", "")]);
    testing::check(&draft, &[("Mail-Addresses", "a@b.example")]);
}

#[test]
fn pages_made_to_hurt_are_survived() {
    let start = std::time::Instant::now();
    let nested = summarize(HtmlTable::HARVEST, &format!("{}{}", "<b>".repeat(50_000), "x ".repeat(500_000)));
    assert!(nested.get("body").is_some_and(|body| body.len() == 999_999));
    summarize(HtmlTable::HARVEST, &"<a href=x>".repeat(50_000));
    summarize(HtmlTable::HARVEST, &"<b><p>".repeat(100_000));
    summarize(HtmlTable::HARVEST, &"</p><td>".repeat(100_000));
    let named: String = (0..5_000).map(|number| format!("<meta name=n{number} content=x>")).collect();
    assert_eq!(summarize(HtmlTable::HARVEST, &named).attributes().len(), Draft::ATTRIBUTE_LIMIT);
    assert!(start.elapsed().as_secs() < 60, "took {:?}", start.elapsed());
    let page = "<title>ü</title><a href='b'>c</a><ul><li>d<p title=e>";
    for cut in 0..page.len() {
        let page = page.get(..cut).unwrap_or_default();
        summarize(HtmlTable::HARVEST, page);
    }
}

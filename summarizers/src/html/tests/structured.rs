//! What pages say of the things they describe, and what is made of it.

use super::*;

/// The page with this JSON-LD.
fn check_json(json: &str, expected: &[(&str, &str)]) {
    check(&format!("<script type='application/ld+json'>{json}</script>"), expected);
}

#[test]
fn json_ld_is_reduced_to_what_the_page_is_about() {
    check_json(
        r##"{"@context":"https://schema.org","@graph":[
            {"@type":"WebSite","name":"Site"},
            {"@type":["Article","NewsArticle"],"@id":"#a","headline":"Corn &amp; maize",
             "author":[{"@id":"#ann"},{"@type":"Person","name":"Bob"}],
             "datePublished":"2024-05-01T12:00:00+02:00","dateModified":"2024-05-02","keywords":["corn","Maize, corn"],
             "publisher":{"@type":"Organization","name":"Farm"},"articleBody":"long","inLanguage":"en"},
            {"@type":"Person","@id":"#ann","name":"Ann"}]}"##,
        &[
            ("Structured-Types", "WebSite\nArticle\nNewsArticle\nPerson"),
            ("LD-Headline", "Corn & maize"),
            ("LD-Author", "Ann\nBob"),
            ("LD-Date-Published", "2024-05-01T12:00:00+02:00"),
            ("LD-Publisher", "Farm"),
            ("LD-Article-Body", ""),
            ("Title", "Corn & maize"),
            ("Author", "Ann\nBob"),
            ("Created", "2024-05-01T10:00:00Z"),
            ("Modified", "2024-05-02"),
            ("Keywords", "corn\nMaize"),
            ("Publisher", "Farm"),
            ("Language", "en"),
        ],
    );
    check_json(
        r#"[{"@type":"BreadcrumbList"},{"@type":"http://schema.org/Product","name":"Pan","brand":{"name":"Ko"},"sku":7,
            "offers":[{"@type":"Offer","price":19.5,"priceCurrency":"EUR","availability":"https://schema.org/InStock"}],
            "aggregateRating":{"ratingValue":"4.5","reviewCount":3}}]"#,
        &[
            ("Structured-Types", "BreadcrumbList\nProduct"),
            ("LD-Name", "Pan"),
            ("LD-Brand", "Ko"),
            ("LD-Sku", "7"),
            ("LD-Price", "19.5"),
            ("LD-Price-Currency", "EUR"),
            ("LD-Availability", "InStock"),
            ("LD-Rating-Value", "4.5"),
            ("LD-Review-Count", "3"),
        ],
    );
    check_json(
        r#"{"@type":"WebPage","mainEntity":{"@type":"Event","name":"Fair","startDate":"2024-05-01",
            "location":{"@type":"Place",
            "address":{"streetAddress":"Way 1","postalCode":"123","addressLocality":"Town"}}}}"#,
        &[("Structured-Types", "WebPage\nEvent"), ("LD-Name", "Fair"), ("LD-Location", "Way 1, 123, Town")],
    );
}

#[test]
fn broken_json_ld_is_complained_of() {
    let page = "<script type=application/ld+json>{\"@type\":</script>
                <script type=application/ld+json>{\"name\":\"a\"}</script>x";
    let found = draft(page);
    check(page, &[("LD-Name", "a"), ("text", "x")]);
    assert_eq!(found.complaints(), ["JSON-LD cannot be read: EOF while parsing a value at line 1 column 9"]);
    let huge = draft(&format!("<script type=application/ld+json>\"{}\"</script>x", "y".repeat(1 << 20)));
    assert_eq!(huge.complaints(), ["JSON-LD of 1048578 bytes left out"]);
    let deep = draft(&format!("<script type=application/ld+json>{}</script>x", "[".repeat(100_000)));
    assert_eq!((deep.complaints().len(), deep.text()), (1, "x"));
}

#[test]
fn json_ld_is_read_though_it_is_sloppy() {
    check_json("\n<!-- {\"@type\":\"Article\",\"name\":\"a\nb\tc\"} -->", &[("LD-Name", "a b c")]);
    check_json("//<![CDATA[\n{\"name\":\"a\"};\n//]]>", &[("LD-Name", "a")]);
    let page = draft("<script type=application/ld+json></script><script>var x;</script>");
    assert_eq!(page.complaints(), [""; 0]);
    check_json("", &[("Structured-Types", "")]);
    check_json("[1, null, \"x\", {\"@type\": 5, \"name\": {\"x\": 1}, \"author\": null}]", &[("LD-Name", "")]);
    check("<script type='APPLICATION/LD+JSON; charset=utf-8'>{\"name\":\"a\"}</script>", &[("LD-Name", "a")]);
    check(
        "<script>{\"name\":\"a\"}</script>
         <template><script type=application/ld+json>{\"name\":\"b\"}</script></template>",
        &[("LD-Name", "")],
    );
}

#[test]
fn microdata_says_the_same() {
    check(
        "<div itemscope itemtype='https://schema.org/Recipe'><h1 itemprop=name>Corn <b>bread</b></h1>
         <span itemprop=author itemscope itemtype=http://schema.org/Person>by <i itemprop=name>Ann</i></span>
         <time itemprop='datePublished' datetime=2024-05-01>May</time><meta itemprop=recipeYield content=4>
         <ul><li itemprop=recipeIngredient>corn<li itemprop=recipeIngredient>salt</ul><img itemprop=image src=x>
         <div itemprop=offers itemscope><span itemprop=price>3</span></div></div><p itemprop=name>other",
        &[
            ("Structured-Types", "Recipe"),
            ("LD-Name", "Corn bread"),
            ("LD-Author", "Ann"),
            ("LD-Date-Published", "2024-05-01"),
            ("LD-Recipe-Ingredient", "corn\nsalt"),
            ("LD-Recipe-Yield", "4"),
            ("LD-Price", "3"),
            ("Author", "Ann"),
            ("Created", "2024-05-01"),
            ("Times", "2024-05-01"),
            ("text", "Corn bread\nby Ann May\ncorn\nsalt\n3\nother"),
        ],
    );
}

#[test]
fn rdfa_says_the_same() {
    check(
        "<body vocab='http://schema.org/' typeof=Article><h1 property=headline>Corn</h1>
         <p property='schema:description'>It grows.
         <span property=author typeof=Person><a property=name href=ann>Ann</a></span>
         <meta property=og:type content=article><meta property=keywords content='a,b'>",
        &[
            ("Structured-Types", "Article"),
            ("LD-Headline", "Corn"),
            ("LD-Description", "It grows. Ann"),
            ("LD-Author", "Ann"),
            ("og:type", "article"),
        ],
    );
}

#[test]
fn shared_attributes_are_filled_from_what_the_page_says_elsewhere() {
    check(
        "<meta property=og:title content=T><meta property=og:description content=D>
         <meta property=og:locale content=de_AT>
         <meta property=article:author content='https://x.example/ann'><meta name=DC.creator content=Ann>
         <meta property=article:published_time content='2024-05-01T12:00:00+0200'><meta property=article:tag content=b>
         <meta property=article:tag content=a><meta property=og:site_name content=S>",
        &[
            ("Title", "T"),
            ("Description", "D"),
            ("Language", "de-AT"),
            ("Author", "Ann"),
            ("Created", "2024-05-01T10:00:00Z"),
            ("Keywords", "a\nb"),
            ("Publisher", "S"),
            ("og:title", "T"),
        ],
    );
    check(
        "<meta name=citation_title content=T><meta name=citation_author content=Ann>
         <meta name=citation_author content=Bob>
         <meta name=citation_publication_date content=2024/05/01><meta name=dcterms.modified content=2024-06>",
        &[("Title", "T"), ("Author", "Ann\nBob"), ("Created", "2024-05-01"), ("Modified", "2024-06")],
    );
    check("<meta name=twitter:title content=T><meta name=DC.title content=U>", &[("Title", "T")]);
}

#[test]
fn the_pages_own_markup_counts_first() {
    check(
        "<html lang=en><title>Own</title><meta name=description content=own><meta name=author content=Own>
         <meta property=og:title content=T><meta property=og:description content=D><meta property=og:locale content=de>
         <meta name=DC.creator content=Ann>
         <script type=application/ld+json>{\"headline\":\"L\",\"author\":\"M\"}</script>",
        &[("Title", "Own"), ("Description", "own"), ("Author", "Own"), ("Language", "en"), ("LD-Headline", "L")],
    );
    check("<meta name=date content=soon><meta property=article:published_time content=''>", &[("Created", "")]);
}

#[test]
fn times_licenses_authors_and_languages_are_found() {
    check(
        "<head><link rel=author href=/ann><link rel=author href='mailto:ann@example.org'>
         <link rel=alternate hreflang=de href=de.html><link rel=alternate hreflang=x-default href=/></head>
         <a rel='license noopener' href='//cc.example/by'>CC</a><time datetime='2024-05-01 12:00'>then</time>
         <time datetime=PT5M>5 min</time><time>2024</time>",
        &[
            ("Author-Link", "http://example.org/ann"),
            ("Mail-Addresses", "ann@example.org"),
            ("Alternate-Languages", "de http://example.org/dir/de.html\nx-default http://example.org/"),
            ("License", "http://cc.example/by"),
            ("Times", "2024-05-01T12:00:00"),
        ],
    );
    check_references(
        "<link rel=alternate hreflang=de href=de.html><link rel=author href=/ann>",
        &[("http://example.org/dir/de.html", "")],
    );
}

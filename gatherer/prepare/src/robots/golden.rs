//! Interesting cases of RFC 9309 and of Google's reference parser, in words and data of our own.
//! Our agent is `corn-gatherer`.

use super::Robots;
use url::Url;

/// Paths before `|` must be allowed, those after it forbidden.
fn check(file: &str, paths: &str) {
    check_bytes(file.as_bytes(), paths);
}

fn check_bytes(file: &[u8], paths: &str) {
    let robots = Robots::parse(file, "corn-gatherer");
    let (allowed, forbidden) = paths.split_once('|').expect("a bar between allowed and forbidden");
    let expected = allowed.split_whitespace().map(|path| (path, true));
    for (path, expected) in expected.chain(forbidden.split_whitespace().map(|path| (path, false))) {
        let url = Url::parse("http://example.org").and_then(|base| base.join(path)).expect("a URL");
        assert_eq!(robots.judge(&url).is_ok(), expected, "{path} under {:?}", String::from_utf8_lossy(file));
    }
}

fn check_rules(rules: &str, paths: &str) {
    check(&format!("User-agent: *\n{rules}"), paths);
}

#[test]
fn files_that_say_nothing_allow_everything() {
    check("", "/ /a |");
    check("\n\n# only a comment\n", "/a |");
    check("<!DOCTYPE html><html><body>Not found</body></html>", "/a |");
    check("User-agent: *\n", "/a |");
    check_rules("Disallow:", "/a |");
    check_rules("Disallow: # nothing", "/a |");
    check_bytes(b"\x00\xff\xfe\x80 garbage \r\r\n", "/a |");
}

#[test]
fn the_whole_site_can_be_closed_but_for_robots_txt() {
    check_rules("Disallow: /", "/robots.txt | / /a /a?b /robots.txt.bak /x/robots.txt");
    check_rules("Disallow: *", "/robots.txt | / /a");
    check_rules("Disallow: /robots.txt", "/robots.txt |");
}

#[test]
fn rules_before_any_group_bind_nobody() {
    check("Disallow: /a\nUser-agent: *\nDisallow: /b", "/a | /b");
}

#[test]
fn our_own_group_overrides_the_general_one() {
    let file = "User-agent: *\nDisallow: /\n\nUser-agent: corn-gatherer\nDisallow: /b\n";
    check(file, "/ /a | /b");
    let reversed = "User-agent: corn-gatherer\nDisallow: /b\n\nUser-agent: *\nDisallow: /\n";
    check(reversed, "/ /a | /b");
}

#[test]
fn an_own_group_without_rules_allows_everything() {
    check("User-agent: *\nDisallow: /\nUser-agent: corn-gatherer\nDisallow:\n", "/a |");
    check("User-agent: *\nDisallow: /\nUser-agent: corn-gatherer\n", "/a |");
}

#[test]
fn groups_of_others_do_not_bind_us() {
    check("User-agent: other\nDisallow: /", "/a |");
    check("User-agent: corn\nDisallow: /", "/a |");
    check("User-agent: corn-gatherer-images\nDisallow: /", "/a |");
    check("User-agent: corn_gatherer\nDisallow: /", "/a |");
}

#[test]
fn agent_names_know_no_case() {
    check("User-agent: CORN-Gatherer\nDisallow: /a", "/b | /a");
    check("USER-AGENT: corn-gatherer\nDISALLOW: /a\naLLow: /a/b", "/a/b | /a");
}

#[test]
fn versions_and_words_after_the_product_token_are_ignored() {
    check("User-agent: corn-gatherer/2.1\nDisallow: /a", "/b | /a");
    check("User-agent: corn-gatherer 2\nDisallow: /a", "/b | /a");
    check("User-agent: corn-gatherer; +http://example.org\nDisallow: /a", "/b | /a");
    check("User-agent: *\nAllow: /\nUser-agent: corn-gatherer*\nDisallow: /a", "/b | /a");
}

#[test]
fn the_star_may_have_company_but_not_a_name() {
    check("User-agent: * everybody\nDisallow: /a", "/b | /a");
    check("User-agent: *gatherer\nDisallow: /a", "/a |");
}

#[test]
fn our_user_agent_string_may_be_given_whole() {
    let robots = Robots::parse(b"User-agent: corn-gatherer\nDisallow: /", "corn-gatherer/0.1 (+http://example.org)");
    assert_eq!(robots.rules.always(), Some(false));
}

#[test]
fn one_group_may_name_several_agents() {
    let file = "User-agent: a\nUser-agent: corn-gatherer\nUser-agent: b\nDisallow: /x\n\nUser-agent: c\nDisallow: /y";
    check(file, "/y | /x");
}

#[test]
fn groups_for_the_same_agent_are_joined() {
    let file =
        "User-agent: corn-gatherer\nDisallow: /x\nUser-agent: b\nDisallow: /y\nUser-agent: Corn-Gatherer\nDisallow: /z";
    check(file, "/y | /x /z");
    check("User-agent: *\nDisallow: /x\nUser-agent: b\nDisallow: /y\nUser-agent: *\nDisallow: /z", "/y | /x /z");
}

#[test]
fn blank_lines_comments_and_strange_lines_do_not_end_a_group() {
    check("User-agent: *\n\n# hello\n\nDisallow: /x\n\n\nDisallow: /y", "/z | /x /y");
    check("User-agent: *\nNoindex: /q\nwhatever\nDisallow: /x", "/q | /x");
    check("User-agent: corn-gatherer\nSitemap: http://example.org/m\nUser-agent: b\nDisallow: /x", "/y | /x");
    check("User-agent: corn-gatherer\nHost: example.org\nUser-agent: b\nDisallow: /x", "/y | /x");
}

#[test]
fn the_longest_match_wins_whatever_the_order() {
    check_rules("Disallow: /a\nAllow: /a/b", "/a/b /a/bc | /a /a/c");
    check_rules("Allow: /a/b\nDisallow: /a", "/a/b /a/bc | /a /a/c");
    check_rules("Allow: /\nDisallow: /a/b/c", "/a/b | /a/b/c /a/b/cd");
    check_rules("Disallow: /a*c\nAllow: /a", "/ab | /abc");
    check_rules("Disallow: /x/pag\nAllow: /*.html", "/x/page.html | /x/page.php");
    check_rules("Disallow: /x/page.h\nAllow: /*.html", "| /x/page.html");
}

#[test]
fn of_equal_matches_allow_wins() {
    check_rules("Disallow: /a\nAllow: /a", "/a /ab |");
    check_rules("Allow: /a\nDisallow: /a", "/a |");
    check_rules("Disallow: /\nAllow: /", "/ /a |");
}

#[test]
fn rules_are_prefixes_with_case() {
    check_rules("Disallow: /fish", "/Fish /catfish /a/fish /fis /?fish | /fish /fish.html /fishes/x /fish?x /fish/");
    check_rules("Disallow: /fish/", "/fish /fish.html /animals/fish/ | /fish/ /fish/x /fish/?x");
}

#[test]
fn stars_match_any_run_of_characters() {
    check_rules("Disallow: /*.php", "/ /x.PHP | /x.php /a/b.php?q /x.php5 /?.php");
    check_rules("Disallow: /fish*", "/catfish | /fish /fishes /fish/x");
    check_rules("Disallow: /fish*.php", "/fish /fish/x | /fish.php /fish/a/b.php?q");
    check_rules("Disallow: /a**b", "/a | /ab /axb");
    check_rules("Disallow: /*/*/deep", "/a/deep | /a/b/deep /a/b/c/deep");
    check_rules("Disallow: *.gif", "/a.png | /a.gif /b/c.gif");
}

#[test]
fn a_dollar_at_the_end_is_the_end_of_the_url() {
    check_rules("Disallow: /*.php$", "/x.php? /x.php?q /x.php/ /x.php5 | /x.php /a/x.php");
    check_rules("Disallow: /$", "/a /?q | /");
    check_rules("Disallow: /\nAllow: /$", "/ | /a");
    check_rules("Disallow: /a$b", "/a /a/b | /a$b /a$bc");
}

#[test]
fn the_query_belongs_to_what_is_matched() {
    check_rules("Disallow: /*?", "/a | /a?b /?");
    check_rules("Disallow: /*?*sort=", "/a?order=1 | /a?sort=1 /a?x&sort=2");
    check_rules("Disallow: /a?b", "/a /a/?b | /a?b /a?bc");
}

#[test]
fn escapes_are_compared_by_what_they_mean() {
    check_rules("Disallow: /%7Ejack", "/~jim | /~jack /%7ejack/x");
    check_rules("Disallow: /~jack", "| /%7Ejack /~jack");
    check_rules("Disallow: /a%3cd", "| /a%3Cd /a%3cd");
    check_rules("Disallow: /ツ", "| /%E3%83%84 /ツ/x");
    check_rules("Disallow: /%E3%83%84", "| /ツ");
    check_rules("Disallow: /a%2fb", "/a/b | /a%2Fb");
    check_rules("Disallow: /a/b", "/a%2Fb | /a/b");
    check_rules("Disallow: /%62ar", "| /bar /%62ar");
}

#[test]
fn line_ends_of_every_system_are_taken() {
    check("User-agent: *\r\nDisallow: /a\r\nDisallow: /b\r\n", "/c | /a /b");
    check("User-agent: *\rDisallow: /a\rDisallow: /b", "/c | /a /b");
    check("User-agent: corn-gatherer/1\r\nDisallow: /a\r\n", "/c | /a");
}

#[test]
fn spaces_comments_and_a_missing_colon_are_forgiven() {
    check("  User-agent : *  \n\tDisallow\t:\t/a\t# why\n", "/b | /a");
    check("User-agent:*\nDisallow:/a#b", "/b | /a");
    check("User-agent *\nDisallow /a", "/b | /a");
}

#[test]
fn common_misspellings_are_forgiven() {
    check("useragent: corn-gatherer/1\ndissallow: /a", "/b | /a");
    check("user agent: *\nDisalow: /a", "/b | /a");
}

#[test]
fn a_byte_order_mark_is_passed_over() {
    check("\u{feff}User-agent: *\nDisallow: /a", "/b | /a");
    check("\u{feff}User-agent: corn-gatherer/1\nDisallow: /a", "/b | /a");
}

#[test]
fn a_rule_may_lack_its_leading_slash() {
    check_rules("Disallow: a/b", "/a | /a/b");
}

#[test]
fn beyond_500_kib_nothing_counts() {
    let filler = "# 63 characters and a line end make this comment 64 bytes long\n\n";
    assert_eq!(filler.len(), 64);
    let file = format!("User-agent: *\nDisallow: /early\n{}Disallow: /late\n", filler.repeat(8_000));
    check(&file, "/late | /early");
    let long_line = format!("User-agent: *\nDisallow: /a\nDisallow: /{}", "b".repeat(600 * 1024));
    check(&long_line, "/b | /a");
}

#[test]
fn a_rule_of_many_stars_is_judged_in_time() {
    check_rules(&format!("Disallow: /{}c", "*a".repeat(2_000)), &format!("/{} |", "a".repeat(8_000)));
}

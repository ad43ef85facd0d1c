use super::*;
use std::fmt::Debug;

/// `toml` read by `reader` gives `expected`; a fault is given by its label.
fn check<T: Debug + PartialEq>(reader: impl Fn(&Item<'_>) -> Checked<T>, toml: &str, expected: Result<T, &str>) {
    let item = DeValue::parse(toml).expect("tests write TOML");
    let read = reader(&item).map_err(|faults| faults[0].label.clone());
    assert_eq!(read, expected.map_err(str::to_owned), "{toml}");
}

#[test]
fn durations_have_units() {
    let seconds = |number| Ok(Duration::from_secs(number));
    check(duration, "'7d'", seconds(7 * 86_400));
    check(duration, "'4w'", seconds(28 * 86_400));
    check(duration, "'1h 30m'", seconds(5_400));
    check(duration, "'5 minutes'", seconds(300));
    check(duration, "'500ms'", Ok(Duration::from_millis(500)));
    check(duration, "'0s'", seconds(0));
    check(duration, "'60'", Err("its unit is missing"));
    check(duration, "60", Err("this is a number"));
    check(duration, "'-1s'", Err("less than nothing"));
    check(duration, "'1mo'", Err("months and years differ in length: count days"));
    check(duration, "'soon'", Err("not a duration"));
    check(duration, "''", Err("not a duration"));
    check(duration, "'99999999999d'", Err("not a duration"));
    check(limit, "'0s'", Err("nothing ends in no time"));
}

#[test]
fn sizes_have_units() {
    check(size, "'16MiB'", Ok(16 << 20));
    check(size, "'8 kib'", Ok(8 << 10));
    check(size, "'2KB'", Ok(2_000));
    check(size, "'512B'", Ok(512));
    check(size, "'512'", Err("its unit is missing"));
    check(size, "512", Err("this is a number"));
    check(size, "'16 apples'", Err("not a size"));
    check(size, "'MiB'", Err("not a size"));
    check(size, "''", Err("not a size"));
    check(size, "'99999999999999GiB'", Err("not a size"));
    check(size, "'0B'", Err("nothing fits in here"));
}

#[test]
fn numbers_have_bounds() {
    check(count::<u32>(1), "7", Ok(7));
    check(count::<u32>(0), "0x10", Ok(16));
    check(count::<u32>(1), "0", Err("less than 1"));
    check(count::<u32>(0), "-1", Err("less than 0"));
    check(count::<u32>(1), "4294967296", Err("more than we can count"));
    check(count::<u32>(1), "1.5", Err("this is a number"));
    check(share, "0.2", Ok(0.2));
    check(share, "1", Ok(1.0));
    check(share, "1.1", Err("outside 0 to 1"));
    check(share, "nan", Err("outside 0 to 1"));
    check(share, "'0.2'", Err("this is text"));
}

#[test]
fn words_and_lists() {
    check(choice(&[("breadth", 1), ("depth", 2)]), "'depth'", Ok(2));
    check(choice(&[("breadth", 1), ("depth", 2)]), "'width'", Err("none of these"));
    check(texts, "['a', 'b']", Ok(vec!["a".to_owned(), "b".to_owned()]));
    check(texts, "'a'", Err("this is text"));
    check(texts, "['a', 1]", Err("this is a number"));
    check(flag, "'yes'", Err("this is text"));
    check(some_text, "' '", Err("this is empty"));
    check(pairs, "{ b = '1', a = '2' }", Ok(vec![("b".into(), "1".into()), ("a".into(), "2".into())]));
}

#[test]
fn a_list_tells_all_its_faults() {
    let item = DeValue::parse("[1, 'a', true]").expect("tests write TOML");
    assert_eq!(texts(&item).map_err(|faults| faults.len()), Err(2));
}

#[test]
fn a_bad_pattern_is_told_in_a_line() {
    let item = DeValue::parse("'a(b'").expect("tests write TOML");
    let faults = regex(&item).expect_err("unclosed");
    assert_eq!(faults[0].label, "unclosed group");
}

#[test]
fn what_is_written_reads_back() {
    for toml in [
        r#""7d""#,
        "'deny \\.gif$'",
        r#"["a", 1, true, 0.2]"#,
        r#""it's a \\ \n \u0001""#,
        r#"{ a = "b", "c d" = 1 }"#,
        "{}",
    ] {
        assert_eq!(written(DeValue::parse(toml).expect("tests write TOML").get_ref()), toml);
    }
}

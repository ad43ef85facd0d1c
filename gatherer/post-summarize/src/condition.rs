//! A condition over the attributes of a summary.

use gatherer_pipeline::Summary;
use regex::Regex;

/// A condition, ready to be asked.
#[derive(Debug, Clone)]
pub(crate) enum Condition {
    /// Holds for every summary.
    Always,
    /// All of them hold.
    All(Vec<Condition>),
    /// One of them holds.
    Any(Vec<Condition>),
    /// One attribute's value is tested.
    Value {
        /// Its name.
        attribute: String,
        /// What is asked of the value.
        test: Test,
        /// The answer that makes the condition hold: `false` for `!=` and `!~`.
        wanted: bool,
    },
}

/// What is asked of one value.
#[derive(Debug, Clone)]
pub(crate) enum Test {
    /// It is this text, whole and with case.
    Equals(String),
    /// The pattern is found in it.
    Matches(Regex),
}

impl Condition {
    /// Whether it holds. The nesting is as deep as the parser lets it be.
    pub(crate) fn holds(&self, summary: &Summary) -> bool {
        match self {
            Self::Always => true,
            Self::All(parts) => parts.iter().all(|part| part.holds(summary)),
            Self::Any(parts) => parts.iter().any(|part| part.holds(summary)),
            Self::Value { attribute, test, wanted } => {
                test.passes(summary.get(attribute).unwrap_or_default()) == *wanted
            }
        }
    }
}

impl Test {
    fn passes(&self, value: &str) -> bool {
        match self {
            Self::Equals(text) => value == text,
            Self::Matches(pattern) => pattern.is_match(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::parse::parse;
    use crate::rules::tests::summary;

    /// Over a summary of `http://example.org/users/jo` with `Type` HTML, `Title` "It's corn", `City` "New York".
    fn check(when: &str, expected: bool) {
        let summary = summary(&[("Title", "It's corn"), ("City", "New York"), ("Lines", "one\ntwo")]);
        let condition = parse(when).expect("a condition");
        assert_eq!(condition.holds(&summary), expected, "{when}");
    }

    #[test]
    fn nothing_and_true_always_hold() {
        for when in ["", "  \n\t", "true", " TRUE ", "(true)", "true && true"] {
            check(when, true);
        }
        check("true && type == 'PDF'", false);
        check("true || type == 'PDF'", true);
        check("true == ''", true);
    }

    #[test]
    fn texts_are_compared_whole_and_with_case() {
        check("type == 'HTML'", true);
        check("TYPE==\"HTML\"", true);
        check("type == 'html'", false);
        check("type == 'HTM'", false);
        check("type != 'HTML'", false);
        check("type!='Text'", true);
        check("title == \"It's corn\"", true);
        check("lines == 'one\ntwo'", true);
    }

    #[test]
    fn an_absent_attribute_is_the_empty_text() {
        check("owner == ''", true);
        check("owner != ''", false);
        check("owner ~ /^$/", true);
        check("owner !~ /./", true);
        check("city != ''", true);
    }

    #[test]
    fn patterns_match_somewhere() {
        check("URL ~ /users/", true);
        check("url ~ /^http:\\/\\/example\\.org\\//", true);
        check("url ~ '^http://example\\.org/'", true);
        check("url ~ \"/users/[a-z]+$\"", true);
        check("url !~ /users/", false);
        check("title~/CORN/", false);
        check("title~/(?i)CORN/", true);
        check("city ~ /York|Jersey/", true);
        check("city ~ //", true);
        check("lines ~ /(?m)^two$/", true);
    }

    #[test]
    fn and_binds_stronger_than_or() {
        check("type == 'HTML' || type == 'x' && city == 'x'", true);
        check("city == 'x' && type == 'x' || type == 'HTML'", true);
        check("(type == 'HTML' || type == 'x') && city == 'x'", false);
        check("type == 'x' || (city == 'New York' && (title ~ /corn/))", true);
        check("city == 'New York' && state != 'NY'", true);
        check("a==''&&b==''&&c==''&&type=='x'||d=='x'", false);
    }
}

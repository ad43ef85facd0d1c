//! What elements mean by their names, and the elements that are open.

/// What an element means by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Goes on in the line; unknown elements do too.
    Inline,
    /// Has no content.
    Void,
    /// Has no content and ends a line.
    Break,
    Paragraph,
    /// Stands on lines of its own.
    Block,
    /// Has items.
    List,
    Item,
    Term,
    Choice,
    Table,
    Row,
    Cell,
    Heading,
    Address,
    /// Its lines are lines.
    Preformatted,
    Anchor,
    Title,
    /// For browsers without scripts or frames.
    Fragment,
    /// Nobody reads its text.
    Skipped,
    /// Is no content until a script takes it.
    Template,
    Drawing,
    /// What the page is about.
    Main,
    Article,
    /// Around what the page is about: menus and remarks.
    Apart,
    /// Head or foot of an article, or of the whole page.
    Edge,
}

impl Role {
    #[rustfmt::skip]
    pub(crate) fn of(name: &str) -> Self {
        match name.as_bytes() {
            b"a" => Self::Anchor,
            b"area" | b"base" | b"basefont" | b"bgsound" | b"col" | b"embed" | b"frame" | b"img" | b"input"
            | b"keygen" | b"link" | b"meta" | b"param" | b"source" | b"track" | b"wbr" => Self::Void,
            b"br" | b"hr" => Self::Break,
            b"p" => Self::Paragraph,
            b"blockquote" | b"body" | b"caption" | b"center" | b"details" | b"dialog" | b"div" | b"fieldset"
            | b"figcaption" | b"figure" | b"form" | b"head" | b"hgroup" | b"html" | b"legend" | b"search"
            | b"section" | b"summary" | b"tbody" | b"tfoot" | b"thead" => Self::Block,
            b"dir" | b"dl" | b"menu" | b"ol" | b"select" | b"ul" => Self::List,
            b"li" => Self::Item,
            b"dd" | b"dt" => Self::Term,
            b"optgroup" | b"option" => Self::Choice,
            b"table" => Self::Table,
            b"tr" => Self::Row,
            b"td" | b"th" => Self::Cell,
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => Self::Heading,
            b"address" => Self::Address,
            b"listing" | b"plaintext" | b"pre" | b"xmp" => Self::Preformatted,
            b"title" => Self::Title,
            b"noembed" | b"noframes" | b"noscript" => Self::Fragment,
            b"annotation" | b"iframe" | b"script" | b"style" | b"textarea" => Self::Skipped,
            b"template" => Self::Template,
            b"svg" => Self::Drawing,
            b"main" => Self::Main,
            b"article" => Self::Article,
            b"aside" | b"nav" => Self::Apart,
            b"footer" | b"header" => Self::Edge,
            _ => Self::Inline,
        }
    }

    /// Whether it stands on lines of its own.
    pub(crate) fn is_block(self) -> bool {
        use Role::{Anchor, Cell, Drawing, Fragment, Inline, Skipped, Template, Title, Void};
        !matches!(self, Inline | Void | Cell | Anchor | Title | Fragment | Skipped | Template | Drawing)
    }

    /// Whether it can have content.
    pub(crate) fn is_empty(self) -> bool {
        matches!(self, Self::Void | Self::Break)
    }

    /// Whether what is open within it ends with it at the latest. The others are as often left open as not.
    pub(crate) fn is_scope(self) -> bool {
        use Role::{Choice, Inline, Item, Paragraph, Row, Term};
        !self.is_empty() && !matches!(self, Inline | Paragraph | Item | Term | Choice | Row)
    }

    /// Whether its start tag ends an element that is open: a cell ends the cell before it.
    fn ends(self, open: Self) -> bool {
        match open {
            Self::Paragraph => self.is_block(),
            Self::Row => self == Self::Row,
            Self::Cell => matches!(self, Self::Cell | Self::Row),
            Self::Item | Self::Term | Self::Choice | Self::Anchor => self == open,
            _ => false,
        }
    }

    /// Whether what is outside of an open element is out of reach for its start tag.
    fn stops_at(self, open: Self) -> bool {
        match self {
            Self::Item | Self::Term | Self::Choice => matches!(open, Self::List | Self::Table | Self::Cell),
            Self::Row | Self::Cell => open == Self::Table,
            _ => open.is_scope() && open != Self::Anchor,
        }
    }
}

/// Most open elements that are kept in mind; browsers keep about as many.
const DEPTH: usize = 600;

/// The open elements, and what is to be known of each.
#[derive(Debug)]
pub(crate) struct Stack<T> {
    open: Vec<(u64, Role, T)>,
}

impl<T> Default for Stack<T> {
    fn default() -> Self {
        Self { open: Vec::new() }
    }
}

impl<T> Stack<T> {
    /// Whether one more element can be kept in mind.
    pub(crate) fn has_room(&self) -> bool {
        self.open.len() < DEPTH
    }

    /// Opens an element, if there is room.
    pub(crate) fn push(&mut self, name: &str, role: Role, open: T) {
        if self.has_room() {
            self.open.push((fingerprint(name), role, open));
        }
    }

    /// How many elements stay open after the end tag of this name.
    pub(crate) fn left_by(&self, name: &str) -> usize {
        let name = fingerprint(name);
        self.open.iter().rposition(|(open, ..)| *open == name).unwrap_or(self.open.len())
    }

    /// How many elements stay open under a start tag.
    pub(crate) fn left_under(&self, role: Role) -> usize {
        let mut left = self.open.len();
        for (place, (_, open, _)) in self.open.iter().enumerate().rev() {
            if role.ends(*open) {
                left = place;
            } else if role.stops_at(*open) {
                break;
            }
        }
        left
    }

    /// Ends the innermost element, unless only so many are open.
    pub(crate) fn pop(&mut self, left: usize) -> Option<T> {
        (self.open.len() > left).then(|| self.open.pop()).flatten().map(|(_, _, open)| open)
    }

    /// The open elements, the innermost first.
    pub(crate) fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.open.iter_mut().rev().map(|(_, _, open)| open)
    }
}

/// One number for a name (FNV-1a). Two names of one number would only end each other.
fn fingerprint(name: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    name.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Opens all; each start tag first ends what it ends. The names that are open in the end.
    fn check(names: &[&'static str], expected: &[&str]) {
        let mut stack = Stack::default();
        for name in names {
            let left = stack.left_under(Role::of(name));
            while stack.pop(left).is_some() {}
            stack.push(name, Role::of(name), *name);
        }
        let mut open: Vec<_> = stack.iter_mut().map(|name| *name).collect();
        open.reverse();
        assert_eq!(open, expected, "{names:?}");
    }

    #[test]
    fn ends_that_nobody_writes_are_known() {
        check(&["ul", "li", "b", "li"], &["ul", "li"]);
        check(&["ul", "li", "ul", "li"], &["ul", "li", "ul", "li"]);
        check(&["table", "tr", "td", "td"], &["table", "tr", "td"]);
        check(&["table", "tr", "td", "b", "tr"], &["table", "tr"]);
        check(&["table", "tr", "td", "table", "tr"], &["table", "tr", "td", "table", "tr"]);
        check(&["p", "i", "div"], &["div"]);
        check(&["p", "b"], &["p", "b"]);
        check(&["dl", "dt", "dd"], &["dl", "dd"]);
        check(&["select", "option", "option"], &["select", "option"]);
        check(&["a", "b", "a"], &["a"]);
        check(&["a", "div", "a"], &["a", "div", "a"]);
    }

    #[test]
    fn what_is_too_deep_is_not_kept() {
        let mut stack = Stack::default();
        (0..2 * DEPTH).for_each(|_| stack.push("div", Role::Block, ()));
        assert_eq!((stack.left_by("div"), stack.left_by("p")), (DEPTH - 1, DEPTH));
        assert_eq!(stack.pop(DEPTH), None);
    }
}

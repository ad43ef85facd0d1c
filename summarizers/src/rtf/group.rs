//! What a group of RTF is for.

/// Where the text of a group goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Destination {
    Body,
    /// Nobody reads it.
    Nowhere,
    /// The table of fonts, which says in which charsets they are.
    Fonts,
    /// What a field does.
    Instruction,
    /// A property, by the name of its attribute.
    Property(&'static str),
    /// A moment, likewise, whose parts are control words.
    Moment(&'static str),
}

/// What counts until a group ends.
#[derive(Debug, Clone, Copy)]
pub(super) struct Group {
    pub(super) destination: Destination,
    /// Whether the destination begins with this group.
    pub(super) is_first: bool,
    /// Whether the group is the name of a reference.
    pub(super) is_link: bool,
    pub(super) is_hidden: bool,
    pub(super) font: Option<i32>,
    /// How many characters after one of Unicode stand for the same.
    pub(super) instead: usize,
}

impl Group {
    pub(super) const OUTERMOST: Self = Self {
        destination: Destination::Body,
        is_first: false,
        is_link: false,
        is_hidden: false,
        font: None,
        instead: 1,
    };

    /// A group within this one.
    pub(super) fn inner(&self) -> Self {
        Self { is_first: false, is_link: false, ..*self }
    }
}

/// The destination that a control word begins.
pub(super) fn destination(word: &str) -> Option<Destination> {
    Some(match word {
        "fonttbl" => Destination::Fonts,
        "fldinst" => Destination::Instruction,
        "title" => Destination::Property("Title"),
        "author" => Destination::Property("Author"),
        "operator" => Destination::Property("Modified-By"),
        "subject" => Destination::Property("Subject"),
        "keywords" => Destination::Property("Keywords"),
        "doccomm" => Destination::Property("Description"),
        "company" => Destination::Property("Company"),
        "manager" => Destination::Property("Manager"),
        "category" => Destination::Property("Category"),
        "generator" => Destination::Property("Generator"),
        "creatim" => Destination::Moment("Created"),
        "revtim" => Destination::Moment("Modified"),
        "footnote" | "annotation" | "shptxt" | "shpinst" | "fldrslt" | "result" | "ud" => Destination::Body,
        "aftncn" | "aftnsep" | "aftnsepc" | "atnauthor" | "atndate" | "atnid" | "atnref" | "bkmkend" | "bkmkstart"
        | "buptim" | "colortbl" | "comment" | "datafield" | "filetbl" | "footer" | "footerf" | "footerl"
        | "footerr" | "ftncn" | "ftnsep" | "ftnsepc" | "header" | "headerf" | "headerl" | "headerr" | "hlinkbase"
        | "linkval" | "listoverridetable" | "listtable" | "listtext" | "mmathPr" | "nonshppict" | "objdata"
        | "pict" | "pn" | "pntext" | "pntxta" | "pntxtb" | "printim" | "private" | "propname" | "revtbl"
        | "rsidtbl" | "rxe" | "shprslt" | "sp" | "staticval" | "stylesheet" | "tc" | "template" | "themedata"
        | "txe" | "upr" | "userprops" | "xe" | "xmlnstbl" => Destination::Nowhere,
        _ => return None,
    })
}

/// The character that a control word stands for.
pub(super) fn character(word: &str) -> Option<&'static str> {
    Some(match word {
        "emdash" => "\u{2014}",
        "endash" => "\u{2013}",
        "lquote" => "\u{2018}",
        "rquote" => "\u{2019}",
        "ldblquote" => "\u{201c}",
        "rdblquote" => "\u{201d}",
        "bullet" => "\u{2022}",
        "tab" | "emspace" | "enspace" | "qmspace" | "cell" | "nestcell" => " ",
        _ => return None,
    })
}

/// The code page of a charset of Windows fonts.
pub(super) fn page(charset: i32) -> Option<u16> {
    Some(match charset {
        0 => 1252,
        77 => 10000,
        128 => 932,
        129 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178..=180 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    })
}

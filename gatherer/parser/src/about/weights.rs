//! What may speak for an answer, and how much: weights learnt from pages whose answer is known.

use crate::words::WordMap;
use gatherer_abstracts::ontology::{ClassId, Ontology};

macro_rules! signs {
    ($($sign:ident)*) => {
        /// Something that may speak for or against an answer. Their names are those in the file of weights.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub(crate) enum Sign { $($sign),* }

        impl Sign {
            /// All of them, in order.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$sign),*];

            /// Its name in the file.
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$sign => stringify!($sign)),* }
            }
        }
    };
}

signs! {
    // Where a name stands: as all of it, as one of its parts, among other words.
    TitleWhole TitleFirst TitlePiece TitlePart
    HeadWhole HeadPiece HeadPart
    SubWhole SubPiece SubPart MinorWhole MinorPart
    StrongWhole StrongPart
    LogoWhole LogoPart BrandWhole BrandPart SiteName Marked
    GreetingWhole GreetingPart RegionGreeted
    ContactWhole ContactPart RightsPiece RightsPart
    MenuWhole MenuPart TrailWhole FooterPart DescriptionPart KeywordsPart
    HostAll HostPart MailHost
    TextOnce TextTwice TextOften TextMany
    Subject Quoted EarlyText FirstText OverDay Pointed Led Tail PictureWhole PicturePart
    ArticleBefore NamingBefore WhereBefore CallBefore ByBefore OursBefore SentenceStart LabelBefore FirstLines
    // What it is made of.
    OneWord TwoWords ThreeWords FourWords ManyWords
    HasKind HasKindFirst HasKindLast OnlyKinds IsPlural
    HasHeadingWord OnlyHeadingWords Greets HasSmall HasVerb EndsAsSentence HasDigit HasYear AllCapitals BeginsThe
    BeginsSmall IsSlogan SloganTop ProperTop KindTopName BodyTop HasBody EndsWithPlace HasPieces
    AllKnown NoneKnown IsPlace IsTown HasTown IsPerson IsOrganisation HasLegalForm IsStreet IsAgentPart
    OnlyWhere OftenWhere HasValue HasForeign
    // How it stands to other names.
    InLonger InLongerWithKind HasShorter HasShorterHost KindBefore KindBehind OneOfEntries
    NoName
    // What speaks for a class.
    KindTitle KindHead KindSub KindDescription KindKeywords KindStrap KindMenu
    KindOnce KindTwice KindOften KindEarly KindFirst KindSaid KindOurs KindNamed KindNamedTop KindWhere KindSeller KindFurther
    KindEvidence KindNearEvidence KindBest KindFamilyBest KindSpecial KindGeneral KindPlain KindInn KindMarked KindMost FamilyMost FamilyHalf FamilyAll FamilyTop
    // What the page has.
    PageWhen PageBilled PageDay PageNight PageMenu PageUnits PageVisit PageHours PagePhone PagePostcode PageArea PageMoney PageTime
    PageDayTop PageManyDays PageManyMoney PageUnit PageManyUnits PageDish PageManyDishes PagePersons PageTickets PageAges PageDoors
    // A name and a class.
    OwnKind OwnKindBelow OwnKindAbove OwnKindOther SaidKind BesideKind SentenceKind SameLineKind NearKind
    // Nothing, or several.
    Nothing NothingForeignHead NothingForeignText NothingForeignTexts NothingNoKind NothingWeak NothingUnreached NothingNoValue
    NothingVisit NothingKindTop NothingSparse NothingThin NothingDense
    Several SeveralTitle SeveralHeads SeveralPhones SeveralManyPhones SeveralPostcodes SeveralManyPostcodes SeveralRanked
    SeveralRows SeveralOpeners
    SeveralManyOpeners SeveralCalendar SeveralEntries SeveralMails SeveralNamed SeveralDated SeveralReached SeveralPriced
    SeveralManyAlike
}

/// What the signs are worth: for all classes, and more or less for those of one family.
#[derive(Debug, Clone, Default)]
pub(crate) struct Weights {
    /// A row for each sign: for all, then for each family.
    rows: Vec<Vec<f32>>,
}

impl Weights {
    /// Reads `sign<TAB>family or *<TAB>weight`, one a line. What is said of families that an ontology does not have is passed over.
    pub(crate) fn read(text: &str, families: &Families) -> Result<Self, String> {
        let names: WordMap<usize> = Sign::ALL.iter().map(|sign| (sign.name().to_owned(), *sign as usize)).collect();
        let mut weights = Self::none(families);
        for (number, line) in text.lines().enumerate().filter(|(_, line)| !line.is_empty() && !line.starts_with('#')) {
            let wrong = || format!("line {}: {line:?} is no sign, family and weight", number + 1);
            let parts: Vec<_> = line.split('\t').collect();
            let [sign, family, weight] = parts.as_slice() else { return Err(wrong()) };
            let sign = *names.get(*sign).ok_or_else(wrong)?;
            let weight: f32 = weight.parse().map_err(|_| wrong())?;
            let column = if *family == "*" { Some(0) } else { families.column(family) };
            if let Some(column) = column {
                weights.rows[sign][column] = weight;
            }
        }
        Ok(weights)
    }

    pub(crate) fn none(families: &Families) -> Self {
        Self { rows: vec![vec![0.0; families.len() + 1]; Sign::ALL.len()] }
    }

    /// What a sign is worth for a family.
    pub(crate) fn of(&self, sign: Sign, family: Option<usize>) -> f32 {
        let row = &self.rows[sign as usize];
        row[0] + family.map_or(0.0, |family| row[family + 1])
    }
}

/// The classes at the top of those that pages may be about.
#[derive(Debug, Default)]
pub struct Families {
    tops: Vec<ClassId>,
    names: Vec<String>,
}

impl Families {
    pub(crate) fn new(ontology: &Ontology) -> Self {
        let is_top = |class: &ClassId| {
            let own = ontology.class_at(*class);
            own.is_focus() && !own.parents().iter().any(|parent| ontology.class_at(*parent).is_focus())
        };
        let tops: Vec<_> = ontology.classes().filter(is_top).collect();
        let names = tops.iter().map(|class| ontology.class_at(*class).name().to_owned()).collect();
        Self { tops, names }
    }

    /// The families of several domains, to learn from all of them.
    pub fn joined<'a>(all: impl Iterator<Item = &'a Self>) -> Self {
        let mut names: Vec<String> = Vec::new();
        for name in all.flat_map(|one| &one.names) {
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        Self { tops: Vec::new(), names }
    }

    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// The family of a class.
    pub(crate) fn of(&self, ontology: &Ontology, class: ClassId) -> Option<usize> {
        self.tops.iter().position(|top| ontology.is_a(class, *top))
    }

    pub(crate) fn name(&self, family: usize) -> &str {
        &self.names[family]
    }

    pub(super) fn column(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|one| one == name).map(|family| family + 1)
    }
}

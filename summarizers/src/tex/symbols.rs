//! Signs and letters that TeX has commands for.

/// What a command stands for.
pub(super) fn symbol(name: &str) -> Option<&'static str> {
    SYMBOLS.iter().find(|(known, _)| *known == name).map(|(_, sign)| *sign)
}

/// The combining character of an accent; the letter that it stands over comes before it.
pub(super) fn accent(name: &str) -> Option<char> {
    Some(match name {
        "`" => '\u{300}',
        "'" => '\u{301}',
        "^" => '\u{302}',
        "~" => '\u{303}',
        "=" => '\u{304}',
        "u" => '\u{306}',
        "." => '\u{307}',
        "\"" => '\u{308}',
        "r" => '\u{30a}',
        "H" => '\u{30b}',
        "v" => '\u{30c}',
        "d" => '\u{323}',
        "c" => '\u{327}',
        "k" => '\u{328}',
        "b" => '\u{331}',
        _ => return None,
    })
}

#[rustfmt::skip]
const SYMBOLS: &[(&str, &str)] = &[
    ("ss", "ß"), ("ae", "æ"), ("AE", "Æ"), ("oe", "œ"), ("OE", "Œ"), ("o", "ø"), ("O", "Ø"), ("l", "ł"),
    ("L", "Ł"), ("aa", "å"), ("AA", "Å"), ("i", "ı"), ("j", "ȷ"), ("dh", "ð"), ("th", "þ"), ("TeX", "TeX"),
    ("LaTeX", "LaTeX"), ("LaTeXe", "LaTeX2e"), ("BibTeX", "BibTeX"), ("copyright", "©"),
    ("textregistered", "®"), ("texttrademark", "™"), ("pounds", "£"), ("euro", "€"), ("texteuro", "€"),
    ("S", "§"), ("P", "¶"), ("dag", "†"), ("ddag", "‡"), ("ldots", "…"), ("dots", "…"), ("cdots", "⋯"),
    ("textendash", "–"), ("textemdash", "—"), ("textbackslash", "\\"), ("textasciitilde", "~"),
    ("textasciicircum", "^"), ("textunderscore", "_"), ("textless", "<"), ("textgreater", ">"),
    ("textbar", "|"), ("textbullet", "•"), ("degree", "°"), ("textdegree", "°"), ("textquotedblleft", "“"),
    ("textquotedblright", "”"), ("guillemotleft", "«"), ("guillemotright", "»"), ("glqq", "„"), ("grqq", "“"),
    ("quad", " "), ("qquad", " "), ("enspace", " "), ("space", " "), ("today", ""), ("alpha", "α"),
    ("beta", "β"), ("gamma", "γ"), ("delta", "δ"), ("epsilon", "ε"), ("varepsilon", "ε"), ("zeta", "ζ"),
    ("eta", "η"), ("theta", "θ"), ("iota", "ι"), ("kappa", "κ"), ("lambda", "λ"), ("mu", "μ"), ("nu", "ν"),
    ("xi", "ξ"), ("pi", "π"), ("rho", "ρ"), ("sigma", "σ"), ("tau", "τ"), ("phi", "φ"), ("varphi", "φ"),
    ("chi", "χ"), ("psi", "ψ"), ("omega", "ω"), ("Gamma", "Γ"), ("Delta", "Δ"), ("Theta", "Θ"), ("Lambda", "Λ"),
    ("Pi", "Π"), ("Sigma", "Σ"), ("Phi", "Φ"), ("Psi", "Ψ"), ("Omega", "Ω"), ("le", "≤"), ("leq", "≤"),
    ("ge", "≥"), ("geq", "≥"), ("ne", "≠"), ("neq", "≠"), ("times", "×"), ("cdot", "·"), ("div", "÷"),
    ("pm", "±"), ("approx", "≈"), ("equiv", "≡"), ("sim", "∼"), ("to", "→"), ("rightarrow", "→"),
    ("leftarrow", "←"), ("Rightarrow", "⇒"), ("mapsto", "↦"), ("infty", "∞"), ("in", "∈"), ("notin", "∉"),
    ("subset", "⊂"), ("subseteq", "⊆"), ("cup", "∪"), ("cap", "∩"), ("emptyset", "∅"), ("forall", "∀"),
    ("exists", "∃"), ("neg", "¬"), ("wedge", "∧"), ("vee", "∨"), ("sum", "∑"), ("prod", "∏"), ("int", "∫"),
    ("partial", "∂"), ("nabla", "∇"), ("sqrt", "√"), ("langle", "⟨"), ("rangle", "⟩"), ("dotsc", "…"),
    ("lbrace", "{"), ("rbrace", "}"), ("mid", "|"), ("circ", "∘"), ("prime", "′"), ("star", "⋆"),
    ("bullet", "•"),
];

//! Classes that no abstract can ever hold.

use super::class::ClassId;
use super::compile::Compiler;
use super::slot::Range;

/// A page begins with an instance that it is about, and goes on along slots. What lies on no such way is complained about,
/// unless something below it lies on one.
pub(super) fn check(compiler: &mut Compiler<'_>) {
    if compiler.classes.is_empty() {
        return compiler.grave("the ontology", "has no classes");
    }
    if !compiler.classes.iter().any(|class| class.focus) {
        return compiler.mild("the ontology", "has no class that a page may be about: set ab:focus");
    }
    let reached = reached(compiler);
    let is_useful = |class: ClassId| {
        compiler.classes().any(|below| reached[below.0] && compiler.classes[below.0].ancestors[class.0])
    };
    let lost: Vec<_> = compiler.classes().filter(|class| !is_useful(*class)).collect();
    for class in lost {
        let culprit = compiler.classes[class.0].iri.clone();
        compiler.mild(&culprit, "cannot be reached: no slots lead to it from what a page may be about");
    }
}

fn reached(compiler: &Compiler<'_>) -> Vec<bool> {
    let mut reached: Vec<bool> = compiler.classes.iter().map(|class| class.focus).collect();
    let mut grows = true;
    while std::mem::replace(&mut grows, false) {
        for slot in &compiler.slots {
            let Range::Classes { depths, .. } = &slot.range else { continue };
            // A slot is a way in both directions: the text may begin at either end.
            for (from, to) in [(&slot.domain_depths, depths), (depths, &slot.domain_depths)] {
                if (0..reached.len()).any(|place| reached[place] && from[place].is_some()) {
                    for place in (0..reached.len()).filter(|place| to[*place].is_some()) {
                        grows |= !std::mem::replace(&mut reached[place], true);
                    }
                }
            }
        }
    }
    reached
}

//! Records in the forms that people and programs want.

use crate::arguments::Form;
use anyhow::Result;
use gatherer_soif::{Object, Wrapper, to_json, write_xml};
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
use std::io::Write;

/// Writes objects one after another in one form.
pub(super) struct FormWriter<W: Write> {
    form: Form,
    out: W,
}

impl<W: Write> FormWriter<W> {
    pub(super) fn begin(form: Form, mut out: W) -> Result<Self> {
        if form == Form::Xml {
            let mut xml = quick_xml::Writer::new(&mut out);
            xml.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
            xml.write_event(Event::Start(BytesStart::new("objects")))?;
            writeln!(out)?;
        }
        Ok(Self { form, out })
    }

    pub(super) fn object(&mut self, object: &Object) -> Result<()> {
        match self.form {
            Form::Soif => {
                self.out.write_all(&gatherer_soif::to_bytes(object)?)?;
                writeln!(self.out)?;
            }
            Form::Json => writeln!(self.out, "{}", to_json(object))?,
            Form::Xml => {
                write_xml(object, &mut self.out)?;
                writeln!(self.out)?;
            }
        }
        Ok(())
    }

    /// Tells of an object that was deleted or only refreshed, in a form that cannot be taken for an object.
    pub(super) fn change(&mut self, wrapper: Wrapper, object: &Object) -> Result<()> {
        match self.form {
            Form::Soif => {
                let mut soif = gatherer_soif::Writer::new(&mut self.out);
                soif.begin_wrapper(wrapper)?;
                soif.object(object)?;
                soif.end_wrapper()?;
                writeln!(self.out)?;
            }
            Form::Json => {
                let mut change = to_json(object);
                change["change"] = wrapper.name().to_lowercase().into();
                writeln!(self.out, "{change}")?;
            }
            Form::Xml => {
                let name = wrapper.name().to_lowercase();
                let start = BytesStart::new(name.as_str()).with_attributes([("url", &*object.url)]);
                quick_xml::Writer::new(&mut self.out).write_event(Event::Empty(start))?;
                writeln!(self.out)?;
            }
        }
        Ok(())
    }

    pub(super) fn end(mut self) -> Result<()> {
        if self.form == Form::Xml {
            quick_xml::Writer::new(&mut self.out).write_event(Event::End(BytesEnd::new("objects")))?;
            writeln!(self.out)?;
        }
        Ok(self.out.flush()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(form: Form, expected: &str) {
        let object = Object::new("FILE", "http://a/?b&c").with("Title", "x < y\n\"z\"");
        let mut out = Vec::new();
        let mut writer = FormWriter::begin(form, &mut out).expect("a writer");
        writer.object(&object).expect("an object");
        writer.end().expect("an end");
        assert_eq!(String::from_utf8(out).expect("UTF-8"), expected);
    }

    #[test]
    fn every_form_carries_every_character() {
        check(Form::Soif, "@FILE { http://a/?b&c\nTitle{9}:\tx < y\n\"z\"\n}\n\n");
        check(
            Form::Json,
            "{\"type\":\"FILE\",\"url\":\"http://a/?b&c\",\"attributes\":{\"Title\":\"x < y\\n\\\"z\\\"\"}}\n",
        );
        check(
            Form::Xml,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?><objects>\n<object type=\"FILE\" url=\"http://a/?b&amp;c\">\
             <attribute name=\"Title\">x &lt; y\n&quot;z&quot;</attribute></object>\n</objects>\n",
        );
    }
}

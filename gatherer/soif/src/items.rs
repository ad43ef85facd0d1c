//! Whole objects out of the events of a stream.

use std::io::BufRead;

use crate::{Attribute, Event, Item, Object, ReadError, Reader};

impl<R: BufRead> Reader<R> {
    /// The next whole object or end of a wrapper, or `None` at the end. An object that was begun
    /// by [`next_event`](Self::next_event) is passed over.
    ///
    /// # Errors
    /// As [`next_event`](Self::next_event); the object it concerns is lost.
    pub fn next_item(&mut self) -> Result<Option<Item>, ReadError> {
        let mut object = None;
        while let Some(event) = self.next_event()? {
            match event {
                Event::WrapperStart(wrapper) => return Ok(Some(Item::WrapperStart(wrapper))),
                Event::WrapperEnd(wrapper) => return Ok(Some(Item::WrapperEnd(wrapper))),
                Event::Begin { template, url } => object = Some(Object::new(template, url)),
                Event::Attribute { name, .. } => {
                    if let Some(object) = &mut object {
                        let value = self.value()?;
                        object.list_mut().push(Attribute { name, value });
                    }
                }
                Event::End => {
                    if let Some(object) = object.take() {
                        return Ok(Some(Item::Object(object)));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The next whole object, whatever wrapper it is in.
    ///
    /// # Errors
    /// As [`next_item`](Self::next_item).
    pub fn next_object(&mut self) -> Result<Option<Object>, ReadError> {
        while let Some(item) = self.next_item()? {
            if let Item::Object(object) = item {
                return Ok(Some(object));
            }
        }
        Ok(None)
    }

    /// All objects up to the end, with an error in the place of each that is lost.
    pub fn objects(&mut self) -> impl Iterator<Item = Result<Object, ReadError>> {
        std::iter::from_fn(|| self.next_object().transpose())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Wrapper;

    const STREAM: &[u8] = b"@UPDATE {\n@FILE { u1\nA{1}:\tx\nB{1}:\ty\n}\n\n@FILE { u2\n}\n\n}\n";

    fn first() -> Object {
        Object::new("FILE", "u1").with("A", "x").with("B", "y")
    }

    #[test]
    fn items_show_wrappers() -> Result<(), ReadError> {
        let mut reader = Reader::new(STREAM);
        assert_eq!(reader.next_item()?, Some(Item::WrapperStart(Wrapper::Update)));
        assert_eq!(reader.next_item()?, Some(Item::Object(first())));
        assert_eq!(reader.next_item()?, Some(Item::Object(Object::new("FILE", "u2"))));
        assert_eq!(reader.next_item()?, Some(Item::WrapperEnd(Wrapper::Update)));
        assert_eq!(reader.next_item()?, None);
        Ok(())
    }

    #[test]
    fn objects_do_not() -> Result<(), ReadError> {
        let objects: Vec<_> = Reader::new(STREAM).objects().collect::<Result<_, _>>()?;
        assert_eq!(objects, [first(), Object::new("FILE", "u2")]);
        Ok(())
    }

    #[test]
    fn an_object_begun_as_events_is_passed_over() -> Result<(), ReadError> {
        let mut reader = Reader::new(STREAM);
        for _ in 0..3 {
            reader.next_event()?;
        }
        assert_eq!(reader.next_object()?, Some(Object::new("FILE", "u2")));
        Ok(())
    }
}

//! The JSON form: the same names as in XML.

use super::{Abstract, Confidence, Limits, ReadError};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

impl Abstract {
    /// The JSON form.
    pub fn to_json(&self) -> serde_json::Value {
        let mut json = serde_json::Map::from_iter([("abstract".to_owned(), VERSION.into())]);
        // An abstract is plain data: nothing in it can fail to be an object.
        if let Ok(serde_json::Value::Object(members)) = serde_json::to_value(self) {
            json.extend(members);
        }
        json.into()
    }

    /// Reads the JSON form. What the XML form would not allow is not allowed here.
    ///
    /// # Errors
    /// If it is none. Mistakes that a reader of JSON cannot see are named by their line in the XML form.
    pub fn from_json(bytes: &[u8], limits: Limits) -> Result<Self, ReadError> {
        if bytes.len() > limits.bytes {
            let what = format!("a document of {} bytes", bytes.len());
            return Err(ReadError::TooLarge { line: 1, what, limit: limits.bytes });
        }
        let malformed = |line: usize, problem: String| ReadError::Malformed { line, problem };
        let read: Versioned = serde_json::from_slice(bytes)
            .map_err(|error| malformed(error.line(), format!("no abstract as JSON: {error}")))?;
        if read.version != VERSION {
            return Err(malformed(1, format!("version {} of abstracts; only {VERSION} is read", read.version)));
        }
        Self::from_xml(read.content.to_xml().as_bytes(), Limits { bytes: usize::MAX, ..limits })
    }
}

/// The only version there is.
const VERSION: u64 = 1;

#[derive(Deserialize)]
struct Versioned {
    #[serde(rename = "abstract")]
    version: u64,
    #[serde(flatten)]
    content: Abstract,
}

impl Serialize for Confidence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.share())
    }
}

impl<'de> Deserialize<'de> for Confidence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let share = f64::deserialize(deserializer)?;
        super::lexical::share(&share.to_string()).map_err(serde::de::Error::custom)
    }
}

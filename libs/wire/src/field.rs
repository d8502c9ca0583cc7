//! Protobuf's wire format: fields, one after the other.

/// What a field holds, before anybody says what it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// An integer.
    Number(u64),
    /// A text, bytes or a message.
    Bytes(&'a [u8]),
}

/// Calls `take` with number and value of each field of a message. `None` where the bytes are no fields in plain form, or
/// where `take` gives it.
pub fn each<'a>(message: &'a [u8], mut take: impl FnMut(u8, Value<'a>) -> Option<()>) -> Option<()> {
    let mut rest = message;
    while let Some((&tag, after)) = rest.split_first() {
        // Fields 1 to 15 have a tag of one byte: its last three bits say how the value is written.
        let value;
        (value, rest) = match tag & 7 {
            _ if tag >= 0x80 => return None,
            0 => number(after).map(|(number, rest)| (Value::Number(number), rest))?,
            2 => {
                let (length, after) = number(after)?;
                let (bytes, rest) = after.split_at_checked(usize::try_from(length).ok()?)?;
                (Value::Bytes(bytes), rest)
            }
            _ => return None,
        };
        take(tag >> 3, value)?;
    }
    Some(())
}

/// The number at the beginning, and what follows. Those below 2^63 only: nine bytes at most, the last one not zero.
fn number(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let mut number = 0;
    for (place, &byte) in bytes.iter().enumerate().take(9) {
        number |= u64::from(byte & 0x7f) << (7 * place);
        if byte < 0x80 {
            return (byte > 0 || place == 0).then_some((number, &bytes[place + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(message: &[u8]) -> Option<Vec<(u8, Value<'_>)>> {
        let mut found = Vec::new();
        each(message, |number, value| {
            found.push((number, value));
            Some(())
        })?;
        Some(found)
    }

    #[test]
    fn fields_come_in_their_order() {
        let message = b"\x08\x03\x12\x02Td\x18\xac\x02";
        let told = [(1, Value::Number(3)), (2, Value::Bytes(b"Td")), (3, Value::Number(300))];
        assert_eq!(fields(message).unwrap(), told);
        assert_eq!(fields(b"").unwrap(), []);
    }

    #[test]
    fn the_largest_number_is_that_of_63_bits() {
        let largest = b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\x7f";
        assert_eq!(fields(largest).unwrap(), [(1, Value::Number(u64::MAX >> 1))]);
    }

    #[test]
    fn what_is_not_in_plain_form_is_left() {
        let others: [(&str, &[u8]); 8] = [
            ("a tag without a value", b"\x08"),
            ("a text that ends too early", b"\x12\x03Td"),
            ("a number of more bytes than it need have", b"\x08\x83\x00"),
            ("a number that does not end", b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
            ("a negative number", b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
            ("field 16", b"\x80\x01\x01"),
            ("eight bytes as they are", b"\x09\0\0\0\0\0\0\0\0"),
            ("a group", b"\x0b\x0c"),
        ];
        for (what, message) in others {
            assert_eq!(fields(message), None, "{what}");
        }
    }
}

//! The name that was probably meant.

/// Names longer than this are not compared: nobody mistypes that much, and the work is
/// quadratic.
const LONGEST: usize = 64;

/// The name in `known` that `word` was probably meant to be, if one is near enough.
///
/// Near enough is one slip per three letters, at least one; ties go to the earlier name. Case,
/// `-` and `_` do not count as slips, and a word that continues or is continued by exactly one
/// known name is near to it whatever its length.
pub(crate) fn nearest<'a>(
    word: &str,
    known: impl IntoIterator<Item = &'a str> + Clone,
) -> Option<&'a str> {
    let word = plain(word);
    if word.is_empty() || word.len() > LONGEST {
        return None;
    }
    let best = known
        .clone()
        .into_iter()
        .map(|name| (distance(&word, &plain(name)), name))
        .min_by_key(|&(slips, _)| slips);
    if let Some((slips, name)) = best {
        // A one-letter word is never a slip of another one-letter word.
        let allowed = (word.len().max(plain(name).len()) / 3).max(1);
        if slips <= allowed && slips < word.len() {
            return Some(name);
        }
    }
    let mut continued = known.into_iter().filter(|name| {
        let name = plain(name);
        word.len() >= 3 && (starts(&name, &word) || name.len() >= 3 && starts(&word, &name))
    });
    match (continued.next(), continued.next()) {
        (Some(name), None) => Some(name),
        _ => None,
    }
}

/// Lower case, with `-` and spaces as `_`.
fn plain(word: &str) -> Vec<char> {
    let letters = word.chars().take(LONGEST + 1).flat_map(char::to_lowercase);
    letters.map(|c| if c == '-' || c == ' ' { '_' } else { c }).collect()
}

fn starts(word: &[char], beginning: &[char]) -> bool {
    word.starts_with(beginning)
}

/// Slips between two words: letters added, left out, replaced or swapped with their neighbour
/// (Damerau's distance, each place edited at most once).
fn distance(a: &[char], b: &[char]) -> usize {
    // Rows of the usual table: two before, before, current.
    let mut older = vec![0; b.len() + 1];
    let mut old: Vec<usize> = (0..=b.len()).collect();
    let mut new = vec![0; b.len() + 1];
    for i in 1..=a.len() {
        new[0] = i;
        for j in 1..=b.len() {
            let replaced = old[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            new[j] = replaced.min(old[j] + 1).min(new[j - 1] + 1);
            let swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if swapped {
                new[j] = new[j].min(older[j - 2] + 1);
            }
        }
        std::mem::swap(&mut older, &mut old);
        std::mem::swap(&mut old, &mut new);
    }
    old[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slips(a: &str, b: &str) -> usize {
        distance(&plain(a), &plain(b))
    }

    #[test]
    fn every_slip_counts_once() {
        assert_eq!(slips("", ""), 0);
        assert_eq!(slips("", "abc"), 3);
        assert_eq!(slips("abc", ""), 3);
        assert_eq!(slips("gravity", "gravty"), 1);
        assert_eq!(slips("gravity", "graviity"), 1);
        assert_eq!(slips("gravity", "gravitz"), 1);
        assert_eq!(slips("gravity", "gravtiy"), 1);
        assert_eq!(slips("kitten", "sitting"), 3);
    }

    #[test]
    fn the_meant_name_is_found_and_strangers_are_not() {
        let names = ["density", "youngs_modulus", "yield_stress", "friction", "friction_static"];
        assert_eq!(nearest("youngs_modulos", names), Some("youngs_modulus"));
        assert_eq!(nearest("Youngs-Modulus", names), Some("youngs_modulus"));
        assert_eq!(nearest("youngs", names), Some("youngs_modulus"));
        assert_eq!(nearest("densty", names), Some("density"));
        assert_eq!(nearest("fricton", names), Some("friction"));
        assert_eq!(nearest("colour", names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("x", ["y"]), None);
        assert_eq!(nearest(&"x".repeat(100_000), names), None);
    }
}

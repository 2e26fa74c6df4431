//! Tables for the terminal: aligned columns, no frame.

use std::fmt;

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// Rows under a heading, written by its `Display` with columns as wide as their widest cell.
///
/// Widths are counted in `char`s, which is right for the letters and symbols we print.
#[derive(Clone, Debug)]
pub struct Table<const COLUMNS: usize> {
    align: [Align; COLUMNS],
    rows: Vec<[String; COLUMNS]>,
}

impl<const COLUMNS: usize> Table<COLUMNS> {
    /// A table with this heading and no rows.
    pub fn new(columns: [(&str, Align); COLUMNS]) -> Self {
        Self { align: columns.map(|c| c.1), rows: vec![columns.map(|c| c.0.to_owned())] }
    }

    /// Appends a row.
    pub fn row(&mut self, cells: [String; COLUMNS]) {
        self.rows.push(cells);
    }

    /// Whether it has only its heading.
    pub fn is_empty(&self) -> bool {
        self.rows.len() == 1
    }

    fn widths(&self) -> [usize; COLUMNS] {
        std::array::from_fn(|column| {
            self.rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0)
        })
    }
}

impl<const COLUMNS: usize> fmt::Display for Table<COLUMNS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        for row in &self.rows {
            let mut line = String::new();
            for ((cell, width), align) in row.iter().zip(widths).zip(self.align) {
                match align {
                    Align::Left => line += &format!("{cell:<width$}  "),
                    Align::Right => line += &format!("{cell:>width$}  "),
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A number as people read it: about four digits, no exponent between a thousandth and a million.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if !size.is_finite() {
        "–".to_owned()
    } else if x == 0.0 {
        "0".to_owned()
    } else if !(1.0e-3..1.0e6).contains(&size) {
        format!("{x:.3e}")
    } else {
        let decimals = (3 - size.log10().floor() as i32).clamp(0, 6) as usize;
        format!("{x:.decimals$}")
    }
}

/// A count with its noun: `1 piece`, `2 pieces`.
pub fn count(n: u64, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_align_and_lines_do_not_trail() {
        let mut table =
            Table::new([("name", Align::Left), ("ns", Align::Right), ("", Align::Left)]);
        table.row(["λ-long".into(), "1".into(), "ok".into()]);
        table.row(["b".into(), "1234".into(), String::new()]);
        assert_eq!(table.to_string(), "name      ns\nλ-long     1  ok\nb       1234\n");
    }

    #[test]
    fn numbers_keep_four_digits() {
        let cases = [
            (0.0, "0"),
            (1.402724687, "1.403"),
            (42.01, "42.01"),
            (320.0, "320.0"),
            (24_000.0, "24000"),
            (0.125, "0.1250"),
            (1.9e-5, "1.900e-5"),
            (-2.5e7, "-2.500e7"),
            (f64::NAN, "–"),
        ];
        for (x, expected) in cases {
            assert_eq!(number(x), expected);
        }
    }

    #[test]
    fn counts_have_their_plural() {
        assert_eq!([count(1, "piece"), count(2, "piece")], ["1 piece", "2 pieces"]);
    }
}

//! The same experiment with another model.

/// The text of a scene with the model of its body replaced. A line `# MODEL: key = …` speaks for that model alone: it counts, and the
/// line above with the same key does not.
pub fn swapped(text: &str, model: &str) -> String {
    let own = format!("# {model}: ");
    let key = |line: &str| line.split('=').next().map(|key| key.trim().to_owned());
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        if line.starts_with("model = ") {
            lines.push(format!("model = {model:?}"));
        } else if let Some(line) = line.strip_prefix(&own) {
            if lines.last().is_some_and(|above| key(above) == key(line)) {
                lines.pop();
            }
            lines.push(line.to_owned());
        } else {
            lines.push(line.to_owned());
        }
    }
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_its_own_takes_the_place_of_the_one_above() {
        let text = "density = 1\n# sheet: thickness = 2\nmodel = \"corotated\"\nshape = 3\n# sheet: shape = 4\n";
        assert_eq!(
            swapped(text, "sheet"),
            "density = 1\nthickness = 2\nmodel = \"sheet\"\nshape = 4\n"
        );
        let other = text.replace("corotated", "brittle");
        assert_eq!(swapped(text, "brittle"), other, "what is for others stays a comment");
    }
}

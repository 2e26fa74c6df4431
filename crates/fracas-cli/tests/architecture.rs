//! `ARCHITECTURE.md` is true: what its tables name exists, no module is missing, and crates depend
//! only upwards.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may end by panic")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn page() -> String {
    fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md is missing")
}

/// The code spans in the rows of the page's tables.
fn spans_of_tables(page: &str) -> Vec<&str> {
    let rows = page.lines().filter(|line| line.starts_with('|'));
    rows.flat_map(|row| row.split('`').skip(1).step_by(2)).collect()
}

/// Those that look like a path: a slash in it and nothing that no path here has.
fn paths_of_tables(page: &str) -> Vec<&str> {
    let is_path = |span: &&str| {
        span.contains('/') && span.chars().all(|c| c.is_ascii_alphanumeric() || "/._-".contains(c))
    };
    spans_of_tables(page).into_iter().filter(is_path).collect()
}

/// The crates in the order of their table.
fn crates_of_table(page: &str) -> Vec<&str> {
    let section = page.split("\n## Crates\n").nth(1).expect("no section on crates");
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter(|line| line.starts_with("| `fracas"));
    rows.map(|row| row.split('`').nth(1).unwrap()).collect()
}

/// The names of a crate's dependencies on crates of this workspace, without those of its tests.
fn dependencies(manifest: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut in_table = false;
    for line in manifest.lines().map(str::trim) {
        if let Some(table) = line.strip_prefix('[') {
            let table = table.trim_end_matches(']');
            // also those of a target, `[target.'cfg(…)'.dependencies]`
            in_table = table.split('.').next_back() == Some("dependencies");
            found.extend(table.strip_prefix("dependencies."));
        } else if in_table {
            found.extend(line.split(['=', '.', ' ']).next().filter(|name| !name.is_empty()));
        }
    }
    found.retain(|name| *name == "fracas" || name.starts_with("fracas-"));
    found
}

#[test]
fn every_path_in_its_tables_exists() {
    let page = page();
    let paths = paths_of_tables(&page);
    assert!(paths.len() > 20, "only {} paths found: has the page another form?", paths.len());
    for path in paths {
        let found = root().join(path);
        assert!(found.exists(), "ARCHITECTURE.md names `{path}`, which does not exist");
        assert_eq!(found.is_dir(), path.ends_with('/'), "`{path}`: folders end with a slash");
    }
}

#[test]
fn every_module_of_the_engine_is_named() {
    let page = page();
    let paths = paths_of_tables(&page);
    let named = |path: &str| paths.contains(&path);
    // the module itself, or, in these, each file
    let spelt_out = ["crates/fracas/src/solids/", "crates/fracas/src/world/"];
    let mut folders = vec!["crates/fracas/src/".to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            let path = folder.clone() + &name;
            if entry.path().is_dir() {
                let path = path + "/";
                if spelt_out.contains(&path.as_str()) {
                    folders.push(path);
                } else {
                    assert!(named(&path), "ARCHITECTURE.md does not name `{path}`");
                }
            } else if path.ends_with(".rs")
                && !["lib.rs", "mod.rs", "tests.rs"].contains(&name.as_str())
            {
                assert!(named(&path), "ARCHITECTURE.md does not name `{path}`");
            }
        }
    }
}

#[test]
fn no_crate_depends_on_one_below_it() {
    let page = page();
    let crates = crates_of_table(&page);
    let mut folders: Vec<String> = fs::read_dir(root().join("crates"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    folders.sort();
    let mut listed = crates.clone();
    listed.sort_unstable();
    assert_eq!(folders, listed, "the table of crates and the folder `crates/` differ");

    for (place, name) in crates.iter().enumerate() {
        let manifest = fs::read_to_string(root().join("crates").join(name).join("Cargo.toml"));
        for dependency in dependencies(&manifest.unwrap()) {
            let above = crates[..place].contains(&dependency);
            assert!(above, "{name} depends on {dependency}, which is not above it");
        }
    }
}

/// The reader of manifests sees every way of writing a dependency, and skips those of tests.
#[test]
fn dependencies_are_found_however_they_are_written() {
    let manifest = "
        [package]
        name = \"fracas-x\"
        [dependencies]
        fracas = { workspace = true }
        fracas-mesh.workspace = true
        serde = \"1\"
        [dependencies.fracas-scene]
        workspace = true
        [target.'cfg(unix)'.dependencies]
        fracas-view = \"1\"
        [dev-dependencies]
        fracas-cli.workspace = true
    ";
    assert_eq!(dependencies(manifest), ["fracas", "fracas-mesh", "fracas-scene", "fracas-view"]);
}

/// The spans `path::name` in a row of `docs/equations.md`, as path from the root of the repository and name.
fn functions_of(row: &str) -> Vec<(PathBuf, &str)> {
    let spans = row.split('`').skip(1).step_by(2);
    let of_engine = |path: &str| root().join("crates/fracas").join(path);
    spans
        .filter_map(|span| span.split_once("::"))
        .map(|(path, name)| (of_engine(path), name))
        .collect()
}

/// `docs/equations.md` is true: what it names is there, and every equation has code or a reason why it has none.
#[test]
fn every_equation_leads_to_code_and_to_a_test() {
    let page = fs::read_to_string(root().join("docs/equations.md")).unwrap();
    let is_row = |line: &&str| {
        line.starts_with('|') && !line.starts_with("| ---") && !line.starts_with("| equation")
    };
    let rows: Vec<&str> = page.lines().filter(is_row).collect();
    assert!(rows.len() > 60, "only {} equations found: has the page another form?", rows.len());
    for row in rows {
        for (path, name) in functions_of(row) {
            let text = fs::read_to_string(&path);
            let text = text.unwrap_or_else(|e| panic!("{}: {e}, in\n{row}", path.display()));
            let declared = |rest: &str| rest.starts_with(['(', '<']);
            let found = text.split(&format!("fn {name}")).skip(1).any(declared);
            assert!(found, "{} has no function `{name}`, in\n{row}", path.display());
        }
        // a `|` within a cell is written `\|`
        let cells: Vec<String> =
            row.replace("\\|", "/").split('|').map(|cell| cell.trim().to_owned()).collect();
        let [_, _, _, code, test, _] = cells.as_slice() else {
            panic!("not four cells in\n{row}");
        };
        assert!(code == "–" || code.contains("::"), "no code in\n{row}");
        assert!(test.len() > 3, "no test and no reason in\n{row}");
    }
}

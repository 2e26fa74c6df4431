//! The scenes that come with the program.

/// A scene of the gallery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GalleryScene {
    /// What [`Scene::open`](crate::Scene::open) calls it.
    pub name: &'static str,
    /// What to watch.
    pub title: &'static str,
    /// The file.
    pub text: &'static str,
}

macro_rules! gallery {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_str!(concat!("../../../scenes/", $name, ".toml")))),*]
    };
}

macro_rules! assets {
    ($($name:literal),* $(,)?) => {
        [$(($name, include_bytes!(concat!("../../../assets/", $name)).as_slice())),*]
    };
}

/// The mesh files that come with the program, which scenes call `gallery:NAME`.
pub(crate) static ASSETS: [(&str, &[u8]); 8] = assets![
    "bunny.obj",
    "spot.ply",
    "gear.stl",
    "nut.ply",
    "goblet.obj",
    "panel.obj",
    "car.obj",
    "figure-8.obj",
];

/// The bytes of one of them.
pub(crate) fn gallery_asset(name: &str) -> Option<&'static [u8]> {
    ASSETS.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

/// The scenes that come with the program, the first one to run first.
pub fn gallery() -> Vec<GalleryScene> {
    let files = gallery![
        "first-steps",
        "falling-bar",
        "hanging-bar",
        "twist",
        "uniaxial",
        "free-spin",
        "drop-bunny",
        "drop-spot",
        "drop-gear",
        "drop-nut",
        "drop-glass",
        "drop-panel",
        "soft-bunnies",
        "heap",
        "shot",
        "pile",
        "dominoes",
        "press",
        "incline",
        "terrain",
        "twisted-bars",
        "plates",
        "bunnies",
        "dozen",
        "pot",
        "statuette",
        "through",
        "pane",
        "chain",
        "crumple",
        "crash",
        "gelatine",
        "beach-ball-bunny",
        "stack",
        "struck-monolith",
        "strained-block",
        "falling-bunny",
        "broken-ring",
        "dropped-plate",
        "stone-column",
        "figure-8",
        "wine-glass",
        "window-pane",
        "wooden-beam",
        "steel-plate",
        "brick-wall",
        "pillar",
        "barn-door",
        "hanging-slab",
        "hanging-slab-strands",
        "peel",
        "thread",
        "shear",
        "muscle",
        "fibre-states",
        "plastic-tear",
        "rope",
        "membrane",
        "wound",
        "sheet",
        "paper",
        "flag-shot",
        "foil",
        "tent",
        "canvas-cut",
        "tet-cut",
        "all-together",
    ];
    files.into_iter().map(entry).collect()
}

/// Experiments that `fracas compare` does with every model: not there to be looked at.
pub fn experiments() -> Vec<GalleryScene> {
    let files = gallery![
        "compare-uniaxial",
        "compare-ramp",
        "compare-cantilever",
        "compare-bending",
        "compare-spin",
        "compare-drop",
    ];
    files.into_iter().map(entry).collect()
}

/// The title is the first line of every scene that comes along.
fn entry((name, text): (&'static str, &'static str)) -> GalleryScene {
    let first = text.lines().next().unwrap_or_default();
    let title = first.trim_start_matches("title = \"").trim_end_matches('"');
    GalleryScene { name, title, text }
}

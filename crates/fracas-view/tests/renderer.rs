//! The renderer against what a camera would see: areas, colours, shadows, distances that are known.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may end by panic")]

use std::f64::consts::PI;
use std::sync::{Mutex, MutexGuard, OnceLock};

use fracas_view::glam::{DVec3, Vec3};
use fracas_view::{
    Artist, Camera, Drawing, Ellipsoid, Gpu, Ground, Line, Paint, Picture, PictureError, Quality,
    Vertex,
};

const RED: Paint = Paint::plain([210, 40, 30], 200);
const BLUE: Paint = Paint::plain([40, 70, 210], 200);
const SIZE: [u32; 2] = [320, 240];
const GROUND: Ground = Ground { point: [0.0; 3], normal: [0.0, 1.0, 0.0] };

/// Pipelines are made once for all tests.
fn artist() -> MutexGuard<'static, Artist> {
    static ARTIST: OnceLock<Mutex<Artist>> = OnceLock::new();
    let made = ARTIST.get_or_init(|| Mutex::new(Artist::new(Gpu::open().unwrap())));
    made.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn draw(drawing: &Drawing, camera: &Camera) -> Picture {
    artist().draw(drawing, camera, SIZE).unwrap()
}

/// From +z, 4 m away, at the origin.
fn front() -> Camera {
    Camera { eye: DVec3::new(0.0, 0.0, 4.0), target: DVec3::ZERO, field_of_view: 0.6 }
}

/// Looks down onto the ground.
fn from_above() -> Camera {
    Camera { eye: DVec3::new(0.0, 5.0, 0.01), target: DVec3::ZERO, field_of_view: 0.6 }
}

fn ball(centre: [f32; 3], radius: f32, paint: Paint) -> Ellipsoid {
    let half_axes = [[radius, 0.0, 0.0], [0.0, radius, 0.0], [0.0, 0.0, radius]];
    Ellipsoid { centre, half_axes, paint }
}

fn balls(ellipsoids: Vec<Ellipsoid>) -> Drawing {
    Drawing { ellipsoids, ..Drawing::default() }
}

/// A box of these half widths.
fn block(centre: Vec3, half: Vec3, paint: Paint) -> Drawing {
    let mut drawing = Drawing::default();
    for side in 0..6 {
        let axis = [Vec3::X, Vec3::Y, Vec3::Z][side / 2];
        let normal = if side % 2 == 0 { axis } else { -axis };
        let (u, v) = (axis.any_orthogonal_vector(), axis.cross(axis.any_orthogonal_vector()));
        let first = drawing.vertices.len() as u32;
        for (a, b) in [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)] {
            let position = (centre + half * (normal + u * a + v * b)).to_array();
            drawing.vertices.push(Vertex {
                position,
                normal: normal.to_array(),
                paint,
                grain: [0.0; 3],
            });
        }
        let order = if side % 2 == 0 { [0, 1, 2, 0, 2, 3] } else { [0, 2, 1, 0, 3, 2] };
        let corners = order.map(|k| first + k);
        drawing.triangles.push([corners[0], corners[1], corners[2]]);
        drawing.triangles.push([corners[3], corners[4], corners[5]]);
    }
    drawing
}

fn pixel(picture: &Picture, x: usize, y: usize) -> [i32; 3] {
    let [r, g, b, _] = picture.pixels[y * picture.size[0] as usize + x];
    [r, g, b].map(i32::from)
}

fn brightness(picture: &Picture, x: usize, y: usize) -> i32 {
    pixel(picture, x, y).iter().sum()
}

/// By how much a pixel of one picture differs from that of another, in the channel where it is most.
fn difference(a: [u8; 4], b: [u8; 4]) -> u8 {
    (0..4).map(|k| a[k].abs_diff(b[k])).max().unwrap()
}

/// Pixels that something covers, in parts of one: how far they are from the empty picture towards
/// the full one is not known, so a pixel counts as soon as it is clearly another.
fn silhouette(picture: &Picture, empty: &Picture) -> f64 {
    let pairs = picture.pixels.iter().zip(&empty.pixels);
    pairs.filter(|(a, b)| difference(**a, **b) > 8).count() as f64
}

/// Pixels per m at the distance 1 m.
fn focal(camera: &Camera) -> f64 {
    f64::from(SIZE[1]) / 2.0 / f64::from((0.5 * camera.field_of_view).tan())
}

/// A ball is seen as a disc under the angle asin(r/d).
#[test]
fn a_ball_covers_the_disc_it_should() {
    let camera = front();
    let empty = draw(&Drawing::default(), &camera);
    for radius in [0.2_f64, 0.6] {
        let picture = draw(&balls(vec![ball([0.0; 3], radius as f32, RED)]), &camera);
        let disc = focal(&camera) * (radius / 4.0).asin().tan();
        let (seen, right) = (silhouette(&picture, &empty), PI * disc * disc);
        // a ring of one pixel around it is covered in part; the ball is a polyhedron inside
        let edge = 2.0 * PI * disc;
        assert!((seen - right).abs() < 0.6 * edge, "{seen} pixels instead of {right}");
    }
}

/// The needle's axes are where they should be: three times as wide as high, then turned.
#[test]
fn an_ellipsoid_has_its_axes() {
    let camera = front();
    let empty = draw(&Drawing::default(), &camera);
    let flat = [[0.6, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.2]];
    let steep = [[0.0, 0.6, 0.0], [-0.2, 0.0, 0.0], [0.0, 0.0, 0.2]];
    for (half_axes, wide, high) in [(flat, 0.6, 0.2), (steep, 0.2, 0.6)] {
        let needle = Ellipsoid { centre: [0.0; 3], half_axes, paint: RED };
        let picture = draw(&balls(vec![needle]), &camera);
        let covered = |x: usize, y: usize| {
            let k = y * SIZE[0] as usize + x;
            difference(picture.pixels[k], empty.pixels[k]) > 8
        };
        let across = (0..SIZE[0] as usize).filter(|&x| covered(x, 120)).count() as f64;
        let down = (0..SIZE[1] as usize).filter(|&y| covered(160, y)).count() as f64;
        let scale = focal(&camera) / 4.0;
        // a pixel at each end may be covered in part
        assert!((across - 2.0 * wide * scale).abs() < 2.0, "{across} across");
        assert!((down - 2.0 * high * scale).abs() < 2.0, "{down} down");
    }
}

/// The near face of a box hides the rest of it.
#[test]
fn a_box_covers_its_near_face() {
    let camera = front();
    let empty = draw(&Drawing::default(), &camera);
    let half = Vec3::new(0.5, 0.3, 0.4);
    let picture = draw(&block(Vec3::ZERO, half, BLUE), &camera);
    let scale = focal(&camera) / (4.0 - 0.4);
    let (wide, high) = (2.0 * 0.5 * scale, 2.0 * 0.3 * scale);
    let seen = silhouette(&picture, &empty);
    assert!((seen - wide * high).abs() < wide + high, "{seen} instead of {}", wide * high);
}

/// What is nearer hides what is farther, whichever was drawn first, and colours are those given.
#[test]
fn the_nearer_ball_is_seen() {
    for order in [[0, 1], [1, 0]] {
        let both = [ball([0.0, 0.0, 0.8], 0.3, RED), ball([0.0, 0.0, -0.8], 0.3, BLUE)];
        let picture = draw(&balls(order.map(|k| both[k]).to_vec()), &front());
        let [r, g, b] = pixel(&picture, 160, 120);
        assert!(r > 2 * b && r > 2 * g, "[{r}, {g}, {b}] is not red");
    }
}

/// Edges of bodies have more than two shades: four samples a pixel.
#[test]
fn edges_are_smooth() {
    let drawing = block(Vec3::ZERO, Vec3::splat(0.5), Paint::plain([255; 3], 255));
    let camera = Camera { eye: DVec3::new(1.0, 0.7, 4.0), ..front() };
    let empty = draw(&Drawing::default(), &camera);
    let picture = draw(&drawing, &camera);
    // along the left edge, the first pixel that is not sky is a mixture in most rows
    let mixed = (70..170)
        .filter(|&y| {
            let k = |x: usize| y * SIZE[0] as usize + x;
            let x = (1..160).find(|&x| difference(picture.pixels[k(x)], empty.pixels[k(x)]) > 2);
            let Some(x) = x else { return false };
            let [a, b] = [brightness(&picture, x, y), brightness(&picture, x + 3, y)];
            let sky = brightness(&empty, x, y);
            (a - sky).abs() < (b - sky).abs() && (a - sky).abs() > 0
        })
        .count();
    assert!(mixed > 40, "{mixed} of 100 rows");
}

/// A ball throws a shadow where the sun is hidden behind it; the higher it flies, the softer.
#[test]
fn shadows_fall_and_soften_with_height() {
    let camera = from_above();
    let lit = draw(&Drawing { grounds: vec![GROUND], ..Drawing::default() }, &camera);
    let soft = |height: f32| {
        let mut drawing = balls(vec![ball([0.0, height, 0.0], 0.2, RED)]);
        drawing.grounds.push(GROUND);
        let picture = draw(&drawing, &camera);
        let mut counts = [0, 0];
        for (a, b) in picture.pixels.iter().zip(&lit.pixels) {
            let grey = a[0].abs_diff(a[2]) < 30;
            let [a, b] = [a, b].map(|p| p[..3].iter().map(|&x| i32::from(x)).sum::<i32>());
            let share = f64::from(b - a) / f64::from(b);
            counts[0] += usize::from(grey && share > 0.25);
            counts[1] += usize::from(grey && share > 0.04 && share <= 0.25);
        }
        counts
    };
    let [dark, half] = soft(0.25);
    assert!(dark > 150, "{dark} dark pixels under a low ball");
    let [high_dark, high_half] = soft(2.0);
    let ratio = |dark: usize, half: usize| half as f64 / (dark + half) as f64;
    assert!(
        ratio(high_dark, high_half) > 1.5 * ratio(dark, half),
        "low: {dark} dark, {half} half; high: {high_dark}, {high_half}"
    );
}

/// What flies off by half a kilometre leaves the shadows of the rest as they are.
#[test]
fn far_fragments_spoil_no_shadow() {
    let mut drawing = balls(vec![ball([0.0, 0.4, 0.0], 0.2, RED)]);
    drawing.grounds.push(GROUND);
    let alone = draw(&drawing, &from_above());
    for far in [[500.0, 3.0, 20.0], [-100.0, 320.0, 260.0]] {
        drawing.ellipsoids.truncate(1);
        drawing.ellipsoids.push(ball(far, 0.01, RED));
        let with_far = draw(&drawing, &from_above());
        let pairs = alone.pixels.iter().zip(&with_far.pixels);
        let off = pairs.filter(|(a, b)| difference(**a, **b) > 40).count();
        assert!(off < 40, "{off} pixels differ with a fragment at {far:?}");
    }
}

/// The corner between a wall and the ground gets less light from the sky than the open.
#[test]
fn corners_are_darker() {
    // the sun reaches all of it: what differs is the light of the sky
    let mut drawing =
        block(Vec3::new(0.0, 0.5, -1.0), Vec3::new(2.0, 0.5, 0.5), Paint::plain([200; 3], 200));
    drawing.grounds.push(GROUND);
    let camera = Camera {
        eye: DVec3::new(0.0, 1.2, 3.0),
        target: DVec3::new(0.0, 0.3, 0.0),
        field_of_view: 0.7,
    };
    let picture = draw(&drawing, &camera);
    // the foot of the wall, where it meets the ground at z = -0.5, against the ground nearer by
    let foot = |z: f64| {
        let [eye, target] = [camera.eye, camera.target];
        let back = (eye - target).normalize();
        let up = back.cross(DVec3::Y.cross(back).normalize());
        let at = DVec3::new(0.03, 0.0, z) - eye;
        (120.0 - focal(&camera) * at.dot(up) / -at.dot(back)) as usize
    };
    let mean = |y: usize| (100..220).map(|x| brightness(&picture, x, y)).sum::<i32>() / 120;
    let [near_foot, open] = [mean(foot(-0.46)), mean(foot(0.6))];
    assert!(open - near_foot > 20, "{near_foot} at the foot, {open} in the open");
}

/// Lines have their colour and lie on top of what they touch; what is inside glass is seen.
#[test]
fn lines_and_glass_show_the_inside() {
    let mut drawing = block(Vec3::ZERO, Vec3::splat(0.5), Paint::plain([200; 3], 200));
    drawing.ellipsoids.push(ball([0.0; 3], 0.2, BLUE));
    let up =
        Line { from: [0.3, -0.5, 0.5], to: [0.3, 0.5, 0.5], paint: Paint::plain([255, 0, 0], 0) };
    drawing.lines.push(up);
    let closed = draw(&drawing, &front());
    let [r, g, b] = pixel(&closed, 160, 120);
    assert!(b - r < 60, "[{r}, {g}, {b}]: the ball shows through a solid");
    let glass = draw(&Drawing { see_through: true, ..drawing }, &front());
    let [r, g, b] = pixel(&glass, 160, 120);
    assert!(b > r + 30, "[{r}, {g}, {b}]: the ball does not show through glass");
    let x = (160.0 + 0.3 * focal(&front()) / 3.5) as usize;
    for picture in [&closed, &glass] {
        let reddest = (x - 2..=x + 2).map(|x| pixel(picture, x, 120)).max_by_key(|p| p[0] - p[1]);
        let [r, g, _] = reddest.unwrap();
        assert!(r > g + 80, "{reddest:?}: no red line");
    }
}

/// Far from the origin the picture is the same: a thousand km away, shifted by whole cells.
#[test]
fn pictures_do_not_depend_on_where_the_world_is() {
    let scene = |shift: DVec3| {
        let mut drawing = balls(vec![ball([0.1, 0.3, 0.0], 0.3, RED)]);
        drawing.origin = shift.to_array();
        drawing.grounds.push(Ground { point: [0.0, shift.y, 0.0], ..GROUND });
        let camera = Camera::framing(shift - DVec3::splat(0.4), shift + DVec3::ONE, 4.0 / 3.0);
        draw(&drawing, &camera)
    };
    let (here, there) = (scene(DVec3::ZERO), scene(DVec3::new(1e6, 300.0, -2e6)));
    let off = here.pixels.iter().zip(&there.pixels).filter(|(a, b)| difference(**a, **b) > 6);
    assert!(off.count() < 200);
}

/// A ground is seen from its side only, with a grid on it that has the cells it says.
#[test]
fn grounds_have_a_grid_and_one_side() {
    let above = from_above();
    let ground = Drawing { grounds: vec![GROUND], ..Drawing::default() };
    let picture = draw(&ground, &above);
    let below = Camera { eye: DVec3::new(0.0, -5.0, 0.01), ..above };
    assert_eq!(draw(&ground, &below), draw(&Drawing::default(), &below));

    // along a row that misses the lines across, lines come at the pitch of the cell
    let cell = fracas_view::grid_cell(&above) * focal(&above) / 5.0;
    let row: Vec<i32> = (0..SIZE[0] as usize).map(|x| brightness(&picture, x, 122)).collect();
    let open = *row.iter().max().unwrap();
    let dark: Vec<usize> = (1..319)
        .filter(|&x| row[x] < open - 5 && row[x] <= row[x - 1] && row[x] < row[x + 1])
        .collect();
    let gaps: Vec<f64> = dark.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
    assert!(gaps.len() >= 4 && (mean / cell - 1.0).abs() < 0.05, "{gaps:?} instead of {cell}");
}

/// A device with no more than WebGL2 has draws the same picture.
#[test]
fn webgl2_is_enough() {
    let mut drawing = block(Vec3::new(-0.5, 0.4, 0.0), Vec3::splat(0.4), BLUE);
    drawing.ellipsoids.push(ball([0.6, 0.3, 0.2], 0.3, RED));
    drawing.grounds.push(GROUND);
    let up = Line { from: [0.0; 3], to: [0.0, 1.0, 0.0], paint: Paint::plain([0; 3], 0) };
    drawing.lines.push(up);
    let camera = Camera::framing(DVec3::NEG_ONE, DVec3::ONE, 4.0 / 3.0);
    let gpu = Gpu::open_as_webgl2().unwrap();
    let limits = gpu.device.limits();
    assert_eq!(limits.max_storage_buffers_per_shader_stage, 0);
    assert_eq!(limits.max_compute_workgroups_per_dimension, 0);
    let small = Artist::new(gpu).draw(&drawing, &camera, SIZE).unwrap();
    assert_eq!(small, draw(&drawing, &camera));
}

#[test]
fn pictures_that_cannot_be_are_refused() {
    let refused = |size| artist().draw(&Drawing::default(), &front(), size).unwrap_err();
    assert!(matches!(refused([0, 10]), PictureError::Empty { .. }));
    let error = refused([1 << 20, 10]);
    assert!(matches!(error, PictureError::TooLarge { .. }));
    assert!(error.to_string().contains("1048576 × 10"), "{error}");
}

/// Size and pixels come back from the file as they went in.
#[test]
fn png_files_hold_the_picture() {
    let pixels: Vec<[u8; 4]> = (0..60).map(|k| [k, 2 * k, 3 * k, 255]).collect();
    let picture = Picture { size: [10, 6], pixels };
    let bytes = picture.to_png().unwrap();
    let mut reader = png::Decoder::new(std::io::Cursor::new(bytes)).read_info().unwrap();
    let mut decoded = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut decoded).unwrap();
    assert_eq!([info.width, info.height], picture.size);
    assert_eq!(decoded, picture.pixels.concat());
    assert!(Picture { size: [11, 6], ..picture }.to_png().is_err());
}

/// A draft has the same things in the same places in the same light, shadows included.
#[test]
fn a_draft_shows_the_same() {
    let mut drawing = block(Vec3::new(-0.5, 0.4, 0.0), Vec3::splat(0.4), BLUE);
    drawing.ellipsoids.push(ball([0.6, 0.3, 0.2], 0.3, RED));
    drawing.grounds.push(GROUND);
    let camera = Camera::framing(DVec3::NEG_ONE, DVec3::ONE, 4.0 / 3.0);
    let full = draw(&drawing, &camera);
    let mut hasty = Artist::with_quality(Gpu::open().unwrap(), Quality::Draft);
    let draft = hasty.draw(&drawing, &camera, SIZE).unwrap();
    let pairs = full.pixels.iter().zip(&draft.pixels);
    let off = pairs.filter(|(a, b)| difference(**a, **b) > 40).count();
    assert!(off < full.pixels.len() / 25, "{off} of {} pixels differ", full.pixels.len());
}

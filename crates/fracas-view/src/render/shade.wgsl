// Light: a sun with soft shadows, a sky, and what surfaces send back of both.

@group(1) @binding(0) var open: texture_2d<f32>;
@group(1) @binding(1) var shadow_map: texture_2d<f32>;

const SUN = vec3f(3.3, 3.1, 2.75);
const ZENITH = vec3f(0.36, 0.52, 0.80);
const HORIZON = vec3f(0.80, 0.86, 0.93);
const DEPTHS = vec3f(0.60, 0.60, 0.60);
const BOUNCED = vec3f(0.31, 0.30, 0.28);
const GROUND = vec3f(0.44, 0.44, 0.43);
override BLOCKER_TAPS = 12u;
override SHADOW_TAPS = 16u;

fn sky(direction: vec3f) -> vec3f {
    let up = direction.y;
    let above = mix(HORIZON, ZENITH, pow(clamp(up, 0.0, 1.0), 0.55));
    return mix(above, DEPTHS, smoothstep(0.0, 0.6, -up));
}

// The share of the sun that is seen (percentage-closer soft shadows, Fernando 2005): the mean distance of what is
// in the way tells how wide the penumbra is.
fn sunlight(place: vec3f, normal: vec3f, pixel: vec2f) -> f32 {
    let texels = frame.lengths.y;
    let extent = 2.0 * frame.lengths.w;
    let n = (frame.sun_view * vec4f(normal, 0.0)).xyz * frame.lengths.w;
    // off the surface by more than the size of a texel
    let off = place + normal * (2.0 * extent / texels);
    let at = (frame.sun_view * vec4f(off, 1.0)).xyz;
    if (any(abs(at.xy) >= vec2f(1.0)) || at.z <= 0.0) { return 1.0; }
    let middle = vec2f(0.5 * at.x + 0.5, 0.5 - 0.5 * at.y) * texels;
    // how the depth of the surface itself changes from texel to texel; -2 z of the map is one length along the sun
    let facing = max(-2.0 * n.z, 0.2);
    let slope = vec2f(n.x, -n.y) / facing / texels;
    let turn = speckle(pixel);

    let search = max(frame.sun.w * texels, 1.0);
    var blockers = 0.0;
    var depth = 0.0;
    for (var k = 0u; k < BLOCKER_TAPS; k++) {
        let tap = search * on_disc(k, BLOCKER_TAPS, turn);
        let met = shadow_depth(middle + tap);
        if (met < min(at.z + dot(slope, tap), 1.0)) {
            blockers += 1.0;
            depth += met;
        }
    }
    if (blockers == 0.0) { return 1.0; }
    let penumbra = max((at.z - depth / blockers) * frame.sun.w * texels, 1.0);
    var lit = 0.0;
    for (var k = 0u; k < SHADOW_TAPS; k++) {
        // the nearest texel of the k-th kind of every four by four, so that what lets some through is even
        let near = vec2i(floor(middle + penumbra * on_disc(k, SHADOW_TAPS, turn))) - 1;
        let texel = near + ((vec2i(vec2u(k & 3u, k >> 2u)) - near) & vec2i(3));
        let tap = vec2f(texel) + 0.5 - middle;
        lit += select(0.0, 1.0, shadow_depth(vec2f(texel)) >= min(at.z + dot(slope, tap), 1.0));
    }
    return lit / f32(SHADOW_TAPS);
}

// From 0 at the sun to 1 where nothing is in the way.
fn shadow_depth(texel: vec2f) -> f32 {
    let last = i32(frame.lengths.y) - 1;
    return textureLoad(shadow_map, clamp(vec2i(texel), vec2i(0), vec2i(last)), 0).x;
}

fn linear(srgb: vec3f) -> vec3f {
    return select(pow((srgb + 0.055) / 1.055, vec3f(2.4)), srgb / 12.92, srgb <= vec3f(0.04045));
}

struct Surfaced {
    albedo: vec3f,
    roughness: f32,
    metallic: f32,
}

struct Light {
    diffuse: vec3f,
    mirrored: vec3f,
    facing: f32,      // cosine of the angle between normal and viewer
}

// What is mirrored of light from all around, for a surface that mirrors `f0` head-on (Lazarov 2013).
fn mirrors(f0: vec3f, roughness: f32, facing: f32) -> vec3f {
    let r = roughness * vec4f(-1.0, -0.0275, -0.572, 0.022) + vec4f(1.0, 0.0425, 1.04, -0.04);
    let a = min(r.x * r.x, exp2(-9.28 * facing)) * r.x + r.y;
    return f0 * (-1.04 * a + r.z) + 1.04 * a + r.w;
}

// Diffuse light, and what is mirrored: microfacets with the GGX distribution. Metal mirrors in its own colour and
// has no diffuse light, everything else mirrors 4 % head-on.
fn lit(place: vec3f, given: vec3f, on: Surfaced, pixel: vec2f) -> Light {
    let to_eye = normalize(frame.eye.xyz - place);
    var normal = normalize(given);
    if (dot(normal, to_eye) < 0.0) { normal = -normal; }
    let to_sun = frame.sun.xyz;
    let towards_sun = max(dot(normal, to_sun), 0.0);
    var sun = 0.0;
    if (towards_sun > 0.0) { sun = towards_sun * sunlight(place, normal, pixel); }
    let ambient = textureLoad(open, vec2i(pixel), 0).x;
    let facing = max(dot(normal, to_eye), 0.0);
    let f0 = mix(vec3f(0.04), on.albedo, on.metallic);

    let halfway = normalize(to_sun + to_eye);
    let alpha = max(on.roughness * on.roughness, 0.02);
    let d = dot(normal, halfway) * dot(normal, halfway) * (alpha * alpha - 1.0) + 1.0;
    let spread = alpha * alpha / (d * d);
    let along = max(dot(to_eye, halfway), 0.0);
    let fresnel = f0 + (1.0 - f0) * pow(1.0 - along, 5.0);
    let glint = min(0.25 * spread * fresnel / max(along, 0.3), vec3f(4.0));

    let from_sky = mix(BOUNCED, mix(HORIZON, ZENITH, 0.5), 0.5 + 0.5 * normal.y);
    // rough surfaces mirror a blurred sky
    let seen = mix(sky(reflect(-to_eye, normal)), from_sky, on.roughness * on.roughness);
    let diffuse = on.albedo * (1.0 - on.metallic) * (SUN * sun * 0.3183 + from_sky * ambient * 0.7);
    let mirrored = SUN * sun * glint + seen * ambient * mirrors(f0, on.roughness, facing);
    return Light(diffuse, mirrored, facing);
}

// A number from 0 to 1 for each cell of a grid (Hoskins' hash without sine), even between cells.
fn hashed(cell: vec3f) -> f32 {
    var p = fract(cell * 0.1031);
    p += dot(p, p.zyx + 31.32);
    return fract((p.x + p.y) * p.z);
}

fn noise(at: vec3f) -> f32 {
    let cell = floor(at);
    let t = fract(at);
    let w = t * t * (3.0 - 2.0 * t);
    var sum = 0.0;
    for (var k = 0u; k < 8u; k++) {
        let corner = vec3f(f32(k & 1u), f32((k >> 1u) & 1u), f32(k >> 2u));
        let share = mix(1.0 - w, w, corner);
        sum += share.x * share.y * share.z * hashed(cell + corner);
    }
    return sum;
}

// Growth rings around z, darker towards their outer side, and fibres along it. The pith lies outside of the piece, as in
// most timber.
fn in_wood(albedo: vec3f, grain: vec3f, rings: f32) -> vec3f {
    let apart = max(rings, 1e-6);
    let at = grain / apart;
    let wobble = 1.2 * noise(vec3f(0.15 * at.xy, 0.02 * at.z)) + 0.2 * noise(vec3f(at.xy, 0.1 * at.z));
    let ring = length(at.xy + vec2f(9.0, 21.0)) + wobble;
    let blur = fwidth(ring);
    if (rings <= 0.0) { return albedo; }
    let late = pow(fract(ring), 3.0) * (1.0 - smoothstep(0.92, 1.0, fract(ring)));
    let dark = mix(late, 0.22, smoothstep(0.3, 1.0, blur));
    let fibre = noise(vec3f(12.0 * at.xy, 0.5 * at.z)) - 0.5;
    let seen = 1.0 - smoothstep(0.03, 0.15, blur);
    return albedo * (1.0 - 0.55 * dark) * (1.0 + 0.25 * fibre * seen);
}

fn rings_of(seen: Corner) -> f32 {
    return (seen.finish.z + 256.0 * seen.finish.w) * 255.0 * 1e-4;
}

fn light_on(seen: Corner) -> Light {
    let albedo = in_wood(linear(seen.paint.rgb), seen.grain, rings_of(seen));
    return lit(seen.place, seen.normal, Surfaced(albedo, seen.paint.a, seen.finish.x), seen.screen.xy);
}

// Keeps colours as they are up to a brightness of 0.76 and bends the rest below 1 (Khronos PBR neutral tone mapper).
fn for_screen(light: vec3f) -> vec4f {
    let low = min(light.r, min(light.g, light.b));
    var colour = light - select(0.04, low - 6.25 * low * low, low < 0.08);
    let peak = max(colour.r, max(colour.g, colour.b));
    let start = 0.76;
    if (peak >= start) {
        let d = 1.0 - start;
        let bent = 1.0 - d * d / (peak + d - start);
        colour = mix(colour * (bent / peak), vec3f(bent), 1.0 - 1.0 / (0.15 * (peak - bent) + 1.0));
    }
    return vec4f(colour, 1.0);
}

fn colour_of(seen: Corner) -> vec4f {
    let light = light_on(seen);
    return vec4f(for_screen(light.diffuse + light.mirrored).rgb, frame.grid.w);
}

@fragment
fn shaded(seen: Corner) -> @location(0) vec4f {
    return colour_of(seen);
}

// Of what may be clear in parts, the rest.
@fragment
fn opaque_part(seen: Corner) -> @location(0) vec4f {
    let colour = colour_of(seen);
    if (seen.finish.y > 0.0) { discard; }
    return colour;
}

// Over what is behind: light that is mirrored or sent back adds to what comes through, which is less at grazing angles,
// where the way through is longer.
@fragment
fn clear_part(seen: Corner) -> @location(0) vec4f {
    let light = light_on(seen);
    let clear = seen.finish.y;
    if (clear <= 0.0) { discard; }
    let fresnel = 0.04 + 0.96 * pow(1.0 - light.facing, 5.0);
    let through = pow(clear, 1.0 / max(light.facing, 0.2)) * (1.0 - fresnel);
    let own = light.diffuse * (1.0 - through) + light.mirrored;
    return vec4f(for_screen(own).rgb, 1.0 - through);
}

@fragment
fn plain(seen: Corner) -> @location(0) vec4f {
    return for_screen(linear(seen.paint.rgb));
}

// How much of a pixel the lines of a grid cover; every tenth is stronger.
fn grid(at: vec2f) -> f32 {
    let width = fwidth(at);
    let fine = lines(at, width, 0.025) * clamp(1.4 - 7.0 * max(width.x, width.y), 0.0, 1.0);
    let coarse = lines(at / 10.0, width / 10.0, 0.005);
    return max(0.4 * fine, 0.8 * coarse * clamp(1.4 - 0.7 * max(width.x, width.y), 0.0, 1.0));
}

fn lines(at: vec2f, width: vec2f, thickness: f32) -> f32 {
    let off = abs(fract(at - 0.5) - 0.5);
    let half = vec2f(max(vec2f(0.5 * thickness), 0.5 * width));
    // a line thinner than a pixel is fainter instead
    let faint = min(vec2f(1.0), thickness / max(width, vec2f(1e-9)) + 0.35);
    let covered = faint * (1.0 - smoothstep(half, half + width, off));
    return max(covered.x, covered.y);
}

@fragment
fn grounded(seen: Corner) -> @location(0) vec4f {
    let albedo = GROUND * (1.0 - 0.35 * grid(seen.on_ground / frame.grid.x));
    let light = lit(seen.place, seen.normal, Surfaced(albedo, 1.0, 0.0), seen.screen.xy);
    let colour = light.diffuse + light.mirrored;
    let ray = normalize(seen_along(seen.screen.xy));
    let away = distance(seen.place, frame.eye.xyz);
    return for_screen(mix(colour, sky(ray), smoothstep(frame.grid.y, frame.grid.z, away)));
}

@fragment
fn sky_seen(seen: Corner) -> @location(0) vec4f {
    return for_screen(sky(normalize(seen_along(seen.screen.xy))));
}

// Ambient occlusion: how much of the sky a point does not see because something near is in the way.
// After "The Alchemy screen-space ambient obscurance algorithm" (McGuire et al. 2011): what rises above the tangent
// plane nearby, found by taps on a disc in the picture. The factor makes a corner of two walls half open, as it is.

@group(1) @binding(0) var depths: texture_2d<f32>;
@group(1) @binding(1) var normals: texture_2d<f32>;
@group(1) @binding(2) var raw: texture_2d<f32>;

// First pass: normals of what is seen, one sample a pixel, beside the depth.
fn towards_eye(seen: Corner) -> vec4f {
    var normal = normalize(seen.normal);
    if (dot(normal, seen.place - frame.eye.xyz) > 0.0) { normal = -normal; }
    return vec4f(0.5 * normal + 0.5, 1.0);
}

@fragment
fn normal_seen(seen: Corner) -> @location(0) vec4f {
    return towards_eye(seen);
}

// The same of what may be clear in parts, which occludes nothing.
@fragment
fn normal_of_opaque(seen: Corner) -> @location(0) vec4f {
    if (seen.finish.y > 0.0) { discard; }
    return towards_eye(seen);
}

const TAPS = 16u;

fn distance_at(pixel: vec2i) -> f32 {
    return frame.lengths.x / textureLoad(depths, pixel, 0).x;
}

// Second pass: occlusion with the speckle of few samples; 1 is open.
@fragment
fn occlusion(seen: Corner) -> @location(0) vec4f {
    let pixel = vec2i(seen.screen.xy);
    let depth = textureLoad(depths, pixel, 0).x;
    if (depth <= 0.0) { return vec4f(1.0); }
    let far = frame.lengths.x / depth;
    let place = seen_along(seen.screen.xy) * far;
    let normal = 2.0 * textureLoad(normals, pixel, 0).xyz - 1.0;

    let radius = frame.lengths.z;
    // pixels that the radius covers at this distance
    let reach = min(radius * 0.5 * frame.size.y / (frame.size.w * far), 0.25 * frame.size.y);
    let turn = speckle(seen.screen.xy);
    let last = vec2i(frame.size.xy) - 1;
    var sum = 0.0;
    for (var k = 0u; k < TAPS; k++) {
        let at = seen.screen.xy + reach * on_disc(k, TAPS, turn);
        let tap = clamp(vec2i(at), vec2i(0), last);
        let tap_depth = textureLoad(depths, tap, 0).x;
        if (tap_depth <= 0.0) { continue; }
        let other = seen_along(vec2f(tap) + 0.5) * (frame.lengths.x / tap_depth);
        let v = other - place;
        let near = max(0.0, 1.0 - dot(v, v) / (radius * radius));
        let rise = max(0.0, dot(v, normal) - 0.002 * far) * inverseSqrt(dot(v, v) + 1e-4 * radius * radius);
        sum += near * rise;
    }
    return vec4f(max(0.0, 1.0 - 4.0 * sum / f32(TAPS)));
}

// Third pass: the mean over the pixels around that lie at about the same distance.
@fragment
fn smooth_occlusion(seen: Corner) -> @location(0) vec4f {
    let pixel = vec2i(seen.screen.xy);
    let far = distance_at(pixel);
    let last = vec2i(frame.size.xy) - 1;
    var sum = 0.0;
    var weight = 0.0;
    for (var dy = -2; dy <= 2; dy++) {
        for (var dx = -2; dx <= 2; dx++) {
            let tap = clamp(pixel + vec2i(dx, dy), vec2i(0), last);
            let w = select(0.001, 1.0, abs(distance_at(tap) - far) < 0.3 * frame.lengths.z);
            sum += w * textureLoad(raw, tap, 0).x;
            weight += w;
        }
    }
    return vec4f(sum / weight);
}

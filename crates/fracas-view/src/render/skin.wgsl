// Where vertices are that follow particles (000 sec. 4.2): the sums of `skin/weights.rs` of the engine.
//
// blend:   x = Σ ω_p (x_p + R_p (X − X_p)),  ω_p = w_p / Σ w,  w_p = (1 − |X − X_p|²/r_p²)²
// affine:  x = Σ λ_i x_i,                    λ barycentric in the tetrahedron at rest

@group(2) @binding(0) var states: texture_2d<f32>; // two texels of each particle: where it is; how it is turned
@group(2) @binding(1) var rests: texture_2d<f32>;  // where it is at rest, r_p
@group(2) @binding(2) var rings: texture_2d<u32>;  // eight texels of each owner: whom its vertices follow
@group(2) @binding(3) var paints: texture_2d<f32>; // two texels of each particle: colour, roughness; metallic, transparency, rings
@group(2) @binding(4) var skins: texture_2d<f32>;  // four texels of each skin: first state, first ring, whether it is painted; axis of
                                                   // the grain; the paint of its outside, as above

const WIDTH = 2048u;
const GONE = 0xffffffffu;
const ALONE = 0x80000000u;   // the owner has no ring
const INSIDE = 0x80000000u;
const AFFINE = 0x40000000u;
const NUMBER = 0x3fffffffu;
const LEAST_OWN = 1e-3;
const LEAST_VOLUME = 1e-3;

struct Point {
    @location(0) rest: vec3f,
    @location(1) normal: vec3f,
    @location(2) owner: vec2u,  // owner, or ALONE and state; skin with INSIDE and AFFINE
}

struct Moved {
    place: vec3f,
    normal: vec3f,
    state: u32,      // that it belongs to
    corners: vec4u,  // those that its colour is mixed of
    shares: vec4f,
}

fn of_one(place: vec3f, normal: vec3f, state: u32) -> Moved {
    return Moved(place, normal, state, vec4u(state), vec4f(1.0, 0.0, 0.0, 0.0));
}

fn texel(k: u32) -> vec2u {
    return vec2u(k % WIDTH, k / WIDTH);
}

fn turned(q: vec4f) -> mat3x3f {
    let d = 2.0 * q.xyz;
    let x = d * q.x;
    let yz = d.yz * q.yz;
    let zy = d.z * q.y;
    let w = d * q.w;
    return mat3x3f(
        vec3f(1.0 - yz.x - yz.y, x.y + w.z, x.z - w.y),
        vec3f(x.y - w.z, 1.0 - x.x - yz.y, zy + w.x),
        vec3f(x.z + w.y, zy - w.x, 1.0 - x.x - yz.x),
    );
}

fn rest_of(state: u32) -> vec4f {
    return textureLoad(rests, texel(state), 0);
}

fn place_of(state: u32) -> vec3f {
    return textureLoad(states, texel(2u * state), 0).xyz;
}

fn turn_of(state: u32) -> mat3x3f {
    return turned(textureLoad(states, texel(2u * state + 1u), 0));
}

// What turns normals along: the cofactors of ∂x/∂X, or the mean rotation where the surface is folded onto itself.
fn turned_normal(slope: mat3x3f, mean: mat3x3f, has_mean: bool, normal: vec3f) -> vec3f {
    let x = cross(slope[1], slope[2]);
    var moved = mat3x3f(x, cross(slope[2], slope[0]), cross(slope[0], slope[1])) * normal;
    if (has_mean && dot(slope[0], x) <= LEAST_VOLUME) { moved = mean * normal; }
    let length = length(moved);
    return select(vec3f(0.0, 1.0, 0.0), moved / length, length > 0.0);
}

fn alone(state: u32, point: Point) -> Moved {
    let turn = turn_of(state);
    let place = turn * (point.rest - rest_of(state).xyz) + place_of(state);
    return of_one(place, normalize(turn * point.normal), state);
}

fn blended(ring: u32, first: u32, point: Point) -> Moved {
    var members = textureLoad(rings, texel(8u * ring), 0);
    let owner = first + members.x;
    // sums are about a place near by
    let near = turn_of(owner) * (point.rest - rest_of(owner).xyz) + place_of(owner);
    var sum = 0.0;                     // Σ w
    var slope = vec3f(0.0);            // Σ ∂w/∂X
    var moved = vec3f(0.0);            // Σ w m
    var turn = mat3x3f();              // Σ w R
    var lean = mat3x3f();              // Σ m ⊗ ∂w/∂X
    for (var k = 0u; k < 32u; k++) {
        if (k % 4u == 0u && k > 0u) { members = textureLoad(rings, texel(8u * ring + k / 4u), 0); }
        let member = members[k % 4u];
        if (member == GONE) { break; }
        let state = first + member;
        let rest = rest_of(state);
        let away = point.rest - rest.xyz;
        let r2 = rest.w * rest.w;
        var weight = 0.0;
        var gradient = vec3f(0.0);
        if (r2 > 0.0) {
            let inner = max(1.0 - dot(away, away) / r2, 0.0);
            weight = inner * inner;
            gradient = (-4.0 * inner / r2) * away;
        }
        if (state == owner && weight < LEAST_OWN) {
            weight = LEAST_OWN;
            gradient = vec3f(0.0);
        }
        if (weight <= 0.0) { continue; }
        let r = turn_of(state);
        let m = r * away + (place_of(state) - near);
        sum += weight;
        slope += gradient;
        moved += weight * m;
        turn += weight * r;
        lean += mat3x3f(m * gradient.x, m * gradient.y, m * gradient.z);
    }
    let scale = 1.0 / sum;
    moved *= scale;
    let gradient = scale * (turn + lean - mat3x3f(moved * slope.x, moved * slope.y, moved * slope.z));
    return of_one(near + moved, turned_normal(gradient, scale * turn, true, point.normal), owner);
}

fn embedded(ring: u32, first: u32, point: Point) -> Moved {
    let corners = textureLoad(rings, texel(8u * ring), 0) + first;
    let a = rest_of(corners.x).xyz;
    let edges = mat3x3f(rest_of(corners.y).xyz - a, rest_of(corners.z).xyz - a, rest_of(corners.w).xyz - a);
    let p = place_of(corners.x);
    let moved = mat3x3f(place_of(corners.y) - p, place_of(corners.z) - p, place_of(corners.w) - p);
    let volume = determinant(edges);
    if (volume == 0.0) {
        return of_one(p + 0.25 * (moved[0] + moved[1] + moved[2]), point.normal, corners.x);
    }
    // rows of the inverse
    let u = cross(edges[1], edges[2]) / volume;
    let v = cross(edges[2], edges[0]) / volume;
    let w = cross(edges[0], edges[1]) / volume;
    let away = point.rest - a;
    let slope = mat3x3f(
        moved[0] * u.x + moved[1] * v.x + moved[2] * w.x,
        moved[0] * u.y + moved[1] * v.y + moved[2] * w.y,
        moved[0] * u.z + moved[1] * v.z + moved[2] * w.z,
    );
    let along = vec3f(dot(u, away), dot(v, away), dot(w, away));
    let shares = vec4f(1.0 - along.x - along.y - along.z, along);
    var most = 0u;
    for (var k = 1u; k < 4u; k++) {
        if (shares[k] > shares[most]) { most = k; }
    }
    // outside of the tetrahedron no colour is taken away
    let colours = max(shares, vec4f(0.0));
    let normal = turned_normal(slope, mat3x3f(), false, point.normal);
    return Moved(p + moved * along, normal, corners[most], corners, colours / dot(colours, vec4f(1.0)));
}

fn moved(point: Point) -> Moved {
    let first = textureLoad(skins, texel(4u * (point.owner.y & NUMBER)), 0);
    let state = u32(first.x);
    if ((point.owner.x & ALONE) != 0u) { return alone(state + (point.owner.x & ~ALONE), point); }
    let ring = u32(first.y) + point.owner.x;
    if ((point.owner.y & AFFINE) != 0u) { return embedded(ring, state, point); }
    return blended(ring, state, point);
}

fn on_skin(point: Point) -> Corner {
    let at = moved(point);
    let skin = 4u * (point.owner.y & NUMBER);
    let painted = textureLoad(skins, texel(skin), 0).z > 0.0 && (point.owner.y & INSIDE) == 0u;
    var out = corner(at.place, at.normal, vec4f(0.0));
    if (painted) {
        out.paint = textureLoad(skins, texel(skin + 2u), 0);
        out.finish = textureLoad(skins, texel(skin + 3u), 0);
    } else {
        out.paint = vec4f(0.0);
        for (var k = 0u; k < 4u; k++) {
            if (at.shares[k] > 0.0) {
                out.paint += at.shares[k] * textureLoad(paints, texel(2u * at.corners[k]), 0);
            }
        }
        out.finish = textureLoad(paints, texel(2u * at.state + 1u), 0);
    }
    out.grain = along_grain(point.rest, textureLoad(skins, texel(skin + 1u), 0).xyz);
    return out;
}

@vertex
fn skinned(point: Point) -> Corner {
    return on_skin(point);
}

// What every pass knows, and how surfaces, particles, lines and grounds get to the screen.

struct Frame {
    view: mat4x4f,            // drawing to camera, which looks along -z
    projection: mat4x4f,      // reversed: depth is near / distance
    sun_view: mat4x4f,        // drawing to shadow map: x and y from -1 to 1, z from 0 at the sun to 1
    eye: vec4f,               // where the camera is
    sun: vec4f,               // direction to the sun; w: tangent of the half angle at which it is seen
    size: vec4f,              // width and height in pixels; width over height times w; tangent of half the view
    lengths: vec4f,           // near; width of the shadow map; radius of occlusion; radius of the shadow map (m)
    grid: vec4f,              // width of a cell (m); distances where grounds begin and end to fade; alpha of surfaces
}

@group(0) @binding(0) var<uniform> frame: Frame;

struct Corner {
    @builtin(position) screen: vec4f,
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
    @location(2) paint: vec4f,
    @location(3) on_ground: vec2f,
    @location(4) finish: vec4f,      // metallic, transparency, distance of growth rings in two bytes
    @location(5) grain: vec3f,       // where it is in the wood, whose rings are around z (m)
}

fn corner(place: vec3f, normal: vec3f, paint: vec4f) -> Corner {
    var out: Corner;
    out.screen = frame.projection * frame.view * vec4f(place, 1.0);
    out.place = place;
    out.normal = normal;
    out.paint = paint;
    out.on_ground = vec2f(0.0);
    out.finish = vec4f(0.0);
    out.grain = vec3f(0.0);
    return out;
}

struct Surface {
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
    @location(2) paint: vec4f,
    @location(3) finish: vec4f,
    @location(4) grain: vec3f,
}

fn on_surface(given: Surface) -> Corner {
    var out = corner(given.place, given.normal, given.paint);
    out.finish = given.finish;
    out.grain = given.grain;
    return out;
}

@vertex
fn surface(given: Surface) -> Corner {
    return on_surface(given);
}

// Axes across and along a unit vector; as `across` in `cast.rs`.
fn along_grain(place: vec3f, axis: vec3f) -> vec3f {
    let other = select(vec3f(1.0, 0.0, 0.0), vec3f(0.0, 1.0, 0.0), abs(axis.x) > 0.7);
    let u = normalize(cross(other, axis));
    return vec3f(dot(place, u), dot(place, cross(axis, u)), dot(place, axis));
}

struct Particle {
    @location(1) centre: vec3f,
    @location(2) a: vec3f,
    @location(3) b: vec3f,
    @location(4) c: vec3f,
    @location(5) paint: vec4f,
    @location(6) finish: vec4f,
}

fn on_particle(ball: vec3f, particle: Particle) -> vec3f {
    return particle.centre + mat3x3f(particle.a, particle.b, particle.c) * ball;
}

@vertex
fn ellipsoid(@location(0) ball: vec3f, particle: Particle) -> Corner {
    // the normal of an ellipsoid with half axes A at A u is A⁻ᵀ u
    let scale = vec3f(dot(particle.a, particle.a), dot(particle.b, particle.b), dot(particle.c, particle.c));
    let normal = mat3x3f(particle.a, particle.b, particle.c) * (ball / scale);
    var out = corner(on_particle(ball, particle), normalize(normal), particle.paint);
    // what is seen through has no inside to be seen as a particle
    out.finish = vec4f(particle.finish.x, 0.0, 0.0, 0.0);
    return out;
}

@vertex
fn line(
    @builtin(vertex_index) k: u32,
    @location(0) start: vec3f,
    @location(1) end: vec3f,
    @location(2) paint: vec4f,
) -> Corner {
    // two triangles, of constant width on the screen and a little nearer than what they lie on
    let half_width = 0.75;
    var p = frame.view * vec4f(start, 1.0);
    var q = frame.view * vec4f(end, 1.0);
    // an end behind the camera is brought to just before it
    let near = -frame.lengths.x;
    if (p.z > near && q.z < near) { p = mix(q, p, (q.z - near) / (q.z - p.z)); }
    if (q.z > near && p.z < near) { q = mix(p, q, (p.z - near) / (p.z - q.z)); }
    let from_clip = frame.projection * p;
    let to_clip = frame.projection * q;
    let pixels = 0.5 * frame.size.xy;
    let along = (to_clip.xy / to_clip.w - from_clip.xy / from_clip.w) * pixels;
    let direction = along / max(length(along), 1e-6);
    let side = vec2f(-direction.y, direction.x) * half_width / pixels;
    let at_end = k == 1u || k == 2u || k == 4u;
    let left = k == 2u || k == 4u || k == 5u;
    var clip = from_clip;
    if (at_end) { clip = to_clip; }
    clip += vec4f(select(-side, side, left) * clip.w, 0.0, 0.0);
    clip.z *= 1.002;

    var out: Corner;
    out.screen = clip;
    out.place = select(start, end, at_end);
    out.normal = vec3f(0.0);
    out.paint = paint;
    out.on_ground = vec2f(0.0);
    out.finish = vec4f(0.0);
    out.grain = vec3f(0.0);
    return out;
}

@vertex
fn ground(@location(0) place: vec3f, @location(1) normal: vec3f, @location(2) on_ground: vec2f) -> Corner {
    var out = corner(place, normal, vec4f(0.0));
    out.on_ground = on_ground;
    return out;
}

// A triangle that covers the whole picture, infinitely far away.
@vertex
fn everywhere(@builtin(vertex_index) k: u32) -> Corner {
    var out: Corner;
    out.screen = vec4f(f32(k & 1u) * 4.0 - 1.0, f32(k >> 1u) * 4.0 - 1.0, 0.0, 1.0);
    out.place = vec3f(0.0);
    out.normal = vec3f(0.0);
    out.paint = vec4f(0.0);
    out.on_ground = vec2f(0.0);
    out.finish = vec4f(0.0);
    out.grain = vec3f(0.0);
    return out;
}

// The direction in which a pixel is seen, in the axes of the drawing, to the distance 1 along the view.
fn seen_along(pixel: vec2f) -> vec3f {
    let ndc = vec2f(2.0, -2.0) * pixel / frame.size.xy + vec2f(-1.0, 1.0);
    let ray = vec3f(ndc * frame.size.zw, -1.0);
    // the inverse of a rotation is its transpose
    return ray * mat3x3f(frame.view[0].xyz, frame.view[1].xyz, frame.view[2].xyz);
}

// Noise in screen space that a few pixels side by side sample evenly (Jimenez, interleaved gradient noise).
fn speckle(pixel: vec2f) -> f32 {
    return fract(52.9829189 * fract(dot(floor(pixel), vec2f(0.06711056, 0.00583715))));
}

// Point k of n spread evenly over a unit disc (Vogel's spiral), turned by `turn` of a circle.
fn on_disc(k: u32, n: u32, turn: f32) -> vec2f {
    let angle = 2.39996323 * f32(k) + 6.28318531 * turn;
    return sqrt((f32(k) + 0.5) / f32(n)) * vec2f(cos(angle), sin(angle));
}

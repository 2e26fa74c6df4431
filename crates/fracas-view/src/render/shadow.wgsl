// What the sun sees: the depth of surfaces and particles from its side. What is nearer to it than the map begins lies on its front.

fn from_sun(place: vec3f) -> vec4f {
    let at = frame.sun_view * vec4f(place, 1.0);
    return vec4f(at.xy, max(at.z, 0.0), 1.0);
}

@vertex
fn surface_from_sun(given: Surface) -> Corner {
    var out = on_surface(given);
    out.screen = from_sun(out.place);
    return out;
}

@vertex
fn skin_from_sun(point: Point) -> Corner {
    var out = on_skin(point);
    out.screen = from_sun(out.place);
    return out;
}

@vertex
fn ellipsoid_from_sun(@location(0) ball: vec3f, particle: Particle) -> @builtin(position) vec4f {
    return from_sun(on_particle(ball, particle));
}

// Light gets through what is clear: through so many texels of every four by four, which the soft shadow makes even.
@fragment
fn sun_through(seen: Corner) {
    let texel = vec2u(seen.screen.xy);
    let mixed = texel.x ^ texel.y;
    let order = ((mixed & 1u) << 3u) | ((texel.y & 1u) << 2u) | (mixed & 2u) | ((texel.y & 2u) >> 1u);
    if (f32(order) + 0.5 < 16.0 * 0.85 * seen.finish.y) { discard; }
}

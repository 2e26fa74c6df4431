// Every vertex as a pixel of its own.

struct Pixel {
    @builtin(position) screen: vec4f,
    @location(0) place: vec3f,
    @location(1) normal: vec3f,
}

struct Numbers {
    @location(0) place: vec4f,
    @location(1) normal: vec4f,
}

@vertex
fn as_pixel(@builtin(vertex_index) k: u32, @builtin(instance_index) rows: u32, point: Point) -> Pixel {
    let at = moved(point);
    var out: Pixel;
    // the number of the instance is that of the rows
    let pixel = vec2f(vec2u(k % WIDTH, k / WIDTH)) + 0.5;
    out.screen = vec4f(vec2f(2.0, -2.0) * pixel / vec2f(f32(WIDTH), f32(rows)) + vec2f(-1.0, 1.0), 0.0, 1.0);
    out.place = at.place;
    out.normal = at.normal;
    return out;
}

@fragment
fn as_numbers(pixel: Pixel) -> Numbers {
    return Numbers(vec4f(pixel.place, 1.0), vec4f(pixel.normal, 1.0));
}

// Which vertex is seen.

flat in uvec2 v_vertex;

layout(location = 0) out uvec2 o_vertex;

void main() {
    o_vertex = v_vertex;
}

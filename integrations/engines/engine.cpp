// An engine for `skincheck laws --exec` in C++: poses glTF rigs. It needs the header nlohmann/json.hpp.
//
//     g++ -std=c++17 -O2 engine.cpp -o engine && skincheck laws hero.glb --exec ./engine
//
// With the argument `four` it uses the first four influences of a vertex, which the laws catch.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using json = nlohmann::json;
using Numbers = std::vector<double>;
using Matrix = std::array<double, 16>; // column by column

static bool four_influences = false;

static const Matrix IDENTITY = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};

static Matrix operator*(const Matrix &a, const Matrix &b) {
    Matrix product{};
    for (int column = 0; column < 4; ++column)
        for (int row = 0; row < 4; ++row)
            for (int k = 0; k < 4; ++k)
                product[4 * column + row] += a[4 * k + row] * b[4 * column + k];
    return product;
}

static std::string decode_base64(const std::string &text) {
    std::string bytes;
    uint32_t bits = 0;
    int count = 0;
    for (char c : text) {
        int value = c >= 'A' && c <= 'Z'   ? c - 'A'
                    : c >= 'a' && c <= 'z' ? c - 'a' + 26
                    : c >= '0' && c <= '9' ? c - '0' + 52
                    : c == '+'             ? 62
                    : c == '/'             ? 63
                                           : -1;
        if (value < 0)
            break; // padding
        bits = bits << 6 | value;
        count += 6;
        if (count >= 8)
            bytes.push_back(char(bits >> (count -= 8) & 255));
    }
    return bytes;
}

// A glTF document and its buffer.
struct Rig {
    const json &gltf;
    std::string buffer;

    static size_t width(const std::string &type) {
        static const std::map<std::string, size_t> widths = {{"SCALAR", 1}, {"VEC3", 3}, {"VEC4", 4}, {"MAT4", 16}};
        return widths.at(type);
    }

    template <typename T> static Numbers read(const char *bytes, size_t count) {
        Numbers numbers(count);
        for (size_t i = 0; i < count; ++i) {
            T number;
            std::memcpy(&number, bytes + i * sizeof(T), sizeof(T));
            numbers[i] = double(number);
        }
        return numbers;
    }

    Numbers accessor(size_t index) const {
        const json &accessor = gltf["accessors"][index];
        size_t count = accessor["count"].get<size_t>() * width(accessor["type"]);
        const json &view = gltf["bufferViews"][accessor["bufferView"].get<size_t>()];
        const char *bytes = buffer.data() + view.value("byteOffset", size_t(0));
        switch (accessor["componentType"].get<int>()) {
        case 5121: return read<uint8_t>(bytes, count);
        case 5123: return read<uint16_t>(bytes, count);
        case 5125: return read<uint32_t>(bytes, count);
        default: return read<float>(bytes, count);
        }
    }
};

static void normalize(Numbers &q) {
    double square = 0;
    for (double x : q)
        square += x * x;
    for (double &x : q)
        x /= std::sqrt(square);
}

static Numbers blend(const Numbers &a, double s, const Numbers &b, double t) {
    Numbers sum(a.size());
    for (size_t i = 0; i < a.size(); ++i)
        sum[i] = a[i] * s + b[i] * t;
    return sum;
}

static Numbers slerp(Numbers a, Numbers b, double t) {
    normalize(a);
    normalize(b);
    double dot = 0;
    for (size_t i = 0; i < 4; ++i)
        dot += a[i] * b[i];
    double sign = dot < 0 ? -1 : 1;
    double angle = std::acos(std::min(std::abs(dot), 1.0));
    if (angle < 1e-6)
        return blend(a, 1 - t, b, sign * t);
    return blend(a, std::sin((1 - t) * angle), b, sign * std::sin(t * angle));
}

static Numbers sample(const Rig &rig, const json &sampler, double time, bool rotation) {
    Numbers times = rig.accessor(sampler["input"]), values = rig.accessor(sampler["output"]);
    std::string kind = sampler.value("interpolation", "LINEAR");
    bool cubic = kind == "CUBICSPLINE";
    size_t parts = cubic ? 3 : 1, width = values.size() / times.size() / parts;
    // 0 arrives at the key, 1 is its value, 2 leaves it.
    auto at = [&](size_t key, size_t part) {
        auto first = values.begin() + (parts * key + (cubic ? part : 0)) * width;
        return Numbers(first, first + width);
    };
    size_t after = std::upper_bound(times.begin(), times.end(), time) - times.begin();
    Numbers result;
    if (after == 0 || after == times.size()) {
        result = at(after == 0 ? 0 : after - 1, 1);
    } else {
        size_t key = after - 1;
        double span = times[after] - times[key], t = (time - times[key]) / span;
        if (kind == "STEP") {
            result = at(key, 1);
        } else if (cubic) {
            Numbers ends = blend(at(key, 1), (1 + 2 * t) * (1 - t) * (1 - t), at(after, 1), t * t * (3 - 2 * t));
            Numbers tangents = blend(at(key, 2), span * t * (1 - t) * (1 - t), at(after, 0), span * t * t * (t - 1));
            result = blend(ends, 1, tangents, 1);
        } else {
            result = rotation ? slerp(at(key, 1), at(after, 1), t) : blend(at(key, 1), 1 - t, at(after, 1), t);
        }
    }
    if (rotation)
        normalize(result);
    return result;
}

static Matrix from_parts(const Numbers &t, const Numbers &q, const Numbers &s) {
    double x = q[0], y = q[1], z = q[2], w = q[3];
    return {s[0] * (1 - 2 * (y * y + z * z)), s[0] * 2 * (x * y + z * w), s[0] * 2 * (x * z - y * w), 0,
            s[1] * 2 * (x * y - z * w), s[1] * (1 - 2 * (x * x + z * z)), s[1] * 2 * (y * z + x * w), 0,
            s[2] * 2 * (x * z + y * w), s[2] * 2 * (y * z - x * w), s[2] * (1 - 2 * (x * x + y * y)), 0,
            t[0], t[1], t[2], 1};
}

// What a clip drives, by node and path.
using Driven = std::map<std::pair<size_t, std::string>, Numbers>;

static Driven sampled(const Rig &rig, const json &clip, double time) {
    Driven driven;
    if (!clip.is_null()) {
        const json &animation = rig.gltf["animations"][clip.get<size_t>()];
        for (const json &channel : animation["channels"]) {
            std::string path = channel["target"]["path"];
            const json &sampler = animation["samplers"][channel["sampler"].get<size_t>()];
            driven[{channel["target"]["node"], path}] = sample(rig, sampler, time, path == "rotation");
        }
    }
    return driven;
}

// world_from_node of each node.
static std::vector<Matrix> worlds(const Rig &rig, const Driven &driven) {
    const json nodes = rig.gltf.value("nodes", json::array());
    std::vector<Matrix> world(nodes.size(), IDENTITY);
    // Parents before children, without recursion.
    std::vector<std::pair<size_t, Matrix>> left;
    for (size_t root : rig.gltf["scenes"][0]["nodes"])
        left.push_back({root, IDENTITY});
    while (!left.empty()) {
        auto [index, parent] = left.back();
        left.pop_back();
        const json &node = nodes[index];
        auto part = [&, index = index](const char *path, Numbers rest) {
            auto found = driven.find({index, path});
            return found == driven.end() ? node.value(path, rest) : found->second;
        };
        Matrix local = node.contains("matrix") ? node["matrix"].get<Matrix>()
                                               : from_parts(part("translation", {0, 0, 0}), part("rotation", {0, 0, 0, 1}),
                                                            part("scale", {1, 1, 1}));
        world[index] = parent * local;
        for (size_t child : node.value("children", std::vector<size_t>()))
            left.push_back({child, world[index]});
    }
    return world;
}

static std::array<double, 3> transformed(const Matrix &m, const double *p) {
    std::array<double, 3> result{};
    for (int row = 0; row < 3; ++row)
        result[row] = m[row] * p[0] + m[4 + row] * p[1] + m[8 + row] * p[2] + m[12 + row];
    return result;
}

// The positions of the mesh of node `holder`.
static json vertices(const Rig &rig, const std::vector<Matrix> &world, const Driven &driven, size_t holder) {
    const json &node = rig.gltf["nodes"][holder];
    const json &primitive = rig.gltf["meshes"][node["mesh"].get<size_t>()]["primitives"][0];
    const json &attributes = primitive["attributes"];
    Numbers positions = rig.accessor(attributes["POSITION"]);
    auto found = driven.find({holder, "weights"});
    Numbers morphs = found == driven.end() ? node.value("weights", Numbers()) : found->second;
    for (size_t target = 0; target < morphs.size(); ++target) {
        Numbers offsets = rig.accessor(primitive["targets"][target]["POSITION"]);
        for (size_t i = 0; i < positions.size(); ++i)
            positions[i] += morphs[target] * offsets[i];
    }
    std::vector<Numbers> joints, weights;
    for (int set = 0; attributes.contains("JOINTS_" + std::to_string(set)); ++set) {
        if (four_influences && set > 0)
            break;
        joints.push_back(rig.accessor(attributes["JOINTS_" + std::to_string(set)]));
        weights.push_back(rig.accessor(attributes["WEIGHTS_" + std::to_string(set)]));
    }
    std::vector<Matrix> palette;
    if (node.contains("skin")) {
        const json &skin = rig.gltf["skins"][node["skin"].get<size_t>()];
        Numbers binds = rig.accessor(skin["inverseBindMatrices"]);
        for (size_t slot = 0; slot < skin["joints"].size(); ++slot) {
            Matrix bind;
            std::copy_n(binds.begin() + 16 * slot, 16, bind.begin());
            palette.push_back(world[skin["joints"][slot].get<size_t>()] * bind);
        }
    }
    json result = json::array();
    for (size_t vertex = 0; vertex < positions.size() / 3; ++vertex) {
        double sum = 0, size = 0;
        Matrix blended{};
        for (size_t set = 0; set < (palette.empty() ? 0 : joints.size()); ++set)
            for (size_t k = 4 * vertex; k < 4 * vertex + 4; ++k) {
                sum += weights[set][k];
                size += std::abs(weights[set][k]);
                for (int i = 0; i < 16; ++i)
                    blended[i] += weights[set][k] * palette[size_t(joints[set][k])][i];
            }
        // A sum that has cancelled is no weight: the vertex follows its node.
        bool weighted = std::abs(sum) > size / 1024;
        for (double &element : blended)
            element /= weighted ? sum : 1;
        result.push_back(transformed(weighted ? blended : world[holder], &positions[3 * vertex]));
    }
    return result;
}

static json answer(const json &request) {
    const json &gltf = request["gltf"];
    Rig rig{gltf, ""};
    if (gltf.contains("buffers")) {
        std::string uri = gltf["buffers"][0]["uri"];
        rig.buffer = decode_base64(uri.substr(uri.find(',') + 1));
    }
    json poses = json::array();
    for (double time : request["times"]) {
        Driven driven = sampled(rig, request["clip"], time);
        std::vector<Matrix> world = worlds(rig, driven);
        json meshes = json::array();
        for (size_t node = 0; node < world.size(); ++node)
            if (gltf["nodes"][node].contains("mesh"))
                meshes.push_back(vertices(rig, world, driven, node));
        poses.push_back({{"nodes", world}, {"meshes", meshes}});
    }
    return {{"id", request["id"]}, {"poses", poses}};
}

int main(int count, char **arguments) {
    four_influences = count > 1 && std::string(arguments[1]) == "four";
    std::string line;
    while (std::getline(std::cin, line))
        std::cout << answer(json::parse(line)).dump() << std::endl;
}

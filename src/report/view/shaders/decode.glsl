// Linear light of an sRGB byte.
float decode(uint code) {
    float value = float(code) / 255.0;
    return value > 0.04045 ? pow((value + 0.055) / 1.055, 2.4) : value / 12.92;
}

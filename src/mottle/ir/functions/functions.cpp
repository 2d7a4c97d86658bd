// mottle/ir/functions/functions.cpp: the functions that need no approximation
#include "mottle/ir/functions/functions.h"

#include <cstdlib>

namespace mottle::ir {

Value min(Builder& b, Value x, Value y) { return b.select(b.less(x, y), x, y); }
Value max(Builder& b, Value x, Value y) { return b.select(b.less(y, x), x, y); }
Value clamp(Builder& b, Value x, Value lo, Value hi) { return min(b, hi, max(b, lo, x)); }

Value sign(Builder& b, Value x) {
    Value zero = b.literal(0);
    return b.select(b.less(zero, x), b.literal(1), b.select(b.less(x, zero), b.literal(-1), x));
}

Value mod(Builder& b, Value x, Value y) { return b.fma(b.neg(y), b.floor(b.div(x, y)), x); }

Value powi(Builder& b, Value x, int n) {
    if (n == 0) return b.literal(1);
    const auto exponent = static_cast<unsigned>(std::abs(n));
    Value power = x;
    for (int bit = static_cast<int>(std::bit_width(exponent)) - 2; bit >= 0; --bit) {
        power = b.mul(power, power);
        if (exponent >> bit & 1) power = b.mul(power, x);
    }
    return n < 0 ? b.div(b.literal(1), power) : power;
}

}  // namespace mottle::ir

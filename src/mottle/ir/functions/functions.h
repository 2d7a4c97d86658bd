// mottle/ir/functions/functions.h: elementary functions as IR, the same bits on every backend; accuracy in docs/numerics.md
#pragma once
#include "mottle/ir/program/builder.h"

namespace mottle::ir {

// Precision follows builder.f64(). Every function is within 2 ulp on its stated range; NaN in gives NaN out.
Value min(Builder& b, Value x, Value y);               ///< x < y ? x : y
Value max(Builder& b, Value x, Value y);               ///< y < x ? x : y
Value clamp(Builder& b, Value x, Value lo, Value hi);  ///< min(hi, max(lo, x))
Value sign(Builder& b, Value x);                       ///< x > 0 ? 1 : x < 0 ? -1 : x
Value mod(Builder& b, Value x, Value y);               ///< x - y*floor(x/y), by fma
Value exp(Builder& b, Value x);
Value log(Builder& b, Value x);            ///< log(0) = -Inf, log(x<0) = NaN
Value log_of_number(Builder& b, Value x);  ///< log, for 0 < x < Inf alone
Value sin(Builder& b, Value x);            ///< |x| <= 2^15 (f32), 2^25 (f64); beyond that NaN
Value cos(Builder& b, Value x);
Value tan(Builder& b, Value x);
Value tanh(Builder& b, Value x);
Value atan2(Builder& b, Value y, Value x);
Value pow(Builder& b, Value x, Value y);  ///< x<0 with integral y = +-|x|^y, else NaN; pow(x,0) = pow(1,y) = 1; pow(0,y>0) = 0
/// x^2 = x*x, x^3 = (x*x)*x, x^4 = (x^2)^2: left-to-right binary powering; a negative power is 1/(...), x^0 = 1.
Value powi(Builder& b, Value x, int n);

}  // namespace mottle::ir

// mottle/ir/stability/interval.h: intervals of real numbers, for bounds over declared ranges (not rounded outwards: estimates, not proofs)
#pragma once
#include <limits>

namespace mottle::ir {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Interval {
    double lo = 0, hi = 0;

    bool is_point() const { return lo == hi; }
    bool is_zero() const { return lo == 0 && hi == 0; }
    bool contains(double x) const { return lo <= x && x <= hi; }
    bool is_bounded() const { return lo > -kInfinity && hi < kInfinity; }
    /// The largest absolute value.
    double magnitude() const;
    /// The end with the largest absolute value.
    double extreme() const { return hi >= -lo ? hi : lo; }
};

Interval entire();
Interval point(double x);
Interval hull(Interval a, Interval b);
Interval operator+(Interval a, Interval b);
Interval operator-(Interval a, Interval b);
Interval operator-(Interval a);
Interval operator*(Interval a, Interval b);  ///< 0 times an unbounded end is 0
Interval operator/(Interval a, Interval b);  ///< entire if b contains 0
Interval min(Interval a, Interval b);
Interval max(Interval a, Interval b);
Interval abs(Interval a);
Interval floor(Interval a);
Interval sign(Interval a);
Interval sqrt(Interval a);  ///< of the part at and above 0
Interval exp(Interval a);
Interval log(Interval a);
Interval tanh(Interval a);
Interval sin(Interval a);
Interval cos(Interval a);
Interval tan(Interval a);
Interval atan2(Interval y, Interval x);
Interval mod(Interval a, Interval b);
Interval pow(Interval a, Interval b);

}  // namespace mottle::ir

// mottle/stepper/spectral/line_transform.cpp: Stockham's algorithm over many lines side by side, and what makes real and cosine transforms of it
#include "mottle/stepper/spectral/line_transform.h"

#include "mottle/core/error.h"
#include "mottle/ir/functions/functions.h"
#include "mottle/ir/lower/linear_part.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <cstring>
#include <numbers>
#include <utility>

namespace mottle::stepper {
namespace {

using core::Index;

constexpr Index kVector = 8;  // numbers that are computed at once: a vector of AVX-512, two of AVX2
using Numbers = double __attribute__((vector_size(64)));

constexpr double kSine3 = 0.86602540378443864676;  // sin(pi/3)
constexpr double kCosine5 = 0.30901699437494742410, kCosine5Two = -0.80901699437494742410;
constexpr double kSine5 = 0.95105651629515357212, kSine5Two = 0.58778525229247312917;

/// Transforms radix numbers: out_j = sum of in_k exp(-2 pi i j k/radix).
template <int kRadix, class Number>
[[gnu::always_inline]] inline void butterfly(Number (&re)[5], Number (&im)[5]) {
    if constexpr (kRadix == 2) {
        const Number r = re[0] - re[1], i = im[0] - im[1];
        re[0] += re[1], im[0] += im[1];
        re[1] = r, im[1] = i;
    } else if constexpr (kRadix == 3) {
        const Number sum_r = re[1] + re[2], sum_i = im[1] + im[2];
        const Number turn_r = kSine3 * (im[1] - im[2]), turn_i = kSine3 * (re[2] - re[1]);
        const Number middle_r = re[0] - 0.5 * sum_r, middle_i = im[0] - 0.5 * sum_i;
        re[0] += sum_r, im[0] += sum_i;
        re[1] = middle_r + turn_r, im[1] = middle_i + turn_i;
        re[2] = middle_r - turn_r, im[2] = middle_i - turn_i;
    } else if constexpr (kRadix == 4) {
        const Number a_r = re[0] + re[2], a_i = im[0] + im[2], b_r = re[0] - re[2], b_i = im[0] - im[2];
        const Number c_r = re[1] + re[3], c_i = im[1] + im[3], d_r = re[1] - re[3], d_i = im[1] - im[3];
        re[0] = a_r + c_r, im[0] = a_i + c_i;
        re[1] = b_r + d_i, im[1] = b_i - d_r;
        re[2] = a_r - c_r, im[2] = a_i - c_i;
        re[3] = b_r - d_i, im[3] = b_i + d_r;
    } else {
        const Number s1_r = re[1] + re[4], s1_i = im[1] + im[4], d1_r = re[1] - re[4], d1_i = im[1] - im[4];
        const Number s2_r = re[2] + re[3], s2_i = im[2] + im[3], d2_r = re[2] - re[3], d2_i = im[2] - im[3];
        const Number m1_r = re[0] + (kCosine5 * s1_r + kCosine5Two * s2_r), m1_i = im[0] + (kCosine5 * s1_i + kCosine5Two * s2_i);
        const Number m2_r = re[0] + (kCosine5Two * s1_r + kCosine5 * s2_r), m2_i = im[0] + (kCosine5Two * s1_i + kCosine5 * s2_i);
        const Number t1_r = kSine5 * d1_i + kSine5Two * d2_i, t1_i = -(kSine5 * d1_r + kSine5Two * d2_r);
        const Number t2_r = kSine5Two * d1_i - kSine5 * d2_i, t2_i = -(kSine5Two * d1_r - kSine5 * d2_r);
        re[0] += s1_r + s2_r, im[0] += s1_i + s2_i;
        re[1] = m1_r + t1_r, im[1] = m1_i + t1_i;
        re[2] = m2_r + t2_r, im[2] = m2_i + t2_i;
        re[3] = m2_r - t2_r, im[3] = m2_i - t2_i;
        re[4] = m1_r - t1_r, im[4] = m1_i - t1_i;
    }
}

struct PassArrays {
    double *re, *im, *to_re, *to_im;
};

/// The numbers at `from + k step` become those at `to + k stride`, by the twiddles.
template <int kRadix, bool kTurned, class Number>
[[gnu::always_inline]] inline void turn_number(const PassArrays& arrays, const RootOfUnity* twiddles, Index from, Index step, Index to,
                                               Index stride) {
    Number r[5], i[5];
    for (int k = 0; k < kRadix; ++k) {
        std::memcpy(&r[k], arrays.re + from + k * step, sizeof(Number));
        std::memcpy(&i[k], arrays.im + from + k * step, sizeof(Number));
    }
    butterfly<kRadix>(r, i);
    for (int k = 0; k < kRadix; ++k) {
        if (kTurned && k > 0) {
            const double c = twiddles[k - 1].cosine, s = twiddles[k - 1].sine;
            const Number turned = r[k] * c - i[k] * s;
            i[k] = r[k] * s + i[k] * c;
            r[k] = turned;
        }
        std::memcpy(arrays.to_re + to + k * stride, &r[k], sizeof(Number));
        std::memcpy(arrays.to_im + to + k * stride, &i[k], sizeof(Number));
    }
}

/// `stride` neighbouring numbers of one p, all by the same twiddles.
template <int kRadix, bool kTurned>
[[gnu::always_inline]] inline void turn_numbers(const PassArrays& arrays, const RootOfUnity* twiddles, Index from, Index step, Index to,
                                                Index stride) {
    if (stride % kVector == 0) {
        for (Index q = 0; q < stride; q += kVector) turn_number<kRadix, kTurned, Numbers>(arrays, twiddles, from + q, step, to + q, stride);
    } else {
        for (Index q = 0; q < stride; ++q) turn_number<kRadix, kTurned, double>(arrays, twiddles, from + q, step, to + q, stride);
    }
}

template <int kRadix>
[[gnu::always_inline]] inline void run_pass(const TransformPass& pass, Index width, const PassArrays& arrays) {
    const Index stride = pass.stride * width, step = stride * pass.rest;
    for (Index p = 0; p < pass.rest; ++p) {
        const RootOfUnity* const twiddles = pass.twiddles.data() + p * (kRadix - 1);
        if (p == 0) {
            turn_numbers<kRadix, false>(arrays, twiddles, 0, step, 0, stride);
        } else {
            turn_numbers<kRadix, true>(arrays, twiddles, stride * p, step, stride * kRadix * p, stride);
        }
    }
}

[[gnu::always_inline]] inline void run_passes(const std::vector<TransformPass>& passes, Index width, PassArrays arrays) {
    for (const TransformPass& pass : passes) {
        if (pass.radix == 4) run_pass<4>(pass, width, arrays);
        if (pass.radix == 2) run_pass<2>(pass, width, arrays);
        if (pass.radix == 3) run_pass<3>(pass, width, arrays);
        if (pass.radix == 5) run_pass<5>(pass, width, arrays);
        arrays = {arrays.to_re, arrays.to_im, arrays.re, arrays.im};
    }
}

void passes_portable(const std::vector<TransformPass>& passes, Index width, PassArrays arrays) { run_passes(passes, width, arrays); }
MOTTLE_TARGET("avx2") void passes_avx2(const std::vector<TransformPass>& passes, Index width, PassArrays arrays) {
    run_passes(passes, width, arrays);
}
MOTTLE_TARGET("avx512f") void passes_avx512(const std::vector<TransformPass>& passes, Index width, PassArrays arrays) {
    run_passes(passes, width, arrays);
}

/// A function of the equations, of one number.
ir::Code code_of_function(ir::Value (*function)(ir::Builder& b, ir::Value x)) {
    ir::Builder b(true);
    const ir::Value result = function(b, b.uniform(0));
    return b.code_of(result);
}

/// Angles up to pi/4.
RootOfUnity root_of_octant(Index i, Index n) {
    static const ir::Code cosine = code_of_function(ir::cos), sine = code_of_function(ir::sin);
    const double angle = 2 * std::numbers::pi * (static_cast<double>(i) / static_cast<double>(n));
    return {ir::evaluate(cosine, {&angle, 1}), ir::evaluate(sine, {&angle, 1})};
}

}  // namespace

RootOfUnity root_of_unity(Index i, Index n) {
    i %= n;
    if (2 * i > n) {
        const RootOfUnity mirrored = root_of_unity(n - i, n);
        return {mirrored.cosine, -mirrored.sine};
    }
    if (4 * i > n) {  // pi - angle
        const RootOfUnity mirrored = root_of_unity(n - 2 * i, 2 * n);
        return {-mirrored.cosine, mirrored.sine};
    }
    if (8 * i > n) {  // pi/2 - angle
        const RootOfUnity mirrored = root_of_octant(n - 4 * i, 4 * n);
        return {mirrored.sine, mirrored.cosine};
    }
    return root_of_octant(i, n);
}

struct LineTransform::Plan {
    Index cells;
    Kind kind;
    core::VectorLevel level;
    std::vector<TransformPass> passes;
    std::vector<RootOfUnity> turns;  ///< of cosine transforms: by pi k/(2 cells), k <= cells/2

    /// In place of first and second: swapped they are transformed backwards.
    void transform(LineBlock& block, bool backwards) const {
        if (backwards) std::swap(block.first, block.second), std::swap(block.spare_first, block.spare_second);
        const auto run = core::code_for(level, passes_portable, passes_avx2, passes_avx512);
        run(passes, block.width, {block.first, block.second, block.spare_first, block.spare_second});
        if (passes.size() % 2 == 1) std::swap(block.first, block.spare_first), std::swap(block.second, block.spare_second);
        if (backwards) std::swap(block.first, block.second), std::swap(block.spare_first, block.spare_second);
    }

    /// Calls `pair` with the coefficients k and cells - k of all lines.
    template <class Pair>
    void each_pair(const LineBlock& block, const Pair& pair) const {
        for (Index k = 1; 2 * k < cells; ++k) {
            const RootOfUnity turn = kind == Kind::cosine ? turns[core::at(k)] : RootOfUnity{1, 0};
            double* __restrict const a = block.first + k * block.width;
            double* __restrict const b = block.second + k * block.width;
            double* __restrict const mirrored_a = block.first + (cells - k) * block.width;
            double* __restrict const mirrored_b = block.second + (cells - k) * block.width;
            for (Index j = 0; j < block.width; ++j) pair(turn, a[j], mirrored_a[j], b[j], mirrored_b[j]);
        }
    }

    /// Cells 0, 2, 4, ... and then those between, backwards: what makes of a cosine transform one of Fourier's.
    Index place_of(Index cell) const { return cell % 2 == 0 ? cell / 2 : cells - 1 - cell / 2; }

    void reorder(LineBlock& block, bool backwards) const {
        for (Index cell = 0; cell < cells; ++cell) {
            const Index from = (backwards ? place_of(cell) : cell) * block.width, to = (backwards ? cell : place_of(cell)) * block.width;
            std::copy_n(block.first + from, block.width, block.spare_first + to);
            std::copy_n(block.second + from, block.width, block.spare_second + to);
        }
        std::swap(block.first, block.spare_first);
        std::swap(block.second, block.spare_second);
    }
};

LineTransform::LineTransform(Index cells, Kind kind, core::VectorLevel level) : plan_(std::make_unique<Plan>()) {
    if (!ir::is_transformable(cells)) throw core::InternalError("lines of " + std::to_string(cells) + " cells have no transform");
    plan_->cells = cells;
    plan_->kind = kind;
    plan_->level = level;
    Index size = cells, stride = 1;
    while (size > 1) {
        const Index radix = size % 4 == 0 ? 4 : size % 2 == 0 ? 2 : size % 3 == 0 ? 3 : 5;
        TransformPass pass{radix, size / radix, stride, {}};
        for (Index p = 0; p < pass.rest; ++p) {
            for (Index k = 1; k < radix; ++k) {
                const RootOfUnity root = root_of_unity(p * k, size);
                pass.twiddles.push_back({root.cosine, -root.sine});
            }
        }
        plan_->passes.push_back(std::move(pass));
        size /= radix;
        stride *= radix;
    }
    if (kind == Kind::fourier) return;
    for (Index k = 0; 2 * k <= cells; ++k) plan_->turns.push_back(root_of_unity(k, 4 * cells));
}

LineTransform::~LineTransform() = default;
LineTransform::LineTransform(LineTransform&&) noexcept = default;

Index LineTransform::cells() const { return plan_->cells; }
LineTransform::Kind LineTransform::kind() const { return plan_->kind; }

// Of a + i b the coefficients k and n - k are A + i B and conj(A) + i conj(B). A cosine's are the parts of A turned by pi k/(2 n).
void LineTransform::forward(LineBlock& block, bool mixed) const {
    const Plan& plan = *plan_;
    if (plan.kind == Kind::cosine) plan.reorder(block, false);
    plan.transform(block, false);
    if (plan.kind == Kind::fourier && mixed) return;
    plan.each_pair(block, [](const RootOfUnity& turn, double& a, double& mirrored_a, double& b, double& mirrored_b) {
        const double a_re = 0.5 * (a + mirrored_a), a_im = 0.5 * (b - mirrored_b);
        const double b_re = 0.5 * (b + mirrored_b), b_im = 0.5 * (mirrored_a - a);
        a = turn.cosine * a_re + turn.sine * a_im;
        mirrored_a = turn.sine * a_re - turn.cosine * a_im;
        b = turn.cosine * b_re + turn.sine * b_im;
        mirrored_b = turn.sine * b_re - turn.cosine * b_im;
    });
}

void LineTransform::inverse(LineBlock& block, bool mixed) const {
    const Plan& plan = *plan_;
    if (!(plan.kind == Kind::fourier && mixed)) {
        plan.each_pair(block, [](const RootOfUnity& turn, double& a, double& mirrored_a, double& b, double& mirrored_b) {
            const double a_re = turn.cosine * a + turn.sine * mirrored_a, a_im = turn.sine * a - turn.cosine * mirrored_a;
            const double b_re = turn.cosine * b + turn.sine * mirrored_b, b_im = turn.sine * b - turn.cosine * mirrored_b;
            a = a_re - b_im;
            b = a_im + b_re;
            mirrored_a = a_re + b_im;
            mirrored_b = b_re - a_im;
        });
    }
    plan.transform(block, true);
    if (plan.kind == Kind::cosine) plan.reorder(block, true);
}

}  // namespace mottle::stepper

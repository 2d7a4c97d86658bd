// mottle/benchmarks/baseline/array_operations.cpp: the Triton article's NumPy program in C++: one array operation after the other, a new array for each
#include "baseline/gray_scott.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace mottle::benchmarks {
namespace {

/// A new array is not filled first, as np.empty.
class Array {
   public:
    explicit Array(std::size_t size) : size_(size), data_(std::make_unique_for_overwrite<double[]>(size)) {}
    std::size_t size() const { return size_; }
    double* data() const { return data_.get(); }
    double* begin() const { return data_.get(); }
    double* end() const { return data_.get() + size_; }
    double& operator[](std::size_t i) const { return data_[i]; }

   private:
    std::size_t size_;
    std::unique_ptr<double[]> data_;
};

class ArrayOperations final : public Contestant {
   public:
    ArrayOperations(const GrayScott& model, const Fields& start)
        : model_(model),
          width_(static_cast<std::size_t>(start.width)),
          height_(static_cast<std::size_t>(start.height)),
          u_(start.count()),
          v_(start.count()) {
        std::copy(start.u.begin(), start.u.end(), u_.begin());
        std::copy(start.v.begin(), start.v.end(), v_.begin());
    }

    void advance(int steps) override {
        const double du = model_.du, dv = model_.dv, feed = model_.feed, kill = model_.kill, dt = model_.dt;
        for (int step = 0; step < steps; ++step) {
            const Array lap_u = laplacian(u_), lap_v = laplacian(v_);
            const Array reaction = multiply(multiply(u_, v_), v_);
            add_to(u_, scale(dt, add(subtract(scale(du, lap_u), reaction), scale(feed, one_minus(u_)))));
            add_to(v_, scale(dt, subtract(add(scale(dv, lap_v), reaction), scale(feed + kill, v_))));
            clip(u_);
            clip(v_);
        }
    }
    void read(Fields& fields) const override {
        std::transform(u_.begin(), u_.end(), fields.u.begin(), [](double x) { return static_cast<float>(x); });
        std::transform(v_.begin(), v_.end(), fields.v.begin(), [](double x) { return static_cast<float>(x); });
    }

   private:
    template <class Operation>
    static Array map(const Array& a, const Array& b, Operation operation) {
        Array result(a.size());
        for (std::size_t i = 0; i < a.size(); ++i) result[i] = operation(a[i], b[i]);
        return result;
    }
    static Array add(const Array& a, const Array& b) { return map(a, b, std::plus<>()); }
    static Array subtract(const Array& a, const Array& b) { return map(a, b, std::minus<>()); }
    static Array multiply(const Array& a, const Array& b) { return map(a, b, std::multiplies<>()); }
    static Array scale(double factor, const Array& a) {
        return map(a, a, [factor](double x, double) { return factor * x; });
    }
    static Array one_minus(const Array& a) {
        return map(a, a, [](double x, double) { return 1 - x; });
    }
    static void add_to(Array& a, const Array& b) {
        for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
    }
    static void clip(Array& a) {
        for (double& x : a) x = std::clamp(x, 0.0, 1.0);
    }
    /// np.roll by one row (down: +1) or one column.
    Array roll_rows(const Array& a, int by) const {
        Array result(a.size());
        const std::size_t first = by > 0 ? width_ : a.size() - width_;
        std::copy(a.begin(), a.end() - first, result.begin() + first);
        std::copy(a.end() - first, a.end(), result.begin());
        return result;
    }
    Array roll_columns(const Array& a, int by) const {
        Array result(a.size());
        const std::size_t first = by > 0 ? 1 : width_ - 1;
        for (std::size_t y = 0; y < height_; ++y) {
            const double* from = a.data() + y * width_;
            double* to = result.data() + y * width_;
            std::copy_n(from, width_ - first, to + first);
            std::copy_n(from + (width_ - first), first, to);
        }
        return result;
    }
    Array laplacian(const Array& z) const {
        return add(add(add(add(scale(-4, z), roll_rows(z, 1)), roll_rows(z, -1)), roll_columns(z, 1)), roll_columns(z, -1));
    }

    GrayScott model_;
    std::size_t width_, height_;
    Array u_, v_;
};

}  // namespace

std::unique_ptr<Contestant> make_array_operations(const GrayScott& model, const Fields& start) {
    return std::make_unique<ArrayOperations>(model, start);
}

}  // namespace mottle::benchmarks

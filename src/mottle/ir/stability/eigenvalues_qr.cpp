// mottle/ir/stability/eigenvalues_qr.cpp: eigenvalues of larger real matrices by the QR algorithm with double shifts (EISPACK: elmhes, hqr)
#include "mottle/core/cancellation.h"
#include "mottle/ir/stability/eigenvalues.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace mottle::ir {

namespace {

using Matrix = std::vector<std::vector<double>>;
using Complex = std::complex<double>;

constexpr std::size_t kMostByPolynomial = 8;  // rows: beyond them its coefficients lose their digits
constexpr int kMostSweeps = 60;               // for one eigenvalue; it takes two or three
constexpr int kExceptional = 10;

/// To Hessenberg form, by elimination with pivots.
void reduce(Matrix& a) {
    const std::size_t n = a.size();
    for (std::size_t m = 1; m + 1 < n; ++m) {
        std::size_t pivot = m;
        for (std::size_t i = m; i < n; ++i) {
            if (std::abs(a[i][m - 1]) > std::abs(a[pivot][m - 1])) pivot = i;
        }
        const double x = a[pivot][m - 1];
        if (pivot != m) {
            std::swap(a[pivot], a[m]);
            for (auto& row : a) std::swap(row[pivot], row[m]);
        }
        if (x == 0) continue;
        for (std::size_t i = m + 1; i < n; ++i) {
            const double y = a[i][m - 1] / x;
            if (y == 0) continue;
            for (std::size_t j = m - 1; j < n; ++j) a[i][j] -= y * a[m][j];
            for (std::size_t j = 0; j < n; ++j) a[j][m] += y * a[j][i];
        }
        for (std::size_t i = m + 1; i < n; ++i) a[i][m - 1] = 0;
    }
}

/// Eigenvalues of a Hessenberg matrix, found from its lower end upwards.
class Deflation {
   public:
    explicit Deflation(Matrix hessenberg) : h_(std::move(hessenberg)) {
        for (std::size_t i = 0; i < h_.size(); ++i) {
            for (std::size_t j = i == 0 ? 0 : i - 1; j < h_.size(); ++j) norm_ += std::abs(h_[i][j]);
        }
    }

    std::vector<Complex> run() {
        std::size_t open = h_.size();  // rows
        int sweeps = 0;
        while (open > 0) {
            const std::size_t last = open - 1, first = first_of_block(last);
            if (first + 1 == last) {
                take_pair(last);
                open -= 2;
                sweeps = 0;
            } else if (first == last || sweeps == kMostSweeps) {  // the latter as near as it came
                found_.emplace_back(h_[last][last] + shift_);
                open -= 1;
                sweeps = 0;
            } else {
                core::cancellation_point();
                sweep(first, last, ++sweeps % kExceptional == 0);
            }
        }
        return found_;
    }

   private:
    /// The row above which the subdiagonal is negligible.
    std::size_t first_of_block(std::size_t last) {
        std::size_t first = last;
        for (; first > 0; --first) {
            double beside = std::abs(h_[first - 1][first - 1]) + std::abs(h_[first][first]);
            if (beside == 0) beside = norm_;
            if (std::abs(h_[first][first - 1]) > std::numeric_limits<double>::epsilon() * beside) continue;
            h_[first][first - 1] = 0;
            break;
        }
        return first;
    }

    void take_pair(std::size_t last) {
        const double x = h_[last][last], y = h_[last - 1][last - 1], w = h_[last][last - 1] * h_[last - 1][last];
        const double p = 0.5 * (y - x), q = p * p + w, z = std::sqrt(std::abs(q)), at = x + shift_;
        if (q >= 0) {
            const double far = p + (p >= 0 ? z : -z);
            found_.emplace_back(at + far);
            found_.emplace_back(far != 0 ? at - w / far : at + far);
        } else {
            found_.emplace_back(at + p, z);
            found_.emplace_back(at + p, -z);
        }
    }

    /// One implicit double step of QR on the block of these rows.
    void sweep(std::size_t first, std::size_t last, bool exceptional) {
        double x = h_[last][last], y = h_[last - 1][last - 1], w = h_[last][last - 1] * h_[last - 1][last];
        if (exceptional) {  // out of a cycle
            shift_ += x;
            for (std::size_t i = 0; i <= last; ++i) h_[i][i] -= x;
            const double s = std::abs(h_[last][last - 1]) + std::abs(h_[last - 1][last - 2]);
            x = y = 0.75 * s;
            w = -0.4375 * s * s;
        }
        double p = 0, q = 0, r = 0;
        std::size_t m = last - 2;
        for (;; --m) {  // two small subdiagonal elements in a row
            const double z = h_[m][m], from_x = x - z, from_y = y - z;
            p = (from_x * from_y - w) / h_[m + 1][m] + h_[m][m + 1];
            q = h_[m + 1][m + 1] - z - from_x - from_y;
            r = h_[m + 2][m + 1];
            const double size = std::abs(p) + std::abs(q) + std::abs(r);
            p /= size, q /= size, r /= size;
            if (m == first) break;
            const double before = std::abs(h_[m][m - 1]) * (std::abs(q) + std::abs(r));
            const double here = std::abs(p) * (std::abs(h_[m - 1][m - 1]) + std::abs(z) + std::abs(h_[m + 1][m + 1]));
            if (before <= std::numeric_limits<double>::epsilon() * here) break;
        }
        for (std::size_t i = m + 2; i <= last; ++i) {
            h_[i][i - 2] = 0;
            if (i > m + 2) h_[i][i - 3] = 0;
        }
        for (std::size_t k = m; k < last; ++k) {
            const bool three = k + 1 < last;
            double size = 1;
            if (k > m) {
                p = h_[k][k - 1], q = h_[k + 1][k - 1], r = three ? h_[k + 2][k - 1] : 0;
                size = std::abs(p) + std::abs(q) + std::abs(r);
                if (size == 0) continue;
                p /= size, q /= size, r /= size;
            }
            const double length = std::sqrt(p * p + q * q + r * r), s = p >= 0 ? length : -length;
            if (s == 0) continue;
            if (k > m)
                h_[k][k - 1] = -s * size;
            else if (first != m)
                h_[k][k - 1] = -h_[k][k - 1];
            reflect(k, first, last, three, {p, q, r}, s);
        }
    }

    /// The Householder reflection of rows and columns k to k + 2.
    void reflect(std::size_t k, std::size_t first, std::size_t last, bool three, const std::array<double, 3>& v, double s) {
        const double p = v[0] + s, x = p / s, y = v[1] / s, z = v[2] / s, q = v[1] / p, r = v[2] / p;
        for (std::size_t j = k; j <= last; ++j) {
            const double part = h_[k][j] + q * h_[k + 1][j] + (three ? r * h_[k + 2][j] : 0);
            if (three) h_[k + 2][j] -= part * z;
            h_[k + 1][j] -= part * y;
            h_[k][j] -= part * x;
        }
        for (std::size_t i = first; i <= std::min(last, k + 3); ++i) {
            const double part = x * h_[i][k] + y * h_[i][k + 1] + (three ? z * h_[i][k + 2] : 0);
            if (three) h_[i][k + 2] -= part * r;
            h_[i][k + 1] -= part * q;
            h_[i][k] -= part;
        }
    }

    Matrix h_;
    double norm_ = 0, shift_ = 0;
    std::vector<Complex> found_;
};

}  // namespace

std::vector<Complex> eigenvalues(const Matrix& a) {
    return a.size() > kMostByPolynomial ? eigenvalues_by_qr(a) : eigenvalues_by_polynomial(a);
}

std::vector<Complex> eigenvalues_by_qr(Matrix a) {
    reduce(a);
    return Deflation(std::move(a)).run();
}

}  // namespace mottle::ir

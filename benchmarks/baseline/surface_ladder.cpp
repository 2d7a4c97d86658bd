// mottle/benchmarks/baseline/surface_ladder.cpp: the rungs of the surface paper's optimisation
#include "baseline/machine.h"
#include "baseline/surface_rows.h"

#include <algorithm>
#include <cmath>

namespace mottle::benchmarks {
namespace {

template <class Real>
struct Vector {
    Real x = 0, y = 0, z = 0;
};
template <class Real>
Vector<Real> operator-(Vector<Real> a, Vector<Real> b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
Vector<Real> operator+(Vector<Real> a, Vector<Real> b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
Vector<Real> operator*(Real s, Vector<Real> a) {
    return {s * a.x, s * a.y, s * a.z};
}
template <class Real>
Real dot(Vector<Real> a, Vector<Real> b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
Vector<Real> cross(Vector<Real> a, Vector<Real> b) {
    return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

std::size_t at(int i) { return static_cast<std::size_t>(i); }

template <class Real>
class Contestant : public SurfaceContestant {
   public:
    using V = Vector<Real>;

    explicit Contestant(const SurfaceProblem& p)
        : D(static_cast<Real>(p.D)),
          alpha(static_cast<Real>(p.alpha)),
          s(static_cast<Real>(p.s)),
          r(static_cast<Real>(p.r)),
          N(static_cast<Real>(p.N)),
          dt(static_cast<Real>(p.dt)),
          field_n(p.n.begin(), p.n.end()),
          field_c(p.c.begin(), p.c.end()),
          next_n(field_n),
          next_c(field_c),
          rows(surface_rows(p)),
          faces(p.faces),
          vertices(static_cast<int>(field_n.size())) {
        for (const auto& x : p.position) position.push_back({static_cast<Real>(x[0]), static_cast<Real>(x[1]), static_cast<Real>(x[2])});
        laplacian.assign(rows.laplacian.begin(), rows.laplacian.end());
        angle.assign(rows.angle.begin(), rows.angle.end());
    }
    void advance(int steps) override {
        const FlushSubnormals flush;
        for (int i = 0; i < steps; ++i) step();
    }
    void read(std::vector<double>& into_n, std::vector<double>& into_c) const override {
        into_n.assign(field_n.begin(), field_n.end());
        into_c.assign(field_c.begin(), field_c.end());
    }

   protected:
    virtual void step() = 0;

    Real rate_n(Real at_n, Real lap_n, Real lap_c, Real product) const {
        return D * lap_n - alpha * at_n * lap_c - alpha * product + s * r * at_n * (N - at_n);
    }
    Real rate_c(Real at_n, Real at_c, Real lap_c) const { return lap_c + s * (at_n / (1 + at_n) - at_c); }
    Real laplacian_of(const std::vector<Real>& f, int i) const {
        Real sum = 0;
        for (int k = rows.first[at(i)]; k < rows.first[at(i) + 1]; ++k) sum += laplacian[at(k)] * (f[at(rows.neighbour[at(k)])] - f[at(i)]);
        return sum;
    }
    V face_gradient(const std::vector<Real>& f, int face) const {
        const auto& t = faces[at(face)];
        const V xi = position[at(t[0])], xj = position[at(t[1])], xk = position[at(t[2])];
        const V normal = cross(xj - xi, xk - xi);
        const Real twice_area = std::sqrt(dot(normal, normal));
        const V unit = (1 / twice_area) * normal;
        return ((f[at(t[1])] - f[at(t[0])]) / twice_area) * cross(unit, xi - xk) +
               ((f[at(t[2])] - f[at(t[0])]) / twice_area) * cross(unit, xj - xi);
    }

    Real D, alpha, s, r, N, dt;
    std::vector<Real> field_n, field_c, next_n, next_c;
    SurfaceRows rows;
    std::vector<std::array<int, 3>> faces;
    int vertices;
    std::vector<V> position;
    std::vector<Real> laplacian, angle;
};

template <class Real>
class Loops final : public Contestant<Real> {
    using Base = Contestant<Real>;
    using V = Vector<Real>;

   public:
    explicit Loops(const SurfaceProblem& p)
        : Base(p),
          lap_n_(p.n.size()),
          lap_c_(p.n.size()),
          grad_n_(p.n.size()),
          grad_c_(p.n.size()),
          face_n_(p.faces.size()),
          face_c_(p.faces.size()) {}

   private:
    void step() override {
        laplacians(this->field_n, lap_n_);
        laplacians(this->field_c, lap_c_);
        face_gradients(this->field_n, face_n_);
        face_gradients(this->field_c, face_c_);
        vertex_gradients(face_n_, grad_n_);
        vertex_gradients(face_c_, grad_c_);
        for (int i = 0; i < this->vertices; ++i) {
            const Real n = this->field_n[at(i)], c = this->field_c[at(i)];
            this->field_n[at(i)] = n + this->dt * this->rate_n(n, lap_n_[at(i)], lap_c_[at(i)], dot(grad_n_[at(i)], grad_c_[at(i)]));
            this->field_c[at(i)] = c + this->dt * this->rate_c(n, c, lap_c_[at(i)]);
        }
    }
    void laplacians(const std::vector<Real>& f, std::vector<Real>& out) {
        for (int i = 0; i < this->vertices; ++i) out[at(i)] = this->laplacian_of(f, i);
    }
    void face_gradients(const std::vector<Real>& f, std::vector<V>& out) {
        for (std::size_t k = 0; k < out.size(); ++k) out[k] = this->face_gradient(f, static_cast<int>(k));
    }
    void vertex_gradients(const std::vector<V>& face, std::vector<V>& out) {
        for (int i = 0; i < this->vertices; ++i) {
            V sum;
            for (int q = this->rows.face_first[at(i)]; q < this->rows.face_first[at(i) + 1]; ++q)
                sum = sum + this->angle[at(q)] * face[at(this->rows.face[at(q)])];
            out[at(i)] = sum;
        }
    }
    std::vector<Real> lap_n_, lap_c_;
    std::vector<V> grad_n_, grad_c_, face_n_, face_c_;
};

template <class Real>
class Fused final : public Contestant<Real> {
    using V = Vector<Real>;

   public:
    explicit Fused(const SurfaceProblem& p)
        : Contestant<Real>(p), lap_n_(p.n.size()), lap_c_(p.n.size()), face_n_(p.faces.size()), face_c_(p.faces.size()) {}

   private:
    void step() override {
        for (int i = 0; i < this->vertices; ++i) {
            lap_n_[at(i)] = this->laplacian_of(this->field_n, i);
            lap_c_[at(i)] = this->laplacian_of(this->field_c, i);
        }
        for (std::size_t k = 0; k < face_n_.size(); ++k) {
            face_n_[k] = this->face_gradient(this->field_n, static_cast<int>(k));
            face_c_[k] = this->face_gradient(this->field_c, static_cast<int>(k));
        }
        for (int i = 0; i < this->vertices; ++i) {
            V gn, gc;
            for (int q = this->rows.face_first[at(i)]; q < this->rows.face_first[at(i) + 1]; ++q) {
                gn = gn + this->angle[at(q)] * face_n_[at(this->rows.face[at(q)])];
                gc = gc + this->angle[at(q)] * face_c_[at(this->rows.face[at(q)])];
            }
            const Real n = this->field_n[at(i)], c = this->field_c[at(i)];
            this->field_n[at(i)] = n + this->dt * this->rate_n(n, lap_n_[at(i)], lap_c_[at(i)], dot(gn, gc));
            this->field_c[at(i)] = c + this->dt * this->rate_c(n, c, lap_c_[at(i)]);
        }
    }
    std::vector<Real> lap_n_, lap_c_;
    std::vector<V> face_n_, face_c_;
};

template <class Real>
class OneLoop final : public Contestant<Real> {
    using V = Vector<Real>;

   public:
    OneLoop(const SurfaceProblem& p, bool swaps) : Contestant<Real>(p), swaps_(swaps) {}

   private:
    void step() override {
        for (int i = 0; i < this->vertices; ++i) {
            V gn, gc;
            for (int q = this->rows.face_first[at(i)]; q < this->rows.face_first[at(i) + 1]; ++q) {
                const int face = this->rows.face[at(q)];
                gn = gn + this->angle[at(q)] * this->face_gradient(this->field_n, face);
                gc = gc + this->angle[at(q)] * this->face_gradient(this->field_c, face);
            }
            const Real n = this->field_n[at(i)], c = this->field_c[at(i)], lap_c = this->laplacian_of(this->field_c, i);
            this->next_n[at(i)] = n + this->dt * this->rate_n(n, this->laplacian_of(this->field_n, i), lap_c, dot(gn, gc));
            this->next_c[at(i)] = c + this->dt * this->rate_c(n, c, lap_c);
        }
        if (swaps_) {
            this->field_n.swap(this->next_n);
            this->field_c.swap(this->next_c);
        } else {
            std::copy(this->next_n.begin(), this->next_n.end(), this->field_n.begin());
            std::copy(this->next_c.begin(), this->next_c.end(), this->field_c.begin());
        }
    }
    bool swaps_;
};

/// One-ring rows over local copies: a patch is loaded with its halo, computed, and written back.
template <class Real>
class Patches final : public Contestant<Real> {
   public:
    Patches(const SurfaceProblem& p, int patch) : Contestant<Real>(p) {
        const std::vector<int> part = metis_patches(this->rows, patch);
        patches_.resize(at(*std::max_element(part.begin(), part.end()) + 1));
        for (int v = 0; v < this->vertices; ++v) patches_[at(part[at(v)])].vertex.push_back(v);
        std::vector<int> local(at(this->vertices), -1);
        for (Patch& own : patches_) {
            own.owned = static_cast<int>(own.vertex.size());
            for (int k = 0; k < own.owned; ++k) local[at(own.vertex[at(k)])] = k;
            own.first.assign(1, 0);
            for (int k = 0; k < own.owned; ++k) {
                const int v = own.vertex[at(k)];
                for (int e = this->rows.first[at(v)]; e < this->rows.first[at(v) + 1]; ++e) {
                    const int j = this->rows.neighbour[at(e)];
                    if (local[at(j)] < 0) {
                        local[at(j)] = static_cast<int>(own.vertex.size());
                        own.vertex.push_back(j);
                    }
                    own.entries.push_back({local[at(j)], static_cast<Real>(this->rows.laplacian[at(e)]),
                                           static_cast<Real>(this->rows.gx[at(e)]), static_cast<Real>(this->rows.gy[at(e)]),
                                           static_cast<Real>(this->rows.gz[at(e)])});
                }
                own.first.push_back(static_cast<int>(own.entries.size()));
            }
            for (const int v : own.vertex) local[at(v)] = -1;
            largest_ = std::max(largest_, own.vertex.size());
        }
        local_n_.resize(largest_);
        local_c_.resize(largest_);
    }
    double halo() const {
        double all = 0;
        for (const Patch& own : patches_) all += static_cast<double>(own.vertex.size());
        return all / this->vertices - 1;
    }

   private:
    struct Entry {
        int neighbour;
        Real w, x, y, z;
    };
    struct Patch {
        std::vector<int> vertex, first;
        std::vector<Entry> entries;
        int owned = 0;
    };
    void step() override {
        for (const Patch& own : patches_) {
            for (std::size_t k = 0; k < own.vertex.size(); ++k) {
                local_n_[k] = this->field_n[at(own.vertex[k])];
                local_c_[k] = this->field_c[at(own.vertex[k])];
            }
            for (int k = 0; k < own.owned; ++k) {
                const Real n = local_n_[at(k)], c = local_c_[at(k)];
                Real ln = 0, lc = 0, nx = 0, ny = 0, nz = 0, cx = 0, cy = 0, cz = 0;
                for (int e = own.first[at(k)]; e < own.first[at(k) + 1]; ++e) {
                    const Entry& entry = own.entries[at(e)];
                    const Real dn = local_n_[at(entry.neighbour)] - n, dc = local_c_[at(entry.neighbour)] - c;
                    ln += entry.w * dn, lc += entry.w * dc;
                    nx += entry.x * dn, ny += entry.y * dn, nz += entry.z * dn;
                    cx += entry.x * dc, cy += entry.y * dc, cz += entry.z * dc;
                }
                this->next_n[at(own.vertex[at(k)])] = n + this->dt * this->rate_n(n, ln, lc, nx * cx + ny * cy + nz * cz);
                this->next_c[at(own.vertex[at(k)])] = c + this->dt * this->rate_c(n, c, lc);
            }
        }
        this->field_n.swap(this->next_n);
        this->field_c.swap(this->next_c);
    }
    std::vector<Patch> patches_;
    std::vector<Real> local_n_, local_c_;
    std::size_t largest_ = 0;
};

/// Rows padded to the longest of their block of kBlock vertices, entry by entry; fields apart or side by side.
template <class Real, bool kPairs>
class Ell final : public Contestant<Real> {
    static constexpr int kBlock = 16;

   public:
    explicit Ell(const SurfaceProblem& p) : Contestant<Real>(p) {
        const int blocks = (this->vertices + kBlock - 1) / kBlock;
        first_.assign(1, 0);
        for (int b = 0; b < blocks; ++b) {
            int longest = 0;
            for (int l = 0; l < kBlock; ++l) {
                const int v = b * kBlock + l;
                if (v < this->vertices) longest = std::max(longest, this->rows.first[at(v) + 1] - this->rows.first[at(v)]);
            }
            for (int k = 0; k < longest; ++k) {
                for (int l = 0; l < kBlock; ++l) {
                    const int v = b * kBlock + l;
                    const int e = v < this->vertices ? this->rows.first[at(v)] + k : -1;
                    const bool real = e >= 0 && e < this->rows.first[at(v) + 1];
                    neighbour_.push_back(real ? this->rows.neighbour[at(e)] : std::min(v, this->vertices - 1));
                    for (auto [out, in] : {std::pair(&w_, &this->rows.laplacian), std::pair(&x_, &this->rows.gx),
                                           std::pair(&y_, &this->rows.gy), std::pair(&z_, &this->rows.gz)}) {
                        out->push_back(real ? static_cast<Real>((*in)[at(e)]) : Real(0));
                    }
                }
            }
            first_.push_back(static_cast<int>(neighbour_.size()));
        }
        if (kPairs) {
            pair_.resize(2 * this->field_n.size());
            for (std::size_t i = 0; i < this->field_n.size(); ++i) {
                pair_[2 * i] = this->field_n[i];
                pair_[2 * i + 1] = this->field_c[i];
            }
            next_ = pair_;
        }
    }
    void read(std::vector<double>& into_n, std::vector<double>& into_c) const override {
        if (!kPairs) return Contestant<Real>::read(into_n, into_c);
        into_n.resize(this->field_n.size());
        into_c.resize(this->field_n.size());
        for (std::size_t i = 0; i < into_n.size(); ++i) {
            into_n[i] = pair_[2 * i];
            into_c[i] = pair_[2 * i + 1];
        }
    }

   private:
    Real value_n(int i) const { return kPairs ? pair_[2 * at(i)] : this->field_n[at(i)]; }
    Real value_c(int i) const { return kPairs ? pair_[2 * at(i) + 1] : this->field_c[at(i)]; }

    void step() override {
        for (int b = 0; b + 1 < static_cast<int>(first_.size()); ++b) {
            const int v0 = b * kBlock, count = std::min(kBlock, this->vertices - v0);
            Real n[kBlock], c[kBlock], sum[8][kBlock] = {};
            for (int l = 0; l < kBlock; ++l) {
                n[l] = value_n(std::min(v0 + l, this->vertices - 1));
                c[l] = value_c(std::min(v0 + l, this->vertices - 1));
            }
            for (int e = first_[at(b)]; e < first_[at(b) + 1]; e += kBlock) {
                for (int l = 0; l < kBlock; ++l) {
                    const int j = neighbour_[at(e + l)];
                    const Real dn = value_n(j) - n[l], dc = value_c(j) - c[l];
                    const Real w = w_[at(e + l)], x = x_[at(e + l)], y = y_[at(e + l)], z = z_[at(e + l)];
                    sum[0][l] += w * dn, sum[1][l] += w * dc;
                    sum[2][l] += x * dn, sum[3][l] += y * dn, sum[4][l] += z * dn;
                    sum[5][l] += x * dc, sum[6][l] += y * dc, sum[7][l] += z * dc;
                }
            }
            for (int l = 0; l < count; ++l) {
                const Real new_n = n[l] + this->dt * this->rate_n(n[l], sum[0][l], sum[1][l],
                                                                  sum[2][l] * sum[5][l] + sum[3][l] * sum[6][l] + sum[4][l] * sum[7][l]);
                const Real new_c = c[l] + this->dt * this->rate_c(n[l], c[l], sum[1][l]);
                if (kPairs) {
                    next_[2 * at(v0 + l)] = new_n;
                    next_[2 * at(v0 + l) + 1] = new_c;
                } else {
                    this->next_n[at(v0 + l)] = new_n;
                    this->next_c[at(v0 + l)] = new_c;
                }
            }
        }
        pair_.swap(next_);
        this->field_n.swap(this->next_n);
        this->field_c.swap(this->next_c);
    }
    std::vector<int> first_, neighbour_;
    std::vector<Real> w_, x_, y_, z_, pair_, next_;
};

}  // namespace

const char* name_of(Rung rung) {
    switch (rung) {
        case Rung::loops:
            return "seven loops";
        case Rung::fused:
            return "fusion 1: three loops";
        case Rung::one_loop:
            return "fusion 2: one loop";
        case Rung::double_buffer:
            return "fusion 3: double buffer";
        case Rung::patches:
            return "METIS patches of 512, local copies";
        case Rung::ell:
            return "padded rows (ELL)";
        case Rung::pairs:
            return "padded rows, fields in pairs";
    }
    return "";
}

template <class Real>
std::unique_ptr<SurfaceContestant> make_rung(Rung rung, const SurfaceProblem& problem, int patch) {
    switch (rung) {
        case Rung::loops:
            return std::make_unique<Loops<Real>>(problem);
        case Rung::fused:
            return std::make_unique<Fused<Real>>(problem);
        case Rung::one_loop:
            return std::make_unique<OneLoop<Real>>(problem, false);
        case Rung::double_buffer:
            return std::make_unique<OneLoop<Real>>(problem, true);
        case Rung::patches:
            return MOTTLE_HAVE_METIS ? std::make_unique<Patches<Real>>(problem, patch) : nullptr;
        case Rung::ell:
            return std::make_unique<Ell<Real, false>>(problem);
        case Rung::pairs:
            return std::make_unique<Ell<Real, true>>(problem);
    }
    return nullptr;
}
template std::unique_ptr<SurfaceContestant> make_rung<float>(Rung, const SurfaceProblem&, int);
template std::unique_ptr<SurfaceContestant> make_rung<double>(Rung, const SurfaceProblem&, int);

double halo_share(const SurfaceProblem& problem, int patch) { return MOTTLE_HAVE_METIS ? Patches<float>(problem, patch).halo() : 0; }

}  // namespace mottle::benchmarks

// tests/oracle/language/surface_steps.h: steps a model on a triangle mesh in plain f64 loops, as docs/numerics.md defines it; includes nothing of Mottle
#pragma once
#include "oracle/language/expression.h"
#include "oracle/language/model_steps.h"
#include "oracle/language/model_text.h"
#include "oracle/plain_mesh.h"
#include "oracle/plain_noise.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace language {

class SurfaceSteps {
   public:
    using Cells = std::vector<double>;  ///< by vertex

    /// `mesh`: in the lengths of the equations; `number`: of each vertex in its file.
    SurfaceSteps(const ModelText& model, plain::PlainMesh mesh, std::vector<std::uint32_t> number)
        : model_(model), mesh_(std::move(mesh)), number_(std::move(number)), mass_(mesh_.position.size()) {
        for (const plain::Face& face : mesh_.faces) {
            const auto at = [&](std::size_t c) { return mesh_.position[static_cast<std::size_t>(face[c])]; };
            const double area = plain::length(plain::cross(plain::minus(at(1), at(0)), plain::minus(at(2), at(0)))) / 2;
            for (const int v : face) mass_[static_cast<std::size_t>(v)] += area / 3;
            const auto half_cotangent = [&](int c) { return 0.5 / std::tan(plain::angle(mesh_, face, c)); };
            half_cotangents_.push_back({half_cotangent(0), half_cotangent(1), half_cotangent(2)});
        }
        find_loops();
        int whites = 0;
        for (const Named& definition : model.definitions) trees_[definition.name] = Parser(definition.text, whites).whole();
        for (const FieldText& field : model.fields) rates_.push_back(Parser(field.rate, whites).whole());
        for (const Named& number_text : model.numbers) numbers_[number_text.name] = std::strtod(number_text.text.c_str(), nullptr);
        for (const Named& map : model.maps) maps_[map.name] = values(*Parser(map.text, whites).whole());
    }

    std::vector<Cells> start() {
        std::vector<Cells> state;
        int none = 0;
        for (const FieldText& field : model_.fields) state.push_back(values(*Parser(field.initial, none).whole()));
        return state;
    }
    std::vector<Cells> run(const std::vector<Cells>& state) { return ModelSteps(*this, model_).run(state); }

    // what ModelSteps asks for
    void at_step(int step) { step_ = step; }
    std::vector<double> linear_terms(std::size_t f, bool inside) const {
        return LinearTerms({numbers_, trees_}, model_.fields[f].name, inside).of(*rates_[f]);
    }
    std::vector<Cells> rate(const std::vector<Cells>& state, double t) {
        state_ = &state;
        time_ = t;
        std::vector<Cells> rates;
        for (const Tree& tree : rates_) rates.push_back(values(*tree));
        return rates;
    }
    Cells laplacian(std::size_t, const Cells& cells, double) const { return laplacian(cells); }
    /// (M + k L) x = M cells by the full matrix.
    Cells solved(std::size_t f, double k, Cells cells, double, bool) {
        auto& known = solvers_[f];
        if (known.empty()) {
            Matrix matrix;
            for (std::size_t j = 0; j < count(); ++j) {
                Row single(count());
                single[j] = 1;
                matrix.push_back(laplacian(single));  // a column
            }
            Matrix system(count(), Row(count()));
            for (std::size_t i = 0; i < count(); ++i) {
                for (std::size_t j = 0; j < count(); ++j) system[i][j] = mass_[i] * ((i == j ? 1 : 0) - k * matrix[j][i]);
            }
            known.emplace_back(std::move(system));
        }
        for (std::size_t i = 0; i < count(); ++i) cells[i] *= mass_[i];
        return known[0].solve(cells);
    }
    /// With the values that loops prescribe at time t.
    std::vector<Cells> mended(std::vector<Cells> state, double t) {
        time_ = t;
        for (std::size_t f = 0; f < state.size(); ++f) {
            const auto& own = model_.fields[f].loops;
            const std::vector<Border>& rules = own ? *own : model_.loops;
            for (std::size_t i = 0; i < rules.size(); ++i) {
                if (rules[i].rule != words::value) continue;
                int none = 0;
                const double c = values(*Parser(rules[i].numbers[0], none).whole())[0];
                for (const std::size_t v : loops_.at(i)) state[f][v] = c;
            }
        }
        return state;
    }

   private:
    std::size_t count() const { return mesh_.position.size(); }
    /// The pieces into which the edges with one face fall apart, by their lowest number in the file.
    void find_loops() {
        std::map<std::array<int, 2>, int> faces_at;
        for (const plain::Face& face : mesh_.faces) {
            for (std::size_t c = 0; c < 3; ++c) ++faces_at[{std::min(face[c], face[(c + 1) % 3]), std::max(face[c], face[(c + 1) % 3])}];
        }
        std::map<int, int> piece;  // of a vertex: the lowest vertex that it is known to hang together with
        for (std::size_t round = 0; round < count(); ++round) {
            for (const auto& [edge, faces] : faces_at) {
                if (faces != 1) continue;
                for (const int v : edge) piece.try_emplace(v, v);
                piece[edge[0]] = piece[edge[1]] = std::min(piece[edge[0]], piece[edge[1]]);
            }
        }
        std::map<int, std::vector<std::size_t>> pieces;
        for (const auto& [vertex, of] : piece) pieces[of].push_back(static_cast<std::size_t>(vertex));
        for (auto& [of, vertices] : pieces) loops_.push_back(std::move(vertices));
        const auto lowest = [&](const std::vector<std::size_t>& loop) {
            std::uint32_t found = number_[loop[0]];
            for (const std::size_t v : loop) found = std::min(found, number_[v]);
            return found;
        };
        std::sort(loops_.begin(), loops_.end(), [&](const auto& a, const auto& b) { return lowest(a) < lowest(b); });
    }
    template <class Function>
    Cells each(Function&& function) const {
        Cells cells(count());
        for (std::size_t i = 0; i < cells.size(); ++i) cells[i] = function(i);
        return cells;
    }

    /// (1/m_i) sum over edges of w_ij (D_i + D_j)/2 (f_j - f_i).
    Cells divergence(const Cells& d, const Cells& f) const {
        Cells sum(count());
        for (std::size_t k = 0; k < mesh_.faces.size(); ++k) {
            for (std::size_t c = 0; c < 3; ++c) {
                const plain::Face& face = mesh_.faces[k];
                const auto i = static_cast<std::size_t>(face[(c + 1) % 3]), j = static_cast<std::size_t>(face[(c + 2) % 3]);
                const double weight = half_cotangents_[k][c] * (d[i] + d[j]) / 2;
                sum[i] += weight * (f[j] - f[i]);
                sum[j] += weight * (f[i] - f[j]);
            }
        }
        return each([&](std::size_t i) { return sum[i] / mass_[i]; });
    }
    Cells laplacian(const Cells& f) const { return divergence(Cells(count(), 1), f); }

    static bool contains_gradient(const Node& node) {
        return (node.form == Form::call && node.word == words::grad) ||
               std::any_of(node.args.begin(), node.args.end(), [](const Tree& arg) { return contains_gradient(*arg); });
    }
    /// The operand of the gradient in `vector`; `scale` becomes the product of what stands beside it.
    const Node& split(const Node& vector, Cells& scale) {
        if (vector.word == words::grad) return *vector.args[0];
        const bool right = contains_gradient(*vector.args[1]);
        const Cells factor = values(*vector.args[right ? 0 : 1]);
        for (std::size_t i = 0; i < scale.size(); ++i) scale[i] *= factor[i];
        return split(*vector.args[right ? 1 : 0], scale);
    }
    Cells product_of(const Node& a, const Node& b) {
        Cells scale(count(), 1);
        const auto f = plain::gradient(mesh_, values(split(a, scale))), g = plain::gradient(mesh_, values(split(b, scale)));
        return each([&](std::size_t i) { return scale[i] * plain::dot(f[i], g[i]); });
    }
    double integral(const Node& node) {
        const Cells cells = values(node);
        long double sum = 0;
        for (std::size_t i = 0; i < cells.size(); ++i) sum += static_cast<long double>(cells[i]) * mass_[i];
        return static_cast<double>(sum);
    }

    Cells values(const Node& node) {
        if (node.form == Form::number) return Cells(count(), node.number);
        return node.form == Form::name ? named(node.word) : called(node);
    }
    Cells named(Word name) {
        for (std::size_t f = 0; f < model_.fields.size(); ++f) {
            if (model_.fields[f].name == name.text()) return (*state_)[f];
        }
        if (const auto number = numbers_.find(name); number != numbers_.end()) return Cells(count(), number->second);
        if (const auto map = maps_.find(name); map != maps_.end()) return map->second;
        if (const auto definition = trees_.find(name); definition != trees_.end()) return values(*definition->second);
        if (name == words::t) return Cells(count(), time_);
        const std::size_t lower = std::string("xyz").find(name.text()), upper = std::string("XYZ").find(name.text());
        if (name.text().size() != 1 || (lower > 2 && upper > 2)) throw std::runtime_error("the oracle knows no '" + name.text() + "'");
        const std::size_t d = std::min(lower, upper);
        double lo = INFINITY, hi = -INFINITY;
        for (const plain::Vector& p : mesh_.position) {
            lo = std::min(lo, p[d]);
            hi = std::max(hi, p[d]);
        }
        return each([&](std::size_t i) {
            const double at = mesh_.position[i][d];
            return lower < 3 ? at : hi > lo ? (at - lo) / (hi - lo) : 0;
        });
    }
    Cells called(const Node& node) {
        const Word f = node.word;
        if (f == words::lap) return laplacian(values(*node.args[0]));
        if (f == words::bilap) return laplacian(laplacian(values(*node.args[0])));
        if (f == words::div) {
            Cells scale(count(), 1);
            const Node& potential = split(*node.args[0], scale);
            return divergence(scale, values(potential));
        }
        if (f == words::norm2) return product_of(*node.args[0], *node.args[0]);
        if (f == words::dot) return product_of(*node.args[0], *node.args[1]);
        if (f == words::integral) return Cells(count(), integral(*node.args[0]));
        if (f == words::mean) {
            double area = 0;
            for (const double m : mass_) area += m;
            return Cells(count(), integral(*node.args[0]) / area);
        }
        if (f == words::white) {
            return each([&](std::size_t i) {
                constexpr std::uint32_t kRow = 1u << 20;
                return plain::normal(model_.seed, static_cast<std::uint64_t>(step_), number_[i] % kRow, number_[i] / kRow, 0,
                                     static_cast<std::uint32_t>(node.white)) /
                       std::sqrt(model_.dt * mass_[i]);
            });
        }
        std::vector<Cells> args;
        for (const Tree& arg : node.args) args.push_back(values(*arg));
        return each([&](std::size_t i) {
            if (f == words::where) return args[0][i] != 0 ? args[1][i] : args[2][i];
            return elementary(f, args[0][i], args.size() > 1 ? args[1][i] : 0);
        });
    }

    const ModelText& model_;
    plain::PlainMesh mesh_;
    std::vector<std::uint32_t> number_;
    Cells mass_;
    std::vector<std::array<double, 3>> half_cotangents_;  ///< by face and corner
    std::vector<std::vector<std::size_t>> loops_;
    std::map<std::size_t, std::vector<Eliminated>> solvers_;  ///< by field, once it is asked for
    std::map<Word, Tree> trees_;
    std::vector<Tree> rates_;
    std::map<Word, double> numbers_;
    std::map<Word, Cells> maps_;
    const std::vector<Cells>* state_ = nullptr;
    double time_ = 0;
    int step_ = 0;
};

}  // namespace language

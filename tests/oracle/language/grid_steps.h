// tests/oracle/language/grid_steps.h: steps a model on a grid in plain f64 loops, as docs/numerics.md and docs/model-language.md define it; includes nothing of Mottle
#pragma once
#include "oracle/language/expression.h"
#include "oracle/language/model_steps.h"
#include "oracle/language/model_text.h"
#include "oracle/plain_noise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace language {

using Cells = std::vector<double>;  ///< x fastest

/// A cell, or a ghost one or two beyond the border.
using Cell = std::array<int, 3>;

class GridSteps {
   public:
    explicit GridSteps(const ModelText& model) : model_(model) {
        int whites = 0;
        for (const Named& definition : model.definitions) trees_[definition.name] = Parser(definition.text, whites).whole();
        for (const FieldText& field : model.fields) {
            rates_.push_back(Parser(field.rate, whites).whole());
            fields_.push_back(std::make_shared<const Node>(Node{Form::name, field.name}));
        }
        for (const Named& number : model.numbers) numbers_[number.name] = std::strtod(number.text.c_str(), nullptr);
        for (const Named& map : model.maps) {
            const Tree tree = kept_.emplace_back(Parser(map.text, whites).whole());
            Cells cells(count());
            each([&](const Cell& c) { cells[index(c)] = value(*tree, c); });
            maps_[map.name] = std::move(cells);
        }
    }

    std::size_t count() const { return static_cast<std::size_t>(model_.size[0] * model_.size[1] * model_.size[2]); }
    std::vector<Cells> start() {
        std::vector<Cells> state;
        int none = 0;
        for (const FieldText& field : model_.fields) {
            const Tree tree = kept_.emplace_back(Parser(field.initial, none).whole());
            Cells cells(count());
            each([&](const Cell& c) { cells[index(c)] = value(*tree, c); });
            state.push_back(std::move(cells));
        }
        return state;
    }
    std::vector<Cells> run(const std::vector<Cells>& state) { return ModelSteps(*this, model_).run(state); }

    // what ModelSteps asks for
    void at_step(int step) { step_ = step; }
    std::vector<double> linear_terms(std::size_t f, bool inside) const {
        return LinearTerms({numbers_, trees_}, model_.fields[f].name, inside).of(*rates_[f]);
    }
    std::vector<Cells> mended(std::vector<Cells> state, double) const { return state; }
    std::vector<Cells> rate(const std::vector<Cells>& state, double t) {
        look_at(state, t);
        std::vector<Cells> rates;
        for (const Tree& tree : rates_) {
            Cells cells(count());
            each([&](const Cell& c) { cells[index(c)] = value(*tree, c); });
            rates.push_back(std::move(cells));
        }
        return rates;
    }
    Cells laplacian(std::size_t f, const Cells& cells, double t) {
        std::vector<Cells> state(model_.fields.size(), cells);
        look_at(state, t);
        Cells made(count());
        each([&](const Cell& c) { made[index(c)] = lap(*fields_[f], c); });
        return made;
    }
    /// One axis after the other, each line with its full matrix: beyond its ends lies alpha + beta times the last cell, of rates without alpha.
    Cells solved(std::size_t f, double k, Cells cells, double t, bool of_rates) {
        time_ = t;
        const Borders& borders = borders_of(static_cast<int>(f));
        for (std::size_t d = 0; d < 3; ++d) {
            const auto n = static_cast<std::size_t>(model_.size[d]);
            if (n == 1) continue;
            const double a = k / (model_.spacing[d] * model_.spacing[d]);
            Matrix matrix(n, Row(n));
            Row beside(n);
            for (std::size_t i = 0; i < n; ++i) {
                matrix[i][i] += 1 + 2 * a;
                for (const bool up : {false, true}) {
                    const Border& border = borders[2 * d + (up ? 1 : 0)];
                    if (i != (up ? n - 1 : 0) || border.rule == words::periodic) {
                        matrix[i][(i + (up ? 1 : n - 1)) % n] -= a;
                        continue;
                    }
                    const auto [alpha, beta] = ghost_of(border, model_.spacing[d]);
                    matrix[i][i] -= a * beta;
                    beside[i] += of_rates ? 0 : a * alpha;
                }
            }
            const Eliminated lines(matrix);
            each([&](const Cell& c) {
                if (c[d] != 0) return;
                Row line(n);
                for (std::size_t i = 0; i < n; ++i) line[i] = cells[index(moved(c, d, static_cast<int>(i)))] + beside[i];
                line = lines.solve(line);
                for (std::size_t i = 0; i < n; ++i) cells[index(moved(c, d, static_cast<int>(i)))] = line[i];
            });
        }
        return cells;
    }

   private:
    /// Values of an expression that are formed for the whole grid first, and what lies beyond its borders.
    struct Held {
        Cells cells;
        std::array<Word, 6> rules;  ///< homogeneous
        std::array<std::array<double, 3>, 6> numbers{};
    };

    template <class Use>
    void each(Use&& use) const {
        for (int z = 0; z < model_.size[2]; ++z) {
            for (int y = 0; y < model_.size[1]; ++y) {
                for (int x = 0; x < model_.size[0]; ++x) use(Cell{x, y, z});
            }
        }
    }
    std::size_t index(const Cell& c) const { return static_cast<std::size_t>((c[2] * model_.size[1] + c[1]) * model_.size[0] + c[0]); }

    void look_at(const std::vector<Cells>& state, double t) {
        state_ = &state;
        time_ = t;
        held_.clear();
        means_.clear();
    }

    int field_of(Word name) const {
        for (std::size_t f = 0; f < fields_.size(); ++f) {
            if (fields_[f]->word == name) return static_cast<int>(f);
        }
        return -1;
    }
    const Borders& borders_of(int field) const {
        const auto& own = model_.fields[static_cast<std::size_t>(field)].borders;
        return own ? *own : model_.borders;
    }
    /// Numbers of borders depend on t alone.
    double number(const std::string& text) {
        int none = 0;
        Tree& tree = numbers_of_borders_[text];
        if (!tree) tree = Parser(text, none).whole();
        return value(*tree, {0, 0, 0});
    }

    /// What lies at `c`, of cells whose ghosts follow `rule(side)` with `numbers(side)`. Ghosts of x come first, then those of y over whole rows, then z.
    template <class Rule, class Numbers>
    double beyond(const Cells& cells, Cell c, const Rule& rule, const Numbers& numbers) {
        for (int axis = 2; axis >= 0; --axis) {
            const auto d = static_cast<std::size_t>(axis);
            const int n = model_.size[d];
            if (c[d] >= 0 && c[d] < n) continue;
            const std::size_t side = 2 * d + (c[d] < 0 ? 0 : 1);
            const int depth = c[d] < 0 ? -1 - c[d] : c[d] - n;
            Cell mirror = c, wrapped = c;
            mirror[d] = c[d] < 0 ? depth : n - 1 - depth;
            wrapped[d] = c[d] < 0 ? n - 1 - depth : depth;
            const Word name = rule(side);
            if (name == words::periodic) return beyond(cells, wrapped, rule, numbers);
            const double inside = beyond(cells, mirror, rule, numbers), h = (2 * depth + 1) * model_.spacing[d];
            if (name == words::no_flux || name == words::still) return inside;
            const auto [alpha, beta] = ghost_of(name, numbers(side), h);
            return alpha + beta * inside;
        }
        return cells[index(c)];
    }
    /// What lies beyond a border is alpha + beta times the cell on the other side, `h` away.
    struct Ghost {
        double alpha, beta;
    };
    static Ghost ghost_of(Word rule, const std::array<double, 3>& a, double h) {
        if (rule == words::value) return {2 * a[0], -1};
        if (rule == words::outside) return {a[0], 0};
        if (rule == words::flux) return {h * a[0], 1};
        if (rule != words::robin) return {0, 1};
        const double e = a[1] / h;  // a f + b df/dn = c on the face
        return {a[2] / (e + a[0] / 2), (e - a[0] / 2) / (e + a[0] / 2)};
    }
    Ghost ghost_of(const Border& border, double h) { return ghost_of(border.rule, numbers_of(border), h); }
    std::array<double, 3> numbers_of(const Border& border) {
        std::array<double, 3> numbers{};
        for (std::size_t i = 0; i < border.numbers.size(); ++i) numbers[i] = number(border.numbers[i]);
        return numbers;
    }
    double field_at(int field, const Cell& c) {
        const Borders& borders = borders_of(field);
        return beyond((*state_)[static_cast<std::size_t>(field)], c, [&](std::size_t side) { return borders[side].rule; },
                      [&](std::size_t side) { return numbers_of(borders[side]); });
    }

    /// Maps and coordinates beyond the border: as the grid's own rule has it.
    Cell brought_inside(Cell c) const {
        for (std::size_t d = 0; d < 3; ++d) {
            const int n = model_.size[d];
            if (c[d] >= 0 && c[d] < n) continue;
            const bool wraps = model_.borders[2 * d + (c[d] < 0 ? 0 : 1)].rule == words::periodic;
            c[d] = wraps ? (c[d] + n) % n : c[d] < 0 ? -1 - c[d] : 2 * n - 1 - c[d];
        }
        return c;
    }

    /// Those whose borders count: of a sum over all cells none do.
    const std::set<int>& fields_of(const Node& node) const {
        const auto [known, fresh] = fields_in_.try_emplace(&node);
        if (fresh) fields_in(node, known->second);
        return known->second;
    }
    void fields_in(const Node& node, std::set<int>& found) const {
        if (node.form == Form::call && (node.word == words::mean || node.word == words::integral)) return;
        if (node.form == Form::name) {
            if (const int field = field_of(node.word); field >= 0) found.insert(field);
            if (const auto defined = trees_.find(node.word); defined != trees_.end()) fields_in(*defined->second, found);
        }
        for (const Tree& arg : node.args) fields_in(*arg, found);
    }
    bool has_operator(const Node& node) const {
        static const std::set<Word> kOperators = {"lap", "bilap", "dx", "dy", "dz", "dot", "norm2", "div"};
        if (node.form == Form::call && kOperators.contains(node.word)) return true;
        if (node.form == Form::name && trees_.contains(node.word)) return has_operator(*trees_.at(node.word));
        return std::any_of(node.args.begin(), node.args.end(), [&](const Tree& arg) { return has_operator(*arg); });
    }

    /// Whether `node` is one number for all cells.
    bool is_uniform(const Node& node) const {
        if (node.form == Form::call && (node.word == words::mean || node.word == words::integral)) return true;
        if (node.form == Form::call && node.word == words::white) return false;
        if (node.form == Form::name) {
            if (const auto defined = trees_.find(node.word); defined != trees_.end()) return is_uniform(*defined->second);
            return numbers_.contains(node.word) || node.word == words::t || node.word == words::pi;
        }
        return std::all_of(node.args.begin(), node.args.end(), [&](const Tree& arg) { return is_uniform(*arg); });
    }

    /// `node`, formed for all cells first.
    const Held& held(const Node& node) {
        const auto known = held_.find(&node);
        if (known != held_.end()) return known->second;
        Held made;
        made.cells.resize(count());
        each([&](const Cell& c) { made.cells[index(c)] = value(node, c); });
        const std::set<int>& fields = fields_of(node);
        for (std::size_t side = 0; side < 6; ++side) {
            std::set<std::string> rules;
            for (const int field : fields) {
                const Border& border = borders_of(field)[side];
                rules.insert(border.rule.text() + (border.rule == words::robin ? border.numbers[0] + "," + border.numbers[1] : ""));
            }
            const Border& border = fields.empty() ? model_.borders[side] : borders_of(*fields.begin())[side];
            made.rules[side] = rules.size() == 1 || (fields.empty() && border.rule == words::periodic) ? border.rule : words::no_flux;
            if (made.rules[side] == words::flux) made.rules[side] = words::no_flux;
            if (made.rules[side] == words::robin) {
                made.numbers[side] = numbers_of(border);
                made.numbers[side][2] = 0;
            }
        }
        return held_[&node] = std::move(made);
    }
    double held_at(const Held& values, const Cell& c) {
        return beyond(
            values.cells, c, [&](std::size_t side) { return values.rules[side]; }, [&](std::size_t side) { return values.numbers[side]; });
    }

    /// What an operator at `c` sees at `there` of its argument.
    double seen(const Node& argument, const Cell& c, const Cell& there) {
        for (const int field : fields_of(argument)) {
            for (std::size_t side = 0; side < 6; ++side) {
                const std::size_t d = side / 2;
                if (borders_of(field)[side].rule == words::still && c[d] == (side % 2 == 0 ? 0 : model_.size[d] - 1))
                    return seen_from(argument, c);
            }
        }
        return seen_from(argument, there);
    }
    double seen_from(const Node& argument, const Cell& there) {
        const auto [known, fresh] = has_operator_.try_emplace(&argument, false);
        if (fresh) known->second = has_operator(argument);
        return known->second ? held_at(held(argument), there) : value(argument, there);
    }
    Cell moved(const Cell& c, std::size_t axis, int by) const {
        Cell there = c;
        there[axis] += by;
        return there;
    }
    bool used(std::size_t axis) const { return model_.size[axis] > 1; }

    double lap(const Node& argument, const Cell& c) {
        const double here = seen_from(argument, c);
        if (model_.nine) {
            double sum = 0;
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    if (dx != 0 || dy != 0) sum += (dx == 0 || dy == 0 ? 4 : 1) * seen(argument, c, {c[0] + dx, c[1] + dy, c[2]});
                }
            }
            return (sum - 20 * here) / (6 * model_.spacing[0] * model_.spacing[0]);
        }
        double sum = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            if (!used(d)) continue;
            sum += (seen(argument, c, moved(c, d, 1)) + seen(argument, c, moved(c, d, -1)) - 2 * here) /
                   (model_.spacing[d] * model_.spacing[d]);
        }
        return sum;
    }
    double slope(const Node& argument, const Cell& c, std::size_t d) {
        if (!used(d)) return 0;
        return (seen(argument, c, moved(c, d, 1)) - seen(argument, c, moved(c, d, -1))) / (2 * model_.spacing[d]);
    }
    /// The gradient in `vector`, and the product of what stands beside it.
    static const Node* split(const Node& vector, std::vector<const Node*>& factors) {
        if (vector.form == Form::call && vector.word == words::grad) return vector.args[0].get();
        if (vector.form != Form::call || vector.word != words::times) throw std::runtime_error("the oracle knows no such vector");
        std::vector<const Node*> none;
        const bool right = contains_gradient(*vector.args[1]);
        factors.push_back(vector.args[right ? 0 : 1].get());
        return split(*vector.args[right ? 1 : 0], factors);
    }
    static bool contains_gradient(const Node& node) {
        return (node.form == Form::call && node.word == words::grad) ||
               std::any_of(node.args.begin(), node.args.end(), [](const Tree& arg) { return contains_gradient(*arg); });
    }
    /// div(D*grad(f)): the mean of D on both sides of a face times the slope through it.
    double divergence(const Node& vector, const Cell& c) {
        std::vector<const Node*> factors;
        const Node* f = split(vector, factors);
        const auto conductivity = [&](const Cell& there) {
            double product = 1;
            for (const Node* factor : factors) product *= value(*factor, there);
            return product;
        };
        if (std::all_of(factors.begin(), factors.end(), [&](const Node* factor) { return is_uniform(*factor); }))
            return conductivity(c) * lap(*f, c);
        const double here = seen_from(*f, c);
        double sum = 0;
        for (std::size_t d = 0; d < 3; ++d) {
            if (!used(d)) continue;
            for (const int by : {-1, 1}) {
                const Cell there = moved(c, d, by);
                face_ = sloping_face(*f, c, d, by);
                const double on_face = (conductivity(c) + conductivity(there)) / 2;
                face_.reset();
                sum += on_face * (seen(*f, c, there) - here) / (model_.spacing[d] * model_.spacing[d]);
            }
        }
        return sum;
    }
    /// A face of the border on which the slope of `f` is given: there coordinates are those of the face, and maps run on in a straight line. (That D stays above half of what it is
    /// in the border cell is left out: maps of chance are too even to come there.)
    struct Face {
        std::size_t axis;
        bool far;
        Cell cell;
    };
    std::optional<Face> sloping_face(const Node& f, const Cell& c, std::size_t axis, int by) const {
        if (c[axis] != (by < 0 ? 0 : model_.size[axis] - 1)) return std::nullopt;
        for (const int field : fields_of(f)) {
            const Word rule = borders_of(field)[2 * axis + (by < 0 ? 0 : 1)].rule;
            if (rule == words::flux || rule == words::robin) return Face{axis, by > 0, c};
        }
        return std::nullopt;
    }
    double product_of(const Node& a, const Node& b, const Cell& c) {
        std::vector<const Node*> factors;
        const Node *f = split(a, factors), *g = split(b, factors);
        double product = 0, scale = 1;
        for (std::size_t d = 0; d < 3; ++d) product += slope(*f, c, d) * slope(*g, c, d);
        for (const Node* factor : factors) scale *= value(*factor, c);
        return scale * product;
    }
    double mean(const Node& node) {
        const auto known = means_.find(&node);
        if (known != means_.end()) return known->second;
        long double sum = 0;
        each([&](const Cell& c) { sum += value(node, c); });
        return means_[&node] = static_cast<double>(sum / static_cast<long double>(count()));
    }

    double value(const Node& node, const Cell& c) {
        if (node.form == Form::number) return node.number;
        return node.form == Form::name ? named(node.word, c) : called(node, c);
    }
    double named(Word name, const Cell& c) {
        if (const int field = field_of(name); field >= 0) return field_at(field, c);
        if (const auto number = numbers_.find(name); number != numbers_.end()) return number->second;
        const Cell inside = face_ ? face_->cell : brought_inside(c);
        if (const auto map = maps_.find(name); map != maps_.end()) {
            const double last = map->second[index(inside)];
            return face_ ? last + (last - map->second[index(moved(inside, face_->axis, face_->far ? -1 : 1))]) / 2 : last;
        }
        if (const auto definition = trees_.find(name); definition != trees_.end()) return value(*definition->second, c);
        if (name == words::t) return time_;
        if (name == words::pi) return std::acos(-1.0);
        const std::size_t lower = std::string("xyz").find(name.text()), upper = std::string("XYZ").find(name.text());
        if (face_ && (lower == face_->axis || upper == face_->axis)) {
            const int faces = face_->far ? model_.size[face_->axis] : 0;
            return lower < 3 ? faces * model_.spacing[face_->axis] : faces > 0 ? 1 : 0;
        }
        if (name.text().size() == 1 && lower < 3) return (inside[lower] + 0.5) * model_.spacing[lower];
        if (name.text().size() == 1 && upper < 3) return (inside[upper] + 0.5) / model_.size[upper];
        throw std::runtime_error("the oracle knows no '" + name.text() + "'");
    }
    /// Where all fields of an operator in a conductivity wrap it does, elsewhere it has its mirror image beyond the border.
    Cell mirrored(const Node& node, Cell c) const {
        const std::set<int>& fields = fields_of(node);
        for (std::size_t d = 0; d < 3; ++d) {
            const int n = model_.size[d];
            if (c[d] >= 0 && c[d] < n) continue;
            const bool wraps = std::all_of(fields.begin(), fields.end(), [&](int field) {
                return borders_of(field)[2 * d + (c[d] < 0 ? 0 : 1)].rule == words::periodic;
            });
            c[d] = wraps ? (c[d] + n) % n : c[d] < 0 ? -1 - c[d] : 2 * n - 1 - c[d];
        }
        return c;
    }
    double called(const Node& node, const Cell& at) {
        const Word f = node.word;
        const Cell c = f == words::lap || f == words::dx || f == words::dy || f == words::dz || f == words::bilap || f == words::div
                           ? mirrored(node, at)
                           : at;
        if (f == words::lap) return lap(*node.args[0], c);
        if (f == words::bilap) {
            Tree& inner = inner_[&node];
            if (!inner) inner = std::make_shared<const Node>(Node{Form::call, words::lap, 0, {node.args[0]}});
            return lap(*inner, c);
        }
        if (f == words::dx) return slope(*node.args[0], c, 0);
        if (f == words::dy) return slope(*node.args[0], c, 1);
        if (f == words::dz) return slope(*node.args[0], c, 2);
        if (f == words::div) return divergence(*node.args[0], c);
        if (f == words::norm2) return product_of(*node.args[0], *node.args[0], c);
        if (f == words::dot) return product_of(*node.args[0], *node.args[1], c);
        if (f == words::mean) return mean(*node.args[0]);
        if (f == words::integral) {
            double measure = static_cast<double>(count());
            for (std::size_t d = 0; d < 3; ++d) measure *= used(d) ? model_.spacing[d] : 1;
            return mean(*node.args[0]) * measure;
        }
        if (f == words::white) {
            double measure = 1;
            for (std::size_t d = 0; d < 3; ++d) measure *= used(d) ? model_.spacing[d] : 1;
            const Cell inside = brought_inside(c);
            return plain::normal(model_.seed, static_cast<std::uint64_t>(step_), static_cast<std::uint32_t>(inside[0]),
                                 static_cast<std::uint32_t>(inside[1]), static_cast<std::uint32_t>(inside[2]),
                                 static_cast<std::uint32_t>(node.white)) /
                   std::sqrt(model_.dt * measure);
        }
        const auto arg = [&](std::size_t i) { return value(*node.args[i], c); };
        if (f == words::where) return arg(0) != 0 ? arg(1) : arg(2);
        return elementary(f, arg(0), node.args.size() > 1 ? arg(1) : 0);
    }

    const ModelText& model_;
    std::map<Word, Tree> trees_;
    std::vector<Tree> rates_, fields_;  ///< by field: its rate, its name
    std::vector<Tree> kept_;            ///< others: what is known of a tree is known by its address
    std::map<Word, double> numbers_;
    std::map<Word, Cells> maps_;
    std::map<std::string, Tree> numbers_of_borders_;
    mutable std::map<const Node*, std::set<int>> fields_in_;
    std::map<const Node*, bool> has_operator_;
    const std::vector<Cells>* state_ = nullptr;
    double time_ = 0;
    int step_ = 0;
    std::optional<Face> face_;  ///< on which D is formed
    std::map<const Node*, Held> held_;
    std::map<const Node*, double> means_;
    std::map<const Node*, Tree> inner_;
};

}  // namespace language

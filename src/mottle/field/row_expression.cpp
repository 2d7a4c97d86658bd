// mottle/field/row_expression.cpp: evaluates initial expressions and maps over rows of cells
#include "mottle/backend/coordinates.h"
#include "mottle/domain/piece.h"
#include "mottle/field/source.h"
#include "mottle/ir/program/evaluate.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

namespace mottle::field {

using core::Index;

namespace {

constexpr Index kPiece = 512;  // cells evaluated at once: the rows of all instructions stay in the cache

using core::at;

bool varies(const ir::Code& code) {
    return std::any_of(code.begin(), code.end(), [](const ir::Instruction& i) { return i.op == ir::Op::load || i.op == ir::Op::axis; });
}

class RowExpression {
   public:
    RowExpression(const ir::Expression& expression, const domain::Domain& part, const InitialSpec& initial) : code_(expression.code) {
        const domain::Domain domain = domain::whole_of(part);
        const auto* grid = std::get_if<domain::Grid>(&domain);
        rows_ = grid ? grid->size[1] : 1;
        along_row_ = grid == nullptr;
        for (const auto& call : expression.sources) sources_.push_back(create_source(call, part, initial));
        std::vector<int> loads(sources_.size());
        for (const auto& instruction : code_) {
            if (instruction.op == ir::Op::load) ++loads[at(instruction.index)];
        }
        read_once_ = std::all_of(loads.begin(), loads.end(), [](int n) { return n <= 1; });
        for (const auto& instruction : code_) {
            if (instruction.op != ir::Op::axis) continue;
            auto& axis = axes_[at(instruction.index)];
            if (!axis.empty()) continue;
            const auto name = static_cast<ir::Axis>(instruction.index);
            axis = grid ? backend::coordinate_table(*grid, name) : backend::coordinate_table(std::get<domain::Mesh>(domain), name);
        }
    }

    void fill(Index row, Index x, std::span<double> cells) const {
        auto workspace = take(std::min(std::ssize(cells), kPiece));
        const Index piece = workspace->piece, n = std::ssize(cells);
        const bool direct = read_once_ && piece == n;  // sources write where they are read
        for (std::size_t i = 0; i < sources_.size() && !direct; ++i) {
            workspace->sources[i].resize(cells.size());
            sources_[i](row, x, workspace->sources[i]);
        }
        for (Index next = 0; next < n; next += piece) {
            const Index begin = std::min(next, n - piece);  // the last piece may overlap the one before it
            auto fetch = [&](const ir::Instruction& instruction, std::span<double> out) {
                if (instruction.op == ir::Op::load && direct) {
                    sources_[at(instruction.index)](row, x, out);
                } else if (instruction.op == ir::Op::load) {
                    std::copy_n(&workspace->sources[at(instruction.index)][at(begin)], out.size(), out.data());
                } else {
                    fetch_axis(static_cast<ir::Axis>(instruction.index), x + begin, row, out);
                }
            };
            workspace->evaluator.run(
                code_, [](int) { return 0.0; }, fetch);
            const auto value = workspace->evaluator.value(static_cast<ir::Value>(code_.size()) - 1);
            std::copy(value.begin(), value.end(), cells.begin() + begin);
        }
        give_back(std::move(workspace));
    }

   private:
    /// What one thread needs for a row; reused, since a fresh one for each row would cost more than the row.
    struct Workspace {
        Workspace(Index cells, std::size_t source_count) : piece(cells), evaluator(static_cast<int>(cells)), sources(source_count) {}
        Index piece;  ///< cells evaluated at once
        ir::RowEvaluator<double> evaluator;
        std::vector<std::vector<double>> sources;
    };

    std::unique_ptr<Workspace> take(Index piece) const {
        const std::lock_guard lock(mutex_);
        const auto fitting = std::find_if(idle_.begin(), idle_.end(), [piece](const auto& one) { return one->piece == piece; });
        if (fitting == idle_.end()) return std::make_unique<Workspace>(piece, sources_.size());
        auto workspace = std::move(*fitting);
        idle_.erase(fitting);
        return workspace;
    }

    void give_back(std::unique_ptr<Workspace> workspace) const {
        const std::lock_guard lock(mutex_);
        idle_.push_back(std::move(workspace));
    }

    void fetch_axis(ir::Axis axis, Index x, Index row, std::span<double> out) const {
        const auto& table = axes_[static_cast<std::size_t>(axis)];
        const int d = backend::direction(axis);
        if (along_row_ || d == 0) {
            std::copy_n(&table[at(x)], out.size(), out.data());
        } else {
            std::fill(out.begin(), out.end(), table[at(d == 1 ? row % rows_ : row / rows_)]);
        }
    }

    ir::Code code_;
    Index rows_ = 1;          ///< rows of a plane
    bool read_once_ = false;  ///< no source is read by two instructions
    bool along_row_ = false;  ///< on a mesh every coordinate changes along the one row
    std::vector<RowSource> sources_;
    std::array<std::vector<double>, 6> axes_;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace

RowSource create_row_expression(const ir::Expression& expression, const domain::Domain& domain, const InitialSpec& initial) {
    if (!varies(expression.code)) {
        return [value = ir::evaluate(expression.code, {})](Index, Index, std::span<double> cells) {
            std::fill(cells.begin(), cells.end(), value);
        };
    }
    auto rows = std::make_shared<const RowExpression>(expression, domain, initial);
    return [rows](Index row, Index x, std::span<double> cells) { rows->fill(row, x, cells); };
}

}  // namespace mottle::field

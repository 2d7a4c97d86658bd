// mottle/field/row_expression.cpp: evaluates initial expressions and maps over rows of cells
#include "mottle/backend/coordinates.h"
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
    RowExpression(const ir::Expression& expression, const domain::Domain& domain, const InitialSpec& initial)
        : code_(expression.code), piece_(std::min(domain::row_length(domain), kPiece)) {
        const auto* grid = std::get_if<domain::Grid>(&domain);
        rows_ = grid ? grid->size[1] : 1;
        along_row_ = grid == nullptr;
        for (const auto& call : expression.sources) sources_.push_back(create_source(call, domain, initial));
        std::vector<int> loads(sources_.size());
        for (const auto& instruction : code_) {
            if (instruction.op == ir::Op::load) ++loads[at(instruction.index)];
        }
        direct_ = piece_ == domain::row_length(domain) && std::all_of(loads.begin(), loads.end(), [](int n) { return n <= 1; });
        for (const auto& instruction : code_) {
            if (instruction.op != ir::Op::axis) continue;
            auto& axis = axes_[at(instruction.index)];
            if (!axis.empty()) continue;
            const auto name = static_cast<ir::Axis>(instruction.index);
            axis = grid ? backend::coordinate_table(*grid, name) : backend::coordinate_table(std::get<domain::Mesh>(domain), name);
        }
    }

    void fill(Index row, std::span<double> cells) const {
        auto workspace = take();
        for (std::size_t i = 0; i < sources_.size() && !direct_; ++i) {
            workspace->sources[i].resize(cells.size());
            sources_[i](row, workspace->sources[i]);
        }
        const auto n = static_cast<Index>(cells.size());
        for (Index begin = 0; begin < n; begin += piece_) {
            const Index x = std::min(begin, n - piece_);  // the last piece may overlap the one before it
            auto fetch = [&](const ir::Instruction& instruction, std::span<double> out) {
                if (instruction.op == ir::Op::load && direct_) {
                    sources_[at(instruction.index)](row, out);
                } else if (instruction.op == ir::Op::load) {
                    std::copy_n(&workspace->sources[at(instruction.index)][at(x)], out.size(), out.data());
                } else {
                    fetch_axis(static_cast<ir::Axis>(instruction.index), x, row, out);
                }
            };
            workspace->evaluator.run(
                code_, [](int) { return 0.0; }, fetch);
            const auto value = workspace->evaluator.value(static_cast<ir::Value>(code_.size()) - 1);
            std::copy(value.begin(), value.end(), cells.begin() + x);
        }
        give_back(std::move(workspace));
    }

   private:
    /// What one thread needs for a row; reused, since a fresh one for each row would cost more than the row.
    struct Workspace {
        Workspace(int piece, std::size_t source_count) : evaluator(piece), sources(source_count) {}
        ir::RowEvaluator<double> evaluator;
        std::vector<std::vector<double>> sources;
    };

    std::unique_ptr<Workspace> take() const {
        const std::lock_guard lock(mutex_);
        if (idle_.empty()) return std::make_unique<Workspace>(static_cast<int>(piece_), sources_.size());
        auto workspace = std::move(idle_.back());
        idle_.pop_back();
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
    Index piece_, rows_ = 1;  ///< rows of a plane
    bool direct_ = false;     ///< sources write where they are read: a row is one piece, and none is read twice
    bool along_row_ = false;  ///< on a mesh every coordinate changes along the one row
    std::vector<RowSource> sources_;
    std::array<std::vector<double>, 6> axes_;
    mutable std::mutex mutex_;
    mutable std::vector<std::unique_ptr<Workspace>> idle_;
};

}  // namespace

RowSource create_row_expression(const ir::Expression& expression, const domain::Domain& domain, const InitialSpec& initial) {
    if (!varies(expression.code)) {
        return
            [value = ir::evaluate(expression.code, {})](Index, std::span<double> cells) { std::fill(cells.begin(), cells.end(), value); };
    }
    auto rows = std::make_shared<const RowExpression>(expression, domain, initial);
    return [rows](Index row, std::span<double> cells) { rows->fill(row, cells); };
}

}  // namespace mottle::field

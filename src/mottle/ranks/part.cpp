// mottle/ranks/part.cpp: what one rank has of a run, whatever its domain is
#include "mottle/ranks/part.h"

#include "mottle/backend/cell_sum.h"
#include "mottle/core/error.h"
#include "mottle/core/numbers_in.h"
#include "mottle/field/expression_rows.h"

#include <algorithm>

namespace mottle::ranks {
namespace {

using core::at;

backend::UniformTable rows_of_table(const backend::UniformTable& table, Index first, Index count) {
    const std::size_t columns = at(table.columns);
    if (table.values.size() <= columns) return table;
    return {table.values.subspan(at(first) * columns, at(count) * columns), table.columns, table.stages};
}

}  // namespace

std::unique_ptr<PartState> Part::create_state() {
    auto state = std::make_unique<PartState>();
    state->state = kernel_->create_state();
    state->good_steps = steps_;
    return state;
}

void Part::advance(PartState& state, Index first_step, Index n, backend::UniformTable uniforms, bool hides) {
    for (Index done = 0; done < n;) {
        const Index steps = std::min<Index>(n - done, steps_);
        const backend::UniformTable table = rows_of_table(uniforms, done, steps);
        const bool exchanges = state.good_steps < steps, hidden = exchanges && hides && steps == steps_ && can_hide();
        if (exchanges) begin_exchange(state, hidden ? Meanwhile::computes : Meanwhile::waits);
        if (hidden) {
            begin_rims(state);
        } else if (exchanges) {
            transport_.finish_exchange();
            place_halos(state);
            state.good_steps = steps_;
        }
        kernel_->advance(*state.state, first_step + done, steps, table);  // of a hidden pass: right in the middle
        state.good_steps -= static_cast<int>(steps);
        if (hidden) {
            transport_.finish_exchange();
            finish_rims(state, first_step + done, steps, table);
            state.good_steps = 0;
        }
        done += steps;
    }
}

backend::RowsInFile Part::rows_in_file() const {
    const OwnRows own = own_rows();
    return {own.count, own.length, [this, length = own.length](Index row) { return number_of(row * length); }};
}

void Part::save(const PartState& state, ir::Array array, const core::SharedFile& file, const backend::CellFile& to,
                const std::optional<FilePiece>& collected) const {
    if (collected) return file.write(to.first + collected->first, collected->bytes);
    const auto save = [&]<class Real>(Real) {
        const backend::RowReader<Real> read = [&](Index row, std::span<Real> cells) { read_own(state, array, row, cells); };
        backend::save_rows(file, to, rows_in_file(), read, context_.team);
    };
    kernel_->program().f64 ? save(double{}) : save(float{});
}

bool Part::load(PartState& state, ir::Array array, const core::SharedFile& file, const backend::CellFile& from) {
    state.good_steps = 0;
    const auto load = [&]<class Real>(Real) {
        const auto write = [&](Index row, std::span<const Real> cells) { write_own(state, array, row, cells); };
        return backend::load_rows<Real>(file, from, rows_in_file(), write, context_.team);
    };
    return kernel_->program().f64 ? load(double{}) : load(float{});
}

void Part::read_raw_own(const PartState& state, ir::Array array, Index own_row, std::span<std::byte> numbers) const {
    kernel_->program().f64 ? read_own(state, array, own_row, core::numbers_in<double>(numbers))
                           : read_own(state, array, own_row, core::numbers_in<float>(numbers));
}

// Which cell is the first that is not finite depends on their order, and is rarely asked for.
template <class Real>
backend::Range Part::own_range(const PartState& state, ir::Array array) const {
    const OwnRows own = own_rows();
    const auto read = [&](Index row, std::span<Real> numbers) { read_raw_own(state, array, row, std::as_writable_bytes(numbers)); };
    backend::Range range = backend::range_of_rows<Real>(own.count, own.length, read, context_.team);
    if (range.first_bad < 0) return range;
    const auto read_in_order = [&](Index row, std::span<Real> cells) { read_own(state, array, row, cells); };
    range = backend::range_of_rows<Real>(own.count, own.length, read_in_order, context_.team);
    range.first_bad = number_of(range.first_bad);
    return range;
}

backend::Range Part::range(const PartState& state, ir::Array array) const {
    return kernel_->program().f64 ? own_range<double>(state, array) : own_range<float>(state, array);
}

void Part::copy(PartState& to, const PartState& from, ir::ArrayInfo::Kind kind) const {
    if (kind == ir::ArrayInfo::Kind::input) {
        kernel_->copy_maps(*to.state, *from.state);
        return to.rims.clear();
    }
    kernel_->copy_fields(*to.state, *from.state);
    to.good_steps = from.good_steps;
}

bool Part::fill_array(PartState& state, ir::Array array, const ir::Expression& expression, std::uint64_t seed) {
    const ir::Program& program = kernel_->program();
    if (program.arrays[at(array)].kind == ir::ArrayInfo::Kind::input) state.rims.clear();
    const auto take = [&](Index row, std::span<const double> cells) { kernel_->write_row(*state.state, array, row, cells); };
    try {
        return field::sees_pictures(expression) &&
               field::evaluate_rows(expression, kernel_->domain(), program.f64, {seed, {}}, context_.team, take).cell < 0;
    } catch (const core::InputError&) {
        return false;  // whoever does it row by row says why
    }
}

template <class Real>
SumShare Part::own_sum(const PartState& state, ir::Array array, const SumTerms& terms, const PartState* minus) const {
    const OwnRows own = own_rows();
    const Index rows = own.count, length = own.length;  // clang lets no lambda capture a binding
    const int workers = context_.team.size();
    const bool plain = !terms.squares && minus == nullptr && own_areas().empty();
    const backend::ExactSum empty(terms.magic);
    std::vector<backend::CellSum> sums(at(workers), backend::CellSum(empty));
    context_.team.run([&](int worker) {
        backend::CellSum sum(empty);  // its own cache line
        std::vector<Real> cells(at(length)), others(at(minus == nullptr ? 0 : length));
        std::vector<double> wide;
        const auto [first, end] = core::share_of(rows, worker, workers);
        for (Index row = first; row < end; ++row) {
            read_raw_own(state, array, row, std::as_writable_bytes(std::span(cells)));
            if (plain) {
                sum.add(std::span<const Real>(cells));
                continue;
            }
            wide.assign(cells.begin(), cells.end());
            if (minus != nullptr) {
                read_raw_own(*minus, array, row, std::as_writable_bytes(std::span(others)));
                for (std::size_t i = 0; i < wide.size(); ++i) {
                    const double difference = wide[i] - static_cast<double>(others[i]);
                    wide[i] = difference * difference;
                }
            }
            if (terms.squares) {
                for (double& x : wide) x = (x - terms.mean) * (x - terms.mean);
            }
            own_areas().empty() ? sum.add(std::span<const double>(wide))
                                : sum.add_weighted(wide, own_areas().subspan(at(row * length), at(length)));
        }
        sums[at(worker)] = sum;
    });
    SumShare share;
    backend::ExactSum all(terms.magic);
    for (const backend::CellSum& sum : sums) {
        if (!(sum.largest() <= share.largest)) share.largest = sum.largest();  // NaN stays
        sum.add_to(all);
    }
    std::copy_n(all.parts().begin(), share.parts.size(), share.parts.begin());
    return share;
}

SumShare Part::sum(const PartState& state, ir::Array array, const SumTerms& terms, const PartState* minus) const {
    return kernel_->program().f64 ? own_sum<double>(state, array, terms, minus) : own_sum<float>(state, array, terms, minus);
}

}  // namespace mottle::ranks

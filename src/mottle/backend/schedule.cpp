// mottle/backend/schedule.cpp: the table of the keys of schedules, and schedules as text
#include "mottle/backend/schedule.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace mottle::backend {
namespace {

/// A key of the schedules of type S.
template <class S>
struct KeyRow {
    using Number = std::optional<int> S::*;
    using OrderChoice = std::optional<VertexOrder> S::*;
    using GatherChoice = std::optional<Gather> S::*;
    using Blocks = std::optional<BlockCounts> S::*;

    const char* name;
    const char* former;  // in schedules of older versions
    std::variant<Number, OrderChoice, GatherChoice, Blocks> member;
    const char* meaning;
    int least = 0, most = 0;  // of a number
};

// The bounds keep the tables of a kernel small; no machine gains beyond them.
constexpr int kMostSteps = 1024, kMostRows = 16, kMostCells = 1 << 24, kMostParts = 4096;
constexpr const char* kStepsMeaning = "time steps in one pass through memory";
constexpr const char* kHaloMeaning = "on several ranks: time steps between two exchanges of halos";
constexpr const char* kBlocksMeaning = "on several ranks: blocks along each axis, one for each rank";
constexpr const char* kOrderMeaning = "order of the vertices in memory; file and morton take one step per pass";

template <class S>
constexpr int kRows = 0;
template <>
constexpr std::array kRows<OpenSchedule> = std::array<KeyRow<OpenSchedule>, 0>{};
template <>
constexpr std::array kRows<PlaneSchedule> = std::to_array<KeyRow<PlaneSchedule>>({
    {"steps", "", &PlaneSchedule::steps, kStepsMeaning, 1, kMostSteps},
    {"rows", "", &PlaneSchedule::rows, "rows that one call of the kernel updates", 1, kMostRows},
    {"strip", "chunk", &PlaneSchedule::strip, "cells of a row in one strip; 0: whole rows", 0, kMostCells},
    {"bands", "parts", &PlaneSchedule::bands, "bands of rows; each is updated by one thread", 1, kMostParts},
    {"halo", "", &PlaneSchedule::halo, kHaloMeaning, 1, kMostSteps},
    {"blocks", "", &PlaneSchedule::blocks, kBlocksMeaning, 1, kMostParts},
});
template <>
constexpr std::array kRows<VolumeSchedule> = std::to_array<KeyRow<VolumeSchedule>>({
    {"steps", "", &VolumeSchedule::steps, kStepsMeaning, 1, kMostSteps},
    {"rows", "", &VolumeSchedule::rows, "rows that one call of the kernel updates", 1, kMostRows},
    {"tile", "chunk", &VolumeSchedule::tile, "rows of a tile of every plane; 0: all rows of the slab", 0, kMostCells},
    {"slabs", "parts", &VolumeSchedule::slabs, "slabs of rows of all planes; each is updated by one thread", 1, kMostParts},
    {"halo", "", &VolumeSchedule::halo, kHaloMeaning, 1, kMostSteps},
    {"blocks", "", &VolumeSchedule::blocks, kBlocksMeaning, 1, kMostParts},
});
template <>
constexpr std::array kRows<MeshSchedule> = std::to_array<KeyRow<MeshSchedule>>({
    {"order", "", &MeshSchedule::order, kOrderMeaning},
    {"steps", "", &MeshSchedule::steps, kStepsMeaning, 1, kMostSteps},
    {"parts", "", &MeshSchedule::parts, "parts of the mesh; each is updated by one thread", 1, kMostParts},
    {"gather", "", &MeshSchedule::gather, "how values of neighbours are fetched: as a vector, or word by word"},
    {"halo", "", &MeshSchedule::halo, kHaloMeaning, 1, kMostSteps},
});
template <>
constexpr std::array kRows<CardPlaneSchedule> = std::to_array<KeyRow<CardPlaneSchedule>>({
    {"steps", "", &CardPlaneSchedule::steps, "time steps in one pass, at most 8; 1: a launch per stage, unless a strip or a tile is given",
     1, kMostSteps},
    {"tile", "rows", &CardPlaneSchedule::tile, "rows of a tile that each warp of a block holds in registers, at least", 1, kMostRows},
    {"strip", "chunk", &CardPlaneSchedule::strip,
     "rows of the strip that a warp updates; 0: the whole plane stays in registers for all steps of a launch", 0, kMostCells},
    {"warps", "parts", &CardPlaneSchedule::warps, "warps of a block that updates a tile, at least", 1, kMostParts},
    {"halo", "", &CardPlaneSchedule::halo, kHaloMeaning, 1, kMostSteps},
    {"blocks", "", &CardPlaneSchedule::blocks, kBlocksMeaning, 1, kMostParts},
});
template <>
constexpr std::array kRows<CardVolumeSchedule> = std::to_array<KeyRow<CardVolumeSchedule>>({
    {"steps", "", &CardVolumeSchedule::steps, "time steps in one pass, at most 8; 1: a launch per stage, unless planes are given", 1,
     kMostSteps},
    {"planes", "chunk", &CardVolumeSchedule::planes, "planes through which a block moves", 1, kMostCells},
    {"halo", "", &CardVolumeSchedule::halo, kHaloMeaning, 1, kMostSteps},
    {"blocks", "", &CardVolumeSchedule::blocks, kBlocksMeaning, 1, kMostParts},
});
template <>
constexpr std::array kRows<CardMeshSchedule> = std::to_array<KeyRow<CardMeshSchedule>>({
    {"order", "", &CardMeshSchedule::order, kOrderMeaning},
    {"steps", "", &CardMeshSchedule::steps, "time steps in one pass, at most 8; 1: a launch per stage", 1, kMostSteps},
    {"threads", "chunk", &CardMeshSchedule::threads, "threads of a block, in whole warps of 32", 1, 1024},
    {"halo", "", &CardMeshSchedule::halo, kHaloMeaning, 1, kMostSteps},
});

template <class S>
constexpr std::size_t size_of_members() {
    std::size_t size = 0;
    for (const KeyRow<S>& row : kRows<S>) size += std::visit([](auto member) { return sizeof(std::declval<S>().*member); }, row.member);
    return size;
}

/// A member of a schedule without a row does not compile: none needs padding.
template <class... S>
constexpr bool is_complete(const std::variant<S...>*) {
    return ((std::is_empty_v<S> ? kRows<S>.empty() : sizeof(S) == size_of_members<S>()) && ...);
}
static_assert(is_complete(static_cast<const Schedule*>(nullptr)));

constexpr std::array kFamilyNames = {"the reference interpreter", "a plane on the CPU", "a volume on the CPU", "a mesh on the CPU",
                                     "a plane on a GPU",          "a volume on a GPU",  "a mesh on a GPU"};
static_assert(kFamilyNames.size() == std::variant_size_v<Schedule>);

// By the enumerations.
constexpr std::array kOrders = {"rings", "file", "morton"};
constexpr std::array kGathers = {"vector", "words"};

const auto& words_of(const std::optional<VertexOrder>&) { return kOrders; }
const auto& words_of(const std::optional<Gather>&) { return kGathers; }

template <std::size_t n>
std::string list_of(const std::array<const char*, n>& words) {
    std::string text;
    for (std::size_t i = 0; i < n; ++i) text += (i == 0 ? "" : i + 1 == n ? " or " : ", ") + std::string(words[i]);
    return text;
}

void parse_value(const std::string& key, const std::string& text, int least, int most, std::optional<int>& value) {
    long long number = 0;
    if (!core::parse_integer(text, number) || number < least || number > most) {
        throw core::InputError("the key " + key + " of a schedule has no value \'" + text + "\'; it is a whole number from " +
                               std::to_string(least) + " to " + std::to_string(most));
    }
    value = static_cast<int>(number);
}

template <class Choice>
void parse_value(const std::string& key, const std::string& text, int, int, std::optional<Choice>& value) {
    const auto& words = words_of(value);
    const auto found = std::find(words.begin(), words.end(), text);
    if (found == words.end()) {
        throw core::InputError("the key " + key + " of a schedule has no value \'" + text + "'" +
                               core::did_you_mean(text, std::vector<std::string>(words.begin(), words.end())) + "; it is " +
                               list_of(words));
    }
    value = static_cast<Choice>(found - words.begin());
}

/// As it is printed: the third number is left out where it is 1.
void parse_value(const std::string& key, const std::string& text, int least, int most, std::optional<BlockCounts>& value) {
    BlockCounts counts = {1, 1, 1};
    std::size_t axis = 0, at = 0;
    for (; axis < counts.size() && at <= text.size(); ++axis) {
        const std::size_t end = std::min(text.find('x', at), text.size());
        long long number = 0;
        if (!core::parse_integer(text.substr(at, end - at), number) || number < least || number > most) break;
        counts[axis] = static_cast<int>(number);
        at = end + 1;
    }
    if (axis < 2 || at <= text.size())
        throw core::InputError("the key " + key + " of a schedule has no value \'" + text +
                               "\'; it is as 2x4 or 2x2x1, the blocks along x, y and z");
    value = counts;
}

std::string value_text(int value) { return std::to_string(value); }
std::string value_text(VertexOrder value) { return kOrders[core::at(static_cast<int>(value))]; }
std::string value_text(Gather value) { return kGathers[core::at(static_cast<int>(value))]; }
std::string value_text(const BlockCounts& value) { return print(value); }

std::string values_text(const std::optional<int>&, int least, int most) {
    return most == kMostCells ? std::to_string(least) + " or more" : std::to_string(least) + " to " + std::to_string(most);
}
std::string values_text(const std::optional<BlockCounts>&, int, int) { return "as 2x4 or 2x2x1"; }
template <class Choice>
std::string values_text(const std::optional<Choice>& choice, int, int) {
    return list_of(words_of(choice));
}

std::vector<std::string> words_in(const std::string& text) {
    std::vector<std::string> words;
    std::string word;
    for (char c : text + ' ') {
        if (!std::isspace(static_cast<unsigned char>(c))) {
            word += c;
        } else if (!word.empty()) {
            words.push_back(std::move(word));
            word.clear();
        }
    }
    return words;
}

[[noreturn]] void refuse_key(const std::string& key, Family family) {
    std::vector<std::string> known;
    std::string list;
    for (const ScheduleKey& own : schedule_keys(family)) {
        known.push_back(own.name);
        list += (list.empty() ? "" : ", ") + own.name;
    }
    if (known.empty()) throw core::InputError(describe(family) + " takes no schedule; leave \'" + key + "\' out");
    throw core::InputError("a schedule for " + describe(family) + " has no key \'" + key + "\'" + core::did_you_mean(key, known) +
                           " (it has: " + list + ")");
}

template <class S>
void set_key(S& schedule, const std::string& word) {
    const auto family = static_cast<Family>(Schedule(schedule).index());
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
        throw core::InputError("a schedule is written key=value key=value, not \'" + word + "\'; an example is \"steps=32 rows=2\"");
    const std::string name = word.substr(0, equals), text = word.substr(equals + 1);
    const auto& keys = kRows<S>;
    const auto key =
        std::find_if(keys.begin(), keys.end(), [&](const KeyRow<S>& each) { return name == each.name || name == each.former; });
    if (name.empty() || key == keys.end()) refuse_key(name, family);
    std::visit([&](auto member) { parse_value(name, text, key->least, key->most, schedule.*member); }, key->member);
}

/// File and Morton orders keep no rings, along which passes of several steps move.
void check_order(const std::optional<VertexOrder>& order, bool several) {
    if (!order || *order == VertexOrder::rings || !several) return;
    throw core::InputError(
        "order=" + value_text(*order) +
        " takes one step per pass on one part; several steps go from ring to ring: leave steps and parts out, or say order=rings");
}
void check_order(const MeshSchedule& it) { check_order(it.order, it.steps.value_or(1) > 1 || it.parts.value_or(1) > 1); }
void check_order(const CardMeshSchedule& it) { check_order(it.order, it.steps.value_or(1) > 1); }
void check_order(const auto&) {}

/// Nothing said, for that family.
template <std::size_t i = 0>
Schedule open_schedule(Family family) {
    if (static_cast<std::size_t>(family) == i) return Schedule(std::in_place_index<i>);
    if constexpr (i + 1 < std::variant_size_v<Schedule>) return open_schedule<i + 1>(family);
    throw core::InternalError("a family of kernels without a type of schedules");
}

}  // namespace

std::string describe(Family family) { return kFamilyNames[core::at(static_cast<int>(family))]; }

std::vector<ScheduleKey> schedule_keys(Family family) {
    std::vector<ScheduleKey> list;
    std::visit(
        [&]<class S>(const S& schedule) {
            for (const KeyRow<S>& key : kRows<S>) {
                const std::string values =
                    std::visit([&](auto member) { return values_text(schedule.*member, key.least, key.most); }, key.member);
                list.push_back({key.name, key.former, values, key.meaning});
            }
        },
        open_schedule(family));
    return list;
}

Schedule parse_schedule(const std::string& text, Family family) {
    Schedule schedule = open_schedule(family);
    std::visit(
        [&](auto& own) {
            for (const std::string& word : words_in(text)) set_key(own, word);
            check_order(own);
        },
        schedule);
    return schedule;
}

std::string print(const Schedule& schedule) {
    std::string text;
    std::visit(
        [&]<class S>(const S& own) {
            for (const KeyRow<S>& key : kRows<S>) {
                std::visit(
                    [&](auto member) {
                        const auto& value = own.*member;
                        if (value) text += (text.empty() ? "" : " ") + std::string(key.name) + "=" + value_text(*value);
                    },
                    key.member);
            }
        },
        schedule);
    return text;
}

std::string print(const BlockCounts& blocks) {
    return std::to_string(blocks[0]) + "x" + std::to_string(blocks[1]) + (blocks[2] == 1 ? "" : "x" + std::to_string(blocks[2]));
}

std::optional<int> steps_of(const Schedule& schedule) {
    return std::visit(
        []<class S>(const S& own) -> std::optional<int> {
            if constexpr (std::is_same_v<S, OpenSchedule>)
                return std::nullopt;
            else
                return own.steps;
        },
        schedule);
}

Spread spread_of(const Schedule& schedule) {
    Spread spread;
    std::visit(
        [&](const auto& own) {
            if constexpr (requires { own.halo; }) spread.halo = own.halo;
            if constexpr (requires { own.blocks; }) spread.blocks = own.blocks;
        },
        schedule);
    return spread;
}

Schedule with_spread(Schedule schedule, const Spread& spread) {
    std::visit(
        [&](auto& own) {
            if constexpr (requires { own.halo; }) own.halo = spread.halo;
            if constexpr (requires { own.blocks; }) own.blocks = spread.blocks;
        },
        schedule);
    return schedule;
}

void require_blocks(const BlockCounts& blocks, int ranks) {
    if (std::int64_t{1} * blocks[0] * blocks[1] * blocks[2] == ranks) return;
    if (ranks > 1)
        throw core::InputError("a schedule with blocks=" + print(blocks) + " is not for " + core::counted(ranks, "rank", "ranks") +
                               ": there must be as many blocks as ranks");
    throw core::InputError(
        "a schedule with blocks=" + print(blocks) +
        " is for a run that several ranks share (`mpirun -n 4 mottle run`, or `mottle check --ranks 4`); leave blocks out");
}

Schedule schedule_for(const Schedule& schedule, Family family, const ir::Program& program) {
    if (const Spread spread = spread_of(schedule); spread.blocks) require_blocks(*spread.blocks, 1);
    Schedule own = open_schedule(family);
    if (schedule.index() == own.index()) {
        own = with_spread(schedule, {});
    } else if (const std::string text = print(schedule); !text.empty()) {
        throw core::InputError("the schedule \"" + text + "\" is for " + describe(static_cast<Family>(schedule.index())) + ", not for " +
                               describe(family));
    }
    std::visit(
        [&]<class S>(S& each) {
            if constexpr (!std::is_same_v<S, OpenSchedule>) {
                if (program.phases) each.steps = 1;
            }
        },
        own);
    return own;
}

}  // namespace mottle::backend

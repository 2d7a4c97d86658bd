// mottle/backend/schedule.cpp: schedules as text
#include "mottle/backend/schedule.h"

#include "mottle/core/error.h"
#include "mottle/core/text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace mottle::backend {
namespace {

struct Entry {
    const char* name;
    int Schedule::*member;
    int least, most;
};

// The bounds keep the tables of a kernel small; no machine gains beyond them.
constexpr std::array kEntries = {
    Entry{"steps", &Schedule::steps, 1, 1024},
    Entry{"rows", &Schedule::rows, 1, 16},
    Entry{"chunk", &Schedule::chunk, 0, 1 << 24},
    Entry{"parts", &Schedule::parts, 1, 4096},
};

constexpr std::array kOrders = {"", "rings", "file", "morton"};  // by Schedule::Order

std::vector<std::string> words_of(const std::string& text) {
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

void set_entry(Schedule& schedule, const std::string& word) {
    std::size_t equals = word.find('=');
    if (equals == std::string::npos) throw core::InputError("schedule: '" + word + "' is no key=number; an example is \"steps=32 rows=2\"");
    std::string key = word.substr(0, equals), value = word.substr(equals + 1);
    if (key == "order") {
        const auto name = std::find(kOrders.begin() + 1, kOrders.end(), value);
        if (name == kOrders.end()) {
            throw core::InputError("schedule: order = '" + value + "'" +
                                   core::did_you_mean(value, std::vector<std::string>(kOrders.begin() + 1, kOrders.end())) +
                                   "; the vertices of a mesh stand in order=rings, file or morton");
        }
        schedule.order = static_cast<Schedule::Order>(name - kOrders.begin());
        return;
    }
    auto entry = std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return key == e.name; });
    if (entry == kEntries.end()) {
        std::vector<std::string> known = {"order"};
        for (const Entry& e : kEntries) known.emplace_back(e.name);
        throw core::InputError("schedule: unknown key '" + key + "'" + core::did_you_mean(key, known) +
                               " (keys: steps rows chunk parts order)");
    }
    long long number = 0;
    if (!core::parse_integer(value, number) || number < entry->least || number > entry->most) {
        throw core::InputError("schedule: " + key + " = '" + value + "' is no whole number from " + std::to_string(entry->least) + " to " +
                               std::to_string(entry->most));
    }
    schedule.*(entry->member) = static_cast<int>(number);
}

}  // namespace

Schedule parse_schedule(const std::string& text) {
    Schedule schedule;
    for (const std::string& word : words_of(text)) set_entry(schedule, word);
    if ((schedule.order == Schedule::Order::file || schedule.order == Schedule::Order::morton) &&
        (schedule.steps > 1 || schedule.parts > 1)) {
        throw core::InputError(
            std::string("schedule: order=") + kOrders[static_cast<std::size_t>(schedule.order)] +
            " takes one step per pass on one part; several steps go from ring to ring: leave steps and parts out, or say order=rings");
    }
    return schedule;
}

std::string print(const Schedule& schedule) {
    std::string text =
        schedule.order == Schedule::Order::chosen ? "" : std::string("order=") + kOrders[static_cast<std::size_t>(schedule.order)];
    for (const Entry& entry : kEntries) {
        int value = schedule.*(entry.member);
        if (value < entry.least) continue;  // left to the cost model
        text += (text.empty() ? "" : " ") + std::string(entry.name) + "=" + std::to_string(value);
    }
    return text;
}

}  // namespace mottle::backend

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

// By the enumerations of a Schedule; what is chosen has no name.
constexpr std::array kOrders = {"", "rings", "file", "morton"};
constexpr std::array kGathers = {"", "vector", "words"};

template <class Choice>
const char* name_of(const auto& names, Choice choice) {
    return names[static_cast<std::size_t>(choice)];
}

/// The choice that `value` names; `meaning` ends the message that lists them.
template <class Choice>
Choice parse_choice(const std::string& key, const std::string& value, const auto& names, const char* meaning) {
    const auto name = std::find(names.begin() + 1, names.end(), value);
    if (name == names.end()) {
        throw core::InputError("schedule: " + key + " = '" + value + "'" +
                               core::did_you_mean(value, std::vector<std::string>(names.begin() + 1, names.end())) + "; " + meaning);
    }
    return static_cast<Choice>(name - names.begin());
}

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
        schedule.order = parse_choice<Schedule::Order>(key, value, kOrders, "the vertices of a mesh stand in order=rings, file or morton");
        return;
    }
    if (key == "gather") {
        schedule.gather =
            parse_choice<Schedule::Gather>(key, value, kGathers, "the neighbours of a mesh are fetched by gather=vector or words");
        return;
    }
    auto entry = std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return key == e.name; });
    if (entry == kEntries.end()) {
        std::vector<std::string> known = {"order", "gather"};
        for (const Entry& e : kEntries) known.emplace_back(e.name);
        throw core::InputError("schedule: unknown key '" + key + "'" + core::did_you_mean(key, known) +
                               " (keys: steps rows chunk parts order gather)");
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
            std::string("schedule: order=") + name_of(kOrders, schedule.order) +
            " takes one step per pass on one part; several steps go from ring to ring: leave steps and parts out, or say order=rings");
    }
    return schedule;
}

Schedule unfused_if_phased(Schedule schedule, const ir::Program& program) {
    if (program.phases) schedule.steps = 1;
    return schedule;
}

std::string print(const Schedule& schedule) {
    std::string text;
    const auto add = [&](const std::string& word) { text += (text.empty() ? "" : " ") + word; };
    if (schedule.order != Schedule::Order::chosen) add(std::string("order=") + name_of(kOrders, schedule.order));
    for (const Entry& entry : kEntries) {
        const int value = schedule.*(entry.member);
        if (value >= entry.least) add(std::string(entry.name) + "=" + std::to_string(value));  // else left to the cost model
    }
    if (schedule.gather != Schedule::Gather::chosen) add(std::string("gather=") + name_of(kGathers, schedule.gather));
    return text;
}

}  // namespace mottle::backend

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
    auto entry = std::find_if(kEntries.begin(), kEntries.end(), [&](const Entry& e) { return key == e.name; });
    if (entry == kEntries.end()) {
        std::vector<std::string> known;
        for (const Entry& e : kEntries) known.emplace_back(e.name);
        throw core::InputError("schedule: unknown key '" + key + "'" + core::did_you_mean(key, known) + " (keys: steps rows chunk parts)");
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
    return schedule;
}

std::string print(const Schedule& schedule) {
    std::string text;
    for (const Entry& entry : kEntries) {
        int value = schedule.*(entry.member);
        if (value < entry.least) continue;  // left to the cost model
        text += (text.empty() ? "" : " ") + std::string(entry.name) + "=" + std::to_string(value);
    }
    return text;
}

}  // namespace mottle::backend

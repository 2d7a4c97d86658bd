// mottle/benchmarks/harness/report.cpp: medians, tables, JSON, options
#include "harness/report.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/provenance.h"
#include "mottle/core/text.h"
#include "mottle/core/thread_team.h"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace mottle::benchmarks {

double median(std::vector<double> values) {
    if (values.empty()) return 0;
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

std::string format(const char* pattern, ...) {
    char buffer[512];
    std::va_list list;
    va_start(list, pattern);
    std::vsnprintf(buffer, sizeof buffer, pattern, list);
    va_end(list);
    return buffer;
}

namespace {

std::string quoted(std::string_view text) {
    std::string out = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
    return out + "\"";
}

}  // namespace

Json& Json::put(std::string_view key, const std::string& value) {
    if (!body_.empty()) body_ += ", ";
    if (open_ == '{') body_ += quoted(key) + ": ";
    body_ += value;
    return *this;
}
Json& Json::set(std::string_view key, double value) { return put(key, std::isfinite(value) ? format("%.17g", value) : "null"); }
Json& Json::set(std::string_view key, long long value) { return put(key, std::to_string(value)); }
Json& Json::set(std::string_view key, bool value) { return put(key, value ? "true" : "false"); }
Json& Json::set(std::string_view key, std::string_view value) { return put(key, quoted(value)); }
Json& Json::set(std::string_view key, const Json& value) { return put(key, value.text()); }
Json& Json::add(const Json& value) { return put("", value.text()); }
std::string Json::text() const { return open_ + body_ + close_; }

Json provenance(std::string_view benchmark, std::string_view device, int threads) {
    return Json::object()
        .set("benchmark", benchmark)
        .set("version", core::version())
        .set("build", core::build_id())
        .set("cpu", core::cpu_name())
        .set("cores", core::available_cores())
        .set("device", device)
        .set("threads", threads);
}

void Table::print() const {
    std::vector<std::size_t> widths;
    for (const auto& row : rows_) {
        widths.resize(std::max(widths.size(), row.size()));
        for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
    }
    for (const auto& row : rows_) {
        std::string line;
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string pad(widths[i] - row[i].size(), ' ');
            line += i == 0 ? row[i] + pad : "  " + pad + row[i];
        }
        std::printf("%s\n", line.c_str());
    }
    std::fflush(stdout);
}

Options::Options(int count, char** words, std::string_view about, std::vector<std::pair<std::string, std::string>> known)
    : values_(std::move(known)) {
    values_.emplace_back("json", "");
    const auto usage = [&](const std::string& message, int code) {
        std::FILE* out = code == 0 ? stdout : stderr;
        if (!message.empty()) std::fprintf(out, "%s\n", message.c_str());
        std::fprintf(out, "%.*s\noptions (defaults):\n", static_cast<int>(about.size()), about.data());
        for (const auto& [name, value] : values_) std::fprintf(out, "  --%s %s\n", name.c_str(), value == "no" ? "" : value.c_str());
        std::exit(code);
    };
    for (int i = 1; i < count; ++i) {
        const std::string_view word = words[i];
        if (word == "--help" || word == "-h") usage("", 0);
        const auto option = std::find_if(values_.begin(), values_.end(), [&](const auto& value) { return word == "--" + value.first; });
        if (option == values_.end()) usage("unknown option '" + std::string(word) + "'", 3);
        if (option->second == "no" || option->second == "yes") {
            option->second = "yes";
        } else if (i + 1 < count) {
            option->second = words[++i];
        } else {
            usage("'" + std::string(word) + "' wants a value", 3);
        }
    }
}

const std::string& Options::text(std::string_view name) const {
    return std::find_if(values_.begin(), values_.end(), [&](const auto& value) { return value.first == name; })->second;
}

double Options::number(std::string_view name) const {
    double value = 0;
    if (!core::parse_number(text(name), value)) {
        std::fprintf(stderr, "--%.*s wants a number, not '%s'\n", static_cast<int>(name.size()), name.data(), text(name).c_str());
        std::exit(3);
    }
    return value;
}

std::vector<int> Options::integers(std::string_view name) const {
    std::vector<int> values;
    for (const std::string& word : core::split(text(name), ',')) {
        long long value = 0;
        if (!core::parse_integer(word, value) || value < 1 || value > 1'000'000) {
            std::fprintf(stderr, "--%.*s wants whole numbers above 0, not '%s'\n", static_cast<int>(name.size()), name.data(),
                         word.c_str());
            std::exit(3);
        }
        values.push_back(static_cast<int>(value));
    }
    return values;
}

void Options::write(const Json& json, const std::string& behind) const {
    if (text("json").empty()) return;
    const std::string body = json.text() + "\n";
    core::AtomicFile file(text("json") + behind);
    file.write(std::as_bytes(std::span(body)));
    file.commit();
}

int guarded(int (*run)(int count, char** words), int count, char** words) {
    try {
        return run(count, words);
    } catch (const core::Error& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return error.exit_code();
    }
}

}  // namespace mottle::benchmarks

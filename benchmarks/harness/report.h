// mottle/benchmarks/harness/report.h: medians, aligned tables, JSON with provenance, and the few options that every benchmark takes
#pragma once
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mottle::benchmarks {

double median(std::vector<double> values);

/// A JSON object or array under construction; numbers with 17 significant digits.
class Json {
   public:
    static Json object() { return Json('{', '}'); }
    static Json array() { return Json('[', ']'); }
    Json& set(std::string_view key, double value);
    Json& set(std::string_view key, long long value);
    Json& set(std::string_view key, int value) { return set(key, static_cast<long long>(value)); }
    Json& set(std::string_view key, bool value);
    Json& set(std::string_view key, std::string_view value);
    Json& set(std::string_view key, const char* value) { return set(key, std::string_view(value)); }
    Json& set(std::string_view key, const Json& value);
    Json& add(const Json& value);
    std::string text() const;

   private:
    Json(char open, char close) : open_(open), close_(close) {}
    Json& put(std::string_view key, const std::string& value);
    char open_, close_;
    std::string body_;
};

/// The machine and the build: what every JSON file starts with.
Json provenance(std::string_view benchmark, std::string_view device, int threads);

/// Prints rows under a head line, columns aligned: the first to the left, the others to the right.
class Table {
   public:
    explicit Table(std::vector<std::string> head) : rows_{std::move(head)} {}
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    void print() const;

   private:
    std::vector<std::vector<std::string>> rows_;
};

/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string format(const char* pattern, ...);

/// "--name value" pairs and "--flags". Ends the program with a message on anything unknown.
class Options {
   public:
    /// `known` maps each name to its default; a default of "no" makes a flag without value.
    Options(int count, char** words, std::string_view about, std::vector<std::pair<std::string, std::string>> known);
    const std::string& text(std::string_view name) const;
    double number(std::string_view name) const;
    bool flag(std::string_view name) const { return text(name) == "yes"; }
    /// "512,1024" -> {512, 1024}.
    std::vector<int> integers(std::string_view name) const;
    /// Writes the JSON file if one was asked for with --json; `behind` its name stands this.
    void write(const Json& json, const std::string& behind = "") const;

   private:
    std::vector<std::pair<std::string, std::string>> values_;
};

/// Runs a benchmark's main; an error becomes its message and exit code.
int guarded(int (*run)(int count, char** words), int count, char** words);

}  // namespace mottle::benchmarks

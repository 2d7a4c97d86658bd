// mottle/core/document.cpp: TOML text -> a tree of values with their places; the only user of toml++
#include "mottle/core/document.h"

#include "mottle/core/error.h"
#include "mottle/core/files.h"
#include "mottle/core/index.h"
#include "mottle/core/text.h"
#include "mottle/core/toml_text.h"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <unordered_set>
#include <utility>

// Deeper values than any document of ours has; toml++ and the destructors of its trees recurse.
#define TOML_MAX_NESTED_VALUES 32
// That the key of a table begins as keys do, toml++ asserts, or lets a compiler assume, before it looks at it and refuses others: [=a]. Its assertions are
// taken as nothing, whatever the build.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) static_assert(true)
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace mottle::core {
namespace {

constexpr std::size_t kLargestDocument = std::size_t{1} << 20;

using SourcePtr = std::shared_ptr<const Source>;

/// toml++ counts columns in characters, we count bytes. Keeps what it found for the last line asked for: a line may hold a megabyte.
class ByteColumns {
   public:
    explicit ByteColumns(SourcePtr source) : source_(std::move(source)) {}

    int operator()(int line, int column) {
        if (line != line_) read(line);
        return starts_[std::min(core::at(std::max(column, 1) - 1), starts_.size() - 1)];
    }

   private:
    void read(int line) {
        line_ = line;
        starts_.clear();
        const std::string_view text = source_->line(line);
        for (std::size_t at = 0; at < text.size(); at += std::max<std::size_t>(1, utf8_length(static_cast<unsigned char>(text[at])))) {
            starts_.push_back(static_cast<int>(at) + 1);
        }
        starts_.push_back(static_cast<int>(text.size()) + 1);
    }

    SourcePtr source_;
    int line_ = 0;
    std::vector<int> starts_;  ///< the byte column of each character, and that behind the last
};

/// toml++'s description of a syntax error in our words.
std::string syntax_message(std::string text) {
    if (text.find("parsing string: unescaped control characters") != std::string::npos) {
        return "this string contains a line break or control character; is its closing quote missing? (a string of several lines is "
               "enclosed in three quotes)";
    }
    const std::string_view prefix = "Error while parsing ", macro = " (TOML_MAX_NESTED_VALUES)";
    if (text.starts_with(prefix)) text.replace(0, prefix.size(), "in ");
    if (text.ends_with(macro)) text.erase(text.size() - macro.size());
    return "this is not valid TOML: " + text;
}

class Converter {
   public:
    Converter(std::string file, const SourcePtr& source) : file_(std::move(file)), source_(source), byte_column_(source) {}

    Span span(const toml::source_region& region) {
        const auto line = static_cast<int>(region.begin.line), end_line = static_cast<int>(region.end.line);
        const int column = byte_column_(line, static_cast<int>(region.begin.column));
        const auto line_end = static_cast<int>(source_->line(line).size()) + 1;
        const int end = end_line == line ? byte_column_(line, static_cast<int>(region.end.column)) : line_end;
        return {file_, line, column, std::max(end - column, 1), source_};
    }

    Node convert(const toml::node& value) {
        Node node;
        node.span = span(value.source());
        if (const auto* table = value.as_table()) {
            convert_table(*table, node);
        } else if (const auto* array = value.as_array()) {
            node.kind = Node::Kind::array;
            for (const auto& item : *array) node.items.push_back(convert(item));
        } else if (const auto* text = value.as_string()) {
            node.kind = Node::Kind::text;
            node.text = unshielded(text->get());
            move_inside_quotes(node.span);
        } else if (const auto* integer = value.as_integer()) {
            node.kind = Node::Kind::integer;
            node.integer = integer->get();
            node.number = static_cast<double>(node.integer);
        } else if (const auto* number = value.as_floating_point()) {
            node.kind = Node::Kind::number;
            node.number = number->get();
        } else if (const auto* boolean = value.as_boolean()) {
            node.kind = Node::Kind::boolean;
            node.boolean = boolean->get();
        } else {
            throw InputError("a date or time cannot be used here; write it as a string, in quotes", node.span);
        }
        return node;
    }

   private:
    void convert_table(const toml::table& table, Node& node) {
        node.kind = Node::Kind::table;
        for (const auto& [key, value] : table) node.members.push_back({unshielded(key.str()), span(key.source()), convert(value)});
        // toml++ sorts by key; a model's fields and draws are numbered in the order of the file.
        std::stable_sort(node.members.begin(), node.members.end(), [](const Member& a, const Member& b) {
            return std::pair(a.key_span.line, a.key_span.column) < std::pair(b.key_span.line, b.key_span.column);
        });
        refuse_twice(node.members);
    }

    /// toml++ takes a key that is written once as it is and once as an escape for two, being shielded from the one and not from the other.
    static void refuse_twice(const std::vector<Member>& members) {
        std::unordered_set<std::string_view> seen;
        for (const Member& member : members) {
            if (!seen.insert(member.key).second)
                throw InputError("the key '" + member.key + "' is given twice; give it once", member.key_span);
        }
    }

    /// From the opening quote to the first character of the text: past one or three quotes, and past a line end after three.
    void move_inside_quotes(Span& span) const {
        const std::string_view line = source_->line(span.line).substr(core::at(span.column - 1));
        const bool block = line.starts_with("\"\"\"") || line.starts_with("'''");
        const int quotes = block ? 3 : 1;
        if (block && line.size() == 3) {
            ++span.line;
            span.column = 1;
            span.length = std::max(static_cast<int>(source_->line(span.line).size()), 1);
            return;
        }
        span.column += quotes;
        const bool closed_here = static_cast<int>(line.size()) >= span.length && !line.empty() && span.length >= 2 * quotes &&
                                 line[core::at(span.length - 1)] == line[0];
        span.length = std::max(span.length - (closed_here ? 2 : 1) * quotes, 1);
    }

    std::string file_;
    SourcePtr source_;
    ByteColumns byte_column_;
};

const char* kind_name(Node::Kind kind) {
    switch (kind) {
        case Node::Kind::table:
            return "a table";
        case Node::Kind::array:
            return "a list";
        case Node::Kind::text:
            return "text";
        case Node::Kind::integer:
        case Node::Kind::number:
            return "a number";
        case Node::Kind::boolean:
            return "true or false";
    }
    return "a value";
}

InputError wrong_kind(const Node& node, std::string_view what, std::string_view wanted) {
    return InputError(std::string(what) + " is " + kind_name(node.kind) + "; it must be " + std::string(wanted), node.span);
}

}  // namespace

const Node* Node::find(std::string_view key) const {
    for (const auto& member : members) {
        if (member.key == key) return &member.value;
    }
    return nullptr;
}

Node& Node::at(std::string_view key) {
    for (auto& member : members) {
        if (member.key == key) return member.value;
    }
    members.push_back({std::string(key), span, {}});
    members.back().value.span = span;
    return members.back().value;
}

Node parse_document(std::string_view text, const std::string& file_name) {
    const Span whole{file_name, 0, 0, 0};
    if (text.size() > kLargestDocument) {
        throw InputError("this file is " + grouped(static_cast<long long>(text.size())) + " bytes long; a model or run file may have " +
                             grouped(static_cast<long long>(kLargestDocument)),
                         whole);
    }
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    const SourcePtr source = make_source(std::string(text));
    check_toml_text(file_name, source);
    Converter converter(file_name, source);
    try {
        const toml::table table = toml::parse(shielded(source->text));
        Node node = converter.convert(table);
        node.span = {file_name, 0, 0, 0, source};
        return node;
    } catch (const toml::parse_error& error) {
        throw InputError(syntax_message(utf8_text(unshielded(error.description()))), converter.span(error.source()));
    }
}

Node read_document(const std::filesystem::path& path) {
    std::error_code error;
    const auto status = std::filesystem::status(path, error);
    const std::string quoted = "'" + path.string() + "'";
    if (!std::filesystem::exists(status)) throw InputError("there is no file " + quoted);
    if (std::filesystem::is_directory(status)) throw InputError(quoted + " is a folder; give a model or run file (.toml)");
    const auto size = std::filesystem::is_regular_file(status) ? std::filesystem::file_size(path, error) : 0;
    if (size > kLargestDocument) {
        throw InputError(quoted + " is " + grouped(static_cast<long long>(size)) + " bytes long; a model or run file may have " +
                         grouped(static_cast<long long>(kLargestDocument)));
    }
    const auto text = read_file(path);
    if (!text) throw InputError("cannot read " + quoted + "; check that it is a file and that you may read it");
    return parse_document(*text, path.string());
}

Node text_node(std::string text, std::string origin) {
    Node node;
    node.kind = Node::Kind::text;
    node.span = {std::move(origin), 0, 1, static_cast<int>(text.size()), make_source(text)};
    node.text = std::move(text);
    return node;
}

Node number_node(double value, std::string origin) {
    Node node = text_node(number_text(value), std::move(origin));
    node.kind = Node::Kind::number;
    node.text.clear();
    node.number = value;
    return node;
}

void merge(Node& base, const Node& over) {
    if (base.kind != Node::Kind::table || over.kind != Node::Kind::table) {
        base = over;
        return;
    }
    for (const auto& member : over.members) {
        const auto at = std::find_if(base.members.begin(), base.members.end(), [&](const Member& m) { return m.key == member.key; });
        if (at == base.members.end()) {
            base.members.push_back(member);
        } else {
            if (at->value.kind != Node::Kind::table || member.value.kind != Node::Kind::table) at->key_span = member.key_span;
            merge(at->value, member.value);
        }
    }
}

void check_keys(const Node& table, std::initializer_list<std::string_view> known, std::string_view where) {
    if (table.kind != Node::Kind::table) throw wrong_kind(table, where, "a table");
    for (const auto& member : table.members) {
        if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
        const std::vector<std::string> names(known.begin(), known.end());
        std::string message = "unknown key '" + member.key + "' in " + std::string(where);
        if (std::string hint = did_you_mean(member.key, names); !hint.empty()) {
            message += hint;
        } else {
            message += "; known are ";
            for (std::size_t i = 0; i < names.size(); ++i) message += (i > 0 ? ", " : "") + names[i];
        }
        throw InputError(std::move(message), member.key_span);
    }
}

const std::string& expect_text(const Node& node, std::string_view what) {
    if (node.kind != Node::Kind::text) throw wrong_kind(node, what, "text, in quotes");
    return node.text;
}

double expect_number(const Node& node, std::string_view what) {
    if (!node.is_number()) throw wrong_kind(node, what, "a number");
    if (!std::isfinite(node.number)) {
        throw InputError(std::string(what) + " is " + number_text(node.number) + "; it must be a finite number", node.span);
    }
    return node.number;
}

std::int64_t expect_integer(const Node& node, std::string_view what) {
    constexpr double kExact = 9007199254740992.0;
    if (node.kind == Node::Kind::integer) return node.integer;
    const double value = expect_number(node, what);
    if (value != std::floor(value) || std::abs(value) > kExact) {
        throw InputError(std::string(what) + " is " + number_text(value) + "; it must be a whole number", node.span);
    }
    return static_cast<std::int64_t>(value);
}

bool expect_boolean(const Node& node, std::string_view what) {
    if (node.kind != Node::Kind::boolean) throw wrong_kind(node, what, "true or false");
    return node.boolean;
}

Text expect_expression(const Node& node, std::string_view what) {
    if (node.kind == Node::Kind::text) return {node.text, node.span};
    if (!node.is_number()) throw wrong_kind(node, what, "an expression in quotes, or a number");
    return {number_text(expect_number(node, what)), node.span};
}

}  // namespace mottle::core

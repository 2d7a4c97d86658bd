// mottle/core/document.h: the only TOML reader: a tree of values with their places, unknown-key check and nearest name
#pragma once
#include "mottle/core/span.h"

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace mottle::core {

struct Member;

/// One TOML value. Tables keep their keys in the order of the file.
struct Node {
    enum class Kind { table, array, text, integer, number, boolean };
    Kind kind = Kind::table;
    Span span;                    ///< of the value; for text: of the first character inside the quotes
    std::string text;             ///< kind text
    double number = 0;            ///< kinds integer and number
    std::int64_t integer = 0;     ///< kind integer
    bool boolean = false;         ///< kind boolean
    std::vector<Member> members;  ///< kind table
    std::vector<Node> items;      ///< kind array

    /// The member `key` of a table, or nullptr (also when this is no table).
    const Node* find(std::string_view key) const;
    /// The member `key`, made (an empty table) if missing.
    Node& at(std::string_view key);
    bool is_number() const { return kind == Kind::integer || kind == Kind::number; }
};

struct Member {
    std::string key;
    Span key_span;
    Node value;
};

/// Parses TOML text. Throws: InputError with place on a syntax error, on text that is not UTF-8, or beyond 1 MiB.
Node parse_document(std::string_view text, const std::string& file_name);

/// Reads and parses a file. Throws: InputError if it cannot be read.
Node read_document(const std::filesystem::path& path);

/// A text node as made by a flag, not a file; its span names the flag.
Node text_node(std::string text, std::string origin);
/// A numeric node as made by a flag.
Node number_node(double value, std::string origin);

/// Lays `over` upon `base`: tables merge key by key, everything else is replaced.
void merge(Node& base, const Node& over);

/// Throws InputError naming the unknown key of `table`, its place, and the nearest of `known`. `where` describes the table, e.g. "[grid]".
void check_keys(const Node& table, std::initializer_list<std::string_view> known, std::string_view where);

/// Typed access; each throws InputError with the place if the kind is wrong. `what` names the key in the message.
const std::string& expect_text(const Node& node, std::string_view what);
double expect_number(const Node& node, std::string_view what);  ///< finite
std::int64_t expect_integer(const Node& node, std::string_view what);
bool expect_boolean(const Node& node, std::string_view what);

/// Text, or a number turned into text with 17 digits: the places where an expression may stand ("F = 0.03" or "F = '0.03+X'").
Text expect_expression(const Node& node, std::string_view what);

}  // namespace mottle::core

// mottle/domain/readers/read_ply.cpp: PLY, ascii and binary of both byte orders
#include "mottle/core/error.h"
#include "mottle/core/text.h"
#include "mottle/domain/readers/read.h"
#include "mottle/domain/readers/read_text.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>

namespace mottle::domain {

namespace {

enum class Type { i8, u8, i16, u16, i32, u32, f32, f64 };
constexpr std::array<std::size_t, 8> kBytes = {1, 1, 2, 2, 4, 4, 4, 8};
constexpr double kLargestIndex = 0x1p53;  // text may hold larger numbers than any type of the format

std::optional<Type> type_of(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, Type>, 16> kTypes = {{{"char", Type::i8},
                                                                           {"int8", Type::i8},
                                                                           {"uchar", Type::u8},
                                                                           {"uint8", Type::u8},
                                                                           {"short", Type::i16},
                                                                           {"int16", Type::i16},
                                                                           {"ushort", Type::u16},
                                                                           {"uint16", Type::u16},
                                                                           {"int", Type::i32},
                                                                           {"int32", Type::i32},
                                                                           {"uint", Type::u32},
                                                                           {"uint32", Type::u32},
                                                                           {"float", Type::f32},
                                                                           {"float32", Type::f32},
                                                                           {"double", Type::f64},
                                                                           {"float64", Type::f64}}};
    const auto* found = std::find_if(kTypes.begin(), kTypes.end(), [&](const auto& t) { return t.first == word; });
    return found == kTypes.end() ? std::nullopt : std::optional(found->second);
}

bool is_integer(Type type) { return type != Type::f32 && type != Type::f64; }

struct Property {
    std::string name;
    Type type = Type::f32;
    std::optional<Type> count;  ///< of a list
};

struct Element {
    std::string name;
    Index count = 0;
    std::vector<Property> properties;

    int find(std::initializer_list<std::string_view> names) const {
        for (std::size_t i = 0; i < properties.size(); ++i) {
            if (std::find(names.begin(), names.end(), properties[i].name) != names.end()) return static_cast<int>(i);
        }
        return -1;
    }
};

/// The values of a file, one after the other.
class Values {
   public:
    virtual ~Values() = default;
    virtual void begin_element(const Element& element, Index number) = 0;
    virtual double next(Type type) = 0;
    [[noreturn]] virtual void fail(const std::string& message) const = 0;
    virtual int line() const { return 0; }
};

class AsciiValues : public Values {
   public:
    explicit AsciiValues(LineReader& lines) : lines_(lines) {}
    void begin_element(const Element& element, Index number) override {
        if (!lines_.next_line_of_words())
            lines_.fail("the file ends after " + core::grouped(number) + " of " + core::grouped(element.count) + " elements '" +
                        element.name + "'");
    }
    double next(Type type) override {
        return is_integer(type) ? static_cast<double>(lines_.integer("a whole number")) : lines_.number("a number");
    }
    void fail(const std::string& message) const override { lines_.fail(message); }
    int line() const override { return lines_.line(); }

   private:
    LineReader& lines_;
};

class BinaryValues : public Values {
   public:
    BinaryValues(std::string_view bytes, std::size_t at, bool big, const std::string& file)
        : bytes_(bytes), at_(at), big_(big), file_(file) {}
    void begin_element(const Element& element, Index number) override {
        element_ = &element;
        number_ = number;
    }
    double next(Type type) override {
        const std::size_t size = kBytes[static_cast<std::size_t>(type)];
        if (bytes_.size() - at_ < size)
            fail("the file ends inside element " + std::to_string(number_) + " of " + core::grouped(element_->count) + " elements '" +
                 element_->name + "'");
        std::uint64_t raw = 0;
        for (std::size_t i = 0; i < size; ++i) raw = raw << 8 | static_cast<unsigned char>(bytes_[at_ + (big_ ? i : size - 1 - i)]);
        at_ += size;
        switch (type) {
            case Type::i8:
                return static_cast<std::int8_t>(raw);
            case Type::i16:
                return static_cast<std::int16_t>(raw);
            case Type::i32:
                return static_cast<std::int32_t>(raw);
            case Type::u8:
            case Type::u16:
            case Type::u32:
                return static_cast<double>(raw);
            case Type::f32:
                return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(raw)));
            case Type::f64:
                break;
        }
        return std::bit_cast<double>(raw);
    }
    void fail(const std::string& message) const override {
        throw core::InputError(file_ + ": byte " + std::to_string(at_) + ": " + message);
    }

   private:
    std::string_view bytes_;
    std::size_t at_;
    bool big_;
    const std::string& file_;
    const Element* element_ = nullptr;
    Index number_ = 0;
};

class PlyReader {
   public:
    PlyReader(std::string_view bytes, const std::string& file) : bytes_(bytes), file_(file), lines_(bytes, file) {}

    TriangleSoup read() {
        read_header();
        bound_counts();
        AsciiValues ascii(lines_);
        BinaryValues binary(bytes_, lines_.next_offset(), format_ == "binary_big_endian", file_);
        Values& values = format_ == "ascii" ? static_cast<Values&>(ascii) : binary;
        for (const Element& element : elements_) {
            if (element.name == "vertex")
                read_vertices(element, values);
            else if (element.name == "face")
                read_faces(element, values);
            else
                skip(element, values);
        }
        return polygons_.triangulate(file_, 0);
    }

   private:
    void read_header() {
        if (!lines_.next_line() || lines_.next_word() != "ply") lines_.fail("a PLY file begins with the word ply");
        for (;;) {
            if (!lines_.next_line()) lines_.fail("the file ends before 'end_header'");
            const std::string_view word = lines_.next_word();
            if (word == "end_header") break;
            if (word == "comment")
                own_ = own_ || (lines_.next_word() == "written" && lines_.next_word() == "by" && lines_.next_word() == "Mottle,");
            if (word.empty() || word == "comment" || word == "obj_info") continue;
            if (word == "format")
                read_format();
            else if (word == "element")
                read_element();
            else if (word == "property")
                read_property();
            else
                lines_.fail("unknown word in the header; it has format, comment, element, property", word);
        }
        if (format_.empty()) lines_.fail("the header does not say the format");
        const auto named = [&](std::string_view name) {
            return std::find_if(elements_.begin(), elements_.end(), [&](const Element& e) { return e.name == name; });
        };
        const auto vertex = named("vertex"), face = named("face");
        if (vertex == elements_.end()) lines_.fail("the header has no element 'vertex'");
        for (const char* axis : {"x", "y", "z"}) {
            const int found = vertex->find({axis});
            if (found < 0 || vertex->properties[core::at(found)].count)
                lines_.fail("the element 'vertex' has no number '" + std::string(axis) + "'");
        }
        if (face == elements_.end()) {
            if (named("tristrips") != elements_.end()) lines_.fail("triangle strips are not read; write the faces one by one");
            lines_.fail("the header has no element 'face'");
        }
        const int list = face->find({"vertex_indices", "vertex_index"});
        if (list < 0 || !face->properties[core::at(list)].count || !is_integer(face->properties[core::at(list)].type))
            lines_.fail("the element 'face' has no list of whole numbers 'vertex_indices'");
    }

    void read_format() {
        const std::string_view word = lines_.next_word();
        if (word != "ascii" && word != "binary_little_endian" && word != "binary_big_endian")
            lines_.fail("the format is ascii, binary_little_endian or binary_big_endian", word);
        format_ = word;
    }

    void read_element() {
        Element& element = elements_.emplace_back();
        element.name = lines_.next_word();
        const std::string_view word = lines_.next_word();
        element.count = lines_.integer_of(word, "the number of elements");
        if (element.count < 0) lines_.fail("the number of elements is negative", word);
        const auto same = [&](const Element& e) { return e.name == element.name; };
        if (std::count_if(elements_.begin(), elements_.end(), same) > 1)
            lines_.fail("the element '" + element.name + "' stands twice in the header");
    }

    void read_property() {
        if (elements_.empty()) lines_.fail("a property before the first element");
        Property property;
        auto read_type = [&](std::string_view word, const char* what) {
            const std::optional<Type> type = type_of(word);
            if (!type) lines_.fail(std::string(what) + " is one of char, uchar, short, ushort, int, uint, float, double", word);
            return *type;
        };
        std::string_view word = lines_.next_word();
        if (word == "list") {
            word = lines_.next_word();
            property.count = read_type(word, "the type of a length");
            if (!is_integer(*property.count)) lines_.fail("the length of a list must be a whole number", word);
            word = lines_.next_word();
        }
        property.type = read_type(word, "the type of a property");
        property.name = lines_.next_word();
        if (property.name.empty()) lines_.fail("the property has no name");
        elements_.back().properties.push_back(property);
    }

    /// Counts that cannot fit into the rest of the file are refused before anything is reserved for them.
    void bound_counts() {
        const auto left = static_cast<Index>(bytes_.size() - lines_.next_offset());
        for (const Element& element : elements_) {
            Index least = 0;  // bytes of one element
            for (const Property& p : element.properties)
                least += format_ == "ascii" ? 2 : static_cast<Index>(kBytes[static_cast<std::size_t>(p.count.value_or(p.type))]);
            if (element.count > 0 && (least == 0 || element.count > (left + 1) / least)) {
                const std::string message = "the file says that it has " + core::grouped(element.count) + " elements '" + element.name +
                                            "' of at least " + std::to_string(least) + " bytes, but only " + core::grouped(left) +
                                            " bytes follow the header";
                if (format_ == "ascii") lines_.fail(message);
                throw core::InputError(file_ + ": byte " + std::to_string(lines_.next_offset()) + ": " + message);
            }
        }
    }

    /// Calls number(property, value) for the plain numbers of an element; lists are passed over.
    template <class Number>
    void read_properties(const Element& element, Values& values, Number&& number) {
        for (std::size_t p = 0; p < element.properties.size(); ++p) {
            const Property& property = element.properties[p];
            if (!property.count) {
                number(p, values.next(property.type));
                continue;
            }
            for (Index left = list_length(values, property); left > 0; --left) values.next(property.type);
        }
    }

    Index list_length(Values& values, const Property& property) const {
        const double length = values.next(*property.count);
        if (length < 0 || length > static_cast<double>(bytes_.size()))
            values.fail("a list of " + core::number_text(length) + " entries in '" + property.name + "'");
        return static_cast<Index>(length);
    }

    void skip(const Element& element, Values& values) {
        for (Index i = 0; i < element.count; ++i) {
            values.begin_element(element, i);
            read_properties(element, values, [](std::size_t, double) {});
        }
    }

    void read_vertices(const Element& element, Values& values) {
        TriangleSoup& soup = polygons_.soup;
        const std::array<int, 3> axes = {element.find({"x"}), element.find({"y"}), element.find({"z"})};
        const std::array<int, 2> texture = {element.find({"s", "u", "texture_u"}), element.find({"t", "v", "texture_v"})};
        const bool textured = !own_ && texture[0] >= 0 && texture[1] >= 0;
        std::vector<int> attribute(element.properties.size(), -1);
        for (std::size_t p = 0; p < element.properties.size(); ++p) {
            if (element.properties[p].count || std::find(axes.begin(), axes.end(), static_cast<int>(p)) != axes.end()) continue;
            attribute[p] = static_cast<int>(soup.attributes.size());
            soup.attributes.push_back({element.properties[p].name, {}});
            soup.attributes.back().values.reserve(core::at(element.count));
        }
        soup.position.reserve(core::at(element.count));
        std::vector<double> numbers(element.properties.size());
        for (Index i = 0; i < element.count; ++i) {
            values.begin_element(element, i);
            read_properties(element, values, [&](std::size_t p, double value) {
                numbers[p] = value;
                if (attribute[p] >= 0) soup.attributes[core::at(attribute[p])].values.push_back(value);
            });
            Point& point = soup.position.emplace_back();
            for (std::size_t d = 0; d < 3; ++d) {
                point[d] = numbers[core::at(axes[d])];
                if (!std::isfinite(point[d]))
                    values.fail("a coordinate of vertex " + std::to_string(i) + " (from 0) is " + core::number_text(point[d]) +
                                "; it must be finite");
            }
            if (textured) soup.texture.push_back({numbers[core::at(texture[0])], numbers[core::at(texture[1])]});
        }
    }

    void read_faces(const Element& element, Values& values) {
        const int list = element.find({"vertex_indices", "vertex_index"});
        std::vector<Index> face;
        for (Index i = 0; i < element.count; ++i) {
            values.begin_element(element, i);
            for (std::size_t p = 0; p < element.properties.size(); ++p) {
                const Property& property = element.properties[p];
                const Index length = property.count ? list_length(values, property) : 1;
                const bool corners = static_cast<int>(p) == list;
                if (corners && length < 3) values.fail("a face needs at least 3 vertices, this one has " + std::to_string(length));
                face.clear();
                for (Index c = 0; c < length; ++c) {
                    const double value = values.next(property.type);
                    if (!corners) continue;
                    if (std::abs(value) > kLargestIndex)
                        values.fail("the index of a vertex is " + core::number_text(value) + ", beyond what a mesh can have");
                    face.push_back(static_cast<Index>(value));
                }
                if (corners) polygons_.add(face, values.line());
            }
        }
    }

    std::string_view bytes_;
    const std::string& file_;
    LineReader lines_;
    std::string format_;
    bool own_ = false;  ///< written by Mottle: u and v are fields there, no texture coordinates
    std::vector<Element> elements_;
    PolygonSoup polygons_;
};

}  // namespace

TriangleSoup read_ply(std::string_view bytes, const std::string& file) { return PlyReader(bytes, file).read(); }

}  // namespace mottle::domain

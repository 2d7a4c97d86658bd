// tests/oracle/language/model_text.h: a model on a grid or a surface as texts, and as the file that Mottle reads; includes nothing of Mottle
#pragma once
#include "oracle/language/word.h"

#include <array>
#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace language {

/// periodic, no-flux, still, value(a), outside(a), flux(a), robin(a, b, c); the numbers are expressions of t.
struct Border {
    Word rule = words::periodic;
    std::vector<std::string> numbers;
    std::string text() const {
        std::string out = rule.text();
        for (std::size_t i = 0; i < numbers.size(); ++i) out += (i == 0 ? "(" : ", ") + numbers[i];
        return numbers.empty() ? out : out + ")";
    }
};
/// left right top bottom front back
using Borders = std::array<Border, 6>;
inline constexpr std::array<const char*, 6> kSides = {"left", "right", "top", "bottom", "front", "back"};

struct Named {
    std::string name, text;
};
struct FieldText {
    std::string name, rate, initial;
    std::optional<std::array<double, 2>> clamp;
    std::optional<Borders> borders;            ///< of its own
    std::optional<std::vector<Border>> loops;  ///< of its own
};

class ModelText {
   public:
    std::string shape;  ///< of a surface; "" on a grid
    double scale = 1;   ///< of a surface: lengths of the equations per length of the shape
    int dimensions = 2;
    std::array<int, 3> size{1, 1, 1};
    std::array<double, 3> spacing{1, 1, 1};
    bool nine = false;  ///< the 9-point Laplacian
    std::vector<FieldText> fields;
    std::vector<Named> numbers, maps, definitions;
    Borders borders;
    std::vector<Border> loops;  ///< of a surface: no-flux or value(a)
    std::string method = "euler";
    int stages = 0;          ///< of rkl1, rkl2, sts1 and sts2
    std::vector<int> order;  ///< of sts1 and sts2: in which the lengths of the stages come, as places among the ascending ones
    double dt = 0.01;
    std::uint64_t seed = 0;
    int steps = 11;

    std::string toml() const {
        std::ostringstream out;
        out.precision(17);
        out << "[equations]\n";
        for (const FieldText& field : fields) out << field.name << " = \"" << field.rate << "\"\n";
        if (!numbers.empty() || !maps.empty()) out << "[parameters]\n";
        for (const Named& number : numbers) out << number.name << " = " << number.text << "\n";
        for (const Named& map : maps) out << map.name << " = \"" << map.text << "\"\n";
        if (!definitions.empty()) out << "[define]\n";
        for (const Named& definition : definitions) out << definition.name << " = \"" << definition.text << "\"\n";
        out << "[initial]\n";
        for (const FieldText& field : fields) out << field.name << " = \"" << field.initial << "\"\n";
        out << "[clamp]\n";
        for (const FieldText& field : fields) {
            if (field.clamp) out << field.name << " = [" << (*field.clamp)[0] << ", " << (*field.clamp)[1] << "]\n";
        }
        if (!shape.empty()) {
            out << "[mesh]\nshape = \"" << shape << "\"\nscale = " << scale << "\n";
            const auto write_loops = [&](const std::vector<Border>& rules) {
                for (std::size_t i = 0; i < rules.size(); ++i) out << "loop" << i << " = \"" << rules[i].text() << "\"\n";
            };
            if (!loops.empty()) out << "[boundary]\n";
            write_loops(loops);
            for (const FieldText& field : fields) {
                if (!field.loops) continue;
                out << "[boundary." << field.name << "]\n";
                write_loops(*field.loops);
            }
            write_end(out);
            return out.str();
        }
        out << "[grid]\nsize = \"" << size[0];
        for (int d = 1; d < dimensions; ++d) out << "x" << size[static_cast<std::size_t>(d)];
        out << "\"\nspacing = \"" << spacing[0];
        for (int d = 1; d < dimensions; ++d) out << "," << spacing[static_cast<std::size_t>(d)];
        out << "\"\n";
        if (nine) out << "stencil = \"9\"\n";
        out << "[boundary]\n";
        const auto write = [&](const Borders& borders_of) {
            for (std::size_t side = 0; side < static_cast<std::size_t>(2 * dimensions); ++side)
                out << kSides[side] << " = \"" << borders_of[side].text() << "\"\n";
        };
        write(borders);
        for (const FieldText& field : fields) {
            if (!field.borders) continue;
            out << "[boundary." << field.name << "]\n";
            write(*field.borders);
        }
        write_end(out);
        return out.str();
    }

   private:
    void write_end(std::ostringstream& out) const {
        out << "[method]\nname = \"" << method << "\"\n";
        if (stages > 0) out << "stages = " << stages << "\n";
        out << "[time]\nsteps = " << steps << "\ndt = " << dt << "\n[run]\nseed = " << seed << "\n";
    }
};

}  // namespace language

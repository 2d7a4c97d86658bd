// tests/oracle/language/random_model.h: models of chance, in which everything that the language has meets everything else; includes nothing of Mottle
#pragma once
#include "oracle/language/model_text.h"

#include <cstdio>
#include <random>

namespace language {

class RandomModel {
   public:
    explicit RandomModel(std::uint64_t seed) : random_(seed), more_(~seed) { model_.seed = seed % 1000; }

    ModelText make() {
        model_.dimensions = surface_ ? 3 : pick({1, 2, 2, 2, 3});
        const bool equal = chance(0.4);
        const double h = real(0.5, 1.5);
        for (std::size_t d = 0; d < 3; ++d) {
            const bool used = static_cast<int>(d) < model_.dimensions;
            model_.size[d] = !used                    ? 1
                             : exponential_           ? (model_.dimensions == 1 ? pick({9, 24, 25})
                                                                                : pick({3, 4, 5, 6}) + (d == 0 && model_.dimensions == 2 ? 6 : 0))
                             : model_.dimensions == 3 ? pick({4, 5, 6, 7})
                             : model_.dimensions == 2 ? pick({5, 8, 11, 16})
                                                      : pick({9, 24, 33});
            model_.spacing[d] = !used ? 1 : equal ? h : real(0.5, 1.5);
        }
        if (exponential_ && model_.dimensions == 2 && model_.size[0] == 11) model_.size[0] = 15;  // 2^a 3^b 5^c
        model_.nine = equal && model_.dimensions == 2 && chance(0.3) && (!split_ || exponential_);
        model_.method =
            std::vector<const char*>{"euler", "euler", "midpoint", "heun", "rk4"}[static_cast<std::size_t>(pick({0, 1, 2, 3, 4}))];
        names_ = {"u", "v", "w"};
        names_.resize(static_cast<std::size_t>(pick({1, 2, 2, 3})));
        model_.numbers = {{"a", number(0.2, 1.5)}, {"b", number(0.1, 1)}};
        if (chance(0.6)) model_.maps.push_back({"m", number(0.3, 1) + " + " + number(0, 0.5) + "*" + coordinate()});
        model_.borders = borders();
        bool still = false;
        for (const Border& border : model_.borders) still = still || border.rule == "still";
        for (const std::string& name : names_) {
            FieldText field;
            field.name = name;
            field.initial = number(0.3, 0.7) + " + " + number(0.05, 0.2) + "*sin(" + number(2, 9) + "*" + coordinate() + " + " +
                            number(0, 3) + ")" + (model_.dimensions > 1 ? "*cos(" + number(2, 9) + "*Y)" : "");
            if (chance(0.25)) field.clamp = {{0.25, 0.85}};
            if (!still && chance(0.4)) field.borders = own_borders();
            model_.fields.push_back(field);
        }
        if (chance(0.4)) model_.definitions.push_back({"q", "a*" + field() + "^2 + " + coordinate()});
        for (FieldText& field : model_.fields) field.rate = rate(field.name);
        model_.dt = 0.003;
        return model_;
    }

    /// For imex, imex2 or etdrk4, without what these refuse.
    ModelText make_split() {
        split_ = true;
        const std::vector<const char*> methods = {"imex", "imex2", "etdrk4"};
        const std::string method = methods[std::uniform_int_distribution<std::size_t>(0, 2)(more_)];
        exponential_ = method == "etdrk4";
        noisy_ = method == "imex";
        const bool surface = !exponential_ && more(0.2);
        surface ? make_on_surface() : make();
        model_.method = method;
        model_.dt *= exponential_ ? 6 : 4;
        for (FieldText& field : model_.fields) {
            const std::vector<std::string> own = {
                " - b*" + field.name, " + div(a*grad(" + field.name + "))", " + b*(" + names_.back() + " - 2*" + field.name + ")",
                " - 0.02*lap(lap(" + field.name + ") + a*" + field.name + ")", " + lap((" + field.name + " - " + field.name + "^3)/8)"};
            for (const std::string& term : own) field.rate += more(0.2) ? term : "";
        }
        return model_;
    }

    /// With what needs more than one field, one side or one step to be seen: a field so faint that underflow takes it, and values on the loops of a surface.
    ModelText with_more(ModelText model) {
        model_ = std::move(model);
        if (!model_.shape.empty() && !split_) add_loops();
        if (more(0.3)) add_faint_field();
        return model_;
    }

    /// On a small surface: without dx and its like, and without borders.
    ModelText make_on_surface() {
        surface_ = true;
        make();
        model_.shape =
            std::vector<const char*>{"sphere:2", "torus:1,0.4,12", "plane:7x9", "plane:5x5"}[static_cast<std::size_t>(pick({0, 1, 2}))];
        model_.scale = real(2, 6);
        model_.dt = 0.002;
        return model_;
    }

   private:
    bool more(double share) { return std::uniform_real_distribution<double>(0, 1)(more_) < share; }
    std::string more_of(double lo, double hi) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3f", std::uniform_real_distribution<double>(lo, hi)(more_));
        return text;
    }

    void add_loops() {
        if (more(0.3)) model_.shape = "cylinder:1,2,8";
        const std::size_t count = model_.shape.starts_with("cylinder") ? 2 : model_.shape.starts_with("plane") ? 1 : 0;
        const auto draw = [&] {
            std::vector<Border> loops(count);
            for (Border& loop : loops)
                loop = more(0.5) ? Border{"no-flux", {}} : Border{"value", {more_of(0.2, 0.8) + (more(0.5) ? " + 0.1*sin(9*t)" : "")}};
            return loops;
        };
        model_.loops = draw();
        for (FieldText& field : model_.fields) {
            if (more(0.3)) field.loops = draw();
        }
    }

    /// Values about 2^-340, below which they become 0, and what another field makes of them.
    void add_faint_field() {
        FieldText faint;
        faint.name = "faint";
        for (std::size_t side = 0; side < 6; ++side) {
            if (model_.borders[side].rule == "still") return;  // for all fields
        }
        Borders borders = model_.borders;
        for (Border& border : borders) border = border.rule == "periodic" ? border : Border{"no-flux", {}};
        if (model_.shape.empty()) faint.borders = borders;
        if (!model_.loops.empty()) faint.loops = std::vector<Border>(model_.loops.size(), Border{"no-flux", {}});
        faint.initial = more_of(2, 9) + "e-103*(1.1 + sin(" + more_of(2, 9) + "*X + " + more_of(0, 3) + "))";
        faint.rate = more_of(0.1, 1) + "*lap(faint) - " + more_of(1, 20) + "*faint";
        model_.fields[0].rate += " + 1e102*faint";
        model_.fields.push_back(faint);
    }

    bool chance(double share) { return std::uniform_real_distribution<double>(0, 1)(random_) < share; }
    double real(double lo, double hi) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3f", std::uniform_real_distribution<double>(lo, hi)(random_));
        return std::stod(text);
    }
    int pick(const std::vector<int>& of) { return of[std::uniform_int_distribution<std::size_t>(0, of.size() - 1)(random_)]; }
    std::string number(double lo, double hi) {
        char text[32];
        std::snprintf(text, sizeof text, "%.3f", std::uniform_real_distribution<double>(lo, hi)(random_));
        return text[0] == '-' ? "(" + std::string(text) + ")" : text;
    }
    std::string field() { return names_[std::uniform_int_distribution<std::size_t>(0, names_.size() - 1)(random_)]; }
    std::string axis(const char* names) { return std::string(1, names[pick({0, 1, 2}) % model_.dimensions]); }
    std::string coordinate() { return axis("XYZ"); }
    std::string slope() { return "d" + axis("xyz"); }

    Border border(bool of_field) {
        Border one;
        one.rule = std::vector<const char*>{"no-flux", "value", "outside", "flux", "robin", "still"}[static_cast<std::size_t>(
            pick(of_field ? std::vector<int>{0, 1, 2, 3, 4} : std::vector<int>{0, 1, 2, 3, 4, 5}))];
        const std::string moving = chance(0.3) ? " + 0.1*sin(9*t)" : "";
        if (one.rule == "value" || one.rule == "outside") one.numbers = {number(0.2, 0.8) + moving};
        if (one.rule == "flux") one.numbers = {number(-0.3, 0.3) + moving};
        if (one.rule == "robin") one.numbers = {number(0.5, 1.5), number(0.5, 1.5), number(0.1, 0.8) + moving};
        return one;
    }
    /// Both sides of an axis wrap, or neither.
    Borders borders() {
        Borders all;
        for (std::size_t d = 0; d < 3; ++d) {
            if (static_cast<int>(d) >= model_.dimensions || chance(0.3)) continue;
            all[2 * d] = border(split_);  // without still
            all[2 * d + 1] = border(split_);
            if (exponential_) all[2 * d] = all[2 * d + 1] = Border{"no-flux", {}};
        }
        return all;
    }
    /// Compiled kernels of volumes wrap all fields of an axis, or none.
    Borders own_borders() {
        Borders all = model_.borders;
        if (exponential_ && model_.dimensions < 3) {
            for (std::size_t d = 0; d < 2; ++d) all[2 * d] = all[2 * d + 1] = Border{chance(0.5) ? "no-flux" : "periodic", {}};
        }
        if (exponential_) return all;
        for (std::size_t side = 0; side < static_cast<std::size_t>(2 * model_.dimensions); ++side) {
            const bool wraps = all[side].rule == "periodic";
            if (!wraps) all[side] = border(true);
        }
        return all;
    }

    std::string smooth() {
        switch (pick({0, 1, 2, 3, 4, 5})) {
            case 0:
                return "exp(-" + field() + ")";
            case 1:
                return "sin(" + number(1, 3) + "*" + field() + ")";
            case 2:
                return field() + "*" + field();
            case 3:
                return field() + "^3";
            case 4:
                return "tanh(" + field() + " - b)";
            default:
                return "1/(1 + " + field() + "^2)";
        }
    }
    std::string conductivity() {
        int kind = pick({0, 1, 2, 3, 4, 5});
        if (split_ && kind == 3) kind = 0;                         // no sums
        if (split_ && kind == 1 && model_.maps.empty()) kind = 2;  // no diffusion below 0 that is solved for
        switch (kind) {
            case 0:
                return "(1 + " + number(0.1, 0.5) + "*" + field() + "^2)";
            case 1:
                return model_.maps.empty() ? "a" : "m";
            case 2:
                return "(1 + " + number(0.1, 0.9) + "*" + coordinate() + ")";
            case 3:
                return "(a + mean(" + field() + "))";
            case 4:
                return "(1 + 0.02*lap(" + field() + "))";
            default:
                return field();
        }
    }
    std::string term() {
        int kind = pick({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19});
        if (split_ && (kind == 5 || kind == 11 || kind == 19)) kind = 9;
        if (split_ && !noisy_ && (kind == 6 || kind == 14)) kind = 13;
        switch (surface_ && (kind == 0 || kind == 12 || kind == 17) ? (split_ && !noisy_ ? 13 : 14) : kind) {
            case 0:
                return "a*" + slope() + "(" + field() + ")";
            case 1:
                return "div(" + conductivity() + "*grad(" + field() + "))";
            case 2:
                return "norm2(grad(" + field() + "))";
            case 3:
                return "dot(grad(" + field() + "), grad(" + field() + "))";
            case 4:
                return "0.02*bilap(" + field() + ")*(-1)";
            case 5:
                return number(-1, 1) + "*mean(" + smooth() + ")*" + field();
            case 6:
                return "0.05*white()*" + field();
            case 7:
                return "where(" + field() + " > " + number(0.4, 0.6) + ", " + smooth() + ", " + field() + ")";
            case 8:
                return number(-1, 1) + "*cos(20*t)*" + smooth();
            case 9:
                return model_.definitions.empty() ? smooth() : "q*" + field();
            case 10:
                return (model_.maps.empty() ? "b" : "m") + std::string("*") + smooth();
            case 11:
                return "0.1*integral(" + field() + ")*" + coordinate() + "/" +
                       std::to_string(model_.size[0] * model_.size[1] * model_.size[2]);
            case 12:
                return field() + "*" + slope() + "(" + field() + ")";
            case 13:
                return "min(" + field() + ", " + smooth() + ") - max(" + field() + ", 0.5)";
            case 14:
                return "0.03*white()";
            case 15:
                return "lap(" + smooth() + ")";
            case 19:  // sums of sums
                return number(-1, 1) + "*mean(abs(" + field() + " - mean(" + field() + "*mean(" + field() + "^2))))*" + field();
            case 16:
                return "0.02*lap(" + conductivity() + "*lap(" + field() + "))*(-1)";
            case 17:
                return "0.1*" + slope() + "(" + slope() + "(" + field() + "))";
            default:
                return smooth();
        }
    }
    std::string rate(const std::string& own) {
        std::string text = number(0.2, 1) + "*lap(" + own + ")";
        const int terms = pick({1, 2, 3, 4});
        for (int i = 0; i < terms; ++i) text += (chance(0.5) ? " + " : " - ") + term();
        return text;
    }

    bool surface_ = false, split_ = false, exponential_ = false, noisy_ = false;
    std::mt19937_64 random_, more_;  ///< the second for what was added to models later
    ModelText model_;
    std::vector<std::string> names_;
};

}  // namespace language

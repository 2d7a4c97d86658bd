// tests/physics/random_models.h: models of chance of many families, without ranges: equations, starts and where they run
#pragma once
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace mottle::physics {

struct RandomModel {
    std::string family;
    std::vector<std::string> fields;
    std::string text;   ///< equations and starts
    std::string where;  ///< domain, spacing and boundary, as flags
    double end = 60;    ///< time: patterns have grown at half of it
};

/// One family of equations for each number; coefficients, domain, spacing and boundary by chance. Most of what is drawn stays bounded.
class RandomModels {
   public:
    explicit RandomModels(int seed) : random_(static_cast<std::uint64_t>(seed)), family_(seed % kFamilies) { random_.discard(1000); }

    RandomModel draw() {
        switch (family_) {
            case 0:
                return cubic_pair();
            case 1:
                return growth();
            case 2:
                return turing(8, 60);
            case 3:
                return turing(100, 500);
            case 4:
                return excitable();
            case 5:
                return oscillator();
            case 6:
                return chemotaxis();
            case 7:
                return fourth_order();
            case 8:
                return three_species();
            default:
                return predators();
        }
    }

   private:
    static constexpr int kFamilies = 10;

    double between(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }
    /// As likely to be in each octave.
    double scaled(double lo, double hi) { return lo * std::exp(between(0, std::log(hi / lo))); }
    bool chance(double share) { return between(0, 1) < share; }
    static std::string text_of(double x) { return std::to_string(x); }
    std::string number(double lo, double hi) { return text_of(between(lo, hi)); }

    /// A line, a plane, a volume or a sphere. `length`: what patterns measure, of which some eight fit along each side.
    std::string where(double length, bool surfaces = true) {
        const int kind = static_cast<int>(between(0, surfaces ? 8 : 6));
        const double cells = between(4, 9);  // of one length
        const std::string spacing = "spacing = " + text_of(length / cells) + "\n", boundary = chance(0.4) ? "boundary = 'no-flux'\n" : "";
        if (kind == 0) return "size = '150'\n" + spacing + boundary;
        if (kind == 1) return "size = '16x14x12'\n" + spacing + boundary;
        if (kind >= 6) return "mesh = 'sphere:4'\nmesh_scale = " + text_of(length) + "\n";
        return "size = '48x40'\n" + spacing + boundary + (chance(0.2) ? "stencil = '9'\n" : "");
    }

    static std::string equation(const std::string& field, const std::string& rate) { return "equations." + field + " = '" + rate + "'\n"; }
    static std::string start(const std::string& field, const std::string& value) { return "initial." + field + " = '" + value + "'\n"; }

    /// Growth at small amplitudes that cubes bend back, coupled, with drift and slopes now and then.
    RandomModel cubic_pair() {
        const std::string strength = text_of(scaled(0.1, 6)), place = where(6, false);
        std::string u = number(0.2, 1.5) + "*u - " + number(0.3, 2) + "*u^3 + " + number(-1, 1) + "*v";
        std::string v = number(-1, 0.5) + "*v - " + number(0.2, 2) + "*v^3 + " + number(-1, 1) + "*u";
        if (chance(0.5)) u += " + " + number(-1, 1) + "*u*v";
        if (chance(0.3)) u += " - " + number(0.1, 1) + "*u*v^2";
        if (chance(0.3)) v += " + " + number(-0.5, 0.5) + "*u^2";
        u = number(0.1, 2) + "*lap(u) + " + strength + "*(" + u + ")";
        v = number(0.1, 2) + "*lap(v) + " + strength + "*(" + v + ")";
        const bool plane = place.find("48x40") != std::string::npos;
        if (chance(0.3)) u += " - " + number(0.05, 0.4) + "*dx(u)";
        if (plane && chance(0.3)) v += " + " + number(0.05, 0.3) + "*u*dy(u)";
        return {"cubic pair",
                {"u", "v"},
                equation("u", u) + equation("v", v) + start("u", "noise(-0.3, 0.3)") + start("v", "noise(-0.3, 0.3)"),
                place,
                60};
    }

    /// One field: logistic growth, or two states of rest; with diffusion that depends on it now and then.
    RandomModel growth() {
        const double rate = scaled(0.05, 20), diffusion = scaled(0.1, 10);
        std::string u =
            chance(0.4) ? "div((" + text_of(diffusion) + " + " + number(0, 1) + "*u^2)*grad(u))" : text_of(diffusion) + "*lap(u)";
        u += " + " + text_of(rate) + (chance(0.5) ? "*u*(1 - u/" + number(0.5, 3) + ")" : "*u*(1 - u)*(u - " + number(0.1, 0.6) + ")");
        return {"growth", {"u"}, equation("u", u) + start("u", "noise(0, 0.9)"), where(std::sqrt(8 * diffusion / rate)), 8 / rate};
    }

    /// Schnakenberg's model beyond the bound where its rest state turns into a pattern.
    RandomModel turing(double least, double most) {
        const double d = scaled(least, most), a = between(0.05, 0.15), b = between(0.8, 1.1), rate = scaled(0.3, 3);
        const std::string g = text_of(rate), u = "lap(u) + " + g + "*(" + text_of(a) + " - u + u^2*v)",
                          v = text_of(d) + "*lap(v) + " + g + "*(" + text_of(b) + " - u^2*v)";
        return {least < 100 ? "Turing" : "fast inhibitor",
                {"u", "v"},
                equation("u", u) + equation("v", v) + start("u", text_of(a + b) + " + noise(-0.05, 0.05)") +
                    start("v", text_of(b / ((a + b) * (a + b))) + " + noise(-0.05, 0.05)"),
                where(6 / std::sqrt(rate) * std::pow(d / 8, 0.25)),
                80 / rate};
    }

    /// FitzHugh and Nagumo's model with a rest state or without one.
    RandomModel excitable() {
        const double diffusion = scaled(0.3, 3);
        const std::string u = text_of(diffusion) + "*lap(u) + u - u^3/3 - v", v = number(0, 0.5) + "*lap(v) + " + number(0.05, 0.3) +
                                                                                  "*(u + " + number(0, 0.9) + " - " + number(0.3, 0.9) +
                                                                                  "*v)";
        return {"excitable",
                {"u", "v"},
                equation("u", u) + equation("v", v) + start("u", "noise(-2, 2)") + start("v", "noise(-0.6, 0.6)"),
                where(8 * std::sqrt(diffusion)),
                120};
    }

    /// The Brusselator beyond its oscillation's beginning, or turning amplitudes in the range where waves are stable.
    RandomModel oscillator() {
        if (chance(0.5)) {
            const double a = between(0.7, 1.5), b = 1 + a * a + between(0.1, 0.6);
            const std::string u = number(0.5, 1.5) + "*lap(u) + " + text_of(a) + " - " + text_of(b + 1) + "*u + u^2*v",
                              v = number(0.5, 1.5) + "*lap(v) + " + text_of(b) + "*u - u^2*v";
            return {"Brusselator",
                    {"u", "v"},
                    equation("u", u) + equation("v", v) + start("u", text_of(a) + " + noise(-0.2, 0.2)") +
                        start("v", text_of(b / a) + " + noise(-0.2, 0.2)"),
                    where(8),
                    100};
        }
        const std::string turns = number(0.5, 2), bends = number(-0.6, 0.6), spreads = number(-0.5, 0.5);
        const std::string square = "(u^2 + v^2)";
        const std::string u = "lap(u) - " + spreads + "*lap(v) + u - " + turns + "*v - " + square + "*(u - " + bends + "*v)",
                          v = "lap(v) + " + spreads + "*lap(u) + v + " + turns + "*u - " + square + "*(v + " + bends + "*u)";
        return {"amplitudes that turn",
                {"u", "v"},
                equation("u", u) + equation("v", v) + start("u", "noise(-0.5, 0.5)") + start("v", "noise(-0.5, 0.5)"),
                where(8),
                100};
    }

    /// Cells that follow a signal of their own; beyond some density they do not, so nothing blows up.
    RandomModel chemotaxis() {
        const double rate = between(0.1, 1), chi = between(1, 5);
        const std::string n = number(0.2, 1) + "*lap(n) - div(" + text_of(chi) + "*n/(1 + n^2)*grad(c)) + " + text_of(rate) + "*n*(1 - n)",
                          c = number(1, 5) + "*lap(c) + " + number(0.5, 2) + "*n/(1 + n) - " + number(0.5, 2) + "*c";
        return {"chemotaxis",
                {"n", "c"},
                equation("n", n) + equation("c", c) + start("n", "1 + noise(-0.3, 0.3)") + start("c", "0.5"),
                where(6),
                60};
    }

    /// Swift and Hohenberg's model, Cahn and Hilliard's, or Kuramoto and Sivashinsky's with damping, whose patterns stay in order.
    RandomModel fourth_order() {
        const double kind = between(0, 3);
        if (kind < 1) {
            const std::string r = number(0.1, 0.8), g = number(0, 0.8);
            return {"Swift-Hohenberg",
                    {"u"},
                    equation("u", "(" + r + " - 1)*u - 2*lap(u) - lap(lap(u)) + " + g + "*u^2 - u^3") + start("u", "noise(-0.2, 0.2)"),
                    where(6.28, false),
                    100};
        }
        if (kind < 2) {
            const std::string width = number(0.5, 2);
            return {"Cahn-Hilliard",
                    {"u"},
                    equation("u", "lap(u^3 - u - " + width + "*lap(u))") + start("u", number(-0.3, 0.3) + " + noise(-0.2, 0.2)"),
                    where(8, false),
                    100};
        }
        const std::string damping = number(0.17, 0.23);
        return {"Kuramoto-Sivashinsky, damped",
                {"u"},
                equation("u", "-lap(u) - lap(lap(u)) - " + damping + "*u - 0.5*norm2(grad(u))") + start("u", "noise(-0.3, 0.3)"),
                where(8.9, false),
                150};
    }

    /// Three species of which each displaces the next (May and Leonard), or shares one resource.
    RandomModel three_species() {
        const std::string rate = text_of(scaled(0.3, 3)), more = number(1.1, 1.8), less = number(0.3, 0.9);
        const auto species = [&](const std::string& a, const std::string& b, const std::string& c) {
            return equation(a, number(0.3, 2) + "*lap(" + a + ") + " + rate + "*" + a + "*(1 - " + a + " - " + more + "*" + b + " - " +
                                   less + "*" + c + ")") +
                   start(a, "0.3 + noise(-0.2, 0.2)");
        };
        return {"three species", {"u", "v", "w"}, species("u", "v", "w") + species("v", "w", "u") + species("w", "u", "v"), where(8), 80};
    }

    /// Predators that are sated (Rosenzweig and MacArthur), with fast or slow ones.
    RandomModel predators() {
        const double eats = between(2, 4), half = between(0.2, 0.5), dies = eats * between(0.35, 0.6) / (1 + half);
        const std::string eaten = text_of(eats) + "*u*v/(u + " + text_of(half) + ")";
        return {"predators",
                {"u", "v"},
                equation("u", number(0.3, 1) + "*lap(u) + u*(1 - u) - " + eaten) +
                    equation("v", text_of(scaled(0.3, 20)) + "*lap(v) + " + eaten + " - " + text_of(dies) + "*v") +
                    start("u", "0.5 + noise(-0.3, 0.3)") + start("v", "0.3 + noise(-0.2, 0.2)"),
                where(8),
                100};
    }

    std::mt19937_64 random_;
    int family_;
};

}  // namespace mottle::physics

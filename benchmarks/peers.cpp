// mottle/benchmarks/peers.cpp: solves the work-precision problems by short steps of rk4 and by SUNDIALS' CVODE and ARKODE, beside Mottle
#include "baseline/peer_problems.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#if MOTTLE_HAVE_SUNDIALS
#include <arkode/arkode_arkstep.h>
#include <cvode/cvode.h>
#include <nvector/nvector_openmp.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#endif

namespace mottle::benchmarks {
namespace {

constexpr const char* kAbout =
    "bench_peers PROBLEM SOLVER NUMBER TIME THREADS START END SPACE\n"
    "PROBLEM: schnakenberg, gray-scott, fitzhugh-nagumo, fast-inhibitor, cahn-hilliard, kuramoto-sivashinsky. SOLVER: rk4 "
    "(NUMBER: steps), cvode, cvode-diagonal, cvode-fft, arkode, arkode-diagonal,\n"
    "arkode-fft (NUMBER: the relative tolerance; CVODE by BDF, ARKODE with implicit diffusion and an explicit rest, GMRES without and with "
    "a preconditioner).\n"
    "START, END: f64 numbers, field after field. SPACE: cells of a side, or a file: the numbers of vertices and faces (i32), places (3 f64 "
    "each), faces (3 i32 each).\n"
    "Prints seconds, steps and evaluations of the right side as JSON.\n";

struct Solved {
    double seconds = 0;
    long steps = 0, evaluations = 0;
};

template <class T>
std::vector<T> read_numbers(std::ifstream& file, std::size_t count) {
    std::vector<T> numbers(count);
    file.read(reinterpret_cast<char*>(numbers.data()), static_cast<std::streamsize>(count * sizeof(T)));
    if (!file) throw std::runtime_error("a file ends early");
    return numbers;
}

PeerSpace space_of(const std::string& text) {
    PeerSpace space;
    char* end = nullptr;
    space.size = static_cast<int>(std::strtol(text.c_str(), &end, 10));
    if (*end == 0 && space.size > 0) return space;
    std::ifstream file(text, std::ios::binary);
    if (!file) throw std::runtime_error("cannot read " + text);
    const std::vector<int> counts = read_numbers<int>(file, 2);
    const auto position = read_numbers<std::array<double, 3>>(file, static_cast<std::size_t>(counts[0]));
    return peer_mesh(position, read_numbers<std::array<int, 3>>(file, static_cast<std::size_t>(counts[1])));
}

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Solved by_rk4(const PeerProblem& problem, std::vector<double>& y, double time, long steps) {
    const double h = time / static_cast<double>(steps);
    const std::size_t n = y.size();
    std::vector<double> k(n), stage(n), sum(n);
    const double begin = now();
    for (long step = 0; step < steps; ++step) {
        constexpr double kReach[] = {0, 0.5, 0.5, 1}, kWeight[] = {1, 2, 2, 1};
        sum = y;
        for (std::size_t s = 0; s < 4; ++s) {
            if (s == 0) {
                problem.rates(y.data(), k.data(), Part::all);
            } else {
                for (std::size_t i = 0; i < n; ++i) stage[i] = y[i] + kReach[s] * h * k[i];
                problem.rates(stage.data(), k.data(), Part::all);
            }
            for (std::size_t i = 0; i < n; ++i) sum[i] += h / 6 * kWeight[s] * k[i];
        }
        y.swap(sum);
    }
    return {now() - begin, steps, 4 * steps};
}

#if MOTTLE_HAVE_SUNDIALS

using Complex = std::complex<double>;

/// In place, in both directions of a square whose side is a power of two. Source: Cooley and Tukey 1965.
class SquareTransform {
   public:
    explicit SquareTransform(int size) : size_(static_cast<std::size_t>(size)) {
        for (std::size_t k = 0; k < size_ / 2; ++k)
            roots_.push_back(std::polar(1.0, -2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(size_)));
    }
    void run(std::vector<Complex>& cells) const {
        for (int turn = 0; turn < 2; ++turn) {
#pragma omp parallel for
            for (std::size_t row = 0; row < size_; ++row) line(cells.data() + row * size_);
            for (std::size_t i = 0; i < size_; ++i) {
                for (std::size_t j = 0; j < i; ++j) std::swap(cells[i * size_ + j], cells[j * size_ + i]);
            }
        }
    }

   private:
    void line(Complex* x) const {
        for (std::size_t i = 1, j = 0; i < size_; ++i) {
            std::size_t bit = size_ / 2;
            for (; j & bit; bit /= 2) j ^= bit;
            j ^= bit;
            if (i < j) std::swap(x[i], x[j]);
        }
        for (std::size_t length = 2; length <= size_; length *= 2) {
            for (std::size_t i = 0; i < size_; i += length) {
                for (std::size_t k = 0; k < length / 2; ++k) {
                    const Complex even = x[i + k], odd = x[i + k + length / 2] * roots_[k * (size_ / length)];
                    x[i + k] = even + odd;
                    x[i + k + length / 2] = even - odd;
                }
            }
        }
    }

    std::size_t size_;
    std::vector<Complex> roots_;
};

/// What the callbacks of SUNDIALS see.
struct Work {
    const PeerProblem& problem;
    bool split;  ///< the implicit part is the diffusion alone
    bool fourier;
    SquareTransform transform;
    std::vector<Complex> wave;
    std::vector<std::array<double, 4>> inverse;  ///< of 1 - gamma times the block of each cell
    long evaluations = 0;
};

double* data_of(N_Vector vector) { return N_VGetArrayPointer(vector); }

int all_rates(realtype, N_Vector y, N_Vector out, void* user) {
    auto& work = *static_cast<Work*>(user);
    ++work.evaluations;
    work.problem.rates(data_of(y), data_of(out), Part::all);
    return 0;
}
int diffusion_rates(realtype, N_Vector y, N_Vector out, void* user) {
    auto& work = *static_cast<Work*>(user);
    ++work.evaluations;
    work.problem.rates(data_of(y), data_of(out), Part::diffusion);
    return 0;
}
int rest_rates(realtype, N_Vector y, N_Vector out, void* user) {
    static_cast<Work*>(user)->problem.rates(data_of(y), data_of(out), Part::rest);
    return 0;
}

int prepare(realtype, N_Vector y, N_Vector, booleantype, booleantype* fresh, realtype gamma, void* user) {
    auto& work = *static_cast<Work*>(user);
    *fresh = SUNTRUE;
    if (work.fourier) return 0;
    work.inverse.resize(static_cast<std::size_t>(work.problem.space().count()));
    for (std::size_t i = 0; i < work.inverse.size(); ++i) {
        const std::array<double, 4> block = work.problem.block(data_of(y), static_cast<int>(i), work.split);
        const double a = 1 - gamma * block[0], b = -gamma * block[1], c = -gamma * block[2], d = 1 - gamma * block[3], det = a * d - b * c;
        work.inverse[i] = {d / det, -b / det, -c / det, a / det};
    }
    return 0;
}

int precondition(realtype, N_Vector, N_Vector, N_Vector r, N_Vector z, realtype gamma, realtype, int, void* user) {
    auto& work = *static_cast<Work*>(user);
    const auto n = static_cast<std::size_t>(work.problem.space().count());
    const double* from = data_of(r);
    double* to = data_of(z);
    if (!work.fourier) {
        const bool one = work.problem.fields() == 1;
        for (std::size_t i = 0; i < n; ++i) {
            const std::array<double, 4>& m = work.inverse[i];
            const double u = from[i], v = one ? 0 : from[n + i];
            to[i] = m[0] * u + m[1] * v;
            if (!one) to[n + i] = m[2] * u + m[3] * v;
        }
        return 0;
    }
    const auto side = static_cast<std::size_t>(work.problem.space().size);
    const auto square = [&](std::size_t k) {
        return 2 - 2 * std::cos(2 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(side));
    };
    for (int f = 0; f < work.problem.fields(); ++f) {
        const std::size_t at = static_cast<std::size_t>(f) * n;
        for (std::size_t i = 0; i < n; ++i) work.wave[i] = from[at + i];
        work.transform.run(work.wave);
        for (std::size_t i = 0; i < n; ++i) {
            const double factor = 1 - gamma * work.problem.symbol(f, square(i % side) + square(i / side));
            work.wave[i] = std::conj(work.wave[i]) / (factor * static_cast<double>(n));  // conjugated: the same transform goes back
        }
        work.transform.run(work.wave);
        for (std::size_t i = 0; i < n; ++i) to[at + i] = work.wave[i].real();
    }
    return 0;
}

void require(int flag, const char* what) {
    if (flag < 0) throw std::runtime_error(std::string(what) + " failed: " + std::to_string(flag));
}

Solved by_sundials(const PeerProblem& problem, std::vector<double>& y, double time, const std::string& solver, double tolerance,
                   int threads) {
    const bool arkode = solver.starts_with("arkode"), fourier = solver.ends_with("-fft"), none = !fourier && !solver.ends_with("-diagonal");
    const int side = std::max(2, problem.space().size);
    if (fourier && (problem.space().size == 0 || (side & (side - 1)) != 0))
        throw std::runtime_error("-fft needs a plane whose side is a power of two");
    Work work{problem, arkode, fourier, SquareTransform(side), {}, {}};
    work.wave.resize(static_cast<std::size_t>(problem.space().count()));
    SUNContext context = nullptr;
    require(SUNContext_Create(nullptr, &context), "SUNContext_Create");
    N_Vector state = N_VNew_OpenMP(static_cast<sunindextype>(y.size()), threads, context);
    std::copy(y.begin(), y.end(), data_of(state));
    SUNLinearSolver gmres = SUNLinSol_SPGMR(state, none ? SUN_PREC_NONE : SUN_PREC_LEFT, 0, context);
    constexpr long kMostSteps = 100'000'000;
    const double absolute = 1e-2 * tolerance;
    double reached = 0;
    Solved solved;
    if (arkode) {
        void* memory = ARKStepCreate(rest_rates, diffusion_rates, 0, state, context);
        require(ARKStepSStolerances(memory, tolerance, absolute), "tolerances");
        require(ARKStepSetUserData(memory, &work), "user data");
        require(ARKStepSetLinearSolver(memory, gmres, nullptr), "linear solver");
        require(ARKStepSetLinear(memory, 0), "linear");
        if (!none) require(ARKStepSetPreconditioner(memory, prepare, precondition), "preconditioner");
        require(ARKStepSetMaxNumSteps(memory, kMostSteps), "steps");
        require(ARKStepSetStopTime(memory, time), "end");
        const double begin = now();
        require(ARKStepEvolve(memory, time, state, &reached, ARK_NORMAL), "ARKODE");
        solved.seconds = now() - begin;
        ARKStepGetNumSteps(memory, &solved.steps);
        ARKStepFree(&memory);
    } else {
        void* memory = CVodeCreate(CV_BDF, context);
        require(CVodeInit(memory, all_rates, 0, state), "CVodeInit");
        require(CVodeSStolerances(memory, tolerance, absolute), "tolerances");
        require(CVodeSetUserData(memory, &work), "user data");
        require(CVodeSetLinearSolver(memory, gmres, nullptr), "linear solver");
        if (!none) require(CVodeSetPreconditioner(memory, prepare, precondition), "preconditioner");
        require(CVodeSetMaxNumSteps(memory, kMostSteps), "steps");
        require(CVodeSetStopTime(memory, time), "end");
        const double begin = now();
        require(CVode(memory, time, state, &reached, CV_NORMAL), "CVODE");
        solved.seconds = now() - begin;
        CVodeGetNumSteps(memory, &solved.steps);
        CVodeFree(&memory);
    }
    solved.evaluations = work.evaluations;
    std::copy(data_of(state), data_of(state) + y.size(), y.begin());
    SUNLinSolFree(gmres);
    N_VDestroy(state);
    SUNContext_Free(&context);
    return solved;
}

#else

Solved by_sundials(const PeerProblem&, std::vector<double>&, double, const std::string&, double, int) {
    throw std::runtime_error("built without SUNDIALS; install libsundials-dev (Debian, Ubuntu) and configure again");
}

#endif

int run(const std::vector<std::string>& arguments) {
    if (arguments.size() != 8) {
        std::fputs(kAbout, stderr);
        return 2;
    }
    const PeerProblem problem(arguments[0], space_of(arguments[7]));
    const std::string& solver = arguments[1];
    const double number = std::atof(arguments[2].c_str()), time = std::atof(arguments[3].c_str());
    const int threads = std::max(1, std::atoi(arguments[4].c_str()));
    std::ifstream file(arguments[5], std::ios::binary);
    std::vector<double> y = read_numbers<double>(file, static_cast<std::size_t>(problem.fields() * problem.space().count()));
    const Solved solved =
        solver == "rk4" ? by_rk4(problem, y, time, static_cast<long>(number)) : by_sundials(problem, y, time, solver, number, threads);
    std::ofstream(arguments[6], std::ios::binary)
        .write(reinterpret_cast<const char*>(y.data()), static_cast<std::streamsize>(y.size() * sizeof(double)));
    std::printf("{\"seconds\": %.6f, \"steps\": %ld, \"evaluations\": %ld}\n", solved.seconds, solved.steps, solved.evaluations);
    return 0;
}

}  // namespace
}  // namespace mottle::benchmarks

int main(int argc, char** argv) {
    try {
        return mottle::benchmarks::run({argv + 1, argv + argc});
    } catch (const std::exception& error) {
        std::fprintf(stderr, "bench_peers: %s\n", error.what());
        return 4;
    }
}

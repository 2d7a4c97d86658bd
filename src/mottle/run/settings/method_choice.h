// mottle/run/settings/method_choice.h: --method auto: the cheapest method that holds an error of 1 %
#pragma once
#include "mottle/ir/lower/system.h"
#include "mottle/run/settings/clock.h"
#include "mottle/run/settings/spec.h"

namespace mottle::run {

/// The error that a method which is chosen holds: as a share of the standard deviation, or of a turn.
inline constexpr double kErrorOfChoice = 1e-2;

/// Of the time that the fastest reaction or growth takes: a step of sts2 or rkl2. Errors of 0.1 to 0.7 % at the end, where models of five kinds were compared (docs/numerics.md).
inline constexpr double kStepOfRate = 0.5;

/// Whether the method of `spec` is left to choose_method: its length is a time, and neither dt nor the method is given, or the method is "auto". Noise stays with Euler's method.
bool leaves_method_open(const Spec& spec);

/// For a program that makes the steps itself and counts them: nothing is chosen unless the method is "auto".
void keep_to_steps(Spec& spec);

/// `of_euler`, or the limits of what holds an error of 1 % in 2/3 of the work or less: by a table of costs, what limits Euler's method, and how fast the fields change at the start, which is
/// looked at in some of its cells. Two things are asked:
/// - What turns and does not fade carries the error of every step to the end of the run. A method of order p that makes steps of dt changes a wave of angular frequency w by
///   T w (w dt)^p/(p + 1)! of itself in the time T, and its dt is such that this is half of 1 %, or shorter.
/// - Where diffusion is what limits Euler's steps, sts2 (rkl2, where its stages are too few: 64 in f32, 128 in f64) may make longer ones: kStepOfRate of the time that the fastest rate of the start takes. Fields may become faster: StabilityWatch
///   halves dt where what grows is no longer followed. Only where all that depends on the fields is the reaction of a cell: what else would make them faster does not show at the start.
/// - Where that many stages are too many, on surfaces with very thin triangles, imex2 solves for diffusion by a factor of its matrix. Its error depends on how diffusion and reaction
///   balance, which nothing says beforehand: so its steps are a third as long, and it is taken only if it is 4 times as fast as all others.
/// Grids have no such triangles: there imex2, imex and etdrk4 are not considered.
StepLimits choose_method(const Spec& spec, const ir::System& system, StepLimits of_euler);

}  // namespace mottle::run

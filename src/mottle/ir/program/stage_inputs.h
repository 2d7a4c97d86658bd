// mottle/ir/program/stage_inputs.h: the inputs of a Program that differ from stage to stage, where each stage of a step is a step of the kernel
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

namespace mottle::ir {

/// What uniforms may read of a stage (ir::LegendreStep): `next` is the time of the fields that it leaves, `starts` and `ends` are 1 in the first and the
/// last stage of a step, else 0.
enum class StageInput : std::size_t { share, momentum, weight, next, starts, ends };
inline constexpr std::array<const char*, 6> kStageInputs = {"stage.share", "stage.momentum", "stage.weight",
                                                            "stage.next",  "stage.starts",   "stage.ends"};
inline const char* name_of(StageInput input) { return kStageInputs[static_cast<std::size_t>(input)]; }
/// Names of the language contain no point.
inline bool is_stage_input(std::string_view name) { return name.starts_with("stage."); }

}  // namespace mottle::ir

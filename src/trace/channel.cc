// SPDX-License-Identifier: Apache-2.0
#include "trace/channel.h"

#include <array>

namespace edgeprobe::trace {
namespace {

constexpr std::array<const char*, 11> kStages{
    "raw_input", "intermediate", "model_input", "layer",         "model_output", "kernel_time",
    "variable",  "span",         "sketch",      "sketch_sample", "answer"};

}  // namespace

const char* name(Stage stage) { return kStages[static_cast<std::size_t>(stage)]; }

bool of_model(Stage stage) {
  return stage == Stage::kModelInput || stage == Stage::kLayer || stage == Stage::kModelOutput;
}

std::optional<Stage> stage_from_name(std::string_view text) {
  for (std::size_t i = 0; i < kStages.size(); ++i)
    if (text == kStages[i]) return static_cast<Stage>(i);
  return std::nullopt;
}

}  // namespace edgeprobe::trace

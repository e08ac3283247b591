// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diagnose/case/study.h"
#include "diagnose/preprocessing/model/input_diagnosis.h"

namespace edgeprobe::diagnose {

/// Distance of one frame's recorded model input from the reference's.
struct InputStep {
  std::size_t sample = 0;  ///< Index into raw.samples.
  double steps = 0;        ///< RMS, in 255ths of the range of the reference's model inputs.
};

struct InputSteps {
  /// Frames with a raw input whose model input both traces hold in the same shape; empty if all
  /// inputs are equal.
  std::vector<InputStep> frames;
  double unit = 0;  ///< Size of one step, in values of the model input.
  /// In steps: up to this distance, two inputs may be the same picture from two decoders, one of
  /// them quantised.
  double same = 0;
};
Result<InputSteps> input_steps(const Study& study, const Control& control);

/// Frames in which a reconstructed recipe reproduces the recorded model input.
struct Extent {
  std::size_t with = 0;  ///< Frames that match, or cannot tell.
  /// Frames that match the reference, contrary to the recipe.
  std::size_t spared = 0;
  std::size_t otherwise = 0;  ///< Frames that match neither the reference's recipe nor this one.
  /// The target's frames counted in `spared` or `otherwise`, ascending.
  std::vector<std::uint32_t> not_with;
  std::string example;  ///< A sample counted in `otherwise`.

  std::size_t all() const { return with + spared + otherwise; }
};

/// 1/255 of the range of the reference's model inputs; 0 if the inputs are equal or were not
/// compared.
double gray_step(const Study& study);
/// InputSteps::same for this step size.
double same_input_steps(const trace::ReadChannel& target, double unit);

/// Examines at most Case::max_replay of the frames, evenly spread.
Result<Extent> extent_of(const Study& study, const InputSteps& steps,
                         const InputDiagnosis& diagnosis, const Control& control);

}  // namespace edgeprobe::diagnose

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "diagnose/case/study.h"
#include "diagnose/preprocessing/model/input_diagnosis.h"

namespace edgeprobe::diagnose {

/// How far one frame's recorded model input lies from the reference's.
struct InputStep {
  std::size_t sample = 0;  ///< Index into raw.samples.
  double steps = 0;        ///< RMS, in 255ths of the range that the reference's model inputs have.
};

struct InputSteps {
  /// All with a raw input whose model input both traces hold in one shape; none when all are equal.
  std::vector<InputStep> frames;
  double unit = 0;  ///< One step in the values of the model input.
  /// In steps: below this, two inputs may be one picture from two decoders, and one of them
  /// quantised.
  double same = 0;
};
Result<InputSteps> input_steps(const Study& study, const Control& control);

/// In which frames a reconstructed recipe gives the recorded model input.
struct Extent {
  std::size_t with = 0;  ///< It does, or the frame cannot tell.
  /// The frame is fed as the reference feeds it, and the recipe says otherwise.
  std::size_t spared = 0;
  std::size_t otherwise = 0;  ///< Neither the reference's recipe nor this one.
  /// The target's frames that are spared or otherwise, ascending.
  std::vector<std::uint32_t> not_with;
  std::string example;  ///< A sample that is fed otherwise.

  std::size_t all() const { return with + spared + otherwise; }
};

/// One 255th of the range of the reference's model inputs; 0 when the two inputs are equal, or were
/// not compared.
double gray_step(const Study& study);
/// InputSteps::same for steps of that size.
double same_input_steps(const trace::ReadChannel& target, double unit);

/// At most Case::max_replay of the frames are looked at, evenly spread.
Result<Extent> extent_of(const Study& study, const InputSteps& steps,
                         const InputDiagnosis& diagnosis, const Control& control);

}  // namespace edgeprobe::diagnose

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/tensor.h"

namespace edgeprobe::postprocess::transcript {

/// A text recogniser as a model file shows it.
struct Recogniser {
  std::string path;                               ///< Of the file.
  Shape input, output;                            ///< Of its only input and output.
  std::map<std::string, std::string> properties;  ///< RapidOCR's dictionary: character.
};

struct Proposal {
  std::string looks_like, recipe;
};

/// The recipe that the sizes of a recogniser and its dictionary suggest, with PaddleOCR's front
/// end. Empty if the output is not one row of scores for each 4 or 8 columns of a line of text.
std::optional<Proposal> proposal(const Recogniser& model);

}  // namespace edgeprobe::postprocess::transcript

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "cli/options/flags.h"

namespace edgeprobe::cli {

/// What a contract is learned from or checked on: a trace, or a model that is run.
struct SubjectFlags {
  std::string what;        ///< A trace, or a model file.
  PipelineFlags pipeline;  ///< Its model is `what`; of a trace the recipe counts alone.
  DataFlags data;          ///< Samples of the model; completes what a trace lacks.
  std::string level = "io", raw = "encoded";  ///< As `run` records, for a model.
  std::string reference;  ///< A trace of the same frames, for drift; may be empty.
  std::string boxes = "xyxy,pixels";
};

}  // namespace edgeprobe::cli

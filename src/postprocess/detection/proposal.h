// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "core/tensor.h"
#include "postprocess/detection/coordinates.h"

namespace edgeprobe::postprocess::detection {

/// The recipe that a detector's outputs ask for.
struct Proposal {
  std::string looks_like;  ///< "YOLOv8's head (4 + 80 classes)"
  std::string recipe;  ///< Both halves where the exporter wrote its own down, else from "||" on.
};

/// Facts of a model file beside the sizes of its tensors.
struct Exported {
  std::map<std::string, std::string>
      properties;           ///< Ultralytics' author, description, names, task.
  bool has_shares = false;  ///< Boxes in shares of the input, as exporters to .tflite have them.
  std::string model_type = "";  ///< Hugging Face's, from config.json: "detr".
};

/// By the sizes of the outputs; `model`: that of the input in pixels. Thresholds are the authors'
/// usual ones. Nothing where no head is known.
std::optional<Proposal> proposal(std::span<const TensorSpec> outputs, Size model,
                                 const Exported& exported);

}  // namespace edgeprobe::postprocess::detection

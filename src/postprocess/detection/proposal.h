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

/// The recipe that a detector's outputs require.
struct Proposal {
  std::string looks_like;  ///< "YOLOv8's head (4 + 80 classes)"
  std::string recipe;      ///< Both halves if the exporter recorded its own, or else from "||" on.
};

/// Facts from a model file besides the sizes of its tensors.
struct Exported {
  std::map<std::string, std::string>
      properties;               ///< Ultralytics' author, description, names, task.
  bool has_shares = false;      ///< Boxes in shares of the input, as written by .tflite exporters.
  std::string model_type = "";  ///< From Hugging Face's config.json: "detr".
};

/// Determined by the outputs' sizes; `model`: its input's size in pixels. Thresholds are the
/// authors' usual ones. Empty if no head is recognised.
std::optional<Proposal> proposal(std::span<const TensorSpec> outputs, Size model,
                                 const Exported& exported);

}  // namespace edgeprobe::postprocess::detection

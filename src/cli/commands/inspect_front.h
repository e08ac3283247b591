// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/bytes.h"
#include "core/result.h"
#include "model/graph.h"

namespace edgeprobe::cli {

/// The pre-processing half of a recipe, from a model author's file.
struct FrontProposal {
  std::string recipe;  ///< Empty: a recipe cannot express it, or a part is missing.
  std::string source;  ///< Such as "preprocessor_config.json".
  std::string why_not;
};

/// Reads Hugging Face's preprocessor_config.json. `is_nchw`: the layout of the model's input.
FrontProposal front_of_config(std::string_view json, bool is_nchw);

/// From the file next to the model, or in its parent folder where exporters leave it, else from the
/// metadata of a .tflite file; nothing without either.
std::optional<FrontProposal> front_near(const std::string& path, const model::Graph& graph,
                                        ByteView file);

/// The value of `model_type` in Hugging Face's config.json next to the model; "" without one.
std::string model_type_near(const std::string& path);

}  // namespace edgeprobe::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "precision/predict.h"

namespace edgeprobe::report {

/// What was predicted, for a terminal: a line for each precision, and the layers that break it.
std::string precision_text(const precision::Predicted& predicted, const std::string& model,
                           const std::string& inputs);

/// The same as JSON, with the figures of every layer (docs/guides/precision.md).
std::string precision_json(const precision::Predicted& predicted, const std::string& model,
                           const std::string& inputs);

}  // namespace edgeprobe::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "core/tensor.h"

namespace edgeprobe::pipeline {

/// A name without what converters put around it: "serving_default_x:0" is x.
std::string bare_name(std::string name);

/// "float32 [1,4]".
std::string described(const TensorSpec& spec);

}  // namespace edgeprobe::pipeline

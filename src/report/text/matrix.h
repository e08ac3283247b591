// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "matrix/matrix.h"

namespace edgeprobe::report {

/// The table for a terminal: engines, which of them agree, and the layers where they part. `inputs`
/// says what they were given. At most 40 layers, the farthest and the first of each engine, unless
/// `all`.
std::string matrix_text(const matrix::Matrix& matrix, const std::string& model,
                        const std::string& inputs, bool all);

/// The same as JSON (docs/reference/engines.md).
std::string matrix_json(const matrix::Matrix& matrix, const std::string& model,
                        const std::string& inputs);

}  // namespace edgeprobe::report

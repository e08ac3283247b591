// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "core/tensor.h"

namespace edgeprobe::engine::tvm {

/// The symbol of a compiled module in which `edgeprobe convert` stores facts that the module itself
/// lacks: a text with a terminating zero.
inline constexpr const char* kMetadataSymbol = "edgeprobe_model_json";

/// {"edgeprobe": 1, "inputs": [{"name", "dtype", "shape", "scale", "zero_point", "axis"}],
/// "outputs": […], "tuning": null | text,
///  "tvm": version, "target": text, "source": name, "source_sha256": hash}
struct Metadata {
  std::vector<TensorSpec> inputs;
  std::vector<TensorSpec> outputs;
  std::string tuning;  ///< The applied tuning record; "" for none.
  std::string tvm;     ///< The TVM version that compiled it.
};
/// kCorrupt names the field; kUnsupported for a later version of this text.
Result<Metadata> read_metadata(std::string_view text);

}  // namespace edgeprobe::engine::tvm

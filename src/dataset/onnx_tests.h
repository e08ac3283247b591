// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "core/tensor.h"
#include "dataset/labels.h"
#include "dataset/sample.h"

namespace edgeprobe::dataset {

/// A TensorProto of its own, as in input_0.pb. kCorrupt or kUnsupported begins with `title`.
Result<Tensor> parse_onnx_tensor(ByteView bytes, const std::string& title);

/// Whether a folder holds ONNX test data: input_0.pb, or folders test_data_set_0, … with it.
bool is_onnx_tests(const std::filesystem::path& folder);

/// A sample for each set, in the order of their numbers. An array without a name is an input by the
/// number of its file ("arr_0"). kCorrupt names the file.
Result<std::vector<Sample>> open_onnx_tests(const std::filesystem::path& folder,
                                            const Labels& labels);

}  // namespace edgeprobe::dataset

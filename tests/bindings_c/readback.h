// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// A trace in plain values: the library's headers and those of an application have classes of the
/// same names.
namespace readback {

struct Tensor {
  std::string stage, name, dtype, encoding, layer_type;
  std::vector<std::int64_t> shape;
  std::vector<float> scale;
  std::vector<std::int64_t> zero_point;
  int axis = 0, position = -1;
  /// The bytes of each frame that has the tensor; for an answer, its JSON.
  std::map<std::uint32_t, std::string> frames;
};

struct Trace {
  std::string problem;  ///< "" when the file is finished and sound.
  std::vector<Tensor> tensors;
  std::vector<std::uint32_t> frames;
  std::vector<std::string> samples;  ///< Like the following two, one for each frame.
  std::vector<std::optional<int>> labels;
  std::vector<std::optional<std::int64_t>> latencies_ns;
  std::vector<std::uint32_t> sequence_begins;
  std::map<std::string, std::string> run;  ///< The record edgeprobe.run.
  /// "kind name values unit text reason", without missing fields.
  std::vector<std::string> events;

  /// "stage/name"; nullptr if it does not exist.
  const Tensor* find(const std::string& path) const;
  /// The bytes of a tensor, or "absent".
  std::string bytes(const std::string& path, std::uint32_t frame = 0) const;
};

Trace read(const std::string& path);

}  // namespace readback

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/result.h"
#include "dataset/sample.h"
#include "trace/read/reader.h"

namespace edgeprobe::pipeline {

/// What the key "inputs" of a trace's metadata says when recorded tensors fed the model.
inline constexpr const char* kTensors = "tensors";

/// The model inputs of a trace's frames as recorded tensors. The reader must outlive this object
/// and what it gives.
class RecordedInputs {
 public:
  explicit RecordedInputs(const trace::Reader& reader);

  /// Whether they are what a replay begins with: the trace says that tensors fed the model, or its
  /// frames have several inputs.
  bool are_data() const { return are_data_; }
  /// Name, type and shape of each that the frame has.
  std::vector<TensorSpec> specs(std::uint32_t frame) const;
  bool begins_sequence(std::uint32_t frame) const { return begins_.count(frame) > 0; }

  /// How they are loaded, with the picture that `picture` gives, unless it is empty or fails.
  std::function<Result<dataset::Loaded>()> loader(
      std::uint32_t frame, std::function<Result<dataset::Loaded>()> picture) const;

 private:
  const trace::Reader& reader_;
  std::vector<const trace::ReadChannel*> channels_;
  std::set<std::uint32_t> begins_;
  bool are_data_ = false;
};

}  // namespace edgeprobe::pipeline

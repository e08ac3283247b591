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

/// Value of the metadata key "inputs" when recorded tensors fed the model.
inline constexpr const char* kTensors = "tensors";

/// The model inputs of a trace's frames as recorded tensors. The reader must outlive this object
/// and everything it returns.
class RecordedInputs {
 public:
  explicit RecordedInputs(const trace::Reader& reader);

  /// True if a replay begins with these tensors: the trace states that tensors fed the model, or
  /// its frames have several inputs.
  bool are_data() const { return are_data_; }
  /// Name, type and shape of each of the frame's inputs.
  std::vector<TensorSpec> specs(std::uint32_t frame) const;
  bool begins_sequence(std::uint32_t frame) const { return begins_.count(frame) > 0; }

  /// Returns a function that loads the tensors, together with the result of `picture`, unless that
  /// is empty or fails.
  std::function<Result<dataset::Loaded>()> loader(
      std::uint32_t frame, std::function<Result<dataset::Loaded>()> picture) const;

 private:
  const trace::Reader& reader_;
  std::vector<const trace::ReadChannel*> channels_;
  std::set<std::uint32_t> begins_;
  bool are_data_ = false;
};

}  // namespace edgeprobe::pipeline

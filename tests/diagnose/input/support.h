// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <vector>

#include "diagnose/case/study.h"

namespace edgeprobe::diagnose {

template <class Number>
Bytes bytes_of(const std::vector<Number>& values) {
  Bytes bytes(values.size() * sizeof(Number));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// The model input "x" in two traces in memory; frame i of one corresponds to frame i of the other.
class TwoTraces {
 public:
  TwoTraces(const TensorSpec& spec, const std::vector<Bytes>& target,
            const std::vector<Bytes>& reference)
      : TwoTraces(spec, target, spec, reference) {}
  TwoTraces(const TensorSpec& target_spec, const std::vector<Bytes>& target,
            const TensorSpec& reference_spec, const std::vector<Bytes>& reference);

  TwoTraces(const TwoTraces&) = delete;  // The case contains pointers into it.

  Study study() const;

 private:
  trace::Reader target_, reference_;
  Case known_;
  std::size_t frames_;
};

/// States that the inputs were compared and differ, and the range of the reference's values.
void compare_inputs(Study& study, double least, double most);

}  // namespace edgeprobe::diagnose

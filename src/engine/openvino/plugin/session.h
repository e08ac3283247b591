// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "engine/openvino/plugin/model.h"

namespace edgeprobe::engine::openvino {

/// Storage for an EpOvKernel's pointers.
struct KernelText {
  std::string node;  ///< Name under which OpenVINO reports its time.
  std::string name;
  std::string type;
  std::string primitive;
  std::string precision;
  std::vector<int32_t> layers;
};

}  // namespace edgeprobe::engine::openvino

/// A compiled model with one request.
struct EpOvSession {
  EpOvSession(EpOvCore& core, EpOvModel& read, const EpOvOptions& options);

  int64_t infer(const EpOvBuffer* buffers);
  void output(std::size_t index, EpOvPort& port, EpOvBuffer& buffer);
  void times(int64_t* nanoseconds);
  ov::InferRequest another_request() { return compiled_.create_infer_request(); }
  /// True if some output is an unchanged input.
  bool hands_inputs_on() const { return hands_inputs_on_; }
  /// True if the shape of some output is known only after a run.
  bool decides_shapes() const;

  std::vector<edgeprobe::engine::openvino::PortText> inputs;
  std::vector<edgeprobe::engine::openvino::PortText> outputs;
  std::vector<edgeprobe::engine::openvino::KernelText> kernels;

 private:
  ov::CompiledModel compiled_;
  ov::InferRequest request_;
  std::vector<ov::Tensor> output_tensors_;
  bool hands_inputs_on_ = false;
  int64_t inferences_ = 0;
  std::vector<int64_t> spent_;  ///< Nanoseconds of each kernel in all inferences so far.
};

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/control.h"
#include "core/result.h"
#include "core/tensor.h"
#include "dataset/sample.h"
#include "pipeline/spec.h"
#include "trace/record/writer.h"

namespace edgeprobe::pipeline {

/// The model's inputs of one frame: recorded, or made by the pipeline's function or its recipe.
/// States are as given, else zero; Carry puts those of the frame before.
struct Prepared {
  std::vector<Tensor> inputs;
  std::vector<Tensor> stages;  ///< Named intermediates of a function.
};
Result<Prepared> prepare(Pipeline& pipeline, const dataset::RawInput& raw, std::string_view sample,
                         const Control& control = {});

/// Recorded tensors as inputs of these specs, for callers without a pipeline: the spec's recipe
/// makes its input. States are as given, else zero.
Result<std::vector<Tensor>> inputs_of(const dataset::Arrays& recorded, const PipelineSpec& spec,
                                      const std::vector<TensorSpec>& specs);

/// The same raw input, with the array that the recipe reads as the picture that it is. For what is
/// kept of it in a trace.
Result<dataset::RawInput> as_read(const Pipeline& pipeline, dataset::RawInput raw);

/// Writes arrays whose shapes may differ from frame to frame: one channel for each name, dtype and
/// shape.
class StageWriter {
 public:
  /// The writer must outlive this object.
  StageWriter(trace::Writer& writer, trace::Stage stage) : writer_(writer), stage_(stage) {}
  /// kLimit when one name has had kMostShapes shapes.
  Status write(const std::vector<Tensor>& arrays, std::uint32_t frame, std::uint64_t time_ns);

  static constexpr std::size_t kMostShapes = 4096;

 private:
  trace::Writer& writer_;
  trace::Stage stage_;
  std::map<std::tuple<std::string, DType, Shape>, trace::ChannelId> channels_;
  std::map<std::string, std::size_t> shapes_;
};

}  // namespace edgeprobe::pipeline

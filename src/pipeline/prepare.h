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

/// The model's inputs for one frame: recorded, or made by the pipeline's function or recipe. States
/// are as given, or else zero; Carry inserts those of the previous frame.
struct Prepared {
  std::vector<Tensor> inputs;
  std::vector<Tensor> stages;  ///< Named intermediates of the function.
};
Result<Prepared> prepare(Pipeline& pipeline, const dataset::RawInput& raw, std::string_view sample,
                         const Control& control = {});

/// Converts recorded tensors to inputs with these specs, for callers without a pipeline: the spec's
/// recipe makes its input. States are as given, or else zero.
Result<std::vector<Tensor>> inputs_of(const dataset::Arrays& recorded, const PipelineSpec& spec,
                                      const std::vector<TensorSpec>& specs);

/// Returns the same raw input, with the array that the recipe reads turned into the picture it
/// represents. Used for the copy kept in a trace.
Result<dataset::RawInput> as_read(const Pipeline& pipeline, dataset::RawInput raw);

/// Writes arrays whose shapes may differ from frame to frame: one channel for each name, dtype and
/// shape.
class StageWriter {
 public:
  /// The writer must outlive this object.
  StageWriter(trace::Writer& writer, trace::Stage stage) : writer_(writer), stage_(stage) {}
  /// kLimit once a name has had kMostShapes shapes.
  Status write(const std::vector<Tensor>& arrays, std::uint32_t frame, std::uint64_t time_ns);

  static constexpr std::size_t kMostShapes = 4096;

 private:
  trace::Writer& writer_;
  trace::Stage stage_;
  std::map<std::tuple<std::string, DType, Shape>, trace::ChannelId> channels_;
  std::map<std::string, std::size_t> shapes_;
};

}  // namespace edgeprobe::pipeline

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

/// The model input of one frame, made by the pipeline's function when it has one, else by its
/// recipe.
struct Prepared {
  Tensor input;
  std::vector<Tensor> stages;  ///< Named intermediates of a function.
};
Result<Prepared> prepare(Pipeline& pipeline, const dataset::RawInput& raw, std::string_view sample,
                         const Control& control = {});

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

// SPDX-License-Identifier: Apache-2.0
#include "pipeline/prepare.h"

#include "core/text.h"
#include "pipeline/picture.h"

namespace edgeprobe::pipeline {

Result<Prepared> prepare(Pipeline& pipeline, const dataset::RawInput& raw, std::string_view sample,
                         const Control& control) {
  if (!pipeline.function) {
    auto input = model_input(pipeline.recipe, raw, pipeline.input());
    if (!input) return std::move(input.error()).during("'" + sanitized(sample) + "'");
    return Prepared{*std::move(input), {}};
  }
  auto answer = pipeline.function->call(raw, sample, control);
  if (!answer) return std::move(answer.error());
  const std::string doing =
      "pipeline '" + sanitized(pipeline.function->label()) + "' on '" + sanitized(sample) + "'";
  if (!answer->input)
    return Error{ErrorKind::kUsage,
                 doing + ": it gave no array called 'input', which the model needs"};
  if (!answer->outputs.empty())
    return Error{ErrorKind::kUsage,
                 doing + ": it gave '" + sanitized(answer->outputs.front().spec.name) +
                     "' as an output, but a model was named too; leave one of them out"};
  auto input = fit_input(*answer->input, pipeline.input());
  if (!input) return std::move(input.error()).during(doing);
  return Prepared{*std::move(input), std::move(answer->stages)};
}

Status StageWriter::write(const std::vector<Tensor>& arrays, std::uint32_t frame,
                          std::uint64_t time_ns) {
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const TensorSpec& spec = arrays[i].spec;
    const auto key = std::tuple(spec.name, spec.dtype, spec.shape);
    auto at = channels_.find(key);
    if (at == channels_.end()) {
      if (++shapes_[spec.name] > kMostShapes)
        return Error{ErrorKind::kLimit, "'" + sanitized(spec.name) + "' had more than " +
                                            std::to_string(kMostShapes) +
                                            " shapes; leave it out, or bring it to one size"};
      trace::Channel channel;
      channel.stage = stage_;
      channel.spec = spec;
      channel.position = static_cast<std::int32_t>(i);
      auto id = writer_.add_channel(channel);
      if (!id) return std::move(id.error());
      at = channels_.emplace(key, *id).first;
    }
    if (auto done = writer_.write(at->second, frame, time_ns, arrays[i].bytes); !done) return done;
  }
  return {};
}

}  // namespace edgeprobe::pipeline

// SPDX-License-Identifier: Apache-2.0
#include "diagnose/recorded/further_frames.h"

#include "core/evenly_spaced.h"
#include "diagnose/recorded/recording.h"
#include "diagnose/recorded/tensors.h"
#include "trace/read/answers.h"

namespace edgeprobe::diagnose {
namespace {

constexpr std::size_t kMostFrames = 24;
// Frames with larger tensors are skipped.
constexpr std::size_t kMostTensorBytes = std::size_t{64} << 20;

std::optional<FurtherFrame> recorded_frame(const Case& known, std::uint32_t number,
                                           const std::string& sample, const PictureSizes& sizes) {
  const trace::Reader& target = *known.target;
  auto outputs = recorded_tensors(target, trace::Stage::kModelOutput, number, kMostTensorBytes);
  if (!outputs || !*outputs) return std::nullopt;
  FurtherFrame frame;
  frame.number = number, frame.sample = sample;
  frame.outputs = **std::move(outputs);
  auto inputs = recorded_tensors(target, trace::Stage::kModelInput, number, kMostTensorBytes);
  if (inputs && *inputs) frame.inputs = **std::move(inputs);
  frame.picture = sizes.of(number);
  if (auto answer = trace::answer_of(target, number); answer && *answer)
    frame.answer = **std::move(answer);
  return frame;
}

}  // namespace

Status visit_further_frames(const Case& known, const std::set<std::uint32_t>& seen,
                            const Control& control,
                            const std::function<bool(FurtherFrame&)>& visit) {
  const trace::Reader& target = *known.target;
  const PictureSizes sizes(known);
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < target.frames().size(); ++i)
    if (!seen.count(target.frames()[i])) rest.push_back(i);
  for (const std::size_t k : evenly_spaced(rest.size(), kMostFrames)) {
    if (control.stopped()) return interrupted();
    auto frame =
        recorded_frame(known, target.frames()[rest[k]], target.records()[rest[k]].sample, sizes);
    if (frame && visit(*frame)) return {};
  }
  return {};
}

}  // namespace edgeprobe::diagnose

// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <gtest/gtest.h>

#include "trace/record/memory_sink.h"
#include "trace/record/writer.h"

namespace edgeprobe::diagnose {
namespace {

trace::Reader recording(const TensorSpec& spec, const std::vector<Bytes>& frames) {
  Bytes bytes;
  auto writer = trace::Writer::open(std::make_unique<trace::MemorySink>(bytes));
  EXPECT_TRUE(writer);
  trace::Channel channel;
  channel.stage = trace::Stage::kModelInput;
  channel.spec = spec;
  channel.position = 0;
  const auto id = *writer->add_channel(channel);
  for (std::uint32_t frame = 0; frame < frames.size(); ++frame)
    EXPECT_TRUE(writer->write(id, frame, frame, frames[frame]));
  EXPECT_TRUE(writer->close());
  auto reader = trace::Reader::open(std::move(bytes));
  EXPECT_TRUE(reader);
  return *std::move(reader);
}

}  // namespace

TwoTraces::TwoTraces(const TensorSpec& target_spec, const std::vector<Bytes>& target,
                     const TensorSpec& reference_spec, const std::vector<Bytes>& reference)
    : target_(recording(target_spec, target)),
      reference_(recording(reference_spec, reference)),
      frames_(target.size()) {
  known_.target = &target_;
  known_.reference = &reference_;
}

Study TwoTraces::study() const {
  Study study{known_, {}, {}, {}};
  for (std::uint32_t frame = 0; frame < frames_; ++frame) {
    compare::FrameAgreement pair;
    pair.reference = pair.target = frame;
    study.agreement.frames.push_back(pair);
  }
  study.input.target = &target_.channels().front();
  study.input.reference = &reference_.channels().front();
  return study;
}

void compare_inputs(Study& study, double least, double most) {
  compare::LayerAgreement input;
  input.stage = trace::Stage::kModelInput;
  input.moments.n = 2;
  input.moments.min_r = least;
  input.moments.max_r = most;
  input.moments.sum_abs_d = input.moments.max_abs_d = 0.5;
  study.agreement.layers.push_back(input);
}

}  // namespace edgeprobe::diagnose

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support.h"

namespace edgeprobe::test {
namespace {

using trace::Stage;

// One frame with a tensor of each stage.
void log_all(edgeprobe_probe* probe) {
  edgeprobe_frame* const frame = begun(probe);
  const struct {
    edgeprobe_stage stage;
    const char* name;
  } all[] = {{EDGEPROBE_STAGE_INTERMEDIATE, "resized"}, {EDGEPROBE_STAGE_MODEL_INPUT, "in"},
             {EDGEPROBE_STAGE_LAYER, "conv"},           {EDGEPROBE_STAGE_EMBEDDING, "features"},
             {EDGEPROBE_STAGE_MODEL_OUTPUT, "out"},     {EDGEPROBE_STAGE_VARIABLE, "x"}};
  for (const auto& [stage, name] : all)
    EXPECT_EQ(edgeprobe_log_tensor(frame, Floats(stage, name, {1, 2})), EDGEPROBE_OK);
  edgeprobe_span span = edgeprobe_span_begin(frame, "step");
  EXPECT_EQ(edgeprobe_span_end(&span), EDGEPROBE_OK);
  edgeprobe_frame_end(frame);
}

std::string recorded(const trace::Reader& reader) {
  std::string names;
  for (const auto& c : reader.channels())
    names += std::string(trace::name(c.channel.stage)) + "/" + c.channel.spec.name + " ";
  return names;
}

std::string at_level(edgeprobe_level level, const char* include = nullptr,
                     const char* exclude = nullptr) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.level = level;
  options.include = include;
  options.exclude = exclude;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  log_all(probe);
  EXPECT_EQ(edgeprobe_close(probe, nullptr), EDGEPROBE_OK);
  const auto reader = read(folder / "t.mcap");
  EXPECT_EQ(reader.frames().size(), 1u);
  if (has_channel(reader, Stage::kLayer, "features")) {
    EXPECT_EQ(channel(reader, Stage::kLayer, "features").channel.extra.at("embedding"), "true");
  }
  return recorded(reader);
}

TEST(ProbeLevel, EachHoldsWhatTheOnesBeforeHold) {
  EXPECT_EQ(at_level(EDGEPROBE_LEVEL_NONE), "span/step ");
  EXPECT_EQ(at_level(EDGEPROBE_LEVEL_IO),
            "intermediate/resized model_input/in model_output/out variable/x span/step ");
  EXPECT_EQ(
      at_level(EDGEPROBE_LEVEL_EMBEDDING),
      "intermediate/resized model_input/in layer/features model_output/out variable/x span/step ");
  EXPECT_EQ(at_level(EDGEPROBE_LEVEL_LAYERS),
            "intermediate/resized model_input/in layer/conv layer/features model_output/out "
            "variable/x span/step ");
}

TEST(ProbeLevel, PatternsChooseTensorsButNotSpans) {
  EXPECT_EQ(at_level(EDGEPROBE_LEVEL_LAYERS, "layer/* model_output/o?t"),
            "layer/conv layer/features model_output/out span/step ");
  EXPECT_EQ(at_level(EDGEPROBE_LEVEL_LAYERS, nullptr, "*/c*  variable/x"),
            "intermediate/resized model_input/in layer/features model_output/out span/step ");
  EXPECT_EQ(at_level(EDGEPROBE_LEVEL_LAYERS, "layer/*", "layer/conv"), "layer/features span/step ");
}

TEST(ProbeLevel, WantsTellsWhatWouldBeRecorded) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.every = 2;
  options.raw = EDGEPROBE_RAW_NONE;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  edgeprobe_frame* frame = begun(probe);
  EXPECT_EQ(edgeprobe_frame_wants(frame, EDGEPROBE_STAGE_MODEL_INPUT), 1);
  EXPECT_EQ(edgeprobe_frame_wants(frame, EDGEPROBE_STAGE_LAYER), 0);
  EXPECT_EQ(edgeprobe_frame_wants(frame, EDGEPROBE_STAGE_RAW_INPUT), 0);
  EXPECT_EQ(edgeprobe_frame_wants(frame, 99), 0);
  edgeprobe_frame_end(frame);
  frame = begun(probe);
  EXPECT_EQ(edgeprobe_frame_wants(frame, EDGEPROBE_STAGE_MODEL_INPUT), 0);
  edgeprobe_frame_end(frame);
  edgeprobe_close(probe, nullptr);
}

TEST(ProbeLevel, OutputsBeyondTheModelsOwnAreLayers) {
  const Folder folder;
  edgeprobe_options options = defaults();
  options.level = EDGEPROBE_LEVEL_LAYERS;
  options.own_outputs = 1;
  edgeprobe_probe* const probe = opened(folder / "t.mcap", options);
  edgeprobe_frame* const frame = begun(probe);
  for (int i = 0; i < 3; ++i) {
    Floats tensor(EDGEPROBE_STAGE_MODEL_OUTPUT, i == 0 ? "scores" : i == 1 ? "relu" : "pool", {1});
    tensor.tensor.position = i;
    edgeprobe_log_tensor(frame, tensor);
  }
  edgeprobe_frame_end(frame);
  edgeprobe_close(probe, nullptr);
  const auto reader = read(folder / "t.mcap");
  EXPECT_EQ(recorded(reader), "model_output/scores layer/relu layer/pool ");
  EXPECT_EQ(channel(reader, Stage::kLayer, "pool").channel.position, 1);
}

}  // namespace
}  // namespace edgeprobe::test

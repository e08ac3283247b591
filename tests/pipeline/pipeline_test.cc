#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "dataset/folder.h"
#include "pipeline/capture.h"
#include "pipeline/raw_inputs.h"
#include "trace/reader.h"

namespace edgeprobe::pipeline {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = fs::path(EDGEPROBE_SOURCE_DIR) / "models";

class PipelineTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("edgeprobe_pipeline_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    PipelineSpec spec;
    spec.model = kModels / "signs_float.tflite";
    spec.engine.library = fs::path(EDGEPROBE_SOURCE_DIR) / ".deps/engines/libLiteRt.so";
    if (!fs::exists(spec.engine.library)) GTEST_SKIP() << "LiteRT was not fetched; run script/setup";
    auto recipe = preprocess::load_recipe((kModels / "signs.recipe").string());
    ASSERT_TRUE(recipe) << recipe.error().what;
    spec.recipe = *recipe;
    auto opened = open(spec);
    ASSERT_TRUE(opened) << opened.error().what;
    pipeline_.emplace(*std::move(opened));
    auto samples = dataset::open_folder(kModels / "data/test", {}, 3);
    ASSERT_TRUE(samples) << samples.error().what;
    samples_ = *std::move(samples);
  }
  void TearDown() override { fs::remove_all(folder_); }

  trace::Reader recorded(const std::string& name, const RunOptions& options) {
    auto summary = run(*pipeline_, samples_, folder_ / name, options);
    EXPECT_TRUE(summary) << summary.error().what;
    summary_ = *summary;
    auto reader = trace::Reader::open(folder_ / name);
    EXPECT_TRUE(reader) << reader.error().what;
    return *std::move(reader);
  }

  fs::path folder_;
  std::optional<Pipeline> pipeline_;
  std::vector<dataset::Sample> samples_;
  RunSummary summary_;
};

TEST_F(PipelineTest, GroupsUnderASmallBudgetRecordTheSameTensors) {
  RunOptions options;
  options.level = Level::kLayers;
  const trace::Reader whole = recorded("whole.mcap", options);
  options.capture_budget = 20'000;  // The largest layer alone has 65,536 bytes.
  ASSERT_GT(model::capture_groups(pipeline_->graph, captured_tensors(pipeline_->graph, Level::kLayers), 20'000).size(), 3u);
  const trace::Reader parts = recorded("parts.mcap", options);
  EXPECT_EQ(summary_.moved_outputs, 0u);
  ASSERT_EQ(whole.channels().size(), parts.channels().size());
  std::size_t compared = 0;
  for (const trace::ReadChannel& a : whole.channels())
    for (const trace::ReadChannel& b : parts.channels()) {
      if (a.channel.stage != b.channel.stage || a.channel.spec.name != b.channel.spec.name) continue;
      for (const std::uint32_t frame : whole.frames()) {
        const auto x = whole.read(frame, a.id), y = parts.read(frame, b.id);
        ASSERT_TRUE(x && y && *x && *y);
        EXPECT_EQ((*x)->bytes.text(), (*y)->bytes.text()) << a.channel.spec.name;
        ++compared;
      }
    }
  EXPECT_EQ(compared, 3 * whole.channels().size());
}

TEST_F(PipelineTest, ASecondPictureOfTheSameNameIsNeverTakenForTheFirst) {
  RunOptions options;
  options.raw_inputs = RawInput::kNone;
  const trace::Reader reader = recorded("bare.mcap", options);
  auto right = raw_inputs(reader, samples_);
  ASSERT_TRUE(right);
  EXPECT_EQ(right->samples.size(), 3u);
  // The same names, each with the next one's picture: the hashes give them away and find the right ones.
  std::vector<dataset::Sample> rotated = samples_;
  for (std::size_t i = 0; i < 3; ++i) rotated[i].load = samples_[(i + 1) % 3].load;
  auto found = raw_inputs(reader, rotated);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->samples.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(found->samples[i].load()->sha256, samples_[i].load()->sha256);
  // One picture alone under all names: only the frame that showed it keeps its raw input.
  for (std::size_t i = 0; i < 3; ++i) rotated[i].load = samples_[0].load;
  auto one = raw_inputs(reader, rotated);
  ASSERT_TRUE(one);
  EXPECT_EQ(one->samples.size(), 1u);
  EXPECT_EQ(one->without_raw.size(), 2u);
}

TEST_F(PipelineTest, EmbeddingIsTheInputOfTheLastWeights) {
  const auto tensors = captured_tensors(pipeline_->graph, Level::kEmbedding);
  ASSERT_EQ(tensors.size(), 1u);
  EXPECT_EQ(pipeline_->graph.tensors[static_cast<std::size_t>(tensors[0])].spec.name, "pool/mean");
}

TEST_F(PipelineTest, AnUndeclaredTraceNamesNeitherModelNorRecipe) {
  RunOptions options;
  options.undeclared = true;
  const trace::Reader reader = recorded("app.mcap", options);
  const auto& metadata = reader.metadata().at("edgeprobe.run");
  for (const char* key : {"model", "model_sha256", "recipe", "engine", "dataset"}) EXPECT_EQ(metadata.count(key), 0u) << key;
}

}  // namespace
}  // namespace edgeprobe::pipeline

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "core/file.h"
#include "dataset/sources.h"
#include "pipeline/capture.h"
#include "pipeline/inputs/picture.h"
#include "pipeline/inputs/raw_inputs.h"
#include "pipeline/inputs/recorded_inputs.h"
#include "pipeline/run.h"
#include "source_dir.h"
#include "trace/read/answers.h"
#include "trace/read/reader.h"
#include "trace/record/writer.h"

namespace edgeprobe::pipeline {
namespace {

namespace fs = std::filesystem;

const fs::path kModels = fs::path(edgeprobe::test::source_dir()) / "models";

/// A copy, so that the sample may be a temporary.
dataset::Picture picture_in(const Result<dataset::Loaded>& sample) {
  return std::get<dataset::Picture>(sample->input);
}

class PipelineTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() / ("edgeprobe_pipeline_" + std::to_string(::getpid()));
    fs::create_directories(folder_);
    PipelineSpec spec;
    spec.model = kModels / "signs_float.tflite";
    spec.engine.library = fs::path(edgeprobe::test::source_dir()) / ".deps/engines/libLiteRt.so";
    if (!fs::exists(spec.engine.library))
      GTEST_SKIP() << "LiteRT was not fetched; run script/setup";
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
  options.capture_budget = 20'000;  // The largest layer by itself has 65,536 bytes.
  ASSERT_GT(model::capture_groups(pipeline_->graph,
                                  captured_tensors(pipeline_->graph, Level::kLayers), 20'000)
                .size(),
            3u);
  const trace::Reader parts = recorded("parts.mcap", options);
  EXPECT_EQ(summary_.moved_outputs, 0u);
  ASSERT_EQ(whole.channels().size(), parts.channels().size());
  std::size_t compared = 0;
  for (const trace::ReadChannel& a : whole.channels())
    for (const trace::ReadChannel& b : parts.channels()) {
      if (a.channel.stage != b.channel.stage || a.channel.spec.name != b.channel.spec.name)
        continue;
      for (const std::uint32_t frame : whole.frames()) {
        const auto x = whole.read(frame, a.id), y = parts.read(frame, b.id);
        ASSERT_TRUE(x && y && *x && *y);
        EXPECT_EQ((*x)->bytes.text(), (*y)->bytes.text()) << a.channel.spec.name;
        ++compared;
      }
    }
  EXPECT_EQ(compared, 3 * whole.channels().size());
}

/// An engine on a device that goes away after some inferences.
struct Device {
  std::size_t runs_left = 0, loads = 0;
  Error gone() const { return {ErrorKind::kTarget, "the device is gone"}; }
};

class SessionThere final : public engine::Session {
 public:
  SessionThere(std::unique_ptr<engine::Session> here, Device& device)
      : here_(std::move(here)), device_(device) {}
  const std::vector<TensorSpec>& inputs() const override { return here_->inputs(); }
  const std::vector<TensorSpec>& outputs() const override { return here_->outputs(); }
  const std::vector<engine::Delegation>& delegations() const override {
    return here_->delegations();
  }
  const std::vector<std::string>& warnings() const override { return here_->warnings(); }
  Result<engine::Inference> infer(const std::vector<TensorView>& inputs) override {
    if (device_.runs_left == 0) return device_.gone();
    --device_.runs_left;
    return here_->infer(inputs);
  }

 private:
  std::unique_ptr<engine::Session> here_;
  Device& device_;
};

class EngineThere final : public engine::Engine {
 public:
  EngineThere(std::unique_ptr<engine::Engine> here, Device& device)
      : here_(std::move(here)), device_(device) {}
  const engine::EngineIdentity& identity() const override { return here_->identity(); }
  Result<std::unique_ptr<engine::Session>> load(ByteView, std::string_view,
                                                const engine::SessionOptions&) override {
    ++device_.loads;
    return device_.gone();
  }

 private:
  std::unique_ptr<engine::Engine> here_;
  Device& device_;
};

TEST_F(PipelineTest, ADeviceThatIsGoneIsNotTakenForAnEngineThatRefusesTheLayers) {
  // Refused, the layers are tried in ever smaller groups; the device still runs the plain model.
  for (const bool goes : {true, false}) {
    auto opened = open(pipeline_->spec);
    ASSERT_TRUE(opened) << opened.error().what;
    Device device{goes ? samples_.size() : 1000};
    opened->session = std::make_unique<SessionThere>(std::move(opened->session), device);
    opened->engine = std::make_unique<EngineThere>(std::move(opened->engine), device);
    opened->spec.engine.address = "tcp://device:1";
    RunOptions options;
    options.level = Level::kLayers;

    const auto summary = run(*opened, samples_, folder_ / "there.mcap", options);

    ASSERT_FALSE(summary);
    EXPECT_EQ(summary.error().kind, ErrorKind::kTarget);
    if (goes) {
      EXPECT_EQ(device.loads, 1u);
      EXPECT_EQ(summary.error().what,
                "'" + samples_[0].name + "', with layers: the device is gone");
    } else {
      EXPECT_GT(device.loads, 10u);
    }
    const auto kept = trace::Reader::open(folder_ / "there.mcap");
    ASSERT_TRUE(kept) << kept.error().what;
    EXPECT_EQ(kept->frames().size(), samples_.size());
    fs::remove(folder_ / "there.mcap");
  }
}

TEST_F(PipelineTest, TheHalfBehindTheModelMakesAnswers) {
  std::string names;
  for (int i = 0; i < 10; ++i) names += "class " + std::to_string(i) + "\n";
  ASSERT_TRUE(write_file(folder_ / "names.txt", view_of(names)));
  pipeline_->recipe.post =
      "dequantize | softmax | topk(3) | labels(" + (folder_ / "names.txt").string() + ")";
  const trace::Reader reader = recorded("answers.mcap", {});
  EXPECT_TRUE(summary_.warnings.empty()) << summary_.warnings.front();
  ASSERT_EQ(trace::answer_channels(reader).size(), 1u);
  for (const trace::ReadChannel& channel : reader.channels()) {
    if (channel.channel.stage != trace::Stage::kModelOutput) continue;
    for (const std::uint32_t frame : reader.frames()) {
      const auto output = reader.read(frame, channel.id);
      ASSERT_TRUE(output && *output);
      const auto logits = to_float(**output);
      ASSERT_TRUE(logits);
      double sum = 0;
      std::vector<std::pair<double, std::int64_t>> best;
      for (const float logit : *logits) sum += std::exp(double(logit));
      for (std::size_t i = 0; i < logits->size(); ++i)
        best.emplace_back(-std::exp(double((*logits)[i])) / sum, std::int64_t(i));
      std::sort(best.begin(), best.end());
      const auto answer = trace::answer_of(reader, frame);
      ASSERT_TRUE(answer && *answer) << frame;
      ASSERT_EQ((*answer)->scores->size(), 3u);
      for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_EQ((*(*answer)->classes)[k], best[k].second);
        EXPECT_EQ((*(*answer)->labels)[k], "class " + std::to_string(best[k].second));
        EXPECT_NEAR((*(*answer)->scores)[k], -best[k].first, 1e-6);
      }
    }
  }
}

// A COCO SSD whose own operator suppresses boxes: its results above the threshold, in pixels.
TEST_F(PipelineTest, ADetectorsBoxesAreTheAnswer) {
  const char* const given = std::getenv("EDGEPROBE_SHARED_DATA");
  const fs::path data =
      given ? fs::path(given) : fs::path(edgeprobe::test::source_dir()) / "../shared/data";
  PipelineSpec spec = pipeline_->spec;
  spec.model = data / "models/tflite_support/coco_ssd_mobilenet_v1_1.0_quant_2018_06_29.tflite";
  const fs::path picture = data / "images/cat.bmp";
  if (!fs::exists(spec.model) || !fs::exists(picture)) GTEST_SKIP() << "no " << spec.model;
  auto recipe = preprocess::parse_recipe(
      "resize(300x300, bilinear) | color(rgb) | scale(-1..1) | layout(nhwc) | quantize(model) || "
      "detections(yxyx) | threshold(0.3) | boxes(xyxy, pixels)");
  ASSERT_TRUE(recipe) << recipe.error().what;
  spec.recipe = *recipe;
  auto opened = open(spec);
  ASSERT_TRUE(opened) << opened.error().what;
  pipeline_.emplace(*std::move(opened));
  samples_.resize(1);
  samples_[0].name = "cat.bmp";
  samples_[0].load = [picture]() -> Result<dataset::Loaded> {
    const auto bytes = read_file(picture);
    if (!bytes) return bytes.error();
    return dataset::load_encoded(*bytes, "cat.bmp");
  };
  const auto loaded = samples_[0].load();
  ASSERT_TRUE(loaded) << loaded.error().what;
  const preprocess::Image image = picture_in(loaded).image;
  const trace::Reader reader = recorded("boxes.mcap", {});
  EXPECT_TRUE(summary_.warnings.empty()) << summary_.warnings.front();
  std::vector<std::vector<float>> outputs(4);  // boxes, classes, scores, count
  for (const trace::ReadChannel& channel : reader.channels())
    if (channel.channel.stage == trace::Stage::kModelOutput)
      outputs.at(static_cast<std::size_t>(channel.channel.position)) =
          *to_float(**reader.read(0, channel.id));
  const auto answer = trace::answer_of(reader, 0);
  ASSERT_TRUE(answer && *answer);
  const std::array<double, 4> sides{double(image.width), double(image.height), double(image.width),
                                    double(image.height)};
  std::size_t found = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(outputs[3][0]); ++i) {
    if (outputs[2][i] < 0.3f) continue;
    ASSERT_LT(found, (*answer)->boxes->size());
    for (std::size_t side = 0; side < 4; ++side)
      EXPECT_NEAR((*(*answer)->boxes)[found][side],
                  double(outputs[0][4 * i + (side ^ 1)]) * sides[side], 1e-2);
    EXPECT_EQ((*(*answer)->scores)[found], outputs[2][i]);
    EXPECT_EQ((*(*answer)->classes)[found], static_cast<std::int64_t>(outputs[1][i]));
    ++found;
  }
  EXPECT_GT(found, 0u);
  EXPECT_EQ((*answer)->boxes->size(), found);
}

TEST_F(PipelineTest, WithoutStepsThatCanBeRunTheTraceHasNoAnswerAndAWarningSaysWhy) {
  for (const auto& [post, why] : {std::pair("sing", "no answer is recorded: "),
                                  std::pair("softmax | labels(/nowhere.txt)", "nowhere.txt"),
                                  std::pair("softmax | output(7)", "no answer is recorded: "),
                                  std::pair("output(7) | softmax", "from frame 0 on no answer is"),
                                  std::pair("detections(yxyx)", "from frame 0 on no answer is")}) {
    pipeline_->recipe.post = post;
    RunOptions options;
    options.replace = true;
    const trace::Reader reader = recorded("none.mcap", options);
    EXPECT_EQ(reader.frames().size(), 3u);
    EXPECT_TRUE(trace::answer_channels(reader).empty());
    ASSERT_EQ(summary_.warnings.size(), 1u) << post;
    EXPECT_NE(summary_.warnings[0].find(why), std::string::npos) << summary_.warnings[0];
  }
}

TEST_F(PipelineTest, StartsOfSequencesComeFromTheFramesAndFromTheRun) {
  auto writer = trace::Writer::open(folder_ / "app.mcap");
  ASSERT_TRUE(writer);
  ASSERT_TRUE(writer->metadata("edgeprobe.run", {{"sequence_begins", "4"}}));
  for (std::uint32_t i = 0; i < 6; ++i) {
    trace::FrameRecord record;
    record.frame = i;
    record.begins_sequence = i == 2;
    ASSERT_TRUE(writer->frame(record));
  }
  ASSERT_TRUE(writer->close());
  const auto reader = trace::Reader::open(folder_ / "app.mcap");
  ASSERT_TRUE(reader);
  const RecordedInputs recorded(*reader);
  for (std::uint32_t i = 0; i < 6; ++i) EXPECT_EQ(recorded.begins_sequence(i), i == 2 || i == 4);
}

TEST_F(PipelineTest, ASecondPictureOfTheSameNameIsNeverTakenForTheFirst) {
  RunOptions options;
  options.raw_inputs = RawForm::kNone;
  const trace::Reader reader = recorded("bare.mcap", options);
  auto right = raw_inputs(reader, samples_);
  ASSERT_TRUE(right);
  EXPECT_EQ(right->samples.size(), 3u);
  // The same names, each with the next picture: the hashes reveal this and find the right pictures.
  std::vector<dataset::Sample> rotated = samples_;
  for (std::size_t i = 0; i < 3; ++i) rotated[i].load = samples_[(i + 1) % 3].load;
  auto found = raw_inputs(reader, rotated);
  ASSERT_TRUE(found);
  ASSERT_EQ(found->samples.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(found->samples[i].load()->sha256, samples_[i].load()->sha256);
  // All names have the same picture: only the frame that recorded it keeps its raw input.
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
  for (const char* key : {"model", "model_sha256", "recipe", "engine", "dataset"})
    EXPECT_EQ(metadata.count(key), 0u) << key;
}

/// A camera frame of gray values that differ by row, with padded rows.
Bytes camera_frame() {
  Bytes bytes(std::size_t{80} * 72, std::byte{90});
  for (std::size_t i = 0; i < std::size_t{80} * 48; ++i) bytes[i] = std::byte(16 + i / 80 * 4);
  for (std::size_t i = std::size_t{80} * 48; i < bytes.size(); ++i)
    bytes[i] = std::byte(i % 2 ? 60 : 200);
  return bytes;
}

TEST_F(PipelineTest, CameraFramesAreRecordedWithTheirDescriptionAndReplayedAsThemselves) {
  fs::create_directories(folder_ / "camera");
  ASSERT_TRUE(
      write_file(folder_ / "camera/a_64x48_stride80_bt709_rot90_mirrored.nv21", camera_frame()));
  ASSERT_TRUE(write_file(folder_ / "camera/b_64x48_stride80_full.i420", camera_frame()));
  ASSERT_TRUE(write_file(folder_ / "camera/c_64x48.nv12", camera_frame()));
  ASSERT_TRUE(write_file(folder_ / "camera/d.png", picture_in(samples_[0].load()).encoded));
  samples_ = *dataset::open_folder(folder_ / "camera", {});
  ASSERT_EQ(samples_.size(), 4u);
  const trace::Reader reader = recorded("camera.mcap", {});
  ASSERT_EQ(summary_.unreadable.size(), 1u);
  EXPECT_NE(summary_.unreadable[0].why.find("stride of 80"), std::string::npos)
      << summary_.unreadable[0].why;
  EXPECT_EQ(reader.metadata().at("edgeprobe.run").at("raw_inputs"), "encoded");
  const auto raw = raw_inputs(reader, {});
  ASSERT_TRUE(raw);
  ASSERT_EQ(raw->samples.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto again = raw->samples[i].load(), first = samples_[i == 2 ? 3 : i].load();
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(picture_in(again).image.pixels, picture_in(first).image.pixels);
    EXPECT_EQ(picture_in(again).encoded, picture_in(first).encoded);
    EXPECT_EQ(again->sha256, first->sha256);
    EXPECT_EQ(picture_in(again).exif_orientation, picture_in(first).exif_orientation);
    ASSERT_EQ(picture_in(again).frame.has_value(), picture_in(first).frame.has_value());
    if (picture_in(first).frame) {
      EXPECT_EQ(to_text(*picture_in(again).frame), to_text(*picture_in(first).frame));
    }
  }
}

TEST_F(PipelineTest, PixelsInsteadOfFilesAreReplayedToo) {
  RunOptions options;
  options.raw_inputs = RawForm::kPixels;
  const trace::Reader reader = recorded("pixels.mcap", options);
  EXPECT_EQ(reader.metadata().at("edgeprobe.run").at("raw_inputs"), "pixels");
  const auto raw = raw_inputs(reader, {});
  ASSERT_TRUE(raw);
  ASSERT_EQ(raw->samples.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const auto again = raw->samples[i].load();
    ASSERT_TRUE(again) << again.error().what;
    EXPECT_EQ(picture_in(again).image.pixels, picture_in(samples_[i].load()).image.pixels);
    EXPECT_TRUE(picture_in(again).encoded.empty());
    // Without bytes, nothing can be decoded differently.
    const auto wrong = model_input(
        *preprocess::parse_recipe("decode(scale=1/2) | " + preprocess::to_text(pipeline_->recipe)),
        again->input, pipeline_->input());
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().what.find("only the pixels"), std::string::npos) << wrong.error().what;
  }
}

TEST_F(PipelineTest, ALargerTraceThanAllowedEndsTheRunAndKeepsItsFrames) {
  // A small file with many pixels.
  ASSERT_TRUE(
      write_file(folder_ / "z.png",
                 *preprocess::encode_png({900, 900, 1, std::vector<std::uint8_t>(810'000, 9)})));
  samples_.push_back(dataset::open_folder(folder_ / "z.png", {})->front());
  RunOptions options;
  options.raw_inputs = RawForm::kPixels;
  options.most_bytes = 500'000;
  ASSERT_LT(expected_bytes(*pipeline_, Level::kIo, 4), options.most_bytes);
  const auto summary = run(*pipeline_, samples_, folder_ / "large.mcap", options);
  ASSERT_FALSE(summary);
  EXPECT_EQ(summary.error().kind, ErrorKind::kLimit);
  EXPECT_NE(summary.error().what.find("--raw none"), std::string::npos) << summary.error().what;
  auto kept = trace::Reader::open(folder_ / "large.mcap");
  ASSERT_TRUE(kept) << kept.error().what;
  EXPECT_EQ(kept->records().size(), 3u);
}

TEST_F(PipelineTest, ARecipeThatBeginsWithDecodeReadsTheRecordedBytes) {
  auto loaded = dataset::load_file(camera_frame(), "a_64x48_stride80.nv12");
  ASSERT_TRUE(loaded) << loaded.error().what;
  const std::string steps = preprocess::to_text(pipeline_->recipe);
  const auto input_of = [&](const preprocess::Recipe& recipe, const dataset::RawInput& raw) {
    return model_input(recipe, raw, pipeline_->open_input());
  };
  const auto swapped =
      input_of(*preprocess::parse_recipe("decode(nv21) | " + steps), loaded->input);
  ASSERT_TRUE(swapped) << swapped.error().what;
  const auto frame = dataset::load_file(camera_frame(), "a_64x48_stride80.nv21");
  const auto plain = input_of(pipeline_->recipe, frame->input);
  ASSERT_TRUE(plain) << plain.error().what;
  EXPECT_EQ(swapped->bytes, plain->bytes);
  EXPECT_NE(swapped->bytes, input_of(pipeline_->recipe, loaded->input)->bytes);
}

TEST(RawChannel, SaysWhatIsMissingOrWrong) {
  dataset::Picture picture;
  picture.encoded = camera_frame();
  picture.frame = preprocess::YuvFrame{};
  picture.frame->width = 64;
  picture.frame->height = 48;
  picture.frame->stride = 80;
  const trace::Channel good = raw_channel(picture, RawForm::kEncoded).value();
  ASSERT_TRUE(frame_of(good));
  EXPECT_EQ(to_text(*frame_of(good)), to_text(*picture.frame));
  for (const auto& [key, value] : std::map<std::string, std::string>{{"width", "-64"},
                                                                     {"height", "x"},
                                                                     {"stride", "80.5"},
                                                                     {"matrix", "bt2020"},
                                                                     {"range", "video"},
                                                                     {"rotation", "45"},
                                                                     {"mirrored", "1"}}) {
    trace::Channel bad = good;
    bad.extra[key] = value;
    const auto frame = frame_of(bad);
    ASSERT_FALSE(frame) << key;
    EXPECT_NE(frame.error().what.find(key), std::string::npos) << frame.error().what;
  }
  trace::Channel missing = good;
  missing.extra.erase("width");
  EXPECT_NE(frame_of(missing).error().what.find("width is missing"), std::string::npos);
  // The other fields have defaults: an unpadded frame of BT.601 in limited range.
  missing = good;
  missing.extra = {{"width", "64"}, {"height", "48"}};
  EXPECT_EQ(to_text(*frame_of(missing)), "64x48 nv12, bt601, limited range");
}

}  // namespace
}  // namespace edgeprobe::pipeline

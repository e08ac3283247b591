// SPDX-License-Identifier: Apache-2.0
#include "check/check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "dataset/sources.h"
#include "preprocess/recipe/recipe.h"
#include "source_dir.h"

namespace edgeprobe::check {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

/// Our own model and pictures with LiteRT.
class CheckTest : public testing::Test {
 protected:
  void SetUp() override {
    if (!fs::exists(engine_)) GTEST_SKIP() << "LiteRT was not fetched; run script/setup";
    auto labels = dataset::read_labels((models_ / "data/labels.csv").string(), "");
    ASSERT_TRUE(labels) << labels.error().what;
    auto samples = dataset::open_folder(models_ / "data/test", *labels, 24);
    ASSERT_TRUE(samples) << samples.error().what;
    request_.samples = *std::move(samples);
    request_.data = (models_ / "data/test").string();
    request_.target = spec("rgb");
    request_.reference = ReferenceModel{spec("rgb")};
    request_.level = pipeline::Level::kIo;
    observer_.step = [this](const std::string& step) {
      steps_.push_back(step);
      return Control{};
    };
    observer_.notice = [this](const std::string& text) { notices_.push_back(text); };
  }

  pipeline::PipelineSpec spec(const std::string& colors) const {
    pipeline::PipelineSpec spec;
    spec.model = models_ / "signs_float.tflite";
    spec.engine.library = engine_;
    auto recipe = preprocess::parse_recipe(
        "crop(center, 0.875) | resize(64x64, bilinear, antialias=on, align=half_pixel) | color(" +
        colors + ") | scale(-1..1) | layout(nhwc)");
    EXPECT_TRUE(recipe);
    spec.recipe = *std::move(recipe);
    return spec;
  }

  const fs::path models_ = fs::path(edgeprobe::test::source_dir()) / "models";
  const fs::path engine_ = fs::path(edgeprobe::test::source_dir()) / ".deps/engines/libLiteRt.so";
  CheckRequest request_;
  Observer observer_;
  std::vector<std::string> steps_, notices_;
};

TEST_F(CheckTest, EqualPipelinesAgreeAndEachStepIsShownOnce) {
  const auto verdict = check(request_, observer_);

  ASSERT_TRUE(verdict) << verdict.error().what;
  EXPECT_EQ(verdict->outcome, diagnose::Outcome::kAgrees);
  EXPECT_EQ(steps_, (std::vector<std::string>{"target and reference", "diagnose"}));
  EXPECT_EQ(notices_, std::vector<std::string>{}) << "recipes were given";
  EXPECT_EQ(verdict->provenance.at("target.model"), "signs_float.tflite");
  EXPECT_EQ(verdict->provenance.at("reference.model"), "signs_float.tflite");
}

TEST_F(CheckTest, OneAfterTheOtherTheVerdictIsTheSame) {
  const fs::path folder =
      fs::temp_directory_path() / ("edgeprobe_in_turn_" + std::to_string(::getpid()));
  request_.target = spec("bgr");
  const auto together = check(request_, observer_);
  ASSERT_TRUE(together) << together.error().what;
  steps_.clear();
  request_.keep_traces = folder;
  const auto in_turn = check(request_, observer_);
  fs::remove_all(folder);
  ASSERT_TRUE(in_turn) << in_turn.error().what;

  EXPECT_EQ(steps_, (std::vector<std::string>{"target", "reference", "diagnose"}));
  EXPECT_EQ(together->warnings, in_turn->warnings);
  EXPECT_EQ(together->provenance, in_turn->provenance);
  ASSERT_EQ(together->causes.size(), in_turn->causes.size());
  EXPECT_EQ(together->causes[0].detail, in_turn->causes[0].detail);
}

TEST_F(CheckTest, EqualComputationsRunOnceUnlessAllIsAskedFor) {
  const auto once = check(request_, observer_);
  request_.exhaustive = true;
  const auto twice = check(request_, observer_);

  ASSERT_TRUE(once && twice);
  EXPECT_THAT(once->warnings,
              testing::ElementsAre(HasSubstr("the reference ran on 16 of 24 frames")));
  EXPECT_THAT(twice->warnings, testing::IsEmpty());
}

TEST_F(CheckTest, ExchangedColorsAreTheCauseInACheckAndInARecording) {
  const fs::path folder =
      fs::temp_directory_path() / ("edgeprobe_check_" + std::to_string(::getpid()));
  request_.target = spec("bgr");
  request_.keep_traces = folder;
  const auto checked = check(request_, observer_);
  ASSERT_TRUE(checked) << checked.error().what;

  auto target = trace::Reader::open(folder / "target.mcap");
  ASSERT_TRUE(target) << target.error().what;
  const auto raw = pipeline::raw_inputs(*target, request_.samples);
  ASSERT_TRUE(raw) << raw.error().what;
  ExplainRequest recorded;
  recorded.target = &*target;
  recorded.raw = &*raw;
  recorded.reference = RecordedReference{folder / "reference.mcap", spec("rgb")};
  const auto explained = explain(recorded, observer_);
  fs::remove_all(folder);
  ASSERT_TRUE(explained) << explained.error().what;

  for (const diagnose::Verdict* verdict : {&*checked, &*explained}) {
    EXPECT_EQ(verdict->outcome, diagnose::Outcome::kDiffers);
    ASSERT_EQ(verdict->causes.size(), 1u);
    EXPECT_EQ(verdict->causes[0].kind, diagnose::CauseKind::kChannelOrder);
    EXPECT_EQ(verdict->causes[0].status, diagnose::CauseStatus::kConfirmed);
  }
}

TEST_F(CheckTest, AStopEndsItAsInterrupted) {
  const std::atomic<bool> stop = true;
  observer_.stop = &stop;

  const auto verdict = check(request_, observer_);

  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().kind, ErrorKind::kInterrupted) << verdict.error().what;
}

TEST_F(CheckTest, ALabelBeyondTheOutputsIsAUsageError) {
  request_.samples.front().annotation = task::ClassLabel{12};  // The model has 12 classes, from 0.

  const auto verdict = check(request_, observer_);

  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(verdict.error().what,
              HasSubstr("is of class 12, but the model's outputs have 12 values"));
}

TEST_F(CheckTest, AClassSetIsRightWhereAnyOfItsClassesIs) {
  request_.target = spec("bgr");  // Some of its answers are wrong.
  const std::vector<dataset::Sample> labelled = request_.samples;
  const auto scored = [&](auto classes_for) {
    request_.samples = labelled;
    for (dataset::Sample& sample : request_.samples)
      sample.annotation =
          task::annotation_of(classes_for(task::classes_of(*sample.annotation).front()));
    const auto verdict = check(request_, observer_);
    EXPECT_TRUE(verdict) << verdict.error().what;
    return std::pair(std::lround(*verdict->task.target * static_cast<double>(verdict->task.n)),
                     std::lround(*verdict->task.reference * static_cast<double>(verdict->task.n)));
  };
  const auto all_but = [](int left_out) {
    std::vector<int> classes;
    for (int index = 0; index < 12; ++index)
      if (index != left_out) classes.push_back(index);
    return classes;
  };

  const auto one = scored([](int index) { return std::vector{index}; });
  const auto others = scored([&](int index) { return all_but(index); });
  const auto any = scored([&](int) { return all_but(-1); });

  // An answer is one class: it is right for one of the classes, never for two.
  const long frames = static_cast<long>(labelled.size());
  EXPECT_EQ(one.first + others.first, frames);
  EXPECT_EQ(one.second + others.second, frames);
  EXPECT_EQ(any, std::pair(frames, frames));
  EXPECT_GT(one.first, 0);
  EXPECT_GT(others.first, 0);
}

TEST_F(CheckTest, ADefaultRecipeIsNoticed) {
  request_.target.recipe.reset();

  const auto verdict = check(request_, observer_);

  ASSERT_TRUE(verdict) << verdict.error().what;
  ASSERT_EQ(notices_.size(), 1u);
  EXPECT_THAT(notices_[0], HasSubstr("no recipe given; using: "));
}

}  // namespace
}  // namespace edgeprobe::check

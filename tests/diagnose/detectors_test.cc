// SPDX-License-Identifier: Apache-2.0
#include "diagnose/detectors/detectors.h"

#include <filesystem>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "diagnose/diagnose.h"
#include "diagnose/merge.h"
#include "trace/record/writer.h"

namespace edgeprobe::diagnose {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::uint32_t kFrames = 12;

// Each frame has a model input of 8x8x3, four class scores and a logged number.
trace::Reader record(const std::filesystem::path& path, float brighter, float off) {
  auto writer = trace::Writer::open(path);
  EXPECT_TRUE(writer);
  trace::Channel input, output, lux;
  input.stage = trace::Stage::kModelInput;
  input.spec.name = "input";
  input.spec.shape = {1, 8, 8, 3};
  output.stage = trace::Stage::kModelOutput;
  output.spec.name = "scores";
  output.spec.shape = {1, 4};
  lux.stage = trace::Stage::kVariable;
  lux.spec.name = "lux";
  const auto ids = std::array{*writer->add_channel(input), *writer->add_channel(output),
                              *writer->add_channel(lux)};
  for (std::uint32_t f = 0; f < kFrames; ++f) {
    std::vector<float> pixels, scores;
    for (int i = 0; i < 192; ++i) pixels.push_back(float((i * 7 + f) % 12) / 12 + brighter);
    for (int i = 0; i < 4; ++i)
      scores.push_back(float(i) + float(f) / 8 + (f % 2 ? off : 0) * float(i));
    const float light = float(f);
    const auto write = [&](trace::ChannelId id, const float* values, std::size_t n) {
      EXPECT_TRUE(
          writer->write(id, f, 1, ByteView(reinterpret_cast<const std::byte*>(values), n * 4)));
    };
    write(ids[0], pixels.data(), pixels.size());
    write(ids[1], scores.data(), scores.size());
    write(ids[2], &light, 1);
    trace::FrameRecord frame;
    frame.frame = f;
    frame.sample = "s" + std::to_string(f);
    EXPECT_TRUE(writer->frame(frame));
  }
  EXPECT_TRUE(writer->close());
  auto reader = trace::Reader::open(path);
  EXPECT_TRUE(reader);
  return *std::move(reader);
}

class Detectors : public testing::Test {
 protected:
  Detectors() {
    known_.target = &target_;
    known_.reference = &reference_;
  }
  ~Detectors() override { std::filesystem::remove_all(folder_); }

  static std::filesystem::path new_folder() {
    std::string name = testing::TempDir() + "edgeprobe-detectors-XXXXXX";
    EXPECT_NE(::mkdtemp(name.data()), nullptr);
    return name;
  }
  std::vector<std::string> details(const std::vector<Detector>& list) const {
    const auto verdict = diagnose(known_, list, {});
    EXPECT_TRUE(verdict) << verdict.error().what;
    std::vector<std::string> details;
    if (verdict)
      for (const Cause& cause : verdict->causes) details.push_back(cause.detail);
    return details;
  }

  const std::filesystem::path folder_ = new_folder();
  const trace::Reader target_ = record(folder_ / "target.mcap", 0.25f, -1);
  const trace::Reader reference_ = record(folder_ / "reference.mcap", 0, 0);
  Case known_;
};

Findings one(CauseKind kind, CauseStatus status, CauseStage stage, const char* detail) {
  Findings found;
  Cause& cause = found.causes.emplace_back();
  cause.kind = kind;
  cause.status = status;
  cause.stage = stage;
  cause.detail = detail;
  return found;
}
constexpr Detector kKernel{"kernel", [](const Examination&, const Control&) -> Result<Findings> {
                             return one(CauseKind::kKernel, CauseStatus::kConfirmed,
                                        CauseStage::kModel, "a kernel");
                           }};
constexpr Detector kBias{"bias", [](const Examination&, const Control&) -> Result<Findings> {
                           return one(CauseKind::kBias, CauseStatus::kConfirmed, CauseStage::kModel,
                                      "a bias");
                         }};
constexpr Detector kNote{"note", [](const Examination&, const Control&) -> Result<Findings> {
                           return one(CauseKind::kTone, CauseStatus::kNote,
                                      CauseStage::kPreprocessing, "a note");
                         }};
constexpr Detector kGuess{"guess", [](const Examination&, const Control&) -> Result<Findings> {
                            return one(CauseKind::kUnknown, CauseStatus::kPartial,
                                       CauseStage::kPreprocessing, "a guess");
                          }};
constexpr Detector kStage{"stage", [](const Examination&, const Control&) -> Result<Findings> {
                            return one(CauseKind::kPipelineStage, CauseStatus::kPartial,
                                       CauseStage::kPreprocessing, "a stage");
                          }};
constexpr Detector kEvidence{"evidence",
                             [](const Examination&, const Control&) -> Result<Findings> {
                               Findings found;
                               found.of_input_cause.push_back({EvidenceKind::kFirstStage});
                               return found;
                             }};
constexpr Detector kFault{"fault", [](const Examination&, const Control&) -> Result<Findings> {
                            return one(CauseKind::kCrop, CauseStatus::kConfirmed,
                                       CauseStage::kPreprocessing, "a crop");
                          }};

TEST_F(Detectors, AStudyKnowsWhatFeedsTheModel) {
  const auto made = study(known_, {});
  ASSERT_TRUE(made) << made.error().what;
  EXPECT_EQ(made->input.kind->id, kinds::InputId::kPicture) << "nothing says otherwise";
  ASSERT_NE(made->input.target, nullptr);
  ASSERT_NE(made->input.reference, nullptr);
  EXPECT_EQ(made->input.target->channel.spec.name, "input");
}

TEST_F(Detectors, EachHasANameOfItsOwn) {
  std::set<std::string> names;
  for (const Detector& detector : detectors()) EXPECT_TRUE(names.insert(detector.name).second);
  EXPECT_EQ(names.size(), detectors().size());
  EXPECT_STREQ(detectors().front().name, "drift") << "measures the layers";
}

TEST_F(Detectors, OneAddedToTheListHasItsFindingInTheVerdict) {
  std::vector<Detector> list(detectors().begin(), detectors().end());
  const auto without = diagnose(known_, list, {});
  list.push_back(kKernel);
  const auto with = diagnose(known_, list, {});
  ASSERT_TRUE(without && with);
  EXPECT_EQ(without->outcome, Outcome::kDiffers);
  EXPECT_EQ(without->headline.kind, HeadlineKind::kUnknownCause);
  ASSERT_EQ(with->causes.size(), without->causes.size()) << "in the place of what has no cause";
  EXPECT_EQ(with->causes.back().detail, "a kernel");
  EXPECT_EQ(with->headline.kind, HeadlineKind::kCauses);
  EXPECT_EQ(with->layers.size(), 2u) << "the others are heard too";
}

TEST_F(Detectors, TheListIsWhatIsRun) {
  const auto verdict = diagnose(known_, std::vector<Detector>{}, {});
  ASSERT_TRUE(verdict);
  EXPECT_TRUE(verdict->layers.empty()) << "the drift is a detector's finding";
  EXPECT_FALSE(verdict->scalars);
  EXPECT_GT(verdict->output_distance.value_or(0), *verdict->output_floor);
  EXPECT_THAT(details({}), ElementsAre(HasSubstr("the outputs differ")));
}

TEST_F(Detectors, CausesStandInTheOrderOfTheListAndNotesBehindThem) {
  EXPECT_THAT(details({kNote, kKernel, kBias}), ElementsAre("a kernel", "a bias", "a note"));
  EXPECT_THAT(details({kBias, kNote, kKernel}), ElementsAre("a bias", "a kernel", "a note"));
}

TEST_F(Detectors, ANamedStageTakesThePlaceOfTheNearestGuess) {
  EXPECT_THAT(details({kGuess}), ElementsAre("a guess"));
  EXPECT_THAT(details({kGuess, kStage}), ElementsAre("a stage"));
  EXPECT_THAT(details({kStage, kGuess}), ElementsAre("a stage"));
}

TEST_F(Detectors, EvidenceReachesTheFirstConfirmedCauseOfTheInput) {
  const auto verdict = diagnose(known_, std::vector{kEvidence, kKernel, kNote, kFault}, {});
  ASSERT_TRUE(verdict);
  std::map<std::string, std::size_t> evidence;
  for (const Cause& cause : verdict->causes) evidence[cause.detail] = cause.evidence.size();
  EXPECT_EQ(evidence,
            (std::map<std::string, std::size_t>{{"a kernel", 0}, {"a note", 0}, {"a crop", 1}}));
}

// A detector's findings do not depend on the detectors that ran before it.
TEST_F(Detectors, EachLeavesTheCaseAndTheEvidenceAsTheyWere) {
  const Case before = known_;
  const auto examined = examine(known_, {});
  ASSERT_TRUE(examined) << examined.error().what;
  const auto told = [&](const Detector& detector) {
    const auto found = detector.find(*examined, {});
    EXPECT_TRUE(found) << detector.name;
    EXPECT_EQ(known_, before) << detector.name;
    std::string text;
    if (!found) return text;
    for (const Cause& cause : found->causes)
      text += std::string(name(cause.kind)) + " " + name(cause.status) + " " + cause.detail + " " +
              std::to_string(cause.evidence.size()) + "\n";
    for (const std::string& warning : found->warnings) text += warning + "\n";
    for (const LayerDrift& layer : found->layers) text += layer.name + "\n";
    return text + (found->scalars ? found->scalars->sentence : "");
  };
  std::vector<std::string> forwards, backwards;
  for (const Detector& detector : detectors()) forwards.push_back(told(detector));
  for (std::size_t i = detectors().size(); i-- > 0;)
    backwards.insert(backwards.begin(), told(detectors()[i]));
  EXPECT_EQ(forwards, backwards);
  EXPECT_THAT(forwards.front(), HasSubstr("scores"));
  EXPECT_THAT(forwards.back(), HasSubstr("failing frames"));
}

TEST_F(Detectors, AFailureIsThatOfTheDiagnosis) {
  const Detector failing{"failing", [](const Examination&, const Control&) -> Result<Findings> {
                           return Error{ErrorKind::kTarget, "the engine is gone"};
                         }};
  const auto verdict = diagnose(known_, std::vector{kKernel, failing}, {});
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().what, "the engine is gone");
}

TEST_F(Detectors, AStopReachesTheWholeDiagnosis) {
  const std::atomic<bool> stop = true;
  const auto verdict = diagnose(known_, Control{&stop, {}});
  ASSERT_FALSE(verdict);
  EXPECT_EQ(verdict.error().kind, ErrorKind::kInterrupted);
}

}  // namespace
}  // namespace edgeprobe::diagnose

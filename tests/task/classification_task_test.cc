// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <limits>

#include "task/recorded.h"
#include "task/tasks.h"

namespace edgeprobe::task {
namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

TensorSpec spec(Shape shape) { return {"x", DType::kFloat32, std::move(shape), {}}; }

std::optional<Answer> answer(const std::vector<float>& scores) {
  return kClassification.answer({scores});
}

TEST(TaskOf, IsClassificationWhereOneOutputListsScores) {
  const auto reading = task_of({spec({1, 10, 4}), spec({1, 12})});
  ASSERT_TRUE(reading);
  EXPECT_EQ(reading->task, &kClassification);
  EXPECT_EQ(reading->outputs, std::vector<std::size_t>{1});
  EXPECT_FALSE(task_of({spec({1, 10, 4})}));
  EXPECT_FALSE(task_of({}));
}

TEST(AnswerOf, ReadsItsOutputAmongAllOfAFrame) {
  const Reading reading{&kClassification, {1}};
  const auto given = answer_of(reading, {{9, 8, 7}, {0.1f, 0.9f}});
  ASSERT_TRUE(given);
  EXPECT_EQ(std::get<ClassAnswer>(*given).best, 1);
  EXPECT_EQ(std::get<ClassAnswer>(*given).classes, 2u);
  EXPECT_FALSE(answer_of(reading, {{9, 8, 7}}));
  EXPECT_FALSE(answer_of(reading, {{9, 8, 7}, {}}));
}

TEST(ClassificationScore, IsOneForTheLabelledClass) {
  EXPECT_EQ(kClassification.score(*answer({0.1f, 0.9f}), ClassLabel{1}), 1);
  EXPECT_EQ(kClassification.score(*answer({0.1f, 0.9f}), ClassLabel{0}), 0);
}

TEST(ClassificationScore, IsUnknownForALabelBeyondTheClasses) {
  EXPECT_FALSE(kClassification.score(*answer({0.1f, 0.9f}), ClassLabel{2}));
  EXPECT_FALSE(kClassification.score(*answer({0.1f, 0.9f}), ClassLabel{-1}));
  EXPECT_FALSE(score_of(kClassification, std::nullopt, ClassLabel{0}));
  EXPECT_FALSE(score_of(kClassification, answer({0.1f, 0.9f}), std::nullopt));
}

TEST(ClassificationScore, IsOneForAnyClassOfASet) {
  EXPECT_EQ(kClassification.score(*answer({0.1f, 0.7f, 0.2f}), ClassSet{{1, 2}}), 1);
  EXPECT_EQ(kClassification.score(*answer({0.1f, 0.2f, 0.7f}), ClassSet{{1, 2}}), 1);
  EXPECT_EQ(kClassification.score(*answer({0.7f, 0.2f, 0.1f}), ClassSet{{1, 2}}), 0);
  EXPECT_EQ(kClassification.score(*answer({kNan, kNan, kNan}), ClassSet{{1, 2}}), 0);
  EXPECT_FALSE(kClassification.score(*answer({0.1f, 0.7f, 0.2f}), ClassSet{{1, 3}}));
  EXPECT_FALSE(kClassification.score(*answer({0.1f, 0.9f}), OtherAnnotation{"boxes", "[]"}));
}

TEST(ClassificationScore, OfNanIsWrong) {
  const auto none = answer({kNan, kNan});
  ASSERT_TRUE(none);
  EXPECT_FALSE(kClassification.is_given(*none));
  EXPECT_EQ(kClassification.score(*none, ClassLabel{0}), 0);
  EXPECT_TRUE(kClassification.is_given(*answer({kNan, 0.2f})));
}

TEST(ClassificationFigure, IsTheAccuracyWithWilsonsInterval) {
  const std::vector<double> scores{1, 0, 1, 1, 1, 1, 1, 1, 1, 1};
  const Figure figure = kClassification.aggregate(scores);
  EXPECT_EQ(figure.n, 10u);
  EXPECT_EQ(figure.mean(), 0.9);
  // Expected: Wilson (1927) for 9 of 10, in Python.
  EXPECT_NEAR(figure.ci95.low, 0.5958, 1e-4);
  EXPECT_NEAR(figure.ci95.high, 0.9821, 1e-4);
  EXPECT_FALSE(kClassification.aggregate({}).mean());
}

TEST(ClassificationTest, IsMcNemarsExactOne) {
  std::vector<ScorePair> pairs(20, {1, 1});
  for (int i = 0; i < 8; ++i) pairs.push_back({1, 0});
  pairs.push_back({0, 1});
  const PairedTest test = kClassification.paired_test(pairs);
  EXPECT_EQ(test.reference_better, 8u);
  EXPECT_EQ(test.target_better, 1u);
  // Both tails of nine tosses of a coin: 2 (1 + 9) / 2^9.
  EXPECT_NEAR(test.p_value, 0.0390625, 1e-12);
  EXPECT_LT(test.difference_ci95.high, 0);
  EXPECT_FALSE(test.required_sample_size);
}

TEST(ClassificationTest, SaysHowManyFramesWouldTell) {
  const std::vector<ScorePair> pairs{{1, 0}, {1, 1}, {1, 1}, {0, 0}};
  const PairedTest test = kClassification.paired_test(pairs);
  EXPECT_EQ(test.p_value, 1);
  EXPECT_TRUE(test.required_sample_size);
}

TEST(ClassificationAgreement, IsOneForTheSameClass) {
  EXPECT_EQ(kClassification.agreement(*answer({0.1f, 0.9f}), *answer({0.4f, 0.6f})), 1);
  EXPECT_EQ(kClassification.agreement(*answer({0.1f, 0.9f}), *answer({0.6f, 0.4f})), 0);
}

TEST(Recorded, AClassGoesIntoTheFramesRecordAndComesBack) {
  trace::FrameRecord record;
  record.frame = 4;
  EXPECT_FALSE(recorded(record));
  record = annotated(record, ClassLabel{7});
  EXPECT_EQ(record.frame, 4u);
  EXPECT_EQ(record.label, 7);
  EXPECT_EQ(recorded(record), Annotation(ClassLabel{7}));
  EXPECT_FALSE(annotated(record, std::nullopt).label);
}

TEST(Recorded, ASetOfClassesGoesIntoTheFramesRecordAndComesBack) {
  EXPECT_EQ(annotation_of({17, 3, 17}), Annotation(ClassSet{{3, 17}}));
  EXPECT_EQ(annotation_of({3, 3}), Annotation(ClassLabel{3}));
  const auto record = annotated({}, ClassSet{{3, 17}});
  EXPECT_FALSE(record.label);
  ASSERT_TRUE(record.annotation);
  EXPECT_EQ(record.annotation->kind, "class_set");
  EXPECT_EQ(record.annotation->value, "[3,17]");
  EXPECT_EQ(recorded(record), Annotation(ClassSet{{3, 17}}));
  EXPECT_FALSE(annotated(record, std::nullopt).annotation);
}

TEST(Recorded, AnUnknownKindIsKeptAndSaidOnce) {
  trace::FrameRecord record;
  record.annotation = trace::FrameAnnotation{"boxes", R"([{"x": 1.50}])"};
  const auto other = recorded(record);
  EXPECT_EQ(other, Annotation(OtherAnnotation{"boxes", R"([{"x": 1.50}])"}));
  EXPECT_EQ(annotated({}, other).annotation->value, R"([{"x": 1.50}])");
  UnreadAnnotations unread;
  unread.add(ClassLabel{1});
  unread.add(std::nullopt);
  EXPECT_EQ(unread.text(), "");
  unread.add(other);
  unread.add(other);
  EXPECT_EQ(unread.text(),
            "2 frames have annotations that this version does not read ('boxes'): they count in no "
            "score");
  record.label = 4;
  EXPECT_EQ(recorded(record), Annotation(ClassLabel{4}));
}

TEST(Recorded, MalformedClassSetIsReportedAsUnknownKind) {
  for (const char* value : {"[]", "3", "[-1]", "[1.5]", "[2147483648]", "[\"3\"]", "{}"}) {
    trace::FrameRecord record;
    record.annotation = trace::FrameAnnotation{"class_set", value};
    const auto found = recorded(record);
    ASSERT_TRUE(found) << value;
    EXPECT_TRUE(std::holds_alternative<OtherAnnotation>(*found)) << value;
  }
}

}  // namespace
}  // namespace edgeprobe::task

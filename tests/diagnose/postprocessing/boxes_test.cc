// SPDX-License-Identifier: Apache-2.0
// Labels of boxes; what is searched in pictures is measured by bench/boxes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "diagnose/postprocessing/boxes/search.h"
#include "diagnose/postprocessing/boxes/wording.h"

namespace edgeprobe::diagnose::boxes {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kNames{"person", "bicycle", "car", "bus", "train"};

Recipe recipe_of(std::string_view text) {
  auto recipe = postprocess::detection::parse(text);
  EXPECT_TRUE(recipe) << text;
  recipe->labels->table.names = kNames;
  if (recipe->labels->other) recipe->labels->other->names = {"cat", "dog", "cow", "hen", "pig"};
  return *recipe;
}

// Three boxes per frame, with changing classes; the app labels them with its own list.
std::vector<RecordedFrame> recorded(const std::vector<std::string>& own, int frames = 6) {
  std::vector<RecordedFrame> out;
  for (int i = 0; i < frames; ++i) {
    RecordedFrame frame;
    frame.number = static_cast<std::uint32_t>(i);
    frame.picture = {100, 100};
    const float x = 0.01F * static_cast<float>(i);
    const std::vector<float> boxes{x, 0, x + .2F, .3F, .4F, x, .6F, .5F, .7F, .7F, .9F, .9F - x};
    std::vector<float> classes;
    frame.answer.boxes.emplace(), frame.answer.labels.emplace(), frame.answer.scores.emplace();
    for (int k = 0; k < 3; ++k) {
      const int id = (i + 2 * k) % 5;
      classes.push_back(static_cast<float>(id));
      std::array<float, 4> box{};
      for (std::size_t n = 0; n < 4; ++n) box[n] = 100 * boxes[static_cast<std::size_t>(4 * k) + n];
      frame.answer.boxes->push_back(box);
      frame.answer.labels->push_back(own[static_cast<std::size_t>(id)]);
      frame.answer.scores->push_back(.9F - .1F * static_cast<float>(k));
    }
    frame.outputs = {
        make_tensor("boxes", {1, 3, 4}, boxes), make_tensor("classes", {1, 3}, classes),
        make_tensor("scores", {1, 3}, {.9F, .8F, .7F}), make_tensor("count", {1}, {3})};
    out.push_back(std::move(frame));
  }
  return out;
}

std::string told(const std::vector<std::string>& own,
                 const char* text = "detections(xyxy) | labels(l.txt) | boxes(xyxy, pixels)") {
  const Recipe recipe = recipe_of(text);
  const auto found = search(recorded(own), recipe, {100, 100}, Control{});
  if (!found) return found.error().what;
  if (found->unlike.empty()) return "agrees";
  if (found->explanations.empty()) return "unknown";
  std::string out = found->explanations.front().is_proven ? "" : "not proven: ";
  for (const Change& change : found->explanations.front().changes) out += words(change, recipe);
  return out;
}

TEST(BoxLabels, OfTheReferenceAgree) {
  EXPECT_EQ(told(kNames), "agrees");
  EXPECT_EQ(told({"Person", "bicycle", "CAR", "bus ", "train"}), "agrees");
}

TEST(BoxLabels, AnotherListIsToldClassByClass) {
  const std::string text = told({"person", "cat", "dog", "cow", "hen"});
  EXPECT_THAT(text, HasSubstr("the app takes its labels from another list: class 1 ('bicycle') is "
                              "'cat', class 2 ('car') is 'dog'"));
  EXPECT_THAT(text, HasSubstr("4 of 5 classes that were seen"));
}

TEST(BoxLabels, AListWithoutSomeLinesIsToldByWhereTheyAreMissing) {
  EXPECT_THAT(told({"person", "car", "bus", "train", "bird"}), HasSubstr("another list"));
  EXPECT_THAT(told({"person", "bicycle", "bus", "train", "?"}),
              HasSubstr("class 2 ('car') is 'bus'"));
}

// The app's own word for a class without a line in the table does not count as a label of another
// list.
TEST(BoxLabels, ALineBeyondTheTableHasAnyWord) {
  EXPECT_THAT(told({"bicycle", "car", "bus", "train", "?"}),
              HasSubstr("gives each class the label of the next one"));
}

TEST(BoxLabels, TheOtherFileIsTried) {
  EXPECT_THAT(told({"cat", "dog", "cow", "hen", "pig"},
                   "detections(xyxy) | labels(l.txt, other=o.txt) | boxes(xyxy, pixels)"),
              HasSubstr("the app takes its labels from the other file"));
}

}  // namespace
}  // namespace edgeprobe::diagnose::boxes

// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "core/bytes.h"
#include "dataset/annotations/readers.h"
#include "task/recorded.h"

namespace {

using namespace edgeprobe;

std::string coco_with(const std::string& image, const std::string& annotation) {
  return R"({"categories": [{"id": 1, "name": "cat"}], "images": [{"id": 1, "file_name": "a.jpg")" +
         image + R"(}], "annotations": [{"image_id": 1, "category_id": 1)" + annotation + "}]}";
}

std::string problem_of(const std::string& json) {
  const auto read = dataset::parse_coco(view_of(json), {});
  return read ? "" : read.error().what;
}

// Sums and areas of such numbers would not be finite: JSON cannot express them, so a trace could
// not keep the annotation.
TEST(Annotations, CocoNumbersThatAreNoPixelsAreRefusedWithTheirPlace) {
  EXPECT_EQ(problem_of(coco_with("", R"(, "bbox": [1, 2, 3, 4])")), "");
  EXPECT_EQ(problem_of(coco_with("", R"(, "bbox": [1, 2, 1e300, 1e300])")),
            "annotation 0: \"bbox\" is not four numbers: x, y, width, height");
  EXPECT_EQ(problem_of(coco_with("", R"(, "bbox": [1, 2, 3, 4], "area": -5)")),
            "annotation 0: \"area\" -5 is not a valid number of pixels");
  EXPECT_EQ(problem_of(coco_with(R"(, "width": 1e12, "height": 5)", R"(, "bbox": [1, 2, 3, 4])")),
            "image 0: its size 1e+12 is not a valid number of pixels");
}

TEST(Annotations, TablesNameTheColumnThatIsNoPlace) {
  const auto read =
      dataset::parse_table("file,x0,y0,x1,y1\na.jpg,-1.7e308,0,1.7e308,4\n", "/nonexistent", {});
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().what, "line 2: x0 '-1.7e308' is not a coordinate in pixels");
}

TEST(Annotations, RecordedNumbersThatCouldNotBeWrittenAgainAreNotRead) {
  const std::pair<const char*, const char*> refused[] = {
      {"vector", "[1e300]"},
      {"boxes", R"({"size": [4, 4], "boxes": [[0, 0, 0, 1e300, 1e300, 1, 0]]})"},
      {"boxes", R"({"size": [4, 4], "boxes": [[0, 0, 0, 1, 1, -1, 0]]})"},
      {"key_points",
       R"({"size": [4, 4], "poses": [{"box": [0, 0, 1, 1], "area": 1e300, "crowd": false, "points": [1, 1, 2]}]})"},
      {"mask", R"({"size": [1e300, 0], "runs": []})"}};
  for (const auto& [kind, value] : refused)
    EXPECT_FALSE(task::annotation_from_json(kind, value)) << value;
  const auto kept = task::annotation_from_json("vector", "[1e30, -2]");
  ASSERT_TRUE(kept);
  const auto written = task::annotation_to_json(*kept);
  ASSERT_TRUE(written);
  EXPECT_EQ(task::annotation_from_json(written->kind, written->value), kept);
}

}  // namespace

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "task/labels.h"

namespace edgeprobe::task {
namespace {

using Names = std::vector<std::string>;

TEST(ClassNames, AreTheLinesOfTheFile) {
  EXPECT_EQ(*class_names_from("cat\ndog, hound\n", "l"), (Names{"cat", "dog, hound"}));
  EXPECT_EQ(*class_names_from("\xef\xbb\xbf" "cat\r\n\r\ndog\r\n\r\n", "l"), (Names{"cat", "", "dog"}));
  EXPECT_EQ(*class_names_from("2-door car\n4 wheels\n", "l"), (Names{"2-door car", "4 wheels"}));
}

TEST(ClassNames, TakeTheIndexWhenEveryLineHasOne) {
  EXPECT_EQ(*class_names_from("0  person\n2  car\n", "l"), (Names{"person", "", "car"}));
  EXPECT_EQ(*class_names_from("1: b\n0: a\n", "l"), (Names{"a", "b"}));
  EXPECT_EQ(class_names_from("0 a\n0 b\n", "l").error().what, "l line 2: index 0 occurs twice");
}

TEST(ClassNames, RefuseWhatIsNoText) {
  EXPECT_EQ(class_names_from("", "l").error().fault, Fault::kCorrupt);
  EXPECT_EQ(class_names_from("\n\n", "l").error().fault, Fault::kCorrupt);
  EXPECT_EQ(class_names_from(std::string_view("a\0b", 3), "l").error().fault, Fault::kCorrupt);
  EXPECT_EQ(read_class_names("/nonexistent/labels.txt").error().fault, Fault::kNotFound);
}

TEST(ClassNames, OfTheSharedFiles) {
  const char* data = std::getenv("EDGEPROBE_SHARED_DATA");
  const auto folder = data ? std::filesystem::path(data) : std::filesystem::path(EDGEPROBE_SOURCE_DIR) / "../shared/data";
  if (!std::filesystem::exists(folder / "labels")) GTEST_SKIP() << "no shared data: set EDGEPROBE_SHARED_DATA";
  const auto names = read_class_names(folder / "labels/imagenet_labels.txt");
  ASSERT_TRUE(names);
  EXPECT_EQ(names->size(), 1001u);
  EXPECT_EQ((*names)[1], "tench, Tinca tinca");
}

TEST(SampleLabels, MayBeNumbersOrNames) {
  using Labels = std::map<std::string, int>;
  EXPECT_EQ(*sample_labels_from("file,label\n# note\na/b.png, 1\nc,d.png,cat\n", "l", {"cat", "dog"}),
            (Labels{{"a/b.png", 1}, {"c,d.png", 0}}));
  EXPECT_EQ(*sample_labels_from("a.png\t7\nb.png 8\n", "l", {}), (Labels{{"a.png", 7}, {"b.png", 8}}));
}

TEST(SampleLabels, NameTheLineThatIsWrong) {
  EXPECT_EQ(sample_labels_from("a,1\nb,5\n", "l", {"x", "y"}).error().what, "l line 2: class 5, but there are only 2 names");
  EXPECT_EQ(sample_labels_from("a,1\nb,cow\n", "l", {"x", "y"}).error().what, "l line 2: unknown class \"cow\"");
  EXPECT_EQ(sample_labels_from("a,1\na,0\n", "l", {}).error().what, "l line 2: sample \"a\" has another label before");
  EXPECT_EQ(sample_labels_from("a\n", "l", {}).error().fault, Fault::kCorrupt);
  EXPECT_EQ(sample_labels_from("", "l", {}).error().fault, Fault::kCorrupt);
}

}  // namespace
}  // namespace edgeprobe::task

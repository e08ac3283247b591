// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "core/file.h"
#include "dataset/frame_name.h"
#include "dataset/sources.h"

namespace edgeprobe::dataset {
namespace {

namespace fs = std::filesystem;

task::Annotation of_class(int index) { return task::ClassLabel{index}; }

class DatasetTest : public testing::Test {
 protected:
  void SetUp() override {
    dir_ = fs::temp_directory_path() / ("edgeprobe_dataset_" + std::to_string(::getpid()));
    fs::create_directories(dir_ / "data/cat");
    fs::create_directories(dir_ / "data/dog");
    const preprocess::Image image{2, 2, 3, {255, 0, 0, 0, 255, 0, 0, 0, 255, 9, 9, 9}};
    const Bytes png = *preprocess::encode_png(image);
    for (const char* name : {"data/cat/1.png", "data/cat/2.PNG", "data/dog/1.png"})
      ASSERT_TRUE(write_file(dir_ / name, png));
    ASSERT_TRUE(write_file(dir_ / "data/notes.txt", view_of("not a picture")));
  }
  void TearDown() override { fs::remove_all(dir_); }
  std::string csv(const std::string& text) {
    EXPECT_TRUE(write_file(dir_ / "labels.csv", view_of(text)));
    return (dir_ / "labels.csv").string();
  }
  fs::path dir_;
};

TEST_F(DatasetTest, ListsPicturesInOrderAndNeverGuessesLabels) {
  const auto samples = open_folder(dir_ / "data", {});
  ASSERT_TRUE(samples) << samples.error().what;
  ASSERT_EQ(samples->size(), 3u);
  EXPECT_EQ((*samples)[0].name, "cat/1.png");
  EXPECT_EQ((*samples)[2].name, "dog/1.png");
  for (const Sample& sample : *samples) EXPECT_FALSE(sample.annotation);
  const auto loaded = (*samples)[0].load();
  ASSERT_TRUE(loaded) << loaded.error().what;
  const auto& picture = std::get<Picture>(loaded->input);
  EXPECT_EQ(picture.image.pixels[0], 255);
  EXPECT_EQ(loaded->sha256, sha256(picture.encoded));
}

TEST_F(DatasetTest, TakesLabelsFromFoldersInByteOrder) {
  const auto samples = open_folder(dir_ / "data", *read_labels("folders", ""));
  EXPECT_EQ((*samples)[0].annotation, of_class(0));
  EXPECT_EQ((*samples)[2].annotation, of_class(1));
}

TEST_F(DatasetTest, ACsvWithFoldersNeverLabelsAnotherFoldersFile) {
  const auto labels = read_labels(csv("file,label\ncat/1.png,7\n\"cat/2.PNG\",3\n"), "");
  ASSERT_TRUE(labels) << labels.error().what;
  const auto samples = open_folder(dir_ / "data", *labels);
  EXPECT_EQ((*samples)[0].annotation, of_class(7));
  EXPECT_EQ((*samples)[1].annotation, of_class(3));
  EXPECT_FALSE((*samples)[2].annotation);
}

TEST_F(DatasetTest, ABareNameLabelsOnlyTheOneFileOfThatName) {
  const auto samples =
      open_folder(dir_ / "data", *read_labels(csv("file,label\n1.png,7\n2.PNG,3\n"), ""));
  EXPECT_FALSE((*samples)[0].annotation);  // cat/1.png or dog/1.png
  EXPECT_EQ((*samples)[1].annotation, of_class(3));
  EXPECT_FALSE((*samples)[2].annotation);
}

TEST_F(DatasetTest, SeveralClassesAreASet) {
  const auto labels =
      read_labels(csv("file,label\na.png,17;3\nb.png,3;3\na.png,3;17\nc.png,\"0;1;2\"\n"), "");
  ASSERT_TRUE(labels) << labels.error().what;
  EXPECT_EQ(labels->by_name.at("a.png"), task::Annotation(task::ClassSet{{3, 17}}));
  EXPECT_EQ(labels->by_name.at("b.png"), of_class(3));
  EXPECT_EQ(labels->by_name.at("c.png"), task::Annotation(task::ClassSet{{0, 1, 2}}));
  EXPECT_FALSE(read_labels(csv("file,label\na.png,1;2\na.png,1;3\n"), ""));
}

TEST_F(DatasetTest, ALabelMayBeTheNameOfAClass) {
  ASSERT_TRUE(write_file(dir_ / "names.txt", view_of("tench\ncrane\ntabby\na;b\ncrane\n")));
  const std::string names = (dir_ / "names.txt").string();
  const auto labels =
      read_labels(csv("file,label\na.png,tabby\nb.png,0\nc.png,tench;2\nd.png,a;b\n"), names);
  ASSERT_TRUE(labels) << labels.error().what;
  EXPECT_EQ(labels->by_name.at("a.png"), of_class(2));
  EXPECT_EQ(labels->by_name.at("b.png"), of_class(0));
  EXPECT_EQ(labels->by_name.at("c.png"), task::Annotation(task::ClassSet{{0, 2}}));
  EXPECT_EQ(labels->by_name.at("d.png"), of_class(3));
  const auto problem = [&](const std::string& label, const std::string& classes) {
    const auto read = read_labels(csv("file,label\na.png," + label + "\n"), classes);
    return read ? "" : read.error().what;
  };
  EXPECT_NE(problem("tabbi", names)
                .find("line 2: label 'tabbi' is neither a class index (0, 1, …) "
                      "nor a name in --classes; did you mean 'tabby'?"),
            std::string::npos)
      << problem("tabbi", names);
  // Two classes of ImageNet have this name, a bird and a machine.
  EXPECT_NE(problem("crane", names).find("is the name of two classes in --classes"),
            std::string::npos);
  EXPECT_NE(problem("tabby", "").find("names are understood with --classes FILE"),
            std::string::npos);
}

TEST_F(DatasetTest, NamesTheLineOfABadLabel) {
  const auto labels = read_labels(csv("file,label\na.png,1\nb.png,two\n"), "");
  ASSERT_FALSE(labels);
  EXPECT_NE(labels.error().what.find("line 3"), std::string::npos) << labels.error().what;
  for (const char* bad : {"3;", ";3", "3;;17", "3; 17", "-1", "3;-1", "3 17", ""})
    EXPECT_NE(read_labels(csv("file,label\na.png,1\nb.png," + std::string(bad) + "\n"), "")
                  .error()
                  .what.find("line 3: label"),
              std::string::npos)
        << bad;
  EXPECT_FALSE(read_labels(csv("name,class\n"), ""));
  EXPECT_FALSE(read_labels(csv(""), ""));
  EXPECT_FALSE(read_labels(csv("file,label\na.png,1\na.png,2\n"), ""));
}

TEST_F(DatasetTest, SpreadsAFewSamplesOverAllAndNamesAnEmptyFolder) {
  EXPECT_EQ(open_folder(dir_ / "data", {}, 2)->back().name, "cat/2.PNG");
  fs::create_directories(dir_ / "empty");
  EXPECT_EQ(open_folder(dir_ / "empty", {}).error().kind, ErrorKind::kUsage);
  EXPECT_EQ(open_folder(dir_ / "missing", {}).error().kind, ErrorKind::kUsage);
}

TEST_F(DatasetTest, ADamagedPictureIsAnErrorThatNamesIt) {
  ASSERT_TRUE(write_file(dir_ / "data/cat/1.png", view_of("garbage")));
  const auto loaded = open_folder(dir_ / "data", {})->front().load();
  ASSERT_FALSE(loaded);
  EXPECT_NE(loaded.error().what.find("cat/1.png"), std::string::npos);
}

TEST_F(DatasetTest, CameraFramesAreSamplesDescribedByTheirNames) {
  const Bytes gray(704 * 480 * 3 / 2, std::byte{128});
  ASSERT_TRUE(write_file(dir_ / "data/cat/a_640x480_stride704_bt709_full_rot90.nv21", gray));
  ASSERT_TRUE(write_file(dir_ / "data/cat/b_640x480.nv12", gray));
  const auto samples = open_folder(dir_ / "data", {});
  ASSERT_TRUE(samples) << samples.error().what;
  ASSERT_EQ(samples->size(), 5u);
  const auto loaded = (*samples)[2].load();
  ASSERT_TRUE(loaded) << loaded.error().what;
  const auto& picture = std::get<Picture>(loaded->input);
  ASSERT_TRUE(picture.frame);
  EXPECT_EQ(picture.frame->layout, preprocess::YuvLayout::kNv21);
  EXPECT_EQ(picture.frame->stride, 704);
  EXPECT_EQ(picture.frame->matrix, preprocess::YuvMatrix::kBt709);
  EXPECT_EQ(picture.frame->range, preprocess::YuvRange::kFull);
  EXPECT_EQ(picture.exif_orientation, 6);
  EXPECT_EQ(picture.image.width, 640);
  EXPECT_EQ(picture.image.height, 480);
  EXPECT_EQ(picture.image.pixels[0], 128);
  EXPECT_EQ(picture.encoded.size(), gray.size());
  // Its name lacks the stride: the error suggests one that fits.
  const auto forgotten = (*samples)[3].load();
  ASSERT_FALSE(forgotten);
  EXPECT_NE(forgotten.error().what.find("b_640x480.nv12"), std::string::npos)
      << forgotten.error().what;
  EXPECT_NE(forgotten.error().what.find("704"), std::string::npos) << forgotten.error().what;
}

TEST_F(DatasetTest, PicturesThatCannotBeDecodedAreListedAndSayWhy) {
  ASSERT_TRUE(
      write_file(dir_ / "data/x.webp", view_of(std::string_view("RIFF\x10\0\0\0WEBPVP8 ", 16))));
  ASSERT_TRUE(write_file(dir_ / "data/y.nv12", view_of("0123456789")));
  const auto samples = open_folder(dir_ / "data", {});
  ASSERT_TRUE(samples) << samples.error().what;
  ASSERT_EQ(samples->size(), 5u);
  EXPECT_NE((*samples)[3].load().error().what.find("a WebP"), std::string::npos);
  EXPECT_NE((*samples)[4].load().error().what.find("WIDTHxHEIGHT"), std::string::npos);
}

TEST(FrameName, ReadsWhatItKnowsAndLeavesTheRest) {
  const auto frame = frame_from_name("dir/IMG_2024_x2_bt601_320X240_UVSTRIDE352_mirrored_0017.YUV");
  ASSERT_TRUE(frame) << frame.error().what;
  EXPECT_EQ(frame->layout, preprocess::YuvLayout::kI420);
  EXPECT_EQ(frame->width, 320);
  EXPECT_EQ(frame->height, 240);
  EXPECT_EQ(frame->uv_stride, 352);
  EXPECT_TRUE(frame->mirrored);
  EXPECT_EQ(frame->rotation, 0);
}

TEST(FrameName, RefusesWhatNoFrameIs) {
  for (const std::string_view name :
       {"cat.nv12", "cat_640.nv12", "cat_0x480.nv12", "cat_640x480_stride600.nv12",
        "a_64x48_32x24.nv12", "a_64x48_bt601_bt709.nv12", "a_1234567x48.nv12",
        "a_999999x999999.i420", "a_64x48.png", "nv12", "a_64x48_rot90_rot180.nv12", ".nv12",
        "a_64x48_uvstride63.nv21", "a_64x48_strid80.nv12", "a_64x48_rot45.nv12", "rot45_64x48.nv12",
        "a_64x48_stride99999999.nv12", "a_64x48_stride1048577.nv12", "a_64x48_x2.nv12"})
    EXPECT_FALSE(frame_from_name(name)) << name;
  EXPECT_FALSE(is_frame_name("cat_640x480.png"));
  EXPECT_FALSE(is_frame_name("nv12"));
}

}  // namespace
}  // namespace edgeprobe::dataset

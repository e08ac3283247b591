// SPDX-License-Identifier: Apache-2.0
#include "dataset/layouts/layouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "core/file.h"
#include "preprocess/decode/image.h"

namespace edgeprobe::dataset {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class Layouts : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("edgeprobe_layouts_" + std::to_string(::getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& name, const std::string& content) {
    fs::create_directories((root_ / name).parent_path());
    ASSERT_TRUE(write_file(root_ / name, view_of(content)));
  }
  /// A picture of one value, in one channel.
  void picture(const std::string& name, std::vector<std::uint8_t> pixels = {1, 2, 3, 4}) {
    fs::create_directories((root_ / name).parent_path());
    const int width = static_cast<int>(pixels.size());
    ASSERT_TRUE(
        write_file(root_ / name, *preprocess::encode_png({1, width, 1, std::move(pixels)})));
  }
  Result<DataSet> open(const std::string& kind, const std::string& options = "",
                       const std::vector<std::string>& names = {}) {
    return open_layout(kind + ":" + root_.string() + options, names);
  }
  std::string refusal(const std::string& kind, const std::string& options = "",
                      const std::vector<std::string>& names = {}) {
    const auto opened = open(kind, options, names);
    EXPECT_FALSE(opened) << kind << options;
    if (opened) return "";
    EXPECT_EQ(opened.error().kind, ErrorKind::kUsage) << kind << options;
    return opened.error().what;
  }
  static std::vector<std::string> labels(const DataSet& data) {
    std::vector<std::string> found;
    for (const Sample& one : data.samples) {
      const auto* label =
          one.annotation ? std::get_if<task::ClassLabel>(&*one.annotation) : nullptr;
      found.push_back(one.name + "=" + (label ? std::to_string(label->index) : "none"));
    }
    return found;
  }
  void pets() {
    write("annotations/list.txt",
          "#Image CLASS-ID SPECIES BREED ID\nAbyssinian_1 1 1 1\nbeagle_1 2 2 1\nbeagle_2 2 2 1\n"
          "Sphynx_10 3 1 2\n");
    for (const char* name : {"Abyssinian_1", "beagle_1", "beagle_2", "Sphynx_10"})
      picture("images/" + std::string(name) + ".png");
  }
  fs::path root_;
};

TEST_F(Layouts, PetsAreClassesByBreedOrSpecies) {
  pets();
  write("images/._beagle_1.png", "of macOS");
  const auto breeds = open("pets");
  ASSERT_TRUE(breeds) << breeds.error().what;
  EXPECT_THAT(breeds->classes, ElementsAre("Abyssinian", "beagle", "Sphynx"));
  EXPECT_THAT(labels(*breeds), ElementsAre("images/Abyssinian_1.png=0", "images/Sphynx_10.png=2",
                                           "images/beagle_1.png=1", "images/beagle_2.png=1"));
  EXPECT_TRUE(breeds->notes.empty());
  const auto species = open("pets", "?classify_by=species");
  ASSERT_TRUE(species);
  EXPECT_THAT(species->classes, ElementsAre("cat", "dog"));
  EXPECT_EQ(labels(*species)[2], "images/beagle_1.png=1");
  const auto renumbered = open("pets", "?classify_by=species", {"dog", "cat"});
  ASSERT_TRUE(renumbered);
  EXPECT_EQ(labels(*renumbered)[2], "images/beagle_1.png=0");
  EXPECT_THAT(refusal("pets", "", {"beagle"}), HasSubstr("--classes lacks 2 of the 3 classes"));
}

TEST_F(Layouts, PetsCountWhatHasNoPartner) {
  pets();
  picture("images/unknown_1.png");
  write("annotations/list.txt",
        "Abyssinian_1 1 1 1\nbeagle_1 2 2 1\nbeagle_7 2 2 1\nSphynx_10 3 1 2\n");
  const auto data = open("pets");
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_EQ(data->samples.size(), 3u);
  ASSERT_EQ(data->notes.size(), 2u);
  EXPECT_THAT(data->notes[0], HasSubstr("2 pictures are not in annotations/list.txt"));
  EXPECT_THAT(data->notes[1], HasSubstr("1 pictures of annotations/list.txt do not exist, such as "
                                        "'beagle_7'"));
}

TEST_F(Layouts, PetsRefuseContradictions) {
  pets();
  const auto with = [&](const std::string& line) {
    write("annotations/list.txt",
          "Abyssinian_1 1 1 1\nbeagle_1 2 2 1\nSphynx_10 3 1 2\n" + line + "\n");
    return refusal("pets");
  };
  EXPECT_THAT(with("beagle_2 1 2 1"), HasSubstr("line 4: class 1 is the dog 'beagle', and the cat "
                                                "'Abyssinian' in line 1"));
  EXPECT_THAT(with("beagle_2 2 1 1"), HasSubstr("class 2 is the cat 'beagle'"));
  EXPECT_THAT(with("beagle_1 2 2 1"), HasSubstr("'beagle_1' appears twice"));
  EXPECT_THAT(with("beagle_2 two 2 1"), HasSubstr("expected a picture's name"));
  EXPECT_THAT(with("beagle_2 2 3 1"), HasSubstr("expected a picture's name"));
  EXPECT_THAT(with("beagle_2 2 2"), HasSubstr("expected a picture's name"));
  EXPECT_THAT(with("pug_1 5 2 1"), HasSubstr("class 4 has no picture"));
  EXPECT_THAT(with("pug_1 4 2 1"), HasSubstr("class 'pug' has no sample"));
  fs::remove(root_ / "annotations/list.txt");
  EXPECT_THAT(refusal("pets"), HasSubstr("list.txt' does not exist"));
}

TEST_F(Layouts, TrimapsAreMasks) {
  pets();
  for (const char* name : {"Abyssinian_1", "beagle_1", "beagle_2"})
    picture("annotations/trimaps/" + std::string(name) + ".png", {1, 2, 3, 2});
  const auto masks = open("pets", "?annotations=masks");
  ASSERT_TRUE(masks) << masks.error().what;
  ASSERT_EQ(masks->samples.size(), 3u);
  EXPECT_THAT(masks->notes, ElementsAre(HasSubstr("1 pictures have no trimap")));
  EXPECT_EQ(masks->samples[0].stratum, "Abyssinian");
  EXPECT_FALSE(masks->samples[0].annotation);
  const auto mask = masks->samples[0].annotate();
  ASSERT_TRUE(mask) << mask.error().what;
  EXPECT_THAT(*std::get<task::TrueMask>(*mask).classes, ElementsAre(1, 0, 255, 0));
  const auto trimaps = open("pets", "?annotations=trimaps");
  EXPECT_THAT(*std::get<task::TrueMask>(*trimaps->samples[0].annotate()).classes,
              ElementsAre(0, 1, 2, 1));
  picture("annotations/trimaps/beagle_1.png", {1, 4});
  EXPECT_THAT(open("pets", "?annotations=masks")->samples[1].annotate().error().what,
              HasSubstr("holds a 4"));
}

TEST_F(Layouts, ImagenetNeedsTheOrderOfItsClasses) {
  picture("n02123045/a.png");
  picture("n01440764_7.png");
  picture("other.png");
  EXPECT_THAT(refusal("imagenet"), HasSubstr("pictures of 2 wnids"));
  write("synset_words.txt", "n01440764 tench, Tinca tinca\nn02123045 tabby\n");
  const auto data = open("imagenet");
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_THAT(labels(*data), ElementsAre("n01440764_7.png=0", "n02123045/a.png=1"));
  EXPECT_THAT(data->classes, ElementsAre("tench, Tinca tinca", "tabby"));
  EXPECT_THAT(data->notes, ElementsAre(HasSubstr("1 pictures are in no folder of a wnid")));
  EXPECT_FALSE(data->samples[0].may_follow_background);
  write("synset_words.txt", "n02123045\n");
  EXPECT_THAT(refusal("imagenet"), HasSubstr("is of n01440764, which the list of synsets lacks"));
  write("synset_words.txt", "n02123045\nn02123045\n");
  EXPECT_THAT(refusal("imagenet"), HasSubstr("line 2: n02123045 appears twice"));
  write("synset_words.txt", "tabby\n");
  EXPECT_THAT(refusal("imagenet"), HasSubstr("expected a wnid"));
}

TEST_F(Layouts, AllWnidsOfImagenetAreInByteOrderAndMayFollowABackground) {
  for (int i = 0; i < 1000; ++i) {
    std::string number = std::to_string(i * 7919 % 1000 + 1'000'000);
    write("n0" + number + "/a.png", "x");
  }
  const auto data = open("imagenet");
  ASSERT_TRUE(data) << data.error().what;
  auto samples = data->samples;
  EXPECT_EQ(std::get<task::ClassLabel>(*samples[41].annotation).index, 41);
  const auto outputs = [](std::int64_t count) {
    return std::vector<TensorSpec>{{"scores", DType::kFloat32, {1, count}, {}}};
  };
  EXPECT_EQ(fit_background(samples, outputs(1000)), "");
  auto names = data->classes;
  EXPECT_THAT(fit_background(samples, outputs(1001), &names),
              HasSubstr("0 is taken as its background"));
  EXPECT_EQ(std::get<task::ClassLabel>(*samples[41].annotation).index, 42);
  EXPECT_EQ(names.size(), 1001u);
  EXPECT_EQ(names.front(), "background");
  EXPECT_EQ(fit_background(samples, outputs(1001)), "");  // Not twice.
}

constexpr const char* kCoco =
    R"({"images": [{"id": 1, "file_name": "a.png", "width": 100, "height": 100},
                   {"id": 2, "file_name": "b.png", "width": 100, "height": 100},
                   {"id": 3, "file_name": "gone.png", "width": 100, "height": 100}],
        "categories": [{"id": 1, "name": "person"}, {"id": 18, "name": "dog"}],
        "annotations": [{"image_id": 1, "category_id": 1, "bbox": [0, 0, 90, 90], "area": 51},
                        {"image_id": 2, "category_id": 1, "bbox": [0, 0, 90, 90], "area": 50},
                        {"image_id": 2, "category_id": 18, "bbox": [0, 0, 90, 90], "area": 5000}]})";

TEST_F(Layouts, CocoHasBoxesAndVisualWakeWords) {
  write("annotations/instances_val2017.json", kCoco);
  for (const char* name : {"val2017/a.png", "val2017/b.png", "val2017/c.png"}) picture(name);
  const auto boxes = open("coco");
  ASSERT_TRUE(boxes) << boxes.error().what;
  ASSERT_EQ(boxes->samples.size(), 2u);
  EXPECT_EQ(std::get<task::TrueBoxes>(*boxes->samples[1].annotation).boxes.size(), 2u);
  EXPECT_EQ(boxes->notes.size(), 2u);
  const auto wake = open("visual_wake_words");
  ASSERT_TRUE(wake) << wake.error().what;
  // Above 0.5 % of the picture, not from 0.5 % on.
  EXPECT_THAT(labels(*wake), ElementsAre("val2017/a.png=1", "val2017/b.png=0"));
  EXPECT_THAT(labels(*open("visual_wake_words", "?object=dog")),
              ElementsAre("val2017/a.png=0", "val2017/b.png=1"));
  EXPECT_THAT(labels(*open("visual_wake_words", "?area=0.00505")),
              ElementsAre("val2017/a.png=1", "val2017/b.png=0"));
  EXPECT_THAT(refusal("visual_wake_words", "?area=2"), HasSubstr("expected a share"));
  EXPECT_THAT(refusal("visual_wake_words", "?object=cat"), HasSubstr("class 'cat' has no sample"));
  write("annotations/instances_train2017.json", kCoco);
  EXPECT_THAT(refusal("coco"), HasSubstr("train2017 and val2017; choose one"));
  EXPECT_TRUE(open("coco", "?set=val2017"));
  EXPECT_THAT(refusal("coco", "?set=train2017"), HasSubstr("neither train2017/"));
  EXPECT_THAT(refusal("coco", "?set=../x"), HasSubstr("expected a word"));
  EXPECT_THAT(refusal("coco", "?set=other"), HasSubstr("does not exist"));
}

TEST_F(Layouts, VocHasBoxesOrMasks) {
  const auto xml = [](const std::string& file) {
    return "<annotation><filename>" + file +
           "</filename><size><width>9</width><height>9</height></size><object><name>dog</name>"
           "<bndbox><xmin>1</xmin><ymin>1</ymin><xmax>4</xmax><ymax>4</ymax></bndbox></object>"
           "</annotation>";
  };
  write("VOCdevkit/VOC2012/ImageSets/Main/val.txt", "2007_1\n2007_2\n2007_3\n");
  write("VOCdevkit/VOC2012/ImageSets/Segmentation/val.txt", "2007_1\n");
  picture("VOCdevkit/VOC2012/JPEGImages/2007_1.jpg");
  picture("VOCdevkit/VOC2012/JPEGImages/2007_2.jpg");
  write("VOCdevkit/VOC2012/Annotations/2007_1.xml", xml("2007_1.jpg"));
  picture("VOCdevkit/VOC2012/SegmentationClass/2007_1.png", {0, 12, 255, 12});
  const auto boxes = open("voc");
  ASSERT_TRUE(boxes) << boxes.error().what;
  ASSERT_EQ(boxes->samples.size(), 1u);
  EXPECT_EQ(boxes->notes.size(), 2u);
  const auto masks = open("voc", "?annotations=masks");
  ASSERT_TRUE(masks) << masks.error().what;
  EXPECT_EQ(masks->classes.size(), 21u);
  EXPECT_EQ(masks->classes[12], "dog");
  EXPECT_THAT(*std::get<task::TrueMask>(*masks->samples[0].annotate()).classes,
              ElementsAre(0, 12, 255, 12));
  write("VOCdevkit/VOC2012/Annotations/2007_1.xml", xml("2008_9.jpg"));
  EXPECT_THAT(refusal("voc"), HasSubstr("annotates another picture, '2008_9.jpg'"));
  EXPECT_THAT(refusal("voc", "?set=test"), HasSubstr("test.txt' does not exist"));
  write("VOCdevkit/VOC2012/ImageSets/Main/val.txt", "../2007_1\n");
  EXPECT_THAT(refusal("voc"), HasSubstr("expected the name of one picture"));
}

TEST_F(Layouts, SpeechCommandsHaveTheirOwnParts) {
  for (const char* name : {"yes/a_nohash_0.wav", "yes/b_nohash_0.wav", "no/a_nohash_0.wav",
                           "no/c_nohash_0.wav", "_background_noise_/noise.wav"})
    write(name, "RIFF");
  write("testing_list.txt", "yes/a_nohash_0.wav\nno/a_nohash_0.wav\n");
  write("validation_list.txt", "yes/gone.wav\n");
  const auto data = open("speech_commands");
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_THAT(labels(*data), ElementsAre("no/a_nohash_0.wav=0", "no/c_nohash_0.wav=0",
                                         "yes/a_nohash_0.wav=1", "yes/b_nohash_0.wav=1"));
  EXPECT_EQ(data->samples[0].part, Part::kTest);
  EXPECT_EQ(data->samples[1].part, Part::kTrain);
  EXPECT_THAT(data->notes, ElementsAre(HasSubstr("1 recordings of the lists do not exist")));
  const auto twelve = open("speech_commands", "", {"_silence_", "_unknown_", "yes"});
  ASSERT_TRUE(twelve) << twelve.error().what;
  EXPECT_EQ(labels(*twelve)[0], "no/a_nohash_0.wav=1");
  EXPECT_EQ(labels(*twelve)[2], "yes/a_nohash_0.wav=2");
  EXPECT_THAT(refusal("speech_commands", "", {"yes"}), HasSubstr("--classes lacks 1"));
  write("validation_list.txt", "yes/a_nohash_0.wav\n");
  EXPECT_THAT(refusal("speech_commands"), HasSubstr("is of the validation and of the test part"));
}

TEST_F(Layouts, MagicWandHasRecordingsOrWindows) {
  std::string text = "-,-,-\n";
  for (int i = 0; i < 5; ++i) text += std::to_string(i) + ".5,-1,1e2\n";
  text += "-,-,-\n7,8,9\n";
  for (const char* gesture : {"wing", "ring", "slope", "negative"})
    write(std::string(gesture) + "/output_a.txt", text);
  const auto data = open("magic_wand");
  ASSERT_TRUE(data) << data.error().what;
  ASSERT_EQ(data->samples.size(), 8u);
  EXPECT_EQ(labels(*data)[0], "wing/output_a.txt:1=0");
  const auto loaded = data->samples[0].load();
  ASSERT_TRUE(loaded);
  const auto& series = std::get<Readings>(loaded->input).series;
  EXPECT_EQ(series.axes, 3);
  ASSERT_EQ(series.values.size(), 15u);
  EXPECT_EQ(series.values[3], 1.5f);
  EXPECT_EQ(series.values[5], 100.f);
  const auto windows = open("magic_wand", "?window=2&shift=1");
  ASSERT_TRUE(windows) << windows.error().what;
  ASSERT_EQ(windows->samples.size(), 20u);
  EXPECT_EQ(windows->samples[1].name, "wing/output_a.txt:1+1");
  EXPECT_TRUE(windows->samples[0].begins_sequence);
  EXPECT_FALSE(windows->samples[1].begins_sequence);
  EXPECT_THAT(refusal("magic_wand", "?window=0"), HasSubstr("expected a number of steps"));
  EXPECT_THAT(refusal("magic_wand", "?shift=2"), HasSubstr("needs window=STEPS"));
  write("ring/output_a.txt", "-,-,-\n");
  EXPECT_THAT(refusal("magic_wand"), HasSubstr("class 'ring' has no sample"));
}

TEST_F(Layouts, FoldersRefuseAnEmptyClass) {
  picture("cat/1.png");
  picture("dog/1.png");
  picture("stray.png");
  const auto data = open("folders");
  ASSERT_TRUE(data) << data.error().what;
  EXPECT_THAT(labels(*data), ElementsAre("cat/1.png=0", "dog/1.png=1"));
  EXPECT_THAT(data->notes, ElementsAre(HasSubstr("1 files are in no folder")));
  fs::create_directories(root_ / "bird");
  EXPECT_THAT(refusal("folders"), HasSubstr("class 'bird' has no sample"));
}

TEST(RandomLayout, GivesTheSameNumbersEverywhere) {
  const auto data = open_layout("random:?shape=2x3x3&count=3&classes=2&seed=5");
  ASSERT_TRUE(data) << data.error().what;
  ASSERT_EQ(data->samples.size(), 3u);
  const auto loaded = data->samples[2].load();
  const auto& image = std::get<Picture>(loaded->input).image;
  // hashlib.sha256(b"5:2:0").digest()[:4]
  EXPECT_THAT(std::vector<int>(image.pixels.begin(), image.pixels.begin() + 4),
              ElementsAre(114, 250, 54, 128));
  EXPECT_EQ(std::get<task::ClassLabel>(*data->samples[2].annotation).index, 0);
  const auto arrays = open_layout("random:?shape=40&dtype=float32&name=x");
  ASSERT_TRUE(arrays) << arrays.error().what;
  EXPECT_EQ(arrays->samples[0].arrays[0].name, "x");
  for (const char* bad :
       {"random:?count=3", "random:?shape=2x", "random:?shape=0x2x3", "random:?shape=4x4",
        "random:?shape=4x4x3&count=0", "random:folder?shape=4x4x3", "random:?shape=99999x99999x3",
        "random:?shape=4x4x3&colour=red", "random:?shape=4x4x3&shape=4x4x3",
        "random:?shape=4x4x3&dtype=int8"}) {
    const auto refused = open_layout(bad);
    ASSERT_FALSE(refused) << bad;
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage) << bad;
  }
}

TEST(LayoutNames, AreKnownAndHinted) {
  EXPECT_EQ(layout_of("folder/pets"), nullptr);
  EXPECT_EQ(layout_of("python:pets"), nullptr);
  EXPECT_STREQ(layout_of("pets:x")->name, "pets");
  EXPECT_EQ(layout_hint("pet:x"), "; did you mean 'pets:'?");
  EXPECT_EQ(layout_hint("C:x"), "");
  EXPECT_FALSE(open_layout("pets:"));
}

}  // namespace
}  // namespace edgeprobe::dataset

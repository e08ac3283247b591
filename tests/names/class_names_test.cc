// SPDX-License-Identifier: Apache-2.0
#include "names/class_names.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "archive/zip.h"

namespace edgeprobe::names {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

ByteView view_of(std::string_view text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

Names names_of(std::string_view text, std::string_view path = "labels.txt",
               std::string_view column = {}) {
  auto names = class_names(view_of(text), path, column);
  return names ? *names : Names{"refused: " + names.error().what};
}

std::string refusal(std::string_view text, std::string_view path = "labels.txt",
                    std::string_view column = {}) {
  const auto names = class_names(view_of(text), path, column);
  return names ? "read" : names.error().what;
}

TEST(ClassNames, OneALine) {
  EXPECT_THAT(names_of("\xEF\xBB\xBF cat \r\n\r\ndog\n\n\n"), ElementsAre("cat", "", "dog"));
  EXPECT_THAT(refusal("a\n\xFF\n"), HasSubstr("line 2 is not UTF-8"));
  EXPECT_THAT(refusal("\n\n"), HasSubstr("contains no name"));
}

// ImageNet's names contain commas and begin with codes; numbers in a name are not class numbers.
TEST(ClassNames, LinesOfNamesStayWhatTheyAre) {
  EXPECT_THAT(names_of("tench, Tinca tinca\ngoldfish, Carassius auratus\n"),
              ElementsAre("tench, Tinca tinca", "goldfish, Carassius auratus"));
  EXPECT_THAT(names_of("n01440764 tench\nn01443537 goldfish"),
              ElementsAre("n01440764 tench", "n01443537 goldfish"));
  EXPECT_THAT(names_of("20 km/h\n30 km/h\n50 km/h"), ElementsAre("20 km/h", "30 km/h", "50 km/h"));
  EXPECT_THAT(names_of("0\n1\n2"), ElementsAre("0", "1", "2"));
  EXPECT_THAT(names_of("name\nlabel"), ElementsAre("name", "label"));
}

TEST(ClassNames, NumberedLinesGoByTheirNumbers) {
  for (const char* text : {"0 cat\n1 dog", "0: cat\n1: dog\n", "0\tcat\n1\tdog", "0,cat\n1,dog",
                           "0=cat\n1=dog", "0  cat\n1  dog"})
    EXPECT_THAT(names_of(text), ElementsAre("cat", "dog")) << text;
  // COCO's 80 names for 90 numbers have gaps.
  EXPECT_THAT(names_of("1 person\n2 bicycle\n4 motorcycle"),
              ElementsAre("", "person", "bicycle", "", "motorcycle"));
}

TEST(ClassNames, ATableByItsHeader) {
  EXPECT_THAT(names_of("index,mid,display_name\n0,/m/09x0r,Speech\n1,/m/0ytgt,\"Child, speech\"\n",
                       "yamnet_class_map.csv"),
              ElementsAre("Speech", "Child, speech"));
  EXPECT_THAT(names_of("id\tname\n2\tdog\n0\tcat\n", "names.tsv"), ElementsAre("cat", "", "dog"));
  EXPECT_THAT(names_of("class;colour\ncat;#fff\ndog;#000\n"), ElementsAre("cat", "dog"));
  EXPECT_THAT(names_of("label\ncat\ndog\n", "labels.csv"), ElementsAre("cat", "dog"));
  EXPECT_THAT(names_of("german,english\nKatze,cat\nHund,dog\n", "a.csv", "english"),
              ElementsAre("cat", "dog"));
  EXPECT_THAT(refusal("name,colour\ncat,red\ndog\n", "a.csv"), HasSubstr("line 3: 1 field"));
  EXPECT_THAT(refusal("german,english\nKatze,cat\n", "a.csv", "french"),
              HasSubstr("no column 'french'; its columns are 'german', 'english'"));
}

TEST(ClassNames, AColumnThatIsNotClearIsAskedFor) {
  EXPECT_THAT(refusal("german,english\nKatze,cat\n", "a.csv"),
              AllOf(HasSubstr("not clear which column"), HasSubstr("'german', 'english'")));
  EXPECT_THAT(names_of("wort,number\nKatze,1\nHund,0\n", "a.csv"), ElementsAre("Hund", "Katze"));
  EXPECT_THAT(names_of("0,cat\n1,dog\n", "a.csv"), ElementsAre("cat", "dog"));
}

TEST(ClassNames, JsonInItsUsualForms) {
  for (const char* text :
       {R"({"model_type": "bert", "id2label": {"0": "cat", "1": "dog"}})", R"(["cat", "dog"])",
        R"({"0": "cat", "1": "dog"})", R"({"label2id": {"cat": 0, "dog": 1}})",
        R"({"0": ["n02121808", "cat"], "1": ["n02084071", "dog"]})",
        R"({"categories": [{"id": 1, "name": "dog"}, {"id": 0, "name": "cat"}]})"})
    EXPECT_THAT(names_of(text, "config.json"), ElementsAre("cat", "dog")) << text;
  EXPECT_THAT(refusal(R"({"hidden_size": 768})", "config.json"), HasSubstr("line 1, column"));
  EXPECT_THAT(refusal("{\"0\": [", "config.json"), HasSubstr("line 1, column"));
}

TEST(ClassNames, YamlInItsUsualForms) {
  for (const char* text :
       {"path: coco\nnames:\n  0: cat\n  1: dog\n", "nc: 2\nnames: ['cat', 'dog']\n",
        "names:\n- cat\n- dog\n", "0: cat\n1: dog\n"})
    EXPECT_THAT(names_of(text, "data.yaml"), ElementsAre("cat", "dog")) << text;
}

TEST(ClassNames, LabelMapsOfTensorFlow) {
  constexpr const char* kText =
      "# COCO\nitem {\n  name: \"/m/01g317\"\n  id: 1\n  display_name: \"person\"\n}\n"
      "item { id: 3, name: 'it\\'s a car' }\n";
  EXPECT_THAT(names_of(kText, "mscoco_label_map.pbtxt"),
              ElementsAre("", "person", "", "it's a car"));
  EXPECT_THAT(refusal("item {\n name: 'a'\n}\n"), HasSubstr("without an id"));
  EXPECT_THAT(refusal("item {\n id: 1\n"), HasSubstr("does not end"));
}

TEST(ClassNames, OfAModelsMetadata) {
  const auto model_with = [](const std::vector<std::pair<std::string, std::string>>& files) {
    std::string model("\x1c\0\0\0TFL3", 8);
    std::vector<std::pair<std::string, ByteView>> members;
    for (const auto& [name, text] : files) members.emplace_back(name, view_of(text));
    const auto zip = archive::zip_of(members);
    EXPECT_TRUE(zip);
    return model + std::string(ByteView(*zip).text());
  };
  EXPECT_THAT(names_of(model_with({{"labelmap.txt", "cat\ndog\n"}}), "m.tflite"),
              ElementsAre("cat", "dog"));
  EXPECT_THAT(names_of(model_with({{"vocab.txt", "a"}, {"labels.txt", "0 cat\n1 dog"}}), "m"),
              ElementsAre("cat", "dog"));
  EXPECT_THAT(refusal(model_with({{"labels_de.txt", "a"}, {"labels_en.txt", "b"}})),
              HasSubstr("several label files in its metadata: 'labels_de.txt', 'labels_en.txt'"));
  EXPECT_THAT(refusal(std::string("\x1c\0\0\0TFL3", 8)), HasSubstr("without a label file"));
}

TEST(ClassNames, OneClassHasOneName) {
  EXPECT_THAT(refusal("id,name\n1,cat\n1,dog\n", "a.csv"), HasSubstr("class 1 has two names"));
}

}  // namespace
}  // namespace edgeprobe::names

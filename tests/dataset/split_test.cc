// SPDX-License-Identifier: Apache-2.0
#include "dataset/split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "core/file.h"

namespace edgeprobe::dataset {
namespace {

using testing::HasSubstr;

Sample sample(const std::string& name, const std::string& content, int label) {
  Sample one{name, std::nullopt, nullptr};
  if (label >= 0) one.annotation = task::ClassLabel{label};
  one.hash = [content]() -> Result<std::string> { return sha256(view_of(content)); };
  return one;
}

std::vector<Sample> classes_of_sizes(const std::vector<int>& sizes) {
  std::vector<Sample> all;
  for (std::size_t label = 0; label < sizes.size(); ++label)
    for (int i = 0; i < sizes[label]; ++i) {
      const std::string name = std::to_string(label) + "/" + std::to_string(i);
      all.push_back(sample(name, "content of " + name, static_cast<int>(label)));
    }
  return all;
}

std::map<int, std::size_t> per_class(const std::vector<Sample>& samples) {
  std::map<int, std::size_t> counts;
  for (const Sample& one : samples)
    ++counts[one.annotation ? task::classes_of(*one.annotation).front() : -1];
  return counts;
}

std::set<std::string> names_of(const std::vector<Sample>& samples) {
  std::set<std::string> names;
  for (const Sample& one : samples) names.insert(one.name);
  return names;
}

TEST(Split, KeepsTheSharesOfTheClassesAndOfTheWhole) {
  const auto all = classes_of_sizes({13, 7, 5, 105});
  const auto parts = split(all, {0.2, 0.1, 1234});
  ASSERT_TRUE(parts) << parts.error().what;
  EXPECT_EQ(parts->test.size(), 26u);
  EXPECT_EQ(parts->validation.size(), 13u);
  EXPECT_EQ(parts->train.size(), all.size() - 39);
  const std::vector<int> sizes{13, 7, 5, 105};
  for (const auto& [label, count] : per_class(parts->test))
    EXPECT_NEAR(static_cast<double>(count), 0.2 * sizes[static_cast<std::size_t>(label)], 1.0);
  EXPECT_EQ(per_class(parts->test).size(), 4u);
}

TEST(Split, DependsOnNeitherTheOrderNorTheNames) {
  auto all = classes_of_sizes({40, 30});
  const auto before = split(all, {0.25, 0.1, 7});
  ASSERT_TRUE(before);
  std::shuffle(all.begin(), all.end(), std::mt19937(3));
  const auto shuffled = split(all, {0.25, 0.1, 7});
  EXPECT_EQ(names_of(before->test), names_of(shuffled->test));
  EXPECT_EQ(names_of(before->validation), names_of(shuffled->validation));
  std::set<std::string> expected;
  for (const std::string& name : names_of(before->test)) expected.insert("renamed " + name);
  for (Sample& one : all) one.name = "renamed " + one.name;
  EXPECT_EQ(names_of(split(all, {0.25, 0.1, 7})->test), expected);
  EXPECT_NE(names_of(split(all, {0.25, 0.1, 8})->test), expected);
}

TEST(Split, PutsEqualContentInOnePart) {
  auto all = classes_of_sizes({30});
  for (int i = 0; i < 30; ++i)
    all.push_back(sample("copy" + std::to_string(i), "content of 0/" + std::to_string(i), 0));
  const auto parts = split(all, {0.3, 0.2, 1});
  ASSERT_TRUE(parts) << parts.error().what;
  EXPECT_TRUE(parts->notes.empty());
  EXPECT_EQ(parts->test.size(), 18u);
  for (const auto* const part : {&parts->test, &parts->validation, &parts->train}) {
    const auto names = names_of(*part);
    for (int i = 0; i < 30; ++i)
      EXPECT_EQ(names.count("copy" + std::to_string(i)), names.count("0/" + std::to_string(i)));
  }
}

TEST(Split, ReportsEqualContentWithDifferentLabels) {
  auto all = classes_of_sizes({10, 10});
  all.push_back(sample("wrong", "content of 0/3", 1));
  const auto parts = split(all, {0.2, 0, 1});
  ASSERT_TRUE(parts) << parts.error().what;
  ASSERT_EQ(parts->notes.size(), 1u);
  EXPECT_THAT(parts->notes.front(), HasSubstr("1 sample has the content of another one"));
  EXPECT_THAT(parts->notes.front(), HasSubstr("'0/3' and 'wrong'"));
  std::reverse(all.begin(), all.end());
  EXPECT_EQ(names_of(split(all, {0.2, 0, 1})->test), names_of(parts->test));
}

TEST(Split, RefusesAClassOfOneContent) {
  auto all = classes_of_sizes({10, 1});
  auto refused = split(all, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  EXPECT_THAT(refused.error().what, HasSubstr("of class 1 there is only '1/0'"));
  all.push_back(sample("1/copy", "content of 1/0", 1));
  refused = split(all, {});
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().what, HasSubstr("and its copies"));
}

TEST(Split, RefusesSharesThatLeaveNothing) {
  const auto all = classes_of_sizes({10});
  for (const SplitOptions& options :
       {SplitOptions{1, 0, 1}, SplitOptions{-0.1, 0, 1}, SplitOptions{0.6, 0.4, 1},
        SplitOptions{std::nan(""), 0, 1}, SplitOptions{0.01, 0, 1}, SplitOptions{0.2, 0.01, 1},
        SplitOptions{0.96, 0, 1}}) {
    const auto refused = split(all, options);
    ASSERT_FALSE(refused) << options.test << " " << options.validation;
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
  }
  EXPECT_THAT(split(all, {0.2, 0.01, 1}).error().what, HasSubstr("validation would be empty"));
  EXPECT_FALSE(split({}, {}));
}

TEST(Split, LeavesOutWhatCannotBeRead) {
  auto all = classes_of_sizes({10});
  all[4].hash = []() -> Result<std::string> { return Error{ErrorKind::kNotFound, "no such file"}; };
  const auto parts = split(all, {0.2, 0, 1});
  ASSERT_TRUE(parts) << parts.error().what;
  ASSERT_EQ(parts->unreadable.size(), 1u);
  EXPECT_EQ(parts->unreadable.front().name, "0/4");
  EXPECT_EQ(parts->test.size() + parts->train.size(), 9u);
  EXPECT_EQ(names_of(parts->test).count("0/4") + names_of(parts->train).count("0/4"), 0u);
}

TEST(Split, SaysWhichClassTheTestLacks) {
  const auto parts = split(classes_of_sizes({100, 3}), {0.1, 0, 1});
  ASSERT_TRUE(parts) << parts.error().what;
  ASSERT_EQ(parts->notes.size(), 1u);
  EXPECT_THAT(parts->notes.front(), HasSubstr("no sample of 1 of the 2 classes, such as class 1"));
}

TEST(Split, KeepsSequencesWhole) {
  std::vector<Sample> all;
  for (int i = 0; i < 60; ++i) {
    all.push_back(sample(std::to_string(i), "frame " + std::to_string(i), -1));
    all.back().begins_sequence = i % 3 == 0;
  }
  const auto parts = split(all, {0.25, 0, 5});
  ASSERT_TRUE(parts) << parts.error().what;
  ASSERT_EQ(parts->test.size(), 15u);
  for (std::size_t i = 0; i < parts->test.size(); ++i) {
    EXPECT_EQ(parts->test[i].begins_sequence, i % 3 == 0);
    if (i % 3 == 0) continue;
    EXPECT_EQ(std::stoi(parts->test[i].name), std::stoi(parts->test[i - 1].name) + 1);
  }
}

TEST(Split, GivesTheSamePartsOnEveryMachine) {
  std::vector<Sample> all;
  for (int i = 0; i < 3000; ++i)
    all.push_back(
        sample(std::to_string(i), "content " + std::to_string(i % 2900), (i * i + i / 7) % 37));
  std::string names;
  for (const double test : {0.1, 0.2, 0.25, 0.3, 1.0 / 3, 0.07})
    for (const double validation : {0.0, 0.1, 0.15, 0.123456789})
      for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{1234}, ~std::uint64_t{0}}) {
        const auto parts = split(all, {test, validation, seed});
        ASSERT_TRUE(parts) << parts.error().what;
        for (const Part part : {Part::kTrain, Part::kValidation, Part::kTest}) {
          for (const Sample& one : parts->of(part)) names += one.name + ",";
          names += ";";
        }
      }
  // Of the rules in Python, and of programs for x86 and aarch64.
  EXPECT_EQ(sha256(view_of(names)),
            "c857bb04f0fb6ddbe192e3f17bf9d06ebafe8acada32300de04c8a5eee3d6fac");
}

TEST(Split, StopsWhenTheUserStops) {
  std::atomic<bool> stop{true};
  const auto stopped = split(classes_of_sizes({10}), {}, {&stop, {}});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().kind, ErrorKind::kInterrupted);
}

TEST(Split, HashesArraysByNameAndValue) {
  const auto arrays = [](std::vector<std::string> names) {
    Arrays recorded;
    for (const std::string& name : names)
      recorded.arrays.push_back({{name, DType::kUInt8, {2}, {}}, view_of(name + "!").copy()});
    Sample one{"x", std::nullopt, [recorded]() -> Result<Loaded> { return Loaded{recorded, ""}; }};
    return content_hash(one);
  };
  EXPECT_EQ(*arrays({"b", "a"}), sha256(view_of("a\na!b\nb!")));
  EXPECT_EQ(*arrays({"b", "a"}), *arrays({"a", "b"}));
}

TEST(Split, TakesThePartsThatTheDataSetAssigns) {
  auto all = classes_of_sizes({3});
  all[0].part = Part::kTest;
  all[1].part = Part::kValidation;
  EXPECT_FALSE(given_parts(all));
  all[2].part = Part::kTrain;
  const auto parts = given_parts(all);
  ASSERT_TRUE(parts);
  EXPECT_EQ(parts->test.front().name, "0/0");
  EXPECT_EQ(parts->of(Part::kValidation).front().name, "0/1");
  EXPECT_EQ(parts->train.front().name, "0/2");
}

}  // namespace
}  // namespace edgeprobe::dataset

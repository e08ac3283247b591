// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/file.h"
#include "diagnose/verdict/verdict.h"
#include "source_dir.h"

namespace edgeprobe::report {
namespace {

using Json = nlohmann::json;

Json schema() {
  const auto text =
      read_file(std::string(edgeprobe::test::source_dir()) + "/docs/reference/report.schema.json");
  EXPECT_TRUE(text) << (text ? "" : text.error().what);
  return text ? Json::parse(ByteView(*text).text())["$defs"] : Json();
}

// The words that the schema lists at this place, without null.
std::vector<std::string> listed(const char* place) {
  std::vector<std::string> words;
  const Json all = schema();
  for (const Json& word : all.at(Json::json_pointer(place)).at("enum"))
    if (!word.is_null()) words.push_back(word.get<std::string>());
  return words;
}

template <std::size_t n>
std::vector<std::string> known(const char* const (&names)[n]) {
  return {names, names + n};
}

TEST(Words, OfTheSchemaAreThoseOfTheEnums) {
  EXPECT_EQ(listed("/cause/properties/kind"), known(diagnose::kCauseKindNames));
  EXPECT_EQ(listed("/cause/properties/stage"), known(diagnose::kCauseStageNames));
  EXPECT_EQ(listed("/cause/properties/scope"), known(diagnose::kCauseScopeNames));
  EXPECT_EQ(listed("/cause/properties/status"), known(diagnose::kCauseStatusNames));
  EXPECT_EQ(listed("/cause/properties/restored_unit"), known(diagnose::kRestoredUnitNames));
  EXPECT_EQ(listed("/evidence/properties/kind"), known(diagnose::kEvidenceKindNames));
  EXPECT_EQ(listed("/hint/properties/kind"), known(diagnose::kHintKindNames));
  EXPECT_EQ(listed("/unavailable/properties/kind"), known(diagnose::kUnavailableKindNames));
  EXPECT_EQ(listed("/headline/properties/kind"), known(diagnose::kHeadlineKindNames));
  EXPECT_EQ(listed("/layer/properties/class"), known(diagnose::kLayerClassNames));
  EXPECT_EQ(listed("/layer/properties/residue_unit"), known(diagnose::kKernelErrorUnitNames));
  EXPECT_EQ(listed("/scalars/properties/tests/items/properties/kind"),
            known(diagnose::kScalarKindNames));
}

TEST(Words, AreReadAsTheyAreWritten) {
  for (const std::string& word : listed("/cause/properties/kind")) {
    const auto kind = diagnose::cause_kind_from_name(word);
    ASSERT_TRUE(kind) << word;
    EXPECT_EQ(name(*kind), word);
  }
  EXPECT_EQ(diagnose::cause_kind_from_name("channel_order"), diagnose::CauseKind::kChannelOrder);
  EXPECT_EQ(diagnose::cause_kind_from_name("input_order"), diagnose::CauseKind::kInputOrder);
  EXPECT_EQ(diagnose::cause_kind_from_name("output_order"), diagnose::CauseKind::kOutputOrder);
  EXPECT_EQ(diagnose::cause_stage_from_name("model"), diagnose::CauseStage::kModel);
  EXPECT_EQ(diagnose::cause_scope_from_name("type"), diagnose::CauseScope::kType);
  EXPECT_EQ(diagnose::cause_kind_from_name("Channel_Order"), std::nullopt);
  EXPECT_EQ(diagnose::cause_kind_from_name(""), std::nullopt);
}

}  // namespace
}  // namespace edgeprobe::report

// SPDX-License-Identifier: Apache-2.0
// The page docs/reference/recipes.md and the rows of the steps say the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>
#include <string>

#include "core/file.h"
#include "kinds/answer_kinds.h"
#include "kinds/input_kinds.h"
#include "preprocess/recipe/picture_steps.h"
#include "recipe/field.h"
#include "recipe/print.h"
#include "recipe/read.h"
#include "recipe/schema.h"
#include "source_dir.h"

namespace edgeprobe {
namespace {

/// Sections of the page, each from its heading to the next one in this list.
constexpr const char* kHeadings[] = {"## Steps",         "## Sound",
                                     "## Decoding",      "## Readings of sensors",
                                     "## Text",          "## Behind the model",
                                     "### Boxes",        "### Masks",
                                     "### Key points",   "### Recognised text",
                                     "### Vectors",      "### Anomaly scores",
                                     "## Steps as data", "## Limits"};

std::string section(const std::string& heading) {
  const auto page = read_file(std::string(test::source_dir()) + "/docs/reference/recipes.md");
  EXPECT_TRUE(page) << page.error().what;
  const std::string text(ByteView(*page).text());
  const std::size_t begin = text.find("\n" + heading + "\n");
  EXPECT_NE(begin, std::string::npos) << heading;
  std::size_t end = text.size();
  for (const std::string next : kHeadings)
    if (const std::size_t at = text.find("\n" + next + "\n"); at > begin) end = std::min(end, at);
  return text.substr(begin, end - begin);
}

struct Kind {
  const char* name;
  recipe::Steps steps;
  std::string page;         ///< Its own section.
  std::string shared = {};  ///< The text to which "as above" refers.
};

/// The tables of kinds, by name.
std::vector<Kind> kinds_of_page() {
  const std::string classes = section("## Behind the model");
  const std::map<std::string, std::pair<std::string, std::string>> pages{
      {"picture", {section("## Steps") + section("## Decoding"), ""}},
      {"sound", {section("## Sound"), ""}},
      {"readings", {section("## Readings of sensors"), ""}},
      {"text", {section("## Text"), ""}},
      {"classes", {classes, ""}},
      {"boxes", {section("### Boxes"), classes}},
      {"mask", {section("### Masks"), classes}},
      {"points", {section("### Key points") + section("### Boxes"), classes}},
      {"transcript", {section("### Recognised text"), classes}},
      {"vector", {section("### Vectors"), classes}},
      {"score", {section("### Anomaly scores"), classes}}};
  std::vector<Kind> out;
  const auto add = [&](const char* name, recipe::Steps steps) {
    const auto page = pages.find(name);
    if (page == pages.end()) ADD_FAILURE() << "no section of the page is about " << name;
    else out.push_back({name, steps, page->second.first, page->second.second});
  };
  for (const kinds::InputKind& kind : kinds::input_kinds())
    if (kind.steps) add(kind.name, kind.steps());
  for (const kinds::AnswerKind& kind : kinds::answer_kinds()) add(kind.name, kind.steps());
  return out;
}

/// Text in back-quotes, and in blocks of code.
std::string code_of(const std::string& page) {
  std::string code;
  bool inside = false;
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (page.compare(i, 3, "```") == 0) i += 2;
    else if (page[i] != '`') {
      if (inside) code += page[i];
      continue;
    }
    inside = !inside;
    code += '\n';
  }
  return code;
}

/// Words of letters, digits and "_", "/" between others.
std::set<std::string> words_of(const std::string& code) {
  std::set<std::string> words;
  const std::regex word("[A-Za-z0-9_/]+=?");
  for (std::sregex_iterator at(code.begin(), code.end(), word), end; at != end; ++at) {
    words.insert(at->str());
    if (at->str().back() == '=') words.insert(at->str().substr(0, at->str().size() - 1));
  }
  return words;
}

TEST(PictureSteps, EachAlternativeHasARow) {
  std::set<std::size_t> alternatives;
  for (const auto& step : preprocess::picture_steps())
    EXPECT_TRUE(alternatives.insert(step.alternative).second) << step.row.name;
  // Sound, text and readings have separate tables.
  EXPECT_EQ(alternatives.size() + 3, std::variant_size_v<preprocess::Step>);
}

TEST(RecipePage, NamesEachStepArgumentAndWord) {
  for (const Kind& kind : kinds_of_page()) {
    const std::set<std::string> words = words_of(code_of(kind.page + kind.shared));
    for (const recipe::Step& step : kind.steps) {
      EXPECT_TRUE(words.contains(std::string(step.name))) << kind.name << ": " << step.name;
      for (const recipe::Field& field : step.fields) {
        if (!recipe::is_written(field)) continue;
        const std::string argument =
            std::string(kind.name) + ": " + std::string(step.name) + "(" + std::string(field.name);
        if (field.is_named) {
          EXPECT_TRUE(words.contains(std::string(field.name) + "=")) << argument << "=";
        }
        if (field.form != recipe::Form::kWord) continue;
        const recipe::Value usual = field.member.initial();
        for (const recipe::Word& word : field.words) {
          if (word.text.empty() || usual == recipe::Value(std::int64_t{word.value})) continue;
          EXPECT_TRUE(words.contains(std::string(word.text))) << argument << "=" << word.text;
        }
      }
    }
  }
}

/// The names of arguments in "name(1, key=2, other=3)", from every such place in the page.
std::set<std::string> keys_of(const std::string& code, const std::string& step) {
  std::set<std::string> keys;
  const std::regex call("\\b" + step + "\\(([^()]*)\\)"), key("([A-Za-z0-9_]+)=");
  for (std::sregex_iterator at(code.begin(), code.end(), call), end; at != end; ++at) {
    const std::string inside = at->str(1);
    for (std::sregex_iterator one(inside.begin(), inside.end(), key); one != end; ++one)
      keys.insert(one->str(1));
  }
  return keys;
}

TEST(RecipePage, NamesNoArgumentThatAStepDoesNotTake) {
  for (const Kind& kind : kinds_of_page()) {
    const std::string code = code_of(kind.page);
    std::set<std::string> names;
    for (const recipe::Step& step : kind.steps) names.emplace(step.name);
    for (const std::string& name : names)
      for (const std::string& key : keys_of(code, name))
        EXPECT_TRUE(std::any_of(kind.steps.begin(), kind.steps.end(),
                                [&](const recipe::Step& step) {
                                  return step.name == name && recipe::find_field(step, key);
                                }))
            << kind.name << ": " << name << "(" << key << "=";
  }
}

}  // namespace
}  // namespace edgeprobe

// SPDX-License-Identifier: Apache-2.0
// The table of verbs, and those who rely on it: the pages and the keys of scenarios.
#include "cli/verbs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

#include "cli/options/described.h"
#include "scenario/keys.h"
#include "source_dir.h"

namespace edgeprobe::cli {
namespace {

std::string text_of(const std::string& page) {
  std::ifstream file(std::string(test::source_dir()) + "/" + page);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

std::string help_of(const std::string& verb, const std::string& flag = "--help") {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  auto words = words_of(verb);
  words.push_back(flag);
  EXPECT_TRUE(perform(words, terminal));
  return out.str();
}

TEST(Verbs, StandBehindTheirGroupAndOnce) {
  std::set<std::string> seen;
  for (const Verb& verb : verbs()) {
    const std::string name = verb.name;
    EXPECT_TRUE(seen.insert(name).second) << name;
    const auto words = words_of(name);
    EXPECT_TRUE(words.size() == 1 || seen.count(words[0])) << name;
  }
}

TEST(Verbs, AreInTheirHelp) {
  for (const Verb& verb : verbs()) {
    const std::string help = help_of(verb.name);
    // Its sentence is wrapped.
    const auto sentence = words_of(verb.help), all = words_of(help);
    ASSERT_GE(all.size(), sentence.size());
    EXPECT_TRUE(std::equal(sentence.begin(), sentence.end(), all.begin())) << help;
    EXPECT_NE(help.find(std::string("\nExample:\n  ") + verb.example), std::string::npos) << help;
  }
}

TEST(Verbs, NameFewCommonFlagsAndAllThatTheyRequire) {
  constexpr std::size_t kMost = 8, kWithoutChoice = 12;
  for (const DescribedVerb& verb : described(verbs())) {
    const auto at = std::find_if(verbs().begin(), verbs().end(),
                                 [&](const Verb& one) { return one.name == verb.name; });
    const auto common = words_of(at->common ? at->common : "");
    std::set<std::string> names;
    for (const DescribedArgument& one : verb.arguments) {
      names.insert(one.names.begin(), one.names.end());
      if (one.is_required && !one.is_positional && !common.empty()) {
        EXPECT_NE(std::find(common.begin(), common.end(), one.names.back()), common.end())
            << verb.name << " requires " << one.names.back();
      }
    }
    EXPECT_LE(common.size(), kMost) << verb.name;
    for (const std::string& name : common) EXPECT_TRUE(names.count(name)) << verb.name << name;
    EXPECT_TRUE(!common.empty() || verb.arguments.size() <= kWithoutChoice) << verb.name;
  }
}

TEST(Verbs, AreOnThePageOfVerbsAndInTheReadme) {
  const std::string page = text_of("docs/reference/verbs.md"), readme = text_of("README.md");
  for (const Verb& verb : verbs()) {
    if (!verb.declare) continue;
    EXPECT_NE(page.find("| `" + std::string(verb.name) + "` |"), std::string::npos) << verb.name;
    EXPECT_NE(readme.find("`" + words_of(verb.name)[0]), std::string::npos) << verb.name;
  }
}

TEST(Verbs, TakeTheFlagsOfScenarios) {
  constexpr std::pair<scenario::Verb, const char*> kComposed[] = {{scenario::kRun, "run"},
                                                                  {scenario::kBench, "bench"},
                                                                  {scenario::kConvert, "convert"},
                                                                  {scenario::kServe, "serve"}};
  for (const auto& [bit, verb] : kComposed) {
    const std::string help = help_of(verb, "--help-all");
    for (const scenario::Key& key : scenario::keys()) {
      if ((key.verbs & bit) == 0 || !*key.flag) continue;
      EXPECT_NE(help.find(key.flag), std::string::npos)
          << verb << " has no " << key.flag << " of " << scenario::full_name(key);
    }
  }
}

}  // namespace
}  // namespace edgeprobe::cli

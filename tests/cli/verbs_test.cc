// SPDX-License-Identifier: Apache-2.0
// The table of verbs, and those who rely on it: the pages and the keys of scenarios.
#include "cli/verbs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>

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

std::string help_of(const std::string& verb) {
  std::ostringstream out, err;
  Terminal terminal{out, err};
  auto words = words_of(verb);
  words.push_back("--help");
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
    EXPECT_EQ(help.rfind(verb.help, 0), 0u) << help;
    EXPECT_NE(help.find(std::string("\nExample:\n  ") + verb.example), std::string::npos) << help;
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
    const std::string help = help_of(verb);
    for (const scenario::Key& key : scenario::keys()) {
      if ((key.verbs & bit) == 0 || !*key.flag) continue;
      EXPECT_NE(help.find(key.flag), std::string::npos)
          << verb << " has no " << key.flag << " of " << scenario::full_name(key);
    }
  }
}

}  // namespace
}  // namespace edgeprobe::cli

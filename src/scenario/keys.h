// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What a scenario may say: one table, which the reader, the command lines, the schema and the
/// documents follow. A scenario composes verbs, so nearly every key is a flag of theirs.
namespace edgeprobe::scenario {

enum class Kind { kPerformance, kClient, kServer };
const char* name(Kind kind);
std::vector<std::string> kind_names();

/// How a value is written, and what of it is a path.
enum class Form {
  kText,
  kPath,
  kWhole,     ///< A whole number from 1 on.
  kNumber,    ///< A finite number from 0 on.
  kSwitch,    ///< true or false.
  kTexts,     ///< One text or a list of them; the flag is repeated.
  kPaths,     ///< The same of paths.
  kRecipe,    ///< Text, or a file with it.
  kEngine,    ///< KIND or KIND:LIBRARY.
  kFunction,  ///< FILE.py:FUNCTION.
  kAddress,   ///< Of a machine; certificates behind its '?' are paths.
};

/// The verbs that a scenario is made of.
enum Verb : unsigned { kRun = 1, kBench = 2, kConvert = 4, kServe = 8 };

struct Key {
  const char* block;
  const char* name;  ///< "" for a block that is one value.
  Form form;
  unsigned verbs;       ///< Those that take the flag, or for which the plan makes something of it.
  const char* flag;     ///< "" where the plan decides.
  const char* choices;  ///< Words with blanks between; "" for any.
  const char* help;
};

/// Whether a list may stand for one value.
inline bool takes_list(const Key& key) {
  return key.form == Form::kTexts || key.form == Form::kPaths;
}

/// In the order of blocks, the short form of each first: `engine: tflite` gives its first key.
std::span<const Key> keys();
std::vector<std::string> block_names();
/// The keys of one block.
std::span<const Key> keys_of(std::string_view block);
/// Null where there is none.
const Key* find_key(std::string_view block, std::string_view name);
/// The words of `choices`; of an engine, those of the table of engines.
std::vector<std::string> choices_of(const Key& key);
/// Whether a scenario of that kind may say it.
bool belongs_to(const Key& key, Kind kind);
/// "dataset.labels", "recipe".
std::string full_name(const Key& key);

}  // namespace edgeprobe::scenario

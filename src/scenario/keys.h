// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The keys of a scenario: one table for the reader, the command lines, the schema and the
/// documents. A scenario combines verbs, so nearly every key is a flag of one of them.
namespace edgeprobe::scenario {

enum class Kind { kPerformance, kClient, kServer, kTraining, kConversions };
std::span<const Kind> kinds();
const char* name(Kind kind);
std::vector<std::string> kind_names();

/// Syntax of a value, and which part of it is a path.
enum class Form {
  kText,
  kPath,
  kWhole,   ///< An integer of at least 1.
  kNumber,  ///< A finite number of at least 0.
  kSwitch,  ///< true or false.
  kTexts,   ///< One text or a list; the flag is repeated.
  kPaths,   ///< Same for paths.
  kRecipe,  ///< Text, or a file that contains it.
  kEngine,  ///< KIND or KIND:LIBRARY.
  /// A word of `choices`, or a plug-in: FILE.py:CLASS or python:NAME; each with ?OPTION=VALUE. Or a
  /// list of them.
  kCompiler,
  kFunction,  ///< FILE.py:FUNCTION.
  kAddress,   ///< Address of a machine; certificates after its '?' are paths.
};

/// The verbs that a scenario consists of.
enum Verb : unsigned {
  kRun = 1,
  kBench = 2,
  kConvert = 4,
  kServe = 8,
  kTrain = 16,
  kGrid = 32,  ///< onnx-conversion
};

struct Key {
  const char* block;
  const char* name;  ///< "" for a block with a single value.
  Form form;
  unsigned verbs;       ///< Verbs that take the flag, or for which the plan uses it.
  const char* flag;     ///< "" if the plan decides.
  const char* choices;  ///< Words separated by blanks; "" for any.
  const char* help;
};

/// True if a list may replace a single value.
inline bool takes_list(const Key& key) {
  return key.form == Form::kTexts || key.form == Form::kPaths || key.form == Form::kCompiler;
}

/// In block order, with the short form of each first: `engine: tflite` sets its first key.
std::span<const Key> keys();
std::vector<std::string> block_names();
/// The keys of one block.
std::span<const Key> keys_of(std::string_view block);
/// Null if it does not exist.
const Key* find_key(std::string_view block, std::string_view name);
/// The words of `choices`; for an engine, those of the table of engines.
std::vector<std::string> choices_of(const Key& key);
/// True if a scenario of that kind may contain it.
bool belongs_to(const Key& key, Kind kind);
/// The kinds that may contain it, as a list in words.
std::string kinds_of(const Key& key);
/// Keys that a scenario of that kind must contain.
std::vector<const Key*> required(Kind kind);
/// "dataset.labels", "recipe".
std::string full_name(const Key& key);

}  // namespace edgeprobe::scenario

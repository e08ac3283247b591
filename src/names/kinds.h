// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bytes.h"
#include "core/result.h"
#include "names/names.h"

/// Kinds of files with names: each recognises its texts and reads them.
namespace edgeprobe::names {

/// A text as lines, without line ends and surrounding blanks; the last line is not empty.
struct Text {
  std::string_view whole;
  std::string_view ending;  ///< Extension of the file name, in lower case: ".csv".
  std::vector<std::string_view> lines;
};

/// Names with their class numbers, in any order.
using Numbered = std::vector<std::pair<int, std::string>>;

/// Sorted by number. kCorrupt for a duplicate number, kLimit for one beyond kMostClasses.
Result<Names> in_order(const Numbered& numbered);

/// A class number: digits only, below kMostClasses.
std::optional<int> class_number(std::string_view text);
std::string_view without_blanks(std::string_view text);

/// One name per line: "tench"; an empty line is a class without a name.
Result<Names> read_lines(const Text& text);

/// A number before each name: "0 tench", "0: tench", "0,tench".
bool is_numbered(const Text& text);
Result<Names> read_numbered(const Text& text);

/// A table with a header: "index,mid,display_name".
bool is_table(const Text& text);
Result<Names> read_table(const Text& text, std::string_view column);

/// JSON or YAML: id2label, names, categories, lists, numbers with names.
bool is_tree(const Text& text);
Result<Names> read_tree(const Text& text);

/// item { id: 1 name: "tench" }, as in TensorFlow's label maps.
bool is_items(const Text& text);
Result<Names> read_items(const Text& text);

/// The label file in the metadata of a .tflite file.
bool is_model(ByteView file);
Result<Names> read_model(ByteView file);

}  // namespace edgeprobe::names

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/convert/tool_environment.h"
#include "core/result.h"

/// The table of conversions: which tool makes which file from which.
namespace edgeprobe::cli {

/// Files that a converter of edgeprobe's own reads.
enum class SourceKind { kOnnx, kTflite, kKeras, kSavedModel, kExported };
/// As in python/edgeprobe/convert/main.py: "onnx", "keras", …
const char* name(SourceKind kind);
/// By the extension; for an unknown one by the file's first bytes. Nothing if no converter reads
/// it.
std::optional<SourceKind> source_kind(const std::filesystem::path& model);

/// An option of a conversion, as in --to 'prune?sparsity=0.5&fine_tune=2'.
struct MethodOption {
  const char* name;
  const char* usual;
  enum class Value { kWord, kWhole, kReal, kText } value = Value::kText;
  std::string_view words = {};  ///< "layer|global": all values of a kWord.
  double least = 0, most = 0;   ///< Of a kWhole or kReal.
};
using Options = std::vector<std::pair<std::string, std::string>>;

/// One conversion.
struct Method {
  const char* to;  ///< As in --to.
  SourceKind source;
  const char* result;  ///< The extension that it writes; "": that of the source.
  const Tool* tool;    ///< Null: the Python that --python names.
  std::span<const MethodOption> options = {};
  bool calibrates = false;     ///< Needs samples of the data.
  const Tool* also = nullptr;  ///< Packages that are added to those of `tool`.
};
std::span<const Method> methods();
/// Null if this source is not converted to it.
const Method* find_method(std::string_view to, SourceKind source);
/// All values of --to, in the order of the table, each once.
std::vector<std::string> method_names();
/// Extensions of the files that are converted to it: ".tflite, .keras".
std::string sources_of(std::string_view to);

/// Splits "prune?sparsity=0.5&fine_tune=2". kUsage for a part without '='.
Result<std::pair<std::string, Options>> split_method(const std::string& text);
/// All options of the method with the given values or the usual ones. kUsage for an unknown option
/// and for a value out of range.
Result<Options> options_from(const Method& method, const Options& given);
/// The value of an option in `options`, or "".
std::string option_of(const Options& options, std::string_view name);

}  // namespace edgeprobe::cli

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// All options of Kenning, and of its predecessor Edge AI tester, with their equivalents here: one
/// table for translating commands and files and for generating docs/from-edge-ai-tester.md.
namespace edgeprobe::scenario::kenning {

enum class Role {
  kScenario,  ///< python -m kenning.scenarios.NAME
  kVerb,      ///< kenning NAME
  kModelWrapper,
  kDataset,
  kOptimizer,
  kRuntime,
  kProtocol,
  kDataConverter,
  kPlatform,
  kDataProvider,
  kOutputCollector,
  kRunner,
  kConverter,
  kModelConverter,
  kReport,
  kAutoMl,
  kInferenceLoop,
  kRuntimeBuilder,
};
/// "dataset", the block's name in a Kenning scenario file; "" for scenarios and verbs.
const char* block_name(Role role);
/// Name in the document.
const char* title(Role role);
std::span<const Role> roles();

/// For model wrappers that load files of a training framework.
inline constexpr const char* kFramework =
    "`.keras`, `.h5` and `.pt2` run by their framework, other files by the class itself, an engine "
    "(`docs/extending.md`)";
/// For classes without a counterpart here.
inline constexpr const char* kPlugin = "the class itself runs (`docs/extending.md`)";

/// A class, a scenario or a verb.
struct Class {
  Role role;
  const char* name;
  const char* ours;  ///< The equivalent here; "" if there is none.
  const char* why;   ///< Why there is none, or a remark; "" if there is nothing to add.
};
std::span<const Class> classes();
const Class* find_class(Role role, std::string_view name);

/// How an option's value is translated.
enum class Rule {
  kAbsent,     ///< Not at all; `why` states the reason.
  kOption,     ///< An option of the class, where it runs as a plug-in.
  kKey,        ///< Becomes the value of the key `ours`.
  kModel,      ///< The model, if its format is supported here.
  kOut,        ///< The model that a compiler writes.
  kCompile,    ///< The target of a compiler.
  kLink,       ///< An option of a conversion: `ours` is "compiler.to: NAME".
  kToOnnx,     ///< Exports to ONNX before the compilers.
  kRoot,       ///< A folder whose layout the dataset defines.
  kDevice,     ///< TVM's device: the processor needs no option.
  kDelegates,  ///< Libraries of delegates.
  kProviders,  ///< Execution providers of ONNX Runtime.
  kHost,
  kPort,
  kBaud,
  kLayout,  ///< NHWC or NCHW, for the recipe.
  kWidth,   ///< For the recipe.
  kHeight,
  kPreprocess,  ///< ImageNet's kind of pre-processing.
  kType,        ///< Part of the dataset: val2017.
  kClassify,    ///< Classes of the dataset: breeds or species.
  kObject,      ///< Class that makes a picture one of class 1.
  kArea,        ///< Share of the picture above which such an object counts.
  kDownload,
  kReport,      ///< The file with measurements.
  kReportFile,  ///< The report, with its format from the extension.
  kHtml,        ///< The report as a page.
  kCharts,      ///< The folder of the report's charts.
  kFile,        ///< A Kenning scenario file.
  kFrameworks,  ///< Classes that export to ONNX: the frameworks of the grid.
};
/// One option, with its names in the different versions; or several without an equivalent for the
/// same reason.
struct Option {
  Role role;
  const char* owners;  ///< Class names, separated by blanks; "" for all of the role.
  const char* flag;    ///< On a command line; "": `names` preceded by two dashes.
  const char* names;   ///< In a file, separated by blanks.
  Rule rule;
  const char* ours;
  const char* why;
};
std::span<const Option> options();
/// Options without an equivalent (absent.cc), part of options().
std::span<const Option> absent_options();
/// Compares both spellings of a name: `_` and `-` are equal.
bool is_called(const Option& option, std::string_view flag);
/// Finds an option by its name in a file; `owner` "" means any class of the role.
const Option* find_option(Role role, std::string_view owner, std::string_view name);
/// Finds an option by its flag, among the classes that a command line names.
const Option* find_flag(std::string_view flag, const std::vector<std::pair<Role, std::string>>& of);
/// All flags, to find the nearest one.
std::vector<std::string> all_flags();

}  // namespace edgeprobe::scenario::kenning

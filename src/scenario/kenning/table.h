// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What Kenning, and Edge AI tester as it was called before, can be told, and what of it is here:
/// one table, from which commands and files are translated and docs/from-edge-ai-tester.md is made.
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
/// "dataset", as a scenario file of Kenning names its block; "" for scenarios and verbs.
const char* block_name(Role role);
/// What the document calls it.
const char* title(Role role);
std::span<const Role> roles();

/// Of model wrappers whose own files are a training framework's.
inline constexpr const char* kFramework =
    "Keras and PyTorch files are not supported: use a `.tflite` or `.onnx` file made from them";

/// A class, a scenario or a verb.
struct Class {
  Role role;
  const char* name;
  const char* ours;  ///< What stands for it here; "" where nothing does.
  const char* why;   ///< Why nothing does, or what to know; "" where there is nothing to say.
};
std::span<const Class> classes();
const Class* find_class(Role role, std::string_view name);

/// What becomes of an option's value.
enum class Rule {
  kAbsent,     ///< Nothing; `why` says it.
  kKey,        ///< It is the value of the key `ours`.
  kModel,      ///< The model, if its format is one that runs here.
  kOut,        ///< The model that a compiler writes.
  kCompile,    ///< What a compiler makes.
  kRoot,       ///< A folder whose parts are known by the dataset.
  kDevice,     ///< Where TVM runs: the processor needs no word.
  kDelegates,  ///< Libraries of delegates.
  kProviders,  ///< Execution providers of ONNX Runtime.
  kHost,
  kPort,
  kBaud,
  kLayout,  ///< NHWC or NCHW, of the recipe.
  kWidth,   ///< Of the recipe.
  kHeight,
  kPreprocess,  ///< The kind of pre-processing of ImageNet.
  kType,        ///< Part of the dataset: val2017.
  kReport,      ///< The file of measurements.
  kReportFile,  ///< The report, by its extension.
  kHtml,        ///< The report as a page.
  kCharts,      ///< The folder of the report's charts.
  kFile,        ///< A scenario file of Kenning.
};
/// One thing that can be told, by its names through the versions; or several that have nothing here
/// for the same reason.
struct Option {
  Role role;
  const char* owners;  ///< Classes with blanks between; "" for all of the role.
  const char* flag;    ///< On a command line; "": as `names`, with two dashes in front.
  const char* names;   ///< In a file, with blanks between.
  Rule rule;
  const char* ours;
  const char* why;
};
std::span<const Option> options();
/// Those of which nothing is here (absent.cc), part of options().
std::span<const Option> absent_options();
/// Both spellings of a name: `_` and `-` are the same.
bool is_called(const Option& option, std::string_view flag);
/// By its name in a file, or "" for the role's every class.
const Option* find_option(Role role, std::string_view owner, std::string_view name);
/// By its flag, of one of the classes that a command line names.
const Option* find_flag(std::string_view flag, const std::vector<std::pair<Role, std::string>>& of);
/// All flags, for the nearest one.
std::vector<std::string> all_flags();

}  // namespace edgeprobe::scenario::kenning

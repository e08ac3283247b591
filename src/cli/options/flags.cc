// SPDX-License-Identifier: Apache-2.0
#include "cli/options/flags.h"
#include "cli/options/half_behind.h"
#include "cli/options/time_limit.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <ostream>
#include <set>

#include "core/cpu_list.h"
#include "core/file.h"
#include "core/text.h"
#include "dataset/npz.h"
#include "dataset/onnx_tests.h"
#include "dataset/tables.h"
#include "dataset/texts.h"
#include "engine/delegate_text.h"
#include "engine/kinds.h"
#include "engine/library_choice.h"
#include "engine/target.h"
#include "model/state.h"
#include "pipeline/inputs/trace_data.h"
#include "pipeline/recipe_answers.h"

namespace edgeprobe::cli {
namespace {

/// The engine of a model for which none was named: the default one of its format, and for a model
/// with a state one that keeps it, which LiteRT's compiled models do not. Without a library for
/// that one, the default engine's refusal says what to install.
std::string engine_for(const std::string& path) {
  const engine::EngineKind& usual = engine::default_engine(path);
  const engine::EngineKind* const other =
      engine::engine_like(usual, engine::Capability::kModelState);
  if (path.empty() || !other || other == &usual || !engine::library_of({other->name, {}, false}))
    return usual.name;
  model::FileBytes file;
  const auto graph = model::load(path, file);
  return graph && !model::state_of(*graph).empty() ? other->name : usual.name;
}

Result<engine::EngineChoice> engine_from(const PipelineFlags& flags) {
  const std::string& engine = flags.engine;
  const auto here = [&] {
    return engine::engine_choice_from_text(engine.empty() ? engine_for(flags.model) : engine);
  };
  if (flags.target.empty()) return here();
  auto target = engine::address_from_target_text(flags.target);
  if (!target) return std::move(target).error();
  const bool starts = engine::starts_server(target->transport);
  const char* const operators = !engine.empty() && !starts ? "--engine"
                                : !flags.delegates.empty() ? "--delegate"
                                : !flags.cpus.empty()      ? "--cpus"
                                                           : nullptr;
  if (operators)
    return Error{ErrorKind::kUsage, std::string(operators) +
                                        " beside --target: what runs there is its operator's "
                                        "choice; give it to 'edgeprobe serve' on that machine"};
  engine::EngineChoice choice;
  choice.kind = engine::default_engine(flags.model).name;
  if (starts) {
    auto named = here();
    if (!named) return named;
    choice = *std::move(named);
  }
  choice.address = engine::to_string(*target);
  return choice;
}

/// The options of one engine that the flags give. Where they name those of two, one is wrong for
/// every engine: that one is kept, and refused with the model.
Result<engine::OwnOptions> own_options(const PipelineFlags& flags,
                                       const engine::EngineChoice& choice) {
  const auto kernels = engine::kernels_from_name(flags.kernels);
  if (!kernels && !flags.kernels.empty())
    return Error{ErrorKind::kUsage, "--kernels '" + sanitized(flags.kernels) +
                                        "': expected xnnpack, builtin or reference"};
  const auto optimization = engine::optimization_from_name(flags.optimization);
  if (!optimization)
    return Error{ErrorKind::kUsage, "--optimization '" + sanitized(flags.optimization) +
                                        "': expected off, basic, extended or all"};
  const engine::OnnxRuntimeOptions rewriting{*optimization, !flags.no_spinning};
  const engine::EngineKind* const kind = engine::find_kind(choice.kind);
  const bool rewrites = kind && kind->can(engine::Capability::kOptimizationLevels);
  if (rewriting != engine::OnnxRuntimeOptions{} && (!kernels || !rewrites))
    return engine::OwnOptions(rewriting);
  if (kernels) return engine::OwnOptions(engine::TfliteOptions{kernels});
  return engine::OwnOptions();
}

}  // namespace

Result<std::vector<int>> cpus_from_text(std::string_view text) {
  if (auto cpus = cpu_list_from_text(text)) return *std::move(cpus);
  return Error{ErrorKind::kUsage,
               "'" + sanitized(text, 60) + "': expected CPU numbers from 0, e.g. 0,2-3"};
}

Result<pipeline::FunctionSpec> function_from(const PipelineFlags& flags) {
  auto function = pipeline::function_from_text(flags.function);
  if (!function) return std::move(function.error()).during("--pipeline");
  auto limit = time_limit_from(flags.time_limit_s);
  if (!limit) return std::move(limit.error());
  function->interpreter = flags.interpreter;
  function->limit = *limit;
  return function;
}

namespace {

/// "NAME: resize(…) | …" or "NAME: file.recipe": the name, and where the recipe begins. A name may
/// have colons of its own ("serving_default_x:0: resize(…)"). No name: empty, and 0.
std::pair<std::string, std::size_t> input_of_recipe(const std::string& text) {
  std::error_code ignored;
  if (std::filesystem::exists(text, ignored)) return {};
  const std::size_t colon = text.substr(0, text.find('(')).rfind(':');
  if (colon == std::string::npos || colon == 0) return {};
  const std::size_t first = text.find_first_not_of(" \t"),
                    last = text.find_last_not_of(" \t", colon - 1);
  return {text.substr(first, last + 1 - first), colon + 1};
}

Result<pipeline::CarriedState> state_from(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
    return Error{ErrorKind::kUsage, "--state '" + sanitized(text, 100) +
                                        "': expected OUTPUT=INPUT, the names of an output and of "
                                        "the input that it is in the next frame"};
  return pipeline::CarriedState{text.substr(0, equals), text.substr(equals + 1)};
}

}  // namespace

std::string half_behind(const std::string& text) {
  constexpr const char* kBlanks = " \t\r\n";
  const std::size_t bars = text.find_first_not_of(kBlanks);
  if (bars == std::string::npos || text.compare(bars, 2, "||") != 0) return "";
  const std::size_t begin = text.find_first_not_of(kBlanks, bars + 2);
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin);
}

Result<std::vector<pipeline::CarriedState>> states_from(const PipelineFlags& flags) {
  std::vector<pipeline::CarriedState> states;
  for (const std::string& text : flags.states) {
    auto state = state_from(text);
    if (!state) return std::move(state.error());
    states.push_back(*std::move(state));
  }
  return states;
}

Result<pipeline::PipelineSpec> spec_from(const PipelineFlags& flags,
                                         const std::vector<dataset::Sample>& samples) {
  pipeline::PipelineSpec spec;
  spec.model = flags.model;
  if (!samples.empty()) spec.arrays = samples.front().arrays;
  auto states = states_from(flags);
  if (!states) return std::move(states.error());
  spec.states = *std::move(states);
  if (const std::string behind = half_behind(flags.recipe); !behind.empty()) {
    // Beside steps in front of the model those behind it may be another program's; alone they are
    // the whole recipe.
    if (auto steps = pipeline::AnswerSteps::load(behind, {}); !steps)
      return std::move(steps.error()).during("recipe");
    spec.recipe.emplace().post = behind;
  } else if (!flags.recipe.empty()) {
    const auto [input, begin] = input_of_recipe(flags.recipe);
    spec.recipe_input = input;
    const std::size_t text = flags.recipe.find_first_not_of(" \t", begin);
    auto recipe =
        preprocess::load_recipe(text == std::string::npos ? "" : flags.recipe.substr(text));
    if (!recipe) return std::move(recipe.error()).during("recipe");
    spec.recipe = *std::move(recipe);
  }
  if (!flags.function.empty()) {
    auto function = function_from(flags);
    if (!function) return std::move(function.error());
    spec.function = *std::move(function);
  }
  if (!flags.tokenizer.empty()) {
    auto tokenizer = pipeline::tokenizer_from_text(flags.tokenizer);
    if (!tokenizer) return std::move(tokenizer.error()).during("tokenizer");
    auto limit = time_limit_from(flags.time_limit_s);
    if (!limit) return std::move(limit.error());
    tokenizer->interpreter = flags.interpreter;
    tokenizer->limit = *limit;
    spec.tokenizer = *std::move(tokenizer);
  }
  auto engine = engine_from(flags);
  if (!engine) return std::move(engine.error());
  spec.engine = *std::move(engine);
  spec.engine.force_version = flags.force_engine_version;
  auto own = own_options(flags, spec.engine);
  if (!own) return std::move(own.error());
  spec.session.own = *std::move(own);
  const int threads = flags.threads.value_or(1);
  if (threads < 1 || threads > 256)
    return Error{ErrorKind::kUsage, "--threads " + std::to_string(threads) + ": expected 1 to 256"};
  if (const auto* const kind = engine::find_kind(spec.engine.kind);
      kind && kind->planned && flags.threads)
    return engine::beside_plan(*kind, "--threads");
  spec.session.threads = threads;
  const auto precision = engine::precision_from_name(flags.precision);
  if (!precision)
    return Error{ErrorKind::kUsage, "--precision '" + sanitized(flags.precision) +
                                        "': expected f32, or engine (what the engine likes)"};
  spec.session.precision = *precision;
  auto cpus = cpus_from_text(flags.cpus);
  if (!cpus) return std::move(cpus.error()).during("--cpus");
  spec.session.cpus = *std::move(cpus);
  for (const std::string& text : flags.delegates) {
    auto delegate = engine::delegate_from_text(text);
    if (!delegate) return std::move(delegate.error()).during("--delegate");
    spec.session.delegates.push_back(*std::move(delegate));
  }
  auto limit = time_limit_from(flags.time_limit_s);
  if (!limit) return std::move(limit.error());
  if (!flags.input_shape.empty()) {
    std::string list = flags.input_shape;
    std::replace(list.begin(), list.end(), 'x', ',');
    const auto shape = shape_from_list(list);
    if (!shape || !element_count(*shape) || *element_count(*shape) == 0)
      return Error{ErrorKind::kUsage, "--input-shape '" + sanitized(flags.input_shape) +
                                          "': expected whole numbers above 0, e.g. 1x96x96x3"};
    spec.input_shape = *shape;
  }
  spec.session.load_limit = spec.session.invoke_limit = *limit;
  return spec;
}

Result<std::size_t> frames_from(const DataFlags& flags) {
  if (flags.frames.empty()) return std::size_t{0};
  std::uint32_t count = 0;
  const char* const end = flags.frames.data() + flags.frames.size();
  const auto [at, failure] = std::from_chars(flags.frames.data(), end, count);
  if (failure != std::errc{} || at != end || count == 0)
    return Error{ErrorKind::kUsage, "--frames '" + sanitized(flags.frames, 60) +
                                        "': expected a whole number, at least 1 (all without it)"};
  return std::size_t{count};
}

namespace {

std::set<int> classes_of(const std::vector<dataset::Sample>& samples) {
  std::set<int> classes;
  for (const dataset::Sample& sample : samples)
    if (sample.annotation)
      for (const int index : task::classes_of(*sample.annotation)) classes.insert(index);
  return classes;
}

Result<std::vector<dataset::Sample>> opened(const std::string& data, const dataset::Labels& labels,
                                            std::string* note) {
  if (dataset::is_npz_name(data)) return dataset::open_npz(data, labels);
  if (data.ends_with(".mcap")) return pipeline::open_trace(data, labels);
  if (dataset::is_onnx_tests(data)) return dataset::open_onnx_tests(data, labels);
  // A table of numbers is a recording of a sensor.
  const bool is_table = dataset::is_table_name(data) && dataset::holds_recording(data);
  if (dataset::is_texts_name(data) && !is_table) return dataset::open_texts(data, labels);
  return dataset::open_folder(data, labels, 0, note);
}

}  // namespace

Result<std::vector<dataset::Sample>> samples_from(const DataFlags& flags, std::string* warning) {
  const auto frames = frames_from(flags);
  if (!frames) return frames.error();
  if (flags.data.empty()) {
    if (!flags.labels.empty() || !flags.classes.empty())
      return Error{ErrorKind::kUsage, std::string(flags.labels.empty() ? "--classes" : "--labels") +
                                          " belongs to pictures; give their folder with --data"};
    return std::vector<dataset::Sample>{};
  }
  auto labels = dataset::read_labels(flags.labels, flags.classes);
  if (!labels) return std::move(labels.error());
  std::string note;
  auto all = opened(flags.data, *labels, &note);
  if (!all) return all;
  if (warning) *warning = note;
  const bool labelled = std::any_of(all->begin(), all->end(), [](const dataset::Sample& sample) {
    return sample.annotation.has_value();
  });
  // Tables of readings hold labels of their own, which may be names.
  if (flags.labels.empty() && !flags.classes.empty() && !labelled)
    return Error{ErrorKind::kUsage, "--classes names the classes of --labels, which is not given"};
  if (!labels->empty() && !labelled)
    return Error{
        ErrorKind::kUsage,
        labels->from_folders
            ? "--labels folders: no picture of --data lies in a folder that names its class"
            : "--labels '" + sanitized(flags.labels, 200) + "' names none of the " +
                  std::to_string(all->size()) + " samples of --data: its '" +
                  sanitized(labels->by_name.begin()->first, 80) +
                  "' is not there, and the first sample is called '" +
                  sanitized(all->front().name, 80) + "'"};
  if (*frames == 0 || *frames >= all->size()) return all;
  if (!all->front().arrays.empty()) {
    all->resize(*frames);
    return all;
  }
  std::vector<dataset::Sample> some;
  for (std::size_t i = 0; i < *frames; ++i) some.push_back((*all)[i * all->size() / *frames]);
  const std::size_t before = classes_of(*all).size(), after = classes_of(some).size();
  if (warning && after < before)
    *warning += (warning->empty() ? "" : "\nwarning: ") + std::string("--frames ") + flags.frames +
                ": the pictures that were taken are of " + std::to_string(after) + " of the " +
                std::to_string(before) + " classes; accuracies are those of these classes alone";
  return some;
}

Result<std::uint64_t> bytes_from_text(const std::string& text) {
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  const std::string unit = end;
  double factor = 0;
  if (unit.empty() || unit == "B") factor = 1;
  else if (unit == "KB") factor = 1e3;
  else if (unit == "MB") factor = 1e6;
  else if (unit == "GB") factor = 1e9;
  else if (unit == "TB") factor = 1e12;
  if (end == text.c_str() || factor == 0 || !(value >= 0) || value * factor > 1e18)
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(text) + "' is no size; expected e.g. 500MB or 2GB"};
  return static_cast<std::uint64_t>(value * factor);
}

Status write_result(const JsonFlag& flag, const std::string& text, std::ostream& out) {
  if (!flag.file.empty()) return write_file(flag.file, view_of(text));
  out << text;
  if (text.empty() || text.back() != '\n') out << '\n';
  return {};
}

}  // namespace edgeprobe::cli

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>

#include "cli/options/pipeline_flags.h"
#include "cli/options/trust.h"
#include "cli/options/values.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "engine/library_choice.h"
#include "engine/native/choice.h"
#include "engine/options.h"
#include "engine/plugin.h"
#include "engine/target.h"
#include "engine/vulkan_driver.h"
#include "model/borrowed_output.h"
#include "model/state.h"

namespace edgeprobe::cli {
namespace {

std::string engine_help() {
  std::string names;
  for (const std::string& name : engine::engine_names())
    names += (names.empty() ? "" : " | ") + name;
  for (const std::string& name : engine::own_plugins()) names += " | " + name;
  return names +
         ", or KIND:LIBRARY, e.g. tflite:/path/libtensorflowlite_c.so; a plug-in as FILE.py:CLASS "
         "or "
         "python:NAME, with ?OPTION=VALUE (default: by the model's format)";
}

/// "(litert and tflite)": the engines that accept an option.
std::string takers(engine::Capability capability, const std::string& more = "") {
  return " (" + listed(engine::engine_names(capability)) + more + ")";
}

/// The engine of a model for which none was named: a plug-in for its framework's own files, else
/// the default one of its format; for a model with a state in variable tensors, or with outputs
/// that no operator computes, one that keeps and returns them, unlike LiteRT's compiled models. If
/// that engine has no library, the default engine's error says what to install.
std::string engine_for(const std::string& path) {
  if (const std::string plugin = engine::own_plugin_for(path); !plugin.empty()) return plugin;
  const engine::EngineKind& usual = engine::default_engine(path);
  const engine::EngineKind* const other =
      engine::engine_like(usual, engine::Capability::kModelState);
  if (path.empty() || !other || other == &usual || !engine::library_of({other->name, {}}))
    return usual.name;
  model::FileBytes file;
  const auto graph = model::load(path, file);
  const bool beyond_it = graph && (!model::variable_tensor_of(*graph).empty() ||
                                   !model::borrowed_output(*graph).empty());
  return beyond_it ? other->name : usual.name;
}

/// The libraries of --plugin that may be the engine: without --engine, not that of --data.
std::vector<std::string> engine_libraries(const PipelineFlags& flags) {
  std::vector<std::string> libraries = flags.plugins;
  if (flags.engine.empty() && flags.data)
    std::erase(libraries, engine::native::split_data(*flags.data).library);
  return libraries;
}

Result<engine::EngineChoice> engine_from(const PipelineFlags& flags) {
  const std::string& engine = flags.engine;
  const std::vector<std::string> libraries = engine_libraries(flags);
  const auto here = [&] {
    auto choice =
        !libraries.empty()
            ? engine::native::choice_among(libraries, engine)
            : engine::engine_choice_from_text(engine.empty() ? engine_for(flags.model) : engine);
    if (choice) choice->python = flags.interpreter;
    return choice;
  };
  if (flags.target.empty()) return here();
  EP_TRY(auto target, engine::address_from_target_text(flags.target));
  const bool starts = engine::starts_server(target.transport);
  const char* const operators = !engine.empty() && !starts  ? "--engine"
                                : !libraries.empty()        ? "--plugin"
                                : !flags.delegates.empty()  ? "--delegate"
                                : !flags.custom_ops.empty() ? "--custom-ops"
                                : !flags.cpus.empty()       ? "--cpus"
                                                            : nullptr;
  if (operators)
    return Error{ErrorKind::kUsage, std::string(operators) +
                                        " with --target: the operator of that machine chooses it; "
                                        "give it to 'edgeprobe serve' there"};
  engine::EngineChoice choice;
  choice.kind = engine::default_engine(flags.model).name;
  if (starts) {
    auto named = here();
    if (!named) return named;
    choice = *std::move(named);
  }
  choice.address = engine::to_string(target);
  return choice;
}

/// The engine-specific options given by the flags. If they belong to two engines, one of them is
/// wrong for any engine: that one is kept, and rejected with the model.
Result<engine::OwnOptions> own_options(const PipelineFlags& flags,
                                       const engine::EngineChoice& choice) {
  const auto kernels = engine::kernels_from_name(flags.kernels);
  if (!kernels && !flags.kernels.empty())
    return Error{ErrorKind::kUsage, "--kernels '" + sanitized(flags.kernels) +
                                        "': expected xnnpack, builtin or reference"};
  const auto optimization = engine::optimization_from_name(flags.optimization);
  if (!optimization)
    return Error{ErrorKind::kUsage, "--optimization '" + sanitized(flags.optimization) +
                                        "': expected off, basic, extended, all or file"};
  const engine::EngineKind* const kind = engine::find_kind(choice.kind);
  const bool rewrites = kind && kind->can(engine::Capability::kOptimizationLevels);
  // The default level also suits engines without levels.
  const bool leaves_it = !rewrites && flags.optimization == flags.usual_optimization;
  const engine::OnnxRuntimeOptions rewriting{leaves_it ? engine::Optimization::kAll : *optimization,
                                             !flags.no_spinning};
  if (rewriting != engine::OnnxRuntimeOptions{} && (!kernels || !rewrites))
    return engine::OwnOptions(rewriting);
  if (kernels) return engine::OwnOptions(engine::TfliteOptions{kernels});
  return engine::OwnOptions();
}

}  // namespace

bool names_engine(const PipelineFlags& flags) {
  return !flags.engine.empty() || !engine_libraries(flags).empty();
}

void compute_as_written(PipelineFlags& flags) {
  if (flags.optimization != flags.usual_optimization) return;
  flags.usual_optimization = engine::name(engine::Optimization::kFile);
  flags.optimization = flags.usual_optimization;
}

void add_engine(Parser& parser, PipelineFlags& flags, const std::string& prefix,
                const std::string& group) {
  using engine::Capability;
  if (prefix == "reference-") compute_as_written(flags);
  const auto option = [&](const std::string& name) { return "--" + prefix + name; };
  parser.option(option("engine"), flags.engine, engine_help()).group(group);
  parser
      .option(option("plugin"), flags.plugins,
              "A library with an engine of your own (edgeprobe_plugin.h), which " +
                  option("engine") +
                  " gives by its name (default: that engine), or with a data "
                  "set for --data (repeatable)")
      .repeatable()
      .type("LIB")
      .group(group);
  parser
      .option(
          option("kernels"), flags.kernels,
          "xnnpack | builtin | reference" + takers(Capability::kKernelSets, "; default: xnnpack"))
      .group(group);
  parser.option(option("threads"), flags.threads, "Threads of the engine")
      .shows_default("1")
      .group(group);
  parser
      .option(option("delegate"), flags.delegates,
              "Delegates, in order of preference: gpu (litert; tflite, if its library has it), "
              "nnapi (tflite) or 'external:LIB.so?key=value&…': a TFLite delegate or an execution "
              "provider of onnxruntime (repeatable)")
      .repeatable()
      .group(group);
  parser
      .option(option("custom-ops"), flags.custom_ops,
              "A library of custom operators" + takers(Capability::kCustomOps) + " (repeatable)")
      .repeatable()
      .type("LIB")
      .group(group);
  add_trust(parser, flags.trust, prefix, group);
  parser
      .option(
          option("optimization"), flags.optimization,
          "Graph optimisation level" + takers(Capability::kOptimizationLevels) +
              ": off | basic | extended | all | file (all, but with the file's own quantisation)")
      .shows_default()
      .group(group);
  parser
      .option(option("precision"), flags.precision,
              "f32: like the model; engine: the engine's choice, e.g. bf16 (openvino)")
      .shows_default()
      .group(group);
  parser
      .flag(option("no-spinning"), flags.no_spinning,
            "Let idle threads sleep instead of spin" + takers(Capability::kSpinning))
      .group(group);
  parser
      .option(option("input-shape"), flags.input_shapes,
              "Resize the model's input, e.g. 1x96x96x3; for several inputs NAME=1x96 (repeatable)")
      .repeatable()
      .type("[NAME=]SHAPE")
      .group(group);
  parser
      .option(option("time-limit"), flags.time_limit_s, "Seconds for each load and each inference")
      .shows_default()
      .group(group);
}

void add_target(Parser& parser, PipelineFlags& flags, const std::string& group) {
  const Argument target =
      parser
          .option("--target", flags.target,
                  "The machine that runs the model: tcp://HOST:PORT, "
                  "tls://HOST:PORT?cert=FILE&key=FILE&ca=FILE, unix:/PATH or "
                  "serial:/dev/NAME?baud=921600 of 'edgeprobe serve'; ssh://[USER@]HOST[:PORT] or "
                  "adb:SERIAL, which start it; kenning://HOST:PORT?generation=g2 of a Kenning "
                  "server (default: this machine)")
          .group(group);
  // A parameter of the address. Processed after --target, whatever their order on the command line.
  parser
      .option(
          "--target-program",
          [&flags](const std::string& file) {
            const bool has_parameters = flags.target.find('?') != std::string::npos;
            flags.target += (has_parameters ? "&program=" : "?program=") + file;
          },
          "The edgeprobe program to copy to the ssh or adb machine (default: this one)")
      .needs(target)
      .type("FILE")
      .group(group);
}

void add_cpus(Parser& parser, PipelineFlags& flags, const std::string& prefix,
              const std::string& group) {
  parser
      .option("--" + prefix + "cpus", flags.cpus,
              "The CPUs that may run the engine, e.g. 0,2-3 (default: all)")
      .group(group);
}

Status engine_into(pipeline::PipelineSpec& spec, const PipelineFlags& flags) {
  EP_TRY(auto engine, engine_from(flags));
  spec.engine = std::move(engine);
  EP_CHECK(check_plan_of(spec.engine, flags.trust));
  EP_TRY(spec.session.own, own_options(flags, spec.engine));
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
  for (const std::string& text : flags.custom_ops) spec.session.custom_ops.emplace_back(text);
  EP_TRY(auto limit, time_limit_from(flags.time_limit_s));
  spec.engine.open_limit = limit;
  for (const std::string& text : flags.input_shapes) {
    // A name may contain "=", a shape never does.
    const std::size_t end = text.rfind('=');
    const std::string name = end == std::string::npos ? "" : text.substr(0, end);
    std::string list = end == std::string::npos ? text : text.substr(end + 1);
    std::replace(list.begin(), list.end(), 'x', ',');
    const auto shape = shape_from_list(list);
    if (!shape || !element_count(*shape) || *element_count(*shape) == 0)
      return Error{ErrorKind::kUsage,
                   "--input-shape '" + sanitized(text) +
                       "': expected whole numbers above 0, e.g. 1x96x96x3, or NAME=1x96x96x3"};
    if (!spec.input_shapes.emplace(name, *shape).second)
      return Error{ErrorKind::kUsage,
                   "--input-shape '" + sanitized(text) + "': this input was given a shape already"};
  }
  spec.session.load_limit = spec.session.invoke_limit = limit;
  return {};
}

std::string options_text(const PipelineFlags& flags) {
  std::string text;
  const auto add = [&](const std::string& what) { text += (text.empty() ? "" : " ") + what; };
  if (flags.optimization != flags.usual_optimization) add("optimization=" + flags.optimization);
  if (flags.precision != "f32") add("precision=" + flags.precision);
  if (flags.no_spinning) add("no-spinning");
  for (const std::string& delegate : flags.delegates)
    add("delegate=" +
        engine::labelled_delegate(
            std::filesystem::path(delegate.substr(0, delegate.find('?'))).filename().string()));
  for (const std::string& library : flags.custom_ops)
    add("custom-ops=" + std::filesystem::path(library).filename().string());
  for (const std::string& shape : flags.input_shapes) add("input-shape=" + shape);
  return text;
}

}  // namespace edgeprobe::cli

// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/converter.h"

#include <nlohmann/json.hpp>

#include "cli/convert/tool_environment.h"
#include "cli/convert/tool_process.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using engine::EngineId;
using nlohmann::ordered_json;

const Tool& tool_of(const Conversion& wanted) {
  // If an engine does the conversion, the requirements file has the engine's name.
  static const Tool kOnnxRuntime{"convert", engine::kind_of(EngineId::kOnnxRuntime).name,
                                 "ONNX Runtime's quantizer", "60 MB"},
      kQuantizer{"convert", "quantizer", "ai-edge-quantizer", "90 MB"},
      kOpenVino{"convert", engine::kind_of(EngineId::kOpenVino).name, "OpenVINO", "80 MB"},
      kTvm{"convert", engine::kind_of(EngineId::kTvm).name, "TVM", "140 MB"};
  if (wanted.to.format == engine::FileFormat::kOpenVinoIr) return kOpenVino;
  if (wanted.to.format == engine::FileFormat::kTvm) return kTvm;
  return wanted.format == model::Format::kOnnx ? kOnnxRuntime : kQuantizer;
}

ordered_json specs_json(const std::vector<TensorSpec>& specs) {
  auto list = ordered_json::array();
  for (const TensorSpec& spec : specs)
    list.push_back({{"name", spec.name},
                    {"dtype", name(spec.dtype)},
                    {"shape", spec.shape},
                    {"scale", spec.quantization.scale},
                    {"zero_point", spec.quantization.zero_point},
                    {"axis", spec.quantization.axis}});
  return list;
}

std::string request_of(const Conversion& wanted) {
  std::error_code ignored;
  ordered_json request{{"to", wanted.to.name},
                       {"format", wanted.format ? model::operations_of(*wanted.format).name : ""},
                       {"model", fs::absolute(wanted.model, ignored).string()},
                       {"out", fs::absolute(wanted.out, ignored).string()},
                       {"inputs", specs_json(wanted.inputs)},
                       {"outputs", specs_json(wanted.outputs)},
                       {"calibration", nullptr},
                       {"keep_float", nullptr}};
  if (!wanted.keep_float.empty())
    request["keep_float"] = ordered_json::parse(wanted.keep_float, nullptr, false);
  if (!wanted.calibration.empty())
    request["calibration"] = {{"file", wanted.calibration.string()}, {"frames", wanted.frames}};
  return request.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

Result<Converted> compiled(const Conversion& wanted, Terminal& terminal) {
  PluginCompiler& compiler = *wanted.to.compiler;
  const PluginCompiler::About& about = compiler.about();
  terminal.err << "converting with " << about.name << " " << about.version << "\n";
  EP_TRY(auto notes, compiler.compile(request_of(wanted), terminal));
  return Converted{about.name, about.version, about.options, std::move(notes)};
}

}  // namespace

std::vector<ConversionTarget> conversion_targets() {
  std::vector<ConversionTarget> targets{{"int8", {}}, {"int8-dynamic", {}}};
  for (const engine::FormatKind& format : engine::file_formats())
    if (format.closed) targets.push_back({engine::kind_of(format.default_engine).name, format.id});
  return targets;
}

std::optional<ConversionTarget> conversion_target(const std::string& name) {
  for (ConversionTarget& target : conversion_targets())
    if (target.name == name) return std::move(target);
  return std::nullopt;
}

std::string with_quantize(const std::string& recipe) {
  if (recipe.find("quantize(") != std::string::npos) return recipe;
  const auto post = recipe.find(" || ");
  return recipe.substr(0, post) + " | quantize(model)" +
         (post == std::string::npos ? "" : recipe.substr(post));
}

std::string recipe_for(const std::string& recipe, const model::Graph& graph) {
  if (graph.inputs.size() != 1) return recipe;
  const TensorSpec& input = graph.tensors[static_cast<std::size_t>(graph.inputs.front())].spec;
  return input.quantization.empty() || is_float(input.dtype) ? recipe : with_quantize(recipe);
}

Result<Converted> convert(const Conversion& wanted, const std::string& python, Terminal& terminal) {
  if (wanted.to.compiler) return compiled(wanted, terminal);
  const Tool& tool = tool_of(wanted);
  EP_TRY(const auto script, tool_script(tool));
  EP_TRY(auto interpreter,
         python.empty() ? environment(tool, terminal) : Result<std::string>(python));
  terminal.err << "converting with " << tool.what << "\n";
  // -P: a file next to main.py must not replace a package.
  EP_TRY(const auto run,
         run_tool({interpreter, "-P", script.string()}, request_of(wanted), terminal.control()));
  const auto end = run.output.find_last_not_of('\n');
  const auto start = end == std::string::npos ? std::string::npos : run.output.rfind('\n', end);
  const auto answer = ordered_json::parse(
      run.output.substr(start == std::string::npos ? 0 : start + 1), nullptr, false);
  if (answer.is_object() && answer.contains("error") && answer["error"].is_string())
    return Error{ErrorKind::kTarget, std::string(tool.what) + " cannot convert it: " +
                                         sanitized(answer["error"].get<std::string>(), 600)};
  if (run.exit_code != 0 || !answer.is_object() || !answer.contains("tool") ||
      !answer["tool"].is_string())
    return Error{ErrorKind::kTarget,
                 std::string(tool.what) + " ended without an answer" +
                     (run.last_words.empty() ? "" : "; it last said: " + run.last_words)};
  Converted converted;
  const std::string label = sanitized(answer["tool"].get<std::string>());
  const std::size_t blank = label.find(' ');
  converted.tool = label.substr(0, blank);
  converted.version = blank == std::string::npos ? "" : label.substr(blank + 1);
  for (const auto& note : answer.value("notes", ordered_json::array()))
    if (note.is_string()) converted.notes.push_back(sanitized(note.get<std::string>(), 400));
  return converted;
}

}  // namespace edgeprobe::cli

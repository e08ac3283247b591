// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/converter.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "cli/convert/tool_environment.h"
#include "cli/convert/tool_process.h"
#include "cli/terminal/progress.h"
#include "core/text.h"
#include "process/python.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

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

ordered_json frames_json(const FrameFile& frames) {
  if (frames.file.empty()) return nullptr;
  return {{"file", frames.file.string()}, {"frames", frames.frames}};
}

std::string request_of(const Conversion& wanted, const std::vector<std::string>& packages) {
  std::error_code ignored;
  auto options = ordered_json::object();
  for (const auto& [name, value] : wanted.to.options) options[name] = value;
  ordered_json request{{"to", wanted.to.name},
                       {"format", wanted.format},
                       {"model", fs::absolute(wanted.model, ignored).string()},
                       {"out", fs::absolute(wanted.out, ignored).string()},
                       {"inputs", specs_json(wanted.inputs)},
                       {"outputs", specs_json(wanted.outputs)},
                       {"calibration", frames_json(wanted.calibration)},
                       {"train", frames_json(wanted.train)},
                       {"labels", wanted.labels},
                       {"options", options},
                       {"packages", packages},
                       {"keep_float", nullptr}};
  if (!wanted.keep_float.empty())
    request["keep_float"] = ordered_json::parse(wanted.keep_float, nullptr, false);
  return request.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

/// The packages that this Python lacks, in an environment of their own.
Result<std::vector<std::string>> packages_for(const Method& method, const std::string& interpreter,
                                              Terminal& terminal) {
  if (!method.also) return std::vector<std::string>();
  const std::string find = "import importlib.util as u, sys; sys.exit(not u.find_spec('" +
                           std::string(method.also->name) + "'))";
  EP_TRY(const auto found, run_tool({interpreter, "-P", "-c", find}, "", terminal.control()));
  if (found.exit_code == 0) return std::vector<std::string>();
  EP_TRY(const auto other, environment(*method.also, terminal));
  const fs::path folder = fs::path(other).parent_path().parent_path();
  return std::vector{(folder / "lib" / "python3.11" / "site-packages").string()};
}

/// The Python of a method: the named one, one of the user's environment for a framework, or that of
/// the tool.
Result<std::string> interpreter_of(const Method& method, const std::string& python,
                                   Terminal& terminal) {
  if (!python.empty()) return python;
  const char* const named = std::getenv("EDGEPROBE_PYTHON");
  if (ConversionTarget{method.to, &method}.runs_in_framework() && named && *named)
    return std::string(named);
  if (method.tool) return environment(*method.tool, terminal);
  return Error{ErrorKind::kUsage, std::string("--to ") + method.to +
                                      ": name the Python that has PyTorch and the tool with "
                                      "--python; edgeprobe makes no environment for them"};
}

Result<Converted> compiled(const Conversion& wanted, Terminal& terminal) {
  PluginCompiler& compiler = *wanted.to.compiler;
  const PluginCompiler::About& about = compiler.about();
  terminal.err << "converting with " << about.name << " " << about.version << "\n";
  EP_TRY(auto notes, compiler.compile(request_of(wanted, {}), terminal));
  return Converted{about.name, about.version, about.options, std::move(notes)};
}

}  // namespace

bool ConversionTarget::runs_in_framework() const {
  return compiler || !method->tool || std::string_view(method->tool->package) == "engines";
}

bool ConversionTarget::trains() const {
  const std::string epochs = option_of(options, "fine_tune");
  return !epochs.empty() && epochs != "0";
}

ConversionTarget conversion_target(std::string_view to, SourceKind source) {
  const Method* const method = find_method(to, source);
  ConversionTarget target{std::string(to), method};
  for (const MethodOption& option : method->options)
    target.options.emplace_back(option.name, option.usual);
  return target;
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
  const Method& method = *wanted.to.method;
  const std::string what = method.tool ? method.tool->what : "PyTorch";
  EP_TRY(const auto package, process::python_package());
  const fs::path script = package / "convert" / "main.py";
  EP_TRY(const auto interpreter, interpreter_of(method, python, terminal));
  EP_TRY(const auto packages, packages_for(method, interpreter, terminal));
  terminal.err << "converting with " << (method.also ? method.also->what : what) << "\n";
  // -P: a file next to main.py must not replace a package.
  EP_TRY(const auto run, [&] {
    const Progress progress(terminal, what);
    return run_tool({interpreter, "-P", script.string()}, request_of(wanted, packages),
                    terminal.control());
  }());
  const auto end = run.output.find_last_not_of('\n');
  const auto start = end == std::string::npos ? std::string::npos : run.output.rfind('\n', end);
  const auto answer = ordered_json::parse(
      run.output.substr(start == std::string::npos ? 0 : start + 1), nullptr, false);
  if (answer.is_object() && answer.contains("error") && answer["error"].is_string())
    return Error{ErrorKind::kTarget, what + " cannot convert it: " +
                                         sanitized(answer["error"].get<std::string>(), 600)};
  if (run.exit_code != 0 || !answer.is_object() || !answer.contains("tool") ||
      !answer["tool"].is_string())
    return Error{ErrorKind::kTarget,
                 what + " ended without an answer" +
                     (run.last_words.empty() ? "" : "; it last said: " + run.last_words)};
  Converted converted;
  const std::string label = sanitized(answer["tool"].get<std::string>());
  const std::size_t blank = label.find(' ');
  converted.tool = label.substr(0, blank);
  converted.version = blank == std::string::npos ? "" : label.substr(blank + 1);
  converted.options = wanted.to.options;
  if (answer.contains("weights") && answer["weights"].is_array())
    converted.weights =
        answer["weights"].dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  if (answer.contains("for_machine") && answer["for_machine"].is_string())
    converted.for_machine = sanitized(answer["for_machine"].get<std::string>());
  for (const auto& note : answer.value("notes", ordered_json::array()))
    if (note.is_string()) converted.notes.push_back(sanitized(note.get<std::string>(), 400));
  return converted;
}

}  // namespace edgeprobe::cli

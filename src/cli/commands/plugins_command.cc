// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/convert/tool_process.h"
#include "cli/options/json_flag.h"
#include "cli/options/overwrite.h"
#include "cli/options/verb_arguments.h"
#include "cli/tables/columns.h"
#include "cli/terminal/terminal.h"
#include "cli/verbs.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "engine/native/choice.h"
#include "engine/plugin.h"
#include "process/python.h"

namespace edgeprobe::cli {

/// Arguments of `edgeprobe list [engines|datasets|metrics|compilers|models]`: plug-ins and built-in
/// engines; imports none.
struct ListArgs {
  std::string kind;
  std::string python;
  bool names = false;  ///< Only the names of plug-ins, as flags take them.
  JsonFlag json;
};

/// Arguments of `edgeprobe help NAME`: a verb, or the options of one plug-in.
struct HelpArgs {
  std::string name;
  std::string python;
  JsonFlag json;
};

namespace {

using nlohmann::json;

constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

/// Runs a script of the Python part and returns its answer.
Result<json> ask_python(const std::string& script, const std::vector<std::string>& arguments,
                        const std::string& python, Terminal& terminal) {
  EP_TRY(const auto package, process::python_package());
  std::vector<std::string> words{process::python_interpreter(python),
                                 (package / "plugins" / script).string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  EP_TRY(const auto tool, run_tool(words, "", terminal.control()));
  if (tool.exit_code != 0)
    return Error{ErrorKind::kUsage, tool.last_words.empty() ? "the Python process ended with " +
                                                                  std::to_string(tool.exit_code)
                                                            : tool.last_words};
  json said = json::parse(tool.output, nullptr, /*allow_exceptions=*/false);
  if (!said.is_object())
    return Error{ErrorKind::kCorrupt, script + " gave an answer of another form"};
  return said;
}

std::string text_of(const json& value, std::size_t longest = 400) {
  return value.is_string() ? sanitized(value.get<std::string>(), longest) : value.dump();
}

std::string at(const json& row, const char* key) { return text_of(row.value(key, json(""))); }

json built_in_engines() {
  json rows = json::array();
  for (const engine::EngineKind& kind : engine::engine_kinds()) {
    if (kind.plugged) continue;
    json formats = json::array();
    for (const engine::FormatKind& format : engine::file_formats())
      if (kind.opens(format.id)) formats.push_back(format.extension);
    rows.push_back({{"kind", "engine"},
                    {"name", kind.name},
                    {"formats", formats},
                    {"source", kind.planned ? "built in; needs a plan" : "built in"}});
  }
  return rows;
}

/// Where a plug-in comes from, or what it lacks.
std::string source_of(const json& plugin) {
  const std::string package = at(plugin, "package"), version = at(plugin, "version");
  if (plugin.value("own", false) && version.empty() &&
      !engine::fetched_python(plugin.value("name", "")).empty())
    return "with package " + package + ", fetched";
  if (!plugin.value("own", false)) return "package " + package + " " + version;
  return version.empty() ? "needs package " + package : "with package " + package + " " + version;
}

/// Text of several lines, each after two blanks.
std::string indented(const std::string& text) {
  std::string out;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    const std::string line = sanitized(text.substr(start, end - start), 400);
    out += (line.empty() ? "" : "  " + line) + "\n";
    start = end + 1;
  }
  return out;
}

std::string value_text(const json& option) {
  if (option.contains("choices")) {
    std::vector<std::string> words;
    for (const json& choice : option["choices"]) words.push_back(text_of(choice));
    return edgeprobe::joined(words, " | ");
  }
  std::string type = at(option, "type");
  if (option.contains("least")) type += " >= " + option["least"].dump();
  if (option.contains("most"))
    type += (option.contains("least") ? ", <= " : " <= ") + option["most"].dump();
  return type;
}

void write_plugin(const std::string& name, const json& plugin, std::ostream& out) {
  const bool is_library = plugin.contains("version");
  out << name << ": " << at(plugin, "kind") << " plug-in, "
      << (is_library ? "version " + at(plugin, "version") + ", of "
                     : "class " + at(plugin, "class") + " of ")
      << at(plugin, "file") << "\n\n"
      << indented(plugin.value("help", ""));
  std::vector<std::string> formats;
  for (const json& format : plugin.value("formats", json::array()))
    formats.push_back(text_of(format));
  const bool compiles = plugin.contains("result");
  if (!formats.empty())
    out << (compiles ? "\nTakes " : "\nOpens ") << edgeprobe::joined(formats, ", ");
  if (const std::string result = at(plugin, "result"); !result.empty())
    out << (formats.empty() ? "\nWrites " : ", writes ") << result << "\n";
  else if (!formats.empty()) out << "\n";
  const json options = plugin.value("options", json::array());
  if (options.empty()) {
    out << "\nIt has no options.\n";
    return;
  }
  out << "\nOptions, as " << name << "?NAME=VALUE&NAME=VALUE\n";
  Columns columns("<<<<");
  for (const json& option : options) {
    const bool required = option.value("required", false);
    const std::string usual = required ? "required" : "default " + text_of(option["default"]);
    columns.add({"  " + at(option, "name"), value_text(option), usual, at(option, "help")});
  }
  columns.write(out);
}

}  // namespace

Result<Outcome> run(const ListArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {}));
  EP_TRY(const auto said, ask_python("list.py", {}, args.python, terminal));
  json rows = built_in_engines();
  for (const json& plugin : said.value("plugins", json::array())) {
    json row = plugin;
    row["source"] = source_of(plugin);
    rows.push_back(std::move(row));
  }
  const std::string kind = args.kind.empty() ? "" : args.kind.substr(0, args.kind.size() - 1);
  json chosen = json::array();
  for (json& row : rows)
    if (kind.empty() || row["kind"] == kind) chosen.push_back(std::move(row));
  if (args.names) {
    for (const json& row : chosen) {
      const std::string name = at(row, "name");
      // A shell must not find anything else in a name that a package chose.
      if (row.contains("own") && name.find_first_not_of(kPlain) == std::string::npos)
        terminal.out << (row.value("own", false) ? "" : "python:") << name << "\n";
    }
    return Outcome::kDone;
  }
  if (!args.json.wanted || !args.json.file.empty()) {
    Columns columns("<<<<");
    columns.add({"kind", "name", "opens", "from"});
    for (const json& row : chosen) {
      std::vector<std::string> formats;
      for (const json& format : row["formats"]) formats.push_back(text_of(format));
      columns.add({at(row, "kind"), at(row, "name"),
                   formats.empty() ? "-" : edgeprobe::joined(formats, " "), at(row, "source")});
    }
    columns.write(terminal.out);
    terminal.out << "Plug-ins of " << at(said, "python")
                 << "; a class of your own is FILE.py:CLASS (docs/extending.md)\n";
  }
  if (args.json.wanted)
    EP_CHECK(write_result(args.json,
                          json{{"python", said.value("python", "")}, {"rows", chosen}}.dump(
                              2, ' ', false, json::error_handler_t::replace),
                          terminal.out));
  return Outcome::kDone;
}

namespace {

/// A path of a shared library, "libmy.so" or "libmy.so.1": no verb or Python plug-in has such a
/// name.
bool is_library(const std::string& name) {
  const std::string file = std::filesystem::path(name).filename().string();
  return file.ends_with(".so") || file.find(".so.") != std::string::npos;
}

/// Shows a plug-in as `name`.
Status show(const std::string& name, const json& plugin, const JsonFlag& wanted,
            Terminal& terminal) {
  if (!wanted.wanted || !wanted.file.empty())
    write_plugin(sanitized(name, 200), plugin, terminal.out);
  if (wanted.wanted)
    EP_CHECK(write_result(wanted, plugin.dump(2, ' ', false, json::error_handler_t::replace),
                          terminal.out));
  return {};
}

}  // namespace

Result<Outcome> run(const HelpArgs& args, Terminal& terminal) {
  EP_CHECK(check_texts({{"--json", args.json.file}}, {args.name}));
  if (is_library(args.name)) {
    EP_TRY(const auto text, engine::native::describe_supervised(args.name));
    const json plugin = json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!plugin.is_object() || !plugin.contains("options"))
      return Error{ErrorKind::kTarget, "the engine process sent an invalid answer"};
    EP_CHECK(show(at(plugin, "name"), plugin, args.json, terminal));
    return Outcome::kDone;
  }
  std::vector<std::string> names;
  for (const Verb& verb : verbs()) names.emplace_back(verb.name);
  auto answer = ask_python("describe.py", {args.name}, args.python, terminal);
  const std::string near = closest_match(args.name, names);
  if (!answer && answer.error().kind == ErrorKind::kUsage && !near.empty())
    return Error{ErrorKind::kUsage, "'" + sanitized(args.name, 200) +
                                        "' is neither a verb nor a plug-in; did you mean '" + near +
                                        "'?"};
  EP_TRY(const auto plugin, std::move(answer));
  EP_CHECK(show(args.name, plugin, args.json, terminal));
  return Outcome::kDone;
}

namespace {

void add_interpreter(Parser& parser, std::string& python) {
  parser
      .option("--python", python,
              "The Python whose plug-ins are meant (default: $EDGEPROBE_PYTHON, else python3)")
      .type("PROGRAM");
}

}  // namespace

Work declare_list(Parser& parser) {
  auto args = std::make_shared<ListArgs>();
  parser
      .option("kind", args->kind,
              "engines | datasets | metrics | compilers | models (default: all)")
      .one_of({"engines", "datasets", "metrics", "compilers", "models"});
  parser.flag("--names", args->names,
              "Print only the names of plug-ins, one a line, as --engine and --data take them");
  add_interpreter(parser, args->python);
  add_json(parser, args->json);
  return work_of(args);
}

Work declare_help(Parser& parser) {
  auto args = std::make_shared<HelpArgs>();
  parser
      .option("name", args->name,
              "A verb, a plug-in that 'edgeprobe list' shows, FILE.py:CLASS, or LIB.so")
      .required();
  add_interpreter(parser, args->python);
  add_json(parser, args->json);
  return work_of(args);
}

}  // namespace edgeprobe::cli

// SPDX-License-Identifier: Apache-2.0
#include "engine/native/choice.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/text.h"
#include "engine/child.h"
#include "engine/kinds.h"
#include "engine/plugin_name.h"
#include "engine/target.h"

namespace edgeprobe::engine::native {
namespace {

/// "" for a library with a data set.
Result<std::string> name_of_engine(const std::filesystem::path& library) {
  EP_TRY(const auto text, describe_supervised(library));
  const auto said = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!said.is_object() || !said.contains("name") || !said["name"].is_string())
    return Error{ErrorKind::kTarget, "the engine process sent an invalid answer"};
  if (said.value("kind", "") != "engine") return std::string();
  std::string name = said["name"].get<std::string>();
  EP_CHECK(check_plugin_name(name, library));
  return name;
}

EngineChoice choice_of(const std::filesystem::path& library, const std::string& options) {
  std::error_code ignored;
  EngineChoice choice;
  choice.kind = kind_of(EngineId::kNative).name;
  choice.library = std::filesystem::absolute(library, ignored).native() + options;
  return choice;
}

}  // namespace

Result<std::string> describe_supervised(const std::filesystem::path& library) {
  EngineChoice choice;
  choice.kind = kind_of(EngineId::kNative).name;
  EP_TRY(auto child, Child::start(choice));
  wire::Writer request;
  request.text(library.native());
  EP_TRY(const auto reply,
         child->call(wire::Step::kDescribe, request.bytes(), -1, kImportLimit,
                     "opening plug-in '" + sanitized(library.string(), 300) + "'"));
  wire::Reader in(reply);
  std::string text = in.text();
  if (!in.ok()) return Error{ErrorKind::kTarget, "the engine process sent an invalid answer"};
  return text;
}

Result<EngineChoice> choice_among(const std::vector<std::string>& libraries,
                                  const std::string& engine) {
  const auto wrong = [](const std::string& what) { return Error{ErrorKind::kUsage, what}; };
  for (const std::string& library : libraries)
    if (library.empty() || library.find('?') != std::string::npos)
      return wrong("--plugin '" + sanitized(library, 300) +
                   "': expected the path of a library, without a question mark; options go to "
                   "--engine 'NAME?OPTION=VALUE'");
  if (engine.empty() && libraries.size() == 1) return choice_of(libraries.front(), "");
  std::vector<std::string> names;
  for (const std::string& library : libraries) {
    EP_TRY(auto name, name_of_engine(library));
    const auto twin = name.empty() ? names.end() : std::find(names.begin(), names.end(), name);
    if (twin != names.end())
      return wrong("--plugin '" + sanitized(library, 300) + "' and '" +
                   sanitized(libraries[static_cast<std::size_t>(twin - names.begin())], 300) +
                   "' both contain an engine '" + name + "'; give one of them");
    names.push_back(std::move(name));
  }
  if (engine.empty())
    return wrong("--plugin is given several times; choose one of their engines as --engine " +
                 joined(names, " or --engine "));
  const std::string word = engine.substr(0, engine.find('?'));
  const auto found = std::find(names.begin(), names.end(), word);
  if (found != names.end())
    return choice_of(libraries[static_cast<std::size_t>(found - names.begin())],
                     engine.substr(word.size()));
  auto other = engine_choice_from_text(engine);
  const std::string near = closest_match(word, names);
  if (!other && !near.empty())
    return wrong("engine '" + sanitized(word) + "' is unknown; did you mean '" + near + "'?");
  std::erase(names, "");
  if (!other && !names.empty()) other.error().what += "; --plugin has " + listed(names);
  return other;
}

DataChoice split_data(std::string_view text) {
  const std::string_view what = text.substr(0, text.find('?'));
  constexpr std::string_view kBetween = ".so:";
  const std::size_t at = what.rfind(kBetween);
  if (at == std::string_view::npos) return {};
  const std::size_t end = at + kBetween.size();
  return {std::string(what.substr(0, end - 1)), std::string(what.substr(end)),
          std::string(text.substr(std::min(what.size() + 1, text.size())))};
}

}  // namespace edgeprobe::engine::native

// SPDX-License-Identifier: Apache-2.0
#include "cli/convert/plugin_compiler.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/terminal/progress.h"
#include "core/text.h"
#include "engine/wire.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using engine::wire::Step;
using nlohmann::ordered_json;

constexpr std::size_t kLongestNote = 400;

/// The answer to kOpen in python/edgeprobe/plugins/compiler.py.
Result<PluginCompiler::About> about_from(const std::string& text, const std::string& title) {
  const auto said = ordered_json::parse(text, nullptr, /*allow_exceptions=*/false);
  const auto word = [&](const char* key, std::size_t longest = 100) {
    const auto at = said.find(key);
    return at != said.end() && at->is_string() ? sanitized(at->get<std::string>(), longest) : "";
  };
  if (!said.is_object() || !said.contains("options") || !said["options"].is_object() ||
      !said.contains("formats") || !said["formats"].is_array())
    return Error{ErrorKind::kTarget, title + ": its process sent an invalid answer"};
  PluginCompiler::About about{word("name"), word("version"), word("method"), word("place", 300),
                              {},           word("result"),  false,          {}};
  about.calibrates = said.value("calibrates", ordered_json(false)) == true;
  for (const auto& format : said["formats"])
    if (format.is_string()) about.formats.push_back(sanitized(format.get<std::string>(), 60));
  for (const auto& [name, value] : said["options"].items())
    if (value.is_string())
      about.options.emplace_back(sanitized(name, 100), sanitized(value.get<std::string>(), 300));
  return about;
}

}  // namespace

Result<PluginCompiler> PluginCompiler::open(const std::string& text, const std::string& python,
                                            std::chrono::milliseconds limit) {
  PluginCompiler compiler(text, limit);
  const std::string title = "compiler plug-in '" + sanitized(text, 300) + "'";
  EP_TRY(compiler.child_, engine::Child::start_plugin("compiler", python));
  engine::wire::Writer request;
  request.text(text);
  EP_TRY(const auto reply,
         compiler.child_->call(Step::kOpen, request.bytes(), -1, engine::kImportLimit, title));
  engine::wire::Reader in(reply);
  EP_TRY(compiler.about_, about_from(in.text(), title));
  return compiler;
}

Status PluginCompiler::check_files(const fs::path& model, const fs::path& out) const {
  const std::string extension = model.extension().string();
  const auto& formats = about_.formats;
  if (!formats.empty() && std::find(formats.begin(), formats.end(), extension) == formats.end())
    return Error{ErrorKind::kUsage, "'" + sanitized(model.string(), 200) + "': --to " +
                                        sanitized(text_, 200) + " takes " +
                                        edgeprobe::joined(formats, " or ") + " files"};
  const std::string wanted = about_.result.empty() ? extension : about_.result;
  if (out.extension() != wanted)
    return Error{ErrorKind::kUsage, "-o '" + sanitized(out.string(), 200) + "': --to " +
                                        sanitized(text_, 200) + " writes a " + wanted + " file"};
  return {};
}

Result<std::vector<std::string>> PluginCompiler::compile(const std::string& request,
                                                         Terminal& terminal) {
  // Nothing of it may write into the result once it has answered.
  const auto child = std::exchange(child_, nullptr);
  engine::wire::Writer asked;
  asked.text(request);
  const auto begin = process::Clock::now();
  const auto reply = [&] {
    const Progress progress(terminal, about_.method);
    return child->call(Step::kSample, asked.bytes(), -1, limit_, about_.method);
  }();
  if (!reply) {
    Error error = reply.error();
    if (error.kind == ErrorKind::kTarget && process::Clock::now() - begin >= limit_)
      error.what += "; --compile-limit gives it more time";
    return error;
  }
  engine::wire::Reader in(*reply);
  std::vector<std::string> notes;
  for (std::size_t left = in.count(); left > 0 && in.ok(); --left)
    notes.push_back(sanitized(in.text(), kLongestNote));
  if (!in.ok())
    return Error{ErrorKind::kTarget, about_.method + ": its process sent an invalid answer"};
  return notes;
}

}  // namespace edgeprobe::cli

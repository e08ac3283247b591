// SPDX-License-Identifier: Apache-2.0
#include "cli/options/trust.h"

#include <algorithm>
#include <cstdlib>

#include "core/text.h"
#include "engine/kinds.h"
#include "engine/native/choice.h"
#include "engine/options.h"
#include "engine/plugin.h"
#include "engine/target.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;

// An environment variable is the user's own choice.
bool is_named_by_variable(const fs::path& library) {
  std::error_code ignored;
  const auto kinds = engine::engine_kinds();
  return std::any_of(kinds.begin(), kinds.end(), [&](const engine::EngineKind& kind) {
    const char* const named = *kind.variable ? std::getenv(kind.variable) : nullptr;
    return named && *named && fs::equivalent(library, named, ignored);
  });
}

Status check_path(const fs::path& library, bool is_trusted, const std::string& holder) {
  if (library.empty() || is_trusted || is_named_by_variable(library)) return {};
  return Error{ErrorKind::kUsage,
               holder + " names the library '" + sanitized(library.string(), 300) +
                   "', and loading it runs its code: give --trust if you trust that file and its "
                   "author, or name the library by the engine's variable (edgeprobe doctor)"};
}

Status check_plugin(const std::string& plugin, bool is_trusted, const std::string& holder) {
  if (is_trusted) return {};
  return Error{ErrorKind::kUsage,
               holder + " names the plug-in '" + sanitized(plugin, 300) +
                   "', and using it runs its code: give --trust if you trust that class and its "
                   "author"};
}

Status check_delegate_of(const std::string& text, bool is_trusted, const std::string& holder) {
  const auto delegate = engine::delegate_from_text(text);
  // Invalid text is reported where it is parsed.
  return delegate ? check_path(delegate->library, is_trusted, holder) : Status();
}

// A plan is not a library: the libraries that it names are checked when it is opened, where invalid
// text is also reported.
Status check_engine_of(const std::string& text, bool is_trusted, const std::string& holder) {
  const auto choice = engine::engine_choice_from_text(text);
  const engine::EngineKind* const kind = choice ? engine::find_kind(choice->kind) : nullptr;
  if (kind && kind->plugged) {
    // A class of edgeprobe itself, without options.
    const auto& own = engine::own_plugins();
    if (std::find(own.begin(), own.end(), choice->library.string()) != own.end()) return {};
    return check_plugin(text, is_trusted, holder);
  }
  return kind && !kind->planned ? check_path(choice->library, is_trusted, holder) : Status();
}

}  // namespace

void add_trust(Parser& parser, bool& trust, const std::string& prefix, const std::string& group) {
  Argument flag =
      parser.flag("--" + prefix + "trust", trust,
                  "Load libraries named in a plan, a device file or a scenario; they are code");
  if (!group.empty()) flag.group(group);  // An empty group would hide the flag.
}

Status check_library(const std::string& engine, bool is_trusted, const fs::path& file) {
  return check_engine_of(engine, is_trusted, "'" + sanitized(file.string(), 300) + "'");
}

Status check_class(const std::string& text, bool is_trusted, const fs::path& file) {
  if (!engine::names_class(text) && engine::native::split_data(text).library.empty()) return {};
  return check_plugin(text, is_trusted, "'" + sanitized(file.string(), 300) + "'");
}

Status check_delegate(const std::string& text, bool is_trusted, const fs::path& file) {
  return check_delegate_of(text, is_trusted, "'" + sanitized(file.string(), 300) + "'");
}

Status check_custom_ops(const std::string& library, bool is_trusted, const fs::path& file) {
  return check_path(library, is_trusted, "'" + sanitized(file.string(), 300) + "'");
}

Status check_libraries(const std::vector<stretch::Processor>& processors, bool is_trusted,
                       const fs::path& file) {
  for (const stretch::Processor& processor : processors) {
    const std::string holder = "'" + sanitized(file.string(), 300) + "', processor '" +
                               sanitized(processor.name, 60) + "',";
    EP_CHECK(check_engine_of(processor.engine, is_trusted, holder));
    EP_CHECK(check_delegate_of(processor.delegate, is_trusted, holder));
  }
  return {};
}

Status check_plan_of(const engine::EngineChoice& engine, bool is_trusted) {
  const engine::EngineKind* const kind = engine::find_kind(engine.kind);
  if (!kind || !kind->planned) return {};
  const auto read = stretch::read_plan_file(engine.library);
  // A file of another kind is reported where it is opened.
  return read ? check_libraries(read->processors, is_trusted, engine.library) : Status();
}

}  // namespace edgeprobe::cli

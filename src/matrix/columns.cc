// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "engine/kinds.h"
#include "engine/target.h"
#include "matrix/matrix.h"

namespace edgeprobe::matrix {
namespace {

using engine::Capability;

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Column column(std::string name, engine::EngineChoice choice, const engine::SessionOptions& base) {
  Column made{std::move(name), std::move(choice), base};
  // A flag for the whole run applies to the engines that support it.
  const engine::EngineKind* const kind = engine::find_kind(made.engine.kind);
  if (kind && !kind->can(Capability::kPrecision))
    made.session.precision = engine::Precision::kFloat32;
  return made;
}

engine::OnnxRuntimeOptions with_level(const engine::SessionOptions& base,
                                      engine::Optimization level) {
  auto options = engine::own<engine::OnnxRuntimeOptions>(base);
  options.optimization = level;
  return options;
}

Status must_have(Capability capability, const char* what, const engine::EngineChoice& choice,
                 std::string_view text) {
  const engine::EngineKind* const kind = engine::find_kind(choice.kind);
  if (kind && kind->can(capability)) return {};
  const std::string only = listed(engine::engine_names(capability));
  return Error{ErrorKind::kUsage, "'" + sanitized(text) + "': only " + only +
                                      (only.find(' ') == std::string::npos ? " has " : " have ") +
                                      what};
}

/// The columns of an open engine: its kernel sets, or its optimisation levels.
std::vector<Column> columns_of(const engine::EngineKind& kind, const std::string& name,
                               const engine::EngineChoice& choice,
                               const std::vector<std::string>& abilities,
                               const engine::SessionOptions& base) {
  std::vector<Column> columns;
  for (const engine::Kernels kernels :
       {engine::Kernels::kXnnpack, engine::Kernels::kBuiltin, engine::Kernels::kReference}) {
    if (!holds(abilities, engine::name(kernels))) continue;
    columns.push_back(column(name + " " + engine::name(kernels), choice, base));
    columns.back().session.own = engine::TfliteOptions{kernels};
  }
  if (!columns.empty()) return columns;
  columns.push_back(column(name, choice, base));
  if (!kind.can(Capability::kOptimizationLevels)) return columns;
  columns.push_back(column(name + " off", choice, base));
  columns.back().session.own = with_level(base, engine::Optimization::kOff);
  return columns;
}

}  // namespace

std::vector<Column> default_columns(const std::string& format, const engine::SessionOptions& base,
                                    std::vector<std::string>& missing) {
  std::vector<Column> columns;
  for (const engine::EngineKind& kind : engine::engine_kinds()) {
    if (kind.planned || kind.plugged) continue;
    engine::EngineChoice choice;
    choice.kind = kind.name;
    const auto opened = engine::open_supervised(choice);
    if (!opened) {
      missing.push_back(choice.kind + ": " + opened.error().what);
      continue;
    }
    if (!kind.opens(format)) continue;
    for (Column& made :
         columns_of(kind, choice.kind, choice, (*opened)->identity().abilities, base))
      columns.push_back(std::move(made));
  }
  return columns;
}

Result<std::vector<Column>> target_columns(const std::string& address, const std::string& format,
                                           const engine::SessionOptions& base) {
  engine::EngineChoice choice;
  for (const engine::FormatKind& known : engine::file_formats())
    if (format == known.name) choice.kind = engine::kind_of(known.default_engine).name;
  choice.address = address;
  EP_TRY(const auto opened, engine::open_supervised(choice));
  const engine::EngineIdentity& identity = opened->identity();
  return columns_of(engine::kind_of(identity), "target", choice, identity.abilities, base);
}

Result<Column> column_from_text(std::string_view text, const engine::SessionOptions& base) {
  // The last part may be a kernel set or level, unless it is a library.
  const auto colon = text.rfind(':');
  const std::string_view last = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const auto kernels = engine::kernels_from_name(last);
  const auto level = engine::optimization_from_name(last);
  const bool how = kernels || level;
  EP_TRY(auto choice, engine::engine_choice_from_text(how ? text.substr(0, colon) : text));
  if (kernels) EP_CHECK(must_have(Capability::kKernelSets, "kernel sets", choice, text));
  if (level)
    EP_CHECK(must_have(Capability::kOptimizationLevels, "optimisation levels", choice, text));
  std::string name = choice.kind;
  if (!choice.library.empty()) name += " " + choice.library.filename().string();
  if (how) name += " " + std::string(last);
  Column made = column(std::move(name), std::move(choice), base);
  if (kernels) made.session.own = engine::TfliteOptions{kernels};
  if (level) made.session.own = with_level(base, *level);
  return made;
}

}  // namespace edgeprobe::matrix

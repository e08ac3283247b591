// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "core/text.h"
#include "matrix/matrix.h"

namespace edgeprobe::matrix {
namespace {

bool holds(const std::vector<std::string>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

Column column(std::string name, engine::EngineChoice choice, const engine::SessionOptions& base) {
  return {std::move(name), std::move(choice), base};
}

}  // namespace

std::vector<Column> usual_columns(const std::string& format, const engine::SessionOptions& base,
                                  std::vector<std::string>& missing) {
  std::vector<Column> columns;
  for (const std::string& kind : engine::engine_kinds()) {
    engine::EngineChoice choice;
    choice.kind = kind;
    const auto opened = engine::open_supervised(choice);
    if (!opened) {
      missing.push_back(kind + ": " + opened.error().what);
      continue;
    }
    const engine::EngineIdentity& identity = (*opened)->identity();
    if (!holds(identity.formats, format)) continue;
    bool several = false;
    for (const engine::Kernels kernels :
         {engine::Kernels::kXnnpack, engine::Kernels::kBuiltin, engine::Kernels::kReference}) {
      if (!holds(identity.abilities, engine::name(kernels))) continue;
      several = true;
      columns.push_back(column(kind + " " + engine::name(kernels), choice, base));
      columns.back().session.kernels = kernels;
    }
    if (several) continue;
    columns.push_back(column(kind, choice, base));
    if (kind != "onnxruntime") continue;
    columns.push_back(column(kind + " off", choice, base));
    columns.back().session.optimization = engine::Optimization::kOff;
  }
  return columns;
}

Result<Column> column_from_text(std::string_view text, const engine::SessionOptions& base) {
  // The last part may say how, unless it is a library.
  const auto colon = text.rfind(':');
  const std::string_view last = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  const auto kernels = engine::kernels_from_name(last);
  const auto level = engine::optimization_from_name(last);
  const bool how = kernels || level;
  auto choice = engine::engine_choice_from_text(how ? text.substr(0, colon) : text);
  if (!choice) return std::move(choice.error());
  const bool tflite = choice->kind == "tflite" || choice->kind == "litert";
  if (kernels && !tflite)
    return Error{Fault::kUsage,
                 "'" + printable(text) + "': only tflite and litert have kernel sets"};
  if (level && choice->kind != "onnxruntime")
    return Error{Fault::kUsage,
                 "'" + printable(text) + "': only onnxruntime has optimisation levels"};
  std::string name = choice->kind;
  if (!choice->library.empty()) name += " " + choice->library.filename().string();
  if (how) name += " " + std::string(last);
  Column made = column(std::move(name), *std::move(choice), base);
  if (kernels) made.session.kernels = kernels;
  if (level) made.session.optimization = *level;
  return made;
}

}  // namespace edgeprobe::matrix

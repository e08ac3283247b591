// SPDX-License-Identifier: Apache-2.0
#include "cli/fix/attempts.h"

#include <sstream>

#include "cli/fix/trial.h"
#include "core/text.h"
#include "diagnose/fix/standing.h"
#include "report/words/fix.h"

namespace edgeprobe::cli {

Result<std::optional<diagnose::Standing>> Attempts::check(diagnose::TriedFix what, const Judged& on,
                                                          const std::filesystem::path& model,
                                                          const std::string& recipe,
                                                          std::size_t most) {
  const auto verdict = try_model(on, model, recipe, false, most, terminal_);
  if (!verdict) {
    if (verdict.error().kind == ErrorKind::kInterrupted) return verdict.error();
    fix_.not_done.push_back("the result was not checked: " + sanitized(verdict.error().what, 400));
    return std::optional<diagnose::Standing>();
  }
  what.standing = fix::standing_of(*verdict);
  say(report::tried_text(what));
  fix_.tried.push_back(what);
  return std::optional(what.standing);
}

Result<std::filesystem::path> Attempts::make(const Requantizer& again,
                                             const std::vector<int>& layers,
                                             const std::filesystem::path& work) {
  std::filesystem::path out =
      work / ("m" + std::to_string(number_++) +
              (again.format() == model::Format::kOnnx ? ".onnx" : ".tflite"));
  std::ostringstream unheard;
  Terminal quiet{unheard, unheard, false, false, terminal_.stop};
  EP_TRY(const auto converted, again.quantize(layers, out, fix_.tool.empty() ? terminal_ : quiet));
  fix_.tool = converted.label();
  return out;
}

}  // namespace edgeprobe::cli

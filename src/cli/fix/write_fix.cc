// SPDX-License-Identifier: Apache-2.0
#include "cli/fix/write_fix.h"

#include <algorithm>
#include <sstream>

#include "cli/convert/converter.h"
#include "cli/fix/fix_folder.h"
#include "cli/fix/requantizer.h"
#include "cli/fix/trial.h"
#include "core/text.h"
#include "diagnose/fix/smallest_set.h"
#include "diagnose/fix/standing.h"
#include "diagnose/fix/suspects.h"
#include "report/fix_text.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using diagnose::Cause;
using diagnose::CauseKind;
using diagnose::CauseStatus;
using diagnose::FixFile;
using diagnose::Standing;
using diagnose::TriedFix;

constexpr std::size_t kMostTries = 24;
/// Samples of one trial; what is written is checked on all.
constexpr std::size_t kTrySamples = 200, kAll = std::size_t(-1);
/// Layers in float32 cost speed, so they have to bring back a tenth more.
constexpr double kWorthFloat = 0.1;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

bool is_confirmed(const Cause& cause) {
  return cause.status == CauseStatus::kConfirmed || cause.status == CauseStatus::kNearly;
}

/// Why quantising the reference again mends nothing; empty: it may.
std::string no_use(const Judged& judged) {
  const auto& causes = judged.verdict->causes;
  const auto only = [&](CauseKind kind) {
    return std::any_of(causes.begin(), causes.end(),
                       [&](const Cause& one) { return is_confirmed(one) && one.kind == kind; }) &&
           std::none_of(causes.begin(), causes.end(), [&](const Cause& one) {
             return is_confirmed(one) && one.stage != diagnose::CauseStage::kPreprocessing &&
                    one.kind != kind;
           });
  };
  if (only(CauseKind::kKernel))
    return "a kernel of the engine is at fault: no model file mends it; use another kernel or "
           "version of the engine";
  if (only(CauseKind::kOutputOrder))
    return "outputs are in each other's place: the app has to read them by name";
  if (only(CauseKind::kPrecision))
    return "the engine computes in less than float32: that is a setting of the engine, not of the "
           "file";
  if (only(CauseKind::kOtherModel))
    return "the target holds another model than the reference: convert the model that was meant";
  if (!judged.quantised)
    return "the target computes in real numbers: there is nothing to quantise again; convert the "
           "reference anew, or mend the layer that is named";
  return "";
}

bool has_input_fault(const diagnose::Verdict& verdict) {
  return std::any_of(verdict.causes.begin(), verdict.causes.end(), [](const Cause& one) {
    return is_confirmed(one) && one.stage == diagnose::CauseStage::kPreprocessing;
  });
}

/// The input is all that is at fault, as far as was found.
bool has_model_fault(const diagnose::Verdict& verdict) {
  return std::any_of(verdict.causes.begin(), verdict.causes.end(), [](const Cause& one) {
    return is_confirmed(one) && one.stage != diagnose::CauseStage::kPreprocessing;
  });
}

/// What is being written, step by step.
class Writing {
 public:
  Writing(const FixFlags& flags, const Judged& judged, Terminal& terminal, FixFolder& folder,
          diagnose::WrittenFix& fix)
      : flags_(flags), judged_(judged), terminal_(terminal), folder_(folder), fix_(fix) {}

  Status run() {
    const diagnose::Verdict& verdict = *judged_.verdict;
    if (verdict.outcome == diagnose::Outcome::kAgrees)
      return not_done("the target agrees with its reference: there is nothing to mend");
    base_ = fix_.before;
    if (has_input_fault(verdict))
      if (auto done = write_recipe(); !done) return done;
    const bool input_is_all = has_input_fault(verdict) && !has_model_fault(verdict);
    if (fix_.after && fix_.after->outcome == diagnose::Outcome::kAgrees) return {};
    if (input_is_all && !(fix_.after && judged_.quantised)) return {};
    if (const std::string why = no_use(judged_); !why.empty()) return not_done(why);
    return requantize();
  }

 private:
  Status not_done(const std::string& why) {
    fix_.not_done.push_back(why);
    return {};
  }
  Status no_help() {
    folder_.remove(FixFile::kCalibration);
    fix_.calibration_samples = 0;
    return not_done(
        "quantising again does not help, so neither the model nor its files are "
        "written; what was tried is listed");
  }
  void say(const std::string& text) { terminal_.err << "write-fix: " << text << "\n"; }

  /// A trial; nothing when it could not be made, which is said. Fails when stopped.
  Result<std::optional<diagnose::Verdict>> attempt(TriedFix what, const fs::path& model,
                                                   const std::string& recipe, bool layers,
                                                   std::size_t most) {
    auto verdict = try_model(judged_, model, recipe, layers, most, terminal_);
    if (!verdict) {
      if (verdict.error().kind == ErrorKind::kInterrupted) return std::move(verdict).error();
      fix_.not_done.push_back("the result was not checked: " +
                              sanitized(verdict.error().what, 400));
      return std::optional<diagnose::Verdict>();
    }
    what.standing = fix::standing_of(*verdict);
    say(report::tried_text(what));
    fix_.tried.push_back(std::move(what));
    return std::optional<diagnose::Verdict>(*std::move(verdict));
  }

  Status write_recipe() {
    const auto known = judged_.verdict->provenance.find("reference.recipe");
    if (known == judged_.verdict->provenance.end())
      return not_done("the reference's pre-processing is no recipe that could be written");
    const std::string recipe = judged_.integer_input ? with_quantize(known->second) : known->second;
    const std::string model =
        judged_.target ? judged_.target->model.string() : std::string("MODEL");
    if (auto done = folder_.write(FixFile::kRecipe, "recipe.txt", recipe + "\n",
                                  "edgeprobe run " + quoted(model) + " --recipe " +
                                      in_folder("recipe.txt") + " --data " +
                                      quoted(judged_.data.empty() ? "DATA" : judged_.data));
        !done)
      return done;
    if (!judged_.target || judged_.samples.empty() || !reference_spec(*judged_.reference))
      return not_done(
          "what the recipe restores was not measured: that takes the target's own model "
          "(--model), a reference model, and pictures");
    TriedFix what;
    what.recipe = true;
    auto tried = attempt(what, judged_.target->model, known->second, false, kAll);
    if (!tried) return std::move(tried).error();
    if (!*tried) return {};
    const Standing standing = fix_.tried.back().standing;
    if (!fix::helps(fix_.before, standing)) {
      folder_.remove(FixFile::kRecipe);
      return not_done("the reference's recipe alone does not help, so it is not written");
    }
    base_ = standing;
    settle(standing);
    return {};
  }

  Status requantize() {
    const pipeline::PipelineSpec* const spec = reference_spec(*judged_.reference);
    if (!spec)
      return not_done(
          "nothing was quantised again: that takes the reference's float model (--reference)");
    auto opened = Requantizer::open(*spec, flags_.python, terminal_.control());
    if (!opened) {
      if (opened.error().kind == ErrorKind::kInterrupted) return std::move(opened).error();
      return not_done("nothing was quantised again: " + sanitized(opened.error().what, 400));
    }
    const Requantizer& again = *opened;
    if (judged_.target) {
      model::FileBytes file;
      const auto graph = model::load(judged_.target->model, file);
      if (graph && graph->format != again.graph().format)
        return not_done("the target is a ." + sanitized(graph->format, 20) +
                        " file and the reference a ." + again.graph().format +
                        " one: name the float model that the target was made from");
    }
    if (judged_.samples.empty())
      return not_done("nothing was quantised again: no pictures are at hand to calibrate with");
    if (again.guessed_recipe())
      fix_.not_done.push_back(
          "no --reference-recipe was given: calibrated with the model's default, " +
          again.recipe());
    say("looking for samples that reach what the reference's layers reach");
    const auto names = opened->calibrate(judged_.samples, terminal_);
    if (!names) {
      if (names.error().kind == ErrorKind::kInterrupted) return names.error();
      return not_done("no samples were chosen for the calibration: " +
                      sanitized(names.error().what, 400));
    }
    fix_.calibration_samples = names->size();
    std::string list = "# Samples that calibrate, one name a line, relative to --data.\n";
    for (const std::string& name : *names) list += name + "\n";
    if (auto done = folder_.write(FixFile::kCalibration, "calibration.txt", list,
                                  convert_command(again, false));
        !done)
      return done;
    auto work = ScratchFolder::make();
    if (!work) return std::move(work).error();
    model_name_ = spec->model.stem().string() + "_int8" + spec->model.extension().string();
    work_ = work->path();
    return find_best(again);
  }

  /// The model with these layers in float32, at its place in the scratch folder.
  Result<fs::path> made(const Requantizer& again, const std::vector<int>& layers) {
    fs::path out =
        work_ / ("m" + std::to_string(number_++) + fs::path(model_name_).extension().string());
    std::ostringstream unheard;
    Terminal quiet{unheard, unheard, false, false, terminal_.stop};
    const auto converted = again.quantize(layers, out, fix_.tool.empty() ? terminal_ : quiet);
    if (!converted) return converted.error();
    fix_.tool = converted->tool;
    return out;
  }

  Status find_best(const Requantizer& again) {
    const auto first = made(again, {});
    if (!first) {
      if (first.error().kind == ErrorKind::kInterrupted) return first.error();
      return not_done(
          "the model was not quantised again, so the calibration list is not checked, and no layer "
          "was tried in float32: " +
          sanitized(first.error().what, 400));
    }
    const std::size_t few = judged_.samples.size() > kTrySamples ? kTrySamples : kAll;
    auto tried = attempt(what({}), *first, again.recipe(), false, few);
    if (!tried) return std::move(tried).error();
    if (!*tried) return {};
    const Standing plain = fix_.tried.back().standing;
    // What differs by a hair is not worth a search: no set could restore a tenth more.
    if (plain.outcome == diagnose::Outcome::kAgrees ||
        fix::restored_share(fix_.before, plain).value_or(0) > 1 - kWorthFloat)
      return keep(again, {}, *first, true, few);

    // What is still wrong is judged on the new model, not on the old one.
    auto left = try_model(judged_, *first, again.recipe(), true, few, terminal_);
    if (!left && left.error().kind == ErrorKind::kInterrupted) return std::move(left).error();
    std::vector<int> order = left ? fix::suspects(*left) : std::vector<int>();
    for (const int layer : fix::suspects(*judged_.verdict))
      if (std::find(order.begin(), order.end(), layer) == order.end()) order.push_back(layer);
    std::erase_if(
        order, [&](int layer) { return layer >= static_cast<int>(again.graph().layers.size()); });
    order.resize(std::min(order.size(), again.graph().layers.size() / 2));

    struct Best {
      Standing standing;
      fs::path model;
      std::vector<int> layers;
    } best{plain, *first, {}};
    const auto found =
        fix::smallest_set(order, kMostTries, [&](const std::vector<int>& layers) -> Result<bool> {
          if (terminal_.stopped()) return interrupted();
          const auto model = made(again, layers);
          if (!model) {
            if (model.error().kind == ErrorKind::kInterrupted) return model.error();
            say("left out: " + sanitized(model.error().what, 300));
            return false;
          }
          auto one = attempt(what(layers), *model, again.recipe(), false, few);
          if (!one) return std::move(one).error();
          if (!*one) return false;
          const Standing& standing = fix_.tried.back().standing;
          const bool enough = standing.outcome == diagnose::Outcome::kAgrees;
          const bool fewer = layers.size() < best.layers.size();
          if (enough ? best.standing.outcome != diagnose::Outcome::kAgrees || fewer
                     : fix::is_better(standing, best.standing))
            best = {standing, *model, layers};
          return enough;
        });
    if (!found) return found.error();
    if (!best.layers.empty() &&
        fix::restored_share(fix_.before, best.standing).value_or(0) <
            fix::restored_share(fix_.before, plain).value_or(0) + kWorthFloat)
      best = {plain, *first, {}};
    if (!fix::helps(base_, best.standing)) return no_help();
    return keep(again, best.layers, best.model, found->smallest || best.layers.empty(), few);
  }

  /// Writes the model, and the list of its layers in float32.
  Status keep(const Requantizer& again, const std::vector<int>& layers, const fs::path& model,
              bool smallest, std::size_t tried_on) {
    Standing standing = fix_.tried.back().standing;
    for (const TriedFix& one : fix_.tried)
      if (one.requantized && one.kept_float == layers) standing = one.standing;
    if (tried_on != kAll) {
      auto all = try_model(judged_, model, again.recipe(), false, kAll, terminal_);
      if (!all) return std::move(all).error();
      standing = fix::standing_of(*all);
    }
    if (!fix::helps(base_, standing)) return no_help();
    if (!layers.empty()) {
      fix_.kept_float = again.names_of(layers);
      fix_.smallest = smallest;
      if (auto done = folder_.write(FixFile::kKeepFloat, again.keep_float_file(),
                                    again.keep_float(layers), convert_command(again, true));
          !done)
        return done;
    }
    if (auto done = folder_.copy(FixFile::kModel, model, model_name_,
                                 convert_command(again, !layers.empty()));
        !done)
      return done;
    settle(standing);
    return {};
  }

  TriedFix what(const std::vector<int>& layers) const {
    TriedFix one;
    one.requantized = true;
    one.recipe = has_input_fault(*judged_.verdict);
    one.kept_float = layers;
    return one;
  }

  void settle(const Standing& standing) {
    fix_.after = standing;
    fix_.restored = fix::restored_share(fix_.before, standing);
  }

  std::string in_folder(const std::string& name) const {
    return quoted((folder_.path() / name).string());
  }
  std::string convert_command(const Requantizer& again, bool keeps) const {
    const fs::path& model = reference_spec(*judged_.reference)->model;
    return "edgeprobe convert " + quoted(model.string()) + " --to int8 --recipe " +
           quoted(again.recipe()) + " --data " +
           quoted(judged_.data.empty() ? "DATA" : judged_.data) + " --calibration " +
           in_folder("calibration.txt") +
           (keeps ? " --keep-float " + in_folder(again.keep_float_file()) : "") + " -o " +
           quoted("fixed" + model.extension().string());
  }

  const FixFlags& flags_;
  const Judged& judged_;
  Terminal& terminal_;
  FixFolder& folder_;
  diagnose::WrittenFix& fix_;
  Standing base_;  ///< Without what is tried next.
  fs::path work_;
  std::string model_name_;
  int number_ = 0;
};

}  // namespace

Result<diagnose::WrittenFix> write_fix(const FixFlags& flags, const Judged& judged,
                                       Terminal& terminal) {
  diagnose::WrittenFix fix;
  fix.folder = flags.folder;
  fix.before = fix::standing_of(*judged.verdict);
  FixFolder folder(flags.folder, fix);
  if (auto done = Writing(flags, judged, terminal, folder, fix).run(); !done) {
    if (done.error().kind != ErrorKind::kInterrupted) return std::move(done).error();
    fix.stopped = true;
    fix.not_done.push_back("stopped by the user: what was done until then is kept");
  }
  if (auto done = folder.finish(*judged.verdict); !done) return std::move(done).error();
  return fix;
}

}  // namespace edgeprobe::cli

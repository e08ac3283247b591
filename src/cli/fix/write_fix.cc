// SPDX-License-Identifier: Apache-2.0
#include "cli/fix/write_fix.h"

#include "cli/convert/converter.h"
#include "cli/fix/attempts.h"
#include "cli/fix/fix_folder.h"
#include "cli/fix/float_layers.h"
#include "cli/fix/mendable.h"
#include "cli/fix/requantizer.h"
#include "cli/fix/trial.h"
#include "core/text.h"
#include "diagnose/fix/calibration_choice.h"
#include "diagnose/fix/standing.h"
#include "report/words/fix.h"

namespace edgeprobe::cli {
namespace {

namespace fs = std::filesystem;
using diagnose::FixFile;
using diagnose::Standing;
using diagnose::TriedFix;

std::string shell_text(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

/// Writes a fix, step by step.
class Writing {
 public:
  Writing(const FixFlags& flags, const Judged& judged, Terminal& terminal, FixFolder& folder,
          diagnose::WrittenFix& fix)
      : flags_(flags),
        judged_(judged),
        used_(judged),
        held_(judged),
        terminal_(terminal),
        folder_(folder),
        fix_(fix),
        attempts_(terminal, fix) {
    fix::Split split = fix::split_samples(judged.samples.size());
    const auto take = [&](const std::vector<std::size_t>& which) {
      std::vector<dataset::Sample> some;
      for (const std::size_t i : which) some.push_back(judged.samples[i]);
      return some;
    };
    used_.samples = take(split.used);
    held_.samples = take(split.held_out);
  }

  Status run() {
    const diagnose::Verdict& verdict = *judged_.verdict;
    if (verdict.outcome == diagnose::Outcome::kAgrees)
      return not_done("the target agrees with its reference: there is nothing to fix");
    base_ = fix_.before;
    if (has_input_fault(verdict)) EP_CHECK(write_recipe());
    const bool input_is_all = has_input_fault(verdict) && !has_model_fault(verdict);
    if (fix_.after && fix_.after->outcome == diagnose::Outcome::kAgrees) return {};
    if (input_is_all && !(fix_.after && judged_.quantised)) return {};
    if (const std::string why = no_use_of_quantising(judged_); !why.empty()) return not_done(why);
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
  Status write_recipe() {
    const auto known = judged_.verdict->provenance.find("reference.recipe");
    if (known == judged_.verdict->provenance.end())
      return not_done("the reference's pre-processing is not a recipe, so it cannot be written");
    const std::string recipe = judged_.integer_input ? with_quantize(known->second) : known->second;
    const std::string model =
        judged_.target ? judged_.target->model.string() : std::string("MODEL");
    EP_CHECK(folder_.write(FixFile::kRecipe, "recipe.txt", recipe + "\n",
                           "edgeprobe run " + shell_text(model) + " --recipe " +
                               in_folder("recipe.txt") + " --data " +
                               shell_text(judged_.data.empty() ? "DATA" : judged_.data)));
    if (!judged_.target || judged_.samples.empty() || !reference_spec(*judged_.reference))
      return not_done(
          "what the recipe restores was not measured: that takes the target's own model "
          "(--model), a reference model, and pictures");
    TriedFix what;
    what.recipe = true;
    EP_TRY(const auto tried,
           attempts_.check(what, judged_, judged_.target->model, known->second, kAllSamples));
    if (!tried) return {};
    const Standing& standing = *tried;
    if (!fix::helps(fix_.before, standing)) {
      folder_.remove(FixFile::kRecipe);
      return not_done("the reference's recipe by itself does not help, so it is not written");
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
    attempts_.say("looking for samples that reach what the reference's layers reach");
    const auto names = opened->calibrate(used_.samples, terminal_);
    if (!names) {
      if (names.error().kind == ErrorKind::kInterrupted) return names.error();
      return not_done("no samples were chosen for the calibration: " +
                      sanitized(names.error().what, 400));
    }
    fix_.calibration_samples = names->size();
    std::string list = "# Samples that calibrate, one name a line, relative to --data.\n";
    for (const std::string& name : *names) list += name + "\n";
    EP_CHECK(folder_.write(FixFile::kCalibration, "calibration.txt", list,
                           convert_command(again, false)));
    EP_TRY(auto work, ScratchFolder::make());
    model_name_ = spec->model.stem().string() + "_int8" + spec->model.extension().string();
    work_ = work.path();
    return find_best(again);
  }

  Status find_best(const Requantizer& again) {
    TriedFix what;
    what.requantized = true;
    what.recipe = has_input_fault(*judged_.verdict);
    const auto found = find_float_layers(again, used_, fix_.before, what, work_, attempts_);
    if (!found) {
      if (found.error().kind == ErrorKind::kInterrupted) return found.error();
      return not_done(
          "the model was not quantised again, so the calibration list is not checked, and no layer "
          "was tried in float32: " +
          sanitized(found.error().what, 400));
    }
    if (!*found) return {};
    return fix::helps(base_, (*found)->standing) ? keep(again, **found) : no_help();
  }

  /// Writes the model, and the list of its layers in float32.
  Status keep(const Requantizer& again, const FloatLayers& best) {
    Standing standing = best.standing;
    if (used_.samples.size() < judged_.samples.size() || used_.samples.size() > kTrySamples) {
      EP_TRY(const auto all,
             try_model(judged_, best.model, again.recipe(), false, kAllSamples, terminal_));
      standing = fix::standing_of(all);
    }
    if (!fix::helps(base_, standing)) return no_help();
    if (!held_.samples.empty()) EP_CHECK(measure_held_out(again, best));
    if (!best.layers.empty()) {
      fix_.kept_float = again.names_of(best.layers);
      fix_.smallest = best.smallest;
      EP_CHECK(folder_.write(FixFile::kKeepFloat, again.keep_float_file(),
                             again.keep_float(best.layers), convert_command(again, true)));
    }
    EP_CHECK(folder_.copy(FixFile::kModel, best.model, model_name_,
                          convert_command(again, !best.layers.empty())));
    settle(standing);
    return {};
  }

  /// Measures, before and after, on samples used neither to calibrate nor to choose layers.
  Status measure_held_out(const Requantizer& again, const FloatLayers& best) {
    diagnose::HeldOut held;
    held.samples = held_.samples.size();
    EP_TRY(const auto after,
           try_model(held_, best.model, again.recipe(), false, kAllSamples, terminal_));
    held.after = fix::standing_of(after);
    if (judged_.target) {
      EP_TRY(const auto before, try_target(held_, terminal_));
      held.before = fix::standing_of(before);
    }
    fix_.held_out = held;
    return {};
  }

  void settle(const Standing& standing) {
    fix_.after = standing;
    fix_.restored = fix::restored_share(fix_.before, standing);
  }

  std::string in_folder(const std::string& name) const {
    return shell_text((folder_.path() / name).string());
  }
  std::string convert_command(const Requantizer& again, bool keeps) const {
    const fs::path& model = reference_spec(*judged_.reference)->model;
    return "edgeprobe convert " + shell_text(model.string()) + " --to int8 --recipe " +
           shell_text(again.recipe()) + " --data " +
           shell_text(judged_.data.empty() ? "DATA" : judged_.data) + " --calibration " +
           in_folder("calibration.txt") +
           (keeps ? " --keep-float " + in_folder(again.keep_float_file()) : "") + " -o " +
           shell_text("fixed" + model.extension().string());
  }

  const FixFlags& flags_;
  const Judged& judged_;
  Judged used_, held_;  ///< Samples to calibrate and choose with, and samples only for judging.
  Terminal& terminal_;
  FixFolder& folder_;
  diagnose::WrittenFix& fix_;
  Attempts attempts_;
  Standing base_;  ///< State before the next attempt.
  fs::path work_;
  std::string model_name_;
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
  EP_CHECK(folder.finish(*judged.verdict));
  return fix;
}

}  // namespace edgeprobe::cli

// SPDX-License-Identifier: Apache-2.0
#include "report/text/tables.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "bisect/bisected.h"
#include "core/index.h"
#include "core/text.h"

namespace edgeprobe::report {
namespace {

using bisect::Bisected;
using bisect::Certainty;
using bisect::Wrong;
using nlohmann::ordered_json;

constexpr double kUnbounded = 1e5;

std::string times(double excess) {
  return excess >= 1e8 ? "without bound" : number(excess, 3) + " times its limit";
}

std::string apart(double gap) {
  return gap >= kUnbounded ? "the outputs are not finite, or do not compare"
                           : "output NRMSE " + number(gap, 3);
}

std::string where(const Bisected& bisected, const Wrong& wrong) {
  std::string text = bisected.units[at(wrong.first)].text;
  if (wrong.first != wrong.last) text += " to " + bisected.units[at(wrong.last)].text;
  return text;
}

std::string how(const Wrong& wrong) {
  if (!wrong.refused.empty())
    return std::string(wrong.certainty == Certainty::kAlone ? "alone" : "inside the model") +
           " the device gives nothing: " + sanitized(wrong.refused, 200);
  std::string text;
  switch (wrong.certainty) {
    case Certainty::kAlone: text = "alone, on the host's tensors, off by "; break;
    case Certainty::kTogether: text = "together (each alone is right) off by "; break;
    case Certainty::kInside: text = "wrong only inside the model; off by "; break;
  }
  text += times(wrong.excess) + "; " + apart(wrong.gap);
  if (wrong.same_type > 0)
    text += "; " + std::to_string(wrong.same_type) + " other tried of its type likewise";
  return text;
}

std::string headline(const Bisected& bisected) {
  const bisect::Found& found = bisected.found;
  const std::string runs = std::to_string(found.runs.size()) + " device runs, " +
                           std::to_string(bisected.units.size()) + " operators";
  switch (found.outcome) {
    case bisect::Outcome::kEqual:
      return "On these inputs the outputs equal the host's: no fault reaches them (" + runs + ")";
    case bisect::Outcome::kDrifts:
      return "No single operator stands out; the outputs drift: " + apart(found.gap) +
             ". Less precise arithmetic, rounding that adds up, or many wrong operators (" + runs +
             ")";
    case bisect::Outcome::kOpen: return "Undecided (" + runs + ")";
    case bisect::Outcome::kFound: break;
  }
  std::string text = found.wrong.size() == 1
                         ? "First wrong operator: " + where(bisected, found.wrong.front())
                         : std::to_string(found.wrong.size()) + " wrong operators, the first: " +
                               where(bisected, found.wrong.front());
  return text + " (" + runs + ")";
}

std::string repair_text(const bisect::Found& found) {
  if (!found.repaired_gap) return "not measured";
  if (found.repaired) return "with the host's results in their place the outputs are the host's";
  return "with the host's results in their place, measured: " + apart(*found.repaired_gap) +
         " is left; no other single operator was found";
}

std::string engine_text(const engine::EngineIdentity& engine) {
  return engine.kind + " " + engine.version + (engine.library.empty() ? "" : ", ") +
         sanitized(engine.library.filename().string(), 80);
}

ordered_json engine_json(const engine::EngineIdentity& engine) {
  return {{"kind", engine.kind},
          {"version", engine.version},
          {"library", sanitized(engine.library.string(), 400)},
          {"sha256", engine.sha256}};
}

ordered_json finite(double value) {
  return std::isfinite(value) && value < 1e6 ? ordered_json(value) : ordered_json(nullptr);
}

}  // namespace

std::string bisect_text(const Bisected& bisected) {
  const bisect::Found& found = bisected.found;
  std::string text = headline(bisected) + "\n";
  text += "  device  " + engine_text(bisected.device);
  for (const evidence::DelegateFile& delegate : bisected.delegates)
    text += " with " + sanitized(delegate.name, 80);
  text += "\n";
  text += "  host    " + engine_text(bisected.host) + "\n";
  text += "  inputs  " + counted(bisected.frames, "frame") + ", " + bisected.inputs + "\n";
  for (const Wrong& wrong : found.wrong)
    text += "  wrong   " + where(bisected, wrong) + ": " + how(wrong) + "\n";
  if (!found.wrong.empty()) text += "  repair  " + repair_text(found) + "\n";
  if (found.tried_alone > 0)
    text += "  others  " + std::to_string(found.beyond_alone) + " of " +
            std::to_string(found.tried_alone) + " other operators tried alone are off as well\n";
  if (!bisected.not_shown.empty()) {
    const bisect::NotShown& first = bisected.not_shown.front();
    text += "  not shown '" + sanitized(first.name, 60) + "' (" + sanitized(first.type, 40) + ")" +
            (bisected.not_shown.size() == 1
                 ? " by the host"
                 : " and " + std::to_string(bisected.not_shown.size() - 1) + " more by the host") +
            "; the operators around it are one here: " + sanitized(first.reason, 300) + "\n";
  }
  for (const std::string& note : found.notes) text += "  note    " + sanitized(note, 300) + "\n";
  for (const bisect::Written& written : bisected.written)
    text += written.file.empty()
                ? "  evidence none for " + where(bisected, found.wrong[written.wrong]) + ": " +
                      sanitized(written.incomplete, 300) + "\n"
                : "  evidence " + sanitized(written.file, 200) + ", " +
                      bytes_text(static_cast<double>(written.bytes)) +
                      (written.incomplete.empty() ? "" : " (" + written.incomplete + ")") + "\n";
  return text;
}

std::string bisect_json(const Bisected& bisected) {
  const bisect::Found& found = bisected.found;
  ordered_json json;
  json["model"] = sanitized(bisected.model, 200);
  json["sha256"] = bisected.sha256;
  json["outcome"] = bisect::name(found.outcome);
  json["device"] = engine_json(bisected.device);
  json["delegates"] = ordered_json::array();
  for (const evidence::DelegateFile& delegate : bisected.delegates)
    json["delegates"].push_back(
        {{"library", sanitized(delegate.name, 400)}, {"sha256", delegate.sha256}});
  json["host"] = engine_json(bisected.host);
  json["inputs"] = bisected.inputs;
  json["frames"] = bisected.frames;
  json["operators"] = bisected.units.size();
  json["device_runs"] = found.runs.size();
  if (found.runs_to_first > 0) json["device_runs_to_first"] = found.runs_to_first;
  json["output_nrmse"] = finite(found.gap);
  json["output_nrmse_repaired"] =
      found.repaired_gap ? finite(*found.repaired_gap) : ordered_json(nullptr);
  json["repaired"] = found.repaired;
  json["stopped"] = found.stopped;
  json["wrong"] = ordered_json::array();
  for (const Wrong& wrong : found.wrong) {
    const bisect::UnitName& unit = bisected.units[at(wrong.first)];
    ordered_json one;
    one["layer"] = unit.layer;
    one["layers"] = {unit.first, bisected.units[at(wrong.last)].last};
    if (!unit.joined.empty()) one["joined"] = unit.joined;
    one["type"] = sanitized(unit.type, 80);
    one["output"] = sanitized(unit.output, 200);
    one["certainty"] = bisect::name(wrong.certainty);
    one["error_over_limit"] = wrong.refused.empty() ? finite(wrong.excess) : ordered_json(nullptr);
    one["output_nrmse"] = wrong.refused.empty() ? finite(wrong.gap) : ordered_json(nullptr);
    if (!wrong.refused.empty()) one["refused"] = sanitized(wrong.refused, 400);
    one["same_type"] = wrong.same_type;
    json["wrong"].push_back(std::move(one));
  }
  json["tried_alone"] = found.tried_alone;
  json["beyond_alone"] = found.beyond_alone;
  json["runs"] = ordered_json::array();
  for (const bisect::Run& run : found.runs) {
    ordered_json one;
    one["layers"] = {bisected.units[at(run.from)].first, bisected.units[at(run.to - 1)].last};
    one["error_over_limit"] = finite(run.excess);
    one["output_nrmse"] = finite(run.gap);
    if (!run.refused.empty()) one["refused"] = sanitized(run.refused, 400);
    json["runs"].push_back(std::move(one));
  }
  json["not_captured"] = ordered_json::array();
  for (const bisect::NotShown& missing : bisected.not_shown)
    json["not_captured"].push_back({{"layer", missing.layer},
                                    {"name", sanitized(missing.name, 200)},
                                    {"type", sanitized(missing.type, 80)},
                                    {"reason", sanitized(missing.reason, 400)}});
  json["notes"] = ordered_json::array();
  for (const std::string& note : found.notes) json["notes"].push_back(sanitized(note, 400));
  json["evidence"] = ordered_json::array();
  for (const bisect::Written& written : bisected.written) {
    ordered_json one;
    one["wrong"] = written.wrong;
    one["file"] = sanitized(written.file, 400);
    one["bytes"] = written.bytes;
    one["device_runs"] = written.runs;
    if (!written.incomplete.empty()) one["incomplete"] = sanitized(written.incomplete, 400);
    json["evidence"].push_back(std::move(one));
  }
  return json.dump(2) + "\n";
}

}  // namespace edgeprobe::report

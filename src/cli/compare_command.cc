#include "cli/compare_command.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/overwrite.h"
#include "cli/progress.h"
#include "cli/temporary.h"
#include "compare/agreement.h"
#include "compare/golden/golden.h"
#include "compare/names.h"
#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::cli {
namespace {

using compare::Agreement;
using compare::ClassAgreement;
using compare::LayerAgreement;
using nlohmann::ordered_json;

struct Decision {
  Outcome outcome = Outcome::kUndecided;
  std::string headline;
  double floor = 0;
  std::optional<double> distance;
  std::string distance_kind;
};

bool integers(const Agreement& agreement) {
  return std::any_of(agreement.layers.begin(), agreement.layers.end(), [](const LayerAgreement& layer) {
    return layer.stage != trace::Stage::kIntermediate &&
           (size_of(layer.reference_dtype) == 1 || size_of(layer.target_dtype) == 1);
  });
}

// Not-finite values on one side only are a difference at any floor.
bool broken_values(const Agreement& agreement) {
  return std::any_of(agreement.layers.begin(), agreement.layers.end(),
                     [](const LayerAgreement& layer) { return layer.moments.non_finite_mismatch + layer.moments.overflow > 0; });
}

Decision decide(const Agreement& agreement, const CompareArgs& args) {
  Decision decision;
  decision.floor = args.floor.value_or(compare::output_floor(integers(agreement), agreement.frames.size()));
  decision.distance = agreement.output_distance;
  decision.distance_kind = "mean output distance (" + std::string(name(agreement.output_distance_kind)) + ")";
  if (!decision.distance) {
    for (const LayerAgreement& layer : agreement.layers)
      if (layer.distances.relative_l2 && layer.distances.relative_l2 > decision.distance) decision.distance = layer.distances.relative_l2;
    decision.distance_kind = "largest relative L2 of a tensor";
  }
  if (agreement.joined_by == compare::JoinedBy::kNothing) {
    decision.headline = "undecided: the traces have no frame in common (record the same samples, or use --by-frame-number)";
    return decision;
  }
  if (agreement.layers.empty()) {
    decision.headline = "undecided: no tensor could be paired (record both with the same --level)";
    return decision;
  }
  const std::string frames = std::to_string(agreement.frames.size()) + (agreement.frames.size() == 1 ? " frame" : " frames");
  if (agreement.interrupted) {
    decision.headline = "undecided: interrupted after " + frames;
    return decision;
  }
  for (const compare::CrossedOutputs& crossed : agreement.crossed)
    if (crossed.mistake) {
      decision.outcome = Outcome::kDiffers;
      decision.headline = "differs: the outputs '" + printable(crossed.first, 60) + "' and '" + printable(crossed.second, 60) +
                          "' stand in each other's place in the target";
      return decision;
    }
  if (agreement.exact) {
    decision.outcome = Outcome::kDone;
    const std::size_t count = agreement.layers.size();
    decision.headline = std::string("exact: ") + (count == 1 ? "the only tensor is" : "all " + std::to_string(count) + " tensors are") + " equal in " + frames;
    return decision;
  }
  const auto& classes = agreement.classes;
  if (broken_values(agreement)) {
    decision.outcome = Outcome::kDiffers;
    decision.headline = "differs: NaN or infinite values on one side only";
  } else if (classes && classes->p_value <= 0.05 && classes->target_right < classes->reference_right) {
    decision.outcome = Outcome::kDiffers;
    decision.headline = "differs: the target loses accuracy (p = " + number(classes->p_value, 2) + ")";
  } else if (!decision.distance || *decision.distance > decision.floor) {
    decision.outcome = Outcome::kDiffers;
    decision.headline = decision.distance ? "differs: " + decision.distance_kind + " " + number(*decision.distance, 3) +
                                                ", above the floor of " + number(decision.floor, 2)
                                          : "differs: no distance can be given";
  } else {
    decision.outcome = Outcome::kDone;
    decision.headline = "agrees: " + decision.distance_kind + " " + number(*decision.distance, 3) + ", below the floor of " +
                        number(decision.floor, 2);
  }
  return decision;
}

std::string cell(const std::optional<double>& value, int digits = 3) { return value ? number(*value, digits) : "-"; }

std::string share_text(std::uint64_t part, std::uint64_t all, task::Interval ci) {
  return percent(static_cast<double>(part) / static_cast<double>(all)) + " (" + std::to_string(part) + " of " + std::to_string(all) +
         ", 95 % interval " + percent(ci.low) + " to " + percent(ci.high) + ")";
}

// The farthest first, unless all are wanted: those stay in execution order.
std::vector<const LayerAgreement*> shown_layers(const Agreement& agreement, const CompareArgs& args) {
  std::vector<const LayerAgreement*> layers;
  for (const LayerAgreement& layer : agreement.layers) layers.push_back(&layer);
  if (!args.layers.empty()) return layers;
  const auto rank = [](const LayerAgreement* layer) {
    return layer->moments.non_finite_mismatch > 0 ? 1e300 : layer->distances.rmse_over_range.value_or(0);
  };
  std::stable_sort(layers.begin(), layers.end(), [&](const auto* a, const auto* b) { return rank(a) > rank(b); });
  layers.resize(std::min(layers.size(), args.top));
  return layers;
}

std::string padded(const std::string& text, std::size_t width, bool right) {
  const auto shown = static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
  const std::string space(width > shown ? width - shown : 0, ' ');
  return right ? space + text : text + space;
}

void write_layers(std::ostream& out, const Agreement& agreement, const CompareArgs& args) {
  const auto layers = shown_layers(agreement, args);
  if (layers.empty() || (agreement.exact && args.layers.empty())) return;
  out << "\n" << (args.layers.empty() ? "Farthest tensors by rMSE/range" : "Tensors in execution order") << "\n";
  std::vector<std::vector<std::string>> rows{{"#", "layer", "rMSE/range", "SNR dB", "cosine", "max abs", "worst channel", "name"}};
  for (const LayerAgreement* layer : layers) {
    const compare::Distances& d = layer->distances;
    const std::uint64_t bad = layer->moments.non_finite_mismatch;
    rows.push_back({layer->position >= 0 ? std::to_string(layer->position) : "",
                    layer->stage == trace::Stage::kLayer && !layer->type.empty() ? printable(layer->type, 24) : trace::name(layer->stage),
                    d.exact ? "exact" : cell(d.rmse_over_range), cell(d.snr_db), cell(d.cosine, 6), cell(d.max_abs),
                    layer->worst_channel ? std::to_string(*layer->worst_channel) + " (" + percent(*layer->worst_channel_share, 0) + ")" : "-",
                    printable(layer->name, 48) + (bad ? "  [" + std::to_string(bad) + " NaN/Inf differ]" : "")});
  }
  constexpr bool kRight[] = {true, false, true, true, true, true, true, false};
  std::vector<std::size_t> width(rows[0].size());
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) width[i] = std::max(width[i], row[i].size());
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) line += "  " + padded(row[i], width[i], kRight[i]);
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << "\n";
  }
}

void write_names(std::ostream& out, const char* title, const std::vector<std::string>& names) {
  if (names.empty()) return;
  out << "  " << title << ":";
  const std::size_t shown = std::min<std::size_t>(names.size(), 8);
  for (std::size_t i = 0; i < shown; ++i) out << (i ? ", " : " ") << printable(names[i], 48);
  if (names.size() > shown) out << " and " << names.size() - shown << " more";
  out << "\n";
}

std::string quoted(const std::vector<std::string>& patterns) {
  std::string text;
  for (const std::string& pattern : patterns) text += (text.empty() ? "'" : ", '") + printable(pattern, 60) + "'";
  return text;
}

// The first of the named stages and the model input that is off by more than rounding (one step of 255, RMS), in the
// reference's order; nothing when the traces have no stage in common, or none is.
const LayerAgreement* first_stage(const Agreement& agreement) {
  const auto of_input = [](const LayerAgreement& l) { return l.stage == trace::Stage::kIntermediate || l.stage == trace::Stage::kModelInput; };
  const auto named = [](const LayerAgreement& l) { return l.stage == trace::Stage::kIntermediate; };
  if (std::none_of(agreement.layers.begin(), agreement.layers.end(), named)) return nullptr;
  for (const LayerAgreement& layer : agreement.layers) {
    if (!of_input(layer)) continue;
    const auto& d = layer.distances;
    const bool rounding = d.exact || (d.rmse_over_range && *d.rmse_over_range * 255 < 1);
    if (!rounding || (named(layer) && layer.frames < agreement.frames.size())) return &layer;
  }
  return nullptr;
}

void write_text(std::ostream& out, const Agreement& agreement, const Decision& decision, const CompareArgs& args) {
  out << decision.headline << "\n\n";
  out << "  frames    " << agreement.frames.size() << " joined by " << name(agreement.joined_by) << " (reference "
      << agreement.frames_reference << ", target " << agreement.frames_target << ")\n";
  out << "  tensors   " << agreement.tensors_matched << " paired (reference " << agreement.tensors_reference << ", target "
      << agreement.tensors_target << "), coverage " << percent(agreement.coverage) << "\n";
  if (!args.layers.empty())
    out << "  layers    " << agreement.layers_chosen << " of " << agreement.layers_paired << " paired layers fit " << quoted(args.layers) << "\n";
  if (!args.golden.empty()) out << "  layers    not compared, nor the model input: golden outputs hold none\n";
  if (const LayerAgreement* stage = first_stage(agreement))
    out << "  stages    " << (stage->stage == trace::Stage::kModelInput ? "the model input" : "'" + printable(stage->name, 60) + "'") << " is the first that differs\n";
  if (agreement.raw_compared > 0)
    out << "  raw input " << agreement.raw_equal << " of " << agreement.raw_compared << " equal\n";
  if (agreement.output_distance) {
    out << "  outputs   mean distance " << number(*agreement.output_distance, 3) << " (" << name(agreement.output_distance_kind);
    if (agreement.output_distance_ci95)
      out << ", 95 % interval " << number(agreement.output_distance_ci95->low, 3) << " to " << number(agreement.output_distance_ci95->high, 3);
    out << ")\n";
  }
  for (const compare::CrossedOutputs& crossed : agreement.crossed)
    out << "            " << (crossed.mistake ? "SWAPPED: " : "in another order: ") << "'" << printable(crossed.first, 60) << "' is the target's '"
        << printable(crossed.first_target, 60) << "', '" << printable(crossed.second, 60) << "' its '" << printable(crossed.second_target, 60) << "'\n";
  if (agreement.classes) {
    const ClassAgreement& c = *agreement.classes;
    out << "  top-1     same class in " << share_text(c.same_top1, c.n, c.agreement_ci95) << "\n";
    if (c.k > 1) out << "  top-" << c.k << "     same set in " << percent(static_cast<double>(c.same_top_k) / static_cast<double>(c.n)) << "\n";
    if (c.labelled > 0) {
      out << "  accuracy  reference " << share_text(c.reference_right, c.labelled, c.reference_ci95) << "\n";
      out << "            target    " << share_text(c.target_right, c.labelled, c.target_ci95) << "\n";
      out << "            difference " << number(100 * (static_cast<double>(c.target_right) - static_cast<double>(c.reference_right)) /
                                                 static_cast<double>(c.labelled), 3)
          << " points (95 % interval " << number(100 * c.difference_ci95.low, 3) << " to " << number(100 * c.difference_ci95.high, 3)
          << ", McNemar p = " << number(c.p_value, 2) << ")\n";
      if (c.samples_to_decide)
        out << "            not told from chance; about " << *c.samples_to_decide << " samples would\n";
    }
  }
  write_names(out, "only in the reference", agreement.unmatched_reference);
  if (args.golden.empty()) write_names(out, "only in the target", agreement.unmatched_target);
  for (const auto& [reference, target] : agreement.groups) {
    write_names(out, "fused, reference", reference);
    write_names(out, "     with target", target);
  }
  write_layers(out, agreement, args);
}

template <class T>
ordered_json json_of(const std::optional<T>& value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json json_of(const task::Interval& interval) { return ordered_json::array({interval.low, interval.high}); }

ordered_json json_of(const LayerAgreement& layer) {
  const compare::Distances& d = layer.distances;
  const compare::Moments& m = layer.moments;
  return {{"stage", trace::name(layer.stage)}, {"position", layer.position}, {"name", layer.name}, {"target_name", layer.target_name},
          {"type", layer.type}, {"shape", layer.shape}, {"matched_by", name(layer.how)}, {"transposed", layer.transposed},
          {"frames", layer.frames}, {"exact", d.exact}, {"rmse", json_of(d.rmse)}, {"mae", json_of(d.mae)}, {"max_abs", json_of(d.max_abs)},
          {"max_index", m.max_index}, {"rmse_over_range", json_of(d.rmse_over_range)}, {"snr_db", json_of(d.snr_db)},
          {"psnr_db", json_of(d.psnr_db)}, {"cosine", json_of(d.cosine)}, {"pearson", json_of(d.pearson)},
          {"nse_error", json_of(d.nse_error)}, {"relative_l2", json_of(d.relative_l2)}, {"gain", json_of(d.gain)}, {"offset", json_of(d.offset)},
          {"elements", m.n}, {"equal", m.equal}, {"nan_reference", m.nan_r}, {"nan_target", m.nan_t}, {"inf_reference", m.inf_r},
          {"inf_target", m.inf_t}, {"non_finite_mismatch", m.non_finite_mismatch}, {"worst_channel", json_of(layer.worst_channel)},
          {"worst_channel_share", json_of(layer.worst_channel_share)}, {"worst_frame", layer.worst_frame}};
}

ordered_json json_of(const ClassAgreement& c) {
  const bool labelled = c.labelled > 0;
  const auto share = [](std::uint64_t part, std::uint64_t all) {
    return all > 0 ? ordered_json(static_cast<double>(part) / static_cast<double>(all)) : ordered_json(nullptr);
  };
  return {{"output", c.output}, {"n", c.n}, {"top1_agreement", share(c.same_top1, c.n)}, {"top1_agreement_ci95", json_of(c.agreement_ci95)},
          {"k", c.k}, {"topk_agreement", share(c.same_top_k, c.n)}, {"labelled", c.labelled},
          {"reference_accuracy", share(c.reference_right, c.labelled)},
          {"reference_ci95", labelled ? json_of(c.reference_ci95) : ordered_json(nullptr)},
          {"target_accuracy", share(c.target_right, c.labelled)},
          {"target_ci95", labelled ? json_of(c.target_ci95) : ordered_json(nullptr)},
          {"difference_ci95", labelled ? json_of(c.difference_ci95) : ordered_json(nullptr)},
          {"p_value", labelled ? ordered_json(c.p_value) : ordered_json(nullptr)}, {"samples_to_decide", json_of(c.samples_to_decide)}};
}

std::string json_text(const Agreement& agreement, const Decision& decision, const CompareArgs& args,
                      const std::optional<compare::GoldenReport>& golden) {
  const char* outcome = decision.outcome == Outcome::kDone ? "agrees" : decision.outcome == Outcome::kDiffers ? "differs" : "undecided";
  ordered_json out{{"schema_version", 1},
                   {"outcome", outcome},
                   {"headline", decision.headline},
                   {"exact", agreement.exact},
                   {"interrupted", agreement.interrupted},
                   {"golden", golden ? ordered_json{{"layout", golden->layout}, {"frames", golden->frames}, {"outputs", golden->outputs},
                                                    {"sha256", golden->sha256}}
                                     : ordered_json(nullptr)},
                   {"floor", decision.floor},
                   {"frames", {{"reference", agreement.frames_reference}, {"target", agreement.frames_target},
                               {"joined", agreement.frames.size()}, {"joined_by", name(agreement.joined_by)}}},
                   {"raw_inputs", {{"compared", agreement.raw_compared}, {"equal", agreement.raw_equal}}},
                   {"coverage", {{"share", agreement.coverage}, {"reference", agreement.tensors_reference}, {"target", agreement.tensors_target},
                                 {"matched", agreement.tensors_matched}, {"unmatched_reference", agreement.unmatched_reference},
                                 {"unmatched_target", agreement.unmatched_target}, {"groups", ordered_json::array()}}},
                   {"output_distance", {{"mean", json_of(agreement.output_distance)}, {"kind", name(agreement.output_distance_kind)},
                                        {"ci95", agreement.output_distance_ci95 ? json_of(*agreement.output_distance_ci95) : ordered_json(nullptr)}}},
                   {"layer_filter", {{"patterns", args.layers}, {"matched", agreement.layers_chosen}, {"paired", agreement.layers_paired}}},
                   {"first_stage", first_stage(agreement) ? ordered_json(first_stage(agreement)->name) : ordered_json(nullptr)},
                   {"crossed_outputs", ordered_json::array()},
                   {"classes", agreement.classes ? json_of(*agreement.classes) : ordered_json(nullptr)},
                   {"layers", ordered_json::array()},
                   {"problems", agreement.problems}};
  for (const auto& [reference, target] : agreement.groups)
    out["coverage"]["groups"].push_back({{"reference", reference}, {"target", target}});
  for (const compare::CrossedOutputs& c : agreement.crossed)
    out["crossed_outputs"].push_back({{"reference", {c.first, c.second}}, {"target", {c.first_target, c.second_target}}, {"mistake", c.mistake}});
  for (const LayerAgreement& layer : agreement.layers) out["layers"].push_back(json_of(layer));
  // Names are bytes: what is no UTF-8 becomes the replacement character instead of a failure.
  return out.dump(2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::vector<trace::Channel> channels_of(const trace::Reader& reader) {
  std::vector<trace::Channel> channels;
  for (const trace::ReadChannel& channel : reader.channels()) channels.push_back(channel.channel);
  return channels;
}

Result<std::vector<std::pair<std::string, std::string>>> mapping_from(const std::string& file, const trace::Reader& reference,
                                                                      const trace::Reader& target) {
  std::vector<std::pair<std::string, std::string>> mapping;
  if (file.empty()) return mapping;
  const std::string title = "--map '" + printable(file) + "'";
  const auto bytes = read_file(file, compare::kMostMapBytes);
  if (!bytes) return Error(bytes.error()).during("--map");
  auto map = compare::parse_map(ByteView(*bytes).text());
  if (!map) return std::move(map.error()).during(title);
  if (auto good = compare::check_map(*map, channels_of(reference), channels_of(target)); !good)
    return std::move(good.error()).during(title);
  for (compare::MappedNames& pair : *map) mapping.emplace_back(std::move(pair.reference), std::move(pair.target));
  return mapping;
}

// Why nothing could be paired, when both sides have such a tensor: "; the model inputs are 1x48x48x3 and 1x64x64x3".
std::string unlike_tensors(const trace::Reader& reference, const trace::Reader& target) {
  const auto only = [](const trace::Reader& reader, trace::Stage stage) {
    std::string shape;
    for (const trace::ReadChannel& channel : reader.channels())
      if (channel.channel.stage == stage && shape.empty()) shape = to_text(channel.channel.spec.shape);
    return shape;
  };
  std::string text;
  for (const auto& [stage, title] : {std::pair{trace::Stage::kModelInput, "model inputs"}, {trace::Stage::kModelOutput, "outputs"}}) {
    const std::string r = only(reference, stage), t = only(target, stage);
    if (!r.empty() && !t.empty() && r != t) text += std::string("; the ") + title + " are " + r + " and " + t;
  }
  return text;
}

// The patterns by which no layer was chosen.
std::vector<std::string> idle_patterns(const Agreement& agreement, const std::vector<std::string>& patterns) {
  std::vector<std::string> idle;
  for (const std::string& pattern : patterns)
    if (std::none_of(agreement.layers.begin(), agreement.layers.end(), [&](const LayerAgreement& layer) {
          return (layer.stage == trace::Stage::kLayer || layer.stage == trace::Stage::kIntermediate) &&
                 (compare::fits_any({pattern}, layer.stage, layer.name) || compare::fits_any({pattern}, layer.stage, layer.target_name));
        }))
      idle.push_back(pattern);
  return idle;
}

// A pattern that fits nothing is a mistake, not an agreement.
Error no_layer_fits(const Agreement& agreement, const std::vector<std::string>& patterns, const trace::Reader& reference) {
  std::string what = "--layers " + quoted(patterns) + " fits none of " + std::to_string(agreement.layers_paired) + " paired layers";
  if (agreement.layers_paired == 0) return {Fault::kUsage, what + "; record both traces with --level layers"};
  std::size_t shown = 0;
  for (const trace::ReadChannel& channel : reference.channels())
    if (channel.channel.stage == trace::Stage::kLayer && shown < 3)
      what += (shown++ ? ", '" : "; names are such as '") + printable(channel.channel.spec.name, 60) + "'";
  return {Fault::kUsage, what};
}

}  // namespace

Result<Outcome> run(const CompareArgs& args, Terminal& terminal) {
  if (args.floor && !(*args.floor >= 0)) return Error{Fault::kUsage, "--floor: expected a number that is not negative"};
  if (args.golden.empty() == args.target.empty())
    return Error{Fault::kUsage, args.golden.empty() ? "give two traces, or one and --golden FILE" : "--golden takes the place of the reference: give one trace"};
  if (auto good = check_texts({{"--json", args.json.file}}, {args.reference, args.target, args.golden, args.map}); !good)
    return std::move(good.error());
  auto target = trace::Reader::open(args.golden.empty() ? args.target : args.reference);
  if (!target) return std::move(target.error()).during("target");
  auto folder = trace_folder("");
  if (!folder) return std::move(folder.error());
  std::filesystem::path reference_path = args.reference;
  std::optional<compare::GoldenReport> golden;
  if (!args.golden.empty()) {
    reference_path = folder->path / "golden.mcap";
    auto made = compare::golden_trace(args.golden, *target, reference_path);
    if (!made) return std::move(made.error());
    golden = *std::move(made);
    for (const std::string& warning : golden->warnings) terminal.err << "warning: " << warning << "\n";
  }
  auto reference = trace::Reader::open(reference_path);
  if (!reference) return std::move(reference.error()).during("reference");
  compare::CompareOptions options;
  options.join_by_frame_number = args.by_frame_number;
  options.stop = terminal.stop;
  options.layers = args.layers;
  auto mapping = mapping_from(args.map, *reference, *target);
  if (!mapping) return std::move(mapping.error());
  options.mapping = *std::move(mapping);
  Result<Agreement> agreement = [&] {
    Progress progress(terminal, "comparing");
    options.progress = [&](std::size_t done, std::size_t all) { progress.show(done, all, ""); };
    return compare::compare_traces(*reference, *target, options);
  }();
  if (!agreement && agreement.error().fault == Fault::kCorrupt)
    agreement.error().what += "; 'edgeprobe trace recover' makes a whole file of what is left of a damaged trace";
  if (!agreement) return std::move(agreement.error());
  if (const auto idle = idle_patterns(*agreement, args.layers); !idle.empty() && !agreement->frames.empty())
    return no_layer_fits(*agreement, idle, *reference);
  for (const std::string& problem : reference->problems()) terminal.err << "warning: reference: " << problem << "\n";
  for (const std::string& problem : target->problems()) terminal.err << "warning: target: " << problem << "\n";
  if (!reference->problems().empty() || !target->problems().empty())
    terminal.err << "'edgeprobe trace recover' makes a whole file of what is left of a damaged trace\n";
  for (const std::string& problem : agreement->problems) terminal.err << "warning: " << problem << "\n";

  Decision decision = decide(*agreement, args);
  if (agreement->layers.empty() && !agreement->frames.empty()) decision.headline += unlike_tensors(*reference, *target);
  if (args.json.wanted)
    if (auto done = deliver(args.json, json_text(*agreement, decision, args, golden), terminal.out); !done) return std::move(done.error());
  const bool json_only = args.json.wanted && args.json.file.empty();
  if (!json_only) write_text(terminal.out, *agreement, decision, args);
  return decision.outcome;
}

}  // namespace edgeprobe::cli

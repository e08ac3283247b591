// SPDX-License-Identifier: Apache-2.0
#include "report/measured/measurements.h"

#include <algorithm>

#include "core/text.h"
#include "measurements/figures.h"
#include "measurements/keys.h"
#include "report/measured/figures_of.h"

namespace edgeprobe::report {
namespace {

using measurements::Measurements;
using All = std::span<const NamedMeasurements>;

constexpr std::size_t kMostAcross = 6;  ///< Maximum number of sets with a column each.
constexpr std::size_t kMostClassRows = 50;
constexpr const char* kNothing = "–";

std::string share_text(const std::optional<double>& share) {
  return share ? number(*share, 4) : kNothing;
}

void add(Document& document, std::vector<Figure> figures) {
  for (Figure& figure : figures) document.blocks.emplace_back(std::move(figure));
}

void add_table(Document& document, Table table) {
  if (!table.rows.empty()) document.blocks.emplace_back(std::move(table));
}

void add_times(All all, Document& document) {
  const TimeUnit unit = time_unit(all);
  const auto text = [&](double seconds) { return number(seconds * unit.per_second, 4); };
  Table table{"In " + std::string(unit.name) +
                  ". 'target': as the device took it; 'client': as the "
                  "client waited for it.",
              {{"measured"},
               {"by"},
               {"n", true},
               {"mean", true},
               {"std", true},
               {"min", true},
               {"median", true},
               {"p90", true},
               {"p99", true},
               {"max", true}},
              {}};
  if (all.size() > 1) table.columns.push_back({"median / first", true});
  std::optional<double> first;
  for (const NamedMeasurements& one : all)
    for (const auto& [by, times] : {std::pair{"target", &one.of.target_inference},
                                    std::pair{"client", &one.of.protocol_inference}}) {
      const auto spread = *times ? measurements::spread_of((*times)->values) : std::nullopt;
      if (!spread) continue;
      table.rows.push_back({one.name, by, std::to_string(spread->count), text(spread->mean),
                            text(spread->std), text(spread->min), text(spread->median),
                            text(spread->p90), text(spread->p99), text(spread->max)});
      if (all.size() == 1) continue;
      const bool compared = times == &one.of.inference() && (!first || *first > 0);
      if (compared && !first) first = spread->median;
      table.rows.back().push_back(compared ? number(spread->median / *first, 3) : kNothing);
    }
  if (table.rows.empty()) return;
  document.blocks.emplace_back(Heading{2, "Inference time"});
  add_table(document, std::move(table));
  if (all.size() > 1)
    document.blocks.emplace_back(
        Paragraph{"A ratio here may be due to chance; 'edgeprobe bench diff' measures two models "
                  "alternately."});
  add(document, time_figures(all));
}

void add_machine(All all, Document& document) {
  Table table{"In % of all memory and of all CPUs of the machine that ran the model.",
              {{"measured"},
               {"of"},
               {"n", true},
               {"mean", true},
               {"std", true},
               {"median", true},
               {"max", true}},
              {}};
  const auto row = [&](const std::string& name, const char* of, const std::vector<double>& values) {
    if (const auto spread = measurements::spread_of(values))
      table.rows.push_back({name, of, std::to_string(spread->count), number(spread->mean, 4),
                            number(spread->std, 3), number(spread->median, 4),
                            number(spread->max, 4)});
  };
  for (const NamedMeasurements& one : all) {
    if (one.of.machine) {
      row(one.name, "memory", one.of.machine->memory_percent);
      row(one.name, "CPU", measurements::mean_cpu(*one.of.machine));
    }
    if (one.of.gpu) {
      row(one.name, "GPU", one.of.gpu->busy_percent);
      row(one.name, "GPU memory", one.of.gpu->memory_percent);
    }
  }
  if (table.rows.empty()) return;
  document.blocks.emplace_back(Heading{2, "Memory and processors"});
  add_table(document, std::move(table));
  add(document, machine_figures(all));
}

/// The classes of one set in their order, or those where the recall is lowest.
void add_each_class(const Measurements& measured, Document& document) {
  const auto classes = measurements::figures_by_class(*measured.classification);
  std::vector<std::size_t> order(classes.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::string caption = "One class against all others; recall is also called sensitivity.";
  if (classes.size() > kMostClassRows) {
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
      return classes[a].recall.value_or(2) < classes[b].recall.value_or(2);
    });
    order.resize(kMostClassRows);
    caption = "The " + std::to_string(kMostClassRows) + " classes of " +
              std::to_string(classes.size()) + " where recall is lowest. " + caption;
  }
  Table table{caption,
              {{"class"},
               {"frames", true},
               {"precision", true},
               {"recall", true},
               {"F1", true},
               {"AUC", true},
               {"top-5", true}},
              {}};
  for (const std::size_t i : order) {
    const measurements::ClassFigures& one = classes[i];
    table.rows.push_back({class_name(measured, i), number(one.frames, 15),
                          share_text(one.precision), share_text(one.recall), share_text(one.f1),
                          share_text(one.auc), share_text(one.top_5)});
  }
  add_table(document, std::move(table));
}

/// Recall of each class, side by side if all sets have the same number of classes.
void add_recalls(All all, Document& document) {
  std::vector<const NamedMeasurements*> sets;
  for (const NamedMeasurements& one : all)
    if (one.of.classification && sets.size() < kMostAcross) sets.push_back(&one);
  if (sets.empty()) return;
  if (sets.size() == 1) return add_each_class(sets.front()->of, document);
  const std::size_t classes = sets.front()->of.classification->classes;
  for (const auto* one : sets)
    if (one->of.classification->classes != classes) {
      document.blocks.emplace_back(
          Paragraph{"Recalls are not compared: the sets have different numbers of classes."});
      return;
    }
  std::vector<std::vector<measurements::ClassFigures>> figures;
  for (const auto* one : sets)
    figures.push_back(measurements::figures_by_class(*one->of.classification));
  std::vector<std::size_t> order(classes);
  for (std::size_t i = 0; i < classes; ++i) order[i] = i;
  const auto lowest = [&](std::size_t i) {
    double low = 2;
    for (const auto& of : figures) low = std::min(low, of[i].recall.value_or(2));
    return low;
  };
  std::string caption = "Recall of each class.";
  if (classes > kMostClassRows) {
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return lowest(a) < lowest(b); });
    order.resize(kMostClassRows);
    caption = "Recall of the " + std::to_string(kMostClassRows) + " classes of " +
              std::to_string(classes) + " where it is lowest.";
  }
  Table table{caption, {{"class"}}, {}};
  for (const auto* one : sets) table.columns.push_back({one->name, true});
  for (const std::size_t i : order) {
    table.rows.push_back({class_name(sets.front()->of, i)});
    for (const auto& of : figures) table.rows.back().push_back(share_text(of[i].recall));
  }
  add_table(document, std::move(table));
}

void add_classes(All all, Document& document) {
  Table table{"Means over the classes that have a frame.",
              {{"measured"},
               {"frames", true},
               {"accuracy", true},
               {"top-5", true},
               {"mean precision", true},
               {"mean recall", true},
               {"G-mean", true},
               {"macro F1", true},
               {"mean AUC", true},
               {"classes", true},
               {"without a frame", true}},
              {}};
  for (const NamedMeasurements& one : all) {
    if (!one.of.classification) continue;
    const measurements::Quality quality = measurements::quality_of(*one.of.classification);
    table.rows.push_back({one.name, number(one.of.classification->total, 15),
                          share_text(quality.accuracy), share_text(quality.top_5),
                          share_text(quality.mean_precision), share_text(quality.mean_recall),
                          share_text(quality.g_mean), share_text(quality.macro_f1),
                          share_text(quality.mean_auc), std::to_string(quality.classes),
                          std::to_string(quality.absent)});
  }
  if (table.rows.empty()) return;
  document.blocks.emplace_back(Heading{2, "Classification"});
  add_table(document, std::move(table));
  add(document, matrix_figures(all));
  add_recalls(all, document);
}

void add_detection(All all, Document& document) {
  Table table{
      "Average precision at an overlap of 0.5, from 101 recalls.",
      {{"measured"}, {"class"}, {"there", true}, {"found", true}, {"right", true}, {"AP", true}},
      {}};
  std::size_t left_out = 0;
  for (const NamedMeasurements& one : all) {
    if (one.of.detection.empty()) continue;
    table.rows.push_back({one.name, "all, mean", kNothing, kNothing, kNothing,
                          share_text(measurements::mean_average_precision(one.of.detection))});
    std::size_t rows = 0;
    for (const measurements::DetectedClass& of : one.of.detection) {
      if (++rows > kMostClassRows) {
        ++left_out;
        continue;
      }
      const auto right = std::count_if(of.found.begin(), of.found.end(),
                                       [](const auto& thing) { return thing.right; });
      table.rows.push_back({one.name, of.name, number(of.there, 15),
                            std::to_string(of.found.size()), std::to_string(right),
                            share_text(average_precision(of))});
    }
  }
  if (table.rows.empty()) return;
  if (left_out > 0)
    table.caption += " " + counted(left_out, "row") + " beyond " + std::to_string(kMostClassRows) +
                     " classes of a set left out.";
  document.blocks.emplace_back(Heading{2, "Detection"});
  add_table(document, std::move(table));
}

void add_metrics(All all, Document& document) {
  Table table{
      "By the user's own metrics.",
      {{"measured"}, {"metric"}, {"value", true}, {"95 % interval"}, {"frames", true}, {"better"}},
      {}};
  for (const NamedMeasurements& one : all)
    for (const measurements::UserFigure& figure : one.of.metrics)
      table.rows.push_back(
          {one.name, figure.name, number(figure.value, 4),
           figure.ci95 ? number(figure.ci95->low, 4) + " to " + number(figure.ci95->high, 4)
                       : kNothing,
           number(figure.frames, 15), figure.higher_is_better ? "higher" : "lower"});
  if (table.rows.empty()) return;
  document.blocks.emplace_back(Heading{2, "Metrics"});
  add_table(document, std::move(table));
}

void add_missing(All all, Document& document) {
  Table table{"Not measured is not 0: these have no value.", {{"measured"}, {"what"}, {"why"}}, {}};
  for (const NamedMeasurements& one : all)
    for (const auto& [key, why] : one.of.not_measured) table.rows.push_back({one.name, key, why});
  if (table.rows.empty()) return;
  document.blocks.emplace_back(Heading{2, "Not measured"});
  add_table(document, std::move(table));
}

void add_facts(All all, Document& document) {
  Table table{"", {{"measured"}, {"what"}, {"value"}}, {}};
  table.caption = "As the files say.";
  for (const NamedMeasurements& one : all) {
    const auto row = [&](const std::string& what, const std::string& value) {
      if (!value.empty()) table.rows.push_back({one.name, what, value});
    };
    row("model", one.of.model_name);
    row("framework",
        one.of.model_framework + (one.of.model_version.empty() ? "" : " " + one.of.model_version));
    std::string compilers;
    for (const auto& [name, version] : one.of.compilers)
      compilers += (compilers.empty() ? "" : ", ") + name + (version.empty() ? "" : " " + version);
    row("compiler", compilers);
    for (const auto& [what, value] : one.of.facts) row(what, value);
    std::string command;
    for (const std::string& line : one.of.command) command += (command.empty() ? "" : " ") + line;
    row("command", command);
    std::string keys;
    for (const auto& [key, json] : one.of.others) keys += (keys.empty() ? "" : ", ") + key;
    row("keys of others, kept", keys);
  }
  if (table.rows.empty()) return;
  document.blocks.emplace_back(Heading{2, "Where this is from"});
  add_table(document, std::move(table));
}

}  // namespace

Document measurements_report(All all) {
  Document document;
  document.title = all.size() == 1 ? "Measurements of " + all.front().name
                                   : "Comparison of " + counted(all.size(), "measurement");
  document.lead = all.size() == 1 ? "What was measured while the model ran."
                                  : "In the order in which they were given.";
  add_times(all, document);
  add_machine(all, document);
  add_classes(all, document);
  add_detection(all, document);
  add_metrics(all, document);
  add_missing(all, document);
  add_facts(all, document);
  return document;
}

}  // namespace edgeprobe::report

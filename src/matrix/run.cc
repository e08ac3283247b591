// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "compare/align/layout.h"
#include "compare/align/op_kind.h"
#include "compare/outputs/agreement.h"
#include "compare/outputs/changed_classes.h"
#include "core/text.h"
#include "engine/kinds.h"
#include "matrix/matrix.h"
#include "matrix/rounding.h"
#include "model/capture_list.h"
#include "stats/quantile.h"

namespace edgeprobe::matrix {
namespace {

using Frames = std::vector<std::vector<Tensor>>;  ///< The tensors of each frame.

/// A column during its run.
struct Runner {
  const Column* column = nullptr;
  std::unique_ptr<engine::Engine> engine;
  Frames inputs;
  Frames outputs;
};

/// These outputs without those that are not tensors (a sequence, a map), which engines leave out.
std::vector<int> tensors_of(const model::Graph& graph, std::vector<int> outputs) {
  outputs.erase(
      std::remove_if(outputs.begin(), outputs.end(),
                     [&](int output) {
                       return graph.tensors[static_cast<std::size_t>(output)].spec.dtype ==
                              DType::kOther;
                     }),
      outputs.end());
  return outputs;
}

/// True if two shapes have the same memory layout: engines may omit dimensions of 1.
bool same_shape(const Shape& a, const Shape& b) {
  const auto layout = compare::layout_of(a, b);
  return layout && layout->empty();
}

std::string shape_text(const Tensor& tensor) { return to_text(tensor.spec.shape); }

bool same_bytes(const Tensor& a, const Tensor& b) {
  return a.spec.dtype == b.spec.dtype && a.spec.quantization == b.spec.quantization &&
         a.bytes == b.bytes;
}

/// `a` and `b` are one tensor in all frames. Fails if their shapes differ in a frame.
Result<Distance> distance(const std::vector<const Tensor*>& a,
                          const std::vector<const Tensor*>& b) {
  Distance found;
  found.exact = true;
  compare::Moments moments;
  for (std::size_t f = 0; f < a.size(); ++f) {
    if (!same_shape(a[f]->spec.shape, b[f]->spec.shape))
      return Error{ErrorKind::kUnsupported,
                   shape_text(*a[f]) + " and " + shape_text(*b[f]) +
                       (a.size() > 1 ? " in frame " + std::to_string(f) : std::string())};
    found.exact = found.exact && same_bytes(*a[f], *b[f]);
    EP_CHECK(compare::accumulate(TensorView(*a[f]), TensorView(*b[f]), moments));
  }
  if (found.exact) return found;
  const compare::Distances all = compare::distances(moments);
  constexpr double kFar = std::numeric_limits<double>::infinity();
  found.relative_l2 = all.exact ? 0
                      : moments.non_finite_mismatch || moments.overflow
                          ? kFar
                          : all.relative_l2.value_or(kFar);
  found.max_abs = all.max_abs.value_or(0);
  return found;
}

std::vector<const Tensor*> column_of(const Frames& frames, std::size_t index) {
  std::vector<const Tensor*> tensors;
  for (const auto& frame : frames) tensors.push_back(&frame[index]);
  return tensors;
}

/// Not every engine reports the scale of its outputs; the model file does.
void tell_scales(const model::Graph& graph, const std::vector<int>& tensors, Frames& frames) {
  for (auto& frame : frames)
    for (std::size_t i = 0; i < frame.size() && i < tensors.size(); ++i) {
      const TensorSpec& known = graph.tensors[static_cast<std::size_t>(tensors[i])].spec;
      if (known.dtype == frame[i].spec.dtype && !known.quantization.empty())
        frame[i].spec.quantization = known.quantization;
    }
}

/// Runs all frames through one session.
Result<Frames> infer(engine::Session& session, const Frames& inputs,
                     std::vector<std::int64_t>* latencies, const Control& control) {
  Frames outputs;
  for (const auto& frame : inputs) {
    if (control.stopped()) return interrupted();
    std::vector<TensorView> views(frame.begin(), frame.end());
    EP_TRY(auto inference, session.infer(views));
    if (latencies) latencies->push_back(inference.latency.count());
    outputs.push_back(std::move(inference.outputs));
  }
  return outputs;
}

/// Runs the plain model: outputs, latency. A failure becomes the column's problem.
Status run_plain(const model::Graph& graph, ByteView file, const std::string& label, Runner& runner,
                 Ran& ran, const Inputs& inputs, const Options& options) {
  EP_TRY(auto engine, engine::open_supervised(runner.column->engine));
  ran.identity = engine->identity();
  if (!engine::kind_of(ran.identity).opens(graph.format))
    return Error{ErrorKind::kUsage, "it does not load models of format " + graph.format};
  EP_TRY(auto session, engine->load(file, label, runner.column->session));
  ran.warnings = session->warnings();
  const std::vector<int> shown = tensors_of(graph, graph.outputs);
  if (session->outputs().size() != shown.size())
    return Error{ErrorKind::kTarget, "it shows " + std::to_string(session->outputs().size()) +
                                         " outputs, the model has " + std::to_string(shown.size()) +
                                         " tensors"};
  for (std::size_t f = 0; f < options.frames; ++f) {
    EP_TRY(auto made, inputs(session->inputs(), f));
    runner.inputs.push_back(std::move(made));
  }
  std::vector<std::int64_t> latencies;
  EP_TRY(auto outputs, infer(*session, runner.inputs, &latencies, options.control));
  ran.latency = std::chrono::nanoseconds(stats::upper_median(latencies));
  runner.outputs = std::move(outputs);
  tell_scales(graph, shown, runner.outputs);
  runner.engine = std::move(engine);
  return {};
}

Row row_of(const model::Graph& graph, int tensor, std::size_t columns) {
  Row row;
  row.tensor = tensor;
  row.name = graph.tensors[static_cast<std::size_t>(tensor)].spec.name;
  row.output = std::find(graph.outputs.begin(), graph.outputs.end(), tensor) != graph.outputs.end();
  if (const model::Layer* layer = model::layer_of(graph, tensor)) {
    row.layer = layer->index;
    row.type = layer->type;
  }
  row.from_base.resize(columns);
  row.problems.resize(columns);
  return row;
}

/// Fills a row with the distance of each column from the base; `values[c]` is empty if column c has
/// none.
void compare_row(Row& row, std::size_t base,
                 const std::vector<std::vector<const Tensor*>>& values) {
  for (std::size_t c = 0; c < values.size(); ++c) {
    if (values[c].empty()) continue;
    if (values[base].empty()) {
      row.problems[c] = "the base column has no value to compare with";
      continue;
    }
    auto found = distance(values[base], values[c]);
    if (found) row.from_base[c] = *found;
    else row.problems[c] = "another shape: " + found.error().what;
  }
}

/// A column's values of some tensors, and the reasons for missing ones.
struct Shown {
  std::map<int, std::vector<Tensor>> values;  ///< By tensor: its value in each frame.
  std::map<int, std::string> problems;
};

/// A model with some tensors promoted to outputs; columns that use the same group share it.
class Promoted {
 public:
  Promoted(const model::Graph& graph, ByteView file) : graph_(graph), file_(file) {}

  Result<ByteView> with(const std::vector<int>& group) {
    if (patched_.empty() || group != group_) {
      EP_TRY(patched_, model::promote(graph_, file_, group));
      group_ = group;
    }
    return ByteView(patched_);
  }

 private:
  const model::Graph& graph_;
  ByteView file_;
  std::vector<int> group_;  ///< Group of `patched_`.
  Bytes patched_;
};

/// Promotes some tensors to outputs on one column's engine.
Result<Frames> run_promoted(const model::Graph& graph, Promoted& promoted, const std::string& label,
                            const std::vector<int>& group, const Runner& runner,
                            const Control& control) {
  EP_TRY(const auto patched, promoted.with(group));
  engine::SessionOptions options = runner.column->session;
  options.shared_process = true;
  EP_TRY(auto session, runner.engine->load(patched, label + " (layers as outputs)", options));
  auto frames = infer(*session, runner.inputs, nullptr, control);
  if (!frames) return frames;
  const std::vector<int> shown = tensors_of(graph, model::promoted_outputs(graph, group));
  if (frames->front().size() != shown.size())
    return Error{ErrorKind::kTarget, "it does not show all layers as outputs"};
  tell_scales(graph, shown, *frames);
  return frames;
}

/// Runs the next group of a column's list, or its halves, until `left` groups are left.
Shown run_next(const model::Graph& graph, Promoted& promoted, const std::string& label,
               std::size_t left, const Runner& runner, model::CaptureList& list,
               const Control& control) {
  Shown shown;
  const std::size_t given_up = list.not_captured().size();
  while (list.left() > left && !control.stopped()) {
    auto group = list.next();
    auto frames = run_promoted(graph, promoted, label, group->tensors, runner, control);
    if (!frames) {
      list.failed(*std::move(group), frames.error());
      continue;
    }
    const std::vector<int> outputs =
        tensors_of(graph, model::promoted_outputs(graph, group->tensors));
    for (auto& frame : *frames)
      for (std::size_t o = 0; o < outputs.size(); ++o)
        shown.values[outputs[o]].push_back(std::move(frame[o]));
  }
  for (std::size_t i = given_up; i < list.not_captured().size(); ++i)
    shown.problems[list.not_captured()[i].tensor] = list.not_captured()[i].reason;
  return shown;
}

/// Promotes some tensors to outputs on every column that has outputs.
void run_group(const model::Graph& graph, Promoted& promoted, const std::string& label,
               const std::vector<int>& group, std::size_t left, const std::vector<Runner>& runners,
               std::vector<model::CaptureList>& lists, Matrix& matrix, const Control& control) {
  std::vector<Shown> shown(runners.size());
  for (std::size_t c = 0; c < runners.size(); ++c)
    if (runners[c].engine)
      shown[c] = run_next(graph, promoted, label, left, runners[c], lists[c], control);
  if (control.stopped()) return;
  for (const int tensor : group) {
    Row row = row_of(graph, tensor, runners.size());
    std::vector<std::vector<const Tensor*>> tensors(runners.size());
    for (std::size_t c = 0; c < runners.size(); ++c) {
      if (const auto problem = shown[c].problems.find(tensor); problem != shown[c].problems.end())
        row.problems[c] = problem->second;
      for (const Tensor& value : shown[c].values[tensor]) tensors[c].push_back(&value);
    }
    compare_row(row, matrix.base, tensors);
    matrix.rows.push_back(std::move(row));
  }
}

}  // namespace

std::vector<std::size_t> libraries_of(const std::vector<Ran>& columns) {
  std::vector<std::size_t> first(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const auto same = [&](const Ran& other) {
      return other.identity.kind == columns[c].identity.kind &&
             other.identity.sha256 == columns[c].identity.sha256 &&
             other.identity.version == columns[c].identity.version;
    };
    first[c] = static_cast<std::size_t>(std::find_if(columns.begin(), columns.end(), same) -
                                        columns.begin());
  }
  return first;
}

namespace {

void choose_base(const std::vector<std::size_t>& working, Matrix& matrix) {
  matrix.majority = majority_of(working, matrix.pairs, libraries_of(matrix.columns));
  matrix.base = matrix.reference           ? *matrix.reference
                : !matrix.majority.empty() ? matrix.majority.front()
                : working.empty()          ? 0
                                           : working.front();
}

void compare_outputs(const model::Graph& graph, const std::vector<Runner>& runners,
                     Matrix& matrix) {
  std::vector<std::size_t> working;
  bool whole = false;
  for (std::size_t c = 0; c < runners.size(); ++c)
    if (runners[c].engine) working.push_back(c);
  for (const model::Layer& layer : graph.layers) {
    whole = whole || compare::computes_in_codes(layer.type);
    for (const int input : layer.inputs)
      if (input >= 0)
        whole = whole || !graph.tensors[static_cast<std::size_t>(input)].spec.quantization.empty();
  }
  std::vector<const model::ModelTensor*> outputs;
  for (const int tensor : tensors_of(graph, graph.outputs))
    outputs.push_back(&graph.tensors[static_cast<std::size_t>(tensor)]);
  matrix.floor = compare::output_floor(whole, matrix.frames);
  for (std::size_t i = 0; i < working.size(); ++i)
    for (std::size_t j = i + 1; j < working.size(); ++j) {
      Pair pair{working[i], working[j], true, 0, "", false, false, 0};
      for (std::size_t o = 0; o < outputs.size(); ++o) {
        const auto found =
            distance(column_of(runners[pair.a].outputs, o), column_of(runners[pair.b].outputs, o));
        pair.exact = pair.exact && found && found->exact;
        pair.distance = std::max(
            pair.distance, found ? found->relative_l2 : std::numeric_limits<double>::infinity());
        if (!found && pair.shapes.empty())
          pair.shapes =
              "output " + in_quotes(outputs[o]->spec.name, 60) + " is " + found.error().what;
      }
      if (outputs.size() == 1 && pair.shapes.empty())
        pair.changed = compare::changed_classes(column_of(runners[pair.a].outputs, 0),
                                                column_of(runners[pair.b].outputs, 0));
      pair.agree = pair.distance <= matrix.floor && pair.changed == 0;
      matrix.pairs.push_back(pair);
    }
  choose_base(working, matrix);
}

/// Judges pairs above the floor whose layers may all agree up to rounding.
void judge_rounding(const model::Graph& graph, ByteView file, const std::string& label,
                    const std::vector<Runner>& runners, const Options& options, Matrix& matrix) {
  const auto lane = [&](std::size_t column) {
    return Lane{runners[column].engine.get(), runners[column].column->session,
                &runners[column].inputs, &runners[column].outputs};
  };
  std::vector<std::optional<bool>> known(runners.size());
  known[matrix.base] = true;
  const auto rounds = [&](std::size_t column) {
    if (!known[column])
      known[column] = only_rounding(graph, file, label, lane(matrix.base), lane(column),
                                    options.budget, options.control);
    return *known[column];
  };
  for (Pair& pair : matrix.pairs) {
    if (pair.agree || !std::isfinite(pair.distance) || !rounds(pair.a) || !rounds(pair.b)) continue;
    pair.agree = pair.rounding = true;
    if (pair.a == matrix.base || pair.b == matrix.base)
      matrix.columns[pair.a == matrix.base ? pair.b : pair.a].rounding = true;
  }
  std::vector<std::size_t> working;
  for (std::size_t c = 0; c < runners.size(); ++c)
    if (runners[c].engine) working.push_back(c);
  matrix.majority = majority_of(working, matrix.pairs, libraries_of(matrix.columns));
}

}  // namespace

Result<Matrix> run(const model::Graph& graph, ByteView file, const std::string& label,
                   const std::vector<Column>& columns, const Inputs& inputs,
                   const Options& options) {
  if (columns.empty())
    return Error{ErrorKind::kUsage, "no engine to run '" + sanitized(label) + "' on"};
  if (options.frames == 0)
    return Error{ErrorKind::kUsage, "no frame to run '" + sanitized(label) + "' on"};
  Matrix matrix;
  matrix.frames = options.frames;
  matrix.reference = options.reference;
  std::vector<Runner> runners(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    runners[c].column = &columns[c];
    Ran ran;
    ran.name = columns[c].name;
    if (auto done = run_plain(graph, file, label, runners[c], ran, inputs, options); !done)
      ran.problem = done.error().what;
    if (options.control.stopped()) return interrupted();
    matrix.columns.push_back(std::move(ran));
    if (options.control.progress) options.control.progress(c + 1, columns.size(), "engines");
  }
  compare_outputs(graph, runners, matrix);
  if (runners[matrix.base].engine) judge_rounding(graph, file, label, runners, options, matrix);

  std::vector<int> tensors;
  if (options.layers)
    for (const int tensor : model::capturable(graph))
      if (std::find(graph.outputs.begin(), graph.outputs.end(), tensor) == graph.outputs.end())
        tensors.push_back(tensor);
  const auto groups =
      model::capture_groups(graph, tensors, options.budget / (columns.size() * options.frames));
  Promoted promoted(graph, file);
  std::vector<model::CaptureList> lists(columns.size(), model::CaptureList(groups));
  for (std::size_t g = 0; g < groups.size() && !options.control.stopped(); ++g) {
    run_group(graph, promoted, label, groups[g], groups.size() - g - 1, runners, lists, matrix,
              options.control);
    if (options.control.progress)
      options.control.progress(g + 1, groups.size(), "groups of layers");
  }
  const std::vector<int> outputs = tensors_of(graph, graph.outputs);
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    Row row = row_of(graph, outputs[o], columns.size());
    std::vector<std::vector<const Tensor*>> values(columns.size());
    for (std::size_t c = 0; c < columns.size(); ++c) {
      if (runners[c].engine) values[c] = column_of(runners[c].outputs, o);
      else row.problems[c] = matrix.columns[c].problem;
    }
    compare_row(row, matrix.base, values);
    matrix.rows.push_back(std::move(row));
  }
  std::stable_sort(matrix.rows.begin(), matrix.rows.end(),
                   [](const Row& a, const Row& b) { return a.layer < b.layer; });
  return matrix;
}

}  // namespace edgeprobe::matrix

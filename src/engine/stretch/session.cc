// SPDX-License-Identifier: Apache-2.0
#include "engine/stretch/session.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <optional>

#include "core/index.h"
#include "core/text.h"
#include "engine/cpu_affinity.h"
#include "engine/inputs.h"
#include "engine/options.h"
#include "engine/stretch/memory.h"
#include "engine/stretch/nan.h"
#include "engine/stretch/piece.h"
#include "engine/stretch/runner.h"
#include "engine/stretch/running.h"
#include "engine/worker_process.h"
#include "model/closed_bytes.h"
#include "model/cut.h"
#include "stretch/schedule.h"
#include "stretch/split/fit.h"

namespace edgeprobe::engine::stretch {
namespace {

using edgeprobe::stretch::Arena;
using edgeprobe::stretch::Plan;
using edgeprobe::stretch::Processor;
using edgeprobe::stretch::Schedule;

/// Runs of each piece before the first inference: engines allocate and pack memory in the first
/// ones.
constexpr int kWarmRuns = 3;
/// While pieces are loaded and warmed up, one after the other, no lane runs.
constexpr std::size_t kLoading = 0;

class StretchSession final : public Session {
 public:
  StretchSession(Plan plan, std::shared_ptr<const Engines> engines)
      : engines_(std::move(engines)), plan_(std::move(plan)) {}

  Status load(ByteView model, std::string_view label, const SessionOptions& options);

  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return outputs_; }
  const std::vector<Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  std::byte* input_memory(std::size_t index) override {
    return place_of(graph_.inputs.at(index)).data;
  }
  std::optional<std::uint64_t> arena() const override;
  Result<Inference> infer(const std::vector<TensorView>& inputs) override;

 private:
  Status load_piece(std::size_t index, ByteView model, const SessionOptions& options,
                    std::vector<std::optional<Tensor>>& values);
  Status take_ports(const std::vector<std::optional<Tensor>>& values);
  Status place(const std::vector<std::optional<Tensor>>& values);
  Status warm();
  Status start_runner();
  Place place_of(int tensor) const {
    return {memory_->data() + arena_.offsets[at(tensor)], sizes_[at(tensor)]};
  }
  Status check_numbers(const std::vector<Tensor>& outputs) const;

  std::shared_ptr<const Engines> engines_;
  Plan plan_;
  model::Graph graph_;
  Schedule schedule_;
  std::vector<TensorSpec> specs_;   ///< Indexed by tensor, with the shapes of this session.
  std::vector<std::size_t> sizes_;  ///< Bytes, by tensor.
  Arena arena_;
  std::optional<Memory> memory_;
  std::vector<Piece> pieces_;  ///< Indexed by the piece's number in the plan.
  std::unique_ptr<Runner> runner_;
  bool profile_ = false;

  std::vector<TensorSpec> inputs_;
  std::vector<TensorSpec> outputs_;
  std::vector<Delegation> delegations_;
  std::vector<std::string> warnings_;
};

const Processor& processor_of(const Plan& plan, const std::string& name) {
  return *std::find_if(plan.processors.begin(), plan.processors.end(),
                       [&](const Processor& one) { return one.name == name; });
}

/// The options of one piece, without shapes that the file already fixes.
Result<SessionOptions> options_of(const Processor& processor, const model::Graph& graph,
                                  const model::Part& part, const SessionOptions& options,
                                  const std::vector<std::optional<Tensor>>& values) {
  SessionOptions own;
  if (!processor.delegate.empty()) {
    EP_TRY(auto delegate, delegate_from_text(processor.delegate));
    own.delegates.push_back(std::move(delegate));
  }
  own.threads = processor.threads;
  own.profile = options.profile;
  own.precision = options.precision;
  own.folder = options.folder;
  own.load_limit = options.load_limit;
  own.invoke_limit = options.invoke_limit;
  for (const int input : part.inputs) {
    const model::ModelTensor& tensor = graph.tensors[at(input)];
    const auto asked = options.input_shapes.find(tensor.spec.name);
    if (asked != options.input_shapes.end()) own.input_shapes.insert(*asked);
    else if (values[at(input)] && values[at(input)]->spec.shape != tensor.spec.shape)
      own.input_shapes[tensor.spec.name] = values[at(input)]->spec.shape;
  }
  return own;
}

/// kUnsupported if the engine's tensors differ from those of the part.
Status check_ports(const Piece& piece, const model::Graph& graph,
                   const std::vector<TensorSpec>& specs, const std::vector<int>& tensors,
                   const char* role) {
  bool same = specs.size() == tensors.size();
  for (std::size_t i = 0; same && i < specs.size(); ++i)
    same = specs[i].name == graph.tensors[at(tensors[i])].spec.name;
  if (same) return {};
  std::string names;
  for (const TensorSpec& spec : specs)
    names += (names.empty() ? "'" : ", '") + sanitized(spec.name, 60) + "'";
  return Error{ErrorKind::kUnsupported, piece.sentence + ": its engine has the " + role + "s " +
                                            names + ", not those of the piece"};
}

/// Gives shapes and places to model inputs that no piece reads.
Status fill_unread(const model::Graph& graph, const SessionOptions& options,
                   std::vector<std::optional<Tensor>>& values) {
  std::vector<TensorSpec> specs;
  for (const int input : graph.inputs) specs.push_back(graph.tensors[at(input)].spec);
  EP_TRY(auto shapes, requested_shapes(specs, options.input_shapes));
  for (std::size_t i = 0; i < specs.size(); ++i) {
    auto& value = values[at(graph.inputs[i])];
    if (value) continue;
    specs[i].shape = std::move(shapes[i]);
    const auto size = specs[i].byte_size();
    if (!size)
      return Error{ErrorKind::kUnsupported, "input '" + sanitized(specs[i].name) +
                                                "', which no piece reads, has no known size"};
    value = Tensor{specs[i], Bytes(*size)};
  }
  return {};
}

Status StretchSession::load_piece(std::size_t index, ByteView model, const SessionOptions& options,
                                  std::vector<std::optional<Tensor>>& values) {
  const model::Part& part = schedule_.parts[index];
  Piece& piece = pieces_[index];
  piece.layers = part.layers;
  piece.inputs = part.inputs;
  piece.outputs = part.outputs;
  const bool is_whole = part.inputs == graph_.inputs && part.outputs == graph_.outputs;
  Bytes cut;
  if (!is_whole) {
    auto made = model::cut(graph_, model, part);
    if (!made) return std::move(made.error()).during(piece.sentence);
    cut = *std::move(made);
  }
  const auto before = threads_of_process();
  const auto own = options_of(*piece.processor, graph_, part, options, values);
  if (!own) return Error(own.error()).during(piece.sentence);
  const Running running(kLoading, piece.sentence.c_str());
  auto session = engines_->at(piece.processor->engine)
                     ->load(is_whole ? model : ByteView(cut), plan_.pieces[index].name, *own);
  if (!session) return std::move(session.error()).during(piece.sentence);
  piece.session = *std::move(session);
  const auto warn = [&](const std::string& text) {
    if (!text.empty()) warnings_.push_back(piece.sentence + ": " + text);
  };
  warn(untried_note(engines_->at(piece.processor->engine)->identity()));
  for (const std::string& warning : piece.session->warnings()) warn(warning);
  for (const Delegation& delegation : piece.session->delegations())
    if (delegation.ops_taken > 0 || delegation.ops_total > 0) delegations_.push_back(delegation);
  EP_CHECK(check_ports(piece, graph_, piece.session->inputs(), part.inputs, "input"));
  EP_CHECK(check_ports(piece, graph_, piece.session->outputs(), part.outputs, "output"));
  // The first inference determines the output shapes and starts the threads of a pool.
  std::vector<TensorView> views;
  for (std::size_t i = 0; i < part.inputs.size(); ++i) {
    auto& value = values[at(part.inputs[i])];
    const TensorSpec& spec = piece.session->inputs()[i];
    if (!value) {
      const auto size = spec.byte_size();
      if (!size)
        return Error{
            ErrorKind::kUnsupported,
            "input '" + sanitized(spec.name) + "' has an open shape; give the model's input shape"};
      value = Tensor{spec, Bytes(*size)};
    }
    views.emplace_back(spec, value->bytes);
  }
  auto inference = piece.session->infer(views);
  if (!inference) return std::move(inference.error()).during(piece.sentence);
  for (std::size_t i = 0; i < part.outputs.size(); ++i)
    values[at(part.outputs[i])] = std::move(inference->outputs[i]);
  std::vector<int> started;
  const auto after = threads_of_process();
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(started));
  for (const int thread : started)
    if (auto kept = pin_thread(thread, piece.processor->cpus); !kept)
      return std::move(kept.error()).during(piece.sentence);
  return {};
}

/// Copies the values of slices, in order, into the tensors that they are slices of.
Status merge_values(const Schedule& schedule, const model::Graph& graph,
                    std::vector<std::optional<Tensor>>& values) {
  for (const Schedule::View& view : schedule.views) {
    auto& part = values[at(view.tensor)];
    auto& whole = values[at(view.whole)];
    const TensorSpec& spec = graph.tensors[at(view.whole)].spec;
    const auto size = spec.byte_size();
    if (!part || !size) continue;
    if (!whole) whole = Tensor{spec, Bytes(*size)};
    const std::size_t offset = view.offset * size_of(spec.dtype);
    if (offset + part->bytes.size() > *size)
      return Error{ErrorKind::kUsage, "'" + sanitized(part->spec.name) +
                                          "' is larger here than its slice of '" +
                                          sanitized(spec.name) + "'"};
    if (!part->bytes.empty())
      std::memcpy(whole->bytes.data() + offset, part->bytes.data(), part->bytes.size());
  }
  return {};
}

Status StretchSession::take_ports(const std::vector<std::optional<Tensor>>& values) {
  for (std::size_t tensor = 0; tensor < values.size(); ++tensor)
    if (values[tensor]) {
      specs_[tensor] = values[tensor]->spec;
      sizes_[tensor] = values[tensor]->bytes.size();
    }
  for (const int input : graph_.inputs) inputs_.push_back(specs_[at(input)]);
  for (const int output : graph_.outputs) outputs_.push_back(specs_[at(output)]);
  return {};
}

Status StretchSession::place(const std::vector<std::optional<Tensor>>& values) {
  EP_CHECK(take_ports(values));
  arena_ = arena_of(schedule_, graph_, sizes_);
  memory_.emplace(arena_.size);
  for (Piece& piece : pieces_) {
    std::vector<Place> inputs, outputs;
    for (const int input : piece.inputs) inputs.push_back(place_of(input));
    for (const int output : piece.outputs) outputs.push_back(place_of(output));
    EP_CHECK(bind_piece(piece, inputs, outputs, profile_));
  }
  return {};
}

Status StretchSession::warm() {
  for (int run = 0; run < kWarmRuns; ++run)
    for (const std::size_t index : schedule_.order) {
      const Running running(kLoading, pieces_[index].sentence.c_str());
      if (auto done = pieces_[index].binding->run(); !done)
        return std::move(done.error()).during(pieces_[index].sentence);
    }
  return {};
}

Status StretchSession::start_runner() {
  Work work;
  work.flags = schedule_.flags;
  for (std::size_t i = 0; i < schedule_.programs.size(); ++i) {
    const Processor& processor = processor_of(plan_, plan_.programs[i].processor);
    work.lanes.push_back({schedule_.programs[i], processor.cpus, processor.emulated_slowdown});
  }
  for (const Piece& piece : pieces_) {
    work.pieces.push_back(piece.binding.get());
    work.sentences.push_back(piece.sentence);
  }
  EP_TRY(runner_, Runner::start(std::move(work)));
  return {};
}

/// kUsage for a thread pool next to other pieces: its threads keep spinning after its piece, on
/// CPUs that another piece may need by then.
Status check_pools(const Plan& plan) {
  if (plan.pieces.size() < 2) return {};
  for (const Processor& processor : plan.processors)
    if (processor.threads > 1)
      return Error{ErrorKind::kUsage,
                   "processor '" + sanitized(processor.name, 60) + "' has " +
                       std::to_string(processor.threads) +
                       " threads in a plan of several pieces; each processor has one thread there"};
  return {};
}

Status StretchSession::load(ByteView model, std::string_view label, const SessionOptions& options) {
  EP_TRY(auto graph, model::read_model(model, label, options.folder));
  EP_TRY(auto fitted, fit(plan_, std::move(graph), model));
  graph_ = std::move(fitted.graph);
  schedule_ = std::move(fitted.schedule);
  const ByteView file = fitted.file(model);
  EP_CHECK(check_pools(plan_));
  // Only in an engine process, which has no other reporter; an app has its own handlers.
  if (std::getenv(kWorkerVariable)) tell_running_when_killed();
  profile_ = options.profile;
  specs_.resize(graph_.tensors.size());
  sizes_.resize(graph_.tensors.size());
  pieces_.resize(plan_.pieces.size());
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const std::string& name = plan_.programs[schedule_.program_of[i]].processor;
    pieces_[i].processor = &processor_of(plan_, name);
    pieces_[i].sentence = "piece '" + sanitized(plan_.pieces[i].name, 60) + "' on processor '" +
                          sanitized(name, 60) + "'";
  }
  std::vector<std::optional<Tensor>> values(graph_.tensors.size());
  for (const std::size_t index : schedule_.order) {
    EP_CHECK(merge_values(schedule_, graph_, values));
    EP_CHECK(load_piece(index, file, options, values));
  }
  EP_CHECK(merge_values(schedule_, graph_, values));
  EP_CHECK(fill_unread(graph_, options, values));
  EP_CHECK(place(values));
  EP_CHECK(warm());
  return start_runner();
}

std::optional<std::uint64_t> StretchSession::arena() const {
  std::uint64_t sum = arena_.size;
  for (const Piece& piece : pieces_) sum += piece.session->arena().value_or(0);
  return sum;
}

Status StretchSession::check_numbers(const std::vector<Tensor>& outputs) const {
  if (std::none_of(outputs.begin(), outputs.end(),
                   [](const Tensor& output) { return has_nan(output.spec.dtype, output.bytes); }))
    return {};
  const auto nan_in = [&](const std::vector<int>& tensors) {
    return std::find_if(tensors.begin(), tensors.end(), [&](int tensor) {
      const Place place = place_of(tensor);
      return has_nan(specs_[at(tensor)].dtype, {place.data, place.size});
    });
  };
  // Memory is reused within an inference, so the pieces run once more, one after another.
  for (const std::size_t index : schedule_.order) {
    const Piece& piece = pieces_[index];
    EP_CHECK(piece.binding->run());
    const auto found = nan_in(piece.outputs);
    if (found == piece.outputs.end() || nan_in(piece.inputs) != piece.inputs.end()) continue;
    return Error{ErrorKind::kTarget,
                 piece.sentence + " made NaN in '" + sanitized(specs_[at(*found)].name) +
                     "' out of numbers; see whether the model does so by itself: engine " +
                     sanitized(piece.processor->engine, 60)};
  }
  return {};
}

Result<Inference> StretchSession::infer(const std::vector<TensorView>& inputs) {
  runner_->wake();
  EP_CHECK(check_inputs(inputs_, inputs));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (const Place place = place_of(graph_.inputs[i]);
        place.size > 0 && inputs[i].bytes.data != place.data)
      std::memcpy(place.data, inputs[i].bytes.data, place.size);
  EP_CHECK(runner_->run());
  Inference inference;
  inference.latency = runner_->latency();
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const Place place = place_of(graph_.outputs[i]);
    inference.outputs.push_back({outputs_[i], ByteView(place.data, place.size).copy()});
  }
  EP_CHECK(check_numbers(inference.outputs));
  for (const std::size_t index : schedule_.order) {
    const Runner::Span& span = runner_->spans()[index];
    inference.pieces.push_back(
        {plan_.pieces[index].name, pieces_[index].processor->name, span.start, span.time});
    inference.copied += pieces_[index].binding->copied();
    if (const auto& times = pieces_[index].op_times)
      inference.op_times.insert(inference.op_times.end(), times->begin(), times->end());
  }
  return inference;
}

}  // namespace

Result<std::unique_ptr<Session>> load_session(const Plan& plan,
                                              std::shared_ptr<const Engines> engines,
                                              ByteView model, std::string_view label,
                                              const SessionOptions& options) {
  auto session = std::make_unique<StretchSession>(plan, std::move(engines));
  EP_CHECK(session->load(model, label, options));
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace edgeprobe::engine::stretch

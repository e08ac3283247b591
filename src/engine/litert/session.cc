// SPDX-License-Identifier: Apache-2.0
#include "engine/litert/session.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/text.h"
#include "engine/inputs.h"
#include "engine/litert/binding.h"
#include "engine/litert/delegation.h"
#include "engine/litert/port.h"
#include "engine/runtime_engine.h"
#include "engine/tflite/in_place.h"
#include "engine/tflite/xnnpack_times.h"
#include "model/format.h"
#include "model/state.h"

namespace edgeprobe::engine::litert {
namespace {

/// Minimum memory for one output, reserved but not touched.
constexpr std::size_t kRoomyOutput = std::size_t{64} << 20;

/// The runtime only reports "unsupported"; this finds the part of the file that it does not
/// support.
Error unread_model(ByteView bytes, int status) {
  const auto graph = model::read_unhashed(bytes, "model", {});
  const std::string state = graph ? model::variable_tensor_of(*graph) : "";
  if (state.empty())
    return {ErrorKind::kCorrupt, "it is not a model that LiteRT can read: " + status_text(status)};
  return {ErrorKind::kUnsupported,
          "it keeps a state from inference to inference (variable tensor '" +
              sanitized(state, 100) +
              "'), which LiteRT's compiled models do not hold: use engine "
              "tflite (script/setup --tflite brings it)"};
}

class LiteRtSession final : public Session {
 public:
  LiteRtSession(std::shared_ptr<Runtime> runtime, ByteView model)
      : runtime_(std::move(runtime)), api_(runtime_->api()), bytes_(model.copy()) {}

  ~LiteRtSession() override {
    for (auto* const buffers : {&input_buffers_, &output_buffers_})
      for (CBuffer* const buffer : *buffers)
        if (buffer) api_.destroy_buffer(buffer);
    if (compiled_) api_.destroy_compiled(compiled_);
    if (options_) api_.destroy_options(options_);
    if (model_) api_.destroy_model(model_);
  }

  Status load(const SessionOptions& options);

  const std::vector<TensorSpec>& inputs() const override { return input_specs_; }
  const std::vector<TensorSpec>& outputs() const override { return output_specs_; }
  const std::vector<Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Result<Inference> infer(const std::vector<TensorView>& inputs) override;
  Result<std::unique_ptr<Binding>> bind(const std::vector<Place>& inputs,
                                        const std::vector<Place>& outputs) override;

 private:
  Status choose_environment(const std::vector<Delegate>& delegates);
  Status choose_signature();
  Status read_ports();
  Status check_outputs() const;
  Status set_options(const SessionOptions& options);
  Status add_toml(const char* identifier, const std::string& toml);
  Status compile(Kernels kernels);
  void add_delegation(const std::string& name, std::vector<int> taken);
  Status resize(const SessionOptions& options);
  bool read_output_shapes(bool allocate);
  Status create_buffers();
  void start_profile();
  Status copy_in(CBuffer* buffer, ByteView bytes) const;
  std::string reason() const;
  Error run_failure(int status) const;
  std::vector<OpTime> collect_profile();

  std::shared_ptr<Runtime> runtime_;
  const Api& api_;
  CEnvironment* environment_ = nullptr;
  bool on_gpu_ = false;
  Bytes bytes_;  ///< The runtime reads weights in place.
  CModel* model_ = nullptr;
  COptions* options_ = nullptr;
  CCompiled* compiled_ = nullptr;
  CProfiler* profiler_ = nullptr;
  tflite::XnnpackShare share_;  ///< For profiles.
  CSignature* signature_ = nullptr;
  CSubgraph* graph_ = nullptr;
  std::size_t signature_index_ = 0;
  int op_count_ = 0;
  std::optional<Kernels> kernels_;
  std::vector<Port> input_ports_;  ///< In the order of the graph.
  std::vector<Port> output_ports_;
  std::vector<CBuffer*> input_buffers_;  ///< In the order of the signature.
  std::vector<CBuffer*> output_buffers_;

  std::vector<TensorSpec> input_specs_;
  std::vector<TensorSpec> output_specs_;
  std::vector<Delegation> delegations_;
  std::vector<std::string> warnings_;
};

Status LiteRtSession::load(const SessionOptions& options) {
  kernels_ = own<TfliteOptions>(options).kernels;
  if (kernels_ == Kernels::kReference)
    return Error{ErrorKind::kUnsupported,
                 "LiteRT 2.3 has no reference kernels that can be chosen; use engine tflite"};
  EP_CHECK(choose_environment(options.delegates));
  if (const int status = api_.create_model(environment_, bytes_.data(), bytes_.size(), &model_);
      status != kOk)
    return unread_model(bytes_, status);
  EP_CHECK(choose_signature());
  EP_CHECK(read_ports());
  EP_CHECK(check_outputs());
  EP_CHECK(set_options(options));
  EP_CHECK(compile(kernels_.value_or(Kernels::kXnnpack)));
  EP_CHECK(resize(options));
  EP_CHECK(create_buffers());
  if (options.profile) start_profile();
  input_specs_ = specs_of(input_ports_);
  output_specs_ = specs_of(output_ports_);
  return {};
}

void LiteRtSession::start_profile() {
  // A run on the accelerator fails while the profiler is attached.
  if (on_gpu_) warnings_.push_back("LiteRT reports no operator times with its GPU accelerator");
  else if (!runtime_->tried() || api_.profiler(compiled_, &profiler_) != kOk || !profiler_) {
    profiler_ = nullptr;
    warnings_.push_back("this LiteRT library reports no operator times");
  }
}

Status LiteRtSession::choose_environment(const std::vector<Delegate>& delegates) {
  environment_ = runtime_->environment();
  for (const Delegate& delegate : delegates) {
    EP_TRY(const auto with, environment_with(*runtime_, delegate));
    if (std::exchange(on_gpu_, true))
      return Error{ErrorKind::kUsage, "delegate 'gpu' was given twice"};
    environment_ = with;
  }
  return {};
}

Status LiteRtSession::choose_signature() {
  std::size_t main = 0;
  std::size_t count = 0;
  if (api_.main_subgraph_index(model_, &main) != kOk ||
      api_.subgraph(model_, main, &graph_) != kOk || !graph_ ||
      api_.signature_count(model_, &count) != kOk || count == 0)
    return Error{ErrorKind::kCorrupt, "the model has no main graph"};
  for (std::size_t i = 0; i < count; ++i) {
    CSubgraph* graph = nullptr;
    if (api_.signature(model_, i, &signature_) == kOk &&
        api_.signature_subgraph(signature_, &graph) == kOk && graph == graph_) {
      signature_index_ = i;
      std::size_t ops = 0;
      if (api_.subgraph_op_count(graph_, &ops) == kOk) op_count_ = static_cast<int>(ops);
      return {};
    }
  }
  return Error{ErrorKind::kUnsupported, "none of the model's " + std::to_string(count) +
                                            " signatures is for its main graph; use engine tflite"};
}

/// The inputs or outputs in graph order, with their positions in the signature.
Status LiteRtSession::read_ports() {
  struct Side {
    const char* role;
    int (*graph_count)(CSubgraph*, std::size_t*);
    int (*graph_tensor)(CSubgraph*, std::size_t, CTensor**);
    int (*signature_count)(CSignature*, std::size_t*);
    int (*signature_tensor)(CSignature*, std::size_t, CTensor**);
    std::vector<Port>* ports;
    std::vector<CBuffer*>* buffers;
  };
  const Side sides[] = {
      {"input", api_.subgraph_input_count, api_.subgraph_input, api_.signature_input_count,
       api_.signature_input, &input_ports_, &input_buffers_},
      {"output", api_.subgraph_output_count, api_.subgraph_output, api_.signature_output_count,
       api_.signature_output, &output_ports_, &output_buffers_},
  };
  for (const Side& side : sides) {
    std::size_t in_graph = 0;
    std::size_t in_signature = 0;
    if (side.graph_count(graph_, &in_graph) != kOk ||
        side.signature_count(signature_, &in_signature) != kOk)
      return Error{ErrorKind::kCorrupt,
                   std::string("the model's ") + side.role + "s cannot be read"};
    std::vector<CTensor*> slots(in_signature);
    for (std::size_t i = 0; i < in_signature; ++i)
      if (side.signature_tensor(signature_, i, &slots[i]) != kOk)
        return Error{ErrorKind::kCorrupt, std::string("the model's signature lacks ") + side.role +
                                              " " + std::to_string(i)};
    for (std::size_t i = 0; i < in_graph; ++i) {
      CTensor* tensor = nullptr;
      const std::string role = side.role + (" " + std::to_string(i));
      if (side.graph_tensor(graph_, i, &tensor) != kOk || !tensor)
        return Error{ErrorKind::kCorrupt, role + " of the model cannot be read"};
      const auto slot = std::find(slots.begin(), slots.end(), tensor);
      if (slot == slots.end()) {
        warnings_.push_back(role +
                            " of the graph is not in the model's signature; LiteRT leaves it out");
        continue;
      }
      EP_TRY(auto port,
             port_of(api_, tensor, static_cast<std::size_t>(slot - slots.begin()), role));
      side.ports->push_back(std::move(port));
    }
    side.buffers->assign(in_signature, nullptr);
  }
  if (input_ports_.size() != input_buffers_.size() ||
      output_ports_.size() != output_buffers_.size())
    return Error{ErrorKind::kUnsupported,
                 "the model's signature does not fit its graph; use engine tflite"};
  return {};
}

Status LiteRtSession::add_toml(const char* identifier, const std::string& toml) {
  char* const payload = ::strdup(toml.c_str());
  COpaque* opaque = nullptr;
  if (!payload || api_.create_opaque(identifier, payload, &std::free, &opaque) != kOk ||
      api_.add_opaque(options_, opaque) != kOk)
    return Error{ErrorKind::kTarget,
                 std::string("LiteRT does not take the options '") + identifier + "'"};
  return {};
}

/// LiteRT 2.3 leaves an output that is also an input or listed twice, and others besides it, filled
/// with zeros.
Status LiteRtSession::check_outputs() const {
  for (auto output = output_ports_.begin(); output != output_ports_.end(); ++output) {
    const auto same = [&](const Port& port) { return port.tensor == output->tensor; };
    const bool is_input = std::any_of(input_ports_.begin(), input_ports_.end(), same);
    if (!is_input && std::none_of(output_ports_.begin(), output, same)) continue;
    return Error{ErrorKind::kUnsupported,
                 "its output '" + sanitized(output->spec.name, 100) + "' is " +
                     (is_input ? "also an input" : "listed twice") +
                     ", which LiteRT's compiled models do not return: use engine tflite "
                     "(script/setup --tflite brings it)"};
  }
  return {};
}

Status LiteRtSession::set_options(const SessionOptions& options) {
  if (api_.create_options(&options_) != kOk ||
      api_.set_accelerators(options_, kCpu | (on_gpu_ ? kGpu : 0)) != kOk)
    return Error{ErrorKind::kTarget, "LiteRT cannot create its options"};
  const std::string kernels = kernels_ == Kernels::kBuiltin ? "builtin" : "xnnpack";
  EP_CHECK(add_toml("xnnpack", "kernel_mode = \"" + kernels +
                                   "\"\nnum_threads = " + std::to_string(options.threads) + "\n"));
  // By default the accelerator computes in float16. 2 is float32.
  if (on_gpu_ && options.precision == Precision::kFloat32)
    EP_CHECK(add_toml("gpu_options", "precision = 2\n"));
  // Mode 2 stores the interpreter's messages for error_messages() instead of printing them.
  return add_toml("runtime_options_string",
                  std::string("error_reporter_mode = 2\n") +
                      (options.profile && !on_gpu_ ? "enable_profiling = true\n" : ""));
}

Status LiteRtSession::compile(Kernels kernels) {
  const PlanWatch watch(api_);
  if (const int status = api_.compile(environment_, model_, options_, &compiled_); status != kOk)
    return on_gpu_ ? gpu_failure(status)
                   : Error{ErrorKind::kUnsupported,
                           "the engine refuses the model: " + status_text(status)};
  // Operators that the GPU leaves to others, and why. Later messages are about failures.
  if (const std::string left = on_gpu_ ? reason() : ""; !left.empty())
    warnings_.push_back("delegate 'gpu'" + left);
  const bool xnnpack = kernels == Kernels::kXnnpack;
  if (!on_gpu_ && !xnnpack) return {};
  if (!watch.seen()) {
    warnings_.push_back(std::string("this LiteRT library does not report which operators ") +
                        (on_gpu_ ? "the GPU" : "XNNPACK") + " took");
    if (on_gpu_) delegations_.push_back({gpu_name(), 0, 0, {}});
    return {};
  }
  if (on_gpu_) add_delegation(gpu_name(), watch.taken_by_others(op_count_));
  if (!xnnpack || (on_gpu_ && delegations_.front().ops_taken == op_count_)) return {};
  add_delegation("xnnpack", watch.taken_by_xnnpack());
  share_ = tflite::share_of(bytes_, watch.taken_by_xnnpack(), watch.xnnpack_pieces());
  return {};
}

void LiteRtSession::add_delegation(const std::string& name, std::vector<int> taken) {
  if (taken.empty())
    warnings_.push_back("delegate '" + name + "' took none of the " + std::to_string(op_count_) +
                        " operators");
  const int count = static_cast<int>(taken.size());
  delegations_.push_back({name, count, op_count_, std::move(taken)});
}

std::string LiteRtSession::reason() const {
  char* text = nullptr;
  if (!compiled_ || api_.error_messages(compiled_, &text) != kOk || !text) return {};
  const std::string sentence = one_sentence(text);
  std::free(text);
  api_.clear_errors(compiled_);
  return sentence.empty() ? "" : ": " + sentence;
}

Status LiteRtSession::resize(const SessionOptions& options) {
  EP_TRY(const auto shapes, requested_shapes(specs_of(input_ports_), options.input_shapes));
  for (std::size_t i = 0; i < input_ports_.size(); ++i) {
    Port& port = input_ports_[i];
    const Shape& wanted = shapes[i];
    if (wanted != port.spec.shape) {
      const std::vector<int> dimensions(wanted.begin(), wanted.end());
      if (wanted.size() > kMostDimensions ||
          api_.resize_input(compiled_, signature_index_, port.slot, dimensions.data(),
                            dimensions.size()) != kOk)
        return Error{ErrorKind::kUnsupported, "input '" + sanitized(port.spec.name) +
                                                  "' cannot be resized to " + to_text(wanted) +
                                                  reason()};
      port.spec.shape = wanted;
      port.type.layout = Layout{static_cast<std::uint32_t>(wanted.size()), {}, {}};
      std::copy(dimensions.begin(), dimensions.end(), port.type.layout.dimensions);
    }
  }
  // `true` allocates now, so that a missing operator is detected here.
  if (!read_output_shapes(true))
    return Error{ErrorKind::kUnsupported, "the engine cannot prepare the model" + reason()};
  return {};
}

bool LiteRtSession::read_output_shapes(bool allocate) {
  std::vector<Layout> layouts(output_buffers_.size());
  if (api_.output_layouts(compiled_, signature_index_, layouts.size(), layouts.data(), allocate) !=
      kOk)
    return false;
  for (Port& port : output_ports_) {
    const Layout& layout = layouts[port.slot];
    if (layout.rank() > kMostDimensions) return false;
    port.type.layout = layout;
    port.spec.shape.assign(layout.dimensions, layout.dimensions + layout.rank());
  }
  return true;
}

Status LiteRtSession::create_buffers() {
  const auto no_memory = [](const Port& port, int status) {
    return Error{ErrorKind::kUnsupported,
                 "the engine has no memory for '" + sanitized(port.spec.name) + "' of shape " +
                     to_text(port.spec.shape) + ": " + status_text(status)};
  };
  for (const Port& port : input_ports_) {
    CRequirements* requirements = nullptr;
    std::size_t size = 0;
    if (api_.input_requirements(compiled_, signature_index_, port.slot, &requirements) != kOk ||
        api_.requirements_size(requirements, &size) != kOk)
      return Error{ErrorKind::kUnsupported, "the engine cannot prepare the model" + reason()};
    CBuffer*& buffer = input_buffers_[port.slot];
    // The accelerator prefers GPU memory: a run would then begin and end with copies that are not
    // part of it, and return before it is complete.
    const int status =
        on_gpu_ ? api_.create_sized_buffer(environment_, kHostMemory, &port.type, size, &buffer)
                : api_.create_buffer(environment_, &port.type, requirements, &buffer);
    if (status != kOk) return no_memory(port, status);
  }
  for (const Port& port : output_ports_) {
    CRequirements* requirements = nullptr;
    std::size_t size = 0;
    if (api_.output_requirements(compiled_, signature_index_, port.slot, &requirements) != kOk ||
        api_.requirements_size(requirements, &size) != kOk)
      return Error{ErrorKind::kUnsupported, "the engine cannot prepare the model" + reason()};
    // If the shape depends on the run, the one reported now is a guess, and XNNPACK writes past a
    // buffer of that size. Untouched pages cost nothing.
    const std::size_t roomy = std::max(kRoomyOutput, 4 * size);
    if (const int status = api_.create_sized_buffer(environment_, kHostMemory, &port.type, roomy,
                                                    &output_buffers_[port.slot]);
        status != kOk)
      return no_memory(port, status);
  }
  // A model that cannot be allocated is detected only here, and only through a message.
  if (const std::string failed = reason(); !failed.empty())
    return Error{ErrorKind::kUnsupported, "the engine cannot prepare the model" + failed};
  return {};
}

Status LiteRtSession::copy_in(CBuffer* buffer, ByteView bytes) const {
  void* memory = nullptr;
  std::size_t size = 0;
  if (api_.buffer_size(buffer, &size) != kOk || size < bytes.size ||
      api_.lock(buffer, &memory, kLockWrite) != kOk)
    return Error{ErrorKind::kTarget, "litert has no memory for an input"};
  if (bytes.size > 0) std::memcpy(memory, bytes.data, bytes.size);
  api_.unlock(buffer);
  return {};
}

std::vector<OpTime> LiteRtSession::collect_profile() {
  int count = 0;
  if (api_.stop_profiler(profiler_) != kOk || api_.event_count(profiler_, &count) != kOk ||
      count <= 0)
    return {};
  std::vector<ProfilerEvent> events(static_cast<std::size_t>(count));
  std::vector<OpTime> times;
  if (api_.events(profiler_, count, events.data()) == kOk) times = op_times(events, op_count_);
  api_.reset_profiler(profiler_);
  return times;
}

Error LiteRtSession::run_failure(int status) const {
  const std::string told = reason();
  return Error{ErrorKind::kTarget, "litert failed while running the model" +
                                       (told.empty() ? ": " + status_text(status) : told) +
                                       kernels_advice(told, kernels_)};
}

Result<Inference> LiteRtSession::infer(const std::vector<TensorView>& inputs) {
  EP_CHECK(check_inputs(input_specs_, inputs));
  for (std::size_t i = 0; i < inputs.size(); ++i)
    EP_CHECK(copy_in(input_buffers_[input_ports_[i].slot], inputs[i].bytes));
  if (profiler_) api_.start_profiler(profiler_);
  const auto start = std::chrono::steady_clock::now();
  const int status =
      api_.run(compiled_, signature_index_, input_buffers_.size(), input_buffers_.data(),
               output_buffers_.size(), output_buffers_.data());
  Inference inference;
  inference.latency = std::chrono::steady_clock::now() - start;
  if (profiler_) {
    inference.op_times = collect_profile();
    tflite::complete(inference.op_times, inference.latency, share_);
  }
  if (status != kOk) return run_failure(status);
  if (!read_output_shapes(false))
    return Error{ErrorKind::kTarget, "litert does not report the shapes of its outputs" + reason()};
  output_specs_ = specs_of(output_ports_);
  for (const Port& port : output_ports_) {
    CBuffer* const buffer = output_buffers_[port.slot];
    Tensor output{port.spec, {}};
    const auto expected = port.spec.byte_size();
    std::size_t size = 0;
    void* memory = nullptr;
    if (!expected || api_.buffer_size(buffer, &size) != kOk || size < *expected ||
        api_.lock(buffer, &memory, kLockRead) != kOk)
      return Error{ErrorKind::kTarget, "litert left output '" + sanitized(port.spec.name) +
                                           "' of shape " + to_text(port.spec.shape) +
                                           " without memory; use engine tflite"};
    const auto* const data = static_cast<const std::byte*>(memory);
    output.bytes.assign(data, data + *expected);
    api_.unlock(buffer);
    inference.outputs.push_back(std::move(output));
  }
  return inference;
}

Result<std::unique_ptr<Binding>> LiteRtSession::bind(const std::vector<Place>& inputs,
                                                     const std::vector<Place>& outputs) {
  EP_CHECK(check_places(input_specs_, inputs, "input"));
  EP_CHECK(check_places(output_specs_, outputs, "output"));
  if (profiler_ || !tflite::can_compute_in_place(bytes_, inputs, outputs))
    return Session::bind(inputs, outputs);
  const auto by_slot = [](const std::vector<Port>& ports, const std::vector<Place>& places) {
    std::vector<TypedPlace> typed(ports.size());
    for (std::size_t i = 0; i < ports.size(); ++i)
      typed[ports[i].slot] = {ports[i].type, places[i]};
    return typed;
  };
  auto binding = bind_places(
      api_, {compiled_, signature_index_, [this](int status) { return run_failure(status); }},
      by_slot(input_ports_, inputs), by_slot(output_ports_, outputs));
  return binding ? std::move(binding) : Session::bind(inputs, outputs);
}

}  // namespace

Result<std::unique_ptr<Session>> load_session(std::shared_ptr<Runtime> runtime, ByteView model,
                                              const SessionOptions& options) {
  auto session = std::make_unique<LiteRtSession>(std::move(runtime), model);
  EP_CHECK(session->load(options));
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace edgeprobe::engine::litert

// SPDX-License-Identifier: Apache-2.0
#include "engine/tflite/session.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "core/text.h"
#include "engine/inputs.h"
#include "engine/runtime_engine.h"
#include "engine/tensor_type.h"
#include "engine/tflite/delegates.h"
#include "engine/tflite/delegation.h"
#include "engine/tflite/in_place.h"
#include "engine/tflite/profiler.h"
#include "engine/tflite/tensor_memory.h"
#include "engine/tflite/xnnpack_times.h"

namespace edgeprobe::engine::tflite {
namespace {

/// Messages of the runtime while it works for one session.
class Report {
 public:
  static void add(void* data, const char* format, va_list arguments) {
    char line[512];
    std::vsnprintf(line, sizeof line, format, arguments);
    auto& text = static_cast<Report*>(data)->text_;
    if (text.size() < 4096) text += std::string(text.empty() ? "" : " ") + line;
  }
  void clear() { text_.clear(); }
  /// ": <reason>", or "" if the runtime gave none.
  std::string reason() const { return text_.empty() ? "" : ": " + one_sentence(text_); }

 private:
  std::string text_;
};

class TfliteSession final : public Session {
 public:
  TfliteSession(std::shared_ptr<Runtime> runtime, ByteView model)
      : runtime_(std::move(runtime)), api_(runtime_->api), bytes_(model.copy()), memory_(api_) {}

  ~TfliteSession() override {
    // The interpreter uses the delegates, and both read the model.
    if (interpreter_) api_.interpreter_delete(interpreter_);
    for (const OwnedDelegate& owned : delegates_) owned.destroy(owned.delegate);
    if (options_) api_.options_delete(options_);
    if (model_) api_.model_delete(model_);
  }

  Status load(const SessionOptions& options);

  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return outputs_; }
  const std::vector<Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Result<Inference> infer(const std::vector<TensorView>& inputs) override;
  Result<std::unique_ptr<Binding>> bind(const std::vector<Place>& inputs,
                                        const std::vector<Place>& outputs) override;

  /// Runs the current inputs once; kTarget with the engine's message.
  Status invoke();

 private:
  Status choose_kernels(Kernels kernels);
  Status create_delegates(const SessionOptions& options);
  Status apply_delegates();
  Status resize(const SessionOptions& options);
  Result<TensorSpec> spec_of(const CTensor* tensor, const std::string& role) const;
  Status read_specs();

  std::shared_ptr<Runtime> runtime_;
  const Api& api_;
  Bytes bytes_;  ///< The runtime reads weights in place.
  Report report_;
  Profiler profiler_;
  bool profile_ = false;
  std::optional<Kernels> kernels_;
  XnnpackShare share_;  ///< For profiles.
  std::unique_ptr<PlanReader> plans_;
  CModel* model_ = nullptr;
  COptions* options_ = nullptr;
  CInterpreter* interpreter_ = nullptr;
  std::vector<OwnedDelegate> delegates_;
  TensorMemory memory_;

  std::vector<TensorSpec> inputs_;
  std::vector<TensorSpec> outputs_;
  std::vector<Delegation> delegations_;
  std::vector<std::string> warnings_;
};

Status TfliteSession::load(const SessionOptions& options) {
  kernels_ = own<TfliteOptions>(options).kernels;
  model_ = api_.model_create(bytes_.data(), bytes_.size(), &Report::add, &report_);
  if (!model_) return Error{ErrorKind::kCorrupt, "it is not a TFLite model" + report_.reason()};
  options_ = api_.options_create();
  api_.set_error_reporter(options_, &Report::add, &report_);
  api_.set_threads(options_, options.threads);
  EP_CHECK(choose_kernels(kernels_.value_or(Kernels::kXnnpack)));
  if (options.profile) {
    profile_ = api_.set_profiler != nullptr;
    if (profile_) api_.set_profiler(options_, profiler_.table());
    else warnings_.push_back("this TFLite library reports no operator times");
  }
  EP_CHECK(create_delegates(options));
  if (!api_.modify_graph)
    for (const OwnedDelegate& owned : delegates_) api_.add_delegate(options_, owned.delegate);

  interpreter_ = api_.interpreter_create(model_, options_);
  if (!interpreter_)
    return Error{ErrorKind::kUnsupported, "the engine refuses the model" + report_.reason()};
  // Shapes first: a delegate compiles for the shapes present at that time.
  EP_CHECK(resize(options));
  EP_CHECK(apply_delegates());
  report_.clear();
  if (api_.allocate(interpreter_) != kOk)
    return Error{ErrorKind::kUnsupported, "the engine cannot prepare the model" + report_.reason()};
  return read_specs();
}

Status TfliteSession::choose_kernels(Kernels kernels) {
  if (kernels == Kernels::kXnnpack && !api_.has_xnnpack())
    return Error{ErrorKind::kUnsupported,
                 "this TFLite library has no XNNPACK; choose the builtin kernels"};
  if (kernels != Kernels::kReference) return {};
  if (!api_.has_reference_kernels())
    return Error{ErrorKind::kUnsupported,
                 "this TFLite library does not export its reference kernels "
                 "(tflite::ops::builtin::BuiltinRefOpResolver); choose the builtin kernels"};
  if (!runtime_->reference) runtime_->reference.emplace(runtime_->api);
  runtime_->reference->install(options_);
  return {};
}

Status TfliteSession::create_delegates(const SessionOptions& options) {
  // The user's delegates choose first, XNNPACK takes the rest, as in apps.
  for (const Delegate& wanted : options.delegates) {
    EP_TRY(auto delegate, create_delegate(runtime_->library, wanted, options.precision));
    delegates_.push_back(std::move(delegate));
  }
  if (kernels_.value_or(Kernels::kXnnpack) != Kernels::kXnnpack) return {};
  XnnpackOptions xnnpack = api_.xnnpack_defaults();
  xnnpack.threads = options.threads;
  // Without these bits quantised models silently stay on the built-in kernels.
  xnnpack.flags |= kXnnpackQuantized;
  CDelegate* const delegate = api_.xnnpack_create(&xnnpack);
  if (!delegate)
    return Error{ErrorKind::kTarget, "XNNPACK cannot be started; choose the builtin kernels"};
  delegates_.push_back({delegate, api_.xnnpack_delete, "xnnpack"});
  return {};
}

Status TfliteSession::resize(const SessionOptions& options) {
  if (options.input_shapes.empty()) return {};
  std::vector<TensorSpec> specs;
  for (std::int32_t i = 0; i < api_.input_count(interpreter_); ++i) {
    EP_TRY(auto spec, spec_of(api_.input(interpreter_, i), "input " + std::to_string(i)));
    specs.push_back(std::move(spec));
  }
  EP_TRY(const auto shapes, requested_shapes(specs, options.input_shapes));
  for (std::size_t i = 0; i < specs.size(); ++i) {
    if (shapes[i] == specs[i].shape) continue;
    const std::vector<int> dimensions(shapes[i].begin(), shapes[i].end());
    report_.clear();
    if (api_.resize_input(interpreter_, static_cast<std::int32_t>(i), dimensions.data(),
                          static_cast<std::int32_t>(dimensions.size())) != kOk)
      return Error{ErrorKind::kUnsupported, "input '" + sanitized(specs[i].name) +
                                                "' cannot be resized to " + to_text(shapes[i]) +
                                                report_.reason()};
  }
  return {};
}

Status TfliteSession::apply_delegates() {
  if (delegates_.empty()) return {};
  std::optional<std::vector<int>> before;
  if (api_.tells_delegation()) {
    plans_ = std::make_unique<PlanReader>(api_);
    before = plans_->read(interpreter_);
  }
  const int total = before ? static_cast<int>(before->size()) : 0;
  if (before) profiler_.set_op_count(total);
  if (!before)
    warnings_.push_back("this TFLite library does not report which operators a delegate took");
  for (const OwnedDelegate& owned : delegates_) {
    report_.clear();
    const int status = api_.modify_graph ? api_.modify_graph(interpreter_, owned.delegate) : kOk;
    // XNNPACK is our own choice, so a model that it cannot take at all is not the user's mistake.
    if (status != kOk && !(owned.name == "xnnpack" && status == kApplicationError))
      return Error{ErrorKind::kUnsupported,
                   "delegate '" + owned.name + "' cannot take the model" + report_.reason()};
    Delegation delegation{owned.name, 0, total, {}};
    const auto after = before ? plans_->read(interpreter_) : std::nullopt;
    if (before && after) {
      const std::set<int> left(after->begin(), after->end());
      for (const int op : *before)
        if (op < total && !left.contains(op)) delegation.ops.push_back(op);
      delegation.ops_taken = static_cast<int>(delegation.ops.size());
      if (delegation.ops.empty())
        warnings_.push_back("delegate '" + owned.name + "' took none of the " +
                            std::to_string(total) + " operators" +
                            (status == kOk ? "" : report_.reason()));
      before = after;
      if (profile_ && owned.name == "xnnpack") {
        // Nodes after the file's operators are the pieces that it runs as a unit.
        const auto pieces =
            std::count_if(after->begin(), after->end(), [&](int node) { return node >= total; });
        share_ = share_of(bytes_, delegation.ops, static_cast<int>(pieces));
      }
    }
    delegations_.push_back(std::move(delegation));
  }
  return {};
}

Result<TensorSpec> TfliteSession::spec_of(const CTensor* tensor, const std::string& role) const {
  TensorSpec spec;
  const char* const tensor_name = tensor ? api_.tensor_name(tensor) : nullptr;
  spec.name = tensor_name ? tensor_name : "";
  if (!tensor) return Error{ErrorKind::kCorrupt, role + " does not exist"};
  const int type = api_.tensor_type(tensor);
  spec.dtype = dtype_of(type);
  if (spec.dtype == DType::kOther)
    return Error{ErrorKind::kUnsupported, role + " '" + sanitized(spec.name) + "' is of type " +
                                              tflite_type_name(type) +
                                              ", which edgeprobe cannot feed or record"};
  for (std::int32_t d = 0; d < api_.tensor_rank(tensor); ++d)
    spec.shape.push_back(api_.tensor_dimension(tensor, d));
  if (api_.full_quantization) {
    const TensorQuantization full = api_.full_quantization(tensor);
    if (full.type == 1 && full.affine && full.affine->scale && full.affine->scale->size > 0) {
      const FloatArray* const scale = full.affine->scale;
      spec.quantization.scale.assign(scale->data, scale->data + scale->size);
      if (const IntArray* const zero = full.affine->zero_point; zero && zero->size > 0)
        spec.quantization.zero_point.assign(zero->data, zero->data + zero->size);
      spec.quantization.axis = full.affine->axis;
    }
  } else if (const QuantizationParams one = api_.tensor_quantization(tensor); one.scale != 0) {
    spec.quantization = {{one.scale}, {one.zero_point}, 0};
  }
  return spec;
}

Status TfliteSession::read_specs() {
  for (std::int32_t i = 0; i < api_.input_count(interpreter_); ++i) {
    EP_TRY(auto spec, spec_of(api_.input(interpreter_, i), "input " + std::to_string(i)));
    inputs_.push_back(std::move(spec));
  }
  for (std::int32_t i = 0; i < api_.output_count(interpreter_); ++i) {
    EP_TRY(auto spec, spec_of(api_.output(interpreter_, i), "output " + std::to_string(i)));
    outputs_.push_back(std::move(spec));
  }
  return {};
}

Status TfliteSession::invoke() {
  report_.clear();
  if (api_.invoke(interpreter_) == kOk) return {};
  const std::string told = report_.reason();
  return Error{ErrorKind::kTarget,
               "tflite failed while running the model" + told + kernels_advice(told, kernels_)};
}

Result<Inference> TfliteSession::infer(const std::vector<TensorView>& inputs) {
  EP_CHECK(check_inputs(inputs_, inputs));
  if (!memory_.bring_back(interpreter_))
    return Error{ErrorKind::kTarget,
                 "tflite does not take memory for its tensors" + report_.reason()};
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const CTensor* const tensor = api_.input(interpreter_, static_cast<std::int32_t>(i));
    void* const data = api_.tensor_data(tensor);
    if (!data || api_.tensor_bytes(tensor) != inputs[i].bytes.size)
      return Error{ErrorKind::kTarget,
                   "tflite has no memory for input '" + sanitized(inputs_[i].name) + "'"};
    std::memcpy(data, inputs[i].bytes.data, inputs[i].bytes.size);
  }
  profiler_.clear();
  const auto start = std::chrono::steady_clock::now();
  auto invoked = invoke();
  Inference inference;
  inference.latency = std::chrono::steady_clock::now() - start;
  if (!invoked) return std::move(invoked).error();
  if (profile_) {
    inference.op_times = profiler_.take();
    complete(inference.op_times, inference.latency, share_);
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const CTensor* const tensor = api_.output(interpreter_, static_cast<std::int32_t>(i));
    // Some shapes are decided at run time.
    Shape& shape = outputs_[i].shape;
    shape.clear();
    for (std::int32_t d = 0; d < api_.tensor_rank(tensor); ++d)
      shape.push_back(api_.tensor_dimension(tensor, d));
    Tensor output{outputs_[i], {}};
    const std::size_t size = api_.tensor_bytes(tensor);
    const auto* const data = static_cast<const std::byte*>(api_.tensor_data(tensor));
    if (size > 0 && !data)
      return Error{ErrorKind::kTarget,
                   "tflite left output '" + sanitized(output.spec.name) + "' without memory"};
    if (size > 0) output.bytes.assign(data, data + size);
    inference.outputs.push_back(std::move(output));
  }
  return inference;
}

/// The interpreter computes in the places.
class TfliteBinding final : public Binding {
 public:
  explicit TfliteBinding(TfliteSession& session) : session_(session) {}
  Status run() override { return session_.invoke(); }
  std::uint64_t copied() const override { return 0; }

 private:
  TfliteSession& session_;
};

Result<std::unique_ptr<Binding>> TfliteSession::bind(const std::vector<Place>& inputs,
                                                     const std::vector<Place>& outputs) {
  EP_CHECK(check_places(inputs_, inputs, "input"));
  EP_CHECK(check_places(outputs_, outputs, "output"));
  // Delegates other than XNNPACK may keep the first addresses that they get.
  const bool fixed = std::any_of(delegates_.begin(), delegates_.end(),
                                 [](const auto& owned) { return owned.name != "xnnpack"; });
  if (profile_ || fixed || !api_.takes_memory() || !can_compute_in_place(bytes_, inputs, outputs))
    return Session::bind(inputs, outputs);
  if (!memory_.move(interpreter_, inputs, outputs)) return Session::bind(inputs, outputs);
  return std::unique_ptr<Binding>(std::make_unique<TfliteBinding>(*this));
}

}  // namespace

Result<std::unique_ptr<Session>> load_session(std::shared_ptr<Runtime> runtime, ByteView model,
                                              const SessionOptions& options) {
  auto session = std::make_unique<TfliteSession>(std::move(runtime), model);
  EP_CHECK(session->load(options));
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace edgeprobe::engine::tflite

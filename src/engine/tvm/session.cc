// SPDX-License-Identifier: Apache-2.0
#include "engine/tvm/session.h"

#include <cstdlib>
#include <cstring>
#include <optional>

#include "core/text.h"
#include "engine/inputs.h"
#include "engine/named_file.h"
#include "engine/tvm/instrument.h"
#include "engine/tvm/metadata.h"
#include "engine/worker_process.h"

namespace edgeprobe::engine::tvm {
namespace {

/// Kernels are compiled for data with this alignment.
constexpr std::size_t kAlignment = 64;

CDataType type_of(DType dtype) {
  const auto bits = static_cast<std::uint8_t>(size_of(dtype) * 8);
  switch (dtype) {
    case DType::kFloat16:
    case DType::kFloat32:
    case DType::kFloat64: return {2, bits, 1};
    case DType::kBFloat16: return {4, bits, 1};
    case DType::kBool: return {6, bits, 1};
    case DType::kUInt8:
    case DType::kUInt16:
    case DType::kUInt32:
    case DType::kUInt64: return {1, bits, 1};
    default: return {0, bits, 1};
  }
}

/// An input in our memory, as a TVM object.
class Input {
 public:
  explicit Input(const TensorSpec& spec)
      : shape_(spec.shape.begin(), spec.shape.end()),
        data_(static_cast<std::byte*>(std::aligned_alloc(
            kAlignment, (spec.byte_size().value() / kAlignment + 1) * kAlignment))) {
    managed_.tensor = {data_,
                       {1, 0},
                       static_cast<std::int32_t>(shape_.size()),
                       type_of(spec.dtype),
                       shape_.data(),
                       nullptr,
                       0};
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() {
    object_ = Value();
    std::free(data_);
  }
  Status open(const Api& api) {
    void* object = nullptr;
    if (!data_ || api.tensor_from(&managed_, kAlignment, 1, &object) != 0)
      return Error{ErrorKind::kTarget, "TVM takes no tensor"};
    CAny any;
    any.type = kTensor;
    any.object = object;
    object_ = Value(api, any);
    return {};
  }
  std::byte* data() const { return data_; }
  const CAny& any() const { return object_.any(); }

 private:
  std::vector<std::int64_t> shape_;
  std::byte* data_;
  CManagedTensor managed_{};
  Value object_;
};

class TvmSession final : public Session {
 public:
  explicit TvmSession(std::shared_ptr<Runtime> runtime)
      : runtime_(std::move(runtime)), api_(runtime_->api) {}

  Status load(ByteView bytes, const SessionOptions& options);

  const std::vector<TensorSpec>& inputs() const override { return metadata_.inputs; }
  const std::vector<TensorSpec>& outputs() const override { return metadata_.outputs; }
  const std::vector<Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Result<Inference> infer(const std::vector<TensorView>& inputs) override;

 private:
  Status set_threads(int threads);
  Status read_module(const std::string& path);
  Status start_machine(const std::string& path, bool profile);
  Result<Value> function(const Value& module, const char* name) const;
  Status take_output(const CTensor& tensor, std::size_t index, Inference& inference) const;

  std::shared_ptr<Runtime> runtime_;
  const Api& api_;
  Metadata metadata_;
  std::vector<Delegation> delegations_;
  std::vector<std::string> warnings_;
  Value module_;
  Value machine_;
  Value main_;
  std::vector<std::unique_ptr<Input>> held_;
  std::unique_ptr<Instrument> instrument_;
};

Status TvmSession::load(ByteView bytes, const SessionOptions& options) {
  if (!std::getenv(kWorkerVariable))
    return Error{ErrorKind::kUnsupported,
                 "a compiled module is machine code, and runs only in a supervised engine process"};
  EP_CHECK(set_threads(options.threads));
  EP_TRY(const auto file, NamedFile::create(bytes, "model.so"));
  EP_CHECK(read_module(file.path().string()));
  EP_TRY(const auto shapes, requested_shapes(metadata_.inputs, options.input_shapes));
  for (std::size_t i = 0; i < shapes.size(); ++i)
    if (shapes[i] != metadata_.inputs[i].shape)
      return Error{ErrorKind::kUnsupported, "it is compiled for input '" +
                                                sanitized(metadata_.inputs[i].name) +
                                                "' of shape " + to_text(metadata_.inputs[i].shape) +
                                                "; convert the model again for another"};
  EP_CHECK(start_machine(file.path().string(), options.profile));
  for (const TensorSpec& spec : metadata_.inputs) {
    held_.push_back(std::make_unique<Input>(spec));
    EP_CHECK(held_.back()->open(api_));
  }
  return {};
}

Status TvmSession::set_threads(int threads) {
  // Prevents TVM's threads from pinning themselves to CPUs of its choice. TVM reads this when the
  // first thread starts.
  ::setenv("TVM_BIND_THREADS", "0", 1);
  ::setenv("TVM_NUM_THREADS", std::to_string(threads).c_str(), 1);
  EP_TRY(const auto configure, global(api_, "runtime.config_threadpool"));
  constexpr std::int64_t kAnyCpu = 0;
  EP_CHECK(call(api_, configure, {integer(kAnyCpu), integer(threads)}));
  return {};
}

Status TvmSession::read_module(const std::string& path) {
  const auto library = SharedLibrary::open(path);
  if (!library) return Error(library.error()).during("it is not a module for this machine");
  const auto* const text = static_cast<const char*>(library->symbol(kMetadataSymbol));
  if (!text)
    return Error{ErrorKind::kUnsupported,
                 std::string("it does not say what its inputs and outputs are (symbol ") +
                     kMetadataSymbol + "): compile it with 'edgeprobe convert MODEL --to tvm'"};
  EP_TRY(metadata_, read_metadata(text));
  if (metadata_.tuning.empty())
    warnings_.push_back(
        "untuned: no tuning record was applied when this module was compiled, so its times are not "
        "what TVM can do");
  return {};
}

Result<Value> TvmSession::function(const Value& module, const char* name) const {
  EP_TRY(const auto get, global(api_, "ffi.ModuleGetFunction"));
  auto found = call(api_, get, {module.any(), raw_text(name), boolean(true)});
  if (!found) return found;
  if (found->type() != kFunction)
    return Error{ErrorKind::kCorrupt, std::string("the module has no function '") + name + "'"};
  return found;
}

Status TvmSession::start_machine(const std::string& path, bool profile) {
  EP_TRY(const auto load_file, global(api_, "ffi.ModuleLoadFromFile"));
  EP_TRY(module_, call(api_, load_file, {raw_text(path.c_str())}));
  EP_TRY(const auto executable, function(module_, "vm_load_executable"));
  EP_TRY(machine_, call(api_, executable, {}));
  EP_TRY(const auto initialise, function(machine_, "vm_initialization"));
  constexpr std::int64_t kCpu = 1, kFirst = 0, kPooled = 2;
  EP_CHECK(call(api_, initialise, {integer(kCpu), integer(kFirst), integer(kPooled)}));
  EP_TRY(main_, function(machine_, "main"));
  if (!profile) return {};
  EP_TRY(const auto set_instrument, function(machine_, "set_instrument"));
  instrument_ = std::make_unique<Instrument>();
  return instrument_->install(api_, set_instrument);
}

Status TvmSession::take_output(const CTensor& tensor, std::size_t index,
                               Inference& inference) const {
  const TensorSpec& spec = metadata_.outputs[index];
  const CDataType want = type_of(spec.dtype);
  const bool same = tensor.dtype.code == want.code && tensor.dtype.bits == want.bits &&
                    tensor.dtype.lanes == want.lanes &&
                    Shape(tensor.shape, tensor.shape + tensor.rank) == spec.shape;
  if (!same)
    return Error{ErrorKind::kTarget, "output '" + sanitized(spec.name) + "' is of shape " +
                                         to_text(Shape(tensor.shape, tensor.shape + tensor.rank)) +
                                         " and not " + name(spec.dtype) + " " +
                                         to_text(spec.shape) + " as the module says"};
  Tensor output{spec, Bytes(spec.byte_size().value_or(0))};
  if (!output.bytes.empty())
    std::memcpy(output.bytes.data(),
                static_cast<const std::byte*>(tensor.data) + tensor.byte_offset,
                output.bytes.size());
  inference.outputs.push_back(std::move(output));
  return {};
}

Result<Inference> TvmSession::infer(const std::vector<TensorView>& inputs) {
  EP_CHECK(check_inputs(metadata_.inputs, inputs));
  std::vector<CAny> arguments;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].bytes.size > 0)
      std::memcpy(held_[i]->data(), inputs[i].bytes.data, inputs[i].bytes.size);
    arguments.push_back(held_[i]->any());
  }
  if (instrument_) instrument_->start();
  Inference inference;
  const auto start = std::chrono::steady_clock::now();
  auto result = call(api_, main_, arguments);
  inference.latency = std::chrono::steady_clock::now() - start;
  if (!result) return std::move(result).error().during("tvm failed while running the model");
  if (instrument_) inference.op_times = instrument_->take();
  const std::size_t count = metadata_.outputs.size();
  if (result->type() == kTensor && count == 1) {
    EP_CHECK(take_output(result->tensor(), 0, inference));
    return inference;
  }
  const auto size = global(api_, "ffi.ArraySize");
  const auto item = global(api_, "ffi.ArrayGetItem");
  if (!size || !item) return (size ? item : size).error();
  EP_TRY(const auto length,
         result->type() == kArray ? call(api_, *size, {result->any()}) : Result<Value>(Value()));
  if (length.any().integer != static_cast<std::int64_t>(count))
    return Error{ErrorKind::kTarget, "the module gives other outputs than the " +
                                         std::to_string(count) + " that it names"};
  for (std::size_t i = 0; i < count; ++i) {
    EP_TRY(const auto one,
           call(api_, *item, {result->any(), integer(static_cast<std::int64_t>(i))}));
    if (one.type() != kTensor)
      return Error{ErrorKind::kTarget,
                   "output " + std::to_string(i) + " of the module is not a tensor"};
    EP_CHECK(take_output(one.tensor(), i, inference));
  }
  return inference;
}

}  // namespace

Result<std::unique_ptr<Session>> load_session(std::shared_ptr<Runtime> runtime, ByteView model,
                                              const SessionOptions& options) {
  auto session = std::make_unique<TvmSession>(std::move(runtime));
  EP_CHECK(session->load(model, options));
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace edgeprobe::engine::tvm

// SPDX-License-Identifier: Apache-2.0
#include "engine/onnxruntime/session.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "core/file.h"
#include "core/text.h"
#include "engine/inputs.h"
#include "engine/onnxruntime/advice.h"
#include "engine/onnxruntime/binding.h"
#include "engine/onnxruntime/kernel_map.h"
#include "engine/onnxruntime/profile.h"
#include "engine/onnxruntime/runtime.h"
#include "engine/private_folder.h"
#include "model/format.h"

namespace edgeprobe::engine::onnxruntime {
namespace {

/// An input or output as the model declares it.
struct Port {
  std::size_t index = 0;
  int kind = kUnknownValue;
  int element_type = 0;
  TensorSpec spec;                      ///< -1 for open dimensions.
  std::vector<std::string> dimensions;  ///< Names of the dimensions; "" for none.
};

class OrtSession final : public Session {
 public:
  explicit OrtSession(std::shared_ptr<Runtime> runtime)
      : runtime_(std::move(runtime)), api_(runtime_->api()) {}

  Status load(ByteView model, const SessionOptions& options);

  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return outputs_; }
  const std::vector<Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  Result<Inference> infer(const std::vector<TensorView>& inputs) override;
  Result<std::unique_ptr<Binding>> bind(const std::vector<Place>& inputs,
                                        const std::vector<Place>& outputs) override;

 private:
  struct Side {
    const char* role;
    CStatus* (*Api::*count)(const CSession*, std::size_t*);
    CStatus* (*Api::*type)(const CSession*, std::size_t, CTypeInfo**);
    CStatus* (*Api::*name)(const CSession*, std::size_t, CAllocator*, char**);
  };
  Result<std::vector<Port>> ports(const Side& side) const;
  Result<Port> port(const Side& side, std::size_t index) const;
  Status take_inputs(const SessionOptions& options);
  Status take_outputs();
  Status prepare_profile(ByteView model, const std::filesystem::path& optimized,
                         const std::filesystem::path& folder);
  Result<std::vector<OpTime>> collect_profile();
  Result<Tensor> take_output(std::size_t index, CValue* value);

  std::shared_ptr<Runtime> runtime_;
  const Api& api_;
  Owned<CSession> session_;
  Owned<CRunOptions> run_options_;       ///< Null unless profiled.
  std::optional<PrivateFolder> folder_;  ///< For profiles.
  /// Empty if the engine does not expose its optimised graph.
  std::vector<Kernel> kernels_;
  /// By node of the profile; set after the first one was read.
  std::vector<std::vector<int>> kernel_layers_;
  /// Sizes of open dimensions by name, as set by the inputs.
  std::map<std::string, std::int64_t> known_dimensions_;

  std::vector<TensorSpec> inputs_;
  std::vector<TensorSpec> outputs_;
  std::vector<Delegation> delegations_;
  std::vector<std::string> warnings_;
};

/// The kind of failure is only in the message's words; ORT's own codes are no finer.
ErrorKind error_kind_of(const std::string& sentence) {
  const bool damaged = sentence.find("rotobuf parsing failed") != std::string::npos ||
                       sentence.find("No graph was found") != std::string::npos ||
                       sentence.find("invalid model") != std::string::npos;
  const bool unknown = sentence.find("No Op registered") != std::string::npos;
  return damaged && !unknown ? ErrorKind::kCorrupt : ErrorKind::kUnsupported;
}

/// For a model in memory, libraries before 1.19 look for external data in the process's working
/// folder.
Status check_outside(const Runtime& runtime, ByteView model) {
  if (version_of(runtime.version()).minor >= 19) return {};
  const auto graph = model::read_unhashed(model, "the model", {});
  if (!graph) return {};  // The engine reports this error itself.
  for (const model::ModelTensor& tensor : graph->tensors)
    if (tensor.is_constant && tensor.storage == model::ModelTensor::Storage::kExternal)
      return Error{ErrorKind::kUnsupported,
                   "the model keeps '" + sanitized(tensor.spec.name) +
                       "' outside its file, which ONNX Runtime reads since 1.19; this is " +
                       runtime.version()};
  return {};
}

Status OrtSession::load(ByteView model, const SessionOptions& options) {
  if (model.size == 0) return Error{ErrorKind::kCorrupt, "the file is empty"};
  EP_CHECK(check_outside(*runtime_, model));
  EP_TRY(auto made, create_options(*runtime_, options, delegations_, warnings_));
  const bool profiled = options.profile && api_.profiles_runs();
  std::filesystem::path optimized;
  if (profiled) {
    EP_TRY(folder_, PrivateFolder::create());
    optimized = folder_->path() / "optimized.onnx";
    // A provider's compiled nodes cannot be written, and loading would fail because of it.
    if (options.delegates.empty())
      static_cast<void>(
          runtime_->reason(api_.set_optimized_model_path(made.get(), optimized.c_str())));
  }
  session_ = Owned<CSession>(api_.release_session);
  const std::string failed = runtime_->reason(api_.create_session(
      runtime_->environment(), model.data, model.size, made.get(), session_.slot()));
  if (failed.find(kNoFolder) != std::string::npos)
    return Error{
        ErrorKind::kUsage,
        "the model keeps data outside its file, and the folder of that data was not given"};
  if (!failed.empty())
    return Error{error_kind_of(failed),
                 "the engine refuses the model: " + failed + advice_for(failed)};
  EP_CHECK(take_inputs(options));
  EP_CHECK(take_outputs());
  if (!options.profile) return {};
  if (profiled) return prepare_profile(model, optimized, options.folder);
  warnings_.push_back(
      "ONNX Runtime " + runtime_->version() +
      " is not known to profile single runs, so there are no operator times; take 1.25 to 1.32");
  return {};
}

Result<Port> OrtSession::port(const Side& side, std::size_t index) const {
  const auto failure = [&](const std::string& reason) {
    return Error{ErrorKind::kCorrupt, std::string(side.role) + " " + std::to_string(index) +
                                          " of the model cannot be read: " + reason};
  };
  Port port;
  port.index = index;
  char* text = nullptr;
  if (const std::string failed =
          runtime_->reason((api_.*side.name)(session_.get(), index, runtime_->allocator(), &text));
      !failed.empty())
    return failure(failed);
  port.spec.name = text ? text : "";
  static_cast<void>(runtime_->reason(api_.allocator_free(runtime_->allocator(), text)));

  Owned<CTypeInfo> type(api_.release_type);
  const CTensorInfo* info = nullptr;
  std::string failed = runtime_->reason((api_.*side.type)(session_.get(), index, type.slot()));
  if (failed.empty()) failed = runtime_->reason(api_.type_kind(type.get(), &port.kind));
  if (failed.empty() && port.kind == kTensor)
    failed = runtime_->reason(api_.tensor_info(type.get(), &info));
  if (!failed.empty()) return failure(failed);
  port.spec.dtype = DType::kOther;
  if (!info) return port;
  std::size_t rank = 0;
  failed = runtime_->reason(api_.element_type(info, &port.element_type));
  if (failed.empty()) failed = runtime_->reason(api_.rank(info, &rank));
  port.spec.shape.assign(rank, -1);
  std::vector<const char*> names(rank, nullptr);
  if (failed.empty())
    failed = runtime_->reason(api_.dimensions(info, port.spec.shape.data(), rank));
  if (failed.empty()) failed = runtime_->reason(api_.dimension_names(info, names.data(), rank));
  if (!failed.empty()) return failure(failed);
  for (const char* const name : names) port.dimensions.emplace_back(name ? name : "");
  port.spec.dtype = dtype_of(port.element_type);
  return port;
}

Result<std::vector<Port>> OrtSession::ports(const Side& side) const {
  std::size_t count = 0;
  if (const std::string failed = runtime_->reason((api_.*side.count)(session_.get(), &count));
      !failed.empty())
    return Error{ErrorKind::kCorrupt,
                 std::string("the model's ") + side.role + "s cannot be read: " + failed};
  std::vector<Port> all;
  for (std::size_t i = 0; i < count; ++i) {
    EP_TRY(auto one, port(side, i));
    all.push_back(std::move(one));
  }
  return all;
}

/// The kind of a port that is not a numeric tensor; "" if it is one.
std::string obstacle(const Port& port) {
  if (port.kind != kTensor) return kind_name(port.kind);
  return port.spec.dtype == DType::kOther ? std::string("of type ") + type_name(port.element_type)
                                          : "";
}

// Exporters write "?" and "-1" for unknown names.
bool is_symbol(const std::string& dimension) {
  return std::any_of(dimension.begin(), dimension.end(),
                     [](unsigned char c) { return std::isalpha(c) || c >= 0x80 || c == '_'; });
}

Status OrtSession::take_inputs(const SessionOptions& options) {
  EP_TRY(const auto all, ports({"input", &Api::input_count, &Api::input_type, &Api::input_name}));
  std::vector<TensorSpec> declared;
  for (const Port& port : all) {
    if (const std::string why = obstacle(port); !why.empty())
      return Error{ErrorKind::kUnsupported, "input " + std::to_string(port.index) + " '" +
                                                sanitized(port.spec.name) + "' is " + why +
                                                ", which edgeprobe cannot feed"};
    declared.push_back(port.spec);
  }
  EP_TRY(const auto shapes, requested_shapes(declared, options.input_shapes));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Port& port = all[i];
    const Shape& wanted = shapes[i];
    const auto cannot = [&](const std::string& why) {
      return Error{ErrorKind::kUnsupported, "input '" + sanitized(port.spec.name) +
                                                "' cannot be resized to " + to_text(wanted) + ": " +
                                                why};
    };
    // The engine reports an undeclared shape as that of a scalar; for real scalars it refuses other
    // shapes itself when it runs.
    const bool is_open = port.spec.shape.empty();
    if (!is_open && wanted.size() != port.spec.shape.size())
      return cannot("the model gives it " + std::to_string(port.spec.shape.size()) + " dimensions");
    for (std::size_t d = 0; d < wanted.size() && !is_open; ++d) {
      if (port.spec.shape[d] >= 0 && port.spec.shape[d] != wanted[d])
        return cannot("the model fixes dimension " + std::to_string(d) + " at " +
                      std::to_string(port.spec.shape[d]));
      if (port.spec.shape[d] >= 0 || !is_symbol(port.dimensions[d])) continue;
      // ONNX Runtime accepts two sizes for one name (1.14 to 1.32): such a name does not determine
      // an output's shape.
      const auto [known, fresh] = known_dimensions_.emplace(port.dimensions[d], wanted[d]);
      if (!fresh && known->second != wanted[d]) known->second = -1;
    }
    inputs_.push_back({port.spec.name, port.spec.dtype, wanted, {}});
  }
  return {};
}

Status OrtSession::take_outputs() {
  EP_TRY(const auto all,
         ports({"output", &Api::output_count, &Api::output_type, &Api::output_name}));
  for (const Port& port : all) {
    if (const std::string why = obstacle(port); !why.empty()) {
      warnings_.push_back("output " + std::to_string(port.index) + " '" +
                          sanitized(port.spec.name) + "' is " + why +
                          ", which edgeprobe cannot record; it is left out");
      continue;
    }
    TensorSpec spec = port.spec;
    for (std::size_t d = 0; d < spec.shape.size(); ++d)
      if (const auto known = known_dimensions_.find(port.dimensions[d]);
          spec.shape[d] < 0 && known != known_dimensions_.end())
        spec.shape[d] = known->second;
    outputs_.push_back(std::move(spec));
  }
  if (outputs_.empty())
    return Error{ErrorKind::kUnsupported, "none of the model's " + std::to_string(all.size()) +
                                              " outputs is a tensor of numbers" +
                                              (warnings_.empty() ? "" : ": " + warnings_.front())};
  return {};
}

/// `optimized`: the graph as the engine runs it, if the engine wrote it; `folder` has the model's
/// external data.
Status OrtSession::prepare_profile(ByteView model, const std::filesystem::path& optimized,
                                   const std::filesystem::path& folder) {
  run_options_ = Owned<CRunOptions>(api_.release_run_options);
  std::string failed = runtime_->reason(api_.create_run_options(run_options_.slot()));
  if (failed.empty())
    failed = runtime_->reason(
        api_.enable_run_profile(run_options_.get(), (folder_->path() / "run").c_str()));
  if (!failed.empty()) return Error{ErrorKind::kTarget, "ONNX Runtime cannot profile: " + failed};
  const auto original = model::read_unhashed(model, "the model", folder);
  const auto file = read_file(optimized);
  const auto rewritten =
      file ? model::read_unhashed(*file, "the optimised model", folder_->path()) : file.error();
  std::error_code ignored;
  std::filesystem::remove(optimized, ignored);
  if (original && rewritten) kernels_ = map_kernels(*original, *rewritten);
  else
    warnings_.push_back("which layers a kernel computes is not known: " +
                        (original ? rewritten.error().what : original.error().what));
  return {};
}

Result<std::vector<OpTime>> OrtSession::collect_profile() {
  std::vector<OpTime> times;
  std::error_code failed;
  for (const auto& entry : std::filesystem::directory_iterator(folder_->path(), failed)) {
    EP_TRY(const auto text, read_file(entry.path()));
    EP_TRY(const auto nodes, read_profile(ByteView(text).text()));
    if (kernel_layers_.size() != nodes.size()) kernel_layers_ = layers_of(kernels_, nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const NodeTime& node = nodes[i];
      const bool own = node.provider.empty() || node.provider == "CPUExecutionProvider";
      times.push_back({node.name, own ? node.type : node.type + " in " + node.provider,
                       kernel_layers_[i], node.precision, false, node.time});
    }
    std::filesystem::remove(entry.path(), failed);
    break;
  }
  if (times.empty()) return Error{ErrorKind::kTarget, "ONNX Runtime wrote no profile"};
  return times;
}

Result<Tensor> OrtSession::take_output(std::size_t index, CValue* value) {
  TensorSpec& spec = outputs_[index];
  const auto failure = [&](const std::string& reason) {
    return Error{ErrorKind::kTarget,
                 "onnxruntime left output '" + sanitized(spec.name) + "' unreadable: " + reason};
  };
  if (!value) return failure("it was not written");
  Owned<CTensorInfo> info(api_.release_tensor_info);
  int type = 0;
  std::size_t rank = 0;
  void* data = nullptr;
  std::string failed = runtime_->reason(api_.value_info(value, info.slot()));
  if (failed.empty()) failed = runtime_->reason(api_.element_type(info.get(), &type));
  if (failed.empty()) failed = runtime_->reason(api_.rank(info.get(), &rank));
  if (!failed.empty()) return failure(failed);
  spec.shape.assign(rank, 0);
  failed = runtime_->reason(api_.dimensions(info.get(), spec.shape.data(), rank));
  if (failed.empty()) failed = runtime_->reason(api_.value_data(value, &data));
  if (!failed.empty()) return failure(failed);
  if (dtype_of(type) != spec.dtype)
    return failure(std::string("it is of type ") + type_name(type) + ", not " + name(spec.dtype));
  const auto bytes = spec.byte_size();
  if (!bytes || (*bytes > 0 && !data)) return failure("it has no memory");
  Tensor output{spec, {}};
  const auto* const from = static_cast<const std::byte*>(data);
  output.bytes.assign(from, from + *bytes);
  return output;
}

Result<Inference> OrtSession::infer(const std::vector<TensorView>& inputs) {
  EP_CHECK(check_inputs(inputs_, inputs));
  std::vector<Owned<CValue>> values;
  std::vector<const CValue*> given;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    // The library requires writable memory but does not write to inputs.
    EP_TRY(auto value,
           value_over(*runtime_, inputs_[i],
                      {const_cast<std::byte*>(inputs[i].bytes.data), inputs[i].bytes.size}));
    given.push_back(values.emplace_back(std::move(value)).get());
  }
  const auto input_names = names_of(inputs_);
  const auto output_names = names_of(outputs_);
  std::vector<CValue*> made(outputs_.size(), nullptr);

  const auto start = std::chrono::steady_clock::now();
  CStatus* const status =
      api_.run(session_.get(), run_options_.get(), input_names.data(), given.data(), given.size(),
               output_names.data(), output_names.size(), made.data());
  Inference inference;
  inference.latency = std::chrono::steady_clock::now() - start;
  std::vector<Owned<CValue>> results;
  for (CValue* const value : made) *results.emplace_back(api_.release_value).slot() = value;
  EP_CHECK(run_status(*runtime_, status));
  if (run_options_.get()) {
    EP_TRY(inference.op_times, collect_profile());
  }
  for (std::size_t i = 0; i < results.size(); ++i) {
    EP_TRY(auto output, take_output(i, results[i].get()));
    inference.outputs.push_back(std::move(output));
  }
  return inference;
}

Result<std::unique_ptr<Binding>> OrtSession::bind(const std::vector<Place>& inputs,
                                                  const std::vector<Place>& outputs) {
  // Profiling writes a file per run, which infer() removes.
  if (run_options_.get() || overlap(inputs, outputs) || hands_inputs_on(inputs_, outputs_))
    return Session::bind(inputs, outputs);
  EP_CHECK(check_places(inputs_, inputs, "input"));
  EP_CHECK(check_places(outputs_, outputs, "output"));
  return bind_values(*runtime_, session_.get(), inputs_, inputs, outputs_, outputs);
}

}  // namespace

Result<std::unique_ptr<Session>> load_session(std::shared_ptr<Runtime> runtime, ByteView model,
                                              const SessionOptions& options) {
  auto session = std::make_unique<OrtSession>(std::move(runtime));
  EP_CHECK(session->load(model, options));
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace edgeprobe::engine::onnxruntime

// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <optional>

#include "core/file.h"
#include "core/text.h"
#include "engine/inputs.h"
#include "engine/named_file.h"
#include "engine/native/announced.h"
#include "engine/native/binding.h"
#include "engine/native/library.h"
#include "engine/native/reason.h"

namespace edgeprobe::engine::native {
namespace {

/// The user's own file with these bytes, so that the library finds the files next to it.
std::optional<std::filesystem::path> own_file(ByteView bytes, std::string_view label,
                                              const std::filesystem::path& folder) {
  const std::filesystem::path name(label);
  std::error_code failed;
  if (folder.empty() || name.filename() != name) return std::nullopt;
  const auto path = std::filesystem::absolute(folder / name, failed);
  if (failed || !std::filesystem::is_regular_file(path, failed)) return std::nullopt;
  const auto file = MappedFile::open(path);
  if (!file || file->bytes().size != bytes.size ||
      (bytes.size > 0 && std::memcmp(file->bytes().data, bytes.data, bytes.size) != 0))
    return std::nullopt;
  return path;
}

class NativeSession final : public Session {
 public:
  explicit NativeSession(const Library& library) : table_(library.table), name_(library.name()) {}
  NativeSession(const NativeSession&) = delete;
  NativeSession& operator=(const NativeSession&) = delete;
  ~NativeSession() override {
    if (is_loaded_) table_.destroy(model_.state);
  }

  Status load(const std::vector<std::string>& values, ByteView bytes, std::string_view label,
              const SessionOptions& options);

  const std::vector<TensorSpec>& inputs() const override { return inputs_; }
  const std::vector<TensorSpec>& outputs() const override { return outputs_; }
  const std::vector<Delegation>& delegations() const override { return delegations_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }
  const std::vector<LayerResult>& layers() const override { return layers_; }
  Memory remembers() const override {
    return model_.stateful > 0   ? Memory::kState
           : model_.stateful < 0 ? Memory::kNone
                                 : Memory::kUnknown;
  }
  Result<Inference> infer(const std::vector<TensorView>& inputs) override;
  Result<std::unique_ptr<Binding>> bind(const std::vector<Place>& inputs,
                                        const std::vector<Place>& outputs) override;

 private:
  Status check_settings(const SessionOptions& options) const;
  Status describe(const SessionOptions& options);
  Status describe_layers(const SessionOptions& options);
  Status check_shapes(std::map<std::string, Shape> asked) const;
  /// The struct for an output or a layer; makes its memory.
  edgeprobe_plugin_value place_for(std::size_t index, Tensor& tensor) const;
  /// Takes over what the library left in the struct; `role` is "output" or "layer".
  Status take(const edgeprobe_plugin_value& value, std::size_t index, const std::string& role,
              Tensor& tensor);
  /// Adds the times of the last run.
  Status add_times(Inference& inference) const;

  const edgeprobe_plugin_engine table_;
  std::string name_;
  std::optional<NamedFile> copy_;
  edgeprobe_plugin_model model_{};
  bool is_loaded_ = false;
  std::vector<TensorSpec> inputs_;
  /// Outputs, then the captured layers: as announced, and with the shapes of the last run.
  std::vector<Announced> announced_;
  std::vector<TensorSpec> outputs_;
  std::vector<LayerResult> layers_;
  std::vector<OpTime> kernels_;  ///< Without times.
  std::vector<int> capture_;
  std::vector<Delegation> delegations_;
  std::vector<std::string> warnings_;
};

Status NativeSession::check_settings(const SessionOptions& options) const {
  if (options.threads > 1 && !(table_.flags & EDGEPROBE_PLUGIN_THREADS))
    return Error{ErrorKind::kUsage, "--threads " + std::to_string(options.threads) + ": " + name_ +
                                        " runs on one thread (it lacks EDGEPROBE_PLUGIN_THREADS)"};
  if (options.precision == Precision::kEngine && !(table_.flags & EDGEPROBE_PLUGIN_PRECISION))
    return Error{
        ErrorKind::kUsage,
        "--precision engine: " + name_ +
            " computes in the model's own precision (it lacks EDGEPROBE_PLUGIN_PRECISION)"};
  return {};
}

Status NativeSession::load(const std::vector<std::string>& values, ByteView bytes,
                           std::string_view label, const SessionOptions& options) {
  EP_CHECK(check_settings(options));
  const std::string file = std::filesystem::path(label).filename().string();
  std::optional<std::filesystem::path> path;
  if (!(table_.flags & EDGEPROBE_PLUGIN_BYTES)) {
    path = own_file(bytes, label, options.folder);
    if (!path) {
      EP_TRY(copy_, NamedFile::create(bytes, file.empty() ? "model" : file.c_str()));
      path = copy_->path();
    }
  }
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  std::vector<edgeprobe_plugin_shape> shapes;
  for (const auto& [input, shape] : options.input_shapes)
    shapes.push_back({sizeof(edgeprobe_plugin_shape), input.c_str(), shape.data(), shape.size()});
  Room<edgeprobe_plugin_request> asked;
  edgeprobe_plugin_request& request = asked.known;
  request.struct_size = sizeof request;
  request.threads = options.threads;
  request.float32 = options.precision == Precision::kFloat32;
  request.capturing = !options.capture.empty();
  request.path = path ? path->c_str() : nullptr;
  request.bytes = bytes.data;
  request.size = bytes.size;
  request.values = texts.data();
  request.shapes = shapes.data();
  request.shape_count = shapes.size();
  request.profile = options.profile;
  request.name = file.c_str();
  request.folder = options.folder.empty() ? nullptr : options.folder.c_str();
  Room<edgeprobe_plugin_model> loaded;
  loaded.known.struct_size = sizeof loaded.known;
  Reason reason;
  EP_CHECK(reason.of(table_.load(&request, &loaded.known, reason.buffer())));
  model_ = loaded.known;
  is_loaded_ = true;
  return describe(options);
}

Status NativeSession::describe(const SessionOptions& options) {
  // Those of a library that knows fewer members end with the notes.
  if (model_.struct_size < offsetof(edgeprobe_plugin_model, kernels))
    return Error{ErrorKind::kTarget, "it changed the size of edgeprobe_plugin_model"};
  EP_TRY(auto inputs, all_announced(model_.inputs, model_.input_count, "input"));
  for (Announced& input : inputs) inputs_.push_back(std::move(input.spec));
  EP_TRY(announced_, all_announced(model_.outputs, model_.output_count, "output"));
  EP_CHECK(describe_layers(options));
  for (const Announced& output : announced_) outputs_.push_back(output.spec);
  if (options.profile) {
    EP_TRY(kernels_, kernels_of(model_));
  }
  if (!kernels_.empty() && !table_.times)
    return Error{ErrorKind::kTarget, "it describes kernels and has no function times()"};
  if (model_.note_count > 0 && !model_.notes)
    return Error{ErrorKind::kTarget, "it has a number of notes and no notes"};
  for (std::size_t i = 0; i < model_.note_count; ++i)
    if (const char* const note = model_.notes[i]) warnings_.push_back(one_sentence(note));
  return check_shapes(options.input_shapes);
}

Status NativeSession::describe_layers(const SessionOptions& options) {
  EP_TRY(const auto layers, all_announced(model_.layers, model_.layer_count, "layer"));
  if (!layers.empty() && !table_.layer)
    return Error{ErrorKind::kTarget, "it describes layers and has no function layer()"};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const char* const type = element(model_.layers, i)->layer_type;
    layers_.push_back({layers[i].spec, type ? type : ""});
  }
  for (const int layer : options.capture) {
    if (layer < 0 || static_cast<std::size_t>(layer) >= layers.size())
      return Error{ErrorKind::kTarget, "it has no layer " + std::to_string(layer)};
    announced_.push_back(layers[static_cast<std::size_t>(layer)]);
  }
  capture_ = options.capture;
  return {};
}

Status NativeSession::check_shapes(std::map<std::string, Shape> asked) const {
  if (auto only = asked.extract(""); only && inputs_.size() == 1) {
    only.key() = inputs_.front().name;
    asked.insert(std::move(only));
  }
  EP_TRY(const auto shapes, requested_shapes(inputs_, asked));
  for (std::size_t i = 0; i < inputs_.size(); ++i)
    if (asked.contains(inputs_[i].name) && shapes[i] != inputs_[i].shape)
      return Error{ErrorKind::kUsage, "--input-shape: it left input '" +
                                          sanitized(inputs_[i].name, 100) + "' with the shape " +
                                          to_text(inputs_[i].shape) + ", not " +
                                          to_text(shapes[i])};
  return {};
}

edgeprobe_plugin_value NativeSession::place_for(std::size_t index, Tensor& tensor) const {
  const Announced& announced = announced_[index];
  tensor.spec = announced.spec;
  if (announced.is_open()) return {sizeof(edgeprobe_plugin_value), nullptr, 0, nullptr, 0};
  tensor.bytes.resize(*announced.spec.byte_size());
  return {sizeof(edgeprobe_plugin_value), tensor.bytes.data(), tensor.bytes.size(),
          tensor.spec.shape.data(), tensor.spec.shape.size()};
}

Status NativeSession::take(const edgeprobe_plugin_value& value, std::size_t index,
                           const std::string& role, Tensor& tensor) {
  const Announced& announced = announced_[index];
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorKind::kTarget, name_ + " returned " + role + " '" +
                                         sanitized(tensor.spec.name, 100) + "' " + what};
  };
  if (value.struct_size != sizeof value) return wrong("in a struct of another size");
  if (!announced.is_open()) {
    // Its shape was announced: the library writes to the memory that it got.
    const edgeprobe_plugin_value given{sizeof value, tensor.bytes.data(), tensor.bytes.size(),
                                       tensor.spec.shape.data(), tensor.spec.shape.size()};
    return is_same(value, given) ? Status()
                                 : wrong("with another address, size or shape; load() announced " +
                                         to_text(tensor.spec.shape) + ", which is fixed");
  }
  const std::string expected = "; load() announced " + announced.shape_text();
  const Shape& open = announced.spec.shape;
  if (value.rank > kMostDimensions || (value.rank > 0 && !value.shape) ||
      (!announced.any_rank && value.rank != open.size()))
    return wrong("with " + std::to_string(value.rank) + " dimensions" + expected);
  Shape shape;
  if (value.rank > 0) shape.assign(value.shape, value.shape + value.rank);
  if (std::any_of(shape.begin(), shape.end(), [](auto side) { return side < 0; }) ||
      (!announced.any_rank && !fits(shape, open)))
    return wrong("with the shape " + to_text(shape) + expected);
  tensor.spec.shape = outputs_[index].shape = shape;
  const auto size = tensor.spec.byte_size();
  if (!size || *size > kTensorLimit || *size != value.size)
    return wrong("of shape " + to_text(shape) + " in " + std::to_string(value.size) + " bytes");
  if (*size > 0 && !value.data) return wrong("at no address");
  tensor.bytes.resize(*size);
  if (*size > 0) std::memcpy(tensor.bytes.data(), value.data, *size);
  return {};
}

Result<Inference> NativeSession::infer(const std::vector<TensorView>& inputs) {
  EP_CHECK(check_inputs(inputs_, inputs));
  std::vector<const void*> values;
  for (const TensorView& input : inputs) values.push_back(input.bytes.data);
  const std::size_t plain = outputs_.size() - capture_.size();
  Inference inference;
  inference.outputs.resize(outputs_.size());
  std::vector<edgeprobe_plugin_value> places;
  for (std::size_t i = 0; i < plain; ++i) places.push_back(place_for(i, inference.outputs[i]));
  std::int64_t spent = -1;
  Reason reason;
  const auto begin = std::chrono::steady_clock::now();
  const int code = table_.run(model_.state, values.data(), places.data(), &spent, reason.buffer());
  const auto end = std::chrono::steady_clock::now();
  EP_CHECK(reason.of(code, name_ + " failed while running the model: "));
  if (spent < -1)
    return Error{ErrorKind::kTarget,
                 name_ + " says that it ran for " + std::to_string(spent) + " ns"};
  inference.latency = spent < 0 ? end - begin : std::chrono::nanoseconds(spent);
  EP_CHECK(add_times(inference));
  for (std::size_t i = 0; i < plain; ++i)
    EP_CHECK(take(places[i], i, "output", inference.outputs[i]));
  for (std::size_t i = 0; i < capture_.size(); ++i) {
    Tensor& layer = inference.outputs[plain + i];
    edgeprobe_plugin_value value = place_for(plain + i, layer);
    const int told =
        table_.layer(model_.state, static_cast<std::size_t>(capture_[i]), &value, reason.buffer());
    EP_CHECK(reason.of(
        told, name_ + " failed while returning layer '" + sanitized(layer.spec.name, 100) + "': "));
    EP_CHECK(take(value, plain + i, "layer", layer));
  }
  return inference;
}

Status NativeSession::add_times(Inference& inference) const {
  if (kernels_.empty()) return {};
  std::vector<std::int64_t> nanoseconds(kernels_.size());
  Reason reason;
  EP_CHECK(reason.of(table_.times(model_.state, nanoseconds.data(), reason.buffer()),
                     name_ + " failed while reading the times of its kernels: "));
  inference.op_times = kernels_;
  for (std::size_t i = 0; i < kernels_.size(); ++i) {
    if (nanoseconds[i] < 0)
      return Error{ErrorKind::kTarget, name_ + " says that kernel " + std::to_string(i) +
                                           " ran for " + std::to_string(nanoseconds[i]) + " ns"};
    inference.op_times[i].time = std::chrono::nanoseconds(nanoseconds[i]);
  }
  return {};
}

Result<std::unique_ptr<Binding>> NativeSession::bind(const std::vector<Place>& inputs,
                                                     const std::vector<Place>& outputs) {
  EP_CHECK(check_places(inputs_, inputs, "input"));
  EP_CHECK(check_places(outputs_, outputs, "output"));
  const bool is_plain = kernels_.empty() && capture_.empty() && !overlap(inputs, outputs) &&
                        std::none_of(announced_.begin(), announced_.end(),
                                     [](const Announced& one) { return one.is_open(); });
  if (!table_.bind || !is_plain) return Session::bind(inputs, outputs);
  std::vector<const void*> from;
  for (const Place& place : inputs) from.push_back(place.data);
  std::vector<edgeprobe_plugin_value> to;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    to.push_back({sizeof(edgeprobe_plugin_value), outputs[i].data, outputs[i].size,
                  outputs_[i].shape.data(), outputs_[i].shape.size()});
  void* const bound = table_.bind(model_.state, from.data(), to.data());
  if (!bound) return Session::bind(inputs, outputs);
  return bind_to(table_, name_, bound, std::move(from), std::move(to));
}

}  // namespace

Result<std::unique_ptr<Session>> load_session(const Library& library,
                                              const std::vector<std::string>& values,
                                              ByteView model, std::string_view label,
                                              const SessionOptions& options) {
  auto session = std::make_unique<NativeSession>(library);
  EP_CHECK(session->load(values, model, label, options));
  return std::unique_ptr<Session>(std::move(session));
}

}  // namespace edgeprobe::engine::native

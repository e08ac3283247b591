// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <optional>
#include <set>

#include "core/file.h"
#include "core/text.h"
#include "engine/inputs.h"
#include "engine/named_file.h"
#include "engine/native/library.h"

namespace edgeprobe::engine::native {
namespace {

/// The buffer of one call.
class Reason {
 public:
  char* buffer() { return text_; }
  /// One sentence, "" if the library wrote none.
  std::string text() {
    text_[sizeof text_ - 1] = 0;
    return one_sentence(text_);
  }
  /// True for a call that returned this code.
  bool failed(int code) const { return code != 0 || text_[0] != 0; }

 private:
  char text_[EDGEPROBE_PLUGIN_MESSAGE] = "";
};

Error failed(const std::string& start, Reason& reason) {
  const std::string text = reason.text();
  return {ErrorKind::kTarget, start + (text.empty() ? "it gives no reason" : text)};
}

bool is_open(const TensorSpec& spec) {
  return std::find(spec.shape.begin(), spec.shape.end(), -1) != spec.shape.end();
}

/// `label` names the tensor: "input 0".
Result<TensorSpec> spec_of(const edgeprobe_plugin_tensor& tensor, const std::string& role,
                           const std::string& label) {
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorKind::kTarget, "it describes " + label + " " + what};
  };
  if (tensor.struct_size != sizeof tensor)
    return wrong("in " + std::to_string(tensor.struct_size) + " bytes; version " +
                 std::to_string(EDGEPROBE_PLUGIN_VERSION) + " of edgeprobe_plugin.h has " +
                 std::to_string(sizeof tensor));
  if (!tensor.name || !tensor.dtype) return wrong("without a name or a type");
  const auto dtype = dtype_from_name(tensor.dtype);
  if (!dtype || size_of(*dtype) == 0)
    return wrong("with the type '" + sanitized(tensor.dtype, 40) +
                 "'; expected NumPy's name of a type, such as float32");
  constexpr std::size_t kMostDimensions = 32;
  if (tensor.rank > kMostDimensions || (tensor.rank > 0 && !tensor.shape))
    return wrong("with " + std::to_string(tensor.rank) + " dimensions" +
                 (tensor.shape ? "; expected at most 32" : " and no shape"));
  TensorSpec spec{tensor.name, *dtype, {}, {}};
  if (tensor.rank > 0) spec.shape.assign(tensor.shape, tensor.shape + tensor.rank);
  if (std::any_of(spec.shape.begin(), spec.shape.end(), [](auto side) { return side < -1; }))
    return wrong("with the shape " + to_list(spec.shape) + "; expected numbers from -1 on");
  if (role == "input" && is_open(spec))
    return wrong("with the open shape " + open_text(spec.shape) +
                 "; inputs need the shape of --input-shape, or one of the model");
  if (!is_open(spec) && (!spec.byte_size() || *spec.byte_size() > kTensorLimit))
    return wrong("with the shape " + to_text(spec.shape) + ", which is over 2 GiB");
  const std::size_t scales = tensor.scale_count;
  if (scales == 0) return spec;
  if (!tensor.scale) return wrong("with a number of scales and no scales");
  if (scales > 1 &&
      (tensor.axis < 0 || static_cast<std::size_t>(tensor.axis) >= tensor.rank ||
       spec.shape[static_cast<std::size_t>(tensor.axis)] != static_cast<std::int64_t>(scales)))
    return wrong("with " + std::to_string(scales) + " scales along dimension " +
                 std::to_string(tensor.axis) + " of the shape " + open_text(spec.shape));
  spec.quantization.scale.assign(tensor.scale, tensor.scale + scales);
  if (tensor.zero_point)
    spec.quantization.zero_point.assign(tensor.zero_point, tensor.zero_point + scales);
  spec.quantization.axis = tensor.axis;
  return spec;
}

/// The descriptions of all tensors of a role, whose names are unique.
Result<std::vector<TensorSpec>> specs_of(const edgeprobe_plugin_tensor* tensors, std::size_t count,
                                         const std::string& role) {
  constexpr std::size_t kMost = 1'000'000;
  if (count > kMost || (count > 0 && !tensors) || (count == 0 && role != "layer"))
    return Error{ErrorKind::kTarget, "it describes " + std::to_string(count) + " " + role + "s" +
                                         (count > 0 && !tensors ? " at no address" : "")};
  std::vector<TensorSpec> specs;
  std::set<std::string> names;
  for (std::size_t i = 0; i < count; ++i) {
    EP_TRY(auto spec, spec_of(tensors[i], role, role + " " + std::to_string(i)));
    if (!names.insert(spec.name).second)
      return Error{ErrorKind::kTarget,
                   "it describes two " + role + "s '" + sanitized(spec.name, 100) + "'"};
    specs.push_back(std::move(spec));
  }
  return specs;
}

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
  explicit NativeSession(const Library& library) : table_(*library.table), name_(library.name()) {}
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
  Memory remembers() const override { return Memory::kUnknown; }
  Result<Inference> infer(const std::vector<TensorView>& inputs) override;

 private:
  Status check_settings(const SessionOptions& options) const;
  Status describe(const SessionOptions& options);
  /// The struct for an output or a layer; makes its memory.
  static edgeprobe_plugin_value place_for(const TensorSpec& spec, Tensor& tensor);
  /// Takes over what the library left in the struct; `label` names the tensor.
  Status take(const edgeprobe_plugin_value& value, const std::string& label, Tensor& tensor) const;

  const edgeprobe_plugin_engine& table_;
  std::string name_;
  std::optional<NamedFile> copy_;
  edgeprobe_plugin_model model_{};
  bool is_loaded_ = false;
  std::vector<TensorSpec> inputs_;
  std::vector<TensorSpec> outputs_;  ///< Then the captured layers.
  std::vector<LayerResult> layers_;
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
  auto path = own_file(bytes, label, options.folder);
  if (!path) {
    const std::string file = std::filesystem::path(label).filename().string();
    EP_TRY(copy_, NamedFile::create(bytes, file.empty() ? "model" : file.c_str()));
    path = copy_->path();
  }
  std::vector<const char*> texts;
  for (const std::string& value : values) texts.push_back(value.c_str());
  std::vector<edgeprobe_plugin_shape> shapes;
  for (const auto& [input, shape] : options.input_shapes)
    shapes.push_back({sizeof(edgeprobe_plugin_shape), input.c_str(), shape.data(), shape.size()});
  edgeprobe_plugin_request request{};
  request.struct_size = sizeof request;
  request.threads = options.threads;
  request.float32 = options.precision == Precision::kFloat32;
  request.capturing = !options.capture.empty();
  request.path = path->c_str();
  request.bytes = bytes.data;
  request.size = bytes.size;
  request.values = texts.data();
  request.shapes = shapes.data();
  request.shape_count = shapes.size();
  model_.struct_size = sizeof model_;
  Reason reason;
  const int code = table_.load(&request, &model_, reason.buffer());
  is_loaded_ = !reason.failed(code);
  if (!is_loaded_) return failed("", reason);
  return describe(options);
}

Status NativeSession::describe(const SessionOptions& options) {
  if (model_.struct_size != sizeof model_)
    return Error{ErrorKind::kTarget, "it changed the size of edgeprobe_plugin_model"};
  EP_TRY(inputs_, specs_of(model_.inputs, model_.input_count, "input"));
  EP_TRY(outputs_, specs_of(model_.outputs, model_.output_count, "output"));
  EP_TRY(const auto layers, specs_of(model_.layers, model_.layer_count, "layer"));
  if (!layers.empty() && !table_.layer)
    return Error{ErrorKind::kTarget, "it describes layers and has no function layer()"};
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const char* const type = model_.layers[i].layer_type;
    layers_.push_back({layers[i], type ? type : ""});
  }
  if (model_.note_count > 0 && !model_.notes)
    return Error{ErrorKind::kTarget, "it has a number of notes and no notes"};
  for (std::size_t i = 0; i < model_.note_count; ++i)
    if (const char* const note = model_.notes[i]) warnings_.push_back(one_sentence(note));
  for (const int layer : options.capture) {
    if (layer < 0 || static_cast<std::size_t>(layer) >= layers_.size())
      return Error{ErrorKind::kTarget, "it has no layer " + std::to_string(layer)};
    outputs_.push_back(layers_[static_cast<std::size_t>(layer)].spec);
  }
  capture_ = options.capture;
  auto asked = options.input_shapes;
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

edgeprobe_plugin_value NativeSession::place_for(const TensorSpec& spec, Tensor& tensor) {
  tensor.spec = spec;
  if (is_open(spec)) return {sizeof(edgeprobe_plugin_value), nullptr, 0, nullptr, 0};
  tensor.bytes.resize(*spec.byte_size());
  return {sizeof(edgeprobe_plugin_value), tensor.bytes.data(), tensor.bytes.size(),
          tensor.spec.shape.data(), tensor.spec.shape.size()};
}

Status NativeSession::take(const edgeprobe_plugin_value& value, const std::string& label,
                           Tensor& tensor) const {
  const auto wrong = [&](const std::string& what) {
    return Error{ErrorKind::kTarget, name_ + " returned " + label + " '" +
                                         sanitized(tensor.spec.name, 100) + "' " + what};
  };
  if (value.struct_size != sizeof value) return wrong("in a struct of another size");
  if (!is_open(tensor.spec)) {
    // Its shape was announced: the library writes to the memory that it got.
    const bool is_same = value.data == tensor.bytes.data() && value.size == tensor.bytes.size() &&
                         value.shape == tensor.spec.shape.data() &&
                         value.rank == tensor.spec.shape.size();
    return is_same ? Status()
                   : wrong("with another address, size or shape; load() announced " +
                           to_text(tensor.spec.shape) + ", which is fixed");
  }
  const std::string announced = "; load() announced " + open_text(tensor.spec.shape);
  if (value.rank != tensor.spec.shape.size() || !value.shape)
    return wrong("with " + std::to_string(value.rank) + " dimensions" + announced);
  const Shape shape(value.shape, value.shape + value.rank);
  if (std::any_of(shape.begin(), shape.end(), [](auto side) { return side < 0; }) ||
      !fits(shape, tensor.spec.shape))
    return wrong("with the shape " + to_text(shape) + announced);
  tensor.spec.shape = shape;
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
  for (std::size_t i = 0; i < plain; ++i)
    places.push_back(place_for(outputs_[i], inference.outputs[i]));
  std::int64_t spent = -1;
  Reason reason;
  const auto begin = std::chrono::steady_clock::now();
  const int code = table_.run(model_.state, values.data(), places.data(), &spent, reason.buffer());
  const auto end = std::chrono::steady_clock::now();
  if (reason.failed(code)) return failed(name_ + " failed while running the model: ", reason);
  if (spent < -1)
    return Error{ErrorKind::kTarget,
                 name_ + " says that it ran for " + std::to_string(spent) + " ns"};
  inference.latency = spent < 0 ? end - begin : std::chrono::nanoseconds(spent);
  for (std::size_t i = 0; i < plain; ++i) EP_CHECK(take(places[i], "output", inference.outputs[i]));
  for (std::size_t i = 0; i < capture_.size(); ++i) {
    Tensor& layer = inference.outputs[plain + i];
    edgeprobe_plugin_value value = place_for(outputs_[plain + i], layer);
    const int told =
        table_.layer(model_.state, static_cast<std::size_t>(capture_[i]), &value, reason.buffer());
    if (reason.failed(told))
      return failed(
          name_ + " failed while returning layer '" + sanitized(layer.spec.name, 100) + "': ",
          reason);
    EP_CHECK(take(value, "layer", layer));
  }
  return inference;
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

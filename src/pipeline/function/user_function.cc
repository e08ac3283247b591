// SPDX-License-Identifier: Apache-2.0
#include "pipeline/function/user_function.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/file.h"
#include "core/text.h"
#include "engine/child.h"
#include "engine/on_behalf.h"
#include "pipeline/function/wire.h"

namespace edgeprobe::pipeline {
namespace {

namespace wire = function_wire;

// The picture as RGB: gray becomes three equal channels.
std::vector<std::uint8_t> rgb_of(const preprocess::Image& image) {
  if (image.channels == 3) return image.pixels;
  std::vector<std::uint8_t> rgb;
  rgb.reserve(image.pixels.size() * 3);
  for (const std::uint8_t value : image.pixels) rgb.insert(rgb.end(), 3, value);
  return rgb;
}

ByteView bytes_of(const std::vector<std::uint8_t>& values) {
  return {reinterpret_cast<const std::byte*>(values.data()), values.size()};
}

/// The argument of one call as sent: `rgb` if the function takes pixels.
struct Argument {
  Bytes head;
  std::vector<std::uint8_t> rgb;
  ByteView recorded;  ///< Borrows from the raw input.
};

Result<Argument> argument_of(const dataset::Picture& picture, bool encoded,
                             std::string_view sample) {
  const preprocess::Image& image = picture.image;
  if (!encoded)
    return Argument{
        wire::sample_of_pixels(sample, image.height, image.width, 3), rgb_of(image), {}};
  if (picture.encoded.empty())
    return Error{ErrorKind::kUsage,
                 "it takes the encoded file (its parameter is annotated 'bytes'), but only pixels "
                 "were recorded"};
  return Argument{wire::sample_of_file(sample), {}, picture.encoded};
}

Result<Argument> argument_of(const dataset::Arrays& recorded, bool encoded,
                             std::string_view sample) {
  if (recorded.picture) return argument_of(*recorded.picture, encoded, sample);
  return Error{ErrorKind::kUsage, "it takes a picture, but recorded tensors were given"};
}

Result<Argument> argument_of(const dataset::Sound&, bool, std::string_view) {
  return Error{ErrorKind::kUnsupported, "it takes a picture, but a recording was given"};
}

Result<Argument> argument_of(const dataset::Readings&, bool, std::string_view) {
  return Error{ErrorKind::kUnsupported, "it takes a picture, but readings were given"};
}

Result<Argument> argument_of(const dataset::Text&, bool, std::string_view) {
  return Error{ErrorKind::kUnsupported, "it takes a picture, but a text was given"};
}

/// A sentence of the user's code does not name the pipeline; one about its process does.
Error about(const std::string& doing, Error error) {
  return error.what.starts_with(doing) ? error : std::move(error).during(doing);
}

bool starts_with(const std::string& text, std::string_view front) {
  return text.compare(0, front.size(), front) == 0;
}

}  // namespace

struct UserFunction::State {
  FunctionSpec spec;
  std::string label, sha256, environment;
  bool wants_encoded = false;
  std::unique_ptr<engine::Child> child;
};

Result<FunctionSpec> function_from_text(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size())
    return Error{ErrorKind::kUsage,
                 "'" + sanitized(text) + "' is not a pipeline; expected FILE.py:FUNCTION"};
  FunctionSpec spec;
  spec.file = std::filesystem::path(text.substr(0, colon));
  spec.function = std::string(text.substr(colon + 1));
  std::error_code failure;
  if (!std::filesystem::is_regular_file(spec.file, failure))
    return Error{ErrorKind::kNotFound,
                 "'" + sanitized(spec.file.string(), 300) + "': there is no such file"};
  return spec;
}

Result<std::unique_ptr<UserFunction>> UserFunction::start(const FunctionSpec& spec,
                                                          const Control& control) {
  EP_TRY(const auto file, read_file(spec.file, std::size_t{16} << 20));
  auto state = std::make_unique<State>();
  state->spec = spec;
  state->label = spec.file.filename().string() + ":" + spec.function;
  state->sha256 = edgeprobe::sha256(file);
  const std::string doing = "pipeline '" + sanitized(state->label) + "'";
  const engine::OnBehalf user({-1, control.stop});
  EP_TRY(state->child,
         engine::Child::start_plugin("function", spec.interpreter, engine::Child::Prints::kShown));
  engine::wire::Writer request;
  request.text(spec.file.string());
  request.text(spec.function);
  const auto reply =
      state->child->call(engine::wire::Step::kOpen, request.bytes(), -1, spec.limit, doing);
  if (!reply) return about(doing, Error(reply.error()));
  auto hello = wire::parse_hello(*reply);
  if (!hello) return std::move(hello.error()).during(doing);
  state->wants_encoded = hello->wants_encoded;
  state->environment = std::move(hello->environment);
  return std::unique_ptr<UserFunction>(new UserFunction(std::move(state)));
}

UserFunction::UserFunction(std::unique_ptr<State> state) : state_(std::move(state)) {}
UserFunction::~UserFunction() = default;
const std::string& UserFunction::label() const { return state_->label; }
const std::string& UserFunction::sha256() const { return state_->sha256; }
const std::string& UserFunction::environment() const { return state_->environment; }

Result<FunctionAnswer> UserFunction::call(const dataset::RawInput& raw, std::string_view sample,
                                          const Control& control) {
  State& state = *state_;
  const std::string doing =
      "pipeline '" + sanitized(state.label) + "' on '" + sanitized(sample) + "'";
  auto argument = std::visit(
      [&](const auto& kind) { return argument_of(kind, state.wants_encoded, sample); }, raw);
  if (!argument) return std::move(argument.error()).during(doing);
  const ByteView body = argument->rgb.empty() ? argument->recorded : bytes_of(argument->rgb);
  Bytes request = std::move(argument->head);
  request.insert(request.end(), body.data, body.data + body.size);
  const engine::OnBehalf user({-1, control.stop});
  const auto reply = state.child->call(engine::wire::Step::kSample, request, -1, state.spec.limit,
                                       doing, wire::kMostBody);
  if (!reply) return about(doing, Error(reply.error()));
  auto arrays = wire::parse_answer(*reply);
  if (!arrays) return std::move(arrays.error()).during(doing);
  FunctionAnswer answer;
  for (Tensor& array : *arrays) {
    if (array.spec.name == "input") {
      answer.input = std::move(array);
    } else if (array.spec.name == "output" || starts_with(array.spec.name, "output/")) {
      if (array.spec.name != "output") array.spec.name.erase(0, std::strlen("output/"));
      answer.outputs.push_back(std::move(array));
    } else {
      answer.stages.push_back(std::move(array));
    }
  }
  return answer;
}

// Fed with NaN, a float model returns NaN and a quantised one a meaningless number.
static Status all_finite(const Tensor& given) {
  if (!is_float(given.spec.dtype)) return {};
  EP_TRY(const auto values, to_float(given));
  const auto wrong = [](float v) { return !std::isfinite(v); };
  const auto first = std::find_if(values.begin(), values.end(), wrong);
  if (first == values.end()) return {};
  return Error{ErrorKind::kUsage,
               "its model input holds " +
                   std::to_string(std::count_if(first, values.end(), wrong)) +
                   " values that are not finite, the first (" + number(*first) + ") at offset " +
                   std::to_string(first - values.begin()) +
                   "; check the stages with 'edgeprobe replay --pipeline', without a model"};
}

Result<Tensor> fit_input(const Tensor& given, const TensorSpec& wanted) {
  Shape shape = given.spec.shape;
  if (shape.size() == wanted.shape.size() + 1 && shape.front() == 1) shape.erase(shape.begin());
  if (shape.size() + 1 == wanted.shape.size() && wanted.shape.front() == 1)
    shape.insert(shape.begin(), 1);
  const auto described = [](const TensorSpec& spec) {
    return std::string(name(spec.dtype)) + " " + to_text(spec.shape);
  };
  const Error unlike{ErrorKind::kUsage, "its model input is " + described(given.spec) +
                                            ", the model expects " + described(wanted)};
  if (shape != wanted.shape) return unlike;
  EP_CHECK(all_finite(given));
  if (given.spec.dtype == wanted.dtype) return Tensor{wanted, given.bytes};
  auto values = to_float(given);
  if (!values) return unlike;
  if (wanted.dtype == DType::kFloat32) {
    Tensor tensor = make_tensor(wanted.name, wanted.shape, *values);
    tensor.spec = wanted;
    return tensor;
  }
  const bool codes = wanted.dtype == DType::kInt8 || wanted.dtype == DType::kUInt8 ||
                     wanted.dtype == DType::kInt16;
  if (!codes || !is_float(given.spec.dtype) || wanted.quantization.empty() ||
      wanted.quantization.per_channel())
    return unlike;
  const double scale = wanted.quantization.scale[0],
               zero = static_cast<double>(wanted.quantization.zero_point_at(0));
  const std::size_t width = size_of(wanted.dtype);
  const double low = wanted.dtype == DType::kUInt8 ? 0
                     : width == 1                  ? -128
                                                   : -32768,
               high = low + (width == 1 ? 255 : 65535);
  Tensor tensor{wanted, Bytes(values->size() * width)};
  for (std::size_t i = 0; i < values->size(); ++i) {
    const double real = (*values)[i];
    const auto code = static_cast<std::int64_t>(
        std::isnan(real) ? zero : std::clamp(std::round(real / scale) + zero, low, high));
    // little-endian: the low bytes come first
    std::memcpy(tensor.bytes.data() + i * width, &code, width);
  }
  return tensor;
}

}  // namespace edgeprobe::pipeline

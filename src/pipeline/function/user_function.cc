// SPDX-License-Identifier: Apache-2.0
#include "pipeline/function/user_function.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "core/file.h"
#include "core/text.h"
#include "pipeline/function/wire.h"
#include "process/child.h"
#include "process/pipe.h"
#include "process/stream.h"

namespace edgeprobe::pipeline {
namespace {

namespace wire = function_wire;
using namespace std::chrono_literals;

std::string limit_text(std::chrono::milliseconds limit) {
  return number(static_cast<double>(limit.count()) / 1000) + " s";
}

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

bool starts_with(const std::string& text, std::string_view front) {
  return text.compare(0, front.size(), front) == 0;
}

}  // namespace

struct UserFunction::State {
  FunctionSpec spec;
  std::string label, sha256, environment;
  bool wants_encoded = false;
  process::Child child;
  process::Stream stream;
  std::string ended;  // Why the process is gone.

  ~State() {
    stream.close();  // The child exits when its input closes.
    child.end(500ms);
  }

  process::Wait within_limit(const Control& control) const {
    return {process::deadline_after(spec.limit), control.stop};
  }

  Error end(std::string why, ErrorKind fault = ErrorKind::kTarget) {
    ended = std::move(why);
    stream.close();
    child.end(0ms);
    return {fault, ended};
  }

  Error broken(process::Transfer by) {
    if (by == process::Transfer::kStopped)
      return end("stopped by the user", ErrorKind::kInterrupted);
    if (by == process::Transfer::kLate)
      return end("it took longer than the limit of " + limit_text(spec.limit) +
                 " and was stopped (--time-limit)");
    stream.close();
    ended = "the pipeline process ended with " + child.end(2000ms).name();
    return {ErrorKind::kTarget, ended};
  }

  Result<Bytes> receive(std::uint64_t size, const process::Wait& wait) {
    Bytes bytes;
    if (const auto done = stream.receive(bytes, size, wait); done != process::Transfer::kDone)
      return broken(done);
    return bytes;
  }

  struct Reply {
    wire::Kind kind{};
    Bytes body;
  };
  Result<Reply> reply(const process::Wait& wait) {
    EP_TRY(const auto head, receive(wire::kHeaderBytes, wait));
    const auto header = wire::parse_header(head);
    if (!header) return end(header.error().what, header.error().kind);
    EP_TRY(auto body, receive(header->size, wait));
    return Reply{header->kind, std::move(body)};
  }

  Status spawn(const std::string& interpreter, const std::filesystem::path& script) {
    EP_TRY(auto link, process::socket_pair());
    process::Command command;
    command.program = interpreter;
    command.arguments = {interpreter, script.string(), spec.file.string(), spec.function};
    command.descriptors = {{link.theirs.get(), 0}, {link.theirs.get(), 1}};
    auto started = process::Child::start(command);
    if (!started)
      return Error{ErrorKind::kNotFound, "the Python interpreter '" + sanitized(interpreter) +
                                             "' cannot be started: " + started.error().what +
                                             "; name one with --python or EDGEPROBE_PYTHON"};
    child = *std::move(started);
    stream = process::Stream(std::move(link.ours));
    return {};
  }
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

std::vector<std::filesystem::path> child_scripts() {
  std::vector<std::filesystem::path> scripts;
  std::error_code failed;
  const auto executable = std::filesystem::read_symlink("/proc/self/exe", failed);
  if (!failed) {
    const auto above = executable.parent_path().parent_path();
    scripts.push_back(above / "share/edgeprobe/python/edgeprobe/child.py");
    // In the Python package, the executable is edgeprobe/bin/edgeprobe.
    scripts.push_back(above / "child.py");
  }
#ifdef EDGEPROBE_CHECKOUT
  scripts.emplace_back(EDGEPROBE_CHECKOUT "/python/edgeprobe/child.py");
#endif
  return scripts;
}

Result<std::unique_ptr<UserFunction>> UserFunction::start(const FunctionSpec& spec,
                                                          const Control& control) {
  const auto scripts = child_scripts();
  const auto script = std::find_if(scripts.begin(), scripts.end(), [](const auto& path) {
    std::error_code failure;
    return std::filesystem::is_regular_file(path, failure);
  });
  if (script == scripts.end())
    return Error{ErrorKind::kNotFound,
                 "'" + sanitized(scripts.front().string(), 300) +
                     "' is missing: the Python part of edgeprobe is not installed"};
  EP_TRY(const auto file, read_file(spec.file, std::size_t{16} << 20));
  auto state = std::make_unique<State>();
  state->spec = spec;
  state->label = spec.file.filename().string() + ":" + spec.function;
  state->sha256 = edgeprobe::sha256(file);
  std::string interpreter = spec.interpreter;
  if (interpreter.empty())
    if (const char* given = std::getenv("EDGEPROBE_PYTHON"); given && *given) interpreter = given;
  if (interpreter.empty()) interpreter = "python3";
  EP_CHECK(state->spawn(interpreter, *script));
  const std::string doing = "pipeline '" + sanitized(state->label) + "'";
  auto reply = state->reply(state->within_limit(control));
  if (!reply) return std::move(reply.error()).during(doing);
  if (reply->kind == wire::Kind::kFailure) {
    auto why = wire::parse_failure(reply->body);
    if (!why) return std::move(why.error()).during(doing);
    return Error{ErrorKind::kUsage, doing + ": " + sanitized(*why, 1000)};
  }
  if (reply->kind != wire::Kind::kHello)
    return Error{ErrorKind::kCorrupt,
                 doing + ": the pipeline process sent an invalid answer: no greeting"};
  auto hello = wire::parse_hello(reply->body);
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
  if (!state.ended.empty())
    return Error{ErrorKind::kTarget, doing + ": its process is gone: " + state.ended};
  auto argument = std::visit(
      [&](const auto& kind) { return argument_of(kind, state.wants_encoded, sample); }, raw);
  if (!argument) return std::move(argument.error()).during(doing);
  const ByteView body = argument->rgb.empty() ? argument->recorded : bytes_of(argument->rgb);
  const process::Wait wait = state.within_limit(control);
  const Bytes first = wire::header(wire::Kind::kSample, argument->head.size() + body.size);
  if (const auto sent = state.stream.send({first, argument->head, body}, wait);
      sent != process::Transfer::kDone)
    return state.broken(sent).during(doing);
  auto reply = state.reply(wait);
  if (!reply) return std::move(reply.error()).during(doing);
  if (reply->kind == wire::Kind::kFailure) {
    auto why = wire::parse_failure(reply->body);
    if (!why) return state.end(why.error().what).during(doing);
    return Error{ErrorKind::kTarget, doing + ": " + sanitized(*why, 1000)};
  }
  if (reply->kind != wire::Kind::kAnswer)
    return state.end("the pipeline process sent an invalid answer: no answer").during(doing);
  auto arrays = wire::parse_answer(reply->body);
  if (!arrays) return state.end(arrays.error().what, arrays.error().kind).during(doing);
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

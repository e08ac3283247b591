// SPDX-License-Identifier: Apache-2.0
// The options that describe each operator. The formats' own words: https://onnx.ai/onnx/operators/
// and tensorflow/compiler/mlir/lite/schema/schema.fbs.
#include <algorithm>
#include <cmath>
#include <functional>

#include "compare/align/op_kind.h"
#include "compare/options/read.h"
#include "core/index.h"
#include "core/text.h"

namespace edgeprobe::compare {
namespace {

using Into = OperatorOptions&;
using Op = const OperatorReader&;

float real(double value) { return static_cast<float>(value); }

// Dimensions of size 1 do not change a mean or a maximum.
void put_axes(Op op, Wholes axes, Into into) {
  const Shape* const shape = op.input_shape(0);
  for (std::int64_t& axis : axes) axis = op.counted(axis, shape);
  std::sort(axes.begin(), axes.end());
  axes.erase(std::unique(axes.begin(), axes.end()), axes.end());
  if (shape)
    std::erase_if(axes, [&](std::int64_t axis) {
      return axis >= 0 && axis < static_cast<std::int64_t>(shape->size()) &&
             (*shape)[static_cast<std::size_t>(axis)] == 1;
    });
  into.values["axes"] = axes;
}

Wholes up_to(std::int64_t from, const Shape* shape) {
  Wholes axes;
  for (std::int64_t d = std::max<std::int64_t>(0, from);
       shape && d < static_cast<std::int64_t>(shape->size()); ++d)
    axes.push_back(d);
  return axes;
}

struct Range {
  double low = -kNoLimit, high = kNoLimit;
};
Range of_fused(const std::string& word) {
  if (word == "RELU") return {0, kNoLimit};
  if (word == "RELU6") return {0, 6};
  if (word == "RELU_N1_TO_1") return {-1, 1};
  return {};
}

void put_fused(Op op, Into into) {
  const std::string word =
      op.is_tflite() ? op.text("fused_activation", "NONE") : op.text("activation", "");
  if (word == "TANH" || word == "SIGN_BIT")
    into.values["activation"] = word == "TANH" ? "tanh" : "sign bit";
  else if (!op.is_tflite() && !word.empty() && word != "Relu" && word != "Clip")
    into.values["activation"] = word;
  else {
    const Range range = op.is_tflite()   ? of_fused(word)
                        : word == "Relu" ? Range{0, kNoLimit}
                                         : Range{};
    into.values["activation"] = range_text(range.low, range.high);
  }
  into.activation_layer = into.layer;
}

void conv(Op op, Into into) {
  put_window(op.is_tflite() ? window_of_tflite(op, false) : window_of_onnx(op, false), false, into);
  const Shape* const data = op.input_shape(0);
  const Shape* const weights = op.input_shape(1);
  std::int64_t groups = op.whole("group", 1);
  if (op.is_tflite()) {
    const std::int64_t channels = data && !data->empty() ? data->back() : 0;
    const std::int64_t each = weights && !weights->empty() ? weights->back() : 0;
    groups = op.layer().type == "DEPTHWISE_CONV_2D" ? channels
             : channels > 0 && each > 0             ? channels / each
                                                    : 1;
  }
  into.values["groups"] = groups;
  put_fused(op, into);
}

void deconv(Op op, Into into) {
  put_window(op.is_tflite() ? window_of_tflite(op, true) : window_of_onnx(op, true), true, into);
  into.values["groups"] = op.whole("group", 1);
  put_fused(op, into);
}

void put_all_spatial(Op op, Into into) {
  const Shape* const shape = op.input_shape(0);
  Wholes axes = up_to(op.is_tflite() ? 1 : 2, shape);
  if (op.is_tflite() && !axes.empty()) axes.pop_back();
  put_axes(op, axes, into);
  into.values["keep_dims"] = true;
}

void pool(Op op, Into into) {
  const Window window = op.is_tflite() ? window_of_tflite(op, false) : window_of_onnx(op, false);
  const auto none = [](const Wholes& list) {
    return std::all_of(list.begin(), list.end(), [](std::int64_t one) { return one == 0; });
  };
  // A window over the whole input is a mean, or a maximum.
  if (!window.size.empty() && window.size == window.input && none(window.before) &&
      none(window.after)) {
    into.kind = into.kind == "avgpool" ? "mean" : "reduce_max";
    put_all_spatial(op, into);
    put_fused(op, into);
    return;
  }
  put_window(window, false, into);
  into.values["window"] = window.size;
  into.values["ceil_mode"] = window.ceil;
  if (into.kind == "avgpool")
    into.values["padding_counted"] = op.whole("count_include_pad", 0) != 0;
  put_fused(op, into);
}

void reduced(Op op, Into into) {
  const std::string& type = op.layer().type;
  if (type.find("Global") != std::string::npos) return put_all_spatial(op, into);
  auto axes = op.wholes("axes");
  if (!axes) axes = op.whole_numbers(1);
  const bool given = op.layer().inputs.size() > 1 && op.layer().inputs[1] >= 0;
  if (!axes && !given)
    axes = op.whole("noop_with_empty_axes", 0) ? Wholes{} : up_to(0, op.input_shape(0));
  if (axes) put_axes(op, *axes, into);
  into.values["keep_dims"] =
      op.is_tflite() ? op.whole("keep_dims", 0) != 0 : op.whole("keepdims", 1) != 0;
}

void softmax(Op op, Into into) {
  const Shape* const shape = op.input_shape(0);
  if (op.is_tflite()) {
    if (op.layer().type == "SOFTMAX") into.values["beta"] = real(op.real("beta", 1));
    return put_axes(op, {-1}, into);
  }
  into.values["beta"] = 1.0f;
  const std::int64_t axis = op.whole("axis", -1);
  if (op.layer().version >= 13 || !shape) return put_axes(op, {axis}, into);
  put_axes(op, up_to(op.counted(axis, shape), shape), into);
}

// "axis" counted from the front; a constant input of some operators in .tflite.
void along(Op op, std::int64_t absent, std::optional<std::size_t> slot, std::size_t data,
           Into into) {
  std::optional<std::int64_t> axis;
  if (op.is_tflite() && slot) {
    if (const auto found = op.whole_numbers(*slot); found && found->size() == 1)
      axis = found->front();
  } else {
    axis = op.whole("axis", absent);
  }
  if (axis) into.values["axis"] = op.counted(*axis, op.input_shape(data));
}

void concat(Op op, Into into) {
  along(op, 0, {}, 0, into);
  if (op.is_tflite()) put_fused(op, into);
}

void transpose(Op op, Into into) {
  auto order = op.is_tflite() ? op.whole_numbers(1) : op.wholes("perm");
  if (!order && !op.is_tflite()) {
    order = up_to(0, op.input_shape(0));
    std::reverse(order->begin(), order->end());
  }
  if (order) into.values["order"] = *order;
}

void resize(Op op, Into into) {
  const std::string& type = op.layer().type;
  auto& values = into.values;
  if (op.is_tflite()) {
    const bool nearest = type == "RESIZE_NEAREST_NEIGHBOR",
               half = op.whole("half_pixel_centers", 0) != 0,
               corners = op.whole("align_corners", 0) != 0;
    values["mode"] = nearest ? "nearest" : "linear";
    const std::string place = corners ? "align_corners" : half ? "half_pixel" : "asymmetric";
    // Nearest: floor((place + 0.5) * scale) rounds the half-pixel place, halves up.
    values["coordinates"] =
        nearest ? place + (corners || half ? ", round_prefer_ceil" : ", floor") : place;
    return;
  }
  const bool old = type == "Upsample" || op.layer().version < 11;
  const std::string mode = op.text("mode", "nearest");
  values["mode"] = mode == "bilinear" ? "linear" : mode;
  const std::string place =
      old ? "asymmetric" : op.text("coordinate_transformation_mode", "half_pixel");
  values["coordinates"] =
      mode != "nearest"
          ? place
          : place + ", " + (old ? "floor" : op.text("nearest_mode", "round_prefer_floor"));
  if (mode == "cubic") {
    values["cubic_coefficient"] = real(op.real("cubic_coeff_a", -0.75));
    values["exclude_outside"] = op.whole("exclude_outside", 0) != 0;
  }
  if (op.whole("antialias", 0) != 0) values["antialias"] = true;
}

void pad(Op op, Into into) {
  const std::string& type = op.layer().type;
  auto& values = into.values;
  if (op.is_tflite()) {
    if (const auto pairs = op.whole_numbers(1)) {
      Wholes amounts(pairs->size());  // For each dimension in the file: before, after.
      for (std::size_t d = 0; 2 * d + 1 < pairs->size(); ++d) {
        amounts[d] = (*pairs)[2 * d];
        amounts[d + pairs->size() / 2] = (*pairs)[2 * d + 1];
      }
      values["padding"] = amounts;
    }
    values["mode"] = type == "MIRROR_PAD"
                         ? (op.text("mode", "REFLECT") == "REFLECT" ? "reflect" : "symmetric")
                         : "constant";
    const auto value = type == "PADV2" ? op.numbers(2) : std::nullopt;
    if (type != "MIRROR_PAD")
      values["value"] = real(value && value->size() == 1 ? value->front() : 0);
    return;
  }
  auto amounts = op.wholes("pads");
  if (!amounts) amounts = op.wholes("paddings");
  if (!amounts) amounts = op.whole_numbers(1);
  if (amounts) values["padding"] = *amounts;
  const std::string mode = op.text("mode", "constant");
  values["mode"] = mode;
  if (mode != "constant") return;
  const auto value = op.numbers(2);
  values["value"] = real(value && value->size() == 1 ? value->front() : op.real("value", 0));
}

void activation(Op op, Into into) {
  const std::string& type = op.layer().type;
  Range range;
  if (type == "RELU" || type == "Relu") range.low = 0;
  else if (type == "RELU6") range = {0, 6};
  else if (type == "RELU_N1_TO_1") range = {-1, 1};
  else if (type == "RELU_0_TO_1") range = {0, 1};
  else if (type == "Clip") {
    constexpr double kMost = 3.4e38;  // Default in old operator sets.
    const bool given = op.layer().version >= 11;
    const auto limit = [&](std::size_t slot, const char* name, double absent) {
      if (!given) return op.real(name, absent);
      const auto found = op.numbers(slot);
      return found && found->size() == 1 ? found->front() : absent;
    };
    range = {limit(1, "min", -kNoLimit), limit(2, "max", kNoLimit)};
    if (range.low < -kMost) range.low = -kNoLimit;
    if (range.high > kMost) range.high = kNoLimit;
    for (std::size_t slot = 1; given && slot < std::min<std::size_t>(3, op.layer().inputs.size());
         ++slot)
      if (op.layer().inputs[slot] >= 0 && !op.numbers(slot))
        return;  // The value is computed, so it is unknown.
  }
  into.kind = "activation";
  into.values["min"] = real(range.low);
  into.values["max"] = real(range.high);
}

void matmul(Op op, Into into) {
  const std::string& type = op.layer().type;
  auto& values = into.values;
  if (type == "Gemm" || type == "com.microsoft:FusedGemm") {
    values["alpha"] = real(op.real("alpha", 1));
    values["beta"] =
        real(op.layer().inputs.size() > 2 && op.layer().inputs[2] >= 0 ? op.real("beta", 1) : 1);
    values["transpose_a"] = op.whole("transA", 0) != 0;
    values["transpose_b"] = op.whole("transB", 0) != 0;
  } else {
    values["alpha"] = 1.0f;
    values["beta"] = 1.0f;
    values["transpose_a"] = op.whole("adj_x", 0) != 0;
    values["transpose_b"] = type == "FULLY_CONNECTED" || op.whole("adj_y", 0) != 0;
  }
  put_fused(op, into);
}

void lstm(Op op, Into into) {
  auto& values = into.values;
  values["cell_clip"] = real(op.is_tflite() ? op.real("cell_clip", 0) : op.real("clip", 0));
  values["gates"] = op.is_tflite() ? "input, forget, cell, output" : "input, output, forget, cell";
  values["direction"] = op.is_tflite() ? "forward" : op.text("direction", "forward");
  if (op.layer().type == "LSTM" && !op.is_tflite())
    values["input_forget"] = op.whole("input_forget", 0) != 0;
}

void local_response(Op op, Into into) {
  auto& values = into.values;
  const std::int64_t size = op.is_tflite() ? 2 * op.whole("radius", 0) + 1 : op.whole("size", 1);
  values["size"] = size;
  // ONNX divides by the size, TFLite does not.
  values["alpha"] = real(op.is_tflite() ? op.real("alpha", 0)
                                        : op.real("alpha", 1e-4) /
                                              static_cast<double>(std::max<std::int64_t>(1, size)));
  values["beta"] = real(op.real("beta", op.is_tflite() ? 0 : 0.75));
  values["bias"] = real(op.real("bias", op.is_tflite() ? 0 : 1));
}

void blocks(Op op, Into into) {
  into.values["block_size"] = op.whole(op.is_tflite() ? "block_size" : "blocksize", 1);
  if (into.kind == "depth_to_space")
    into.values["order"] = op.is_tflite() ? "DCR" : op.text("mode", "DCR");
}

void put_real(Op op, const char* name, double absent, Into into) {
  into.values[name] = real(op.real(name, absent));
}

using Words = std::function<void(Op, Into)>;
const std::map<std::string_view, Words>& words() {
  static const std::map<std::string_view, Words> all{
      {"conv", conv},
      {"deconv", deconv},
      {"avgpool", pool},
      {"maxpool", pool},
      {"mean", reduced},
      {"sum", reduced},
      {"reduce_max", reduced},
      {"softmax", softmax},
      {"logsoftmax", softmax},
      {"concat", concat},
      {"transpose", transpose},
      {"resize", resize},
      {"pad", pad},
      {"relu", activation},
      {"clip", activation},
      {"matmul", matmul},
      {"lstm", lstm},
      {"lrn", local_response},
      {"depth_to_space", blocks},
      {"space_to_depth", blocks},
      {"split", [](Op op, Into into) { along(op, 0, 0, op.is_tflite() ? 1 : 0, into); }},
      {"gather", [](Op op, Into into) { along(op, 0, {}, 0, into); }},
      {"argmax", [](Op op, Into into) { along(op, 0, 1, 0, into); }},
      {"add", put_fused},
      {"sub", put_fused},
      {"mul", put_fused},
      {"div", put_fused},
      {"leakyrelu", [](Op op, Into into) { put_real(op, "alpha", 0.01, into); }},
      {"elu", [](Op op, Into into) { put_real(op, "alpha", 1, into); }},
      {"batchnorm", [](Op op, Into into) { put_real(op, "epsilon", 1e-5, into); }},
      {"hardsigmoid",
       [](Op op, Into into) {
         put_real(op, "alpha", 0.2, into);
         put_real(op, "beta", 0.5, into);
       }},
      {"gelu",
       [](Op op, Into into) {
         into.values["approximate"] = op.is_tflite() ? op.whole("approximate", 0) != 0
                                                     : op.text("approximate", "none") == "tanh";
       }},
      {"sigmoid", [](Op, Into) {}},
      {"tanh", [](Op, Into) {}},
      {"hardswish", [](Op, Into) {}},
      {"reshape", [](Op, Into) {}}};
  return all;
}

// True for names, and training attributes.
bool is_without_effect(const std::string& name) {
  return name == "momentum" || name == "is_test" || name == "training_mode" ||
         name == "consumed_inputs" || name == "spatial";
}

}  // namespace

std::string range_text(double low, double high) {
  if (low == -kNoLimit && high == kNoLimit) return "none";
  if (low == 0 && high == kNoLimit) return "relu";
  if (low == 0 && high == 6) return "relu6";
  if (high == kNoLimit) return "from " + number(low, 6);
  return low == -kNoLimit ? "up to " + number(high, 6) : number(low, 6) + " to " + number(high, 6);
}

OperatorOptions options_of(const OptionSource& source, int layer) {
  OperatorOptions found;
  found.layer = layer;
  const std::string& type = source.graph.layers[at(layer)].type;
  found.kind = op_kind(type);
  const OperatorReader op(source, layer);
  if (const auto known = words().find(found.kind); known != words().end()) {
    known->second(op, found);
    return found;
  }
  found.own_words = true;
  if (at(layer) < source.attributes.size())
    for (const model::Attribute& attribute : source.attributes[at(layer)])
      if (!std::holds_alternative<model::OpaqueAttribute>(attribute.value) &&
          !is_without_effect(attribute.name))
        found.values[attribute.name] = attribute.value;
  return found;
}

}  // namespace edgeprobe::compare

// SPDX-License-Identifier: Apache-2.0
#include "compare/options/options.h"

#include <algorithm>
#include <map>
#include <set>

#include "compare/options/read.h"
#include "core/index.h"
#include "core/text.h"

namespace edgeprobe::compare {
namespace {

using model::AttributeValue;
using model::Change;
using Changes = std::vector<Change>;

Error refuse(const std::string& what) { return {ErrorKind::kUnsupported, what}; }

Error no_word(const OptionSource& source, const std::string& type, const std::string& name,
              const AttributeValue& wanted) {
  return refuse("a ." + source.graph.format + " file cannot say " + name + " " +
                model::to_text(wanted) + " of " + sanitized(type, 60));
}

// Sets height and width as two numbers.
std::optional<Changes> two(int layer, const AttributeValue& wanted, const char* height,
                           const char* width) {
  const auto* const list = std::get_if<Wholes>(&wanted);
  if (!list || list->size() != 2) return std::nullopt;
  return Changes{{layer, height, (*list)[0]}, {layer, width, (*list)[1]}};
}

// Changes the amounts of a Pad that pads only height and width.
std::optional<Changes> paired(int layer, const AttributeValue& wanted) {
  const auto* const list = std::get_if<Wholes>(&wanted);
  if (!list || list->size() != 4) return std::nullopt;
  return Changes{
      {layer, "paddings", Wholes{0, 0, (*list)[0], (*list)[2], (*list)[1], (*list)[3], 0, 0}, 1}};
}

std::optional<std::string> fused_word(const AttributeValue& wanted) {
  static const std::map<std::string, std::string> kWords{{"none", "NONE"},
                                                         {"relu", "RELU"},
                                                         {"relu6", "RELU6"},
                                                         {"-1 to 1", "RELU_N1_TO_1"},
                                                         {"tanh", "TANH"}};
  const auto* const text = std::get_if<std::string>(&wanted);
  const auto found = text ? kWords.find(*text) : kWords.end();
  return found == kWords.end() ? std::nullopt : std::optional(found->second);
}

// SAME or VALID, whichever yields these amounts.
std::optional<Changes> padding_of_tflite(const OptionSource& source, const OperatorOptions& own,
                                         const AttributeValue& wanted) {
  const OperatorReader op(source, own.layer);
  if (own.kind == "pad") {
    const auto* const list = std::get_if<Wholes>(&wanted);
    if (!list || list->size() % 2 != 0) return std::nullopt;
    Wholes pairs;
    for (std::size_t d = 0; d < list->size() / 2; ++d) {
      pairs.push_back((*list)[d]);
      pairs.push_back((*list)[d + list->size() / 2]);
    }
    return Changes{{own.layer, "paddings", pairs, 1}};
  }
  const bool transposed = own.kind == "deconv";
  const Window window = window_of_tflite(op, transposed);
  for (const bool same : {true, false}) {
    OperatorOptions as;
    Window tried = window;
    if (same && !transposed && window.input.size() == window.stride.size())
      for (std::size_t d = 0; d < window.stride.size() && d < tried.output.size(); ++d)
        tried.output[d] =
            (window.input[d] + window.stride[d] - 1) / std::max<std::int64_t>(1, window.stride[d]);
    put_window(padded(tried, same, transposed), transposed, as);
    if (as.values["padding"] == wanted && op.text("padding", "") != (same ? "SAME" : "VALID"))
      return Changes{{own.layer, "padding", std::string(same ? "SAME" : "VALID")}};
  }
  return std::nullopt;
}

std::optional<Changes> in_tflite(const OptionSource& source, const OperatorOptions& own,
                                 const std::string& name, const AttributeValue& wanted) {
  const int layer = own.layer;
  if (name == "stride") return two(layer, wanted, "stride_height", "stride_width");
  if (name == "dilation") return two(layer, wanted, "dilation_height", "dilation_width");
  if (name == "window") return two(layer, wanted, "filter_height", "filter_width");
  if (name == "padding" && own.padding_layer >= 0)
    return OperatorReader(source, layer).text("padding", "") == "VALID"
               ? paired(own.padding_layer, wanted)
               : std::nullopt;
  if (name == "padding") return padding_of_tflite(source, own, wanted);
  if (name == "activation") {
    const auto word = fused_word(wanted);
    if (!word || own.activation_layer != layer) return std::nullopt;
    return Changes{{layer, "fused_activation", *word}};
  }
  if (name == "coordinates") {
    const auto* const text = std::get_if<std::string>(&wanted);
    const bool nearest = source.graph.layers[at(layer)].type == "RESIZE_NEAREST_NEIGHBOR";
    const std::string round = nearest ? ", round_prefer_ceil" : "";
    const bool half =
        text && (*text == "half_pixel" + round || *text == "pytorch_half_pixel" + round ||
                 (nearest && *text == "tf_half_pixel_for_nn, floor"));
    const bool corners = text && *text == "align_corners" + round;
    if (!half && !corners && !(text && *text == (nearest ? "asymmetric, floor" : "asymmetric")))
      return std::nullopt;
    return Changes{{layer, "align_corners", corners}, {layer, "half_pixel_centers", half}};
  }
  if (name == "axes") {
    if (const auto* list = std::get_if<Wholes>(&wanted);
        list && own.kind != "softmax" && own.kind != "logsoftmax")
      return Changes{{layer, "axes", *list, 1}};
    return std::nullopt;
  }
  if (name == "order" && own.kind == "transpose") return Changes{{layer, "perm", wanted, 1}};
  if (name == "axis" && own.kind == "split") return Changes{{layer, "axis", wanted, 0}};
  if (name == "axis" && own.kind == "argmax") return Changes{{layer, "axis", wanted, 1}};
  if (name == "mode" && own.kind == "pad") {
    const auto* const text = std::get_if<std::string>(&wanted);
    if (!text || source.graph.layers[at(layer)].type != "MIRROR_PAD") return std::nullopt;
    return Changes{{layer, "mode", std::string(*text == "reflect" ? "REFLECT" : "SYMMETRIC")}};
  }
  static const std::set<std::string> kSame{"beta",   "alpha",     "keep_dims",
                                           "axis",   "bias",      "block_size",
                                           "radius", "cell_clip", "approximate"};
  if (own.own_words || kSame.count(name)) return Changes{{layer, name, wanted}};
  if (name == "size" && own.kind == "lrn")
    if (const auto* size = std::get_if<std::int64_t>(&wanted); size && *size % 2 != 0)
      return Changes{{layer, "radius", (*size - 1) / 2}};
  if (name == "transpose_a" || name == "transpose_b")
    return Changes{{layer, name == "transpose_a" ? "adj_x" : "adj_y", wanted}};
  return std::nullopt;
}

// Clipping range of an activation from the text of range_text().
std::optional<std::pair<float, float>> range_of(const AttributeValue& wanted) {
  const auto* const text = std::get_if<std::string>(&wanted);
  const float none = static_cast<float>(kNoLimit);
  if (!text) return std::nullopt;
  if (*text == "relu") return {{0.0f, none}};
  if (*text == "relu6") return {{0.0f, 6.0f}};
  if (*text == "-1 to 1") return {{-1.0f, 1.0f}};
  return std::nullopt;
}

// Changes one limit of a Clip: an input, or an attribute in old operator sets.
std::optional<Change> limit(const OptionSource& source, int layer, bool high, float value) {
  const model::Layer& op = source.graph.layers[at(layer)];
  constexpr float kMost = 3.4028234663852886e38f;
  value = std::clamp(value, -kMost, kMost);
  if (op.version >= 11) return Change{layer, high ? "max" : "min", value, high ? 2 : 1};
  return Change{layer, high ? "max" : "min", value};
}

std::optional<Changes> range_in_onnx(const OptionSource& source, int layer,
                                     std::optional<float> low, std::optional<float> high) {
  const std::string& type = source.graph.layers[at(layer)].type;
  Changes changes;
  if (type == "Relu" || type == "Identity")
    changes.push_back({layer, model::kOperatorType, std::string("Clip")});
  else if (type != "Clip") return std::nullopt;
  if (type == "Relu" && !low) low = 0.0f;
  if (low) changes.push_back(*limit(source, layer, false, *low));
  if (high) changes.push_back(*limit(source, layer, true, *high));
  return changes;
}

// True for all axes from the first of these on, except those of size 1.
bool is_to_the_end(const Wholes& axes, const Shape* shape) {
  if (!shape) return false;
  Wholes behind;
  for (std::int64_t d = std::max<std::int64_t>(0, axes.front());
       d < static_cast<std::int64_t>(shape->size()); ++d)
    if ((*shape)[static_cast<std::size_t>(d)] != 1) behind.push_back(d);
  return behind == axes;
}

bool is_zero(const Wholes& list) {
  return std::all_of(list.begin(), list.end(), [](std::int64_t one) { return one == 0; });
}

// Sets a window's padding in the preceding Pad if the window itself has none.
std::optional<Changes> of_pad_in_front(const OptionSource& source, const OperatorOptions& own,
                                       const AttributeValue& wanted) {
  const auto* const spatial = std::get_if<Wholes>(&wanted);
  const Window window = window_of_onnx(OperatorReader(source, own.layer), false);
  if (!spatial || !is_zero(window.before) || !is_zero(window.after)) return std::nullopt;
  Wholes amounts{0, 0};
  const auto half = spatial->begin() + static_cast<std::ptrdiff_t>(spatial->size() / 2);
  amounts.insert(amounts.end(), spatial->begin(), half);
  amounts.insert(amounts.end(), 2, 0);
  amounts.insert(amounts.end(), half, spatial->end());
  const bool attribute = OperatorReader(source, own.padding_layer).wholes("pads").has_value();
  return Changes{{own.padding_layer, "pads", amounts, attribute ? -1 : 1}};
}

std::optional<Changes> in_onnx(const OptionSource& source, const OperatorOptions& own,
                               const std::string& name, const AttributeValue& wanted) {
  const int layer = own.layer;
  const model::Layer& op = source.graph.layers[at(layer)];
  const OperatorReader reader(source, layer);
  const auto flag = [&]() -> AttributeValue {
    const auto* const on = std::get_if<bool>(&wanted);
    return std::int64_t{on && *on ? 1 : 0};
  };
  if (own.own_words) return Changes{{layer, name, wanted}};
  if (name == "padding" && own.kind == "pad") {
    if (reader.wholes("pads")) return Changes{{layer, "pads", wanted}};
    return Changes{{layer, "pads", wanted, 1}};
  }
  if (name == "padding" && own.padding_layer >= 0) return of_pad_in_front(source, own, wanted);
  if (name == "padding") {
    if (!std::holds_alternative<Wholes>(wanted)) return std::nullopt;
    Changes changes;
    if (reader.text("auto_pad", "NOTSET") != "NOTSET")
      changes.push_back({layer, "auto_pad", std::string("NOTSET")});
    changes.push_back({layer, "pads", wanted});
    return changes;
  }
  if (name == "activation") {
    if (own.activation_layer < 0 || own.activation_layer == layer) return std::nullopt;
    const auto range = range_of(wanted);
    if (!range) return std::nullopt;
    return range_in_onnx(source, own.activation_layer, range->first, range->second);
  }
  if (name == "min" || name == "max") {
    const auto* const value = std::get_if<float>(&wanted);
    if (!value) return std::nullopt;
    return range_in_onnx(source, layer, name == "min" ? std::optional(*value) : std::nullopt,
                         name == "max" ? std::optional(*value) : std::nullopt);
  }
  if (name == "value" && own.kind == "pad")
    return op.version >= 11 ? Changes{{layer, "constant_value", wanted, 2}}
                            : Changes{{layer, "value", wanted}};
  if (name == "axes") {
    const auto* const list = std::get_if<Wholes>(&wanted);
    if (!list || op.type.find("Global") != std::string::npos) return std::nullopt;
    if (own.kind == "softmax" || own.kind == "logsoftmax") {
      if (list->empty() || (op.version >= 13 && list->size() != 1)) return std::nullopt;
      // Older operator sets treat everything from the axis on as one.
      if (op.version < 13 && !is_to_the_end(*list, reader.input_shape(0))) return std::nullopt;
      return Changes{{layer, "axis", list->front()}};
    }
    const std::int64_t from = op.type == "ReduceSum" ? 13 : 18;
    return op.version >= from ? Changes{{layer, "axes", wanted, 1}}
                              : Changes{{layer, "axes", wanted}};
  }
  if (name == "coordinates") {
    const auto* const text = std::get_if<std::string>(&wanted);
    if (!text || op.type == "Upsample") return std::nullopt;
    const std::size_t comma = text->find(", ");
    Changes changes{{layer, "coordinate_transformation_mode", text->substr(0, comma)}};
    if (comma != std::string::npos)
      changes.push_back({layer, "nearest_mode", text->substr(comma + 2)});
    return changes;
  }
  static const std::map<std::string, const char*> kFlags{
      {"ceil_mode", "ceil_mode"}, {"padding_counted", "count_include_pad"},
      {"transpose_a", "transA"},  {"transpose_b", "transB"},
      {"keep_dims", "keepdims"},  {"exclude_outside", "exclude_outside"},
      {"antialias", "antialias"}, {"input_forget", "input_forget"}};
  if (const auto found = kFlags.find(name); found != kFlags.end())
    return Changes{{layer, found->second, flag()}};
  if (name == "approximate")
    return Changes{
        {layer, name, std::string(flag() == AttributeValue(std::int64_t{1}) ? "tanh" : "none")}};
  static const std::map<std::string, const char*> kNames{
      {"stride", "strides"},      {"dilation", "dilations"},
      {"window", "kernel_shape"}, {"groups", "group"},
      {"epsilon", "epsilon"},     {"alpha", "alpha"},
      {"beta", "beta"},           {"axis", "axis"},
      {"mode", "mode"},           {"cubic_coefficient", "cubic_coeff_a"},
      {"order", "mode"},          {"block_size", "blocksize"},
      {"size", "size"},           {"bias", "bias"},
      {"direction", "direction"}, {"cell_clip", "clip"}};
  if (own.kind == "softmax" || own.kind == "lrn") {
    if (name == "beta" && own.kind == "softmax") return std::nullopt;
    if (name == "alpha") {
      const auto* const each = std::get_if<float>(&wanted);
      if (!each) return std::nullopt;
      return Changes{{layer, "alpha", *each * static_cast<float>(reader.whole("size", 1))}};
    }
  }
  if (const auto found = kNames.find(name); found != kNames.end())
    return Changes{{layer,
                    name == "order" ? (own.kind == "transpose" ? "perm" : "mode") : found->second,
                    wanted}};
  return std::nullopt;
}

}  // namespace

Result<Changes> changes_for(const OptionSource& source, const OperatorOptions& own,
                            const std::string& name, const AttributeValue& wanted) {
  // Another kind of operator cannot be set by an attribute.
  if (name == "operator")
    return no_word(source, source.graph.layers[at(own.layer)].type, name, wanted);
  auto changes = source.graph.format == "tflite" ? in_tflite(source, own, name, wanted)
                                                 : in_onnx(source, own, name, wanted);
  if (!changes) return no_word(source, source.graph.layers[at(own.layer)].type, name, wanted);
  // Skips values that the file already has.
  const auto says = [&](const Change& change) {
    if (change.input >= 0 || change.name == model::kOperatorType) return false;
    const auto now = OperatorReader(source, change.layer).value(change.name);
    return now && model::to_text(*now) == model::to_text(change.value);
  };
  changes->erase(std::remove_if(changes->begin(), changes->end(), says), changes->end());
  if (changes->empty())
    return no_word(source, source.graph.layers[at(own.layer)].type, name, wanted);
  return *std::move(changes);
}

}  // namespace edgeprobe::compare

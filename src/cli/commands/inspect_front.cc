// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/inspect_front.h"

#include <array>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/file.h"
#include "core/text.h"
#include "model/described.h"
#include "recipe/print.h"

namespace edgeprobe::cli {
namespace {

using nlohmann::json;

constexpr const char* kFileName = "preprocessor_config.json";
constexpr std::uint64_t kMostBytes = 256'000;

// Pillow's kernel numbers.
constexpr std::array<const char*, 5> kKernels{"nearest", "lanczos3", "bilinear", "bicubic", "box"};

// Error for a value that a recipe cannot express.
Error unsaid(std::string why) { return {ErrorKind::kUsage, std::move(why)}; }

bool flag(const json& config, const char* key, bool usual) {
  const auto at = config.find(key);
  return at != config.end() && at->is_boolean() ? at->get<bool>() : usual;
}

std::optional<double> number_at(const json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number()) return std::nullopt;
  return at->get<double>();
}

bool is_side(double side) { return side >= 1 && side <= 16384 && side == std::floor(side); }

std::string pixels(double side) { return std::to_string(static_cast<int>(side)); }

std::string type_of(const json& config) {
  for (const char* const key : {"image_processor_type", "feature_extractor_type"})
    if (const auto at = config.find(key); at != config.end() && at->is_string())
      return sanitized(at->get<std::string>(), 60);
  return "";
}

// Older files have one number, which some classes use for both sides and CLIP for the shorter one.
Result<std::string> size_words(const json& config, const json& size) {
  if (size.is_number()) {
    const double side = size.get<double>();
    const std::string type = type_of(config);
    const auto is = [&](const char* word) { return type.find(word) != std::string::npos; };
    if (!is_side(side)) return unsaid("size is not a side length in pixels");
    if (is("CLIP")) return "short=" + pixels(side);
    if (is("ViT") || is("DeiT") || is("Beit")) return pixels(side) + "x" + pixels(side);
    return unsaid("size is one number, which processors of " +
                  (type.empty() ? "an unnamed type" : type) + " take in different ways");
  }
  if (!size.is_object()) return unsaid("size is missing");
  const auto height = number_at(size, "height"), width = number_at(size, "width");
  if (height && width && is_side(*height) && is_side(*width) && size.size() == 2)
    return pixels(*height) + "x" + pixels(*width);
  const auto shortest = number_at(size, "shortest_edge");
  if (shortest && is_side(*shortest) && size.size() == 1) return "short=" + pixels(*shortest);
  return unsaid("size is " + sanitized(size.dump(), 80) + ", which no step of a recipe resizes to");
}

Result<std::string> resize_step(const json& config) {
  if (config.contains("crop_pct")) return unsaid("crop_pct resizes to a size that it derives");
  const auto size = config.find("size");
  const auto resample = number_at(config, "resample");
  if (size == config.end()) return unsaid("size is missing");
  if (!resample) return unsaid("resample, the kernel, is missing");
  if (!(*resample >= 0 && *resample < double(kKernels.size())) ||
      *resample != std::floor(*resample))
    return unsaid("resample is " + number(*resample, 6) + ", a kernel that recipes do not have");
  EP_TRY(const auto words, size_words(config, *size));
  return "resize(" + words + ", " + kKernels[static_cast<std::size_t>(*resample)] +
         ", like=pillow)";
}

Result<std::string> crop_step(const json& config) {
  const auto at = config.find("crop_size");
  if (at == config.end()) return unsaid("crop_size is missing");
  const auto height = at->is_number() ? std::optional(at->get<double>()) : number_at(*at, "height");
  const auto width = at->is_number() ? height : number_at(*at, "width");
  if (!height || !width || !is_side(*height) || !is_side(*width))
    return unsaid("crop_size is " + sanitized(at->dump(), 80));
  return "crop(center, " + pixels(*height) + "x" + pixels(*width) + ", offset=floor)";
}

Result<std::vector<double>> channels(const json& config, const char* key) {
  const auto at = config.find(key);
  std::vector<double> out;
  if (at == config.end()) return unsaid(std::string(key) + " is missing");
  for (const json& one : at->is_array() ? *at : json::array({*at})) {
    if (!one.is_number()) return unsaid(std::string(key) + " is " + sanitized(at->dump(), 80));
    out.push_back(one.get<double>());
  }
  if (out.size() != 1 && out.size() != 3)
    return unsaid(std::string(key) + " has " + std::to_string(out.size()) + " values");
  return out;
}

Result<std::string> normalize_step(const std::vector<double>& mean,
                                   const std::vector<double>& std) {
  for (const double one : std)
    if (one == 0) return unsaid("a deviation is 0");
  return "normalize(mean=" + recipe::list_text(mean) + ", std=" + recipe::list_text(std) + ")";
}

Result<std::string> steps_of(const json& config, bool is_nchw) {
  for (const char* const key : {"do_pad", "do_flip_channel_order", "do_thumbnail", "apply_ocr",
                                "do_align_long_axis", "do_reduce_labels"})
    if (flag(config, key, false))
      return unsaid(std::string(key) + " is set, which recipes do not have");
  std::vector<std::string> steps;
  if (flag(config, "do_resize", true)) {
    EP_TRY(steps.emplace_back(), resize_step(config));
  }
  if (flag(config, "do_center_crop", config.contains("crop_size"))) {
    EP_TRY(steps.emplace_back(), crop_step(config));
  }
  steps.emplace_back("color(rgb)");
  const double factor = number_at(config, "rescale_factor").value_or(1.0 / 255);
  if (flag(config, "do_rescale", true)) {
    // Tolerance for rounding in files: 0.00392156862745098.
    const auto is = [&](double other) { return std::fabs(factor - other) < 1e-6 * other; };
    if (is(1.0 / 255)) steps.emplace_back("scale(0..1)");
    else if (is(1 / 127.5) && flag(config, "offset", true)) steps.emplace_back("scale(-1..1)");
    else if (is(1 / 127.5)) steps.emplace_back("scale(0..2)");
    else return unsaid("rescale_factor is " + number(factor, 9));
  }
  if (flag(config, "do_normalize", true)) {
    EP_TRY(const auto mean, channels(config, "image_mean"));
    EP_TRY(const auto std, channels(config, "image_std"));
    EP_TRY(steps.emplace_back(), normalize_step(mean, std));
  }
  steps.emplace_back(is_nchw ? "layout(nchw)" : "layout(nhwc)");
  return joined(steps, " | ");
}

std::optional<std::string> text_near(const std::string& path, const char* name) {
  const std::filesystem::path model(path);
  for (const auto& folder : {model.parent_path(), model.parent_path() / ".."}) {
    std::error_code failed;
    const auto file = folder / name;
    if (!std::filesystem::is_regular_file(file, failed)) continue;
    if (std::filesystem::file_size(file, failed) > kMostBytes || failed) return std::nullopt;
    const auto bytes = read_file(file.string());
    if (!bytes) return std::nullopt;
    return std::string(ByteView(*bytes).text());
  }
  return std::nullopt;
}

bool is_nchw(const Shape& shape) { return shape.size() == 4 && (shape[1] == 1 || shape[1] == 3); }

FrontProposal front_of_metadata(const model::Normalization& said, const Shape& shape) {
  FrontProposal out{"", "the file's metadata", ""};
  const bool is_gray = shape[3] == 1;
  out.recipe = "resize(" + std::to_string(shape[1]) + "x" + std::to_string(shape[2]) + ") | " +
               (is_gray ? "gray" : "color(rgb)") + " | ";
  out.recipe += "normalize(mean=" + recipe::list_text(said.mean) +
                ", std=" + recipe::list_text(said.std) + ")";
  return out;
}

}  // namespace

FrontProposal front_of_config(std::string_view text, bool is_nchw) {
  FrontProposal out{"", kFileName, ""};
  const json config = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) {
    out.why_not = "it is not a JSON object";
    return out;
  }
  auto steps = steps_of(config, is_nchw);
  if (steps) out.recipe = *std::move(steps);
  else out.why_not = steps.error().what;
  return out;
}

std::optional<FrontProposal> front_near(const std::string& path, const model::Graph& graph,
                                        ByteView file) {
  if (graph.inputs.size() != 1) return std::nullopt;
  const TensorSpec& input = graph.tensors[static_cast<std::size_t>(graph.inputs[0])].spec;
  if (input.shape.size() != 4) return std::nullopt;
  if (const auto text = text_near(path, kFileName))
    return front_of_config(*text, is_nchw(input.shape));
  // The numbers refer to pixels 0..255; a quantised input takes their codes.
  if (graph.format != "tflite" || is_integer(input.dtype)) return std::nullopt;
  if (input.shape[1] <= 0 || input.shape[2] <= 0 || (input.shape[3] != 1 && input.shape[3] != 3))
    return std::nullopt;
  const auto said = model::described_normalization(file);
  if (!said) return std::nullopt;
  return front_of_metadata(*said, input.shape);
}

std::string model_type_near(const std::string& path) {
  const auto text = text_near(path, "config.json");
  if (!text) return "";
  const json config = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!config.is_object()) return "";
  const auto type = config.find("model_type");
  return type != config.end() && type->is_string() ? type->get<std::string>() : "";
}

}  // namespace edgeprobe::cli

// SPDX-License-Identifier: Apache-2.0
// Kenning's data sets prepare pictures in Python; each convention has a name in recipes.
#include "scenario/kenning/recipe.h"

#include <filesystem>

namespace edgeprobe::scenario::kenning {
namespace {

std::string in(const std::string& root, const std::string& name) {
  return (std::filesystem::path(root) / name).string();
}

std::string layout(const Pictures& pictures, const char* usual) {
  const std::string& said = pictures.layout;
  return " | layout(" + std::string(said.empty() ? usual : said == "NCHW" ? "nchw" : "nhwc") + ")";
}

/// Pillow's resize() to 224 x 224, bicubic.
constexpr const char* kPillow = "resize(224x224, bicubic, like=pillow)";
constexpr const char* kTorch =
    " | color(rgb) | scale(0..1) | normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, "
    "0.225])";

std::string imagenet(const Pictures& pictures) {
  const std::string& kind = pictures.preprocess;
  if (kind == "torch") return std::string(kPillow) + kTorch;
  if (kind == "tf") return std::string(kPillow) + " | color(rgb) | scale(-1..1)";
  if (kind == "none") return std::string(kPillow) + " | color(rgb)";
  // "caffe", the default: blue first, with the means subtracted.
  return std::string(kPillow) + " | color(bgr) | normalize(mean=[103.939, 116.779, 123.68], std=1)";
}

/// OpenCV's resize(), linear, then RGB from 0 to 1.
std::string opencv(const Pictures& pictures, const char* usual) {
  const std::string height = pictures.height.empty() ? "416" : pictures.height;
  const std::string width = pictures.width.empty() ? "416" : pictures.width;
  return "resize(" + height + "x" + width + ", bilinear, like=opencv) | color(rgb) | scale(0..1)" +
         layout(pictures, usual);
}

}  // namespace

Data data_of(const Pictures& pictures, const std::string& root) {
  if (root.empty()) return {};
  const std::string part = pictures.part.empty() ? "val2017" : pictures.part;
  if (pictures.dataset == "PetDataset")
    return {"pets:" + root + (pictures.classify.empty() ? "" : "?classify_by=" + pictures.classify),
            std::string(kPillow) + kTorch + layout(pictures, "nhwc"), true};
  if (pictures.dataset == "ImageNetDataset")
    return {in(root, "images"), imagenet(pictures) + layout(pictures, "nhwc")};
  if (pictures.dataset == "COCODataset2017")
    return {"coco:" + root + "?set=" + part, opencv(pictures, "nchw"), true};
  if (pictures.dataset == "VisualWakeWordsDataset")
    return {"visual_wake_words:" + root + "?set=" + part +
                (pictures.object.empty() ? "" : "&object=" + pictures.object) +
                (pictures.area.empty() ? "" : "&area=" + pictures.area),
            opencv(pictures, "nhwc"), true};
  if (pictures.dataset == "OpenImagesDatasetV6") return {in(root, "img"), opencv(pictures, "nchw")};
  return {root, ""};
}

}  // namespace edgeprobe::scenario::kenning

// SPDX-License-Identifier: Apache-2.0
#include "report/fixes/fixes.h"

#include <gtest/gtest.h>

namespace edgeprobe::report {
namespace {

std::string code(const char* kind, const char* step, const char* api) {
  const auto made = fix_code(*diagnose::cause_kind_from_name(kind), step);
  return made.count(api) ? made.at(api) : "";
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(FixCode, KnowsEveryKindThatALineOfCodeMends) {
  for (const char* kind :
       {"channel_order", "value_range", "crop", "orientation", "layout", "input_quantization",
        "empty_input", "non_finite_input", "value_table", "other_frame"})
    for (const char* api : {"opencv", "android", "numpy"})
      EXPECT_FALSE(code(kind, "", api).empty()) << kind << " " << api;
  for (const char* api : {"opencv", "android", "numpy"})
    EXPECT_FALSE(code("resize", "resize(224x224, area)", api).empty()) << api;
  EXPECT_TRUE(fix_code(diagnose::CauseKind::kOtherModel, "").empty());
  EXPECT_TRUE(fix_code(diagnose::CauseKind::kUnknown, "").empty());
  // Without the size there is no code.
  EXPECT_TRUE(fix_code(diagnose::CauseKind::kResize, "").empty());
}

TEST(FixCode, SwapsChannelsTheWayTheReferenceNeedsThem) {
  EXPECT_TRUE(
      holds(code("channel_order", "color(rgb)", "opencv"), "cv2.cvtColor(img, cv2.COLOR_BGR2RGB)"));
  EXPECT_TRUE(holds(code("channel_order", "color(rgb)", "numpy"), "x = x[..., ::-1]"));
  EXPECT_TRUE(holds(code("channel_order", "color(rgb)", "android"), "val r = (p shr 16) and 0xff"));
  EXPECT_TRUE(holds(code("channel_order", "color(bgr)", "android"), "write b, g, r"));
}

TEST(FixCode, TakesTheNumbersOfTheRange) {
  EXPECT_EQ(code("value_range", "scale(-1..1)", "numpy"), "x = img.astype(np.float32) / 127.5 - 1");
  EXPECT_EQ(code("value_range", "scale(0..1)", "numpy"), "x = img.astype(np.float32) / 255");
  EXPECT_TRUE(holds(code("value_range", "scale(0..1)", "opencv"),
                    "img.convertTo(x, CV_32F, 1.0 / 255.0);"));
  EXPECT_TRUE(holds(code("value_range", "scale(-1..1)", "android"), "NormalizeOp(127.5f, 127.5f)"));
  // (x/255 - .485)/.229 = (x - 123.675)/58.395
  const char* imagenet =
      "scale(0..1) | normalize(mean=[0.485, 0.456, 0.406], std=[0.229, 0.224, 0.225])";
  EXPECT_TRUE(
      holds(code("value_range", imagenet, "android"),
            "floatArrayOf(123.675f, 116.28f, 103.53f), floatArrayOf(58.395f, 57.12f, 57.375f)"))
      << code("value_range", imagenet, "android");
  EXPECT_TRUE(holds(code("value_range", "", "numpy"), "not scaled"));
}

TEST(FixCode, NamesTheResizeThatIsEqual) {
  EXPECT_TRUE(
      holds(code("resize", "resize(96x128, bilinear, antialias=off, align=half_pixel)", "opencv"),
            "(128, 96), interpolation=cv2.INTER_LINEAR"));
  EXPECT_TRUE(holds(code("resize", "resize(96x128, area)", "opencv"), "cv2.INTER_AREA"));
  EXPECT_TRUE(
      holds(code("resize", "resize(96x128, bilinear, antialias=on, align=half_pixel)", "numpy"),
            "resize((128, 96), Image.BILINEAR)"));
  EXPECT_TRUE(
      holds(code("resize", "resize(96x128, bilinear, antialias=off, align=legacy)", "numpy"),
            "tf.compat.v1.image.resize_bilinear(img[None], (96, 128))[0]"));
}

TEST(FixCode, WarnsThatAndroidDoesNotAntialias) {
  EXPECT_TRUE(holds(code("resize", "resize(96x128, bilinear, antialias=on)", "android"),
                    "NOT antialiased"));
  EXPECT_TRUE(holds(code("resize", "resize(96x128, area)", "android"), "Imgproc.INTER_AREA"));
}

TEST(FixCode, TurnsAndFlips) {
  EXPECT_EQ(code("orientation", "rotate(90)", "opencv"),
            "img = cv2.rotate(img, cv2.ROTATE_90_CLOCKWISE)");
  EXPECT_TRUE(holds(code("orientation", "rotate(270)", "android"), "postRotate(270f)"));
  EXPECT_EQ(code("orientation", "flip(horizontal)", "numpy"), "x = x[:, ::-1]");
  EXPECT_TRUE(holds(code("orientation", "", "android"), "ExifInterface(path).rotationDegrees"));
}

TEST(FixCode, QuantisesWithTheGivenParametersOrTheModels) {
  EXPECT_TRUE(holds(code("input_quantization", "quantize(scale=0.5, zero_point=-3)", "numpy"),
                    "np.round(x / 0.5) - 3, info.min, info.max"))
      << code("input_quantization", "quantize(scale=0.5, zero_point=-3)", "numpy");
  EXPECT_TRUE(holds(code("input_quantization", "quantize(model)", "numpy"),
                    "get_input_details()[0][\"quantization\"]"));
}

TEST(FixCode, StandsStepsThatNoParserTakes) {
  for (const char* kind : {"channel_order", "value_range", "resize", "crop", "orientation",
                           "layout", "input_quantization"})
    for (const char* step : {"nonsense(", "scale(1..1)", "|||", "normalize(mean=0, std=0)"})
      code(kind, step, "numpy");
}

}  // namespace
}  // namespace edgeprobe::report

// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "golden.h"
#include "report/measured/chart.h"
#include "report/measured/measurements.h"

namespace edgeprobe::report {
namespace {

measurements::Measurements small(double factor) {
  measurements::Measurements of;
  of.model_name = "net.tflite";
  of.model_framework = "tflite";
  of.model_version = "2.14";
  of.command = {"edgeprobe run net.tflite \\", "  --data pictures"};
  of.target_inference =
      measurements::Series{{0, 0.1, 0.25, 0.3}, {0.002 * factor, 0.003, 0.001, 0.004}};
  of.machine = measurements::Machine{{0, 0.1, 0.2}, {40, 41, 42.5}, {{10, 20}, {30, 50}, {0, 100}}};
  of.class_names = {"stop", "a|b `c` *d*", "<i>"};
  of.classification = measurements::Classification{3, {5, 1, 0, 0, 4, 2, 0, 0, 0}, {}, 12};
  of.detection = {{"cat", {{0.9, true, 0.8}, {0.7, false, 0.1}}, 2}};
  of.not_measured["session_utilization_gpu_utilization"] = "no driver of a GPU is asked";
  of.facts = {{"threads", "2"}};
  of.others = {{"build_cfg", "{}"}};
  return of;
}

std::string file_of(const Figure& figure) { return "img/" + figure.name + ".svg"; }

TEST(MeasuredReport, OfOneSet) {
  const std::vector<NamedMeasurements> all{{"int8", small(1)}};
  const Document document = measurements_report(all);
  expect_golden("measured.txt", render_text(document));
  expect_golden("measured_markdown.txt", render_markdown(document, file_of));
  expect_golden("measured.rst", render_rst(document, file_of));
  expect_golden("measured.html", render_html(document));
  expect_golden("measured.json", measurements_json(all, "1"));
}

TEST(MeasuredReport, OfTwoSets) {
  const std::vector<NamedMeasurements> all{{"int8", small(1)}, {"float", small(2)}};
  expect_golden("measured_two_markdown.txt", render_markdown(measurements_report(all), file_of));
}

TEST(MeasuredReport, SaysNothingOfWhatIsNotThere) {
  measurements::Measurements of;
  of.not_measured["target_inference_step"] = "no frame has a latency";
  const std::vector<NamedMeasurements> all{{"empty", of}};
  const std::string text = render_markdown(measurements_report(all), file_of);
  EXPECT_EQ(text.find("Inference time"), std::string::npos);
  EXPECT_NE(text.find("| empty | target\\_inference\\_step | no frame has a latency |"),
            std::string::npos);
}

TEST(MeasuredChart, DrawsValuesOfAnySize) {
  for (const double value : {0.0, 5e-324, 1e-9, 1.0, 1e12}) {
    const std::string svg = line_chart({"t", "x", "y", {{"a", {0, value}, {value, value}}}});
    EXPECT_EQ(svg.find("nan"), std::string::npos) << value;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << value;
    EXPECT_LT(svg.size(), 20'000u) << value;
  }
}

TEST(MeasuredChart, ScattersPointsOfAnySize) {
  for (const double value : {0.0, 5e-324, 1e-9, 1.0, 1e17}) {
    const std::string svg =
        scatter_chart({"t", "x", "y", {{0, value, 1, "1"}, {value, value + 1, 4, "2", true}}});
    EXPECT_EQ(svg.find("nan"), std::string::npos) << value;
    EXPECT_EQ(svg.find("inf"), std::string::npos) << value;
    EXPECT_LT(svg.size(), 20'000u) << value;
  }
  const std::string svg = scatter_chart(
      {"t", "x", "y", {{1, 2, 1, "a"}, {2, 1, 4, "b", true}, {std::nan(""), 1, 1, "c"}}});
  // Twice the radius for four times the size; the point without a place is left out.
  EXPECT_NE(svg.find("r=\"7.00\""), std::string::npos);
  EXPECT_NE(svg.find("r=\"14.00\""), std::string::npos);
  EXPECT_EQ(svg.find(">c<"), std::string::npos);
}

TEST(MeasuredChart, ClassesShareCellsFromAHundredOn) {
  EXPECT_EQ(classes_a_cell(100), 1u);
  EXPECT_EQ(classes_a_cell(101), 2u);
  EXPECT_EQ(classes_a_cell(1000), 10u);
}

}  // namespace
}  // namespace edgeprobe::report

// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <gtest/gtest.h>

#include <limits>

#include "golden.h"
#include "report/page/html.h"
#include "report/page/parts.h"
#include "verdicts.h"

namespace edgeprobe::report {
namespace {

std::size_t count(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + what.size()))
    ++found;
  return found;
}

diagnose::Picture gray_picture(const std::string& role, const std::string& sample, int height,
                               int width) {
  return {role, sample, height, width,
          std::vector<std::uint8_t>(
              3 * static_cast<std::size_t>(height) * static_cast<std::size_t>(width), 128)};
}

diagnose::LayerDrift layer(double drift) {
  diagnose::LayerDrift made;
  made.name = "conv";
  made.index = 0;
  made.distances.rmse_over_range = drift;
  made.distances.exact = drift == 0;
  return made;
}

TEST(RenderHtml, IsWhatTheGoldensShow) {
  for (const auto& [name, verdict] : sample_verdicts())
    expect_golden(name + ".html", render_html(verdict, {Images::kNone}));
}

// page_test.py compares the policy's hash with the script.
TEST(RenderHtml, RunsOneScriptAndForbidsEveryFetch) {
  for (const auto& [name, verdict] : sample_verdicts()) {
    const std::string page = render_html(verdict);
    EXPECT_EQ(count(page, "<script"), 1u) << name;
    EXPECT_EQ(count(page, "http://") + count(page, "https://"), 0u) << name;
    EXPECT_NE(
        page.find("content=\"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-"),
        std::string::npos);
  }
}

TEST(RenderHtml, PutsTheVerdictFirst) {
  const std::string page = render_html(channel_order_verdict());
  EXPECT_LT(page.find("<h1>the app feeds BGR; the reference"), page.find("Accuracy on the target"));
  EXPECT_LT(page.find("Accuracy on the target"), page.find("cv2.COLOR_BGR2RGB"));
  EXPECT_LT(page.find("cv2.COLOR_BGR2RGB"), page.find("<img "));
}

TEST(RenderHtml, EmbedsNoPixelWhenAskedNotTo) {
  EXPECT_EQ(count(render_html(channel_order_verdict()), "<img "), 11u);
  const std::string page = render_html(channel_order_verdict(), {Images::kNone});
  EXPECT_EQ(count(page, "<img "), 0u);
  EXPECT_NE(page.find("made without pictures"), std::string::npos);
}

TEST(RenderHtml, PutsPicturesFirstWhereTheCauseIsUnknown) {
  const std::string page = render_html(unknown_input_verdict());
  EXPECT_LT(page.find("<img "), page.find("id=\"figures\""));
  const std::string top = page.substr(0, page.find("id=\"figures\""));
  // Both inputs, the heat map with its scale, and the plot of the app's values over the
  // reference's.
  EXPECT_EQ(count(top, "<img "), 5u);
  EXPECT_EQ(count(top, "<polyline"), 3u);
  EXPECT_EQ(count(top, "class=\"apart\""), 39u);
  EXPECT_EQ(count(top, "class=\"alike\""), 1u);
  EXPECT_NE(top.find("39 of 40 frames differ; the first is frame 1 (marked), the largest is frame "
                     "39: 39.5 gray levels (RMS)"),
            std::string::npos);
  EXPECT_LT(page.find("<h1>cause unknown"), page.find("<img "));
  // The page does not refer its reader to itself.
  EXPECT_EQ(count(page, "--html FILE"), 0u);
  EXPECT_EQ(without_advice("differs; see the pictures in a;b.html; the reference is weak"),
            "differs; the reference is weak");
  EXPECT_EQ(without_advice("differs; see the pictures in a.html"), "differs");
  // With a cause, the fix comes first, and both inputs are in their rows.
  const std::string named = render_html(channel_order_verdict());
  EXPECT_LT(named.find("id=\"causes\""), named.find("id=\"difference\""));
  const std::string blind = render_html(unknown_input_verdict(), {Images::kNone});
  EXPECT_EQ(count(blind, "<img "), 0u);
  EXPECT_EQ(count(blind, "class=\"apart\""), 39u);
}

TEST(RenderHtml, CutsALongHeadlineAfterASentence) {
  const auto split = [](const std::string& text) {
    const SplitHeadline said = split_headline(text);
    return said.first + "|" + said.rest;
  };
  const std::string hundred(100, 'w');
  EXPECT_EQ(split("short; and whole"), "short; and whole|");
  EXPECT_EQ(split("the app feeds BGR, not RGB; " + hundred),
            "the app feeds BGR, not RGB|" + hundred);
  EXPECT_EQ(split("the model input differs by much and no known " + hundred),
            "the model input differs by much …|… and no known " + hundred);
  EXPECT_EQ(split(std::string(200, 'x')), std::string(24, 'x') + " …|… " + std::string(176, 'x'));
  const std::string page = render_html(unknown_input_verdict());
  const std::size_t head = page.find("<h1>") + 4;
  EXPECT_LT(page.find("</h1>") - head, 115u);
  EXPECT_NE(page.find("reproduces the recorded input (33.7 gray steps stay)</p>"),
            std::string::npos);
}

TEST(RenderHtml, SaysOnceThatAccuracyDidNotSuffer) {
  const std::string page = render_html(unknown_input_verdict());
  EXPECT_NE(page.find("did not suffer on these 50 pictures"), std::string::npos);
  EXPECT_EQ(count(page, "<dd>100.0 %"), 1u);
  EXPECT_EQ(count(render_html(channel_order_verdict()), "did not suffer"), 0u);
}

TEST(RenderHtml, BreaksAHashBetweenGroupsOnly) {
  EXPECT_NE(render_html(unknown_input_verdict())
                .find("c0ffee00c0ffee00<wbr>c0ffee00c0ffee00<wbr>c0ffee00c0ffee00<wbr>"),
            std::string::npos);
}

TEST(RenderHtml, ShowsFlippedAnswersBeforeTheRest) {
  const std::string page = render_html(flipped_classes_verdict());
  EXPECT_NE(page.find("The answer to 211 of 360 frames is not the reference’s."),
            std::string::npos);
  EXPECT_EQ(count(page, "<article class=\"flip\">"), 1u);  // The others have no picture.
  EXPECT_NE(page.find("<dt>app</dt><dd>yield</dd>\n<dt>reference</dt><dd>stop</dd>\n<dt>truth</dt>"
                      "<dd>stop</dd>"),
            std::string::npos);
  EXPECT_NE(page.find("210 more, the first 199</summary>"), std::string::npos);
  // The worst class first, its four most frequent mistakes, and the sum of the others.
  EXPECT_NE(
      page.find(
          "<th scope=\"row\">stop</th><td class=\"number\">50</td><td "
          "class=\"number medium-only\">9</td><td>yield × 30, d × 4, no entry × 3, a × 2, others "
          "× 2</td>"),
      std::string::npos);
  const std::string table = page.substr(page.find("<table class=\"labels\">"));
  EXPECT_EQ(count(table.substr(0, table.find("</table>")), "<tr>"), 1 + 20u);
  EXPECT_NE(page.find("6 more classes differ, in 30 frames. 1 class is the same throughout, in 20 "
                      "frames."),
            std::string::npos);
}

TEST(RenderHtml, DrawsTheBoxesOfAFlip) {
  const std::string page = render_html(flipped_boxes_verdict());
  const std::string flip = page.substr(page.find("<article class=\"flip\">"));
  const std::string card = flip.substr(0, flip.find("</article>"));
  EXPECT_EQ(count(card, "<rect"), 3u);
  EXPECT_EQ(count(card, "stroke-dasharray"), 2u);  // The reference's.
  EXPECT_NE(card.find(">bus 0.9</text>"), std::string::npos);
  EXPECT_NE(page.find("<th scope=\"row\">person</th><td class=\"number\">1</td><td "
                      "class=\"number medium-only\">0</td><td><i>no box</i> × 1</td>"),
            std::string::npos);
  EXPECT_EQ(count(render_html(flipped_boxes_verdict(), {Images::kNone}), "<img "), 0u);
}

TEST(FrameStrip, KeepsTheLargestOfNeighbours) {
  diagnose::FrameDistances all;
  for (std::uint32_t i = 0; i < 1000; ++i)
    all.frames.push_back({i, i == 777 ? 8.0 : 0.25, i == 777 || i == 900});
  const std::string strip = frame_strip(all);
  EXPECT_EQ(count(strip, "class=\"apart\""), 2u);
  EXPECT_EQ(count(strip, "class=\"first\""), 1u);
  EXPECT_EQ(count(strip, "class=\"alike\""), 238u);
  EXPECT_NE(strip.find("the first is frame 777 (marked)"), std::string::npos);
  EXPECT_EQ(frame_strip({}), "");
  all.unit = diagnose::FrameUnit::kPercentOfRange;
  EXPECT_NE(frame_strip(all).find("frame 777: 8 % of the range (RMS)"), std::string::npos);
  all.unit = diagnose::FrameUnit::kOutputDistance;
  EXPECT_NE(frame_strip(all).find("Outputs, frame by frame: 2 of 1000 frames differ beyond the "
                                  "floor; the first is frame 777 (marked), the largest is frame "
                                  "777: 8;"),
            std::string::npos);
  all.frames = {{0, 0, false}, {1, std::numeric_limits<double>::infinity(), true}};
  EXPECT_NE(frame_strip(all).find("frame 1: NaN or infinity"), std::string::npos);
}

TEST(PictureRows, StopsAtTwelveSamplesAndSaysSo) {
  std::vector<diagnose::Picture> pictures;
  for (int i = 0; i < 15; ++i)
    pictures.push_back(gray_picture("target_input", "s" + std::to_string(i), 4, 4));
  const std::string rows = picture_rows(pictures);
  EXPECT_EQ(count(rows, "<img "), 12u);
  EXPECT_NE(rows.find("Pictures of 12 of 15 samples"), std::string::npos);
}

TEST(PictureRows, ScalesDownToTheLongestEdge) {
  const std::string rows = picture_rows({gray_picture("raw", "wide", 100, 1024)});
  EXPECT_EQ(rows.find("The app answered"), std::string::npos);
  EXPECT_NE(rows.find("width=\"256\" height=\"25\""), std::string::npos);  // 100 * 256 / 1024
  EXPECT_NE(rows.find("1024 × 100, scaled down"), std::string::npos);
}

TEST(PictureRows, TellWhatTheAppAnsweredBesideThePicture) {
  diagnose::ShownSample sample{"wide", 0, {}, {}, {}, "{}", "<cat> 0.9; alarm"};
  const std::string rows = picture_rows({gray_picture("raw", "wide", 4, 4)}, {sample});
  EXPECT_NE(rows.find("<p>The app answered: &lt;cat&gt; 0.9; alarm</p>"), std::string::npos);
  sample.name = "other";
  EXPECT_EQ(picture_rows({gray_picture("raw", "wide", 4, 4)}, {sample}).find("The app answered"),
            std::string::npos);
}

TEST(PictureRows, DrawBoxesAsTheReferencesRecipeReadsThem) {
  diagnose::ShownSample sample{"wide", 0, {}, {}, {}};
  sample.app_text = "a box";
  sample.app_json =
      R"({"labels":["<b>","far"],"scores":[0.5,1],"boxes":[[0.25,0.5,0.5,1],[99,0,100,1]]})";
  sample.expected_json = R"({"boxes":[[0,0,0.5,0.5]]})";
  const std::vector pictures{gray_picture("raw", "wide", 100, 200)};
  const std::string rows =
      picture_rows(pictures, {sample}, "detections(yxyx) | threshold(0) | boxes(yxyx, shares)");
  // y .25 to .5 of 100, x .5 to 1 of 200.
  EXPECT_NE(rows.find("<rect x=\"100\" y=\"25\" width=\"100\" height=\"25\""), std::string::npos)
      << rows;
  EXPECT_NE(rows.find(">&lt;b&gt; 0.5</text>"), std::string::npos);
  EXPECT_NE(rows.find("<rect x=\"0\" y=\"0\" width=\"100\" height=\"50\""), std::string::npos);
  EXPECT_EQ(count(rows, "stroke-dasharray"), 1u);
  EXPECT_EQ(count(rows, "<rect"), 2u);  // Coordinates that far outside are omitted.
  EXPECT_EQ(count(rows, "<svg viewBox=\"0 0 200 100\""), 1u);
  EXPECT_EQ(count(picture_rows(pictures, {sample}, "dequantize | softmax"), "<svg"), 0u);
  EXPECT_EQ(count(picture_rows(pictures, {sample}), "<svg"), 0u);
}

TEST(PictureRows, DrawKeyPointsThatAreShown) {
  diagnose::ShownSample sample{"wide", 0, {}, {}, {}};
  sample.app_json = R"({"labels":["nose","eye"],"points":[[8,16,0.9],[null,null,0.1]]})";
  const std::vector pictures{gray_picture("raw", "wide", 64, 64),
                             gray_picture("reference_input", "wide", 32, 32)};
  const std::string pixels =
      picture_rows(pictures, {sample}, "keypoints(yxs) | points(model_pixels)");
  EXPECT_NE(pixels.find("<circle cx=\"16\" cy=\"32\""), std::string::npos) << pixels;
  EXPECT_NE(pixels.find("<title>nose</title>"), std::string::npos);
  EXPECT_EQ(count(pixels, "<circle"), 1u);
  // Without the size of the model's input, its pixels have no known position.
  EXPECT_EQ(count(picture_rows({pictures[0]}, {sample}, "keypoints(yxs) | points(model_pixels)"),
                  "<circle"),
            0u);
  sample.app_json = R"({"points":"<script>","boxes":7})";
  EXPECT_EQ(count(picture_rows(pictures, {sample}, "keypoints(yxs)"), "<svg"), 0u);
}

TEST(PictureRows, NamesAPictureWhoseSizeDoesNotFitItsBytes) {
  diagnose::Picture broken = gray_picture("raw", "broken", 4, 4);
  broken.rgb.pop_back();
  const std::string rows = picture_rows({broken});
  EXPECT_EQ(count(rows, "<img "), 0u);
  EXPECT_NE(rows.find("cannot be shown"), std::string::npos);
}

TEST(DriftChart, DrawsZeroOnTheLowestLineAndLeavesGaps) {
  diagnose::LayerDrift nothing;
  nothing.name = "lost";
  const std::string chart = drift_chart({layer(0.1), layer(0), nothing, layer(0.1), layer(0.1)});
  // Wide frame: plot from 22 to 256; decades 0.1..1 above one row for zero, so 0.1 is in the middle
  // (139).
  EXPECT_NE(chart.find("d=\"M152.0 139.0h0L328.0 256.0M680.0 139.0h0L856.0 139.0\""),
            std::string::npos)
      << chart;
  EXPECT_EQ(count(chart, "class=\"gap\""), 2u);  // Once in each of the two charts.
  EXPECT_NE(chart.find("Dashed lines are gaps"), std::string::npos);
}

TEST(DriftChart, LeavesFewTensorsToTheTable) {
  EXPECT_EQ(drift_chart({layer(0.1), layer(0.2), layer(0.3), layer(0.4)}), "");
  diagnose::Verdict verdict;
  verdict.layers = {layer(0.1), layer(0.2)};
  const std::string page = render_html(verdict);
  EXPECT_EQ(count(page, "<svg"), 0u);
  EXPECT_NE(page.find("2 tensors, the worst first"), std::string::npos);
}

TEST(DriftChart, SaysItInWordsWhenThereIsNothingToDraw) {
  EXPECT_EQ(drift_chart({}), "<p>No layers were compared.</p>\n");
  EXPECT_NE(drift_chart({layer(0), layer(0)}).find("equal bit for bit"), std::string::npos);
}

TEST(DriftChart, StaysSmallForManyLayers) {
  std::vector<diagnose::LayerDrift> layers;
  for (int i = 0; i < 20000; ++i) layers.push_back(layer(1e-6 * (i + 1)));
  EXPECT_LT(drift_chart(layers).size(), 1'000'000u);
  diagnose::Verdict verdict;
  verdict.layers = layers;
  const std::string page = render_html(verdict);
  EXPECT_NE(page.find("The worst 1000 of 20000 tensors, in execution order"), std::string::npos);
  EXPECT_LT(page.size(), 2'000'000u);
}

TEST(Escaped, LeavesNothingThatMarkupIsMadeOf) {
  EXPECT_EQ(escaped("<a href=\"x\">&'\x1b"), "&lt;a href=&quot;x&quot;&gt;&amp;&#39;\\x1b");
  EXPECT_EQ(escaped("abcdef", 3), "abc…");
  EXPECT_EQ(escaped_lines("a<\nb"), "a&lt;\nb");
}

}  // namespace
}  // namespace edgeprobe::report

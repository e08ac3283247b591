// SPDX-License-Identifier: Apache-2.0
#include "report/text/verdict.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "golden.h"
#include "report/words/rows.h"
#include "report/words/wording.h"
#include "verdicts.h"

namespace edgeprobe::report {
namespace {

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) out.push_back(line);
  return out;
}

TEST(ReportText, LayersThatWereNotCheckedStandByReason) {
  diagnose::LayerFaultSummary summary;
  summary.not_checked = {{0, "a", "DEQUANTIZE", "it computes a constant"},
                         {3, "s", "LSTM", "it keeps a state"},
                         {5, "b", "DEQUANTIZE", "it computes a constant"}};
  EXPECT_EQ(unchecked_layers(summary),
            (std::vector<std::string>{"2 layers: it computes a constant; e.g. 0 'a' (DEQUANTIZE)",
                                      "3 's' (LSTM): it keeps a state"}));
}

TEST(RenderText, IsWhatTheGoldensShow) {
  for (const auto& [name, verdict] : sample_verdicts())
    expect_golden(name + ".txt", render_text(verdict));
}

TEST(RenderText, BeginsWithTheCause) {
  EXPECT_EQ(lines(render_text(channel_order_verdict()))[0],
            "the app feeds BGR; the reference feeds RGB; with that fixed your model is right on "
            "93.1 % again, not");
  EXPECT_EQ(lines(render_text({}))[0], "What was recorded does not suffice to decide.");
}

TEST(RenderText, GivesTheFixBeforeTheEvidence) {
  const std::string text = render_text(channel_order_verdict());
  const auto figures = text.find("Accuracy"), fix = text.find("recipe step  color(rgb)"),
             evidence = text.find("Evidence"), layers = text.find("Layer drift");
  EXPECT_LT(figures, fix);
  EXPECT_LT(fix, evidence);
  EXPECT_LT(evidence, layers);
  EXPECT_NE(layers, std::string::npos);
}

TEST(RenderText, NeverSellsAPartialExplanationAsTheCause) {
  const std::string text = render_text(unknown_cause_verdict());
  EXPECT_NE(text.find("Cause unknown, nearest: resize (not confirmed)"), std::string::npos);
  EXPECT_EQ(text.find("recipe step"), std::string::npos);
  EXPECT_EQ(text.find("cv2."), std::string::npos);
  EXPECT_EQ(text.find("(confirmed)"), std::string::npos);
}

TEST(RenderText, NearlyIsNeverConfirmed) {
  const std::string text = render_text(nearly_verdict());
  EXPECT_NE(text.find("Nearly: resize (reproduced except for a small rest, not confirmed)"),
            std::string::npos);
  EXPECT_EQ(text.find("(confirmed)"), std::string::npos);
  EXPECT_EQ(text.find("Explained"), std::string::npos);
  EXPECT_EQ(text.find("recipe step"), std::string::npos);
}

TEST(RenderText, SaysWhenTheTargetWasRecordedUnderTheVerdict) {
  const TextOptions options{false, 100, "2026-11-29 12:14 UTC, 3 minutes ago"};
  const auto said = lines(render_text(channel_order_verdict(), options));
  const auto at =
      std::find(said.begin(), said.end(), "Recorded     2026-11-29 12:14 UTC, 3 minutes ago");
  ASSERT_NE(at, said.end());
  EXPECT_EQ((at - 1)->rfind("Verdict ", 0), 0u) << *(at - 1);
}

TEST(RenderText, ShortensNoRecipe) {
  diagnose::Verdict verdict = channel_order_verdict();
  std::string recipe = "resize(224x224, bilinear, antialias=off, align=half_pixel)";
  for (int i = 0; i < 8; ++i) recipe += " | normalize(mean=[0.485, 0.456, 0.406], std=1)";
  verdict.provenance["target.recipe"] = recipe;
  EXPECT_NE(render_text(verdict).find("  " + recipe + "\n"), std::string::npos);
}

TEST(RenderText, ListsTheWorstLayersFirst) {
  const std::string text = render_text(channel_order_verdict());
  EXPECT_LT(text.find("probabilities  "), text.find("logits  "));  // 0.387 before 0.231
  EXPECT_LT(text.find("logits  "), text.find("conv1/Relu6  "));    // 0.231 before 0.157
}

TEST(RenderText, ColoursOnlyWhenAsked) {
  EXPECT_EQ(render_text(channel_order_verdict()).find('\x1b'), std::string::npos);
  const std::string colored = render_text(channel_order_verdict(), {true, 100});
  EXPECT_EQ(colored.rfind("\x1b[1;31mthe app feeds BGR", 0), 0u);
  // Colours change only colours, not the text.
  std::string plain;
  for (std::size_t i = 0; i < colored.size(); ++i) {
    if (colored[i] == '\x1b') i = colored.find('m', i);
    else plain += colored[i];
  }
  EXPECT_EQ(plain, render_text(channel_order_verdict()));
}

TEST(RenderText, LetsNoControlCharacterThrough) {
  for (const bool color : {false, true})
    for (const char c : render_text(extreme_verdict(), {color, 80}))
      ASSERT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || (color && c == '\x1b'))
          << int{c};
  const std::string text = render_text(extreme_verdict());
  EXPECT_NE(text.find("\\x1b[31mred\\x07 nul:\\x00 bad:\\xff"), std::string::npos);
  EXPECT_LT(text.size(), 20000u);
}

TEST(RenderText, WrapsSentencesAtTheWidth) {
  diagnose::Verdict verdict;
  verdict.before_headline =
      "one two three four five six seven eight nine ten eleven twelve " + std::string(95, 'x');
  const std::vector<std::string> rows = lines(render_text(verdict, {false, 40}));
  EXPECT_EQ(rows[0], "one two three four five six seven eight");
  EXPECT_EQ(rows[1], "nine ten eleven twelve");
  EXPECT_EQ(rows[2], std::string(40, 'x'));
  EXPECT_EQ(rows[4], std::string(15, 'x'));
}

TEST(RenderText, ShowsNoNumberThatIsNotOne) {
  const std::string text = render_text(extreme_verdict());
  EXPECT_EQ(text.find("nan "), std::string::npos);
  EXPECT_EQ(text.find("inf "), std::string::npos);
}

TEST(ExitCode, FollowsTheOutcome) {
  EXPECT_EQ(exit_code(diagnose::Outcome::kAgrees), 0);
  EXPECT_EQ(exit_code(diagnose::Outcome::kDiffers), 3);
  EXPECT_EQ(exit_code(diagnose::Outcome::kUndecided), 4);
}

TEST(Decimals, NeverPrintsZeroForWhatIsNotZero) {
  EXPECT_EQ(decimals(0.00004, 4), "4.0e-05");
  EXPECT_EQ(decimals(0.00005, 4), "0.0001");
  EXPECT_EQ(decimals(0.0, 4), "0.0000");
  EXPECT_EQ(decimals(-0.0, 1), "0.0");
  EXPECT_EQ(decimals(std::nullopt, 4), "–");
}

TEST(WorstFirst, PutsDifferingNanBeforeLargeDrift) {
  std::vector<diagnose::LayerDrift> layers(4);
  layers[0].distances.rmse_over_range = 0.1;
  layers[1].distances.rmse_over_range = 0.9;
  layers[3].distances.rmse_over_range = 0.001;
  layers[3].moments.non_finite_mismatch = 1;
  EXPECT_EQ(worst_first(layers), (std::vector<std::size_t>{3, 1, 0, 2}));
}

}  // namespace
}  // namespace edgeprobe::report

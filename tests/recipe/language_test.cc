// SPDX-License-Identifier: Apache-2.0
// The language of recipes, on steps that only this file knows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>

#include "recipe/faults.h"
#include "recipe/field.h"
#include "recipe/print.h"
#include "recipe/read.h"
#include "recipe/schema.h"

namespace edgeprobe::recipe {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

enum class Heat { kLow, kHigh };
struct Crust {
  int thickness = 3;
  bool is_stuffed = false;
};
struct Pizza {
  Heat heat = Heat::kLow;
  double minutes = 0;
  std::vector<double> weights{1};
  std::vector<std::int64_t> numbers;
  std::string name;
  std::optional<int> slices;
  std::optional<Crust> crust;
  bool is_cold = false;
  int rest = 0;
  bool is_upside_down = false;  // A mistake that no recipe expresses.
};

bool is_long(const void* pizza) { return as<Pizza>(pizza).minutes > 30; }
constexpr std::array kHeats{Word{"low", Heat::kLow, "gently"},
                            Word{"high", Heat::kHigh}.planted("too hot")};
constexpr std::array kStuffed{Word{"no", false}.planted("empty"), Word{"yes", true}};
constexpr std::array kWays{Word{"", true}.planted("upside down")};
constexpr std::array kMinutes{Slip{Slip::To::kHalf, "half the time"},
                              Slip{Slip::To::kNumber, "an hour", 60, is_long}};
constexpr std::array kBake{
    real("minutes", member<&Pizza::minutes>, 1, 60).needed("a number of minutes").planted(kMinutes),
    word("heat", member<&Pizza::heat>, kHeats),
    word("way", member<&Pizza::is_upside_down>, kWays).unspoken(),
};
constexpr std::array kTop{reals("weights", member<&Pizza::weights>, 0, 10),
                          ids("numbers", member<&Pizza::numbers>, 100),
                          text("name", member<&Pizza::name>)};
constexpr std::array kCrust{
    whole("thickness", member<&Pizza::crust, &Crust::thickness>, 1, 9)
        .needed("a thickness")
        .always(),
    word("stuffed", member<&Pizza::crust, &Crust::is_stuffed>, kStuffed),
};
constexpr std::array kSlices{Slip{Slip::To::kMore, "one slice more"},
                             Slip{Slip::To::kNothing, "not cut"}};
constexpr std::array kCut{
    whole("slices", member<&Pizza::slices>, 2, 16).positional().planted(kSlices)};
constexpr std::array kSteps{
    step("crust", 0, kCrust).of_this_kind().there_if([](const void* pizza) {
      return as<Pizza>(pizza).crust.has_value();
    }),
    step("top", 1, kTop),
    step("bake", 2, kBake).saying("bakes {heat} for {minutes} minutes[heat|, so be careful]"),
    step("cool", 2).begun_by(set_flag<&Pizza::is_cold>).there_if(has_flag<&Pizza::is_cold>),
    step("cut", 3, kCut).beside_others(),
};

std::string canonical(std::string_view text) {
  Pizza pizza;
  const auto read = read_steps(text, kSteps, &pizza);
  return read ? steps_text(kSteps, &pizza) : read.error().what;
}

TEST(RecipeLanguage, CanonicalFormsReadBackAsThemselves) {
  for (const std::string text :
       {"crust(3) | bake(12.5, heat=high)", "crust(4, stuffed=yes) | cool | cut(8)",
        "top(weights=[0.5, 2], numbers=[1, 7], name=margherita) | bake(10)", "top(weights=2)"})
    EXPECT_EQ(canonical(text), text);
}

TEST(RecipeLanguage, LeavesOutArgumentsThatAreAsUsual) {
  EXPECT_EQ(canonical("crust(3, stuffed=no) | top(weights=1) | bake( 7 , heat=low)"),
            "crust(3) | bake(7)");
}

TEST(RecipeLanguage, NamesTheColumnAndTheNearestWord) {
  EXPECT_EQ(canonical("bake(10, heat=warmest)"),
            "recipe step 1 \"bake(10, heat=warmest)\", column 10: unknown word \"warmest\"; known "
            "are low, high");
  EXPECT_THAT(canonical("bake(10, heat=hihg)"), HasSubstr("did you mean \"high\"?"));
  EXPECT_THAT(canonical("bake(10, heta=low)"), HasSubstr("did you mean \"heat\"?"));
  EXPECT_THAT(canonical("bake(99)"), HasSubstr("expected a number from 1 to 60, found \"99\""));
  EXPECT_THAT(canonical("bake"), HasSubstr("bake needs a number of minutes"));
  EXPECT_THAT(canonical("bkae(1)"), HasSubstr("did you mean \"bake\"?"));
}

TEST(RecipeLanguage, HoldsStepsToTheirPlaces) {
  EXPECT_THAT(canonical("bake(5) | top"), HasSubstr("top must come before bake"));
  EXPECT_THAT(canonical("top | top"), HasSubstr("top appears twice"));
  EXPECT_THAT(canonical("bake(5) | cool"), HasSubstr("bake and cool exclude each other"));
}

TEST(RecipeLanguage, SaysWhatAStepDoes) {
  Pizza pizza;
  ASSERT_TRUE(read_steps("bake(8)", kSteps, &pizza));
  EXPECT_EQ(spelled(kSteps, &pizza).front().meaning, "bakes gently for 8 minutes");
  ASSERT_TRUE(read_steps("bake(8, heat=high)", kSteps, &pizza));
  EXPECT_EQ(spelled(kSteps, &pizza).front().meaning, "bakes high for 8 minutes, so be careful");
}

TEST(RecipeLanguage, HasNoTextForAMistakeOfApps) {
  Pizza pizza;
  ASSERT_TRUE(read_steps("bake(8)", kSteps, &pizza));
  pizza.is_upside_down = true;
  EXPECT_EQ(steps_text(kSteps, &pizza), "bake(8)");
  EXPECT_THAT(canonical("bake(8, way=upside_down)"), HasSubstr("bake has no argument \"way\""));
  EXPECT_EQ(word_of(kWays, true), "?");
}

/// "what: text" of each fault.
std::vector<std::string> planted(std::string_view text) {
  Pizza right;
  EXPECT_TRUE(read_steps(text, kSteps, &right));
  std::vector<std::string> out;
  for (const Fault& fault : faults(kSteps, &right)) {
    Pizza wrong = right;
    fault.plant(&wrong);
    out.push_back(fault.what + std::string(": ") + steps_text(kSteps, &wrong));
  }
  return out;
}

TEST(RecipeFaults, AreOtherWordsAndNumbersOfTheRows) {
  EXPECT_THAT(planted("crust(3, stuffed=yes) | bake(8) | cut(4)"),
              ElementsAre("empty: crust(3) | bake(8) | cut(4)",
                          "half the time: crust(3, stuffed=yes) | bake(4) | cut(4)",
                          "too hot: crust(3, stuffed=yes) | bake(8, heat=high) | cut(4)",
                          "upside down: crust(3, stuffed=yes) | bake(8) | cut(4)",
                          "one slice more: crust(3, stuffed=yes) | bake(8) | cut(5)",
                          "not cut: crust(3, stuffed=yes) | bake(8)"));
}

TEST(RecipeFaults, AreOfStepsThatAreThereAndOfThisRecipe) {
  // Leaves out crust and slices, values that the recipe already has, and the hour for less than
  // half of the range.
  EXPECT_THAT(planted("bake(40, heat=high)"),
              ElementsAre("half the time: bake(20, heat=high)", "an hour: bake(60, heat=high)",
                          "upside down: bake(40, heat=high)"));
}

TEST(RecipeSchema, SaysWhatAnArgumentTakes) {
  const Field& heat = *find_field(kSteps, "bake.heat");
  EXPECT_THAT(words_of(heat), ElementsAre("low", "high"));
  EXPECT_EQ(usual_text(heat), "low");
  EXPECT_FALSE(is_written(*find_field(kSteps, "bake.way")));
  EXPECT_EQ(usual_text(*find_field(kSteps, "bake.minutes")), std::nullopt);
  EXPECT_EQ(usual_text(*find_field(kSteps, "top.weights")), "1");
  EXPECT_EQ(type_name(find_field(kSteps, "top.weights")->form), std::string("numbers"));
  EXPECT_EQ(usual_text(*find_field(kSteps, "cut.slices")), std::nullopt);
  // No recipe text expresses a number below the minimum.
  constexpr std::array kRest{whole("minutes", member<&Pizza::rest>, 5, 60)};
  EXPECT_EQ(usual_text(kRest[0]), std::nullopt);
}

TEST(RecipeLanguage, TellsAKindByItsOwnSteps) {
  EXPECT_TRUE(is_of_kind("top | crust(3)", kSteps));
  EXPECT_FALSE(is_of_kind("top | bake(3)", kSteps));
  EXPECT_FALSE(is_of_kind("crust(3", kSteps));
}

TEST(RecipeLanguage, ReachesMembersThroughOptionalOnes) {
  constexpr Member kThickness = member<&Pizza::crust, &Crust::thickness>;
  Pizza pizza;
  EXPECT_EQ(kThickness.get(&pizza), Value{});
  EXPECT_EQ(kThickness.initial(), Value(std::int64_t{3}));
  kThickness.set(&pizza, std::int64_t{5});
  ASSERT_TRUE(pizza.crust);
  EXPECT_EQ(pizza.crust->thickness, 5);
  EXPECT_FALSE(pizza.crust->is_stuffed);
}

}  // namespace
}  // namespace edgeprobe::recipe

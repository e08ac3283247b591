// SPDX-License-Identifier: Apache-2.0
#include "postprocess/common_steps.h"
#include "postprocess/transcript/recipe.h"

namespace edgeprobe::postprocess::transcript {
namespace {

using recipe::as;
using recipe::member;
using recipe::step;

constexpr std::array kBlankWords{
    Word{"first", Blank::kFirst, "takes the first class for the blank", 0}.planted(
        "the first class taken for the blank"),
    Word{"last", Blank::kLast, "takes the last class for the blank", 1}.planted(
        "the last class taken for the blank"),
};

bool has_space(const void* recipe) { return as<Recipe>(recipe).space == Space::kLast; }
constexpr std::array kSpaceWords{
    Word{"none", Space::kNone},
    Word{"last", Space::kLast, "writes a space for the class after the dictionary", 0},
    Word{"dropped", Space::kDropped, "writes nothing for the class of the space", 1}.planted(
        "spaces left out", has_space),
};

constexpr std::array kRepeatWords{
    Word{"merged", Repeats::kMerged, "merges equal neighbours before it drops blanks", 0},
    Word{"kept", Repeats::kKept, "does not merge equal neighbours", 1}.planted(
        "repeats not merged"),
    Word{"merged_after", Repeats::kMergedAfter,
         "merges equal neighbours after it has dropped the blanks, so doubled characters are lost",
         2}
        .planted("blanks dropped before repeats are merged"),
};

constexpr std::array kBlanksWords{
    Word{"dropped", Blanks::kDropped, "drops blanks", 0},
    Word{"dash", Blanks::kDash, "writes \"-\" for each blank", 1}.planted("blanks not dropped"),
    Word{"underscore", Blanks::kUnderscore, "writes \"_\" for each blank", 2},
    Word{"space", Blanks::kSpace, "writes a space for each blank", 3},
    Word{"word", Blanks::kWord, "writes \"blank\" for each blank", 4},
};

constexpr std::array kConfidenceWords{
    Word{"mean", Confidence::kMean, "averages the scores of the steps that write a character", 0},
    Word{"all", Confidence::kAll, "averages the scores of all steps, blanks and repeats included",
         1}
        .planted("confidence over all steps"),
    Word{"product", Confidence::kProduct, "multiplies the scores of the written characters", 2},
    Word{"min", Confidence::kLeast, "takes the smallest score of the written characters", 3},
};

constexpr std::array kAxisWords{Word{"last", false}, Word{"first", true}};
constexpr std::array kShiftSlips{
    recipe::Slip{recipe::Slip::To::kMore, "the dictionary one line too far"},
    recipe::Slip{recipe::Slip::To::kLess, "the dictionary one line too early"}};

constexpr std::array kCtc{
    recipe::text("file", member<&Recipe::dictionary, &Dictionary::file>)
        .needed("the dictionary: a file with one character per line")
        .always(),
    recipe::word("blank", member<&Recipe::blank>, kBlankWords).always(),
    recipe::word("space", member<&Recipe::space>, kSpaceWords),
    recipe::word("axis", member<&Recipe::is_by_class>, kAxisWords),
    recipe::word("repeats", member<&Recipe::repeats>, kRepeatWords),
    recipe::word("blanks", member<&Recipe::blanks>, kBlanksWords),
    recipe::whole("shift", member<&Recipe::shift>, -kMostLines, kMostLines).planted(kShiftSlips),
    recipe::word("confidence", member<&Recipe::confidence>, kConfidenceWords),
};

constexpr std::array kTranscriptSteps{
    step("output", 0, kOutputFields<Recipe>),
    kDequantizeStep<Recipe>,
    kCodesStep<Recipe>,
    activation_step<Recipe, Activation::kSoftmax>("softmax", 2, true),
    activation_step<Recipe, Activation::kSigmoid>("sigmoid", 2, false),
    activation_step<Recipe, Activation::kExp>("exp", 2, false),
    step("ctc", 3, kCtc).of_this_kind().there_if(recipe::always),
};

Result<Recipe> read_recipe(std::string_view text) {
  Recipe recipe;
  EP_TRY(auto steps_read, recipe::read_steps(text, kTranscriptSteps, &recipe));
  if (!recipe::has_step(steps_read, "ctc"))
    return Error{ErrorKind::kUsage, "a text is made by ctc(…): it is missing"};
  return recipe;
}

}  // namespace

recipe::Steps steps() { return kTranscriptSteps; }

bool is_transcript(std::string_view text) { return recipe::is_of_kind(text, kTranscriptSteps); }

Result<Recipe> parse(std::string_view text) { return read_behind_bars(text, read_recipe); }

std::string to_text(const Recipe& recipe) { return recipe::steps_text(kTranscriptSteps, &recipe); }

}  // namespace edgeprobe::postprocess::transcript

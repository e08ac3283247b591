// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>

#include "core/text.h"
#include "report/page/html.h"
#include "report/page/input_pair.h"
#include "report/page/overlay.h"
#include "report/page/page.h"
#include "report/page/parts.h"
#include "report/words/answers.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

using diagnose::ComparedAnswers;
using diagnose::FlippedAnswer;
using diagnose::LabelPair;

constexpr std::size_t kMostFlipPictures = 8;
constexpr std::size_t kMostClasses = 20;
constexpr std::size_t kLongestLabel = 60, kLongestSaid = 240;

std::string name_of(const FlippedAnswer& flip) {
  return flip.sample.empty() ? "frame " + std::to_string(flip.frame) : flip.sample;
}

/// The raw picture, or the model's view; null if the verdict shows neither.
const diagnose::Picture* picture_of_flip(const diagnose::Verdict& verdict,
                                         const FlippedAnswer& flip) {
  const diagnose::Picture* const raw = picture_of(verdict, flip.sample, "raw");
  return raw ? raw : picture_of(verdict, flip.sample, "target_input");
}

std::string flip_facts(const FlippedAnswer& flip) {
  const auto row = [](const char* term, const std::string& text) {
    return "<dt>" + std::string(term) + "</dt><dd>" + escaped(text, kLongestSaid) + "</dd>\n";
  };
  return "<dl class=\"facts\">\n" + row("app", flip.target) + row("reference", flip.reference) +
         (flip.truth.empty() ? "" : row("truth", flip.truth)) + "</dl>\n";
}

std::string flip_card(const diagnose::Verdict& verdict, const FlippedAnswer& flip,
                      const diagnose::Picture& picture) {
  const preprocess::Image shown = fitted(picture, kMostPictureEdge);
  const auto size = [](const diagnose::Picture& one) {
    return postprocess::detection::Size{double(one.width), double(one.height)};
  };
  DrawnAnswer drawn{flip.target_json,
                    flip.reference_json,
                    verdict.answers ? verdict.answers->recipe : "",
                    {},
                    {}};
  if (picture.role == "raw") drawn.picture = size(picture);
  if (const auto* const input = picture_of(verdict, flip.sample, "reference_input"))
    drawn.model = size(*input);
  const std::string name = escaped(name_of(flip), 120);
  return "<article class=\"flip\"><div class=\"plot\"><img alt=\"" + name + "\" width=\"" +
         std::to_string(shown.width) + "\" height=\"" + std::to_string(shown.height) + "\" src=\"" +
         picture_url(shown, picture.role == "raw" ? PictureUse::kPhotograph : PictureUse::kValues) +
         "\">" + overlay(drawn) + "</div><h3>" + name + "</h3>\n" + flip_facts(flip) +
         "</article>\n";
}

std::string flip_table(const std::vector<const FlippedAnswer*>& flips) {
  std::string out =
      "<table>\n<thead><tr><th scope=\"col\">Frame</th><th scope=\"col\">App</th><th "
      "scope=\"col\">Reference</th><th scope=\"col\">Truth</th></tr></thead>\n<tbody>\n";
  for (const FlippedAnswer* flip : flips)
    out += "<tr><th scope=\"row\">" + escaped(name_of(*flip), 120) + "</th><td>" +
           escaped(flip->target, kLongestSaid) + "</td><td>" +
           escaped(flip->reference, kLongestSaid) + "</td><td>" +
           (flip->truth.empty() ? "–" : escaped(flip->truth, kLongestSaid)) + "</td></tr>\n";
  return out + "</tbody></table>\n";
}

/// First the flips with pictures, then those without in a collapsed list.
std::string flips_of(const diagnose::Verdict& verdict, Images images) {
  const ComparedAnswers& answers = *verdict.compared_answers;
  if (answers.flipped == 0)
    return "<p>Both sides give the same answer to all " + counted(answers.frames, "frame") +
           ".</p>\n";
  std::string cards;
  std::vector<const FlippedAnswer*> others;
  std::size_t shown = 0;
  for (const FlippedAnswer& flip : answers.flips) {
    const auto* const picture =
        images == Images::kNone || shown == kMostFlipPictures || flip.sample.empty()
            ? nullptr
            : picture_of_flip(verdict, flip);
    if (!picture) {
      others.push_back(&flip);
      continue;
    }
    ++shown;
    cards += flip_card(verdict, flip, *picture);
  }
  std::string out = "<p>The answer to " + std::to_string(answers.flipped) + " of " +
                    counted(answers.frames, "frame") + " is not the reference’s.";
  if (answers.of_boxes && shown > 0) out += " Yellow: the app’s boxes; dashed: the reference’s.";
  out += "</p>\n";
  if (!cards.empty()) out += "<div class=\"flips\">\n" + cards + "</div>\n";
  if (others.empty()) return out;
  const std::uint64_t left = answers.flipped - shown;
  const std::string title =
      shown > 0 ? std::to_string(left) + " more" : counted(left, "frame") + " with another answer";
  return out + "<details" + (shown == 0 && others.size() <= 10 ? " open" : "") + "><summary>" +
         title + (others.size() < left ? ", the first " + std::to_string(others.size()) : "") +
         "</summary>\n" + flip_table(others) + "</details>\n";
}

struct ClassOf {
  std::uint64_t all = 0, same = 0;
  std::vector<const LabelPair*> became;  ///< The most frequent first.
};

std::string label_text(const std::string& label) {
  return label.empty() ? "<i>no box</i>" : breakable(escaped(label, kLongestLabel));
}

/// The reference's classes for which some answers changed, the most frequent first.
std::string label_table(const ComparedAnswers& answers) {
  std::map<std::string, ClassOf> classes;
  for (const LabelPair& pair : answers.labels) {
    ClassOf& one = classes[pair.reference];
    one.all += pair.count;
    if (pair.target == pair.reference) one.same += pair.count;
    else one.became.push_back(&pair);
  }
  for (auto& [label, one] : classes)
    std::stable_sort(one.became.begin(), one.became.end(),
                     [](const auto* a, const auto* b) { return a->count > b->count; });
  std::vector<std::pair<std::string, const ClassOf*>> rows;
  std::uint64_t alike = 0, alike_things = 0;
  for (const auto& [label, one] : classes) {
    if (!one.became.empty()) {
      rows.emplace_back(label, &one);
      continue;
    }
    ++alike;
    alike_things += one.all;
  }
  if (rows.empty()) return "";
  std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
    return a.second->all - a.second->same > b.second->all - b.second->same;
  });
  const std::string noun = answers.of_boxes ? "box" : "frame";
  const auto things = [&](std::uint64_t count) {
    return std::to_string(count) + " " + noun + (count == 1 ? "" : answers.of_boxes ? "es" : "s");
  };
  std::string out =
      "<table class=\"labels\">\n<caption>What became of the reference’s classes, "
      "those that differ</caption>\n<thead><tr><th scope=\"col\">The reference "
      "says</th><th scope=\"col\" class=\"number\">" +
      std::string(answers.of_boxes ? "Boxes" : "Frames") +
      "</th><th scope=\"col\" class=\"number medium-only\">Same</th><th scope=\"col\">The app "
      "says instead</th></tr></thead>\n<tbody>\n";
  constexpr std::size_t kMostBecame = 4;
  for (std::size_t i = 0; i < std::min(kMostClasses, rows.size()); ++i) {
    const auto& [label, one] = rows[i];
    out += "<tr><th scope=\"row\">" + label_text(label) + "</th><td class=\"number\">" +
           std::to_string(one->all) + "</td><td class=\"number medium-only\">" +
           std::to_string(one->same) + "</td><td>";
    std::uint64_t rest = 0;
    for (std::size_t k = 0; k < one->became.size(); ++k)
      if (k < kMostBecame)
        out += (k ? ", " : "") + label_text(one->became[k]->target) + " × " +
               std::to_string(one->became[k]->count);
      else rest += one->became[k]->count;
    out += (rest ? ", others × " + std::to_string(rest) : "") + "</td></tr>\n";
  }
  out += "</tbody></table>\n";
  std::string left;
  if (rows.size() > kMostClasses) {
    std::uint64_t changed = 0;
    for (std::size_t i = kMostClasses; i < rows.size(); ++i)
      changed += rows[i].second->all - rows[i].second->same;
    left = std::to_string(rows.size() - kMostClasses) + " more classes differ, in " +
           things(changed) + ". ";
  }
  if (alike > 0)
    left += (alike == 1 ? std::string("1 class is") : std::to_string(alike) + " classes are") +
            " the same throughout, in " + things(alike_things) + ".";
  return left.empty() ? out : out + "<p class=\"soft\">" + left + "</p>\n";
}

std::string class_rows(const compare::AnswerAgreement& answers) {
  if (!answers.evaluation) return "";
  const auto rows = class_table(*answers.evaluation, kMostListed);
  if (rows.empty()) return "";
  std::string out = "<table>\n<caption>" + escaped(answers.task->title) +
                    " of each class, those that lost most first</caption>\n<thead><tr>";
  for (const std::string& cell : rows.front())
    out += "<th scope=\"col\">" + escaped(capitalised(cell)) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (std::size_t i = 1; i < rows.size(); ++i) {
    out += "<tr><th scope=\"row\">" + escaped(rows[i].front(), kLongestName) + "</th>";
    for (std::size_t c = 1; c < rows[i].size(); ++c)
      out += "<td class=\"number\">" + escaped(rows[i][c]) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

}  // namespace

Section answers_section(const diagnose::Verdict& verdict, Images images) {
  Section section{"answers", "Answers", ""};
  std::string& out = section.body;
  if (verdict.compared_answers)
    out += flips_of(verdict, images) + label_table(*verdict.compared_answers);
  if (verdict.answer_agreement) {
    out += "<ul>\n";
    for (const auto& [title, text] : answer_lines(*verdict.answer_agreement))
      out += "<li>" + escaped(text, kLongestSentence) + "</li>\n";
    out += "</ul>\n" + class_rows(*verdict.answer_agreement);
  }
  return section;
}

}  // namespace edgeprobe::report

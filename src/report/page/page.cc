// SPDX-License-Identifier: Apache-2.0
#include "report/page/page.h"

#include <algorithm>

#include "core/text.h"
#include "report/page/html.h"
#include "report/page/input_pair.h"
#include "report/page/parts.h"
#include "report/words/fix.h"
#include "report/words/hints.h"
#include "report/words/rows.h"
#include "report/words/wording.h"

namespace edgeprobe::report {
namespace {

Section coverage_section(const diagnose::Coverage& coverage) {
  const auto of = [](std::uint64_t part, const std::string& whole) {
    return std::to_string(part) + " of " + whole;
  };
  Section section{"coverage", "Coverage", ""};
  section.body = "<dl class=\"facts\">\n<dt>Frames compared</dt><dd>" +
                 of(coverage.frames_compared, std::to_string(coverage.frames)) +
                 "</dd>\n<dt>Tensors matched</dt><dd>" + std::to_string(coverage.layers_matched) +
                 " (reference " + std::to_string(coverage.layers_reference) + ", target " +
                 std::to_string(coverage.layers_target) + ")</dd>\n</dl>\n";
  if (const std::string said = layer_frames_sentence(coverage); !said.empty())
    section.body += "<p>" + escaped(said) + "</p>\n";
  if (!coverage.unmatched.empty())
    section.body += "<details><summary>" + std::to_string(coverage.unmatched.size()) +
                    " unmatched</summary>\n" + html_list(coverage.unmatched) + "</details>\n";
  return section;
}

/// A hash or similar text in groups of 16, with line breaks only between them.
std::string grouped(std::string_view word) {
  std::string out;
  for (std::size_t i = 0; i < word.size(); i += 16)
    out += (i ? "<wbr>" : "") + std::string(word.substr(i, 16));
  return "<code class=\"hash\">" + out + "</code>";
}

/// A provenance value: hashes can break, recipes can be copied.
std::string provenance_value(const std::string& key, const std::string& text) {
  if (key.find("recipe") != std::string::npos)
    return "<code data-copy>" + escaped(text) + "</code>";
  constexpr std::size_t kShortestHash = 32;
  const std::string safe = escaped(text);
  std::string out;
  for (std::size_t at = 0; at < safe.size();) {
    const std::size_t end = std::min(safe.find_first_not_of("0123456789abcdef", at), safe.size());
    if (end - at >= kShortestHash) out += grouped(std::string_view(safe).substr(at, end - at));
    else out += safe.substr(at, end - at);
    if (end < safe.size()) out += safe[end];
    at = end + 1;
  }
  return out;
}

Section provenance_section(const std::map<std::string, std::string>& entries) {
  Section section{"provenance", "Provenance", ""};
  if (entries.empty()) return section;
  section.body =
      "<table class=\"provenance\">\n<caption>Where these numbers come from</caption>\n<tbody>\n";
  std::size_t rows = 0;
  for (const auto& [key, text] : entries) {
    if (rows++ == kMostListed) break;
    section.body += "<tr><th scope=\"row\">" + breakable(escaped(key, kLongestName)) + "</th><td>" +
                    provenance_value(key, text) + "</td></tr>\n";
  }
  section.body += "</tbody></table>\n";
  return section;
}

/// Without samples whose raw picture is shown only for its answer.
std::vector<diagnose::Picture> with_inputs(const diagnose::Verdict& verdict) {
  std::vector<diagnose::Picture> out;
  for (const diagnose::Picture& picture : verdict.pictures)
    if (verdict.samples.empty() ||
        std::any_of(verdict.samples.begin(), verdict.samples.end(),
                    [&](const auto& sample) { return sample.name == picture.sample; }))
      out.push_back(picture);
  return out;
}

Section pictures_section(const diagnose::Verdict& verdict, const HtmlOptions& options) {
  Section section{"pictures", "Input pictures", ""};
  if (options.images == Images::kNone) {
    section.body = "<p>This page was made without pictures.</p>\n";
  } else if (!verdict.pictures.empty()) {
    const auto above = is_unexplained(verdict) ? farthest_pair(verdict) : std::nullopt;
    section.body = picture_rows(
        with_inputs(verdict), verdict.samples, verdict.answers ? verdict.answers->recipe : "",
        above && above->rms >= kVisibleDifference ? above->target->sample : "");
  }
  return section;
}

/// In page order: the explanation of the outcome comes first.
std::vector<Section> sections_of(const diagnose::Verdict& verdict, const HtmlOptions& options) {
  Section difference =
      options.images == Images::kNone
          ? Section{"difference", "Frame by frame", frame_strip(verdict.frame_distances)}
          : difference_section(verdict);
  const bool explained = !is_unexplained(verdict);
  std::vector<Section> out;
  if (!explained) out.push_back(difference);
  out.push_back({"figures", "Key figures", key_figures(verdict)});
  if (explained) out.push_back(causes_section(verdict));
  out.push_back(answers_section(verdict, options.images));
  out.push_back(boxed_list("decide", "What would decide it", hint_texts(verdict.would_decide)));
  if (!explained) out.push_back(causes_section(verdict));
  out.push_back(boxed_list("fix", kFixTitle, fix_rows(verdict)));
  if (explained) out.push_back(difference);
  out.push_back(boxed_list("numbers", kScalarTitle, scalar_rows(verdict)));
  out.push_back(boxed_list("warnings", "Warnings", verdict.warnings, "warnings"));
  out.push_back(pictures_section(verdict, options));
  out.push_back(layer_faults_section(verdict));
  out.push_back(drift_section(verdict));
  out.push_back(value_kinds_section(verdict));
  out.push_back(coverage_section(verdict.coverage));
  out.push_back(provenance_section(verdict.provenance));
  std::erase_if(out, [](const Section& section) { return section.body.empty(); });
  return out;
}

std::string contents_of(const std::vector<Section>& sections) {
  std::string out = "<nav aria-label=\"Contents\">\n<ul>\n";
  for (const Section& section : sections)
    out += "<li><a href=\"#" + std::string(section.id) + "\">" + section.title + "</a></li>\n";
  return out + "</ul>\n</nav>\n";
}

}  // namespace

std::string breakable(const std::string& escaped) {
  std::string out;
  for (const char c : escaped) {
    out += c;
    if (c == '.' || c == '_') out += "<wbr>";
  }
  return out;
}

std::string capitalised(std::string text) {
  if (!text.empty() && text[0] >= 'a' && text[0] <= 'z')
    text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text;
}

std::string html_list(const std::vector<std::string>& items) {
  std::string out = "<ul>\n";
  for (std::size_t i = 0; i < std::min(kMostListed, items.size()); ++i)
    out += "<li>" + escaped(items[i]) + "</li>\n";
  out += "</ul>\n";
  if (items.size() > kMostListed)
    out += "<p class=\"soft\">and " + std::to_string(items.size() - kMostListed) + " more</p>\n";
  return out;
}

Section boxed_list(const char* id, const char* title, const std::vector<std::string>& items,
                   const char* css) {
  Section section{id, title, ""};
  if (!items.empty())
    section.body =
        std::string("<div class=\"card ") + css + "\">\n" + html_list(items) + "</div>\n";
  return section;
}

std::string render_html(const diagnose::Verdict& verdict, const HtmlOptions& options) {
  const std::string outcome = diagnose::name(verdict.outcome);
  const std::string whole = without_advice(headline(verdict));
  const SplitHeadline said = split_headline(whole);
  const std::vector<Section> sections = sections_of(verdict, options);
  const std::string rest =
      said.rest.empty() ? "" : "<p class=\"more\">" + escaped(said.rest, 2000) + "</p>\n";
  // Pictures come before text if only they explain the difference.
  const bool pictures_first = !sections.empty() && sections.front().id == std::string("difference");
  std::string out =
      page_begin(capitalised(outcome) + ": " + escaped(whole, 2000), PageScript::kCopy);
  out += "<header>\n<span class=\"badge " + outcome + "\">" + capitalised(outcome) +
         "</span>\n<h1>" + escaped(said.first) + "</h1>\n" + (pictures_first ? "" : rest) +
         "<p class=\"lead\">" + meaning(verdict.outcome) + " Exit code " +
         std::to_string(exit_code(verdict)) + ".</p>\n</header>\n" + contents_of(sections) +
         "<main id=\"main\" tabindex=\"-1\">\n";
  for (const Section& section : sections)
    out += "<section id=\"" + std::string(section.id) + "\">\n<h2>" + section.title + "</h2>\n" +
           section.body + (pictures_first && &section == &sections.front() ? rest : std::string()) +
           "</section>\n";
  return out + "</main>\n" + page_end(PageScript::kCopy);
}

}  // namespace edgeprobe::report

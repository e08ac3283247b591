// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"
#include "report/page/picture_data.h"

namespace edgeprobe::report {

/// A part of the page with a heading, listed in the contents.
struct Section {
  const char* id;     ///< Stable id, so that links to it stay valid.
  std::string title;  ///< Escaped.
  std::string body;   ///< Empty: the page leaves the section out.
};

/// Escaped text with possible line breaks after "_" and ".", so that no word is cut.
std::string breakable(const std::string& escaped);
/// "channel order" -> "Channel order".
std::string capitalised(std::string text);
/// At most kMostListed items; a last line counts the others. Escapes them.
std::string html_list(const std::vector<std::string>& items);
/// Same in a box, as a section.
Section boxed_list(const char* id, const char* title, const std::vector<std::string>& items,
                   const char* css = "");

/// The first sentence of a headline, or as much as fits into two lines, and the rest. Printable.
struct SplitHeadline {
  std::string first, rest;
};
SplitHeadline split_headline(const std::string& text);

/// The text without the advice to look at this page.
std::string without_advice(std::string text);

/// A grid of cards: the task metric of both sides, the share explained by the causes, the distance
/// of the outputs.
std::string key_figures(const diagnose::Verdict& verdict);

/// "did not suffer on these 50 pictures", for the task's metric; empty unless the figures of both
/// sides, and the one after the fix, are equal.
std::string unharmed(const diagnose::Verdict& verdict);

Section causes_section(const diagnose::Verdict& verdict);

/// Drift of every layer on a logarithmic axis as inline SVG (a wide and a narrow one, selected by
/// the style sheet), or a sentence if there is nothing to draw. Empty for so few layers that the
/// table is enough.
std::string drift_chart(const std::vector<diagnose::LayerDrift>& layers);
Section drift_section(const diagnose::Verdict& verdict);
Section value_kinds_section(const diagnose::Verdict& verdict);
Section layer_faults_section(const diagnose::Verdict& verdict);

/// The input pictures, one row per sample, or a sentence if there are none. A picture whose size
/// does not match its bytes is named instead of shown. The app's answer is drawn over the raw
/// picture; `recipe`, the canonical text after the bars of the reference's, gives its position.
/// Both inputs of the sample `above` are already on the page.
std::string picture_rows(const std::vector<diagnose::Picture>& pictures,
                         const std::vector<diagnose::ShownSample>& shown_samples = {},
                         const std::string& recipe = {}, const std::string& above = {});

/// True if no confirmed cause explains the difference: then pictures are more useful than numbers.
bool is_unexplained(const diagnose::Verdict& verdict);
/// Where the model inputs differ: both inputs if the cause is unknown, their difference, a curve of
/// values and a strip of frames. Empty if no pictures differ.
Section difference_section(const diagnose::Verdict& verdict);

/// One bar per frame for its distance from the reference. Empty for fewer than two frames.
std::string frame_strip(const diagnose::FrameDistances& distances);

/// The apps' answers: frames whose answer flips, changed labels, and the classes that lost most.
Section answers_section(const diagnose::Verdict& verdict, Images images);

}  // namespace edgeprobe::report

// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "diagnose/verdict/verdict.h"
#include "report/page/picture_data.h"

namespace edgeprobe::report {

/// A part of the page with a heading, which the contents lead to.
struct Section {
  const char* id;     ///< Of the page's own, so that links to it stay.
  std::string title;  ///< Escaped.
  std::string body;   ///< Empty: the page leaves the section out.
};

/// Escaped text whose lines may end after "_" and ".", so that no word is cut.
std::string breakable(const std::string& escaped);
/// "channel order" -> "Channel order".
std::string capitalised(std::string text);
/// At most kMostListed items; a last line says how many more there are. Escapes them.
std::string html_list(const std::vector<std::string>& items);
/// The same in a box, as a section.
Section boxed_list(const char* id, const char* title, const std::vector<std::string>& items,
                   const char* css = "");

/// The first sentence of a headline, or as much as two lines hold, and what follows it. Printable.
struct SplitHeadline {
  std::string first, rest;
};
SplitHeadline split_headline(const std::string& text);

/// A text without the advice to look at this page.
std::string without_advice(std::string text);

/// A grid of cards: the task of both sides, what the causes explain, how far the outputs are apart.
std::string key_figures(const diagnose::Verdict& verdict);

/// "did not suffer on these 50 pictures", of the task's metric; empty where the sides, or what is
/// fixed, have unlike figures.
std::string unharmed(const diagnose::Verdict& verdict);

Section causes_section(const diagnose::Verdict& verdict);

/// Drift of every layer on a logarithmic axis as inline SVG (a wide and a narrow one, chosen by the
/// style sheet), or a sentence when there is nothing to draw. Empty for so few layers that the
/// table says all.
std::string drift_chart(const std::vector<diagnose::LayerDrift>& layers);
Section drift_section(const diagnose::Verdict& verdict);
Section value_kinds_section(const diagnose::Verdict& verdict);
Section layer_faults_section(const diagnose::Verdict& verdict);

/// The input pictures, one row a sample, or a sentence when there are none. A picture whose size
/// does not fit its bytes is named instead of shown. What the app answered is drawn over the raw
/// picture as `recipe`, the canonical text behind the bars of the reference's, says where it lies.
/// Of the sample `above` both inputs are on the page already.
std::string picture_rows(const std::vector<diagnose::Picture>& pictures,
                         const std::vector<diagnose::ShownSample>& shown_samples = {},
                         const std::string& recipe = {}, const std::string& above = {});

/// Whether nothing that is confirmed explains the difference: pictures say more than numbers then.
bool is_unexplained(const diagnose::Verdict& verdict);
/// Where the model inputs differ: both of them where no cause is known, their difference, a curve
/// from value to value and a strip of frames. Empty where no pictures differ.
Section difference_section(const diagnose::Verdict& verdict);

/// One bar a frame, as high as it lies from the reference's. Empty for fewer than two frames.
std::string frame_strip(const diagnose::FrameDistances& distances);

/// What the apps answered: frames whose answer flips, which label became which, and the classes
/// that lost most.
Section answers_section(const diagnose::Verdict& verdict, Images images);

}  // namespace edgeprobe::report

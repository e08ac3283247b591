// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// An answer as a table of lines, for what a build server shows of it: test cases, alerts at a
/// line, a comment. Each form takes the same table.
namespace edgeprobe::report {

/// The state of one line of an answer.
enum class Ruled {
  kPasses,
  kNote,       ///< Something was found, and nothing fails by it.
  kSkipped,    ///< Not judged, though the recording lacks nothing.
  kUndecided,  ///< Undecidable from this recording.
  kFails,
};

/// A figure with its words.
struct Fact {
  std::string key;    ///< For programs: "accuracy_target".
  std::string title;  ///< For people: "accuracy on the target"; empty: for programs only.
  std::string text;   ///< "41.0 % (95 %: 36.7 to 45.5 %)"; from outside, in part.
  std::optional<double> number = {};  ///< For programs, in place of `text`.
};

/// Lines of code that fix something, by the library they are for.
struct Code {
  std::string title, text;
};

/// A file of the user's that a line is about; shown with forward slashes from the root of the
/// repository, or from / where it lies outside.
struct Place {
  std::string file;
  std::size_t line = 1;
};

struct Ruling {
  std::string id;       ///< Of this line: "inputs.image.range", "channel_order".
  std::string heading;  ///< The same for people: "channel order".
  std::string rule;     ///< Of all lines of its kind: "inputs.range".
  std::string title;    ///< Of the rule: "range of a model input", "channel order".
  Ruled ruled = Ruled::kPasses;
  std::string message;  ///< A sentence; empty where it passes.
  std::string cure;     ///< The next step; may be empty.
  std::vector<Fact> facts;
  std::vector<Code> code;
  Place place;
  /// The answer as a whole, where other lines say why: those are shown in its place.
  bool is_summary = false;
};

struct Rulings {
  std::string verb;                       ///< "contract check".
  std::string name;                       ///< The yardstick: the file of the contract.
  std::string subject;                    ///< The judged file: the trace.
  std::string outcome;                    ///< "agrees", "differs", "undecided".
  std::string headline;                   ///< A sentence.
  std::vector<Fact> facts;                ///< Of the answer as a whole.
  std::vector<std::string> would_decide;  ///< Missing pieces, where it is undecided.
  std::vector<std::string> warnings;
  std::string page;  ///< The file of the HTML page; empty: none was asked for.
  std::vector<Ruling> lines;

  std::size_t count(Ruled wanted) const;
};

/// JUnit XML: a test case for each line. A failure for what fails, an error for what is
/// undecided.
std::string junit_text(const Rulings& rulings);
/// A log of SARIF 2.1.0: a result for each line that fails, is undecided, or holds a note.
/// `version` of this program.
std::string sarif_text(const Rulings& rulings, std::string_view version);
/// A comment in GitHub's and GitLab's Markdown. Nothing in it is a mention, a reference or HTML of
/// somebody else's.
std::string markdown_text(const Rulings& rulings);
/// Workflow commands of GitHub, one in a line: "::error file=contract.json,line=12::…".
std::string annotations_text(const Rulings& rulings);

}  // namespace edgeprobe::report

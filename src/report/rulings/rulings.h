// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A result as a table of lines for build servers: test cases, alerts at a line, a comment. Each
/// format uses the same table.
namespace edgeprobe::report {

/// The state of one line of a result.
enum class Ruled {
  kPasses,
  kNote,       ///< A finding that does not fail.
  kSkipped,    ///< Not judged, although the recording is complete.
  kUndecided,  ///< Undecidable from this recording.
  kFails,
};

/// A figure with its description.
struct Fact {
  std::string key;    ///< For programs: "accuracy_target".
  std::string title;  ///< For display: "accuracy on the target"; empty: only for programs.
  std::string text;   ///< "41.0 % (95 %: 36.7 to 45.5 %)"; may contain untrusted parts.
  std::optional<double> number = {};  ///< For programs, instead of `text`.
};

/// Lines of code for a fix, by library.
struct Code {
  std::string title, text;
};

/// A user's file that a line concerns; shown with forward slashes relative to the repository's
/// root, or absolute outside of it.
struct Place {
  std::string file;
  std::size_t line = 1;
};

struct Ruling {
  std::string id;       ///< Id of this line: "inputs.image.range", "channel_order".
  std::string heading;  ///< Readable form: "channel order".
  std::string rule;     ///< Id for all lines of its kind: "inputs.range".
  std::string title;    ///< Name of the rule: "range of a model input", "channel order".
  Ruled ruled = Ruled::kPasses;
  std::string message;  ///< A sentence; empty if it passes.
  std::string cure;     ///< The next step; may be empty.
  std::vector<Fact> facts;
  std::vector<Code> code;
  Place place;
  /// The overall result; if other lines give the reasons, only those are shown.
  bool is_summary = false;
};

struct Rulings {
  std::string verb;                       ///< "contract check".
  std::string name;                       ///< The reference: the contract's file.
  std::string subject;                    ///< The judged file: the trace.
  std::string outcome;                    ///< "agrees", "differs", "undecided".
  std::string headline;                   ///< A sentence.
  std::vector<Fact> facts;                ///< For the overall result.
  std::vector<std::string> would_decide;  ///< Missing information, if undecided.
  std::vector<std::string> warnings;
  std::string page;  ///< The file of the HTML page; empty: not requested.
  std::vector<Ruling> lines;

  std::size_t count(Ruled wanted) const;
};

/// JUnit XML: a test case for each line. A failure if it fails, an error if it is undecided.
std::string junit_text(const Rulings& rulings);
/// A SARIF 2.1.0 log: a result for each line that fails, is undecided, or is a note. `version` of
/// this program.
std::string sarif_text(const Rulings& rulings, std::string_view version);
/// A comment in GitHub's and GitLab's Markdown. Contains no mention, reference or HTML from
/// untrusted text.
std::string markdown_text(const Rulings& rulings);
/// GitHub workflow commands, one per line: "::error file=contract.json,line=12::…".
std::string annotations_text(const Rulings& rulings);

}  // namespace edgeprobe::report

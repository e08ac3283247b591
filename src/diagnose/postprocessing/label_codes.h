// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace edgeprobe::diagnose::postprocessing {

/// Maps names of a label table and labels of answers to codes; names that are equal except for case
/// and blanks share a code.
class LabelCodes {
 public:
  /// Code of a table's name.
  int of_name(const std::string& name);
  /// Code of a label that an app recorded.
  int of_label(const std::string& label);
  /// True if a label means a name. A label in no table matches the names closest to it: "tench"
  /// matches "n01440764 tench", "tench, Tinca tinca", or a name that contains the word. If there
  /// are such labels, the app shortens names; then a label that is a name may also mean a longer
  /// one, as "maillot" may mean "maillot, tank suit".
  bool matches(int name, int label) const;

  /// True if a table holds the name of a code.
  bool is_name(int code) const { return of_tables_.contains(code); }
  std::size_t size() const { return names_.size(); }
  /// Name of a code, as first written.
  const std::string& name(int code) const { return names_[static_cast<std::size_t>(code)]; }
  /// Labels in no table, with the names they were matched with.
  const std::map<std::string, std::string>& near() const { return near_; }

 private:
  int code_of(const std::string& folded, const std::string& name);
  void add_first_synonyms(int code, const std::string& folded);

  std::map<std::string, int> codes_;  ///< Keyed by the folded name.
  std::set<int> of_tables_;           ///< Codes of names in tables.
  std::vector<std::string> names_;
  std::map<int, std::set<int>> names_near_;      ///< Keyed by the code of a label in no table.
  std::map<int, std::set<int>> first_synonyms_;  ///< Keyed by the code of a label that is a name.
  std::map<std::string, std::string> near_;      ///< The same with one name each, for reports.
};

/// The app's label for each observed line of a table.
using OwnTable = std::map<int, std::string>;

/// "takes its labels from another list: class 12 ('stop sign') is 'parking meter', …"; if that list
/// is the reference's with missing lines, describes from which class on and how many.
std::string own_table_words(const OwnTable& own, const std::vector<std::string>& names);

}  // namespace edgeprobe::diagnose::postprocessing

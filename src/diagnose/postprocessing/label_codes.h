// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

namespace edgeprobe::diagnose::postprocessing {

/// Names of a label table, and labels of answers, as codes: equal ones, apart from case and blanks,
/// have equal codes.
class LabelCodes {
 public:
  /// Of a name of a table.
  int of_name(const std::string& name);
  /// Of a label that an app reported.
  int of_label(const std::string& label);
  /// Whether a label says what a name says. A label that no table holds is any of the names that
  /// come nearest to it: "tench" of "n01440764 tench", of "tench, Tinca tinca", or of a name that
  /// holds it among other words. Where there is such a label, the app shortens names: one that is a
  /// name may be a longer one as well, as "maillot" may be "maillot, tank suit".
  bool matches(int name, int label) const;

  /// Whether a table holds the name of a code.
  bool is_name(int code) const { return of_tables_.contains(code); }
  std::size_t size() const { return names_.size(); }
  /// Of a code, as it was first written.
  const std::string& name(int code) const { return names_[static_cast<std::size_t>(code)]; }
  /// Labels that no table holds, and the names that they were taken for.
  const std::map<std::string, std::string>& near() const { return near_; }

 private:
  int code_of(const std::string& folded, const std::string& name);
  void add_first_synonyms(int code, const std::string& folded);

  std::map<std::string, int> codes_;  ///< By the folded name.
  std::set<int> of_tables_;           ///< Codes of names.
  std::vector<std::string> names_;
  std::map<int, std::set<int>> names_near_;      ///< By the code of a label that no table holds.
  std::map<int, std::set<int>> first_synonyms_;  ///< By the code of a label that is a name.
  std::map<std::string, std::string> near_;      ///< And one of their names, for people.
};

/// The label that an app gives each line of a table, of those that were seen.
using OwnTable = std::map<int, std::string>;

/// "takes its labels from another list: class 12 ('stop sign') is 'parking meter', …"; or, where
/// that list is the reference's without some lines, from which class on by how many.
std::string own_table_words(const OwnTable& own, const std::vector<std::string>& names);

}  // namespace edgeprobe::diagnose::postprocessing

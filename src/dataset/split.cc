// SPDX-License-Identifier: Apache-2.0
#include "dataset/split.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "core/file.h"
#include "core/text.h"

namespace edgeprobe::dataset {
namespace {

// Shares as whole billionths: sums and quotients of integers are the same on every machine, while
// compilers may contract those of real numbers.
constexpr std::uint64_t kWhole = 1'000'000'000;

std::uint64_t billionths(double share) {
  return static_cast<std::uint64_t>(std::llround(share * static_cast<double>(kWhole)));
}

std::uint64_t rounded_share(std::uint64_t count, std::uint64_t share) {
  return (count * share + kWhole / 2) / kWhole;
}

/// The group in which a split keeps the shares; empty: none is known.
std::string stratum_of(const Sample& sample) {
  if (!sample.stratum.empty()) return sample.stratum;
  if (!sample.annotation) return "";
  if (const auto* const anomaly = std::get_if<task::TrueAnomaly>(&*sample.annotation))
    return anomaly->is_anomaly ? "anomalies" : "normal samples";
  const auto classes = task::classes_of(*sample.annotation);
  return classes.empty() ? "" : "class " + std::to_string(classes.front());
}

/// Samples that belong in one part.
struct Group {
  std::vector<std::size_t> members;
  std::string key;  ///< SHA-256 of the seed and the content.
};

/// The groups of one class, and how many samples of it each part wants.
struct Stratum {
  std::vector<Group> groups;  ///< Ordered by key.
  std::uint64_t count = 0;
  std::uint64_t test = 0, validation = 0;
};

/// Divides round(share x all) among the classes in proportion.
void divide(std::map<std::string, Stratum>& strata, std::uint64_t all, std::uint64_t share,
            std::uint64_t Stratum::*wanted) {
  std::uint64_t left = rounded_share(all, share);
  std::vector<std::pair<std::uint64_t, Stratum*>> by_remainder;
  for (auto& [name, stratum] : strata) {
    stratum.*wanted = stratum.count * share / kWhole;
    left -= std::min(left, stratum.*wanted);
    by_remainder.emplace_back(stratum.count * share % kWhole, &stratum);
  }
  std::sort(by_remainder.begin(), by_remainder.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    return a.second->groups.front().key < b.second->groups.front().key;
  });
  for (const auto& [remainder, stratum] : by_remainder)
    if (left > 0 && remainder > 0) {
      ++(stratum->*wanted);
      --left;
    }
}

class Split {
 public:
  Split(const std::vector<Sample>& samples, const SplitOptions& options)
      : samples_(samples), options_(options), parts_of_(samples.size(), Part::kTrain) {}

  Result<Parts> run(const Control& control) {
    EP_CHECK(check_shares());
    EP_CHECK(read(control));
    EP_CHECK(group());
    std::uint64_t all = 0;
    for (const auto& [name, stratum] : strata_) all += stratum.count;
    divide(strata_, all, billionths(options_.test), &Stratum::test);
    divide(strata_, all, billionths(options_.validation), &Stratum::validation);
    for (auto& [name, stratum] : strata_) assign(stratum);
    EP_CHECK(gather());
    note_classes_without_test();
    return std::move(parts_);
  }

 private:
  Status check_shares() const {
    for (const double share : {options_.test, options_.validation})
      if (!(share >= 0 && share < 1))
        return Error{ErrorKind::kUsage, "a share of the split is " + number(share) +
                                            "; expected a number from 0 to below 1"};
    if (billionths(options_.test) + billionths(options_.validation) >= kWhole)
      return Error{ErrorKind::kUsage,
                   "the shares of the test and of validation are " + number(options_.test) +
                       " and " + number(options_.validation) +
                       ", together 1 or more: nothing would be left to train with"};
    return {};
  }

  /// Hashes every sample; those that cannot be read have no hash.
  Status read(const Control& control) {
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (control.stopped()) return interrupted();
      auto hash = content_hash(samples_[i]);
      if (!hash && hash.error().kind == ErrorKind::kInterrupted) return hash.error();
      if (!hash) parts_.unreadable.push_back({samples_[i].name, hash.error().what});
      hashes_.push_back(hash ? *std::move(hash) : "");
      if (control.progress) control.progress(i + 1, samples_.size(), "hashed");
    }
    if (parts_.unreadable.size() == samples_.size())
      return Error{
          ErrorKind::kUsage,
          "no sample can be read" +
              (parts_.unreadable.empty() ? std::string() : ": " + parts_.unreadable.front().why)};
    return {};
  }

  /// The sequences, if there are several; else each sample by itself.
  std::vector<std::vector<std::size_t>> units() const {
    const bool has_sequences =
        std::count_if(samples_.begin(), samples_.end(),
                      [](const Sample& sample) { return sample.begins_sequence; }) > 1;
    std::vector<std::vector<std::size_t>> units;
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (units.empty() || !has_sequences || samples_[i].begins_sequence) units.emplace_back();
      units.back().push_back(i);
    }
    return units;
  }

  Status group() {
    std::map<std::string, Group> by_content;
    for (auto& unit : units()) {
      std::string content;
      bool is_whole = true;
      for (const std::size_t i : unit) {
        content += hashes_[i];
        is_whole = is_whole && !hashes_[i].empty();
      }
      if (!is_whole) continue;
      if (unit.size() > 1) content = sha256(view_of(content));
      auto& members = by_content[content].members;
      members.insert(members.end(), unit.begin(), unit.end());
      if (members.size() > unit.size()) compare(members[0], members[members.size() - unit.size()]);
    }
    if (contradictions_ > 0)
      parts_.notes.push_back(counted(contradictions_, "sample") +
                             (contradictions_ == 1 ? " has" : " have") +
                             " the content of another one, but a different annotation, such as " +
                             contradiction_ + ": one of the two is wrong");
    for (auto& [content, group] : by_content) {
      group.key = sha256(view_of(std::to_string(options_.seed) + ":" + content));
      // Of contradicting annotations, the choice must not depend on the order of the files.
      std::string name = stratum_of(samples_[group.members.front()]);
      for (const std::size_t i : group.members) name = std::min(name, stratum_of(samples_[i]));
      Stratum& stratum = strata_[name];
      stratum.count += group.members.size();
      stratum.groups.push_back(std::move(group));
    }
    for (auto& [name, stratum] : strata_) {
      if (!name.empty() && stratum.groups.size() == 1)
        return Error{ErrorKind::kUsage,
                     "of " + sanitized(name, 80) + " there is only '" +
                         sanitized(samples_[stratum.groups.front().members.front()].name, 120) +
                         "'" + (stratum.count > 1 ? " and its copies" : "") +
                         ": it cannot be in the training and in the test; add samples of that "
                         "class, or leave it out"};
      std::sort(stratum.groups.begin(), stratum.groups.end(),
                [](const Group& a, const Group& b) { return a.key < b.key; });
    }
    return {};
  }

  void compare(std::size_t first, std::size_t other) {
    const Sample &a = samples_[first], &b = samples_[other];
    if (a.annotation == b.annotation && a.stratum == b.stratum) return;
    if (contradictions_++ == 0)
      contradiction_ = "'" + sanitized(a.name, 100) + "' and '" + sanitized(b.name, 100) + "'";
  }

  void assign(const Stratum& stratum) {
    std::uint64_t test = 0, validation = 0;
    for (const Group& group : stratum.groups) {
      const std::uint64_t size = group.members.size();
      Part part = Part::kTrain;
      if (test + size <= stratum.test) {
        part = Part::kTest;
        test += size;
      } else if (validation + size <= stratum.validation) {
        part = Part::kValidation;
        validation += size;
      }
      for (const std::size_t i : group.members) parts_of_[i] = part;
    }
  }

  Status gather() {
    for (std::size_t i = 0; i < samples_.size(); ++i) {
      if (hashes_[i].empty()) continue;
      std::vector<Sample>& part = parts_of_[i] == Part::kTest         ? parts_.test
                                  : parts_of_[i] == Part::kValidation ? parts_.validation
                                                                      : parts_.train;
      part.push_back(samples_[i]);
      // Nothing that the model remembers of another part may reach this one.
      if (part.size() == 1 && !samples_[i].arrays.empty()) part.front().begins_sequence = true;
    }
    const auto is_missing = [](double share, const std::vector<Sample>& part) {
      return billionths(share) > 0 && part.empty();
    };
    const bool no_test = is_missing(options_.test, parts_.test);
    if (no_test || is_missing(options_.validation, parts_.validation) || parts_.train.empty())
      return Error{
          ErrorKind::kUsage,
          std::string("the part for ") +
              (parts_.train.empty() ? "training"
               : no_test            ? "the test"
                                    : "validation") +
              " would be empty: " + counted(samples_.size() - parts_.unreadable.size(), "sample") +
              ", shares " + number(options_.test) + " (test) and " + number(options_.validation) +
              " (validation)"};
    return {};
  }

  void note_classes_without_test() {
    if (billionths(options_.test) == 0) return;
    std::map<std::string, bool> tested;
    for (const auto& [name, stratum] : strata_) tested[name] = false;
    for (const Sample& sample : parts_.test) tested[stratum_of(sample)] = true;
    std::string first;
    std::size_t lacking = 0;
    for (const auto& [name, is_tested] : tested) {
      if (is_tested) continue;
      if (lacking++ == 0) first = name.empty() ? "samples without a class" : name;
    }
    if (lacking > 0)
      parts_.notes.push_back("the test part has no sample of " + std::to_string(lacking) +
                             " of the " + std::to_string(tested.size()) + " classes, such as " +
                             sanitized(first, 80) +
                             ": its accuracies are those of the other classes only");
  }

  const std::vector<Sample>& samples_;
  const SplitOptions& options_;
  std::vector<std::string> hashes_;
  std::map<std::string, Stratum> strata_;
  std::vector<Part> parts_of_;
  std::size_t contradictions_ = 0;
  std::string contradiction_;
  Parts parts_;
};

}  // namespace

const std::vector<Sample>& Parts::of(Part part) const {
  return part == Part::kTrain ? train : part == Part::kValidation ? validation : test;
}

Result<Parts> split(const std::vector<Sample>& samples, const SplitOptions& options,
                    const Control& control) {
  return Split(samples, options).run(control);
}

Result<Parts> given_parts(const std::vector<Sample>& samples) {
  Parts parts;
  for (const Sample& sample : samples) {
    if (!sample.part)
      return Error{ErrorKind::kUsage, "the data set assigns '" + sanitized(sample.name, 100) +
                                          "' to no part; give shares with --split-fraction-test"};
    (*sample.part == Part::kTest         ? parts.test
     : *sample.part == Part::kValidation ? parts.validation
                                         : parts.train)
        .push_back(sample);
  }
  return parts;
}

}  // namespace edgeprobe::dataset

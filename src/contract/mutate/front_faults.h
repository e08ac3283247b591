// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "contract/mutate/catalogue.h"
#include "diagnose/verdict/words.h"
#include "recipe/faults.h"

namespace edgeprobe::contract {

/// Changes of one front end (for text or readings) as mutations of its recipe; skips those without
/// effect.
template <class FrontEnd>
class FrontFaults {
 public:
  /// Both must outlive the object.
  FrontFaults(const preprocess::Recipe& recipe, const FrontEnd& right)
      : recipe_(recipe), right_(right) {}

  const FrontEnd& right() const { return right_; }
  void add(diagnose::CauseKind kind, std::string what,
           const std::function<void(FrontEnd&)>& change) {
    FrontEnd wrong = right_;
    change(wrong);
    if (wrong == right_) return;
    preprocess::Recipe mutated = preprocess::recipe_of(wrong);
    mutated.post = recipe_.post;
    all.push_back({diagnose::name(kind), std::move(what), std::move(mutated), {}});
  }

  /// Changes one argument of a step.
  void add(diagnose::CauseKind kind, const recipe::Fault& fault) {
    add(kind, fault.what, [&fault](FrontEnd& wrong) { fault.plant(&wrong); });
  }

  std::vector<Mutation> all;

 private:
  const preprocess::Recipe& recipe_;
  const FrontEnd& right_;
};

}  // namespace edgeprobe::contract

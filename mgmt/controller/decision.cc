#include "mgmt/controller/decision.h"

#include "gateway/config/diff.h"

namespace wakegate {

Decision Decide(const View& view) {
  if (!view.desired_known) return Decision::kAdopt;
  // Only mgmt gives out generations, and it stores one after the data plane took it. A later one
  // at the first contact is thus from a mgmt that died in between.
  if (!view.contacted && view.dataplane.generation() > view.desired.generation()) {
    return Decision::kAdopt;
  }
  const bool same = view.dataplane.generation() == view.desired.generation() &&
                    Diff(view.dataplane.config(), view.desired.config()).empty();
  return same ? Decision::kInSync : Decision::kApply;
}

}  // namespace wakegate

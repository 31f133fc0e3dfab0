// What to do about the difference between what is wanted and what runs. Pure.
#ifndef MGMT_CONTROLLER_DECISION_H_
#define MGMT_CONTROLLER_DECISION_H_

#include "mgmt/controller/view.h"

namespace wakegate {

enum class Decision {
  // The data plane runs what is wanted.
  kInSync,
  // What the data plane runs becomes what is wanted: mgmt was restarted and has lost or never
  // had what it says. Traffic goes on.
  kAdopt,
  // The data plane is to be given what is wanted.
  kApply,
};

// `view.dataplane` is fresh; `view.contacted` still tells of the time before.
Decision Decide(const View& view);

}  // namespace wakegate

#endif  // MGMT_CONTROLLER_DECISION_H_

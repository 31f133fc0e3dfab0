// One log line for each thing that changed, however often it is looked at.
#ifndef MGMT_CONTROLLER_VIEW_LOG_H_
#define MGMT_CONTROLLER_VIEW_LOG_H_

#include "mgmt/controller/view.h"

namespace wakegate {

void LogTransition(const View& before, const View& after);

}  // namespace wakegate

#endif  // MGMT_CONTROLLER_VIEW_LOG_H_

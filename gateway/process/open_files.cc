#include "gateway/process/open_files.h"

#include <sys/resource.h>

namespace wakegate {

// Neither call fails with these arguments.
void RaiseOpenFileLimit() {
  rlimit limit = {};
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace wakegate

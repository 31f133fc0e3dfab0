// How many files a process may have open.
#ifndef GATEWAY_PROCESS_OPEN_FILES_H_
#define GATEWAY_PROCESS_OPEN_FILES_H_

namespace wakegate {

// Raises the limit to what the system allows (RLIMIT_NOFILE, from its soft to its hard value; of
// systemd 1024 and 524288). The soft one is for programs that use select(2): none of ours does. At
// it DPDK ends the process and gRPC no longer listens. Main, before the first thread.
void RaiseOpenFileLimit();

}  // namespace wakegate

#endif  // GATEWAY_PROCESS_OPEN_FILES_H_

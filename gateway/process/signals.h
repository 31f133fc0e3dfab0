// Which thread gets which signal.
#ifndef GATEWAY_PROCESS_SIGNALS_H_
#define GATEWAY_PROCESS_SIGNALS_H_

namespace wakegate {

// Blocks SIGTERM, SIGINT, SIGHUP, SIGIO and the real-time signals in the calling thread and in all
// threads that it starts from now on. Main calls it before EAL and gRPC start theirs: a signal
// meant for a worker (SIGIO and the real-time signals announce packets, and their default action
// kills) would otherwise interrupt any of them. Ignores SIGPIPE: a client that hangs up is no
// reason to die.
void BlockSignals();

// Waits for SIGTERM or SIGINT; returns its number. Main thread, after BlockSignals.
int WaitForStopSignal();

}  // namespace wakegate

#endif  // GATEWAY_PROCESS_SIGNALS_H_

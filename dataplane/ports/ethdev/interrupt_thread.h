// DPDK's interrupt thread, on which drivers hear of their peers.
#ifndef DATAPLANE_PORTS_ETHDEV_INTERRUPT_THREAD_H_
#define DATAPLANE_PORTS_ETHDEV_INTERRUPT_THREAD_H_

namespace wakegate {

// Returns once the thread has finished what it was doing. To be called before a device is stopped
// or closed: a driver cannot take back a handler that is running just then
// (rte_intr_callback_unregister answers EAGAIN), some do not try again (net_virtio_user, 22.11),
// and a handler that is left behind is called for a device that is gone. Any thread but that one.
void WaitForInterruptThread();

}  // namespace wakegate

#endif  // DATAPLANE_PORTS_ETHDEV_INTERRUPT_THREAD_H_

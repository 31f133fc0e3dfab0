// The names of all that is counted. Each X-list yields an enum, the arrays of the ledger, the
// Prometheus series, the keys of the API's maps and docs/METRICS.md; add a line and all have it.
//
// X(Enumerator, name, help). `name` is stable: dashboards and scripts are written against it.
#ifndef GATEWAY_LEDGER_NAMES_H_
#define GATEWAY_LEDGER_NAMES_H_

#include <array>
#include <cstddef>
#include <string_view>

namespace wakegate::ledger {

// Per receive queue.
#define WAKEGATE_RX_COUNTERS(X)                                                                    \
  X(kPackets, packets, "Packets received from the device.")                                        \
  X(kBytes, bytes, "Bytes received from the device, Ethernet header included.")                    \
  X(kPolls, polls, "Times the worker looked into the queue itself.")                               \
  X(kEmptyPolls, empty_polls, "Looks into the queue that found nothing.")                          \
  X(kPollsFromMemory, polls_from_memory,                                                           \
    "Looks that a word in memory answered with nothing, without touching the queue.")              \
  X(kArmRaces, arm_races, "Arm said no: a packet came while the worker was about to sleep.")       \
  X(kRetries, retries, "Looks that ended early for want of a buffer; the packets wait.")           \
  X(kCreated, created_packets, "Packets that segmentation made in excess of the one received.")    \
  X(kMerged, merged_packets, "Packets that coalescing made part of another.")                      \
  X(kSegmented, segmented_packets, "Packets that were too large for the port they left by.")       \
  X(kChecksumsCompleted, checksums_completed, "Partial checksums completed in software.")          \
  X(kCopied, copied_packets, "Packets copied because the sending port could not take the buffer.") \
  X(kHandedOver, handed_over_packets, "Packets given to the worker that owns the transmit queue.") \
  X(kBusyCycles, busy_cycles, "TSC cycles spent to receive its packets and to forward them.")      \
  X(kArms, arms, "Times the queue left the worker's scan and its trigger was armed.")              \
  X(kFillKicks, fill_kicks, "Times the kernel was asked to take the buffers it was lent.")         \
  X(kBusyPolls, busy_polls, "Times the kernel was had process the queue's packets.")               \
  X(kBusyPollPackets, busy_poll_packets, "Packets that were there after such a busy poll.")

// Per receive queue: levels, which go down too.
#define WAKEGATE_RX_LEVELS(X) \
  X(kLentBuffers, lent_buffers, "Buffers that the kernel has, to put packets into.")

// Per transmit queue.
#define WAKEGATE_TX_COUNTERS(X)                                                                \
  X(kPackets, packets, "Packets accepted by the kernel or the ring.")                          \
  X(kBytes, bytes, "Bytes accepted by the kernel or the ring, Ethernet header included.")      \
  X(kKicksSent, kicks_sent, "Times the other side was woken.")                                 \
  X(kKicksNotNeeded, kicks_not_needed, "Bursts sent without a kick: the peer was awake.")      \
  X(kKicksMerged, kicks_merged, "Bursts whose kick was saved by waiting for more packets.")    \
  X(kRetries, retries, "Sends that were tried again: the peer had no room.")                   \
  X(kTakenOver, taken_over_packets, "Packets taken from other workers' hand-over rings.")      \
  X(kKicksForced, kicks_forced, "Kicks that nobody asked for, after a time without progress.") \
  X(kCopied, copied_packets, "Packets copied because the kernel could not take the buffer.")   \
  X(kBuffersGivenUp, buffers_given_up,                                                         \
    "Buffers that the kernel still had when the queue was closed.")

// Per transmit queue: levels, which go down too.
#define WAKEGATE_TX_LEVELS(X)                                                 \
  X(kHeld, held_packets, "Packets that wait here for the peer to have room.") \
  X(kLentBuffers, in_flight_buffers, "Buffers of packets that the kernel has not sent yet.")

// Per worker.
#define WAKEGATE_WORKER_COUNTERS(X)                                            \
  X(kIterations, iterations, "Turns of the worker's loop.")                    \
  X(kBusyCycles, busy_cycles, "TSC cycles in turns that moved a packet.")      \
  X(kIdleCycles, idle_cycles, "TSC cycles in turns that found nothing to do.") \
  X(kAsleepCycles, asleep_cycles, "TSC cycles blocked in the kernel.")         \
  X(kSleeps, sleeps, "Times the worker blocked.")                              \
  X(kPlansAdopted, plans_adopted, "Configurations taken up.")

// Per worker: levels.
#define WAKEGATE_WORKER_LEVELS(X) \
  X(kLongestIterationCycles, longest_iteration_cycles, "TSC cycles of the longest turn so far.")

// Per port: the kernel's own counts of the port's device, beside ours.
#define WAKEGATE_PORT_COUNTERS(X)                                                                 \
  X(kKernelRxPackets, kernel_rx_packets, "Packets that the kernel counts as received.")           \
  X(kKernelTxPackets, kernel_tx_packets, "Packets that the kernel counts as sent.")               \
  X(kKernelRxDropped, kernel_rx_dropped, "Packets that the kernel dropped on receive.")           \
  X(kKernelTxDropped, kernel_tx_dropped,                                                          \
    "Packets that the kernel dropped on transmit; of a tap: those the gateway was too slow for.") \
  X(kKernelRxErrors, kernel_rx_errors, "Receive errors that the kernel counts.")                  \
  X(kKernelTxErrors, kernel_tx_errors, "Transmit errors that the kernel counts.")                 \
  X(kSocketDropped, socket_dropped,                                                               \
    "Packets that found the receive ring full, or no buffer in it.")                              \
  X(kXdpRxDropped, xdp_rx_dropped,                                                                \
    "Of an AF_XDP port: packets that found no buffer, or were too long for one.")                 \
  X(kXdpRxRingFull, xdp_rx_ring_full,                                                             \
    "Of an AF_XDP port: packets that found the receive ring full.")                               \
  X(kXdpFillRingEmpty, xdp_fill_ring_empty,                                                       \
    "Of an AF_XDP port: times the kernel wanted a buffer and had none.")                          \
  X(kXdpRxInvalid, xdp_rx_invalid, "Of an AF_XDP port: buffers that the kernel did not accept.")  \
  X(kXdpTxInvalid, xdp_tx_invalid, "Of an AF_XDP port: packets that the kernel did not accept.")  \
  X(kXdpTxRingEmpty, xdp_tx_ring_empty,                                                           \
    "Of an AF_XDP port: times the kernel looked for packets to send and found none.")             \
  X(kReopened, reopened, "Times the port was opened again after its device failed.")

// Why a packet that was received is not sent. Counted where it is dropped: on the receive queue
// until it is given to a transmit queue, then there.
#define WAKEGATE_DROP_REASONS(X)                                                                \
  X(kNoForwarding, no_forwarding, "The port it came in by is not connected to another.")        \
  X(kPortRemoved, port_removed, "It waited in a port that was removed.")                        \
  X(kPortDown, port_down, "The port it leaves by is put down or its device failed.")            \
  X(kLinkDown, link_down, "The device it leaves by has no link.")                               \
  X(kRunt, runt, "Shorter than an Ethernet header.")                                            \
  X(kTooLong, too_long, "Longer than the MTU of the port it leaves by, and not segmentable.")   \
  X(kTruncated, truncated, "The kernel delivered only a part of it.")                           \
  X(kBadOffload, bad_offload, "Its checksum or segmentation request does not fit its headers.") \
  X(kUnsupportedOffload, unsupported_offload,                                                   \
    "It asks for a segmentation that neither the port nor the gateway can do.")                 \
  X(kNoBuffer, no_buffer, "No packet buffer was free to segment or copy it.")                   \
  X(kHandoffFull, handoff_full, "The hand-over ring to the owning worker was full.")            \
  X(kBacklogFull, backlog_full, "The peer had no room for longer than the backlog could hold.") \
  X(kDeviceRefused, device_refused, "The kernel or the device refused it.")                     \
  X(kStopping, stopping, "It was under way when the gateway stopped.")

// Kinds of system calls.
#define WAKEGATE_SYSTEM_CALLS(X)                                                            \
  X(kRead, read, "read or readv.")                                                          \
  X(kWrite, write, "write or writev.")                                                      \
  X(kSend, send, "send, sendto or sendmsg.")                                                \
  X(kReceive, receive, "recv, recvfrom or recvmsg.")                                        \
  X(kPoll, poll, "poll, ppoll or epoll_wait.")                                              \
  X(kEventfd, eventfd, "read or write of an eventfd.")                                      \
  X(kIoUringEnter, io_uring_enter, "io_uring_enter, to arm, to wait or to see what fired.") \
  X(kEpollCtl, epoll_ctl, "epoll_ctl, to arm or disarm.")                                   \
  X(kFcntl, fcntl, "fcntl, to switch a signal on or off.")                                  \
  X(kYield, yield, "sched_yield, on a CPU that is shared.")                                 \
  X(kOther, other, "Any other.")

// Why a sleeping worker, or a queue that had left the scan, woke.
#define WAKEGATE_WAKE_CAUSES(X)                                                         \
  X(kPacket, packet, "A packet arrived.")                                               \
  X(kHandoff, handoff, "Another worker handed packets over.")                           \
  X(kTimer, timer, "The sleep's time was over: a flush was due, or the longest sleep.") \
  X(kRoom, room, "A peer that was full has room again.")                                \
  X(kControl, control, "A new configuration, or the end.")                              \
  X(kSpurious, spurious, "Nothing was found.")

// Why held packets were pushed to the peer.
#define WAKEGATE_FLUSH_CAUSES(X)                       \
  X(kImmediate, immediate, "Nothing was held back.")   \
  X(kFull, full, "A whole batch was gathered.")        \
  X(kTimer, timer, "The flush interval ended.")        \
  X(kIdle, idle, "The worker had nothing else to do.") \
  X(kForced, forced, "Reconfiguration or removal.")

// What the kernel answered when it did not take a packet.
#define WAKEGATE_ERRORS(X)                                                             \
  X(kAgain, again, "EAGAIN: no room now.")                                             \
  X(kNoBufferSpace, no_buffer_space, "ENOBUFS or ENOMEM: the device's queue is full.") \
  X(kLinkDown, link_down, "ENETDOWN or EIO: the link is down.")                        \
  X(kDeviceGone, device_gone, "ENXIO, ENODEV or EBADFD: the device is gone.")          \
  X(kInvalid, invalid, "EINVAL or EMSGSIZE: the packet was refused.")                  \
  X(kBusy, busy, "EBUSY: the device dropped the packet.")                              \
  X(kOther, other, "Any other.")

#define WAKEGATE_ENUMERATOR(enumerator, name, help) enumerator,
#define WAKEGATE_NAME(enumerator, name, help) Name{#name, help},

// A name and its help text.
struct Name {
  std::string_view name;
  std::string_view help;
};

// Defines `enum class Enum`, `kEnumCount` and `kEnumNames` from an X-list.
#define WAKEGATE_DEFINE_NAMES(Enum, LIST)                                                  \
  enum class Enum : unsigned { LIST(WAKEGATE_ENUMERATOR) };                                \
  inline constexpr std::array k##Enum##Names = std::to_array<Name>({LIST(WAKEGATE_NAME)}); \
  inline constexpr std::size_t k##Enum##Count = k##Enum##Names.size();

WAKEGATE_DEFINE_NAMES(RxCounter, WAKEGATE_RX_COUNTERS)
WAKEGATE_DEFINE_NAMES(RxLevel, WAKEGATE_RX_LEVELS)
WAKEGATE_DEFINE_NAMES(TxCounter, WAKEGATE_TX_COUNTERS)
WAKEGATE_DEFINE_NAMES(TxLevel, WAKEGATE_TX_LEVELS)
WAKEGATE_DEFINE_NAMES(WorkerCounter, WAKEGATE_WORKER_COUNTERS)
WAKEGATE_DEFINE_NAMES(WorkerLevel, WAKEGATE_WORKER_LEVELS)
WAKEGATE_DEFINE_NAMES(PortCounter, WAKEGATE_PORT_COUNTERS)
WAKEGATE_DEFINE_NAMES(DropReason, WAKEGATE_DROP_REASONS)
WAKEGATE_DEFINE_NAMES(SystemCall, WAKEGATE_SYSTEM_CALLS)
WAKEGATE_DEFINE_NAMES(WakeCause, WAKEGATE_WAKE_CAUSES)
WAKEGATE_DEFINE_NAMES(FlushCause, WAKEGATE_FLUSH_CAUSES)
WAKEGATE_DEFINE_NAMES(ErrorKind, WAKEGATE_ERRORS)

#undef WAKEGATE_DEFINE_NAMES
#undef WAKEGATE_NAME
#undef WAKEGATE_ENUMERATOR

}  // namespace wakegate::ledger

#endif  // GATEWAY_LEDGER_NAMES_H_

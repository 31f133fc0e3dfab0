// How the ledger sorts what the kernel answers when it does not take or give a packet.
#ifndef DATAPLANE_KERNEL_ERROR_KIND_H_
#define DATAPLANE_KERNEL_ERROR_KIND_H_

#include <cerrno>

#include "gateway/ledger/names.h"

namespace wakegate {

// `error`: an errno.
inline ledger::ErrorKind ErrorKindOf(int error) {
  switch (error) {
    case EAGAIN:
      return ledger::ErrorKind::kAgain;
    case ENOBUFS:
    case ENOMEM:
      return ledger::ErrorKind::kNoBufferSpace;
    case ENETDOWN:
    case EIO:
      return ledger::ErrorKind::kLinkDown;
    case ENXIO:
    case ENODEV:
    case EBADFD:
      return ledger::ErrorKind::kDeviceGone;
    case EINVAL:
    case EMSGSIZE:
      return ledger::ErrorKind::kInvalid;
    case EBUSY:
      return ledger::ErrorKind::kBusy;
    default:
      return ledger::ErrorKind::kOther;
  }
}

}  // namespace wakegate

#endif  // DATAPLANE_KERNEL_ERROR_KIND_H_

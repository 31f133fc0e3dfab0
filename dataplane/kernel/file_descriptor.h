// A file descriptor with an owner.
#ifndef DATAPLANE_KERNEL_FILE_DESCRIPTOR_H_
#define DATAPLANE_KERNEL_FILE_DESCRIPTOR_H_

#include <fcntl.h>
#include <unistd.h>

#include <utility>

namespace wakegate {

// Owns a file descriptor, or none (-1). Closes it at its end.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    FileDescriptor old(std::exchange(fd_, std::exchange(other.fd_, -1)));
    return *this;
  }
  ~FileDescriptor() {
    if (fd_ >= 0) close(fd_);
  }

  // Another descriptor of the same open file; none where the process has too many (EMFILE).
  FileDescriptor Duplicate() const { return FileDescriptor(fcntl(fd_, F_DUPFD_CLOEXEC, 0)); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

}  // namespace wakegate

#endif  // DATAPLANE_KERNEL_FILE_DESCRIPTOR_H_

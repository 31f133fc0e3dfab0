// A folder for a test, removed with all that is in it.
#ifndef GATEWAY_FILES_TEMPORARY_FOLDER_H_
#define GATEWAY_FILES_TEMPORARY_FOLDER_H_

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

namespace wakegate {

// Its path is short enough for Unix sockets within it (107 bytes), unlike TEST_TMPDIR.
class TemporaryFolder {
 public:
  // `parent`: where it is made.
  explicit TemporaryFolder(const std::string& parent = "/tmp")
      : path_(parent + "/wakegate-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) {
      perror("mkdtemp");
      abort();
    }
  }
  ~TemporaryFolder() {
    std::error_code ignored;  // The next test has a folder of its own.
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace wakegate

#endif  // GATEWAY_FILES_TEMPORARY_FOLDER_H_

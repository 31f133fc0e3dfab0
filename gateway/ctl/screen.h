// A terminal whose content is replaced in place.
#ifndef GATEWAY_CTL_SCREEN_H_
#define GATEWAY_CTL_SCREEN_H_

#include <ostream>
#include <string>

namespace wakegate {

// Shows frames on the terminal's alternate screen, with the cursor hidden; at its end the terminal
// is as before, with the last frame below the prompt. Not thread safe.
class Screen {
 public:
  // `out` goes to the terminal `fd`.
  Screen(std::ostream& out, int fd);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // What does not fit the terminal, as large as it is now, is left out.
  void Show(const std::string& frame);

 private:
  std::ostream& out_;
  int fd_;
  std::string last_frame_;
};

// The part of `frame` that fits, each line followed by the code that clears its rest.
std::string FitFrame(const std::string& frame, int rows, int columns);

}  // namespace wakegate

#endif  // GATEWAY_CTL_SCREEN_H_

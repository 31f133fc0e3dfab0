// The HTTP port that Prometheus scrapes.
#ifndef MGMT_METRICS_EXPORTER_H_
#define MGMT_METRICS_EXPORTER_H_

#include <memory>

#include "absl/status/statusor.h"
#include "mgmt/controller/view.h"
#include "mgmt/listen/listen_address.h"
#include "mgmt/metrics/collector.h"
#include "prometheus/exposer.h"

namespace wakegate {

class Exporter {
 public:
  // Serves http://`address`/metrics until it is destroyed.
  static absl::StatusOr<std::unique_ptr<Exporter>> Start(ViewSource view,
                                                         const ListenAddress& address);

  ~Exporter();
  Exporter(const Exporter&) = delete;
  Exporter& operator=(const Exporter&) = delete;

  // The one that was chosen where 0 was asked for.
  int port() const { return exposer_->GetListeningPorts().front(); }

 private:
  Exporter(ViewSource view, const ListenAddress& address,
           std::unique_ptr<prometheus::Exposer> exposer);

  const ListenAddress address_;
  const std::shared_ptr<Collector> collector_;  // The exposer has only a weak pointer to it.
  std::unique_ptr<prometheus::Exposer> exposer_;
};

}  // namespace wakegate

#endif  // MGMT_METRICS_EXPORTER_H_

#include "gateway/config/devargs.h"

#include <gtest/gtest.h>

namespace wakegate {
namespace {

TEST(DevargsTest, TheDeviceStandsFirst) {
  EXPECT_EQ(DeviceOfDevargs("net_null0"), "net_null0");
  EXPECT_EQ(DeviceOfDevargs("net_memif0,role=client,socket=/run/a,b"), "net_memif0");
  EXPECT_EQ(DeviceOfDevargs(""), "");
  EXPECT_EQ(DeviceOfDevargs(",size=64"), "");
}

TEST(DevargsTest, ABusBeforeItDoesNotCount) {
  EXPECT_EQ(DeviceOfDevargs("vdev:net_null0,size=64"), "net_null0");
  EXPECT_EQ(DeviceOfDevargs("pci:0000:03:00.0"), "0000:03:00.0");
}

TEST(DevargsTest, APciAddressIsWrittenInOneWay) {
  EXPECT_EQ(DeviceOfDevargs("03:0A.0"), "0000:03:0a.0");
  EXPECT_EQ(DeviceOfDevargs("10AB:03:00.7"), "10ab:03:00.7");
  EXPECT_EQ(DeviceOfDevargs("03:00.8"), "03:00.8") << "no PCI address";
}

}  // namespace
}  // namespace wakegate

"""Two network devices and the cable between them."""

from lab.namespace import Namespace


def add_veth(space: Namespace, near: str, far: str) -> None:
    """Both are up. What is sent on `far`, by an XDP sender too, comes to `near`, whose driver polls
    for it (NAPI, which GRO switches on) whatever is attached there."""
    space.run(f"ip link add {near} type veth peer name {far}")
    space.run(f"ethtool -K {near} gro on")
    for device in (near, far):
        space.run(f"ip link set dev {device} up")

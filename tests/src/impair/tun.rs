//! What the kernel is asked for: a network namespace, and a device whose packets are bytes of a file.

#![allow(
    unsafe_code,
    reason = "naming a TUN device is an ioctl that no safe interface of nix or std knows"
)]

use std::fs::{File, OpenOptions};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt as _;

use nix::libc;
use nix::sched::{CloneFlags, setns, unshare};

use super::Missing;

/// A network of its own.
#[derive(Debug)]
pub(super) struct Namespace(File);

impl Namespace {
    /// Takes the calling thread to a new one.
    pub(super) fn unshare() -> Result<Self, Missing> {
        unshare(CloneFlags::CLONE_NEWNET)
            .map_err(|error| Missing::new("a network namespace", error))?;
        let file = File::open("/proc/thread-self/ns/net");
        Ok(Self(file.map_err(|error| {
            Missing::new("/proc/thread-self/ns/net", error)
        })?))
    }

    /// Takes the calling thread to this one.
    pub(super) fn enter(&self) {
        setns(&self.0, CloneFlags::CLONE_NEWNET)
            .expect("whoever may make a namespace may enter it");
    }
}

impl AsRawFd for Namespace {
    fn as_raw_fd(&self) -> RawFd {
        self.0.as_raw_fd()
    }
}

/// A device of the calling thread's namespace. Each read is one IP packet that the kernel sends, each write one that it
/// receives; neither ever waits.
#[derive(Debug)]
pub(super) struct Tun(pub(super) File);

mod ioctl {
    nix::ioctl_write_ptr_bad!(
        /// TUNSETIFF of linux/if_tun.h.
        tun_set_iff,
        nix::request_code_write!(b'T', 202, size_of::<nix::libc::c_int>()),
        nix::libc::ifreq
    );
}

impl Tun {
    /// Makes one; it goes when the value does. `name` has at most 15 bytes.
    pub(super) fn open(name: &str) -> Result<Self, Missing> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .custom_flags(libc::O_NONBLOCK)
            .open("/dev/net/tun")
            .map_err(|error| Missing::new("/dev/net/tun", error))?;
        // SAFETY: an `ifreq` is a name and a union of plain numbers, for all of which zero is a value.
        let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
        for (to, from) in request.ifr_name[..15].iter_mut().zip(name.bytes()) {
            *to = from as libc::c_char;
        }
        request.ifr_ifru.ifru_flags = (libc::IFF_TUN | libc::IFF_NO_PI) as libc::c_short;
        // SAFETY: the file is open and the request lives until the call returns, which keeps nothing of it.
        unsafe { ioctl::tun_set_iff(file.as_raw_fd(), &raw const request) }
            .map_err(|error| Missing::new("a TUN device", error))?;
        Ok(Self(file))
    }
}

//! The relay as it ships: the program, in a process of its own.

use std::env;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use super::Door;

/// A relay of its own process, until it is dropped.
#[derive(Debug)]
pub struct Program {
    child: Child,
    /// Where it is.
    pub door: Door,
}

impl Program {
    /// Starts it on a free port with these flags.
    pub fn start(flags: &[&str]) -> Self {
        Self::spawn(Command::new(path()).args(["--port", "0"]), flags)
    }

    /// Starts it by a command that is the relay's but for the rest of its flags.
    pub fn spawn(command: &mut Command, flags: &[&str]) -> Self {
        let page = env::temp_dir().join(format!("afterimage-page-{}", std::process::id()));
        fs::create_dir_all(&page).expect("a folder for the page");
        fs::write(page.join("index.html"), "page").expect("a page");
        let mut child = command
            .arg("--dist")
            .arg(&page)
            .args(flags)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the relay starts");
        let out = child.stdout.take().expect("its output is piped");
        let mut lines = BufReader::new(out).lines();
        let url = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let url = line
                .split_whitespace()
                .find(|word| word.starts_with("http"))?;
            Some(url.trim_end_matches('/').to_owned())
        });
        let url = url.expect("it says where it is");
        // Whatever else it says is read, so that it never waits for a reader.
        thread::spawn(move || lines.map_while(Result::ok).for_each(drop));
        let (_, host) = url.split_once("://").expect("an address");
        let at: SocketAddr = host
            .to_socket_addrs()
            .ok()
            .and_then(|mut found| found.find(SocketAddr::is_ipv4))
            .expect("an address of this machine");
        let door = Door::new(at);
        Self { child, door }
    }

    /// Its process.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Memory that it holds, bytes (`VmRSS` of Linux), with what the system took back counted as not held.
    #[cfg(target_os = "linux")]
    pub fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kilobytes.unwrap_or(0) * 1_024
    }

    /// Processor time that it has used.
    #[cfg(target_os = "linux")]
    pub fn used(&self) -> Duration {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.id())).unwrap_or_default();
        // Behind the name, which may hold anything, the 12th and 13th: user and system, hundredths of a second.
        let rest = stat.rsplit(')').next().unwrap_or_default();
        let ticks = rest.split_whitespace().skip(11).take(2);
        Duration::from_millis(10 * ticks.filter_map(|n| n.parse::<u64>().ok()).sum::<u64>())
    }

    /// Asks it to end, as the system does; how it did, and how long it took. `None` if it is still there after so long.
    #[cfg(unix)]
    pub fn terminate(&mut self, wait: Duration) -> Option<(ExitStatus, Duration)> {
        use nix::sys::signal::{Signal, kill};
        use nix::unistd::Pid;
        let began = Instant::now();
        kill(Pid::from_raw(self.id() as i32), Signal::SIGTERM).expect("it runs");
        while began.elapsed() < wait {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some((status, began.elapsed()));
            }
            thread::sleep(Duration::from_millis(5));
        }
        None
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The program. Whoever tests the whole workspace has just built it; otherwise it is built.
fn path() -> PathBuf {
    let own = env::current_exe().expect("a test is a program");
    // target/debug/deps/test-0123
    let folder = own
        .ancestors()
        .nth(2)
        .expect("tests lie two folders below what is built");
    let relay = folder.join(format!("relay{}", env::consts::EXE_SUFFIX));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests/ lies in the repository");
    let built = relay.metadata().and_then(|about| about.modified()).ok();
    if built < newest(&root.join("server/src")) {
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        // Of the whole workspace, so that what it depends on is built as it is for the tests.
        let status = Command::new(cargo)
            .args(["build", "--quiet", "--workspace", "--bin", "relay"])
            .current_dir(root)
            .status();
        assert!(
            status.is_ok_and(|status| status.success()),
            "the relay cannot be built"
        );
    }
    relay
}

/// When the newest file of a folder was written.
fn newest(folder: &Path) -> Option<SystemTime> {
    let inside = fs::read_dir(folder)
        .ok()?
        .flatten()
        .map(|entry| entry.path());
    inside
        .map(|path| {
            if path.is_dir() {
                newest(&path)
            } else {
                path.metadata().ok()?.modified().ok()
            }
        })
        .max()?
}

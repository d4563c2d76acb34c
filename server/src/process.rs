//! What the relay takes of its machine, by the names that Prometheus knows for any process.

use std::fs;

use prometheus_client::collector::Collector;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Unit;

/// Clock ticks a second in `/proc`: Linux promises it to programs whatever its own are.
const USER_HZ: f64 = 100.0;

/// Reads `/proc` when it is asked; where there is none it has nothing to say.
#[derive(Debug)]
pub(crate) struct Process;

impl Collector for Process {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> Result<(), std::fmt::Error> {
        if let Some(seconds) = cpu_time() {
            let metric = ConstCounter::new(seconds);
            let (name, help) = ("process_cpu", "Processor time in user and system mode");
            let unit = Some(&Unit::Seconds);
            let encoder =
                encoder.encode_descriptor(name, help, unit, EncodeMetric::metric_type(&metric))?;
            metric.encode(encoder)?;
        }
        let memory = fs::read_to_string("/proc/self/status").ok();
        if let Some(bytes) = memory.as_deref().and_then(resident_bytes) {
            let metric = ConstGauge::new(bytes);
            let (name, help) = ("process_resident_memory", "Memory in use");
            let unit = Some(&Unit::Bytes);
            let encoder =
                encoder.encode_descriptor(name, help, unit, EncodeMetric::metric_type(&metric))?;
            metric.encode(encoder)?;
        }
        Ok(())
    }
}

/// Processor time of this process, s; `None` where the system does not say.
pub(crate) fn cpu_time() -> Option<f64> {
    cpu_seconds(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Of `/proc/self/stat`: the 14th field and the 15th, counted behind the name, which may hold anything.
fn cpu_seconds(stat: &str) -> Option<f64> {
    let (_, fields) = stat.rsplit_once(')')?;
    let mut fields = fields.split_whitespace().skip(11);
    let mut ticks = || fields.next()?.parse::<f64>().ok();
    Some((ticks()? + ticks()?) / USER_HZ)
}

/// Of `/proc/self/status`: what is in memory, which it says in kB of 1024 bytes.
fn resident_bytes(status: &str) -> Option<f64> {
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: f64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_is_read_whatever_the_program_is_called() {
        let stat = "7 (a) b 1) S 1 2 3 4 5 6 7 8 9 10 250 150 0 0 20 0 3 0 99";
        assert_eq!(cpu_seconds(stat), Some(4.0));
        assert_eq!(cpu_seconds("7 (relay) S 1"), None);
        let status = "Name:\trelay\nVmHWM:\t 9 kB\nVmRSS:\t   2048 kB\n";
        assert_eq!(resident_bytes(status), Some(2_097_152.0));
        assert_eq!(resident_bytes(""), None);
    }
}

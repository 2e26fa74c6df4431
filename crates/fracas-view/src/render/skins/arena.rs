//! A buffer on the device of which parts are taken and given back.

use bytemuck::NoUninit;
use std::ops::Range;

/// Rows of one size in a buffer.
#[derive(Debug)]
pub(super) struct Arena {
    label: &'static str,
    /// Bytes of a row.
    stride: u64,
    usage: wgpu::BufferUsages,
    buffer: wgpu::Buffer,
    slots: Slots,
}

/// Which rows are taken.
#[derive(Debug, Default)]
struct Slots {
    /// Rows, taken or not.
    end: u32,
    /// Gaps before that, in order, none beside another.
    free: Vec<Range<u32>>,
}

impl Arena {
    pub fn new(
        device: &wgpu::Device,
        label: &'static str,
        stride: u64,
        usage: wgpu::BufferUsages,
    ) -> Self {
        let usage = usage | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
        let buffer = buffer(device, label, 64 * stride, usage);
        Self { label, stride, usage, buffer, slots: Slots::default() }
    }

    pub fn buffer(&self) -> &wgpu::Buffer {
        &self.buffer
    }

    /// Rows that were ever taken at once.
    pub fn len(&self) -> u32 {
        self.slots.end
    }

    /// Takes so many rows side by side.
    pub fn take(&mut self, count: u32) -> Range<u32> {
        self.slots.take(count)
    }

    /// Gives rows back.
    pub fn give(&mut self, rows: Range<u32>) {
        self.slots.give(rows);
    }

    /// Makes the buffer as long as what was taken; what was written stays.
    pub fn grow(&mut self, device: &wgpu::Device, queue: &wgpu::Queue) {
        let needed = u64::from(self.slots.end) * self.stride;
        if needed <= self.buffer.size() {
            return;
        }
        let most = device.limits().max_buffer_size.max(needed);
        let larger = buffer(
            device,
            self.label,
            (needed + needed / 2).next_multiple_of(4).min(most),
            self.usage,
        );
        let mut encoder = device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.buffer, 0, &larger, 0, self.buffer.size());
        queue.submit([encoder.finish()]);
        self.buffer = larger;
    }

    /// Writes rows from `first` on, all of them taken; the bytes that this took.
    pub fn write<T: NoUninit>(&self, queue: &wgpu::Queue, first: u32, rows: &[T]) -> u64 {
        let bytes: &[u8] = bytemuck::cast_slice(rows);
        if !bytes.is_empty() {
            queue.write_buffer(&self.buffer, u64::from(first) * self.stride, bytes);
        }
        bytes.len() as u64
    }
}

fn buffer(
    device: &wgpu::Device,
    label: &'static str,
    size: u64,
    usage: wgpu::BufferUsages,
) -> wgpu::Buffer {
    let mapped_at_creation = false;
    let label = Some(label);
    device.create_buffer(&wgpu::BufferDescriptor { label, size, usage, mapped_at_creation })
}

impl Slots {
    /// The first gap that is large enough, else at the end.
    fn take(&mut self, count: u32) -> Range<u32> {
        if let Some(k) = self.free.iter().position(|gap| gap.end - gap.start >= count) {
            let start = self.free[k].start;
            self.free[k].start += count;
            if self.free[k].is_empty() {
                self.free.remove(k);
            }
            return start..start + count;
        }
        let start = self.end;
        self.end += count;
        start..self.end
    }

    fn give(&mut self, rows: Range<u32>) {
        if rows.is_empty() {
            return;
        }
        let k = self.free.partition_point(|gap| gap.end < rows.start);
        let after = self.free.partition_point(|gap| gap.start <= rows.end);
        let joined = self.free[k..after]
            .iter()
            .fold(rows, |sum, gap| sum.start.min(gap.start)..sum.end.max(gap.end));
        if joined.end == self.end {
            self.end = joined.start;
            self.free.drain(k..after);
        } else {
            self.free.splice(k..after, [joined]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is taken and given back, nothing is taken twice, and what is given back is found again.
    #[test]
    fn rows_have_one_owner() {
        let mut slots = Slots::default();
        let mut taken: Vec<Range<u32>> = Vec::new();
        let mut random = 12345_u32;
        for _ in 0..5000 {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            if random >> 31 == 0 && !taken.is_empty() {
                let k = (random >> 8) as usize % taken.len();
                slots.give(taken.swap_remove(k));
            } else {
                let rows = slots.take(1 + (random >> 12) % 40);
                assert!(taken.iter().all(|t| t.end <= rows.start || rows.end <= t.start));
                taken.push(rows);
            }
            let used: u32 = taken.iter().map(ExactSizeIterator::len).sum::<usize>() as u32;
            let gaps: u32 = slots.free.iter().map(ExactSizeIterator::len).sum::<usize>() as u32;
            assert_eq!(used + gaps, slots.end);
            assert!(slots.free.windows(2).all(|pair| pair[0].end < pair[1].start));
        }
        taken.into_iter().for_each(|rows| slots.give(rows));
        assert_eq!((slots.end, slots.free.len()), (0, 0));
    }
}

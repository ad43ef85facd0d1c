//! A connection that ends when the other side does not take what is written.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::{Instant, Sleep, sleep};

/// Anything that can be read from and written to.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// A stream on which no write waits longer than a limit, and which is not quiet in both directions for longer than two.
pub(crate) struct Wire {
    stream: Box<dyn Stream>,
    limit: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
    quiet: Option<Pin<Box<Sleep>>>,
}

impl Wire {
    pub(crate) fn new(stream: Box<dyn Stream>, limit: Duration) -> Self {
        Self { stream, limit, stalled: None, quiet: None }
    }

    /// Whatever the stream answers, but no waiting beyond the limit.
    fn watch<T>(&mut self, answer: Poll<io::Result<T>>, context: &mut Context<'_>) -> Poll<io::Result<T>> {
        if answer.is_ready() {
            (self.stalled, self.quiet) = (None, None);
            return answer;
        }
        let limit = self.limit;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(stalled.as_mut().poll(context));
        stalled.as_mut().reset(Instant::now() + limit);
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "it does not read what it asked for")))
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let answer = Pin::new(&mut self.stream).poll_read(context, buffer);
        if answer.is_ready() {
            self.quiet = None;
            return answer;
        }
        let limit = self.limit * 2;
        let quiet = self.quiet.get_or_insert_with(|| Box::pin(sleep(limit)));
        ready!(quiet.as_mut().poll(context));
        Poll::Ready(Err(io::Error::new(io::ErrorKind::TimedOut, "nothing was said for too long")))
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let answer = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watch(answer, context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let answer = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.watch(answer, context)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let answer = Pin::new(&mut self.stream).poll_flush(context);
        self.watch(answer, context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let answer = Pin::new(&mut self.stream).poll_shutdown(context);
        self.watch(answer, context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_is_let_go() {
        let (near, mut far) = tokio::io::duplex(8);
        let mut wire = Wire::new(Box::new(near), Duration::from_secs(60));
        wire.write_all(b"12345678").await.expect("there is room");
        let began = Instant::now();
        let error = wire.write_all(b"9").await.expect_err("nobody reads");
        assert_eq!((error.kind(), began.elapsed().as_secs()), (io::ErrorKind::TimedOut, 60));
        far.read_exact(&mut [0; 8]).await.expect("what was written");
        wire.write_all(b"9").await.expect("there is room again");
    }
}

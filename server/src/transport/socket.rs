//! A WebSocket on any stream of bytes: the codec, and whom to wake where the stream makes it wait.

use std::io::{self, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll, Waker, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocket, WebSocketConfig};
use tokio_tungstenite::tungstenite::{Error, Message};

/// A socket that messages go through both ways. Whoever reads and whoever writes are woken apart.
pub trait Socket: Send + 'static {
    /// The next message. After an error there is none.
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Result<Message, Error>>;

    /// Puts a message in; it is out when [`poll_flush`](Self::poll_flush) is ready.
    fn put(&mut self, message: Message) -> Result<(), Error>;

    /// Ready once the system has taken all that was put in.
    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>>;
}

/// The relay's end of a WebSocket.
#[derive(Debug)]
pub struct Framed<S> {
    codec: WebSocket<Polled<S>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> Framed<S> {
    /// On a stream whose handshake is over, of which `begun` was read already.
    pub fn new(stream: S, begun: Vec<u8>, config: WebSocketConfig) -> Self {
        let polled = Polled {
            stream,
            reader: Waker::noop().clone(),
            writer: Waker::noop().clone(),
        };
        Self {
            codec: WebSocket::from_partially_read(polled, begun, Role::Server, Some(config)),
        }
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin + Send + 'static> Socket for Framed<S> {
    fn poll_read(&mut self, cx: &mut Context<'_>) -> Poll<Result<Message, Error>> {
        self.codec.get_mut().reader.clone_from(cx.waker());
        waits(self.codec.read())
    }

    fn put(&mut self, message: Message) -> Result<(), Error> {
        match waits(self.codec.write(message)) {
            // What the system does not take yet is in the codec.
            Poll::Pending => Ok(()),
            Poll::Ready(written) => written,
        }
    }

    fn poll_flush(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Error>> {
        self.codec.get_mut().writer.clone_from(cx.waker());
        match ready!(waits(self.codec.flush())) {
            // The last message that there is, and it is out.
            Err(Error::ConnectionClosed) => Poll::Ready(Ok(())),
            flushed => Poll::Ready(flushed),
        }
    }
}

/// The codec's word for waiting.
fn waits<T>(done: Result<T, Error>) -> Poll<Result<T, Error>> {
    match done {
        Err(Error::Io(error)) if error.kind() == io::ErrorKind::WouldBlock => Poll::Pending,
        done => Poll::Ready(done),
    }
}

/// A stream as the codec knows streams: it says that it would block, and has noted whom to wake.
#[derive(Debug)]
struct Polled<S> {
    stream: S,
    /// Who waits for something to read.
    reader: Waker,
    /// Who waits for room to write.
    writer: Waker,
}

impl<S: AsyncRead + Unpin> Read for Polled<S> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut buffer = ReadBuf::new(buffer);
        let cx = &mut Context::from_waker(&self.reader);
        match Pin::new(&mut self.stream).poll_read(cx, &mut buffer)? {
            Poll::Ready(()) => Ok(buffer.filled().len()),
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

impl<S: AsyncWrite + Unpin> Write for Polled<S> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let cx = &mut Context::from_waker(&self.writer);
        match Pin::new(&mut self.stream).poll_write(cx, bytes) {
            Poll::Ready(written) => written,
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        let cx = &mut Context::from_waker(&self.writer);
        match Pin::new(&mut self.stream).poll_flush(cx) {
            Poll::Ready(flushed) => flushed,
            Poll::Pending => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use bytes::Bytes;
    use futures_util::{SinkExt as _, StreamExt as _};
    use tokio::io::duplex;
    use tokio_tungstenite::WebSocketStream;

    use super::*;

    /// A pipe that holds so many bytes each way, with the relay's end and a client's.
    async fn pair(
        holds: usize,
    ) -> (
        Framed<impl AsyncRead + AsyncWrite + Unpin + Send>,
        WebSocketStream<impl AsyncRead + AsyncWrite + Unpin>,
    ) {
        let (ours, theirs) = duplex(holds);
        let config = WebSocketConfig::default().write_buffer_size(0);
        let client = WebSocketStream::from_raw_socket(theirs, Role::Client, None).await;
        (Framed::new(ours, Vec::new(), config), client)
    }

    fn binary(length: usize) -> Message {
        Message::Binary(Bytes::from(vec![7; length]))
    }

    #[tokio::test]
    async fn messages_go_both_ways_and_pings_are_answered() {
        let (mut socket, mut client) = pair(4096).await;
        client.send(binary(300)).await.unwrap();
        client.send(Message::Ping(Bytes::new())).await.unwrap();
        client.send(Message::Text("word".into())).await.unwrap();
        for heard in [
            binary(300),
            Message::Ping(Bytes::new()),
            Message::Text("word".into()),
        ] {
            let read = poll_fn(|cx| socket.poll_read(cx)).await.unwrap();
            assert_eq!(read, heard);
        }
        socket.put(binary(5)).unwrap();
        poll_fn(|cx| socket.poll_flush(cx)).await.unwrap();
        let pong = Message::Pong(Bytes::new());
        assert_eq!(client.next().await.unwrap().unwrap(), pong);
        assert_eq!(client.next().await.unwrap().unwrap(), binary(5));
        drop(client);
        let gone = poll_fn(|cx| socket.poll_read(cx)).await;
        assert!(gone.is_err(), "{gone:?}");
    }

    #[tokio::test]
    async fn a_message_that_does_not_fit_is_out_once_it_was_read_and_wakes_whoever_waits() {
        let (mut socket, mut client) = pair(64).await;
        socket.put(binary(200)).unwrap();
        let noop = &mut Context::from_waker(Waker::noop());
        assert!(socket.poll_flush(noop).is_pending());
        // Who reads meanwhile is not who waits to write.
        assert!(socket.poll_read(noop).is_pending());
        let flushing = poll_fn(|cx| socket.poll_flush(cx));
        let (flushed, read) = tokio::join!(flushing, client.next());
        flushed.unwrap();
        assert_eq!(read.unwrap().unwrap(), binary(200));
    }

    #[tokio::test]
    async fn what_was_read_with_the_handshake_is_heard_first() {
        let (ours, _theirs) = duplex(64);
        // An empty text, masked with zeros.
        let begun = vec![0x81, 0x80, 0, 0, 0, 0];
        let mut socket = Framed::new(ours, begun, WebSocketConfig::default());
        let read = poll_fn(|cx| socket.poll_read(cx)).await.unwrap();
        assert_eq!(read, Message::Text("".into()));
    }
}

package dev.tenon.server;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A connection of HTTP/2, frame by frame (RFC 9113), of a client that sends what it likes and reads nothing unless it
 * is told to.
 */
final class RawHttp2 implements AutoCloseable {
    static final int DATA = 0;
    static final int HEADERS = 1;
    static final int RST_STREAM = 3;
    static final int SETTINGS = 4;
    static final int PING = 6;
    static final int WINDOW_UPDATE = 8;
    static final int CONTINUATION = 9;

    static final int END_STREAM = 1;
    static final int END_HEADERS = 4;

    private static final int SMALL = 4_096;
    private static final int FRAME_HEAD = 9;
    private static final int PATIENCE_MILLIS = 60_000;

    private final Socket socket = new Socket();
    private final OutputStream out;

    /** Connects, and sends the preface and these settings, each a number and its value. */
    RawHttp2(int port, int... settings) throws IOException {
        socket.setReceiveBufferSize(SMALL);
        socket.setSoTimeout(PATIENCE_MILLIS);
        socket.connect(new InetSocketAddress("127.0.0.1", port));
        out = socket.getOutputStream();
        out.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        ByteBuffer payload = ByteBuffer.allocate(settings.length * 3);
        for (int i = 0; i < settings.length; i += 2) {
            payload.putShort((short) settings[i]).putInt(settings[i + 1]);
        }
        send(SETTINGS, 0, 0, payload.array());
    }

    /** Sends a frame. */
    void send(int type, int flags, int stream, byte... payload) throws IOException {
        byte[] frame = new byte[FRAME_HEAD + payload.length];
        ByteBuffer.wrap(frame)
                .putInt(payload.length << 8 | type)
                .put((byte) flags)
                .putInt(stream)
                .put(payload);
        out.write(frame);
    }

    /** The headers of a call, and any further ones: names and values. */
    static byte[] call(String path, String... more) {
        ByteArrayOutputStream block = new ByteArrayOutputStream();
        block.write(0x83); // :method POST
        block.write(0x86); // :scheme http
        literal(block, ":authority", "127.0.0.1");
        literal(block, ":path", path);
        literal(block, "content-type", "application/grpc");
        literal(block, "te", "trailers");
        for (int i = 0; i < more.length; i += 2) {
            literal(block, more[i], more[i + 1]);
        }
        return block.toByteArray();
    }

    /** A header that is in no table (RFC 7541, 6.2.2). */
    private static void literal(ByteArrayOutputStream block, String name, String value) {
        block.write(0);
        text(block, name);
        text(block, value);
    }

    private static void text(ByteArrayOutputStream block, String text) {
        int max = 127;
        if (text.length() < max) {
            block.write(text.length());
        } else {
            block.write(max);
            int rest = text.length() - max;
            for (; rest >= 128; rest /= 128) {
                block.write(rest % 128 + 128);
            }
            block.write(rest);
        }
        block.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Reads until a frame of this type and stream comes, and returns what is in it. */
    byte[] awaitFrame(int type, int stream) throws IOException {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        while (true) {
            int head = in.readInt();
            in.readByte();
            boolean found = in.readInt() == stream && (head & 0xff) == type;
            byte[] payload = new byte[head >>> 8];
            in.readFully(payload);
            if (found) {
                return payload;
            }
        }
    }

    /** Reads until the server ends the connection, as it must, and keeps nothing. */
    void awaitEnd() throws IOException {
        byte[] some = new byte[SMALL];
        try {
            while (socket.getInputStream().read(some) >= 0) {
                continue;
            }
        } catch (SocketTimeoutException e) {
            throw new AssertionError("the connection is still open", e);
        } catch (SocketException e) {
            // cut
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}

package dev.tenon.server.grpc;

import dev.tenon.server.problem.ProblemException;
import dev.tenon.server.problem.ProblemType;
import io.vertx.core.buffer.Buffer;

/**
 * The body of a call as it comes in: one message behind five bytes that say whether it is compressed and how long it is
 * (gRPC over HTTP/2, "Length-Prefixed-Message"). What can't become a message that is read here is refused as soon as
 * that is known, and of a message no more is kept than has come.
 */
final class GrpcBody {
    /** The greatest number of bytes in a message. */
    static final int MESSAGE_MAX = 4 << 20;

    private static final int PREFIX = 5;

    private final Buffer bytes = Buffer.buffer();
    private boolean sized;
    private int length;

    /**
     * Takes what has come.
     *
     * @throws RuntimeException if it is not to be read on
     */
    void take(Buffer some) {
        bytes.appendBuffer(some);
        if (!sized && bytes.length() >= PREFIX) {
            if (bytes.getByte(0) != 0) {
                throw NotServedException.compressed();
            }
            long announced = bytes.getUnsignedInt(1);
            if (announced > MESSAGE_MAX) {
                throw new ProblemException(
                        ProblemType.BODY_TOO_LARGE,
                        "A message may have " + MESSAGE_MAX + " bytes at most; this one has " + announced + ".");
            }
            length = (int) announced;
            sized = true;
        }
        if (sized && bytes.length() > PREFIX + length) {
            throw new IllegalArgumentException("This method takes one request, and received several");
        }
    }

    /** The message, when nothing more comes. */
    byte[] message() {
        if (bytes.length() == 0) {
            throw new IllegalArgumentException("This method takes one request, and received none");
        }
        if (!sized || bytes.length() < PREFIX + length) {
            throw new IllegalArgumentException("The request ended within its message");
        }
        return bytes.getBytes(PREFIX, bytes.length());
    }
}

package dev.tenon.server.grpc;

/**
 * A call that this server doesn't understand, whatever is in it. Carries no stack trace: it is an answer, not a fault.
 */
final class NotServedException extends RuntimeException {
    NotServedException(String message) {
        super(message, null, false, false);
    }

    /** Messages are read as they are: to unpack one would mean to find room for whatever its sender has packed. */
    static NotServedException compressed() {
        return new NotServedException(
                "Compressed messages are not supported: send them uncompressed (grpc-encoding identity)");
    }
}

package dev.tenon.grpc;

import dev.tenon.lock.spi.LockMode;
import java.util.Optional;

/** Modes of locks as messages of {@code tenon.v1}, and back. Pure functions. */
final class LockModeMessages {
    private LockModeMessages() {}

    static dev.tenon.protocol.LockMode message(LockMode mode) {
        return dev.tenon.protocol.LockMode.newBuilder()
                .setKind(
                        switch (mode.kind()) {
                            case EXCLUSIVE -> dev.tenon.protocol.LockMode.Kind.EXCLUSIVE;
                            case SHARED -> dev.tenon.protocol.LockMode.Kind.SHARED;
                            case UPDATE -> dev.tenon.protocol.LockMode.Kind.UPDATE;
                            case PERMITS -> dev.tenon.protocol.LockMode.Kind.PERMITS;
                        })
                .setPermits(mode.permits())
                .setMax(mode.max())
                .build();
    }

    /** Empty: of a kind that this version does not know. */
    static Optional<LockMode> mode(dev.tenon.protocol.LockMode message) {
        return Optional.ofNullable(
                        switch (message.getKind()) {
                            case EXCLUSIVE -> LockMode.Kind.EXCLUSIVE;
                            case SHARED -> LockMode.Kind.SHARED;
                            case UPDATE -> LockMode.Kind.UPDATE;
                            case PERMITS -> LockMode.Kind.PERMITS;
                            case UNRECOGNIZED -> null;
                        })
                .map(kind -> new LockMode(kind, message.getPermits(), message.getMax()));
    }
}

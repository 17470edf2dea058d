package dev.tenon.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a pass of the timer meets must not end the passes. */
class SweepPassTest {
    /** Has no connections, and fails as no driver should. */
    private static final class Failing implements Links {
        private final AtomicInteger passes = new AtomicInteger();

        @Override
        public Link borrow(boolean fresh) {
            throw new IllegalStateException("a driver's own");
        }

        @Override
        public void giveBack(Link link, boolean broken) {}

        @Override
        public Link dedicated() {
            throw new IllegalStateException("a driver's own");
        }

        @Override
        public void runOnce() {
            if (passes.getAndIncrement() == 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            throw new IllegalStateException("a driver's own");
        }

        @Override
        public void close() {}
    }

    @Test
    void nothingUnexpectedLeavesAPass() {
        Failing links = new Failing();
        JdbcBackend backend = new JdbcBackend(Dialect.ofUrl("jdbc:h2:mem:sweep"), links, JdbcOptions.DEFAULT, true);
        try {
            backend.sweep();
            backend.sweep();
            assertThat(links.passes).hasValue(2);
        } finally {
            backend.disconnect();
        }
    }
}

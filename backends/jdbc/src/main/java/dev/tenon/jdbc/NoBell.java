package dev.tenon.jdbc;

import dev.tenon.lock.spi.Grant;

/** For databases that can't wake anybody: every waiter has its timer. */
final class NoBell implements Bell {
    @Override
    public void start() {}

    @Override
    public boolean ready() {
        return false;
    }

    @Override
    public void wanted() {}

    @Override
    public void ring(Link link, String channel, Grant grant) {}

    @Override
    public void close() {}
}

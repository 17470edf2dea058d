package dev.tenon.testkit;

import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/** The JDK's own locks pass the contract that Tenon's are held to. */
class JdkLocksTest extends JdkReadWriteLockContract {
    private final Lock lock = new ReentrantLock(true);
    private final ReadWriteLock readWriteLock = new ReentrantReadWriteLock(true);

    @Override
    protected Lock javaLock() {
        return lock;
    }

    @Override
    protected ReadWriteLock javaReadWriteLock() {
        return readWriteLock;
    }

    @Override
    protected int holdCount(Lock held) {
        return ((ReentrantLock) held).getHoldCount();
    }
}

package dev.tenon.raft.ratis;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.apache.ratis.grpc.server.GrpcLogAppender;
import org.apache.ratis.proto.RaftProtos.AppendEntriesRequestProto;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.leader.FollowerInfo;
import org.apache.ratis.server.leader.LeaderState;
import org.apache.ratis.server.raftlog.RaftLogIOException;
import org.apache.ratis.util.AwaitForSignal;

/**
 * Sends the log to one follower as Ratis does, forgets no wake-up, and takes none that is for nothing. Ratis' own loses
 * one that comes while the thread that sends is not asleep yet, and one that asks for a message at once while another
 * is being built; whoever waits for an answer then waits for the next heartbeat, half an election timeout later. On a
 * busy machine that is no rare thing. And it wakes the thread for each answer of the follower, which mostly leaves
 * nothing to send.
 *
 * <p>Bends {@code GrpcLogAppender} by overriding four of its methods, and {@code AwaitForSignal} by overriding all.
 * Why: ADR 17 (lost wake-ups) and ADR 41 (needless ones). Goes when Ratis keeps a signal until its one waiter has had
 * it, and a heartbeat that is asked for until a message was built after that. Source: {@code AwaitForSignal}, {@code
 * LogAppenderBase} and {@code GrpcLogAppender.sendRequest} of Ratis 3.3.0. Not final, so that its test can see what
 * Ratis calls.
 */
class PromptAppender extends GrpcLogAppender {
    private final AwaitForSignal wakeUps = new KeptSignal(() -> shouldSendAppendEntries() || !isRunning());
    private final AtomicLong asked = new AtomicLong();
    private volatile long heard;

    PromptAppender(RaftServer.Division server, LeaderState leader, FollowerInfo follower) {
        super(server, leader, follower);
    }

    @Override
    public AwaitForSignal getEventAwaitForSignal() {
        return wakeUps;
    }

    @Override
    public void triggerHeartbeat() {
        asked.incrementAndGet();
        super.triggerHeartbeat();
    }

    @Override
    public AppendEntriesRequestProto newAppendEntriesRequest(long callId, boolean heartbeat) throws RaftLogIOException {
        long before = asked.get();
        AppendEntriesRequestProto request = super.newAppendEntriesRequest(callId, heartbeat);
        if (request != null) {
            heard = before;
        }
        return request;
    }

    /** A message goes out: it has what was asked for before it was built, and not what was asked for since. */
    @Override
    protected void resetHeartbeatTrigger() {
        super.resetHeartbeatTrigger();
        if (asked.get() != heard) {
            super.triggerHeartbeat();
        }
    }

    /**
     * A signal that is kept until the one thread that waits for it has had it. If that sleeps, and there is nothing to
     * do, it sleeps on.
     */
    static final class KeptSignal extends AwaitForSignal {
        private final Semaphore signals = new Semaphore(0);
        private final BooleanSupplier needed;
        private volatile boolean asleep;

        /**
         * @param needed whether there is something to do; what makes it so is followed by a signal
         */
        KeptSignal(BooleanSupplier needed) {
            super("tenon");
            this.needed = needed;
        }

        @Override
        public void await() throws InterruptedException {
            signals.acquire();
            signals.drainPermits();
        }

        @Override
        public boolean await(long time, TimeUnit unit) throws InterruptedException {
            if (time <= 0) {
                return false;
            }
            asleep = true; // what changes from here on is seen by the signal that follows it
            try {
                boolean signalled = signals.tryAcquire(time, unit);
                signals.drainPermits(); // many are as good as one: what they tell is looked up after this
                return signalled;
            } finally {
                asleep = false;
            }
        }

        @Override
        public void signal() {
            if (!asleep || needed.getAsBoolean()) {
                signals.release();
            }
        }
    }
}

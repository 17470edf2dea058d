package dev.tenon.testkit.faults;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.tenon.lock.FencingGuard;
import dev.tenon.lock.Lease;
import dev.tenon.lock.StaleTokenException;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.Punctual;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What becomes of locks whose holders are killed, or stopped for longer than their leases. */
abstract class LockProcessFaultsContract extends FaultScenario {
    private final Deque<ForkedJvm> idle = new ArrayDeque<>();
    private final List<ForkedJvm> started = new ArrayList<>();

    @SuppressWarnings("NullAway.Init") // set before the tests
    Path folder;

    @BeforeAll
    void makeFolder(@TempDir Path shared) {
        folder = shared;
    }

    /** So many processes that are connected: those that earlier tests have left, and new ones. */
    List<ForkedJvm> processes(int number) {
        List<ForkedJvm> taken = new ArrayList<>();
        List<ForkedJvm> fresh = new ArrayList<>();
        while (taken.size() < number) {
            ForkedJvm left = idle.poll();
            if (left == null) {
                left = LockProcess.launch(fixture(), place, folder);
                started.add(left);
                fresh.add(left);
            }
            taken.add(left);
        }
        fresh.forEach(LockProcess::awaitReady);
        return taken;
    }

    @AfterAll
    void endProcesses() {
        started.forEach(ForkedJvm::close);
    }

    @Test
    void aHolderThatIsStoppedIsSucceededAndRefusedAndOneThatIsKilledIsSucceeded() throws Exception {
        FencingGuard guard = FencingGuard.remembering(10);
        ForkedJvm jvm = processes(1).get(0);
        long stopped = tokenOf(jvm);
        guard.check(name, stopped);
        jvm.pause();
        Lease next = there.lock(name).acquire(PATIENCE);
        assertThat(next.token()).isGreaterThan(stopped);
        guard.check(name, next.token());
        jvm.resume();
        assertThat(LockProcess.ask(jvm, "state " + name)).isEqualTo("state LOST");
        assertThatThrownBy(() -> guard.check(name, stopped)).isInstanceOf(StaleTokenException.class);
        assertThat(LockProcess.ask(jvm, "close " + name)).isEqualTo("closed");
        assertThat(there.validate(name, next.token())).isTrue();
        next.close();

        AtomicLong killed = new AtomicLong();
        AtomicReference<CompletableFuture<Lease>> waiter = new AtomicReference<>();
        Punctual.judge(shortLease().dividedBy(3), () -> there.inspect(name), () -> {
            killed.set(tokenOf(jvm));
            CompletableFuture<Lease> waits =
                    there.lock(name).acquireAsync(PATIENCE).toCompletableFuture();
            waiter.set(waits);
            soon().until(() -> queue() == 1 || waits.isDone());
            if (waits.isDone()) {
                waits.join().close();
                throw new AssertionError("the lease of a holder that lives has ended");
            }
        });
        assertThat(killed.get()).isGreaterThan(next.token());
        jvm.kill();
        try (Lease last = Objects.requireNonNull(waiter.get()).get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
            assertThat(last.token()).isGreaterThan(killed.get());
        }
        soon().until(() -> seen(name).isEmpty());
    }

    @Test
    void noUpdateIsLostWhereTheTokenIsCheckedAndOneARoundIsWhereItIsNot() {
        List<ForkedJvm> jvms = processes(3);
        try (LockStoreFixture.Register register = fixture().register(place, folder)) {
            for (boolean guarded : List.of(true, false)) {
                long before = register.read(OptionalLong.empty());
                int written = 0;
                for (int round = 0; round < jvms.size(); round++) {
                    ForkedJvm late = jvms.get(round);
                    ForkedJvm next = jvms.get((round + 1) % jvms.size());
                    long lateValue = read(late, guarded);
                    late.pause();
                    assertThat(written(next, read(next, guarded) + 1)).isTrue();
                    late.resume();
                    boolean lateWritten = written(late, lateValue + 1);
                    assertThat(lateWritten).as("guarded: %s", guarded).isEqualTo(!guarded);
                    written += lateWritten ? 2 : 1;
                }
                long gained = register.read(OptionalLong.empty()) - before;
                assertThat(gained).as("guarded: %s", guarded).isEqualTo(guarded ? written : written - jvms.size());
            }
        }
        idle.addAll(jvms);
    }

    private int queue() {
        return seen(name).map(view -> view.queue().size()).orElse(0);
    }

    private long tokenOf(ForkedJvm jvm) {
        String held = LockProcess.ask(jvm, "hold " + name + " " + shortLease().toMillis());
        return Long.parseLong(held.replace("held ", ""));
    }

    /** Takes the lock, once it is free, and reads what it protects. */
    private long read(ForkedJvm jvm, boolean guarded) {
        tokenOf(jvm);
        String read = LockProcess.ask(jvm, "read " + name + (guarded ? " guarded" : " plain"));
        return Long.parseLong(read.replace("read ", ""));
    }

    /** Writes, unless the token is refused, and gives the lock back. */
    private boolean written(ForkedJvm jvm, long value) {
        String answer = LockProcess.ask(jvm, "write " + value);
        assertThat(LockProcess.ask(jvm, "close " + name)).isEqualTo("closed");
        assertThat(answer).isIn("written", "stale");
        return answer.equals("written");
    }
}

package dev.tenon.lock.engine;

import dev.tenon.TimeSource;
import dev.tenon.lock.engine.CasLoop.From;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockView;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/** What people may see of the registers. Blocking; thread-safe. */
final class RegisterListing {
    private static final int LIMIT_MAX = 1000;
    private static final int AT_ONCE = 100;

    private final RegisterStore registers;
    private final CasLoop loop;
    private final TimeSource time;

    RegisterListing(RegisterStore registers, CasLoop loop, TimeSource time) {
        this.registers = registers;
        this.loop = loop;
        this.time = time;
    }

    Optional<LockView> inspect(String name) {
        return loop.run(name, From.STORE, this::view).answer();
    }

    LockPage page(String prefix, String after, int limit) {
        if (limit < 1 || limit > LIMIT_MAX) {
            throw new IllegalArgumentException("Limit must be between 1 and " + LIMIT_MAX + ": " + limit);
        }
        Objects.requireNonNull(prefix, "prefix");
        Objects.requireNonNull(after, "after");
        List<LockView> page = new ArrayList<>();
        String from = after;
        while (true) {
            List<Register> found = registers.page(prefix, from, Math.min(AT_ONCE, limit + 1));
            for (Register register : found) {
                Optional<LockView> view = viewOf(register);
                if (view.isPresent() && page.size() == limit) {
                    return new LockPage(page, Optional.of(page.get(limit - 1).name()));
                }
                view.ifPresent(page::add);
                from = register.name();
            }
            if (found.size() < Math.min(AT_ONCE, limit + 1)) {
                return new LockPage(page, Optional.empty());
            }
        }
    }

    private Optional<LockView> viewOf(Register register) {
        Instant now = loop.now();
        Step<Optional<LockView>> step = view(loop.seen(register, now), now);
        return step.grants().isEmpty() ? step.answer() : inspect(register.name());
    }

    /** The state as people may see it; what time has brought about is part of the step. */
    private Step<Optional<LockView>> view(RegisterView known, Instant now) {
        Step<Boolean> settled = LockMachine.settle(known.state(), now, known.seed());
        LockState next = settled.state();
        return new Step<>(next, next.isIdle() ? Optional.empty() : Optional.of(people(next, now)), settled.grants());
    }

    /** By the clock on the wall, which decides nothing, and without the addresses of processes. */
    private LockView people(LockState state, Instant now) {
        Duration shift = Duration.between(now, time.now());
        return RegisterView.mapped(state, s -> SessionAddress.parse(s).sessionId(), moment -> moment.plus(shift))
                .view(now.plus(shift));
    }
}

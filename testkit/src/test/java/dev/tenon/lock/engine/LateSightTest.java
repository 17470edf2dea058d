package dev.tenon.lock.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tenon.ManualClock;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Acquire.Terms;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Released;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Scripts at random, by processes that have seen what others did late, each by a time of its own: whoever has
 * cancelled, or let go, has nothing in the register any more, whatever the others count. Each process has a clock, and
 * clocks that are behind stand for late sights.
 */
class LateSightTest {
    private static final int SCRIPTS = 3_000;
    private static final int STEPS = 40;
    private static final Duration LEASE = Duration.ofSeconds(10);

    /** Those that a lock is asked for in together. */
    private static final List<List<LockMode>> MODES = List.of(
            List.of(LockMode.EXCLUSIVE),
            List.of(LockMode.EXCLUSIVE, LockMode.EXCLUSIVE, LockMode.SHARED),
            List.of(LockMode.EXCLUSIVE, LockMode.UPDATE, LockMode.SHARED, LockMode.SHARED),
            List.of(LockMode.permits(1, 3), LockMode.permits(2, 3), LockMode.permits(3, 3)));

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoHasGoneIsHandedNothingAndNobodyIsInTheWayOfTheNext(boolean tellsState) {
        for (int seed = 0; seed < SCRIPTS; seed++) {
            new Script(seed, new MemoryRegisters(tellsState)).run();
        }
    }

    private static final class Script {
        private final Random random;
        private final MemoryRegisters registers;
        private final List<Party> parties = new ArrayList<>();
        private final List<String> told = new ArrayList<>();

        Script(int seed, MemoryRegisters registers) {
            this.random = new Random(seed);
            this.registers = registers;
            told.add("seed " + seed);
            List<LockMode> modes = MODES.get(random.nextInt(MODES.size()));
            for (int p = 0; p < 3; p++) {
                parties.add(new Party(registers, "p" + p, modes));
            }
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                Party party = parties.get(random.nextInt(parties.size()));
                switch (random.nextInt(7)) {
                    case 0, 1 -> party.ask(random);
                    case 2 -> party.cancelOne(random);
                    case 3 -> party.releaseOne(random, this::heardOf);
                    case 4 -> party.renewOne(random);
                    case 5 -> party.convertOne(random);
                    default -> party.letPass(Duration.ofMillis(random.nextInt(6_000)));
                }
                told.add(party.last);
                heardOf();
            }
            for (Party party : parties) {
                while (!party.waiting.isEmpty()) {
                    party.cancelOne(random);
                    heardOf();
                }
            }
            for (Party party : parties) {
                while (!party.held.isEmpty()) {
                    party.releaseOne(random, this::heardOf);
                }
            }
            assertThat(new Party(registers, "next", List.of()).process.tryFor("a", LEASE))
                    .as("%s", told)
                    .isInstanceOf(Outcome.Granted.class);
        }

        /** Takes in what was pushed; answers how much that was. */
        private int heardOf() {
            int heard = 0;
            for (Party party : parties) {
                for (Grant grant : party.process.grants) {
                    assertThat(party.waiting).as("%s", told).containsKey(grant.requestId());
                    party.holds(party.waiting.remove(grant.requestId()), grant.token());
                    heard++;
                }
                party.process.grants.clear();
            }
            return heard;
        }
    }

    private interface Heard {
        int now();
    }

    private static final class Party {
        private final ManualClock clock = new ManualClock(Instant.parse("2026-01-01T00:00:00Z"));
        private final EngineProcess process;
        private final Map<String, Acquire> waiting = new HashMap<>();
        private final Map<Long, LockMode> held = new LinkedHashMap<>();
        private final List<LockMode> modes;
        private String last = "";

        Party(MemoryRegisters registers, String name, List<LockMode> modes) {
            this.modes = modes;
            process = new EngineProcess(registers, clock, name);
        }

        void ask(Random random) {
            Terms terms = Terms.of(modes.get(random.nextInt(modes.size())));
            ask(random, random.nextInt(4) == 0 ? terms.barging() : terms);
        }

        void convertOne(Random random) {
            last = process.session + " has nothing to convert";
            List<Long> convertible = held.keySet().stream()
                    .filter(token -> held.get(token).equals(LockMode.UPDATE))
                    .toList();
            if (!convertible.isEmpty()) {
                ask(random, Terms.EXCLUSIVE.converting(convertible.get(random.nextInt(convertible.size()))));
            }
        }

        private void ask(Random random, Terms terms) {
            Duration wait = Duration.ofMillis(random.nextInt(4) == 0 ? 0 : 1 + random.nextInt(5_000));
            Acquire request = process.request("a", LEASE, wait, terms);
            Outcome outcome = process.ask(request);
            if (outcome instanceof Outcome.Granted granted) {
                holds(request, granted.token());
            } else if (outcome instanceof Outcome.Queued) {
                waiting.put(request.requestId(), request);
            }
            last = process.session + " asks for " + terms + " for " + wait + ": " + outcome;
        }

        void holds(Acquire request, long token) {
            request.terms().converts().ifPresent(held::remove);
            held.put(token, request.terms().mode());
        }

        void letPass(Duration time) {
            clock.advance(time);
            last = process.session + " counts " + time;
        }

        void cancelOne(Random random) {
            last = process.session + " waits for nothing";
            if (!waiting.isEmpty()) {
                cancel(List.copyOf(waiting.keySet()).get(random.nextInt(waiting.size())));
            }
        }

        private void cancel(String request) {
            Cancelled answer = EngineProcess.join(process.locks.cancel(new Cancel("a", request)));
            last = process.session + " cancels: " + answer;
            waiting.remove(request);
            assertThat(answer).isInstanceOf(Cancelled.Gone.class);
        }

        void releaseOne(Random random, Heard heard) {
            last = process.session + " holds nothing";
            if (held.isEmpty()) {
                return;
            }
            long token = one(random);
            held.remove(token);
            Released answer = process.release("a", token);
            last = process.session + " releases: " + answer;
            if (answer == Released.HANDED_OVER) {
                assertThat(heard.now()).as(last).isPositive();
            }
        }

        void renewOne(Random random) {
            last = process.session + " has nothing to renew";
            if (!held.isEmpty()) {
                last = process.session + " renews: " + process.renew("a", one(random), LEASE);
            }
        }

        private long one(Random random) {
            return List.copyOf(held.keySet()).get(random.nextInt(held.size()));
        }
    }
}

package dev.tenon.lock.engine;

import dev.tenon.BackendUnavailableException;
import dev.tenon.OutcomeUnknownException;
import dev.tenon.TenonException;
import dev.tenon.lock.engine.CasLoop.Done;
import dev.tenon.lock.engine.CasLoop.From;
import dev.tenon.lock.engine.CasLoop.Transition;
import dev.tenon.lock.engine.CasLoop.Work;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine;
import dev.tenon.lock.spi.LockMachine.Step;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The calls that holders and waiters make. Blocking; thread-safe. */
final class RegisterCalls {
    private static final int DEATHS_MAX = 20;

    private final CasLoop loop;
    private final SessionBook sessions;
    private final ProcessPresence presence;

    RegisterCalls(CasLoop loop, SessionBook sessions, ProcessPresence presence) {
        this.loop = loop;
        this.sessions = sessions;
        this.presence = presence;
    }

    Outcome acquire(Acquire request) {
        if (request.mayWait()) {
            sessions.waits(request);
        }
        Outcome outcome;
        try {
            outcome = acquired(request);
        } catch (BackendUnavailableException e) {
            sessions.waitsNoMore(request.requestId());
            throw e;
        }
        if (!(outcome instanceof Outcome.Queued)) {
            sessions.waitsNoMore(request.requestId());
        }
        if (outcome instanceof Outcome.Granted granted) {
            sessions.holds(request, granted.token(), granted.lease());
        }
        return outcome;
    }

    /** All of these, none of which waits, or one answer that is no grant. */
    List<Outcome> acquireAll(List<Acquire> requests) {
        List<Work<Outcome>> works =
                requests.stream().map(r -> new Work<>(r.name(), acquiring(r))).toList();
        Set<String> answered = requests.stream().map(Acquire::requestId).collect(Collectors.toSet());
        List<Done<Outcome>> done = List.of();
        for (int deaths = 0; deaths < DEATHS_MAX; deaths++) {
            done = loop.run(works, From.NOTHING, Outcome.Granted.class::isInstance, answered);
            Done<Outcome> first = done.get(0);
            if (first.answer() instanceof Outcome.Granted || !buried(first.known())) {
                break;
            }
        }
        List<Outcome> outcomes = done.stream().map(RegisterCalls::named).toList();
        if (outcomes.get(0) instanceof Outcome.Granted) {
            for (int i = 0; i < requests.size(); i++) {
                Outcome.Granted granted = (Outcome.Granted) outcomes.get(i);
                sessions.holds(requests.get(i), granted.token(), granted.lease());
            }
        }
        return outcomes;
    }

    List<Released> release(List<Release> releases) {
        List<Released> answers = each(
                releases,
                Release::name,
                (known, now, release, state) -> LockMachine.release(state, release.token(), now, known.seed()),
                Released.NOT_HELD);
        releases.forEach(sessions::holdsNoMore);
        return answers;
    }

    List<Renewed> renew(List<Renew> renewals) {
        List<Renewed> answers = each(
                renewals,
                Renew::name,
                (known, now, renewal, state) -> LockMachine.renew(
                        state, renewal.token(), renewal.lease().orElseThrow(), now, known.seed()),
                new Renewed.NotHeld());
        for (int i = 0; i < answers.size(); i++) {
            Release lock = new Release(renewals.get(i).name(), renewals.get(i).token());
            if (answers.get(i) instanceof Renewed.Extended extended) {
                sessions.renewed(lock, extended);
            } else {
                sessions.holdsNoMore(lock);
            }
        }
        return answers;
    }

    Cancelled cancel(Cancel request) {
        Transition<Cancelled> cancelling = (known, now) -> {
            Step<Cancelled> step = LockMachine.cancel(known.state(), request.requestId(), now, known.seed());
            return step.answer() instanceof Cancelled.WasGranted granted
                    ? foundAgain(known, step, granted.token(), granted.lease(), now)
                    : step;
        };
        Cancelled answer = loop.run(request.name(), From.MEMORY, cancelling).answer();
        sessions.waitsNoMore(request.requestId());
        return answer;
    }

    /** Ends a session: gives up what it holds and waits for. What was not given up is, when this is repeated. */
    void leave(String sessionId) {
        String address = new SessionAddress(presence.process(), sessionId).text();
        @Nullable TenonException unreadable = null;
        for (String name : sessions.close(sessionId)) {
            try {
                loop.run(
                        name,
                        From.MEMORY,
                        (known, now) -> LockMachine.leave(known.state(), address, false, now, known.seed()));
                sessions.left(sessionId, name);
            } catch (BackendUnavailableException | OutcomeUnknownException e) {
                throw e;
            } catch (TenonException e) {
                unreadable = e; // the others are not to wait for somebody who puts it right
            }
        }
        if (unreadable != null) {
            throw unreadable;
        }
    }

    /** Has a fresh look at a register. */
    void look(String name) {
        loop.read(List.of(name));
    }

    private Outcome acquired(Acquire request) {
        Done<Outcome> done = loop.run(request.name(), From.NOTHING, acquiring(request), Set.of(request.requestId()));
        for (int deaths = 0; deaths < DEATHS_MAX && inTheWay(done.answer()); deaths++) {
            if (!buried(done.known())) {
                break;
            }
            done = loop.run(request.name(), From.MEMORY, acquiring(request), Set.of(request.requestId()));
        }
        return named(done);
    }

    private static boolean inTheWay(Outcome outcome) {
        return outcome instanceof Outcome.Busy || outcome instanceof Outcome.Queued;
    }

    /** Whether somebody who stands in this register was gone, and has left it now. */
    private boolean buried(RegisterView known) {
        Set<String> gone = presence.goneOf(known.processes());
        return !gone.isEmpty()
                && loop.run(known.register().name(), From.MEMORY, OrphanSweeper.passingOn(gone, known))
                        .answer();
    }

    private static Outcome named(Done<Outcome> done) {
        return done.answer() instanceof Outcome.Granted granted
                ? new Outcome.Granted(
                        RegisterView.token(
                                granted.token(), done.known().register().created() * RegisterView.STRIDE),
                        granted.lease())
                : done.answer();
    }

    /** What the state machine does about a request of this process; the register says where its session lives. */
    private Transition<Outcome> acquiring(Acquire r) {
        String address = new SessionAddress(presence.process(), r.sessionId()).text();
        return (known, now) -> {
            Step<Outcome> step = LockMachine.acquire(known.state(), r, r.lease().orElseThrow(), now, known.seed());
            if (step.answer() instanceof Outcome.Granted granted) {
                step = foundAgain(known, step, granted.token(), granted.lease(), now);
            }
            return new Step<>(
                    RegisterView.mapped(step.state(), s -> s.equals(r.sessionId()) ? address : s, moment -> moment),
                    step.answer(),
                    step.grants());
        };
    }

    /**
     * A lease that a repeated request finds is written anew: the holder will count it from this request on, but others
     * have counted it since they first saw it.
     */
    private static <T> Step<T> foundAgain(RegisterView known, Step<T> step, long token, Duration left, Instant now) {
        if (!known.state().isHeldUnder(token)) {
            return step;
        }
        // The nanosecond makes it another lease than the one that others know.
        LockState renewed = LockMachine.renew(step.state(), token, left.plusNanos(1), now, known.seed())
                .state();
        return new Step<>(renewed, step.answer(), step.grants());
    }

    /** One of several calls on a lock, after those before it. */
    @FunctionalInterface
    private interface Call<Q, A> {
        Step<A> apply(RegisterView known, Instant now, Q request, LockState state);
    }

    /**
     * Calls that have nothing to do with each other, in few writes; the answers in their order.
     *
     * @param unheld the answer where others of them were done, but this register can't be read: whatever somebody has
     *     put there, nothing in it keeps anybody from the lock on behalf of the caller
     */
    private <Q, A> List<A> each(List<Q> requests, Function<Q, String> name, Call<Q, A> call, A unheld) {
        Map<String, List<Integer>> byName = new LinkedHashMap<>();
        for (int i = 0; i < requests.size(); i++) {
            byName.computeIfAbsent(name.apply(requests.get(i)), any -> new ArrayList<>())
                    .add(i);
        }
        List<Work<List<A>>> works = new ArrayList<>();
        byName.forEach((of, places) -> works.add(
                new Work<>(of, inTurn(places.stream().map(requests::get).toList(), call))));
        List<Optional<Done<List<A>>>> done = new ArrayList<>();
        for (int from = 0; from < works.size(); from += RegisterStore.REGISTERS_MAX) {
            done.addAll(loop.runEach(
                    works.subList(from, Math.min(works.size(), from + RegisterStore.REGISTERS_MAX)), From.MEMORY));
        }
        Map<Integer, A> answers = new LinkedHashMap<>();
        int next = 0;
        for (List<Integer> places : byName.values()) {
            Optional<Done<List<A>>> ofName = done.get(next++);
            for (int i = 0; i < places.size(); i++) {
                int place = i;
                answers.put(
                        places.get(i), ofName.map(d -> d.answer().get(place)).orElse(unheld));
            }
        }
        List<A> inOrder = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            inOrder.add(Objects.requireNonNull(answers.get(i)));
        }
        return inOrder;
    }

    private static <Q, A> Transition<List<A>> inTurn(List<Q> requests, Call<Q, A> call) {
        return (known, now) -> {
            LockState state = known.state();
            List<A> answers = new ArrayList<>();
            List<Grant> grants = new ArrayList<>();
            for (Q request : requests) {
                Step<A> step = call.apply(known, now, request, state);
                state = step.state();
                answers.add(step.answer());
                grants.addAll(step.grants());
            }
            return new Step<>(state, answers, grants);
        };
    }
}

package dev.tenon.lock.engine;

import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMachine.Step;
import dev.tenon.lock.spi.LockState;
import dev.tenon.lock.spi.LockState.Holder;
import dev.tenon.lock.spi.LockState.Waiter;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * As much of a step as one write may tell. A grant and its notices are one write, stores limit what that may have in
 * it, and the lock machine lets in a thousand readers at once: so those for whom there is no room stay in the queue,
 * where they were, and come in by the writes behind this one. Should nobody get to make those, then whoever looks at
 * the lock next does, and those who were let in do so within moments, when they claim it.
 */
final class Batch {
    private static final int GRANTS_MAX = 100;
    private static final int BYTES_MAX = 64 << 10;

    private final int grantsMax;
    private final int bytesMax;
    private final Predicate<Grant> untold;
    private final Set<String> cut = new HashSet<>();

    /**
     * @param registers that are written together, and share what there is room for; each has one grant at least
     * @param untold grants that need no notice
     */
    Batch(int registers, Predicate<Grant> untold) {
        this.grantsMax = GRANTS_MAX / registers;
        this.bytesMax = BYTES_MAX / registers;
        this.untold = untold;
    }

    /** The locks that more could be let in to than there is room for. */
    Set<String> cut() {
        return cut;
    }

    <T> Step<T> of(LockState before, Step<T> step) {
        if (step.grants().size() <= 1) {
            return step;
        }
        Map<String, Waiter> waiting = new HashMap<>();
        before.queue().forEach(w -> waiting.put(w.requestId(), w));
        List<Grant> kept = new ArrayList<>();
        Map<String, Long> back = new HashMap<>();
        int told = 0;
        int bytes = 0;
        for (Grant grant : step.grants()) {
            @Nullable Waiter waiter = waiting.get(grant.requestId());
            boolean stays = waiter == null
                    || untold.test(grant)
                    // It has given up another hold for this one.
                    || waiter.terms().converts().isPresent()
                    || !step.state().isHeldUnder(grant.token());
            int size = stays ? 0 : size(grant);
            if (!stays && told > 0 && (!back.isEmpty() || told >= grantsMax || bytes + size > bytesMax)) {
                back.put(grant.requestId(), grant.token());
                continue;
            }
            kept.add(grant);
            told += stays ? 0 : 1;
            bytes += size;
        }
        if (back.isEmpty()) {
            return step;
        }
        cut.add(before.name());
        return new Step<>(with(before, step.state(), back), step.answer(), kept);
    }

    /** The state with those who were let in back at their places. */
    private static LockState with(LockState before, LockState next, Map<String, Long> back) {
        Map<String, Waiter> queued = new LinkedHashMap<>();
        Set<String> still = next.queue().stream().map(Waiter::requestId).collect(Collectors.toSet());
        before.queue().stream()
                .filter(w -> back.containsKey(w.requestId()) || still.contains(w.requestId()))
                .forEach(w -> queued.put(w.requestId(), w));
        next.queue().forEach(w -> queued.put(w.requestId(), w));
        Set<Long> tokens = Set.copyOf(back.values());
        List<Holder> holders =
                next.holders().stream().filter(h -> !tokens.contains(h.token())).toList();
        return new LockState(next.name(), next.token(), holders, List.copyOf(queued.values()), next.delayUntil());
    }

    private static int size(Grant grant) {
        return (grant.name() + Notice.of(grant).text()).getBytes(StandardCharsets.UTF_8).length;
    }
}

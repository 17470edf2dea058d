package dev.tenon.testkit;

import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;

/**
 * A store as one process has it, for scripts side by side: what they give back and what they renew goes there in lists,
 * some of one lock and some of several. Not thread-safe.
 */
final class LockScriptCalls {
    private static final int LIST_MAX = 40;

    private final LockStore store;
    private final List<Asked<Release, Released>> releases = new ArrayList<>();
    private final List<Asked<Renew, Renewed>> renewals = new ArrayList<>();

    private record Asked<Q, A>(Q request, CompletableFuture<A> answer) {}

    LockScriptCalls(LockStore store) {
        this.store = store;
    }

    LockStore store() {
        return store;
    }

    CompletionStage<Released> release(Release request) {
        return asked(releases, request);
    }

    CompletionStage<Renewed> renew(Renew request) {
        return asked(renewals, request);
    }

    /** Sends what has been asked for since the last time. */
    void flush() {
        inLists(releases, store::release);
        inLists(renewals, store::renew);
    }

    private static <Q, A> CompletionStage<A> asked(List<Asked<Q, A>> all, Q request) {
        Asked<Q, A> asked = new Asked<>(request, new CompletableFuture<>());
        all.add(asked);
        return asked.answer();
    }

    /** The first by itself, the others in lists. */
    private static <Q, A> void inLists(List<Asked<Q, A>> all, Function<List<Q>, CompletionStage<List<A>>> call) {
        for (int from = 0, to = 1; from < all.size(); from = to, to = from + LIST_MAX) {
            List<Asked<Q, A>> some = List.copyOf(all.subList(from, Math.min(to, all.size())));
            call.apply(some.stream().map(Asked::request).toList()).whenComplete((answers, failure) -> {
                for (int i = 0; i < some.size(); i++) {
                    if (failure != null) {
                        some.get(i).answer().completeExceptionally(failure);
                    } else if (i < answers.size()) {
                        some.get(i).answer().complete(answers.get(i));
                    } // else the script waits in vain, and fails
                }
            });
        }
        all.clear();
    }
}

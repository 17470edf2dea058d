package dev.tenon.testkit;

import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockStore;
import dev.tenon.lock.spi.LockView;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/**
 * Scripts side by side: a step of each is sent to the store, and then all of the answers are compared; after every few
 * steps the whole state is. So there are many calls under way at any time, as there are where a store has many users,
 * and none of them is waited for by a thread of its own.
 */
final class LockScripts {
    private static final int VIEW_EVERY = 20;
    private static final int PAGE = 1000;
    /** How often the machine may stand still, whether it is one script that goes wrong then, or all. */
    private static final int STALLS_MAX = 20;

    private final List<LockScriptCalls> stores;
    private int stalls;

    /** @param stores the same locks, as one process and another have them */
    LockScripts(List<LockStore> stores) {
        this.stores = stores.stream().map(LockScriptCalls::new).toList();
    }

    /**
     * Runs scripts.
     *
     * @param firstSeed the first one's; the others have those that follow it
     * @param rounds greatest number of steps of each
     * @return how many steps there were
     */
    int run(long firstSeed, int scripts, int rounds) {
        List<Running> running = new ArrayList<>();
        String prefix = "script:" + UUID.randomUUID() + ":";
        for (long seed = firstSeed; seed < firstSeed + scripts; seed++) {
            running.add(new Running(seed, new LockScript(seed, prefix + seed + ":", stores, seed % 4 != 0)));
        }
        List<Running> all = List.copyOf(running);
        each(running, LockScript::open);
        for (int round = 1; round <= rounds; round++) {
            each(running, LockScript::send);
            stores.forEach(LockScriptCalls::flush);
            each(running, LockScript::check);
            if (round % VIEW_EVERY == 0) {
                Map<String, LockView> locks =
                        list(stores.get(round / VIEW_EVERY % stores.size()).store(), prefix);
                each(running, script -> script.compareViews(locks));
            }
        }
        each(running, LockScript::compareViews);
        each(running, LockScript::compareGrants);
        if (running.isEmpty()) {
            throw new AssertionError("The machine stood still so often that no script came to its end");
        }
        all.forEach(each -> each.script().close());
        return running.stream().mapToInt(each -> each.script().steps()).sum();
    }

    private record Running(long seed, LockScript script) {}

    @FunctionalInterface
    private interface Work {
        void on(LockScript script);
    }

    /**
     * Does this with each script. One that has gone wrong because the machine stood still proves nothing, and is left
     * out.
     */
    private void each(List<Running> running, Work work) {
        boolean stood = false;
        for (Running each : List.copyOf(running)) {
            try {
                work.on(each.script());
            } catch (RuntimeException | AssertionError e) {
                if (!stood && each.script().stalled()) {
                    stood = true;
                    stalls++;
                }
                if (!each.script().stalled() || stalls > STALLS_MAX) {
                    throw new AssertionError(
                            "The script of seed " + each.seed() + " failed at step "
                                    + each.script().steps(),
                            e);
                }
                running.remove(each);
            }
        }
    }

    private static Map<String, LockView> list(LockStore store, String prefix) {
        Map<String, LockView> locks = new HashMap<>();
        Optional<String> after = Optional.of("");
        while (after.isPresent()) {
            LockPage page = LockScriptSide.join(store.list(prefix, after.get(), PAGE));
            page.locks().forEach(view -> locks.put(view.name(), view));
            after = page.next();
        }
        return locks;
    }
}

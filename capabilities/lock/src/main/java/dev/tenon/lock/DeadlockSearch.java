package dev.tenon.lock;

import dev.tenon.TenonException;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockView;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Looks for a circle among those who wait, when a wait has run out: owner by owner, as they call themselves in the
 * store and in the lines of this process. It sees one moment, through names: an owner that handed its lease to another
 * thread looks as if it still held it, threads without a name are left out, so are semaphores (another holder may do),
 * and those in another process's line are not seen. So what it finds is likely, not certain, and what it does not find
 * may still be there.
 */
final class DeadlockSearch {
    /** A wait that is worth a search when it has run out. */
    static final Duration LONG_WAIT = Duration.ofSeconds(1);

    /** The most pages of locks that are looked at. */
    private static final int PAGES_MAX = 5;

    private static final int PAGE = 1000;

    private final Map<String, List<String>> waits = new HashMap<>();
    private final Map<String, List<String>> holders = new HashMap<>();

    private DeadlockSearch() {}

    /** The circle that {@code owner} is part of by waiting for {@code name}, in words; empty if none is seen. */
    static String circle(Locks locks, String owner, String name) {
        if (isNobody(owner) || locks.renewals().held().isEmpty()) {
            return ""; // who holds nothing closes no circle
        }
        try {
            DeadlockSearch search = new DeadlockSearch();
            search.look(locks);
            return search.from(owner, name);
        } catch (TenonException storeIsDown) {
            return ""; // the time-out is to be told, with or without this
        }
    }

    private void look(Locks locks) {
        Map<String, String> local = new HashMap<>(); // after a hand-over the store still shows the first holder
        locks.renewals().held().forEach(lease -> local.put(key(lease.name(), lease.storeToken()), lease.owner()));
        String after = "";
        for (int page = 0; page < PAGES_MAX; page++) {
            LockPage locksOfPage = locks.list("", after, PAGE);
            for (LockView view : locksOfPage.locks()) {
                holders.put(
                        view.name(),
                        view.holders().stream()
                                .filter(h -> h.mode().kind() != LockMode.Kind.PERMITS)
                                .map(h -> local.getOrDefault(key(view.name(), h.token()), h.owner()))
                                .toList());
                view.queue().forEach(waiter -> waiting(waiter.owner(), view.name()));
            }
            if (locksOfPage.next().isEmpty()) {
                break;
            }
            after = locksOfPage.next().get();
        }
        locks.gates().forEachInLine(this::waiting);
    }

    private static String key(String name, long token) {
        return token + " " + name;
    }

    private void waiting(String owner, String name) {
        if (!isNobody(owner)) {
            waits.computeIfAbsent(owner, o -> new ArrayList<>()).add(name);
        }
    }

    private String from(String owner, String name) {
        Deque<Step> path = new ArrayDeque<>();
        return leadsBack(owner, new Step(owner, name), path, new HashSet<>()) ? words(path) : "";
    }

    /**
     * Depth first: whether what {@code step} waits for is held by the owner, or by somebody who waits for it in the
     * end.
     */
    private boolean leadsBack(String owner, Step step, Deque<Step> path, Set<Step> seen) {
        if (!seen.add(step) || path.size() >= 50) {
            return false;
        }
        path.addLast(step);
        for (String holder : holders.getOrDefault(step.name(), List.of())) {
            if (holder.equals(owner)) {
                return true;
            }
            for (String next : waits.getOrDefault(holder, List.of())) {
                if (leadsBack(owner, new Step(holder, next), path, seen)) {
                    return true;
                }
            }
        }
        path.removeLast();
        return false;
    }

    private static String words(Deque<Step> path) {
        StringBuilder words = new StringBuilder("; it looks like a deadlock: ");
        List<Step> steps = List.copyOf(path);
        for (int i = 0; i < steps.size(); i++) {
            String held = steps.get((i + steps.size() - 1) % steps.size()).name();
            words.append(i == 0 ? "" : ", and ")
                    .append(steps.get(i).owner())
                    .append(" holds \"")
                    .append(held)
                    .append("\" and waits for \"")
                    .append(steps.get(i).name())
                    .append('"');
        }
        return words.toString();
    }

    /** A thread without a name. */
    private static boolean isNobody(String owner) {
        return owner.endsWith("/");
    }

    private record Step(String owner, String name) {}
}

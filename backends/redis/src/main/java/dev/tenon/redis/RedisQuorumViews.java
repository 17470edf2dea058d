package dev.tenon.redis;

import dev.tenon.Names;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.LockView.HolderView;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** One view of a lock made of those of several nodes: who holds at a majority, and who waits where the queue is. */
final class RedisQuorumViews {
    private RedisQuorumViews() {}

    /**
     * @param given what each node sees, the first node of this name first: its queue was asked, and so its order of
     *     holders that were let in together is that in which they came
     */
    static Optional<LockView> view(String name, List<Optional<LockView>> given, int majority) {
        List<LockView> views = given.stream().flatMap(Optional::stream).toList();
        Map<Long, List<HolderView>> byToken = new LinkedHashMap<>();
        views.stream()
                .flatMap(view -> view.holders().stream())
                .forEach(holder -> byToken.computeIfAbsent(holder.token(), token -> new ArrayList<>())
                        .add(holder));
        List<HolderView> holders = byToken.values().stream()
                .filter(same -> same.size() >= majority)
                .map(same -> agreed(same, majority))
                .toList();
        List<LockView.WaiterView> queue = views.stream()
                .map(LockView::queue)
                .filter(waiters -> !waiters.isEmpty())
                .findFirst()
                .orElse(List.of());
        if (holders.isEmpty() && queue.isEmpty() && views.size() < majority) {
            return Optional.empty();
        }
        Stream<Long> tokens = holders.isEmpty()
                ? views.stream().map(LockView::token)
                : holders.stream().map(HolderView::token);
        return Optional.of(new LockView(name, tokens.max(Long::compare).orElse(0L), holders, queue));
    }

    private static HolderView agreed(List<HolderView> same, int majority) {
        HolderView first = same.get(0);
        Duration left = QuorumAnswers.reachedBy(
                majority, same.stream().map(HolderView::leaseLeft).toList());
        Optional<String> revokedBy = same.stream()
                .map(HolderView::revokedBy)
                .flatMap(Optional::stream)
                .findFirst();
        return new HolderView(
                first.sessionId(), first.owner(), first.token(), first.since(), left, first.mode(), revokedBy);
    }

    /**
     * @param byNode the page of each node; empty where there was no answer
     */
    static LockPage page(List<Optional<LockPage>> byNode, int limit, int majority) {
        // Beyond the shortest page there may be names of that node that are not known here.
        Optional<String> known = byNode.stream()
                .flatMap(Optional::stream)
                .map(LockPage::next)
                .flatMap(Optional::stream)
                .min(Names.ORDER);
        TreeMap<String, List<Optional<LockView>>> byName = new TreeMap<>(Names.ORDER);
        for (int node = 0; node < byNode.size(); node++) {
            for (LockView view : byNode.get(node).map(LockPage::locks).orElse(List.of())) {
                if (known.isEmpty() || Names.ORDER.compare(view.name(), known.get()) <= 0) {
                    byName.computeIfAbsent(
                                    view.name(),
                                    name -> new ArrayList<>(Collections.nCopies(byNode.size(), Optional.empty())))
                            .set(node, Optional.of(view));
                }
            }
        }
        List<LockView> locks = new ArrayList<>();
        for (Map.Entry<String, List<Optional<LockView>>> entry : byName.entrySet()) {
            if (locks.size() == limit) {
                return new LockPage(locks, Optional.of(locks.get(limit - 1).name()));
            }
            String name = entry.getKey();
            view(name, QuorumNode.order(entry.getValue(), name), majority).ifPresent(locks::add);
        }
        return new LockPage(locks, known);
    }
}

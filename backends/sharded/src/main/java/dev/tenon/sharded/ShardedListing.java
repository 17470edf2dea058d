package dev.tenon.sharded;

import dev.tenon.Names;
import dev.tenon.lock.spi.LockPage;
import dev.tenon.lock.spi.LockView;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** One page made of those of several nodes. */
final class ShardedListing {
    private ShardedListing() {}

    /** A name that is at two nodes is shown as its first one sees it. */
    static LockPage merged(Map<String, LockPage> pages, ShardedPlan plan, int limit) {
        // Beyond the shortest page there may be names of that node that are not known here.
        Optional<String> known = pages.values().stream()
                .map(LockPage::next)
                .flatMap(Optional::stream)
                .min(Names.ORDER);
        TreeMap<String, LockView> byName = new TreeMap<>(Names.ORDER);
        pages.forEach((label, page) -> {
            for (LockView view : page.locks()) {
                boolean first = plan.places(view.name()).get(0).equals(label);
                if (known.isEmpty() || Names.ORDER.compare(view.name(), known.get()) <= 0) {
                    byName.merge(view.name(), view, (one, other) -> first ? other : one);
                }
            }
        });
        List<LockView> locks = byName.values().stream().limit(limit).toList();
        return byName.size() > limit
                ? new LockPage(locks, Optional.of(locks.get(limit - 1).name()))
                : new LockPage(locks, known);
    }
}

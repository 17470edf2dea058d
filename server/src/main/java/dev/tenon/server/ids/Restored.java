package dev.tenon.server.ids;

import dev.tenon.TimeSource;
import dev.tenon.id.RangeExhaustedException;
import dev.tenon.id.spi.RangeDefinition;
import dev.tenon.server.backend.ServerBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * A name whose numbers come from a range, after a restore.
 *
 * @param kind of its definition
 * @param next the next number, if one is left; of a template that resets, within the present period
 */
public record Restored(String name, String kind, OptionalLong next) {
    /**
     * Every such name of a backend whose ranges leave out {@code skip} numbers already. A template that resets counts
     * anew in each period, so it is the present one that must leave them out: the page is turned first.
     *
     * @param skip 0: nothing is changed
     */
    public static List<Restored> of(ServerBackend backend, long skip) {
        List<Restored> restored = new ArrayList<>();
        try (IdCatalog catalog = new IdCatalog(backend, TimeSource.system())) {
            IdResources resources = new IdResources(backend, TimeSource.system());
            catalog.defineDefault();
            for (NamedGenerator ids : catalog.all()) {
                if (skip > 0) {
                    ids.begin(); // after the backup there may have been a first ID
                }
                if (ids.definition() instanceof Ranged ranged) {
                    if (skip > 0 && ranged.resets()) {
                        turnPage(ids.name(), ranged, resources, skip);
                    } else if (skip > 0
                            && resources.ranges().definition(ids.name()).isEmpty()) {
                        leaveOut(ids.name(), ranged, resources, skip);
                    }
                    OptionalLong next = ranged.coming(ids.name(), resources);
                    restored.add(new Restored(ids.name(), ids.definition().kind(), next));
                }
            }
        }
        return restored;
    }

    /** The backup has nothing of the range: it was first asked for a number later. */
    private static void leaveOut(String name, Ranged ranged, IdResources resources, long skip) {
        RangeDefinition range = ranged.range();
        long left = (range.max() - range.start()) / range.step();
        try {
            ranged.defined(name, resources).raiseTo(name, range.start() + Math.min(skip - 1, left) * range.step());
        } catch (RangeExhaustedException e) {
            // used up: nothing comes twice
        }
    }

    private static void turnPage(String name, Ranged ranged, IdResources resources, long skip) {
        try (Issuer issuer = ranged.issuer(name, resources)) {
            OptionalLong before = ranged.coming(name, resources);
            issuer.next(IdRequest.of(1));
            long last = issuer.highestSeen().orElseThrow();
            if (before.equals(OptionalLong.of(last))) {
                return; // the backup is of the present period
            }
            ranged.defined(name, resources).raiseTo(name, last + skip - 1);
        } catch (RangeExhaustedException e) {
            // used up: nothing comes twice
        }
    }
}

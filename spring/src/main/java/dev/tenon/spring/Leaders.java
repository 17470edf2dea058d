package dev.tenon.spring;

import dev.tenon.lock.Lease;
import dev.tenon.lock.LockOptions;
import dev.tenon.lock.Locks;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The elections in which this process takes part. Thread-safe. */
final class Leaders {
    private final Locks locks;
    private final LockOptions options;
    private final String self;
    private final Map<String, Seat> seats = new ConcurrentHashMap<>();

    /** @param self what others see of this process where it leads */
    Leaders(Locks locks, LockOptions options, String self) {
        this.locks = locks;
        this.options = options;
        this.self = self;
    }

    /** The lease of the leadership, if this process has it or gets it now. One round trip if it does not have it. */
    Optional<Lease> lead(String election) {
        return seats.computeIfAbsent(election, name -> new Seat()).take(election);
    }

    /** Those that this process leads. */
    List<String> led() {
        return seats.entrySet().stream()
                .filter(entry -> entry.getValue().held().isPresent())
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
    }

    /** The leadership of one election, for which threads of this process do not compete with each other. */
    private final class Seat {
        private final ReentrantLock campaign = new ReentrantLock();
        private volatile @Nullable Lease lease;

        Optional<Lease> take(String election) {
            Optional<Lease> mine = held();
            if (mine.isPresent()) {
                return mine;
            }
            campaign.lock();
            try {
                if (held().isEmpty()) {
                    lease = locks.election(election, options).tryCampaign(self).orElse(null);
                }
                return held();
            } finally {
                campaign.unlock();
            }
        }

        Optional<Lease> held() {
            return Optional.ofNullable(lease)
                    .filter(now -> now.state() == Lease.State.HELD || now.state() == Lease.State.SUSPECT);
        }
    }
}

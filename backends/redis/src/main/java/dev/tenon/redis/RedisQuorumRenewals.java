package dev.tenon.redis;

import dev.tenon.TimeSource;
import dev.tenon.lock.engine.SessionBook;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * Renews holds at all nodes of a quorum at the same time. A hold is lost when so many nodes say so that the others are
 * too few; a node that says nothing has not said so. Thread-safe.
 */
final class RedisQuorumRenewals {
    private final List<QuorumNode> nodes;
    private final int majority;
    private final TimeSource time;
    private final SessionBook book;
    private final Consumer<List<Release>> release;

    /** @param release gives back, at every node */
    RedisQuorumRenewals(
            List<QuorumNode> nodes, int majority, TimeSource time, SessionBook book, Consumer<List<Release>> release) {
        this.nodes = nodes;
        this.majority = majority;
        this.time = time;
        this.book = book;
        this.release = release;
    }

    CompletionStage<List<Renewed>> renew(List<Renew> renewals) {
        long sentNanos = time.nanoTime();
        return QuorumAnswers.gatherUntil(
                        nodes, node -> node.ask(store -> store.renew(renewals)), given -> areRenewed(renewals, given))
                .thenApply(answers -> {
                    List<List<Renewed>> given = answers.require(majority).given();
                    List<Renewed> all = IntStream.range(0, renewals.size())
                            .mapToObj(i -> renewed(
                                    renewals.get(i),
                                    given.stream().map(each -> each.get(i)).toList(),
                                    sentNanos))
                            .toList();
                    giveBackLost(renewals, all);
                    return all;
                });
    }

    /** Whether a slow node need not be waited for: it can't change the answer. */
    private boolean areRenewed(List<Renew> renewals, List<List<Renewed>> given) {
        return IntStream.range(0, renewals.size())
                .allMatch(i -> given.stream()
                                .filter(each -> each.get(i) instanceof Renewed.Extended)
                                .count()
                        >= needed(hold(renewals.get(i))));
    }

    private Renewed renewed(Renew renewal, List<Renewed> given, long sentNanos) {
        Release hold = hold(renewal);
        int enough = needed(hold);
        List<Renewed.Extended> extended = given.stream()
                .filter(Renewed.Extended.class::isInstance)
                .map(Renewed.Extended.class::cast)
                .toList();
        int notHeld = given.size() - extended.size();
        Duration lease;
        if (extended.size() >= enough) {
            lease = QuorumAnswers.reachedBy(
                    enough, extended.stream().map(Renewed.Extended::lease).toList());
        } else {
            // Undecided: it has what was left of it, or less where it asked for less, which some nodes may have done.
            Duration left = book.hold(hold)
                    .map(known -> Duration.ofNanos(known.until() - sentNanos))
                    .orElse(Duration.ZERO);
            lease = QuorumVote.shorter(left, renewal.lease().orElse(left));
            if (notHeld > nodes.size() - enough || lease.isNegative() || lease.isZero()) {
                return new Renewed.NotHeld();
            }
        }
        book.renewed(hold, sentNanos + lease.toNanos(), false);
        return new Renewed.Extended(
                lease,
                extended.stream()
                        .map(Renewed.Extended::revokedBy)
                        .flatMap(Optional::stream)
                        .findFirst());
    }

    private int needed(Release hold) {
        return book.hold(hold)
                .map(known -> RedisQuorum.needed(known.terms().mode(), nodes.size()))
                .orElse(majority);
    }

    /** What a minority still holds would keep others out for a lease. */
    private void giveBackLost(List<Renew> renewals, List<Renewed> answers) {
        List<Release> lost = IntStream.range(0, renewals.size())
                .filter(i -> answers.get(i) instanceof Renewed.NotHeld)
                .mapToObj(i -> hold(renewals.get(i)))
                .toList();
        if (!lost.isEmpty()) {
            release.accept(lost);
        }
    }

    private static Release hold(Renew renewal) {
        return new Release(renewal.name(), renewal.token());
    }
}

package dev.tenon.redis;

import dev.tenon.lock.spi.Outcome;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** What one node said to a question sent at a moment; or nothing. */
record QuorumVote(@Nullable Outcome outcome, long sentNanos) {
    static final QuorumVote SILENT = new QuorumVote(null, 0);

    boolean isSilent() {
        return outcome == null;
    }

    boolean isQueued() {
        return outcome instanceof Outcome.Queued;
    }

    boolean isGranted() {
        return outcome instanceof Outcome.Granted;
    }

    long token() {
        return outcome instanceof Outcome.Granted granted ? granted.token() : 0;
    }

    long untilNanos() {
        return outcome instanceof Outcome.Granted granted
                ? sentNanos + granted.lease().toNanos()
                : sentNanos;
    }

    /** Which nodes' votes are so. */
    static List<Integer> indexes(List<QuorumVote> votes, Predicate<QuorumVote> which) {
        return IntStream.range(0, votes.size())
                .filter(i -> which.test(votes.get(i)))
                .boxed()
                .toList();
    }

    /**
     * Until when so many hold under this token; as many must. Counted from a moment, as the clock may be at any number.
     */
    static long untilNanos(List<QuorumVote> votes, long token, int enough, long fromNanos) {
        return fromNanos
                + QuorumAnswers.reachedBy(
                        enough,
                        votes.stream()
                                .filter(vote -> vote.isGranted() && vote.token() == token)
                                .map(vote -> vote.untilNanos() - fromNanos)
                                .toList());
    }

    /** What to tell one who does not wait. */
    static Outcome busy(List<QuorumVote> votes) {
        return votes.stream()
                .map(QuorumVote::outcome)
                .filter(Outcome.Busy.class::isInstance)
                .findFirst()
                .orElseGet(() -> new Outcome.Busy(Outcome.Busy.LOCK_DELAY, Duration.ZERO));
    }

    static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }
}

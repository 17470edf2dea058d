package dev.tenon.grpc;

import dev.tenon.TenonException;
import dev.tenon.lock.spi.Acquire;
import dev.tenon.lock.spi.Cancel;
import dev.tenon.lock.spi.Cancelled;
import dev.tenon.lock.spi.Grant;
import dev.tenon.lock.spi.LockMode;
import dev.tenon.lock.spi.LockView;
import dev.tenon.lock.spi.Outcome;
import dev.tenon.lock.spi.Release;
import dev.tenon.lock.spi.Released;
import dev.tenon.lock.spi.Renew;
import dev.tenon.lock.spi.Renewed;
import dev.tenon.lock.spi.Revocation;
import dev.tenon.lock.spi.StoreTraits;
import dev.tenon.protocol.AcquireRequest;
import dev.tenon.protocol.CancelRequest;
import dev.tenon.protocol.CancelResponse;
import dev.tenon.protocol.LockOutcome;
import dev.tenon.protocol.LockStatus;
import dev.tenon.protocol.LockStoreEvent;
import dev.tenon.protocol.LockTraits;
import dev.tenon.protocol.ReleaseRequest;
import dev.tenon.protocol.ReleaseResponse;
import dev.tenon.protocol.RenewRequest;
import dev.tenon.protocol.RenewResponse;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a lock store is asked and answers, as messages of {@code tenon.v1} and back: for both ends of the service
 * {@code Locks}. What a request can't be read as is refused with {@link IllegalArgumentException}; an answer that this
 * version does not know, with {@link TenonException}. Pure functions.
 */
public final class LockMessages {
    private LockMessages() {}

    /** Knows which session holds a lock. */
    @FunctionalInterface
    public interface Holders {
        /** The session that holds a lock under a token; empty: it is not known. */
        Optional<String> sessionOf(String name, long token);
    }

    /** What a store can do, as a message. */
    public static LockTraits message(StoreTraits traits, boolean several) {
        return LockTraits.newBuilder()
                .setTokenSource(
                        switch (traits.tokenSource()) {
                            case STORE_CLOCK -> LockTraits.TokenSource.STORE_CLOCK;
                            case LOG_INDEX -> LockTraits.TokenSource.LOG_INDEX;
                        })
                .setPush(
                        switch (traits.push()) {
                            case PUSHED -> LockTraits.Push.PUSHED;
                            case TIMED -> LockTraits.Push.TIMED;
                        })
                .setSurvivesRestart(traits.survivesRestart())
                .setSessionsExpire(traits.sessionsExpire())
                .setLeastLease(TimeMessages.message(traits.leastLease()))
                .setSeveral(several)
                .build();
    }

    /** What a store can do. */
    public static StoreTraits traits(LockTraits message) {
        return new StoreTraits(
                message.getTokenSource() == LockTraits.TokenSource.LOG_INDEX
                        ? StoreTraits.TokenSource.LOG_INDEX
                        : StoreTraits.TokenSource.STORE_CLOCK,
                message.getPush() == LockTraits.Push.PUSHED ? StoreTraits.Push.PUSHED : StoreTraits.Push.TIMED,
                message.getSurvivesRestart(),
                message.getSessionsExpire(),
                TimeMessages.duration(message.getLeastLease()));
    }

    /** A grant to a waiter, as a message. */
    public static LockStoreEvent.Granted message(Grant grant) {
        return LockStoreEvent.Granted.newBuilder()
                .setName(grant.name())
                .setRequestId(grant.requestId())
                .setSessionId(grant.sessionId())
                .setToken(grant.token())
                .setSinceQueued(TimeMessages.message(grant.sinceQueued()))
                .setLease(TimeMessages.message(grant.lease()))
                .build();
    }

    /** A grant to a waiter. */
    public static Grant grant(LockStoreEvent.Granted message) {
        return new Grant(
                message.getName(),
                message.getRequestId(),
                message.getSessionId(),
                message.getToken(),
                TimeMessages.duration(message.getSinceQueued()),
                TimeMessages.duration(message.getLease()));
    }

    /** A request to a holder to let go, as a message. */
    public static LockStoreEvent.RevokeAsked message(Revocation revocation) {
        return LockStoreEvent.RevokeAsked.newBuilder()
                .setName(revocation.name())
                .setSessionId(revocation.sessionId())
                .setToken(revocation.token())
                .setBy(revocation.by())
                .build();
    }

    /** A request to a holder to let go. */
    public static Revocation revocation(LockStoreEvent.RevokeAsked message) {
        return new Revocation(message.getName(), message.getSessionId(), message.getToken(), message.getBy());
    }

    /** A request for a lock, as a message. */
    public static AcquireRequest message(Acquire request) {
        AcquireRequest.Builder message = AcquireRequest.newBuilder()
                .setName(request.name())
                .setSessionId(request.sessionId())
                .setRequestId(request.requestId())
                .setOwner(request.owner())
                .setMode(LockModeMessages.message(request.terms().mode()))
                .setBarging(!request.terms().fair());
        request.lease().ifPresent(lease -> message.setLease(TimeMessages.message(lease)));
        if (request.mayWait()) {
            message.setWait(TimeMessages.message(request.waitTime()));
        }
        if (!request.terms().lockDelay().isZero()) {
            message.setLockDelay(TimeMessages.message(request.terms().lockDelay()));
        }
        request.terms().converts().ifPresent(message::setConverts);
        return message.build();
    }

    /** A request for a lock. */
    public static Acquire acquire(AcquireRequest message) {
        return new Acquire(
                message.getName(),
                message.getSessionId(),
                message.getRequestId(),
                message.getOwner(),
                message.hasLease() ? Optional.of(TimeMessages.duration(message.getLease())) : Optional.empty(),
                message.hasWait() ? TimeMessages.duration(message.getWait()) : Duration.ZERO,
                new Acquire.Terms(
                        LockModeMessages.mode(message.getMode())
                                .orElseThrow(() -> new IllegalArgumentException("This server knows no lock mode "
                                        + message.getMode().getKindValue())),
                        !message.getBarging(),
                        message.hasLockDelay() ? TimeMessages.duration(message.getLockDelay()) : Duration.ZERO,
                        message.hasConverts() ? OptionalLong.of(message.getConverts()) : OptionalLong.empty()));
    }

    /** How a request for a lock was answered, as a message. */
    public static LockOutcome message(Outcome outcome) {
        LockOutcome.Builder message = LockOutcome.newBuilder();
        if (outcome instanceof Outcome.Granted granted) {
            message.setGranted(granted(granted.token(), granted.lease()));
        } else if (outcome instanceof Outcome.Queued queued) {
            message.setQueued(LockOutcome.Queued.newBuilder()
                    .setAhead(queued.ahead())
                    .setRecheckAfter(TimeMessages.message(queued.recheckAfter())));
        } else if (outcome instanceof Outcome.Busy busy) {
            message.setBusy(LockOutcome.Busy.newBuilder()
                    .setOwner(busy.owner())
                    .setLeaseLeft(TimeMessages.message(busy.leaseLeft())));
        } else if (outcome instanceof Outcome.NotHeld) {
            message.setNotHeld(LockOutcome.NotHeld.getDefaultInstance());
        } else {
            message.setNoSession(LockOutcome.NoSession.getDefaultInstance());
        }
        return message.build();
    }

    /** How a request for a lock was answered. */
    public static Outcome outcome(LockOutcome message) {
        return switch (message.getOutcomeCase()) {
            case GRANTED ->
                new Outcome.Granted(
                        message.getGranted().getToken(),
                        TimeMessages.duration(message.getGranted().getLease()));
            case QUEUED ->
                new Outcome.Queued(
                        message.getQueued().getAhead(),
                        TimeMessages.duration(message.getQueued().getRecheckAfter()));
            case BUSY ->
                new Outcome.Busy(
                        message.getBusy().getOwner(),
                        TimeMessages.duration(message.getBusy().getLeaseLeft()));
            case NOT_HELD -> new Outcome.NotHeld();
            case NO_SESSION -> new Outcome.NoSession();
            case OUTCOME_NOT_SET -> throw newer("outcome of an acquire");
        };
    }

    private static LockOutcome.Granted granted(long token, Duration lease) {
        return LockOutcome.Granted.newBuilder()
                .setToken(token)
                .setLease(TimeMessages.message(lease))
                .build();
    }

    /** Locks to be given back, as a message. */
    public static ReleaseRequest releases(List<Release> releases, Holders holders) {
        ReleaseRequest.Builder message = ReleaseRequest.newBuilder();
        for (Release release : releases) {
            ReleaseRequest.One.Builder one =
                    ReleaseRequest.One.newBuilder().setName(release.name()).setToken(release.token());
            holders.sessionOf(release.name(), release.token()).ifPresent(one::setSessionId);
            message.addReleases(one);
        }
        return message.build();
    }

    /** Locks to be given back. */
    public static List<Release> releases(ReleaseRequest message) {
        return message.getReleasesList().stream()
                .map(one -> new Release(one.getName(), one.getToken()))
                .toList();
    }

    /** What became of locks that were to be given back, as a message. */
    public static ReleaseResponse released(List<Released> answers) {
        ReleaseResponse.Builder message = ReleaseResponse.newBuilder();
        for (Released answer : answers) {
            message.addReleased(
                    switch (answer) {
                        case FREED -> ReleaseResponse.Released.FREED;
                        case HANDED_OVER -> ReleaseResponse.Released.HANDED_OVER;
                        case NOT_HELD -> ReleaseResponse.Released.NOT_HELD;
                    });
        }
        return message.build();
    }

    /** What became of locks that were to be given back. */
    public static List<Released> released(ReleaseResponse message) {
        return message.getReleasedList().stream()
                .map(one -> switch (one) {
                    case FREED -> Released.FREED;
                    case HANDED_OVER -> Released.HANDED_OVER;
                    case NOT_HELD -> Released.NOT_HELD;
                    case RELEASED_UNSPECIFIED, UNRECOGNIZED -> throw newer("answer to a release");
                })
                .toList();
    }

    /** Leases to be extended, as a message. */
    public static RenewRequest renewals(List<Renew> renewals, Holders holders) {
        RenewRequest.Builder message = RenewRequest.newBuilder();
        for (Renew renewal : renewals) {
            RenewRequest.One.Builder one =
                    RenewRequest.One.newBuilder().setName(renewal.name()).setToken(renewal.token());
            renewal.lease().ifPresent(lease -> one.setLease(TimeMessages.message(lease)));
            holders.sessionOf(renewal.name(), renewal.token()).ifPresent(one::setSessionId);
            message.addRenewals(one);
        }
        return message.build();
    }

    /** Leases to be extended. */
    public static List<Renew> renewals(RenewRequest message) {
        return message.getRenewalsList().stream()
                .map(one -> new Renew(
                        one.getName(),
                        one.getToken(),
                        one.hasLease() ? Optional.of(TimeMessages.duration(one.getLease())) : Optional.empty()))
                .toList();
    }

    /** What became of leases that were to be extended, as a message. */
    public static RenewResponse renewed(List<Renewed> answers) {
        RenewResponse.Builder message = RenewResponse.newBuilder();
        for (Renewed answer : answers) {
            RenewResponse.One.Builder one = RenewResponse.One.newBuilder();
            if (answer instanceof Renewed.Extended extended) {
                one.setHeld(true).setLease(TimeMessages.message(extended.lease()));
                extended.revokedBy().ifPresent(one::setRevokedBy);
            }
            message.addRenewed(one);
        }
        return message.build();
    }

    /** What became of leases that were to be extended. */
    public static List<Renewed> renewed(RenewResponse message) {
        return message.getRenewedList().stream().map(LockMessages::renewed).toList();
    }

    private static Renewed renewed(RenewResponse.One one) {
        return one.getHeld()
                ? new Renewed.Extended(
                        TimeMessages.duration(one.getLease()),
                        one.hasRevokedBy() ? Optional.of(one.getRevokedBy()) : Optional.empty())
                : new Renewed.NotHeld();
    }

    /** A request to wait no more, as a message. */
    public static CancelRequest message(Cancel cancel) {
        return CancelRequest.newBuilder()
                .setName(cancel.name())
                .setRequestId(cancel.requestId())
                .build();
    }

    /** A request to wait no more. */
    public static Cancel cancel(CancelRequest message) {
        return new Cancel(message.getName(), message.getRequestId());
    }

    /** What became of a wait that was to end, as a message. */
    public static CancelResponse message(Cancelled cancelled) {
        CancelResponse.Builder message = CancelResponse.newBuilder();
        if (cancelled instanceof Cancelled.WasGranted granted) {
            message.setWasGranted(granted(granted.token(), granted.lease()));
        }
        return message.build();
    }

    /** What became of a wait that was to end. */
    public static Cancelled cancelled(CancelResponse message) {
        return message.hasWasGranted()
                ? new Cancelled.WasGranted(
                        message.getWasGranted().getToken(),
                        TimeMessages.duration(message.getWasGranted().getLease()))
                : new Cancelled.Gone();
    }

    /** A lock as it stands, as a message. */
    public static LockStatus message(LockView view) {
        LockStatus.Builder message =
                LockStatus.newBuilder().setName(view.name()).setToken(view.token());
        view.holders().forEach(holder -> message.addHolders(message(holder)));
        view.queue()
                .forEach(waiter -> message.addQueue(LockStatus.Waiter.newBuilder()
                        .setSessionId(waiter.sessionId())
                        .setOwner(waiter.owner())
                        .setSince(TimeMessages.message(waiter.since()))
                        .setWaitLeft(TimeMessages.message(waiter.waitLeft()))
                        .setMode(LockModeMessages.message(waiter.mode()))));
        return message.build();
    }

    /** A lock as it stands. */
    public static LockView view(LockStatus message) {
        return new LockView(
                message.getName(),
                message.getToken(),
                message.getHoldersList().stream().map(LockMessages::holder).toList(),
                message.getQueueList().stream()
                        .map(waiter -> new LockView.WaiterView(
                                waiter.getSessionId(),
                                waiter.getOwner(),
                                TimeMessages.instant(waiter.getSince()),
                                TimeMessages.duration(waiter.getWaitLeft()),
                                knownMode(waiter.getMode())))
                        .toList());
    }

    private static LockStatus.Holder message(LockView.HolderView holder) {
        LockStatus.Holder.Builder message = LockStatus.Holder.newBuilder()
                .setSessionId(holder.sessionId())
                .setOwner(holder.owner())
                .setToken(holder.token())
                .setSince(TimeMessages.message(holder.since()))
                .setLeaseLeft(TimeMessages.message(holder.leaseLeft()))
                .setMode(LockModeMessages.message(holder.mode()));
        holder.revokedBy().ifPresent(message::setRevokedBy);
        return message.build();
    }

    private static LockView.HolderView holder(LockStatus.Holder holder) {
        return new LockView.HolderView(
                holder.getSessionId(),
                holder.getOwner(),
                holder.getToken(),
                TimeMessages.instant(holder.getSince()),
                TimeMessages.duration(holder.getLeaseLeft()),
                knownMode(holder.getMode()),
                holder.hasRevokedBy() ? Optional.of(holder.getRevokedBy()) : Optional.empty());
    }

    private static LockMode knownMode(dev.tenon.protocol.LockMode message) {
        return LockModeMessages.mode(message).orElseThrow(() -> newer("lock mode " + message.getKindValue()));
    }

    private static TenonException newer(String what) {
        return new TenonException("The server is newer than this client, which does not know its " + what);
    }
}

package dev.tenon.client;

import dev.tenon.TenonException;
import dev.tenon.lock.spi.Acquire;
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
import dev.tenon.protocol.CancelResponse;
import dev.tenon.protocol.LockOutcome;
import dev.tenon.protocol.LockStatus;
import dev.tenon.protocol.LockStoreEvent;
import dev.tenon.protocol.LockTraits;
import dev.tenon.protocol.ReleaseRequest;
import dev.tenon.protocol.ReleaseResponse;
import dev.tenon.protocol.RenewRequest;
import dev.tenon.protocol.RenewResponse;
import java.util.List;
import java.util.Optional;

/** Messages as what they say of locks. */
final class LockMessages {
    private LockMessages() {}

    static StoreTraits traits(LockTraits message) {
        return new StoreTraits(
                message.getTokenSource() == LockTraits.TokenSource.LOG_INDEX
                        ? StoreTraits.TokenSource.LOG_INDEX
                        : StoreTraits.TokenSource.STORE_CLOCK,
                message.getPush() == LockTraits.Push.PUSHED ? StoreTraits.Push.PUSHED : StoreTraits.Push.TIMED,
                message.getSurvivesRestart(),
                message.getSessionsExpire(),
                Wire.duration(message.getLeastLease()));
    }

    static Grant grant(LockStoreEvent.Granted message) {
        return new Grant(
                message.getName(),
                message.getRequestId(),
                message.getSessionId(),
                message.getToken(),
                Wire.duration(message.getSinceQueued()),
                Wire.duration(message.getLease()));
    }

    static Revocation revocation(LockStoreEvent.RevokeAsked message) {
        return new Revocation(message.getName(), message.getSessionId(), message.getToken(), message.getBy());
    }

    static AcquireRequest message(Acquire wish) {
        AcquireRequest.Builder message = AcquireRequest.newBuilder()
                .setName(wish.name())
                .setSessionId(wish.sessionId())
                .setRequestId(wish.requestId())
                .setOwner(wish.owner())
                .setMode(message(wish.terms().mode()))
                .setBarging(!wish.terms().fair());
        wish.lease().ifPresent(lease -> message.setLease(Wire.message(lease)));
        if (wish.mayWait()) {
            message.setWait(Wire.message(wish.waitTime()));
        }
        if (!wish.terms().lockDelay().isZero()) {
            message.setLockDelay(Wire.message(wish.terms().lockDelay()));
        }
        wish.terms().converts().ifPresent(message::setConverts);
        return message.build();
    }

    private static dev.tenon.protocol.LockMode message(LockMode mode) {
        return dev.tenon.protocol.LockMode.newBuilder()
                .setKind(
                        switch (mode.kind()) {
                            case EXCLUSIVE -> dev.tenon.protocol.LockMode.Kind.EXCLUSIVE;
                            case SHARED -> dev.tenon.protocol.LockMode.Kind.SHARED;
                            case UPDATE -> dev.tenon.protocol.LockMode.Kind.UPDATE;
                            case PERMITS -> dev.tenon.protocol.LockMode.Kind.PERMITS;
                        })
                .setPermits(mode.permits())
                .setMax(mode.max())
                .build();
    }

    private static LockMode mode(dev.tenon.protocol.LockMode message) {
        return switch (message.getKind()) {
            case EXCLUSIVE -> LockMode.EXCLUSIVE;
            case SHARED -> LockMode.SHARED;
            case UPDATE -> LockMode.UPDATE;
            case PERMITS -> LockMode.permits(message.getPermits(), message.getMax());
            case UNRECOGNIZED -> throw newer("lock mode " + message.getKindValue());
        };
    }

    static Outcome outcome(LockOutcome message) {
        return switch (message.getOutcomeCase()) {
            case GRANTED ->
                new Outcome.Granted(
                        message.getGranted().getToken(),
                        Wire.duration(message.getGranted().getLease()));
            case QUEUED ->
                new Outcome.Queued(
                        message.getQueued().getAhead(),
                        Wire.duration(message.getQueued().getRecheckAfter()));
            case BUSY ->
                new Outcome.Busy(
                        message.getBusy().getOwner(),
                        Wire.duration(message.getBusy().getLeaseLeft()));
            case NOT_HELD -> new Outcome.NotHeld();
            case NO_SESSION -> new Outcome.NoSession();
            case OUTCOME_NOT_SET -> throw newer("outcome of an acquire");
        };
    }

    static ReleaseRequest releases(List<Release> releases, HoldSessions holders) {
        ReleaseRequest.Builder message = ReleaseRequest.newBuilder();
        for (Release release : releases) {
            ReleaseRequest.One.Builder one =
                    ReleaseRequest.One.newBuilder().setName(release.name()).setToken(release.token());
            holders.of(release.name(), release.token()).ifPresent(one::setSessionId);
            message.addReleases(one);
        }
        return message.build();
    }

    static List<Released> released(ReleaseResponse message) {
        return message.getReleasedList().stream()
                .map(one -> switch (one) {
                    case FREED -> Released.FREED;
                    case HANDED_OVER -> Released.HANDED_OVER;
                    case NOT_HELD -> Released.NOT_HELD;
                    case RELEASED_UNSPECIFIED, UNRECOGNIZED -> throw newer("answer to a release");
                })
                .toList();
    }

    static RenewRequest renewals(List<Renew> renewals, HoldSessions holders) {
        RenewRequest.Builder message = RenewRequest.newBuilder();
        for (Renew renewal : renewals) {
            RenewRequest.One.Builder one =
                    RenewRequest.One.newBuilder().setName(renewal.name()).setToken(renewal.token());
            renewal.lease().ifPresent(lease -> one.setLease(Wire.message(lease)));
            holders.of(renewal.name(), renewal.token()).ifPresent(one::setSessionId);
            message.addRenewals(one);
        }
        return message.build();
    }

    static List<Renewed> renewed(RenewResponse message) {
        return message.getRenewedList().stream().map(LockMessages::renewed).toList();
    }

    private static Renewed renewed(RenewResponse.One one) {
        return one.getHeld()
                ? new Renewed.Extended(
                        Wire.duration(one.getLease()),
                        one.hasRevokedBy() ? Optional.of(one.getRevokedBy()) : Optional.empty())
                : new Renewed.NotHeld();
    }

    static Cancelled cancelled(CancelResponse message) {
        return message.hasWasGranted()
                ? new Cancelled.WasGranted(
                        message.getWasGranted().getToken(),
                        Wire.duration(message.getWasGranted().getLease()))
                : new Cancelled.Gone();
    }

    static LockView view(LockStatus message) {
        return new LockView(
                message.getName(),
                message.getToken(),
                message.getHoldersList().stream().map(LockMessages::holder).toList(),
                message.getQueueList().stream()
                        .map(waiter -> new LockView.WaiterView(
                                waiter.getSessionId(),
                                waiter.getOwner(),
                                Wire.instant(waiter.getSince()),
                                Wire.duration(waiter.getWaitLeft()),
                                mode(waiter.getMode())))
                        .toList());
    }

    private static LockView.HolderView holder(LockStatus.Holder holder) {
        return new LockView.HolderView(
                holder.getSessionId(),
                holder.getOwner(),
                holder.getToken(),
                Wire.instant(holder.getSince()),
                Wire.duration(holder.getLeaseLeft()),
                mode(holder.getMode()),
                holder.hasRevokedBy() ? Optional.of(holder.getRevokedBy()) : Optional.empty());
    }

    private static TenonException newer(String what) {
        return new TenonException("The server is newer than this client, which does not know its " + what);
    }
}

package dev.tenon.server.grpc;

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
import dev.tenon.server.access.Caller;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Locks as messages. What a message can't be read as is refused with {@link IllegalArgumentException}. */
final class LockMessages {
    private LockMessages() {}

    static LockTraits message(StoreTraits traits, boolean several) {
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
                .setLeastLease(Wire.message(traits.leastLease()))
                .setSeveral(several)
                .build();
    }

    static LockStoreEvent.Granted message(Grant grant) {
        return LockStoreEvent.Granted.newBuilder()
                .setName(grant.name())
                .setRequestId(grant.requestId())
                .setSessionId(grant.sessionId())
                .setToken(grant.token())
                .setSinceQueued(Wire.message(grant.sinceQueued()))
                .setLease(Wire.message(grant.lease()))
                .build();
    }

    static LockStoreEvent.RevokeAsked message(Revocation revocation) {
        return LockStoreEvent.RevokeAsked.newBuilder()
                .setName(revocation.name())
                .setSessionId(revocation.sessionId())
                .setToken(revocation.token())
                .setBy(revocation.by())
                .build();
    }

    static Acquire acquire(AcquireRequest request) {
        return new Acquire(
                request.getName(),
                request.getSessionId(),
                request.getRequestId(),
                request.getOwner(),
                request.hasLease() ? Optional.of(Wire.duration(request.getLease())) : Optional.empty(),
                request.hasWait() ? Wire.duration(request.getWait()) : Duration.ZERO,
                new Acquire.Terms(
                        mode(request.getMode()),
                        !request.getBarging(),
                        request.hasLockDelay() ? Wire.duration(request.getLockDelay()) : Duration.ZERO,
                        request.hasConverts() ? OptionalLong.of(request.getConverts()) : OptionalLong.empty()));
    }

    private static LockMode mode(dev.tenon.protocol.LockMode mode) {
        LockMode.Kind kind = switch (mode.getKind()) {
            case EXCLUSIVE -> LockMode.Kind.EXCLUSIVE;
            case SHARED -> LockMode.Kind.SHARED;
            case UPDATE -> LockMode.Kind.UPDATE;
            case PERMITS -> LockMode.Kind.PERMITS;
            case UNRECOGNIZED ->
                throw new IllegalArgumentException("This server knows no lock mode " + mode.getKindValue());
        };
        return new LockMode(kind, mode.getPermits(), mode.getMax());
    }

    static LockOutcome message(Outcome outcome) {
        LockOutcome.Builder message = LockOutcome.newBuilder();
        if (outcome instanceof Outcome.Granted granted) {
            message.setGranted(granted(granted.token(), granted.lease()));
        } else if (outcome instanceof Outcome.Queued queued) {
            message.setQueued(LockOutcome.Queued.newBuilder()
                    .setAhead(queued.ahead())
                    .setRecheckAfter(Wire.message(queued.recheckAfter())));
        } else if (outcome instanceof Outcome.Busy busy) {
            message.setBusy(
                    LockOutcome.Busy.newBuilder().setOwner(busy.owner()).setLeaseLeft(Wire.message(busy.leaseLeft())));
        } else if (outcome instanceof Outcome.NotHeld) {
            message.setNotHeld(LockOutcome.NotHeld.getDefaultInstance());
        } else {
            message.setNoSession(LockOutcome.NoSession.getDefaultInstance());
        }
        return message.build();
    }

    private static LockOutcome.Granted granted(long token, Duration lease) {
        return LockOutcome.Granted.newBuilder()
                .setToken(token)
                .setLease(Wire.message(lease))
                .build();
    }

    static List<Release> releases(ReleaseRequest request) {
        return request.getReleasesList().stream()
                .map(one -> new Release(one.getName(), one.getToken()))
                .toList();
    }

    static ReleaseResponse released(List<Released> answers) {
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

    static List<Renew> renewals(RenewRequest request) {
        return request.getRenewalsList().stream()
                .map(one -> new Renew(
                        one.getName(),
                        one.getToken(),
                        one.hasLease() ? Optional.of(Wire.duration(one.getLease())) : Optional.empty()))
                .toList();
    }

    static RenewResponse renewed(List<Renewed> answers) {
        RenewResponse.Builder message = RenewResponse.newBuilder();
        for (Renewed answer : answers) {
            RenewResponse.One.Builder one = RenewResponse.One.newBuilder();
            if (answer instanceof Renewed.Extended extended) {
                one.setHeld(true).setLease(Wire.message(extended.lease()));
                extended.revokedBy().ifPresent(one::setRevokedBy);
            }
            message.addRenewed(one);
        }
        return message.build();
    }

    static Cancel cancel(CancelRequest request, Caller who) {
        return new Cancel(request.getName(), who.own(request.getRequestId()));
    }

    static CancelResponse message(Cancelled cancelled) {
        CancelResponse.Builder message = CancelResponse.newBuilder();
        if (cancelled instanceof Cancelled.WasGranted granted) {
            message.setWasGranted(granted(granted.token(), granted.lease()));
        }
        return message.build();
    }

    static LockStatus message(LockView view) {
        LockStatus.Builder message =
                LockStatus.newBuilder().setName(view.name()).setToken(view.token());
        view.holders().forEach(holder -> message.addHolders(message(holder)));
        view.queue()
                .forEach(waiter -> message.addQueue(LockStatus.Waiter.newBuilder()
                        .setSessionId(waiter.sessionId())
                        .setOwner(waiter.owner())
                        .setSince(Wire.message(waiter.since()))
                        .setWaitLeft(Wire.message(waiter.waitLeft()))
                        .setMode(message(waiter.mode()))));
        return message.build();
    }

    private static LockStatus.Holder message(LockView.HolderView holder) {
        LockStatus.Holder.Builder message = LockStatus.Holder.newBuilder()
                .setSessionId(holder.sessionId())
                .setOwner(holder.owner())
                .setToken(holder.token())
                .setSince(Wire.message(holder.since()))
                .setLeaseLeft(Wire.message(holder.leaseLeft()))
                .setMode(message(holder.mode()));
        holder.revokedBy().ifPresent(message::setRevokedBy);
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
}

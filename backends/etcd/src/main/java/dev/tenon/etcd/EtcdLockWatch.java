package dev.tenon.etcd;

import com.google.protobuf.ByteString;
import dev.tenon.DaemonThreads;
import dev.tenon.TenonException;
import dev.tenon.lock.engine.RegisterEvents;
import io.etcd.jetcd.api.Event;
import io.etcd.jetcd.api.WatchCreateRequest;
import io.etcd.jetcd.api.WatchGrpc;
import io.etcd.jetcd.api.WatchRequest;
import io.etcd.jetcd.api.WatchResponse;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One stream on which etcd tells of the notices of this process and of processes that are gone: opened once and kept,
 * since one that is opened for each wait would start up to 100 ms late. When it breaks, the next one goes on at the
 * revision at which it broke; where etcd has forgotten that, what was missed must be asked for. Everything but the
 * beginning happens on one thread.
 */
final class EtcdLockWatch implements AutoCloseable {
    private static final long PAUSE_MILLIS_MIN = 10;
    private static final long PAUSE_MILLIS_MAX = 1000;

    private final EtcdLink link;
    private final EtcdLockKeys keys;
    private final ScheduledThreadPoolExecutor thread =
            new ScheduledThreadPoolExecutor(1, DaemonThreads.named("tenon-etcd-watch"));
    private final List<Watched> watched = new ArrayList<>();
    private EtcdLink.@Nullable Stream<WatchRequest> stream;
    private @Nullable RegisterEvents events;
    private String process = "";
    private long pauseMillis = PAUSE_MILLIS_MIN;
    private int generation;
    private boolean doubt;

    EtcdLockWatch(EtcdLink link, EtcdLockKeys keys) {
        this.link = link;
        this.keys = keys;
        thread.setRemoveOnCancelPolicy(true);
    }

    /** One of the two things that are watched. */
    private static final class Watched {
        private final WatchCreateRequest what;

        /** 0: from now on. */
        private long nextRevision;

        Watched(WatchCreateRequest.Builder what, long nextRevision) {
            this.what = what.setProgressNotify(true).build();
            this.nextRevision = nextRevision;
        }
    }

    /** Begins to watch, unless it has begun; from now on this receiver is told. */
    void begin(String processId, RegisterEvents receiver, long revision) {
        onThread(() -> {
            events = receiver;
            if (!watched.isEmpty()) {
                return;
            }
            process = processId;
            watched.add(new Watched(
                    WatchCreateRequest.newBuilder().setKey(EtcdOps.bytes(keys.notices(processId))), revision));
            watched.add(new Watched(
                    WatchCreateRequest.newBuilder()
                            .setKey(EtcdOps.bytes(keys.processes()))
                            .setRangeEnd(EtcdLockKeys.endOf(keys.processes()))
                            .addFilters(WatchCreateRequest.FilterType.NOPUT),
                    revision));
            connect();
        });
    }

    @Override
    public void close() {
        onThread(() -> {
            generation++;
            hangUp();
        });
        thread.shutdown();
    }

    private void connect() {
        hangUp();
        Answers answers = new Answers(++generation);
        try {
            EtcdLink.Stream<WatchRequest> opened = link.stream(WatchGrpc.getWatchMethod(), answers);
            stream = opened;
            for (Watched each : watched) {
                opened.requests()
                        .onNext(WatchRequest.newBuilder()
                                .setCreateRequest(each.what.toBuilder().setStartRevision(each.nextRevision))
                                .build());
            }
        } catch (RuntimeException e) {
            failed(answers.of, Status.fromThrowable(e));
        }
    }

    private void hangUp() {
        EtcdLink.Stream<WatchRequest> open = stream;
        stream = null;
        if (open != null) {
            open.requests().cancel("not needed any more", null);
        }
    }

    private void failed(int of, Status status) {
        if (of != generation) {
            return;
        }
        EtcdLink.Stream<WatchRequest> broken = stream;
        stream = null;
        generation++;
        try {
            if (broken != null) {
                link.broken(broken, status);
            }
        } catch (TenonException e) {
            // Then the next attempt fails as this one did.
        }
        thread.schedule(this::connect, pauseMillis, TimeUnit.MILLISECONDS);
        pauseMillis = Math.min(PAUSE_MILLIS_MAX, pauseMillis * 2);
    }

    private void told(int of, Map<Long, Watched> byId, WatchResponse response) {
        RegisterEvents receiver = events;
        if (of != generation || receiver == null) {
            return;
        }
        long revision = response.getHeader().getRevision();
        if (response.getCreated() && !response.getCanceled()) {
            begun(byId, response.getWatchId(), revision, receiver);
            return;
        }
        Watched source = byId.get(response.getWatchId());
        if (response.getCanceled() || source == null) {
            if (response.getCompactRevision() > 0) {
                watched.forEach(each -> each.nextRevision = 0);
                doubt = true;
            }
            hangUp();
            failed(of, Status.UNAVAILABLE.withDescription(response.getCancelReason()));
            return;
        }
        pauseMillis = PAUSE_MILLIS_MIN;
        if (response.getEventsCount() == 0) {
            source.nextRevision = Math.max(source.nextRevision, revision + 1); // progress
        }
        for (Event event : response.getEventsList()) {
            try {
                tell(event, receiver);
            } catch (RuntimeException e) {
                receiver.resync(); // whatever it was to say, the lock itself says it too
            }
            source.nextRevision = Math.max(source.nextRevision, event.getKv().getModRevision() + 1);
        }
    }

    private void begun(Map<Long, Watched> byId, long id, long revision, RegisterEvents receiver) {
        Watched source = watched.get(byId.size());
        byId.put(id, source);
        if (source.nextRevision == 0) {
            source.nextRevision = revision + 1;
        } else if (source.nextRevision > revision + 1) {
            // An etcd that knows less than it did: it was put back.
            watched.forEach(each -> each.nextRevision = 0);
            doubt = true;
            connect();
            return;
        }
        if (doubt && byId.size() == watched.size()) {
            doubt = false;
            receiver.resync();
        }
    }

    private void tell(Event event, RegisterEvents receiver) {
        ByteString key = event.getKv().getKey();
        if (event.getType() == Event.EventType.DELETE) {
            if (key.startsWith(EtcdOps.bytes(keys.processes()))) {
                receiver.gone(keys.processIn(key));
            }
        } else {
            EtcdNotices.deliver(
                    event.getKv().getValue().toStringUtf8(),
                    process,
                    event.getKv().getModRevision(),
                    receiver);
        }
    }

    private void onThread(Runnable work) {
        try {
            thread.execute(work);
        } catch (RejectedExecutionException e) {
            // Closed: nobody listens any more.
        }
    }

    /** What comes on one connection, which is told by its number from those before it. */
    private final class Answers implements StreamObserver<WatchResponse> {
        private final int of;
        private final Map<Long, Watched> byId = new HashMap<>();

        Answers(int of) {
            this.of = of;
        }

        @Override
        public void onNext(WatchResponse response) {
            onThread(() -> told(of, byId, response));
        }

        @Override
        public void onError(Throwable failure) {
            onThread(() -> failed(of, Status.fromThrowable(failure)));
        }

        @Override
        public void onCompleted() {
            onThread(() -> failed(of, Status.UNAVAILABLE.withDescription("etcd has ended the watch")));
        }
    }
}

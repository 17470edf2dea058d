package dev.tenon.benchmarks;

import com.google.protobuf.ByteString;
import dev.tenon.testkit.EtcdAddress;
import io.etcd.jetcd.api.LeaseGrantRequest;
import io.etcd.jetcd.api.LeaseGrpc;
import io.etcd.jetcd.api.lock.LockGrpc;
import io.etcd.jetcd.api.lock.LockRequest;
import io.etcd.jetcd.api.lock.UnlockRequest;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.net.InetSocketAddress;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * etcd's own lock service, which is what jetcd's {@code Lock} calls. A lock belongs to a lease there, so that each
 * thread needs one of its own; here they are granted at their first use, and long enough to need no renewal.
 */
final class EtcdServiceLock implements LockContender {
    static final String TITLE = "etcd's lock service, as in jetcd";

    private static final long LEASE_SECONDS = TimeUnit.HOURS.toSeconds(1);

    private final String title;
    private final ManagedChannel channel;
    private final LockGrpc.LockBlockingStub locks;
    private final LeaseGrpc.LeaseBlockingStub leases;
    private final Queue<Long> idleLeases = new ConcurrentLinkedQueue<>();

    EtcdServiceLock(EtcdAddress address) {
        this(TITLE, address.socket());
    }

    EtcdServiceLock(String title, InetSocketAddress member) {
        this.title = title;
        this.channel = NettyChannelBuilder.forAddress(member.getHostString(), member.getPort())
                .usePlaintext()
                .build();
        this.locks = LockGrpc.newBlockingStub(channel);
        this.leases = LeaseGrpc.newBlockingStub(channel);
    }

    @Override
    public String title() {
        return title;
    }

    @Override
    public Hold acquire(String name) {
        Long idle = idleLeases.poll();
        long lease = idle == null ? grant() : idle;
        ByteString key = locks.lock(LockRequest.newBuilder()
                        .setName(ByteString.copyFromUtf8(name))
                        .setLease(lease)
                        .build())
                .getKey();
        return () -> {
            locks.unlock(UnlockRequest.newBuilder().setKey(key).build());
            idleLeases.add(lease);
        };
    }

    private long grant() {
        return leases.leaseGrant(
                        LeaseGrantRequest.newBuilder().setTTL(LEASE_SECONDS).build())
                .getID();
    }

    @Override
    public void close() {
        channel.shutdownNow();
    }
}

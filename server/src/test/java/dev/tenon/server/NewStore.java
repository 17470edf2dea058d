package dev.tenon.server;

import dev.tenon.id.IdLayout;
import dev.tenon.protocol.ClaimWorkerIdRequest;
import dev.tenon.protocol.ClaimedWorkerId;
import dev.tenon.protocol.ReleaseWorkerIdRequest;
import dev.tenon.protocol.WorkerIdsGrpc;
import io.grpc.ManagedChannel;
import io.grpc.netty.NettyChannelBuilder;
import java.time.Instant;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/**
 * Says of a store that it is new: nobody holds a worker ID, and a first ID need not wait until their leases would be
 * over.
 */
final class NewStore {
    private NewStore() {}

    /** For the definition {@code default}. */
    static void sayAt(int port) {
        ManagedChannel channel =
                NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
        try {
            var workers = WorkerIdsGrpc.newBlockingStub(channel).withDeadlineAfter(60, TimeUnit.SECONDS);
            com.google.protobuf.Duration lease =
                    com.google.protobuf.Duration.newBuilder().setSeconds(30).build();
            com.google.protobuf.Timestamp now = com.google.protobuf.Timestamp.newBuilder()
                    .setSeconds(Instant.now().getEpochSecond())
                    .build();
            ClaimedWorkerId slot = workers.claim(ClaimWorkerIdRequest.newBuilder()
                    .setGroup("default")
                    .setRequestId(UUID.randomUUID().toString())
                    .setOwner("test")
                    .setLayout(IdLayout.twitter().text())
                    .setCapacity(IdLayout.twitter().workers())
                    .setLease(lease)
                    .setNow(now)
                    .setReserve(lease)
                    .setNewStore(true)
                    .build());
            workers.release(ReleaseWorkerIdRequest.newBuilder()
                    .setGroup("default")
                    .setSlot(slot)
                    .setLastUsed(now)
                    .build());
        } finally {
            channel.shutdownNow();
        }
    }
}

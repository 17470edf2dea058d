package dev.tenon.etcd;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.Compare;
import io.etcd.jetcd.api.DeleteRangeRequest;
import io.etcd.jetcd.api.KVGrpc;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.PutRequest;
import io.etcd.jetcd.api.RangeRequest;
import io.etcd.jetcd.api.RequestOp;
import io.etcd.jetcd.api.ResponseOp;
import io.etcd.jetcd.api.TxnRequest;
import io.etcd.jetcd.api.TxnResponse;
import java.util.List;
import java.util.Optional;

/** The parts that etcd's transactions are made of, as etcd's own clients name them. */
final class EtcdOps {
    /** A transaction that writes: when its answer is lost, nobody knows whether it happened. */
    static final EtcdLink.Method<TxnRequest, TxnResponse> WRITE = new EtcdLink.Method<>(KVGrpc.getTxnMethod(), false);

    /** A transaction that only reads, all of it at one moment, and no earlier one than that of the call. */
    static final EtcdLink.Method<TxnRequest, TxnResponse> READ = new EtcdLink.Method<>(KVGrpc.getTxnMethod(), true);

    private EtcdOps() {}

    static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    static RequestOp put(String key, String value) {
        return put(key, value, 0);
    }

    /** A key that goes with its lease. */
    static RequestOp put(String key, String value, long lease) {
        PutRequest.Builder put = PutRequest.newBuilder()
                .setKey(bytes(key))
                .setValue(bytes(value))
                .setLease(lease);
        return RequestOp.newBuilder().setRequestPut(put).build();
    }

    static RequestOp get(String key) {
        return RequestOp.newBuilder()
                .setRequestRange(RangeRequest.newBuilder().setKey(bytes(key)))
                .build();
    }

    /** The first {@code limit} keys (0: all) from one key on to before another, in the order of the keys. */
    static RequestOp list(String from, String end, int limit) {
        RangeRequest.Builder range = RangeRequest.newBuilder()
                .setKey(bytes(from))
                .setRangeEnd(bytes(end))
                .setLimit(limit);
        return RequestOp.newBuilder().setRequestRange(range).build();
    }

    static RequestOp delete(String key) {
        return RequestOp.newBuilder()
                .setRequestDeleteRange(DeleteRangeRequest.newBuilder().setKey(bytes(key)))
                .build();
    }

    /** A transaction inside one. */
    static RequestOp nested(TxnRequest transaction) {
        return RequestOp.newBuilder().setRequestTxn(transaction).build();
    }

    static Compare value(String key, Compare.CompareResult result, String value) {
        return Compare.newBuilder()
                .setKey(bytes(key))
                .setTarget(Compare.CompareTarget.VALUE)
                .setResult(result)
                .setValue(bytes(value))
                .build();
    }

    /** The key has this value; or is not there, if none is given. */
    static Compare unchanged(String key, Optional<String> value) {
        return value.map(known -> value(key, Compare.CompareResult.EQUAL, known))
                .orElseGet(() -> created(key, 0));
    }

    /** The key was made by that revision and is there ever since; 0: it is not there. */
    static Compare created(String key, long revision) {
        return Compare.newBuilder()
                .setKey(bytes(key))
                .setTarget(Compare.CompareTarget.CREATE)
                .setResult(Compare.CompareResult.EQUAL)
                .setCreateRevision(revision)
                .build();
    }

    /** The key was last written by that revision; 0: it is not there. */
    static Compare written(String key, long revision) {
        return Compare.newBuilder()
                .setKey(bytes(key))
                .setTarget(Compare.CompareTarget.MOD)
                .setResult(Compare.CompareResult.EQUAL)
                .setModRevision(revision)
                .build();
    }

    static TxnRequest all(RequestOp... ops) {
        return TxnRequest.newBuilder().addAllSuccess(List.of(ops)).build();
    }

    /** What the operation at that place has found. */
    static List<KeyValue> found(TxnResponse response, int place) {
        ResponseOp op = response.getResponses(place);
        return op.getResponseRange().getKvsList();
    }

    static Optional<KeyValue> foundOne(TxnResponse response, int place) {
        return found(response, place).stream().findFirst();
    }

    static String text(KeyValue pair) {
        return pair.getValue().toStringUtf8();
    }
}

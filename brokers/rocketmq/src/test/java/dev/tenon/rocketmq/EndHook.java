package dev.tenon.rocketmq;

import java.util.concurrent.atomic.AtomicInteger;
import org.apache.rocketmq.common.sysflag.MessageSysFlag;
import org.apache.rocketmq.remoting.RPCHook;
import org.apache.rocketmq.remoting.protocol.RemotingCommand;
import org.apache.rocketmq.remoting.protocol.RequestCode;
import org.apache.rocketmq.remoting.protocol.header.EndTransactionRequestHeader;

/**
 * Loses what tells the broker how a local transaction has ended, and counts the check-backs that were answered "not
 * known".
 */
final class EndHook implements RPCHook {
    volatile boolean lost;
    final AtomicInteger unknown = new AtomicInteger();

    @Override
    public void doBeforeRequest(String broker, RemotingCommand request) {
        if (request.getCode() != RequestCode.END_TRANSACTION) {
            return;
        }
        EndTransactionRequestHeader end = (EndTransactionRequestHeader) request.readCustomHeader();
        if (end.getFromTransactionCheck() && end.getCommitOrRollback() == MessageSysFlag.TRANSACTION_NOT_TYPE) {
            unknown.incrementAndGet();
        }
        if (lost) {
            throw new IllegalStateException("lost");
        }
    }

    @Override
    public void doAfterResponse(String broker, RemotingCommand request, RemotingCommand response) {}
}

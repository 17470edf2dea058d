package dev.tenon.client;

import dev.tenon.client.ClientCall.Method;
import dev.tenon.client.ClientCall.Repeat;
import dev.tenon.protocol.AcquireAllRequest;
import dev.tenon.protocol.AcquireAllResponse;
import dev.tenon.protocol.AcquireRequest;
import dev.tenon.protocol.BeginTransactionRequest;
import dev.tenon.protocol.BeginTransactionResponse;
import dev.tenon.protocol.CancelRequest;
import dev.tenon.protocol.CancelResponse;
import dev.tenon.protocol.ClaimTransactionsRequest;
import dev.tenon.protocol.ClaimTransactionsResponse;
import dev.tenon.protocol.ClaimWorkerIdRequest;
import dev.tenon.protocol.ClaimedWorkerId;
import dev.tenon.protocol.CloseSessionRequest;
import dev.tenon.protocol.CloseSessionResponse;
import dev.tenon.protocol.DecodeIdRequest;
import dev.tenon.protocol.DecodeIdResponse;
import dev.tenon.protocol.DefineIdsRequest;
import dev.tenon.protocol.DefineRangeRequest;
import dev.tenon.protocol.DefineRangeResponse;
import dev.tenon.protocol.DefinitionsGrpc;
import dev.tenon.protocol.DescribeIdsRequest;
import dev.tenon.protocol.DescribeLocksRequest;
import dev.tenon.protocol.EvictLockRequest;
import dev.tenon.protocol.EvictLockResponse;
import dev.tenon.protocol.FindDefinitionRequest;
import dev.tenon.protocol.FindDefinitionResponse;
import dev.tenon.protocol.FindTransactionRequest;
import dev.tenon.protocol.FindTransactionResponse;
import dev.tenon.protocol.IdsDefinition;
import dev.tenon.protocol.IdsGrpc;
import dev.tenon.protocol.InspectLockRequest;
import dev.tenon.protocol.InspectLockResponse;
import dev.tenon.protocol.KeepAliveRequest;
import dev.tenon.protocol.KeepAliveResponse;
import dev.tenon.protocol.ListDefinitionsRequest;
import dev.tenon.protocol.ListDefinitionsResponse;
import dev.tenon.protocol.ListLocksRequest;
import dev.tenon.protocol.ListLocksResponse;
import dev.tenon.protocol.ListTransactionsRequest;
import dev.tenon.protocol.ListTransactionsResponse;
import dev.tenon.protocol.LockOutcome;
import dev.tenon.protocol.LockTraits;
import dev.tenon.protocol.LocksGrpc;
import dev.tenon.protocol.LogTime;
import dev.tenon.protocol.LogTimeRequest;
import dev.tenon.protocol.NextIdByCodeRequest;
import dev.tenon.protocol.NextIdByCodeResponse;
import dev.tenon.protocol.NextIdsRequest;
import dev.tenon.protocol.NextIdsResponse;
import dev.tenon.protocol.NextRangeRequest;
import dev.tenon.protocol.NumberRange;
import dev.tenon.protocol.OpenSessionRequest;
import dev.tenon.protocol.OpenSessionResponse;
import dev.tenon.protocol.PurgeTransactionsRequest;
import dev.tenon.protocol.PurgeTransactionsResponse;
import dev.tenon.protocol.PutDefinitionRequest;
import dev.tenon.protocol.PutDefinitionResponse;
import dev.tenon.protocol.RaiseRangeRequest;
import dev.tenon.protocol.RaiseRangeResponse;
import dev.tenon.protocol.RangeDefinitionRequest;
import dev.tenon.protocol.RangeDefinitionResponse;
import dev.tenon.protocol.RangesGrpc;
import dev.tenon.protocol.ReleaseRequest;
import dev.tenon.protocol.ReleaseResponse;
import dev.tenon.protocol.ReleaseWorkerIdRequest;
import dev.tenon.protocol.ReleaseWorkerIdResponse;
import dev.tenon.protocol.RemoveDefinitionRequest;
import dev.tenon.protocol.RemoveDefinitionResponse;
import dev.tenon.protocol.RenewRequest;
import dev.tenon.protocol.RenewResponse;
import dev.tenon.protocol.RenewWorkerIdRequest;
import dev.tenon.protocol.RenewWorkerIdResponse;
import dev.tenon.protocol.ReplaceDefinitionRequest;
import dev.tenon.protocol.ReplaceDefinitionResponse;
import dev.tenon.protocol.RevokeLockRequest;
import dev.tenon.protocol.RevokeLockResponse;
import dev.tenon.protocol.TransactionHistoryRequest;
import dev.tenon.protocol.TransactionHistoryResponse;
import dev.tenon.protocol.TransactionLogGrpc;
import dev.tenon.protocol.UpdateTransactionRequest;
import dev.tenon.protocol.UpdateTransactionResponse;
import dev.tenon.protocol.WorkerCensusRequest;
import dev.tenon.protocol.WorkerCensusResponse;
import dev.tenon.protocol.WorkerIdsGrpc;

/** Every kind of call, and how it bears to be repeated when its reply was lost. */
final class ClientMethods {
    static final Method<DescribeLocksRequest, LockTraits> DESCRIBE =
            new Method<>(LocksGrpc.getDescribeMethod(), Repeat.LOOKS);
    static final Method<OpenSessionRequest, OpenSessionResponse> OPEN_SESSION =
            new Method<>(LocksGrpc.getOpenSessionMethod(), Repeat.SAME);
    static final Method<KeepAliveRequest, KeepAliveResponse> KEEP_ALIVE =
            new Method<>(LocksGrpc.getKeepAliveMethod(), Repeat.SAME);
    static final Method<CloseSessionRequest, CloseSessionResponse> CLOSE_SESSION =
            new Method<>(LocksGrpc.getCloseSessionMethod(), Repeat.SAME);
    static final Method<AcquireRequest, LockOutcome> ACQUIRE = new Method<>(LocksGrpc.getAcquireMethod(), Repeat.SAME);
    static final Method<AcquireAllRequest, AcquireAllResponse> ACQUIRE_ALL =
            new Method<>(LocksGrpc.getAcquireAllMethod(), Repeat.SAME);
    static final Method<ReleaseRequest, ReleaseResponse> RELEASE =
            new Method<>(LocksGrpc.getReleaseMethod(), Repeat.ONCE);
    static final Method<RenewRequest, RenewResponse> RENEW = new Method<>(LocksGrpc.getRenewMethod(), Repeat.SAME);
    static final Method<CancelRequest, CancelResponse> CANCEL = new Method<>(LocksGrpc.getCancelMethod(), Repeat.SAME);
    static final Method<InspectLockRequest, InspectLockResponse> INSPECT =
            new Method<>(LocksGrpc.getInspectMethod(), Repeat.LOOKS);
    static final Method<ListLocksRequest, ListLocksResponse> LIST =
            new Method<>(LocksGrpc.getListMethod(), Repeat.LOOKS);
    static final Method<EvictLockRequest, EvictLockResponse> EVICT =
            new Method<>(LocksGrpc.getEvictMethod(), Repeat.ONCE);
    static final Method<RevokeLockRequest, RevokeLockResponse> REVOKE =
            new Method<>(LocksGrpc.getRevokeMethod(), Repeat.SAME);
    static final Method<NextRangeRequest, NumberRange> NEXT_RANGE =
            new Method<>(RangesGrpc.getNextMethod(), Repeat.ONCE);
    static final Method<DefineRangeRequest, DefineRangeResponse> DEFINE_RANGE =
            new Method<>(RangesGrpc.getDefineMethod(), Repeat.SAME);
    static final Method<RangeDefinitionRequest, RangeDefinitionResponse> RANGE_DEFINITION =
            new Method<>(RangesGrpc.getDefinitionMethod(), Repeat.LOOKS);
    static final Method<RaiseRangeRequest, RaiseRangeResponse> RAISE_RANGE =
            new Method<>(RangesGrpc.getRaiseMethod(), Repeat.SAME);
    static final Method<ClaimWorkerIdRequest, ClaimedWorkerId> CLAIM_WORKER_ID =
            new Method<>(WorkerIdsGrpc.getClaimMethod(), Repeat.SAME);
    static final Method<RenewWorkerIdRequest, RenewWorkerIdResponse> RENEW_WORKER_ID =
            new Method<>(WorkerIdsGrpc.getRenewMethod(), Repeat.SAME);
    static final Method<ReleaseWorkerIdRequest, ReleaseWorkerIdResponse> RELEASE_WORKER_ID =
            new Method<>(WorkerIdsGrpc.getReleaseMethod(), Repeat.SAME);
    static final Method<WorkerCensusRequest, WorkerCensusResponse> CENSUS =
            new Method<>(WorkerIdsGrpc.getCensusMethod(), Repeat.LOOKS);
    static final Method<FindDefinitionRequest, FindDefinitionResponse> FIND_DEFINITION =
            new Method<>(DefinitionsGrpc.getFindMethod(), Repeat.LOOKS);
    static final Method<PutDefinitionRequest, PutDefinitionResponse> PUT_DEFINITION =
            new Method<>(DefinitionsGrpc.getPutIfAbsentMethod(), Repeat.SAME);
    static final Method<ReplaceDefinitionRequest, ReplaceDefinitionResponse> REPLACE_DEFINITION =
            new Method<>(DefinitionsGrpc.getReplaceMethod(), Repeat.ONCE);
    static final Method<RemoveDefinitionRequest, RemoveDefinitionResponse> REMOVE_DEFINITION =
            new Method<>(DefinitionsGrpc.getRemoveMethod(), Repeat.ONCE);
    static final Method<ListDefinitionsRequest, ListDefinitionsResponse> LIST_DEFINITIONS =
            new Method<>(DefinitionsGrpc.getListMethod(), Repeat.LOOKS);
    static final Method<NextIdsRequest, NextIdsResponse> NEXT_IDS = new Method<>(IdsGrpc.getNextMethod(), Repeat.ONCE);
    static final Method<NextIdByCodeRequest, NextIdByCodeResponse> NEXT_ID_BY_CODE =
            new Method<>(IdsGrpc.getNextByCodeMethod(), Repeat.ONCE);
    static final Method<DecodeIdRequest, DecodeIdResponse> DECODE_ID =
            new Method<>(IdsGrpc.getDecodeMethod(), Repeat.LOOKS);
    static final Method<DefineIdsRequest, IdsDefinition> DEFINE_IDS =
            new Method<>(IdsGrpc.getDefineMethod(), Repeat.SAME);
    static final Method<DescribeIdsRequest, IdsDefinition> DESCRIBE_IDS =
            new Method<>(IdsGrpc.getDescribeMethod(), Repeat.LOOKS);

    static final Method<LogTimeRequest, LogTime> LOG_TIME =
            new Method<>(TransactionLogGrpc.getNowMethod(), Repeat.LOOKS);
    static final Method<BeginTransactionRequest, BeginTransactionResponse> BEGIN_TRANSACTION =
            new Method<>(TransactionLogGrpc.getBeginMethod(), Repeat.ONCE);
    static final Method<FindTransactionRequest, FindTransactionResponse> FIND_TRANSACTION =
            new Method<>(TransactionLogGrpc.getFindMethod(), Repeat.LOOKS);
    static final Method<UpdateTransactionRequest, UpdateTransactionResponse> UPDATE_TRANSACTION =
            new Method<>(TransactionLogGrpc.getUpdateMethod(), Repeat.ONCE);
    static final Method<ClaimTransactionsRequest, ClaimTransactionsResponse> CLAIM_TRANSACTIONS =
            new Method<>(TransactionLogGrpc.getClaimMethod(), Repeat.ONCE);
    static final Method<ListTransactionsRequest, ListTransactionsResponse> LIST_TRANSACTIONS =
            new Method<>(TransactionLogGrpc.getListMethod(), Repeat.LOOKS);
    static final Method<TransactionHistoryRequest, TransactionHistoryResponse> TRANSACTION_HISTORY =
            new Method<>(TransactionLogGrpc.getHistoryMethod(), Repeat.LOOKS);
    static final Method<PurgeTransactionsRequest, PurgeTransactionsResponse> PURGE_TRANSACTIONS =
            new Method<>(TransactionLogGrpc.getPurgeMethod(), Repeat.ONCE);

    private ClientMethods() {}
}

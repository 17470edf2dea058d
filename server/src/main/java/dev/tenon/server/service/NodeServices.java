package dev.tenon.server.service;

import dev.tenon.server.backend.ServerBackend;
import dev.tenon.server.ids.IdCatalog;
import dev.tenon.server.ids.IdCodes;
import dev.tenon.server.locks.LockService;
import dev.tenon.server.observe.Metrics;
import dev.tenon.server.outbox.OutboxService;
import dev.tenon.server.quota.Quotas;
import dev.tenon.server.tx.TransactionService;
import java.util.Optional;

/**
 * What the interfaces of a node offer.
 *
 * @param backend the store under all of it
 * @param locks locks for clients that are not in this process
 * @param quotas how much of it one key may have, and all of them
 * @param ids IDs by name
 * @param codes IDs by code
 * @param calls runs calls of IDs
 * @param transactions transactions, where the store can keep them
 * @param outbox messages of outboxes, where the store has such
 * @param metrics what is counted and measured
 * @param readiness whether the node still wants requests
 */
public record NodeServices(
        ServerBackend backend,
        LockService locks,
        Quotas quotas,
        IdCatalog ids,
        IdCodes codes,
        IdCalls calls,
        Optional<TransactionService> transactions,
        Optional<OutboxService> outbox,
        Metrics metrics,
        Readiness readiness) {}

package dev.tenon.spring;

import dev.tenon.tx.global.GlobalTransactions;
import dev.tenon.tx.global.OutgoingCall;
import java.util.function.Supplier;
import org.springframework.web.reactive.function.client.ClientRequest;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.ExchangeFilterFunction;
import org.springframework.web.reactive.function.client.ExchangeFunction;
import reactor.core.publisher.Mono;

/**
 * Has services that WebClient calls take part in the transaction of the thread that subscribes, such as by
 * {@code block()}. It writes the branch into the log there, which blocks that thread for a moment. Thread-safe.
 */
final class GlobalTransactionExchangeFilter implements ExchangeFilterFunction {
    private final Supplier<GlobalTransactions> transactions;

    GlobalTransactionExchangeFilter(Supplier<GlobalTransactions> transactions) {
        this.transactions = transactions;
    }

    @Override
    public Mono<ClientResponse> filter(ClientRequest request, ExchangeFunction next) {
        return Mono.defer(() -> transactions
                .get()
                .outgoing(request.url().toString())
                .map(call -> exchange(call, request, next))
                .orElseGet(() -> next.exchange(request)));
    }

    private static Mono<ClientResponse> exchange(OutgoingCall call, ClientRequest request, ExchangeFunction next) {
        ClientRequest within = ClientRequest.from(request)
                .headers(headers -> headers.set(GlobalTransactions.HEADER, call.header()))
                .build();
        return next.exchange(within)
                .doOnNext(response ->
                        call.answered(response.headers().asHttpHeaders().getFirst(GlobalTransactions.HEADER)))
                .doFinally(signal -> call.close());
    }
}

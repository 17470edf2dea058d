package dev.tenon.spring;

import dev.tenon.tx.global.GlobalTransactions;
import java.io.IOException;
import java.util.function.Supplier;
import org.springframework.http.HttpRequest;
import org.springframework.http.client.ClientHttpRequestExecution;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.http.client.ClientHttpResponse;

/** Has services that RestClient and RestTemplate call take part in the transaction of the thread. Thread-safe. */
final class GlobalTransactionHttpInterceptor implements ClientHttpRequestInterceptor {
    private final Supplier<GlobalTransactions> transactions;

    GlobalTransactionHttpInterceptor(Supplier<GlobalTransactions> transactions) {
        this.transactions = transactions;
    }

    @Override
    public ClientHttpResponse intercept(HttpRequest request, byte[] body, ClientHttpRequestExecution execution)
            throws IOException {
        return transactions
                .get()
                .exchange(
                        request.getURI().toString(),
                        header -> {
                            if (header != null) {
                                request.getHeaders().set(GlobalTransactions.HEADER, header);
                            }
                            return execution.execute(request, body);
                        },
                        response -> response.getHeaders().getFirst(GlobalTransactions.HEADER));
    }
}

package dev.tenon.examples.shop.orders;

import dev.tenon.examples.shop.wire.Services;
import dev.tenon.jdbc.JdbcBackend;
import dev.tenon.tx.NamedParticipants;
import dev.tenon.tx.Participant;
import dev.tenon.tx.Reply;
import dev.tenon.tx.RetryPolicy;
import dev.tenon.tx.TransactionOptions;
import dev.tenon.tx.Transactions;
import dev.tenon.tx.engine.TransactionEngine;
import dev.tenon.tx.message.MessageHandlers;
import dev.tenon.tx.message.MessageSink;
import dev.tenon.tx.message.Outbox;
import dev.tenon.tx.message.OutboxOptions;
import dev.tenon.tx.saga.Saga;
import dev.tenon.tx.tcc.TccParticipant;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Bean;

/** The order service. */
@SpringBootApplication(proxyBeanMethods = false)
public final class OrderService {
    /** How soon another process goes on with what this one was at when it was killed. */
    private static final Duration CLAIM = Duration.ofSeconds(9);

    private static final RetryPolicy SOON =
            new RetryPolicy(Duration.ofMillis(200), 2, Duration.ofSeconds(2), RetryPolicy.FOR_EVER.limit());

    /** Starts it; settings as {@code --key=value}. */
    public static void main(String[] args) {
        new SpringApplicationBuilder(OrderService.class)
                .properties("spring.config.name=orders")
                .run(args);
    }

    @Bean
    Services services() {
        return new Services();
    }

    // tag::saga[]
    @Bean
    Saga orderSaga(Services services, @Value("${shop.coupons}") String coupons, Purchase purchase) {
        Participant coupon = services.participant(coupons + "/branches/coupon");
        return Saga.named("order", 1)
                .step("order", call -> Reply.done(), purchase::cancel)
                .step("coupon", coupon, coupon)
                .step("buy", purchase::buy)
                .pivot() // before it the saga can turn back
                .retry(SOON)
                .deadline(Duration.ofMinutes(2))
                .build();
    }
    // end::saga[]

    // tag::participants[]
    @Bean
    TccParticipant stock(Services services, @Value("${shop.stock}") String stock) {
        Participant shelf = services.participant(stock + "/branches/stock");
        return TccParticipant.of(shelf, shelf, shelf);
    }

    @Bean
    TccParticipant wallet(Services services, @Value("${shop.payment}") String payment) {
        Participant wallet = services.participant(payment + "/branches/wallet");
        return TccParticipant.of(wallet, wallet, wallet);
    }

    @Bean
    MessageSink parcels(Services services, @Value("${shop.stock}") String stock) {
        return MessageHandlers.none().with("parcels", services.mailbox(stock + "/messages"));
    }
    // end::participants[]

    // Shorter than by default: somebody watches.

    @Bean(destroyMethod = "close")
    Transactions transactions(JdbcBackend jdbc, NamedParticipants participants) {
        TransactionOptions options =
                TransactionOptions.DEFAULT.withService("orders").withClaim(CLAIM);
        return TransactionEngine.over(jdbc.transactions(), participants, options);
    }

    @Bean(initMethod = "start", destroyMethod = "close")
    Outbox outbox(JdbcBackend jdbc, MessageSink sink) {
        return Outbox.over(jdbc.outbox(), sink, OutboxOptions.DEFAULT.withClaim(CLAIM));
    }
}

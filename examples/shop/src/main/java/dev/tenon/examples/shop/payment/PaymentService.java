package dev.tenon.examples.shop.payment;

import dev.tenon.examples.shop.wire.BranchRequest;
import dev.tenon.examples.shop.wire.LocalBranch;
import java.util.Map;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.annotation.Import;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The payment service. */
@SpringBootApplication(proxyBeanMethods = false)
@Import(LocalBranch.class)
public final class PaymentService {
    /** Starts it; settings as {@code --key=value}. */
    public static void main(String[] args) {
        new SpringApplicationBuilder(PaymentService.class)
                .properties("spring.config.name=payment")
                .run(args);
    }

    @RestController
    static final class Desk {
        private final Wallets wallets;
        private final JdbcTemplate jdbc;

        Desk(Wallets wallets, JdbcTemplate jdbc) {
            this.wallets = wallets;
            this.jdbc = jdbc;
        }

        @PostMapping("/branches/wallet")
        ResponseEntity<String> wallet(@RequestBody BranchRequest request) {
            return LocalBranch.answer(wallets.handle(request.call()));
        }

        @GetMapping("/books")
        Map<String, Object> books() {
            return jdbc.queryForMap("""
                    select sum(deposit) as deposit, sum(available) as available, sum(frozen) as frozen, sum(spent) as spent
                    from wallet
                    """);
        }
    }
}

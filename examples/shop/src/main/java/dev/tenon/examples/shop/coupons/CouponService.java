package dev.tenon.examples.shop.coupons;

import dev.tenon.examples.shop.wire.BranchRequest;
import dev.tenon.examples.shop.wire.LocalBranch;
import java.util.Map;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The coupon service. */
@SpringBootApplication(proxyBeanMethods = false)
public final class CouponService {
    /** Starts it; settings as {@code --key=value}. */
    public static void main(String[] args) {
        new SpringApplicationBuilder(CouponService.class)
                .properties("spring.config.name=coupons")
                .run(args);
    }

    @RestController
    static final class Desk {
        private final Coupons coupons;

        Desk(Coupons coupons) {
            this.coupons = coupons;
        }

        @PostMapping("/branches/coupon")
        ResponseEntity<String> coupon(@RequestBody BranchRequest request) {
            return LocalBranch.answer(coupons.handle(request.payload(), request.call()));
        }

        @GetMapping("/books")
        Map<String, Integer> books() {
            return Map.of("used", coupons.used());
        }
    }
}

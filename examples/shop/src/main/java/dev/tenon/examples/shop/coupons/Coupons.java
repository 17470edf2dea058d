package dev.tenon.examples.shop.coupons;

import dev.tenon.redis.RedisBackend;
import dev.tenon.redis.RedisFence;
import dev.tenon.spring.CurrentLease;
import dev.tenon.spring.Locked;
import dev.tenon.tx.BranchCall;
import dev.tenon.tx.Reply;
import java.util.Arrays;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.stereotype.Service;

/**
 * A few coupons for each user. Redis has no local transaction and so no barrier: what a coupon's history says of a
 * transaction is one. {@code order-17=used} stands for idempotence, {@code order-17=back} for the rest: a coupon that
 * comes back before it was used can't be used by that order any more.
 */
@Service
class Coupons {
    private static final int USERS = 20;
    private static final int COUPONS_OF_EACH = 4;

    private final RedisFence fence;
    private final CurrentLease lease;

    Coupons(RedisBackend redis, CurrentLease lease) {
        this.fence = redis.fence();
        this.lease = lease;
    }

    // tag::coupon[]
    @Locked(key = "'coupon:' + #user")
    public Reply handle(String user, BranchCall call) {
        fence.check("coupon:" + user, lease.token()); // whoever held the lock before writes no more
        Map<String, String> history = history(user);
        String order = call.gid().text();
        if (call.operation().undoes()) {
            history.put(order, "back");
        } else if ("back".equals(history.get(order))) {
            return Reply.refused("given back before it was used");
        } else if (!history.containsKey(order) && used(history) == COUPONS_OF_EACH) {
            return Reply.refused("no coupon left");
        } else {
            history.put(order, "used");
        }
        fence.set("coupon:" + user, text(history), lease.token());
        return Reply.done();
    }
    // end::coupon[]

    /** How many are used, of all users. */
    int used() {
        int used = 0;
        for (int user = 1; user <= USERS; user++) {
            used += (int) used(history("user-" + user));
        }
        return used;
    }

    private static long used(Map<String, String> history) {
        return history.values().stream().filter("used"::equals).count();
    }

    private Map<String, String> history(String user) {
        return Arrays.stream(fence.value("coupon:" + user).orElse("").split(";"))
                .filter(entry -> !entry.isEmpty())
                .map(entry -> entry.split("="))
                .collect(Collectors.toMap(entry -> entry[0], entry -> entry[1], (one, other) -> other, TreeMap::new));
    }

    private static String text(Map<String, String> history) {
        return history.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .collect(Collectors.joining(";"));
    }
}

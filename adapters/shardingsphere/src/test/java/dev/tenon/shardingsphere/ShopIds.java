package dev.tenon.shardingsphere;

import dev.tenon.id.IdGenerator;
import dev.tenon.id.IdLayout;
import dev.tenon.id.SnowflakeGenerator;
import dev.tenon.id.WorkerId;
import java.util.Map;
import java.util.function.Function;

// tag::ids[]
/** The generators of an application, for ShardingSphere to make. */
public final class ShopIds implements Function<String, IdGenerator> {
    private final Map<String, IdGenerator> ids =
            Map.of("t_log", SnowflakeGenerator.create(IdLayout.twitter(), WorkerId.fixed(7)));

    @Override
    public IdGenerator apply(String name) {
        return ids.get(name);
    }
}
// end::ids[]

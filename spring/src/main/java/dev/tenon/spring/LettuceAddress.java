package dev.tenon.spring;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration.WithAuthentication;
import org.springframework.data.redis.connection.RedisNode;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/** Where a connection factory of Spring Data Redis connects to, as one address. */
final class LettuceAddress {
    private LettuceAddress() {}

    static String of(LettuceConnectionFactory factory) {
        String tls = factory.isUseSsl() ? "s" : "";
        RedisClusterConfiguration cluster = factory.getClusterConfiguration();
        if (cluster != null) {
            return "redis" + tls + "-cluster://" + user(cluster) + nodes(cluster.getClusterNodes());
        }
        RedisSentinelConfiguration sentinel = factory.getSentinelConfiguration();
        if (sentinel != null) {
            return "redis" + tls + "-sentinel://" + user(sentinel) + nodes(sentinel.getSentinels()) + "/"
                    + sentinel.getDatabase() + "#" + master(sentinel);
        }
        RedisStandaloneConfiguration one = factory.getStandaloneConfiguration();
        String host = one.getHostName();
        return "redis" + tls + "://" + user(one) + (host.contains(":") ? "[" + host + "]" : host) + ":" + one.getPort()
                + "/" + one.getDatabase();
    }

    private static String master(RedisSentinelConfiguration sentinel) {
        var master = sentinel.getMaster();
        return master == null ? "" : String.valueOf(master.getName());
    }

    private static String nodes(Iterable<RedisNode> nodes) {
        return StreamSupport.stream(nodes.spliterator(), false)
                .map(RedisNode::asString)
                .sorted()
                .collect(Collectors.joining(","));
    }

    private static String user(WithAuthentication given) {
        String password = given.getPassword().map(String::new).orElse("");
        String name = given.getUsername();
        return password.isEmpty() && name == null ? "" : encoded(name) + ":" + encoded(password) + "@";
    }

    private static String encoded(@Nullable String text) {
        return text == null
                ? ""
                : URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }
}

package dev.tenon.server;

import dev.tenon.etcd.EtcdOptions;
import dev.tenon.zookeeper.ZooKeeperOptions;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A store that a team runs already, as {@code --store} names it. Never shows a password.
 *
 * @param uri {@code jdbc:…}, {@code redis://…}, {@code redis-sentinel://…} or {@code redis-cluster://…}, or {@code
 *     rediss…} for TLS; {@code zookeeper://host:port,…/chroot}; {@code etcd://host:port,…/prefix}, or {@code etcds://…}
 *     for TLS; it may have user and password in it
 * @param user the user, if not in the URI
 * @param password the password, if not in the URI
 */
public record StoreLocation(String uri, Optional<String> user, Optional<String> password) {
    /** What is there, and how its addresses begin. */
    enum Kind {
        JDBC("jdbc:h2:", "jdbc:mariadb:", "jdbc:mysql:", "jdbc:postgresql:"),
        REDIS("redis:", "rediss:", "redis-sentinel:", "rediss-sentinel:", "redis-cluster:", "rediss-cluster:"),
        ZOOKEEPER("zookeeper://"),
        ETCD("etcd://", "etcds://");

        private final List<String> schemes;

        Kind(String... schemes) {
            this.schemes = List.of(schemes);
        }

        static Optional<Kind> of(String uri) {
            return Arrays.stream(values())
                    .filter(kind -> kind.schemes.stream().anyMatch(uri::startsWith))
                    .findFirst();
        }
    }

    private static final int ETCD_PORT = 2379;
    /** As ZooKeeper has it: a server is to bear a change of the leader. */
    private static final Duration ETCD_TIMEOUT = ZooKeeperOptions.DEFAULT.requestTimeout();

    private static final Pattern USER_INFO = Pattern.compile("//([^/@]*)@");
    private static final Pattern SECRET = Pattern.compile("(?i)(password|passwd|pwd)=[^&;\\s]*");
    private static final Pattern NAMES_USER = Pattern.compile("(?i)[?&;]user=");

    /**
     * Checks that there is a backend for it.
     *
     * @throws IllegalArgumentException if there is none, or credentials come twice or in part
     */
    public StoreLocation {
        if (Kind.of(uri).isEmpty()) {
            Matcher name = Pattern.compile("(jdbc:)?[A-Za-z0-9+.-]+:").matcher(uri);
            throw new IllegalArgumentException("Unsupported store: "
                    + (name.lookingAt() ? "\"" + name.group() + "…\"" : "the value of --store")
                    + "; supported are jdbc:postgresql://, jdbc:mariadb://, jdbc:h2:, redis://, "
                    + "redis-sentinel:// and redis-cluster:// (rediss… with TLS), "
                    + "zookeeper://, etcd:// (etcds:// with TLS), and jdbc:mysql:// if its driver is added");
        }
        if (uri.matches("(zookeeper|etcds?)://([^/@]*@)?(/.*)?")) {
            throw new IllegalArgumentException("The address of the store has no host");
        }
        boolean jdbc = uri.startsWith("jdbc:");
        boolean redis = uri.startsWith("redis");
        boolean inside =
                jdbc ? NAMES_USER.matcher(uri).find() : USER_INFO.matcher(uri).find();
        if (inside && (user.isPresent() || password.isPresent() && !jdbc)) {
            throw new IllegalArgumentException(
                    "User and password are given twice: in the URI of the store and separately");
        }
        if (!redis && password.isPresent() && user.isEmpty() && !inside) {
            throw new IllegalArgumentException("The store has a password, but no user");
        }
    }

    /** Which backend it is for. */
    Kind kind() {
        return Kind.of(uri).orElseThrow();
    }

    /** The URI with the credentials in it, for a Redis. */
    String redisUri() {
        if (user.isEmpty() && password.isEmpty()) {
            return uri;
        }
        String info = encoded(user.orElse("")) + ":" + encoded(password.orElse("")) + "@";
        int host = uri.indexOf("://") + "://".length();
        return uri.substring(0, host) + info + uri.substring(host);
    }

    /** The servers and the chroot, for a ZooKeeper. */
    String zooKeeperConnectString() {
        String path = path();
        return hosts() + (path.isEmpty() ? "" : "/" + path);
    }

    /** The defaults, with the credentials. */
    ZooKeeperOptions zooKeeperOptions() {
        return credentials()
                .map(given -> ZooKeeperOptions.DEFAULT.withCredentials(given.name() + ":" + given.password()))
                .orElse(ZooKeeperOptions.DEFAULT);
    }

    /** The members, the key prefix if there is one, and the credentials, for an etcd. */
    EtcdOptions etcdOptions() {
        String scheme = uri.startsWith("etcds:") ? "https://" : "http://";
        String[] endpoints = Arrays.stream(hosts().split(",", -1))
                .map(host -> scheme + (host.matches(".*:\\d+") ? host : host + ":" + ETCD_PORT))
                .toArray(String[]::new);
        EtcdOptions options = EtcdOptions.of(endpoints).withCommandTimeout(ETCD_TIMEOUT);
        String path = path();
        EtcdOptions placed = path.isEmpty() ? options : options.withKeyPrefix(path);
        return credentials()
                .map(given -> placed.withUser(given.name(), given.password()))
                .orElse(placed);
    }

    private record Credentials(String name, String password) {}

    /** In the URI, percent-encoded, or beside it. */
    private Optional<Credentials> credentials() {
        Matcher info = USER_INFO.matcher(uri);
        if (info.find()) {
            String[] parts = info.group(1).split(":", 2);
            return Optional.of(new Credentials(decoded(parts[0]), parts.length > 1 ? decoded(parts[1]) : ""));
        }
        return user.map(name -> new Credentials(name, password.orElse("")));
    }

    /** What is between the credentials and the path. */
    private String hosts() {
        String rest = afterScheme(uri);
        int slash = rest.indexOf('/');
        return slash < 0 ? rest : rest.substring(0, slash);
    }

    /** What is behind the first slash, without one at its end; empty if there is nothing. */
    private String path() {
        String rest = afterScheme(uri);
        int slash = rest.indexOf('/');
        String path = slash < 0 ? "" : rest.substring(slash + 1);
        return path.endsWith("/") ? path.substring(0, path.length() - 1) : path;
    }

    private static String afterScheme(String uri) {
        String bare = USER_INFO.matcher(uri).replaceFirst("//");
        return bare.substring(bare.indexOf("://") + "://".length());
    }

    /** The URI as it may be shown. */
    String shown() {
        String bare = USER_INFO.matcher(uri).replaceFirst("//");
        return SECRET.matcher(bare).replaceAll("$1=…");
    }

    /** A message of a driver as it may be shown. */
    String withoutSecrets(String message) {
        String text = message.replace(uri, shown());
        if (password.isPresent() && !password.get().isEmpty()) {
            text = text.replace(password.get(), "…");
        }
        return SECRET.matcher(text).replaceAll("$1=…");
    }

    @Override
    public String toString() {
        return shown();
    }

    private static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static String decoded(String text) {
        return URLDecoder.decode(text.replace("+", "%2B"), StandardCharsets.UTF_8);
    }
}

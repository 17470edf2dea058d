package dev.tenon.examples.shop;

import dev.tenon.examples.shop.coupons.CouponService;
import dev.tenon.examples.shop.orders.OrderService;
import dev.tenon.examples.shop.payment.PaymentService;
import dev.tenon.examples.shop.stock.StockService;
import dev.tenon.testkit.ForkedJvm;
import dev.tenon.testkit.MariaDbServer;
import dev.tenon.testkit.PostgresServer;
import dev.tenon.testkit.RedisServer;
import dev.tenon.testkit.SqlAddress;
import dev.tenon.testkit.TestPort;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/**
 * The stores, and the four services, each in a JVM of its own that is started again when it dies, as an orchestrator
 * would. {@code examples/shop/run} has it run until it is interrupted.
 */
final class OpenShop implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final SqlAddress stock;
    private final SqlAddress payment = PostgresServer.shared();
    private final SqlAddress orders = PostgresServer.shared();
    private final String redis = RedisServer.shared().uri();
    private final Path folder;
    private final Map<String, Service> services = new LinkedHashMap<>();
    private final ScheduledExecutorService orchestrator = Executors.newSingleThreadScheduledExecutor();

    /** A service, and the port that it comes back to. */
    private static final class Service {
        private final Class<?> main;
        private final TestPort port = TestPort.reserve();
        private final List<String> settings = new ArrayList<>();
        private volatile ForkedJvm jvm;

        Service(Class<?> main) {
            this.main = main;
        }

        String url() {
            return "http://127.0.0.1:" + port.number();
        }
    }

    private OpenShop(Path folder, SqlAddress stock) {
        this.folder = folder;
        this.stock = stock;
        services.put("stock", new Service(StockService.class));
        services.put("payment", new Service(PaymentService.class));
        services.put("coupons", new Service(CouponService.class));
        services.put("orders", new Service(OrderService.class));
    }

    /**
     * Opens it, and returns when every service answers.
     *
     * @param folder where the processes' IDs and logs are
     * @param stock the database of the stock service, of MariaDB or MySQL
     */
    static OpenShop at(Path folder, SqlAddress stock) {
        OpenShop shop = new OpenShop(folder, stock);
        try {
            shop.open();
        } catch (RuntimeException e) {
            shop.close();
            throw e;
        }
        return shop;
    }

    private void open() {
        byte[] key = new byte[32];
        new SecureRandom().nextBytes(key);
        database("stock", stock);
        database("payment", payment);
        database("orders", orders);
        settings("coupons").add("--tenon.redis.uri=" + redis);
        settings("orders").add("--ORDER_KEY=" + Base64.getEncoder().encodeToString(key));
        services.forEach((name, service) -> {
            settings("orders").add("--shop." + name + "=" + service.url());
            service.settings.addAll(List.of("--server.address=127.0.0.1", "--server.port=" + service.port.number()));
            service.settings.add("--logging.file.name=" + folder.resolve(name + ".log"));
        });
        services.forEach(this::start);
        orchestrator.scheduleWithFixedDelay(this::startTheDead, 200, 200, TimeUnit.MILLISECONDS);
        services.values().forEach(OpenShop::awaitAnswer);
        write("url", url());
    }

    private void database(String name, SqlAddress at) {
        settings(name)
                .addAll(List.of(
                        "--spring.datasource.url=" + at.url(),
                        "--spring.datasource.username=" + at.user(),
                        "--spring.datasource.password=" + at.password()));
    }

    private List<String> settings(String service) {
        return services.get(service).settings;
    }

    private void start(String name, Service service) {
        service.jvm = ForkedJvm.start(service.main, service.settings.toArray(String[]::new));
        write(name + ".pid", Long.toString(service.jvm.pid()));
    }

    private void startTheDead() {
        services.forEach((name, service) -> {
            if (!service.jvm.running()) {
                service.jvm.close();
                start(name, service);
            }
        });
    }

    private static void awaitAnswer(Service service) {
        try {
            Awaitility.await()
                    .atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(100))
                    .ignoreExceptionsInstanceOf(IOException.class)
                    .until(() -> get(service.url() + "/books").statusCode() == 200);
        } catch (ConditionTimeoutException e) {
            ForkedJvm jvm = service.jvm;
            throw new IllegalStateException(service.main + " does not answer:\n" + jvm.lines() + jvm.errors(), e);
        }
    }

    private static HttpResponse<String> get(String url) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url))
                .timeout(Duration.ofSeconds(10))
                .build();
        return HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    }

    /** The whole file or nothing of it is there for who reads it. */
    private void write(String file, String text) {
        try {
            Files.createDirectories(folder);
            Path draft = Files.writeString(folder.resolve(file + ".new"), text + "\n");
            Files.move(draft, folder.resolve(file), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where the shop's page is. */
    String url() {
        return services.get("orders").url();
    }

    SqlAddress stock() {
        return stock;
    }

    SqlAddress payment() {
        return payment;
    }

    SqlAddress orders() {
        return orders;
    }

    @Override
    public void close() {
        orchestrator.shutdownNow();
        try {
            orchestrator.awaitTermination(1, TimeUnit.MINUTES);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        services.values().forEach(service -> {
            if (service.jvm != null) {
                service.jvm.close();
            }
            service.port.close();
        });
    }

    /** Runs until its standard input ends, or it is interrupted. The argument is the folder. */
    public static void main(String[] args) throws IOException {
        try (OpenShop shop = at(Path.of(args[0]), MariaDbServer.shared())) {
            System.out.println("The shop is open: " + shop.url());
            while (System.in.read() >= 0) {
                // nothing to say
            }
        }
    }
}

package dev.tenon.browser;

import dev.tenon.server.Node;
import dev.tenon.server.NodeOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import tools.jackson.databind.JsonNode;

/** Writes the pictures of docs/server/console.md: {@code scripts/console-screenshots}. */
final class Screenshots {
    /** Some of both: a repository keeps every picture for ever. */
    private static final Set<String> SHOWN = Set.of(
            "overview-light",
            "overview-dark",
            "ids-light",
            "locks-light",
            "release-dark",
            "transactions-light",
            "transaction-light",
            "decode-light");

    private Screenshots() {}

    public static void main(String[] arguments) throws IOException {
        Path folder = Files.createDirectories(Path.of(arguments[0]));
        Path data = Files.createTempDirectory("tenon-pictures");
        try (Node node = Node.open(NodeOptions.at("127.0.0.1", 0), data);
                Browser browser = Browser.start()) {
            Api api = new Api(node.port());
            List<CompletableFuture<JsonNode>> waiting = scene(api);
            browser.size(1180, 760);
            for (String scheme : List.of("light", "dark")) {
                browser.prefer(scheme);
                pictures(browser, api, name -> {
                    if (SHOWN.contains(name + "-" + scheme)) {
                        Files.write(folder.resolve(name + "-" + scheme + ".png"), browser.screenshot());
                    }
                });
            }
            browser.size(400, 780);
            browser.prefer("light");
            browser.open(api.base() + "/#/locks");
            browser.awaitRow("orders/1042");
            Files.write(folder.resolve("phone.png"), browser.screenshot());
            waiting.forEach(future -> future.cancel(true));
            browser.size(1180, 760);
            try (ShopTransactions shop = ShopTransactions.at(api)) {
                transactions(browser, api, shop, name -> {
                    if (SHOWN.contains(name + "-light")) {
                        Files.write(folder.resolve(name + "-light.png"), browser.screenshot());
                    }
                });
            }
        }
    }

    /** A morning at a shop. */
    private static List<CompletableFuture<JsonNode>> scene(Api api) {
        api.define("orders", "{\"kind\":\"segment\",\"start\":700000,\"step\":1000}");
        api.define("invoices", "{\"kind\":\"template\",\"template\":\"INV{yyyy}-{seq:6}\",\"reset\":\"yearly\"}");
        api.define("users", "{\"kind\":\"typeid\",\"typePrefix\":\"user\"}");
        api.define("tickets", "{\"kind\":\"sequence\",\"max\":1000000}");
        api.define("shipments", "{\"kind\":\"snowflake\",\"layout\":\"sonyflake\",\"prefix\":\"SHP\"}");
        api.define("vouchers", "{\"kind\":\"shuffled\",\"public\":{\"type\":\"gift\"}}");
        api.define("events", "{\"kind\":\"uuid\"}");
        List.of("orders", "users", "tickets", "shipments", "events", "default")
                .forEach(name -> api.next(name, "?count=" + (name.length() * 37)));
        String checkout = api.session("checkout@shop-3");
        String billing = api.session("billing@shop-1");
        String report = api.session("report@batch-7");
        api.acquire("orders/1042", checkout, "exclusive");
        api.acquire("orders/1057", checkout, "exclusive");
        api.acquire("nightly-report", report, "exclusive");
        api.acquire("price-list", checkout, "shared");
        api.acquire("price-list", billing, "shared");
        return List.of(api.queue("orders/1042", billing), api.queue("orders/1042", report));
    }

    private static void pictures(Browser browser, Api api, Picture picture) throws IOException {
        browser.open(api.base() + "/#/");
        browser.awaitText("Locks held");
        for (int i = 1; i < 9; i++) {
            int count = 40 + 35 * (i * 7 % 5);
            long points = points(browser);
            browser.await("the next point", () -> {
                api.next("default", "?count=" + count);
                return points(browser) > points;
            });
        }
        picture.take("overview");
        browser.go("#/ids");
        browser.awaitText("until 2188", "left");
        picture.take("ids");
        browser.go("#/locks");
        browser.awaitRow("orders/1042");
        picture.take("locks");
        browser.go("#/locks/orders%2F1042");
        browser.awaitText("2 waiting");
        browser.click("Take it from");
        browser.fill("Reason", "shop-3 was switched off");
        picture.take("release");
        browser.click("Cancel");
        browser.go("#/decode?id=" + api.next("default", "").get(0));
        browser.awaitText("Snowflake, Twitter", "datacenter");
        browser.await("the definitions", () -> browser.has("link", "default"));
        picture.take("decode");
    }

    private static void transactions(Browser browser, Api api, ShopTransactions shop, Picture picture)
            throws IOException {
        browser.open(api.base() + "/#/transactions");
        browser.awaitRow(shop.stuck(), "stuck");
        browser.awaitRow("order-1042", "committed");
        browser.awaitRow("order-1044", "aborted");
        picture.take("transactions");
        browser.go("#/transactions/" + shop.stuck());
        browser.awaitText("It waits for an operator.");
        browser.awaitRow("card", "refused");
        picture.take("transaction");
    }

    private interface Picture {
        void take(String name) throws IOException;
    }

    private static long points(Browser browser) {
        return ((Number)
                        browser.script(
                                "return performance.getEntriesByType('resource').filter(e => e.name.endsWith('/readyz')).length"))
                .longValue();
    }
}

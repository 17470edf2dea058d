package dev.tenon.browser;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;

/** Transactions of a shop in every state that a picture should show; one of them waits for an operator. */
final class ShopTransactions implements AutoCloseable {
    private static final String STUCK = "order-1043";

    private final HttpServer participants;

    private ShopTransactions(HttpServer participants) {
        this.participants = participants;
    }

    static ShopTransactions at(Api api) throws IOException {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            String path = exchange.getRequestURI().getPath();
            boolean refused = path.endsWith("/refuse");
            byte[] why =
                    (path.startsWith("/card") ? "no money" : "the parcel has left").getBytes(StandardCharsets.UTF_8);
            exchange.sendResponseHeaders(refused ? 409 : path.endsWith("/away") ? 503 : 200, refused ? why.length : -1);
            if (refused) {
                exchange.getResponseBody().write(why);
            }
            exchange.close();
        });
        server.start();
        ShopTransactions shop = new ShopTransactions(server);
        api.call("POST", "/v1/transactions", shop.order("order-1042", "give-back", "pay"));
        api.call("POST", "/v1/transactions", shop.order(STUCK, "refuse", "refuse"));
        api.call("POST", "/v1/transactions", shop.order("order-1044", "give-back", "refuse"));
        api.call(
                "POST",
                "/v1/transactions",
                "{\"gid\":\"points-77\",\"kind\":\"message\",\"targets\":[{\"name\":\"points\",\"url\":\""
                        + shop.url("/points/away") + "\"}]}");
        api.call(
                "POST",
                "/v1/transactions",
                "{\"gid\":\"seat-12\",\"kind\":\"tcc\",\"deadline\":\"PT1H\",\"branches\":[{\"name\":\"seat\",\"confirm\":\""
                        + shop.url("/seat/take") + "\",\"cancel\":\"" + shop.url("/seat/free") + "\"}]}");
        return shop;
    }

    /** The one that waits: its payment was refused, and its stock can't be given back. */
    String stuck() {
        return STUCK;
    }

    private String order(String gid, String undo, String pay) {
        return "{\"gid\":\"" + gid + "\",\"kind\":\"saga\",\"wait\":true,\"steps\":[{\"name\":\"stock\",\"action\":\""
                + url("/stock/take") + "\",\"compensate\":\"" + url("/stock/" + undo)
                + "\"},{\"name\":\"card\",\"action\":\"" + url("/card/" + pay) + "\"}]}";
    }

    private String url(String path) {
        return "http://127.0.0.1:" + participants.getAddress().getPort() + path;
    }

    @Override
    public void close() {
        participants.stop(0);
    }
}

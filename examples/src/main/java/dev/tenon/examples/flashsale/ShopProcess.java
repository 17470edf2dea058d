package dev.tenon.examples.flashsale;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A shop in a process of its own, which {@link ForkedShop} starts. To {@code KIND URI} it answers {@code ready}; to
 * {@code sell}, how many it has sold, and {@code closed} when it has disconnected. It ends when its input does.
 */
final class ShopProcess {
    private ShopProcess() {}

    /** Runs the shop; the argument is the file of the stock. */
    public static void main(String[] args) throws IOException, InterruptedException {
        BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (StockFile stock = StockFile.open(Path.of(args[0]))) {
            Shop shop = new Shop(stock);
            for (String order = orders.readLine(); order != null; order = orders.readLine()) {
                String[] kindAndUri = order.split(" ", 2);
                try (Checkout checkout = new SaleBackend(kindAndUri[0], kindAndUri[1]).connect()) {
                    System.out.println("ready");
                    if (orders.readLine() != null) {
                        System.out.println(shop.sell(checkout));
                    }
                }
                System.out.println("closed");
            }
        }
    }
}

package dev.tenon.jdbc;

import java.io.File;
import java.io.PrintWriter;
import java.lang.reflect.Proxy;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Driver;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.function.Predicate;
import javax.sql.DataSource;

/**
 * The backend in class loaders that have one driver each, or none, with all checks of class files: its own JVM's, in a
 * test.
 */
public final class LoneDriver {
    private static final List<String> DRIVERS =
            List.of("/h2-", "/mariadb-java-client-", "/mysql-connector-j-", "/postgresql-");

    private LoneDriver() {}

    /**
     * Tries each address with the one driver that takes it, with none, and over a pool that has the driver elsewhere.
     */
    public static void main(String[] arguments) throws Exception {
        for (String argument : arguments) {
            String[] address = argument.split(" ", -1);
            String driver = "/" + address[0] + "-";
            say(address[0] + " alone", probe(entry -> !isDriver(entry) || entry.contains(driver), address, null));
            say(address[0] + " without", probe(entry -> !isDriver(entry), address, null));
            DataSource pool = pool(loader(entry -> entry.contains(driver)), address);
            say(address[0] + " elsewhere", probe(entry -> !isDriver(entry), address, pool));
        }
        String[] mysql = {"mysql", "jdbc:mysql://user:hush@127.0.0.1/shop?password=hush", "", ""};
        say("mysql without", probe(entry -> !entry.contains("/mysql-connector-j-"), mysql, null));
    }

    @SuppressWarnings("unchecked")
    private static String probe(Predicate<String> wanted, String[] address, DataSource pool) throws Exception {
        try (URLClassLoader loader = loader(wanted)) {
            Thread.currentThread().setContextClassLoader(loader);
            Class<?> probe = loader.loadClass("dev.tenon.jdbc.LoneDriverProbe");
            Function<Object[], String> made =
                    (Function<Object[], String>) probe.getDeclaredConstructor().newInstance();
            return made.apply(new Object[] {address[1], address[2], address[3], pool});
        }
    }

    private static URLClassLoader loader(Predicate<String> wanted) {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (wanted.test(entry)) {
                urls.add(url(entry));
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static URL url(String entry) {
        try {
            return Path.of(entry).toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static boolean isDriver(String entry) {
        return DRIVERS.stream().anyMatch(entry::contains);
    }

    /** Connects each time, by a driver that only it knows. */
    private static DataSource pool(ClassLoader loader, String[] address) {
        Driver driver = ServiceLoader.load(Driver.class, loader).findFirst().orElseThrow();
        Properties properties = new Properties();
        properties.setProperty("user", address[2]);
        properties.setProperty("password", address[3]);
        return (DataSource) Proxy.newProxyInstance(
                LoneDriver.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getConnection")) {
                        return driver.connect(address[1], properties);
                    }
                    throw new UnsupportedOperationException(method + " " + Arrays.toString(arguments));
                });
    }

    private static void say(String what, String outcome) {
        PrintWriter out = new PrintWriter(System.out, true);
        out.println(what + ": " + outcome);
    }
}

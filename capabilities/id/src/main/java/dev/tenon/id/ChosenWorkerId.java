package dev.tenon.id;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * Ways of choosing the number of a worker ID without asking a store: by configuration, by the ordinal in a Kubernetes
 * StatefulSet, by the IP address. None of them knows whether another process chose the same. How the number is then
 * held is what makes it safe:
 *
 * <ul>
 *   <li>{@link WorkerId#fixed}: as it is; the deployer sees to it that no two processes have it, and that clocks are
 *       right.
 *   <li>{@link WorkerId#inFile}: with a file that locks it on this machine and keeps its time fence through restarts.
 *   <li>{@link WorkerId.Builder#wanted}: leased from a store, which refuses it to a second process.
 * </ul>
 *
 * <p>Every method checks the number against the layout and throws an {@link IllegalArgumentException} that says what to
 * set, and to what. Thread-safe: no state.
 */
public final class ChosenWorkerId {
    private static final Pattern ORDINAL = Pattern.compile("[^.]*-(\\d+)(\\..*)?");
    private static final int BYTE_MASK = 0xFF;

    private ChosenWorkerId() {}

    /**
     * The number in a system property, or, where that is not set, in an environment variable; such as
     * {@code -DidBuilder.index=7} and {@code ID_BUILDER_INDEX=7}.
     *
     * @throws IllegalArgumentException if neither is set, or it is not a worker ID of the layout
     */
    public static int configured(String property, String environment, IdLayout layout) {
        return configured(property, environment, layout, System::getenv);
    }

    static int configured(
            String property, String environment, IdLayout layout, UnaryOperator<@Nullable String> variables) {
        String value = System.getProperty(property);
        String from = "The system property " + property;
        if (value == null) {
            value = variables.apply(Objects.requireNonNull(environment, "environment"));
            from = "The environment variable " + environment;
        }
        if (value == null) {
            throw new IllegalArgumentException("No worker ID: set the system property " + property
                    + " or the environment variable " + environment + " to " + range(layout));
        }
        return number(from, value.strip(), layout);
    }

    /**
     * The low bits of this machine's IP address, as many as the layout has for workers: with {@link IdLayout#sonyflake}
     * the low 16, which is sonyflake's default. The address is the first site-local IPv4 one (10/8, 172.16/12,
     * 192.168/16; RFC 1918) of an interface that is up, in the order of the interfaces' indexes.
     *
     * <p>Unique only among machines of one subnet that is no larger than the worker field, with one generator on each:
     * two containers behind one address, or two subnets, have the same number.
     *
     * <p>Source: github.com/sony/sonyflake, {@code lower16BitPrivateIP}.
     *
     * @throws IllegalArgumentException if this machine has no such address
     */
    public static int byIpAddress(IdLayout layout) {
        return byIpAddress(layout, siteLocal(addresses()));
    }

    /** The low bits of an address that the caller chose, IPv4 or IPv6; see {@link #byIpAddress(IdLayout)}. */
    public static int byIpAddress(IdLayout layout, InetAddress address) {
        byte[] bytes = address.getAddress();
        int low = 0;
        for (int i = bytes.length - Integer.BYTES; i < bytes.length; i++) {
            low = low << Byte.SIZE | bytes[i] & BYTE_MASK;
        }
        return low & layout.workers() - 1;
    }

    static InetAddress siteLocal(List<InetAddress> addresses) {
        return addresses.stream()
                .filter(address -> address instanceof Inet4Address && address.isSiteLocalAddress())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("No worker ID: this machine has no site-local IPv4"
                        + " address (10/8, 172.16/12, 192.168/16) among " + addresses
                        + "; choose the address yourself, or configure the worker ID"));
    }

    private static List<InetAddress> addresses() {
        List<InetAddress> found = new ArrayList<>();
        try {
            List<NetworkInterface> interfaces = Collections.list(NetworkInterface.getNetworkInterfaces());
            interfaces.sort((a, b) -> Integer.compare(a.getIndex(), b.getIndex()));
            for (NetworkInterface each : interfaces) {
                if (each.isUp() && !each.isLoopback()) {
                    found.addAll(Collections.list(each.getInetAddresses()));
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("No worker ID: this machine's addresses can't be read", e);
        }
        return found;
    }

    /**
     * The ordinal of this pod in its Kubernetes StatefulSet: 3 where the host name is {@code orders-3}. Read from the
     * variable {@code HOSTNAME}, else from the host name. Kubernetes runs at most one pod of an ordinal at a time, but
     * for a pod that was deleted by force and still runs.
     *
     * <p>Source: kubernetes.io, StatefulSets, "Ordinal index".
     *
     * @throws IllegalArgumentException if the name does not end in a number, or in one that the layout does not have
     */
    public static int byStatefulSetOrdinal(IdLayout layout) {
        String name = System.getenv("HOSTNAME");
        return byStatefulSetOrdinal(layout, name == null || name.isBlank() ? localHostName() : name);
    }

    /** The ordinal in a pod's host name, with or without its domain; see {@link #byStatefulSetOrdinal(IdLayout)}. */
    public static int byStatefulSetOrdinal(IdLayout layout, String hostName) {
        Matcher matcher = ORDINAL.matcher(hostName);
        if (!matcher.matches()) {
            throw new IllegalArgumentException("No worker ID: the host name \"" + hostName
                    + "\" does not end in the ordinal of a StatefulSet, as in \"orders-3\"");
        }
        return number("The ordinal of the host name \"" + hostName + "\"", matcher.group(1), layout);
    }

    /**
     * A hash of a network card's address and the process ID, which some libraries take for a worker ID: <b>unsafe</b>.
     * By the birthday bound, of 38 processes with 1024 worker IDs two have the same with a probability of one half, and
     * nothing notices. Here for applications that must keep their numbers; {@link WorkerId.Builder#wanted} with this
     * number and a store notices at least.
     */
    public static int unsafeMacAndPidHash(IdLayout layout) {
        return unsafeMacAndPidHash(
                layout, hardwareAddress(), ProcessHandle.current().pid());
    }

    static int unsafeMacAndPidHash(IdLayout layout, byte[] mac, long pid) {
        CRC32 crc = new CRC32();
        crc.update(mac);
        crc.update(Long.toString(pid).getBytes(StandardCharsets.US_ASCII));
        return (int) (crc.getValue() & layout.workers() - 1);
    }

    private static byte[] hardwareAddress() {
        try {
            for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
                byte[] mac = each.isLoopback() ? null : each.getHardwareAddress();
                if (mac != null) {
                    return mac;
                }
            }
        } catch (IOException e) {
            throw new IllegalArgumentException("No worker ID: this machine's network cards can't be read", e);
        }
        return new byte[0]; // a sandbox without one: all that is left is the process ID
    }

    private static int number(String from, String text, IdLayout layout) {
        try {
            int value = Integer.parseInt(text);
            if (value >= 0 && value < layout.workers()) {
                return value;
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    from + " is not a worker ID: set it to " + range(layout) + ", not " + quoted(text), e);
        }
        throw new IllegalArgumentException(
                from + " is not a worker ID of this layout: it must be " + range(layout) + ", not " + text);
    }

    private static String quoted(String text) {
        return "\"" + text + "\"";
    }

    private static String range(IdLayout layout) {
        return "a number from 0 to " + (layout.workers() - 1);
    }

    private static String localHostName() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            throw new IllegalArgumentException("No worker ID: this machine's host name is not known; set HOSTNAME", e);
        }
    }
}

package dev.tenon.id;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ChosenWorkerIdTest {
    private static final String PROPERTY = "tenon.test.idBuilder.index";
    private static final String VARIABLE = "ID_BUILDER_INDEX";
    private static final IdLayout TWITTER = IdLayout.twitter();

    @AfterEach
    void clear() {
        System.clearProperty(PROPERTY);
    }

    private static int configured(Map<String, String> environment) {
        return ChosenWorkerId.configured(PROPERTY, VARIABLE, TWITTER, environment::get);
    }

    private static InetAddress address(String text) throws Exception {
        return InetAddress.getByName(text);
    }

    @Test
    void thePropertyWinsOverTheVariable() {
        assertThat(configured(Map.of(VARIABLE, " 12 "))).isEqualTo(12);
        System.setProperty(PROPERTY, "1001");
        assertThat(configured(Map.of(VARIABLE, "12"))).isEqualTo(1001);
    }

    @Test
    void withoutEitherItSaysWhatToSet() {
        assertThatThrownBy(() -> configured(Map.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(PROPERTY)
                .hasMessageContaining(VARIABLE)
                .hasMessageContaining("0 to 1023");
        assertThatThrownBy(() -> ChosenWorkerId.configured(PROPERTY, "TENON_TEST_NOT_SET", TWITTER))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void whatIsNoWorkerIdIsRefusedWithItsNameAndTheRange() {
        for (String bad : List.of("", "x", "1.5", "1024", "-1", "99999999999")) {
            System.setProperty(PROPERTY, bad);
            assertThatThrownBy(() -> configured(Map.of()))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("system property " + PROPERTY)
                    .hasMessageContaining("0 to 1023");
        }
        System.clearProperty(PROPERTY);
        assertThatThrownBy(() -> configured(Map.of(VARIABLE, "1024")))
                .hasMessageContaining("environment variable " + VARIABLE);
    }

    /** What sonyflake's lower16BitPrivateIP gives for the same addresses: the third byte times 256 plus the fourth. */
    @Test
    void theLowBitsOfTheAddressAreAsManyAsTheLayoutHas() throws Exception {
        assertThat(ChosenWorkerId.byIpAddress(IdLayout.sonyflake(), address("192.168.3.7")))
                .isEqualTo(3 * 256 + 7);
        assertThat(ChosenWorkerId.byIpAddress(IdLayout.sonyflake(), address("10.255.254.253")))
                .isEqualTo(254 * 256 + 253);
        assertThat(ChosenWorkerId.byIpAddress(TWITTER, address("10.255.254.253")))
                .isEqualTo((254 * 256 + 253) % 1024);
        assertThat(ChosenWorkerId.byIpAddress(IdLayout.baidu(), address("10.255.254.253")))
                .isEqualTo((255 * 65536 + 254 * 256 + 253) % (1 << 22));
        assertThat(ChosenWorkerId.byIpAddress(TWITTER, address("fd00::1:2a"))).isEqualTo(0x2a);
        IdLayout one = IdLayout.builder().workerBits(0).build();
        assertThat(ChosenWorkerId.byIpAddress(one, address("10.1.2.3"))).isZero();
    }

    @Test
    void theFirstSiteLocalAddressIsTheOne() throws Exception {
        List<InetAddress> addresses = new ArrayList<>();
        for (String text : List.of("8.8.8.8", "fe80::1", "127.0.0.1", "172.32.0.1", "172.31.0.9", "10.0.0.1")) {
            addresses.add(address(text));
        }
        assertThat(ChosenWorkerId.siteLocal(addresses)).isEqualTo(address("172.31.0.9"));
        assertThatThrownBy(() -> ChosenWorkerId.siteLocal(addresses.subList(0, 4)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("8.8.8.8")
                .hasMessageContaining("configure the worker ID");
    }

    @Test
    void thisMachineGivesTheSameNumberEachTimeOrSaysWhyNot() {
        try {
            int first = ChosenWorkerId.byIpAddress(TWITTER);
            assertThat(first).isBetween(0, 1023).isEqualTo(ChosenWorkerId.byIpAddress(TWITTER));
        } catch (IllegalArgumentException e) {
            assertThat(e).hasMessageContaining("no site-local IPv4 address");
        }
    }

    @Test
    void theOrdinalIsBehindTheLastHyphenOfTheFirstLabel() {
        assertThat(ChosenWorkerId.byStatefulSetOrdinal(TWITTER, "orders-3")).isEqualTo(3);
        assertThat(ChosenWorkerId.byStatefulSetOrdinal(TWITTER, "my-orders-v2-1023"))
                .isEqualTo(1023);
        assertThat(ChosenWorkerId.byStatefulSetOrdinal(TWITTER, "orders-0.orders.default.svc.cluster.local"))
                .isZero();
        for (String bad :
                List.of("orders", "orders-", "3", "", "orders3", "orders-3a", "orders.x-3", "orders-7f9c-x2x4z")) {
            assertThatThrownBy(() -> ChosenWorkerId.byStatefulSetOrdinal(TWITTER, bad))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("\"" + bad + "\"");
        }
        assertThatThrownBy(() -> ChosenWorkerId.byStatefulSetOrdinal(TWITTER, "orders-1024"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("0 to 1023");
    }

    @Test
    void theHashIsInRangeAndCollidesWhichIsWhyItIsUnsafe() {
        byte[] mac = {2, 0x42, (byte) 0xac, 0x11, 0, 2};
        assertThat(ChosenWorkerId.unsafeMacAndPidHash(TWITTER, mac, 4711))
                .isBetween(0, 1023)
                .isEqualTo(ChosenWorkerId.unsafeMacAndPidHash(TWITTER, mac, 4711));
        List<Integer> numbers = new ArrayList<>();
        for (long pid = 1; pid <= 200; pid++) {
            numbers.add(ChosenWorkerId.unsafeMacAndPidHash(TWITTER, mac, pid));
        }
        assertThat(numbers.stream().distinct().count()).isBetween(100L, 199L);
        assertThat(ChosenWorkerId.unsafeMacAndPidHash(TWITTER)).isBetween(0, 1023);
    }
}

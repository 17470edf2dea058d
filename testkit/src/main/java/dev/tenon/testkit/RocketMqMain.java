package dev.tenon.testkit;

/**
 * Starts a RocketMQ name server, and a broker that it knows, in this JVM; the testkit itself does not depend on them.
 */
final class RocketMqMain {
    private RocketMqMain() {}

    /**
     * @param args the configuration files of the name server and of the broker
     */
    public static void main(String[] args) throws ReflectiveOperationException {
        start("org.apache.rocketmq.namesrv.NamesrvStartup", args[0]);
        start("org.apache.rocketmq.broker.BrokerStartup", args[1]);
    }

    private static void start(String main, String file) throws ReflectiveOperationException {
        Object arguments = new String[] {"-c", file};
        Class.forName(main).getMethod("main", String[].class).invoke(null, arguments);
    }
}

package dev.tenon.cli;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Consumer;

/**
 * Signals, where the JVM can hand them out. {@code sun.misc.Signal} is in every JDK (module jdk.unsupported) but in no
 * API; so it is called by reflection, and without it signals do what they do in any JVM.
 */
final class Signals {
    private static final List<String> PASSED_ON = List.of("TERM", "INT", "HUP");

    private Signals() {}

    /** Has the signals that end a process given to {@code handler}, by name, instead. */
    static void to(Consumer<String> handler) {
        for (String name : PASSED_ON) {
            try {
                Class<?> signal = Class.forName("sun.misc.Signal");
                Class<?> signalHandler = Class.forName("sun.misc.SignalHandler");
                InvocationHandler call = (proxy, method, args) -> switch (method.getName()) {
                    case "handle" -> {
                        handler.accept(name);
                        yield null;
                    }
                    case "hashCode" -> System.identityHashCode(proxy);
                    case "equals" -> proxy == args[0];
                    default -> "tenon " + name;
                };
                Object proxy =
                        Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {signalHandler}, call);
                signal.getMethod("handle", signal, signalHandler)
                        .invoke(null, signal.getConstructor(String.class).newInstance(name), proxy);
            } catch (ReflectiveOperationException e) {
                // This JVM does not let go of this signal (it was started with -Xrs, say): it keeps its usual effect.
            }
        }
    }
}

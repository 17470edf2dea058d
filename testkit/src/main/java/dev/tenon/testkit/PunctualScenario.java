package dev.tenon.testkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;

/**
 * A class of tests over a store whose times run by the wall clock: a lock that was handed over, say, must be claimed
 * within seconds. A test of it that failed while the store was late, because the machine stood still, is tried again,
 * as {@link Punctual} says; what failed although the store was in time has failed.
 */
@ExtendWith(PunctualScenario.Attempts.class)
public interface PunctualScenario {
    /** How long the store may take for an answer without spoiling a test. */
    Duration inTime();

    /** Any short question to the store, asked by a thread of its own now and then while a test runs. */
    Object askStore() throws Exception;

    /** Makes all that a test has of its own anew, names and sessions, before it is tried again. */
    void startAnew() throws Exception;

    /**
     * Whether lateness may be the reason of a failure. Where what was answered must be right however late it came, an
     * assertion that does not hold has another reason, and the test has failed.
     */
    default boolean maySpoil(Throwable failure) {
        return true;
    }

    /** For JUnit: runs the tests. */
    final class Attempts implements InvocationInterceptor {
        /** For JUnit. */
        public Attempts() {}

        @Override
        public void interceptTestMethod(
                Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
                throws Throwable {
            run(test, method, context);
        }

        @Override
        public void interceptTestTemplateMethod(
                Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
                throws Throwable {
            run(test, method, context);
        }

        private static void run(
                Invocation<Void> test, ReflectiveInvocationContext<Method> method, ExtensionContext context)
                throws Throwable {
            PunctualScenario scenario = (PunctualScenario) context.getRequiredTestInstance();
            AtomicBoolean again = new AtomicBoolean();
            AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
            Punctual.judge(scenario.inTime(), scenario::askStore, () -> {
                try {
                    if (again.getAndSet(true)) {
                        context.publishReportEntry("tried again", "the store was late");
                        Thread.interrupted(); // as a test may leave it that was to be interrupted later
                        scenario.startAnew();
                        repeat(method);
                    } else {
                        proceed(test);
                    }
                } catch (Exception | AssertionError e) {
                    if (scenario.maySpoil(e)) {
                        throw e;
                    }
                    failed.set(e);
                }
            });
            Throwable wrong = failed.get();
            if (wrong != null) {
                throw wrong;
            }
        }

        private static void proceed(Invocation<Void> test) throws Exception {
            try {
                test.proceed();
            } catch (Exception | Error e) {
                throw e;
            } catch (Throwable e) {
                throw new AssertionError(e);
            }
        }

        /** JUnit lets an invocation proceed only once. */
        private static void repeat(ReflectiveInvocationContext<Method> method) throws Exception {
            Method test = method.getExecutable();
            test.setAccessible(true);
            try {
                test.invoke(
                        method.getTarget().orElseThrow(), method.getArguments().toArray());
            } catch (InvocationTargetException e) {
                if (e.getCause() instanceof Error error) {
                    throw error;
                }
                throw e.getCause() instanceof Exception failure ? failure : e;
            }
        }
    }
}

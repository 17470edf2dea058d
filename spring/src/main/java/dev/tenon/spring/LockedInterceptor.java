package dev.tenon.spring;

import dev.tenon.TenonException;
import dev.tenon.lock.DistributedLock;
import dev.tenon.lock.Lease;
import dev.tenon.lock.LockTimeoutException;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.lang.reflect.Method;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;

/** Runs methods with {@link Locked} under their lock. Thread-safe. */
final class LockedInterceptor implements MethodInterceptor {
    /** Observed: waiting for the lock of a method. */
    static final String WAIT = "tenon.locked.wait";
    /** Observed: a method that runs under its lock. */
    static final String RUN = "tenon.locked.run";

    private final Supplier<Parts> parts;

    /**
     * What is needed, which is made when it is first needed: an interceptor is there before most beans.
     *
     * @param locks the locks
     * @param methods what annotations say
     * @param scope the leases of threads
     * @param end when a lease ends
     * @param observations who is told
     */
    record Parts(
            HeldAs locks, LockedMethods methods, LeaseScope scope, LeaseEnd end, ObservationRegistry observations) {}

    /** Locks, held as the configuration says. */
    interface HeldAs {
        DistributedLock lock(String name);
    }

    LockedInterceptor(Supplier<Parts> parts) {
        this.parts = parts;
    }

    @Override
    public @Nullable Object invoke(MethodInvocation call) throws Throwable {
        Parts now = parts.get();
        Object target = call.getThis();
        Method method =
                target == null ? call.getMethod() : AopUtils.getMostSpecificMethod(call.getMethod(), target.getClass());
        LockedMethod locked = now.methods().of(method);
        String name = now.methods().name(locked, method, call.getArguments(), target);
        if (now.scope().isUnder(name)) {
            return call.proceed();
        }
        Lease lease = observed(now, WAIT, locked, name).observeChecked(() -> acquire(now, locked, name));
        now.scope().enter(lease);
        Runnable release = () -> {
            now.scope().leave(lease);
            lease.close();
        };
        boolean later = false;
        try {
            later = now.end().putOff(release);
            @Nullable Object[] result = {null};
            observed(now, RUN, locked, name).observeChecked(() -> {
                result[0] = run(call, lease, locked);
            });
            return result[0];
        } finally {
            if (!later) {
                release.run();
            }
        }
    }

    private static Lease acquire(Parts now, LockedMethod locked, String name) {
        DistributedLock lock = now.locks().lock(name);
        try {
            return locked.waitAtMost().isZero()
                    ? lock.tryAcquire()
                            .orElseThrow(() -> new LockTimeoutException(
                                    "Lock \"" + name + "\" is held; " + locked.label() + " has not run"))
                    : lock.acquire(locked.waitAtMost());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new TenonException(
                    "Interrupted while waiting for lock \"" + name + "\"; " + locked.label() + " has not run", e);
        }
    }

    private static @Nullable Object run(MethodInvocation call, Lease lease, LockedMethod locked) throws Throwable {
        String consequence = locked.label() + " has run, its last part without the lock";
        Object result;
        try {
            result = call.proceed();
        } catch (Throwable failure) {
            try {
                LeaseScope.requireHeld(lease, consequence);
            } catch (TenonException lost) {
                if (lost.getClass() != failure.getClass()) {
                    failure.addSuppressed(lost);
                }
            }
            throw failure;
        }
        LeaseScope.requireHeld(lease, consequence);
        return result;
    }

    private static Observation observed(Parts now, String what, LockedMethod locked, String name) {
        return Observation.createNotStarted(what, now.observations())
                .lowCardinalityKeyValue("method", locked.label())
                .highCardinalityKeyValue("lock", name);
    }
}

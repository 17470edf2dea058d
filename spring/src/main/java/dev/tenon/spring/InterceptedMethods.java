package dev.tenon.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Refuses, at the start, what would run without its lock or its leadership and say nothing. */
final class InterceptedMethods implements BeanPostProcessor {
    private static final List<Class<?>> LATER =
            List.of(Future.class, CompletionStage.class, Callable.class, Flow.Publisher.class, BaseStream.class);
    /** By name: they need not be there. */
    private static final List<String> LATER_ELSEWHERE = List.of(
            "org.reactivestreams.Publisher",
            "org.springframework.web.context.request.async.DeferredResult",
            "org.springframework.web.context.request.async.WebAsyncTask",
            "org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
            "org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody");

    private final ObjectProvider<LockedMethods> locked;

    InterceptedMethods(ObjectProvider<LockedMethods> locked) {
        this.locked = locked;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        Class<?> type = ClassUtils.getUserClass(bean);
        if (AnnotationUtils.isCandidateClass(type, List.of(Locked.class, LeaderOnly.class))) {
            ReflectionUtils.doWithMethods(type, this::check);
        }
        return bean;
    }

    private void check(Method method) {
        if (method.isBridge()) {
            return;
        }
        if (AnnotatedElementUtils.hasAnnotation(method, Locked.class)) {
            requireInterceptable(method, "@Locked");
            requireDoneAtReturn(
                    method,
                    "@Locked",
                    "without the lock.",
                    "Let that work call a @Locked method of another bean, or use Locks.lock(name).acquireAsync(wait).");
            locked.getObject().of(method);
        }
        if (AnnotatedElementUtils.hasAnnotation(method, LeaderOnly.class)) {
            requireInterceptable(method, "@LeaderOnly");
            if (method.getReturnType() != void.class) {
                throw new TenonStartException(
                        "@LeaderOnly on " + LockedMethods.label(method)
                                + ", which returns something: where it does not run," + " there is nothing to return.",
                        "Let it return void.");
            }
        }
    }

    static void requireInterceptable(Method method, String annotation) {
        int modifiers = method.getModifiers();
        if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            throw new TenonStartException(
                    annotation + " on " + LockedMethods.label(method)
                            + ", which is private, static or final: Spring can't step"
                            + " in, and it would run without.",
                    "Make it an ordinary method that other beans call.");
        }
    }

    static void requireDoneAtReturn(Method method, String annotation, String how, String advice) {
        Class<?> returned = method.getReturnType();
        boolean later = LATER.stream().anyMatch(type -> type.isAssignableFrom(returned))
                || LATER_ELSEWHERE.stream().anyMatch(name -> isA(returned, name));
        if (later) {
            throw new TenonStartException(
                    annotation + " on " + LockedMethods.label(method) + ", which returns a " + returned.getSimpleName()
                            + ": its work may go on when it has returned, " + how,
                    advice);
        }
    }

    private static boolean isA(Class<?> type, String name) {
        for (Class<?> one = type; one != null; one = one.getSuperclass()) {
            if (one.getName().equals(name)
                    || ClassUtils.getAllInterfacesForClassAsSet(one).stream()
                            .anyMatch(found -> found.getName().equals(name))) {
                return true;
            }
        }
        return false;
    }
}

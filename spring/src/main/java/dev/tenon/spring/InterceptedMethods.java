package dev.tenon.spring;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.BaseStream;
import org.springframework.aop.config.AopConfigUtils;
import org.springframework.aop.framework.ProxyConfig;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotations;
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
    private final BeanFactory beans;

    InterceptedMethods(ObjectProvider<LockedMethods> locked, BeanFactory beans) {
        this.locked = locked;
        this.beans = beans;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        Class<?> type = ClassUtils.getUserClass(bean);
        if (AnnotationUtils.isCandidateClass(type, List.of(Locked.class, LeaderOnly.class))) {
            ReflectionUtils.doWithMethods(type, method -> check(method, type));
        }
        return bean;
    }

    private void check(Method method, Class<?> type) {
        if (method.isBridge()) {
            return;
        }
        if (AnnotatedElementUtils.hasAnnotation(method, Locked.class)) {
            requireInterceptable(method, "@Locked");
            requireProxy(type, method, "@Locked", beans);
            requireDoneAtReturn(
                    method,
                    "@Locked",
                    "without the lock.",
                    "Let that work call a @Locked method of another bean, or use Locks.lock(name).acquireAsync(wait).");
            locked.getObject().of(method);
        }
        if (AnnotatedElementUtils.hasAnnotation(method, LeaderOnly.class)) {
            requireInterceptable(method, "@LeaderOnly");
            requireProxy(type, method, "@LeaderOnly", beans);
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

    /** Refuses a final class, unless its proxy is one of its interfaces. */
    static void requireProxy(Class<?> type, Method method, String annotation, BeanFactory beans) {
        if (Modifier.isFinal(type.getModifiers()) && !isProxiedByInterface(type, beans)) {
            throw new TenonStartException(
                    annotation + " on " + type.getSimpleName() + "." + method.getName() + ", and " + type.getName()
                            + " is final (as records are, and Kotlin's classes): Spring can't make the subclass that would"
                            + " step in.",
                    "Let the class not be final; with Kotlin, use the compiler plugin kotlin-spring, or write \"open\". Or put the"
                            + " method into an interface, and set spring.aop.proxy-target-class=false.");
        }
    }

    private static boolean isProxiedByInterface(Class<?> type, BeanFactory beans) {
        if (Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type) || isSaidTo(type)) {
            return true;
        }
        boolean byClass = beans.containsBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME)
                && beans.getBean(AopConfigUtils.AUTO_PROXY_CREATOR_BEAN_NAME) instanceof ProxyConfig config
                && config.isProxyTargetClass();
        return !byClass
                && ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                        .anyMatch(one -> one.getMethods().length > 0
                                && !one.getName().startsWith("java.")
                                && !one.getName().startsWith("org.springframework.beans.factory."));
    }

    /** Since Spring 7, a class may say how it is proxied; then it is Spring's to refuse it. */
    private static boolean isSaidTo(Class<?> type) {
        return MergedAnnotations.from(type).isPresent("org.springframework.context.annotation.Proxyable");
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

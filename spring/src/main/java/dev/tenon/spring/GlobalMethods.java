package dev.tenon.spring;

import dev.tenon.tx.global.GlobalOptions;
import dev.tenon.tx.global.GlobalTransactions;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** Refuses, at the start, methods with {@link GlobalTransaction} that would run without one and say nothing. */
final class GlobalMethods implements BeanPostProcessor {
    private static final String ANNOTATION = "@GlobalTransaction";

    private final ListableBeanFactory beans;
    private final Environment environment;

    GlobalMethods(ListableBeanFactory beans, Environment environment) {
        this.beans = beans;
        this.environment = environment;
    }

    @Override
    public Object postProcessBeforeInitialization(Object bean, String beanName) {
        Class<?> type = ClassUtils.getUserClass(bean);
        if (AnnotationUtils.isCandidateClass(type, GlobalTransaction.class)) {
            boolean all = AnnotatedElementUtils.hasAnnotation(type, GlobalTransaction.class);
            ReflectionUtils.doWithMethods(
                    type, method -> check(method, type, all), method -> method.getDeclaringClass() != Object.class);
        }
        return bean;
    }

    private void check(Method method, Class<?> type, boolean all) {
        boolean own = AnnotatedElementUtils.hasAnnotation(method, GlobalTransaction.class);
        if (method.isBridge() || !own && !(all && Modifier.isPublic(method.getModifiers()))) {
            return;
        }
        if (own) {
            InterceptedMethods.requireInterceptable(method, ANNOTATION);
        }
        InterceptedMethods.requireProxy(type, method, ANNOTATION, beans);
        InterceptedMethods.requireDoneAtReturn(
                method,
                ANNOTATION,
                "outside of the transaction.",
                "Let that work be done before it returns, in other threads by GlobalScope.wrap.");
        if (beans.getBeanNamesForType(GlobalTransactions.class, true, false).length == 0) {
            throw new TenonStartException(
                    ANNOTATION + " on " + LockedMethods.label(method) + ", and nothing here could take part in one.",
                    "Use the backend jdbc, and set tenon.transactions.automatic-undo=dataSource, or give the application"
                            + " beans of type AtResource or TccParticipant, or tenon.transactions.services.");
        }
        GlobalMethod.of(method, type, environment, GlobalOptions.DEFAULT.timeout()); // says what is wrong with it
    }
}

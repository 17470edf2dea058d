package dev.tenon.spring;

import dev.tenon.jackson.PublicId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.TypeMismatchException;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.core.MethodParameter;
import org.springframework.web.bind.WebDataBinder;
import org.springframework.web.bind.support.WebDataBinderFactory;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.method.support.HandlerMethodArgumentResolver;
import org.springframework.web.method.support.HandlerMethodArgumentResolverComposite;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/**
 * Arguments with {@link PublicId}. Found as Spring finds them, but not converted as Spring converts: a converter that
 * refuses a text is not the last word there, and {@code 17} would be taken for the number 17 after all. Thread-safe.
 */
final class PublicIdArguments implements HandlerMethodArgumentResolver {
    private final HandlerMethodArgumentResolver usual;
    private final PublicIds ids;

    private PublicIdArguments(HandlerMethodArgumentResolver usual, PublicIds ids) {
        this.usual = usual;
        this.ids = ids;
    }

    @Override
    public boolean supportsParameter(MethodParameter parameter) {
        return parameter.hasParameterAnnotation(PublicId.class);
    }

    @Override
    public @Nullable Object resolveArgument(
            MethodParameter parameter,
            @Nullable ModelAndViewContainer container,
            NativeWebRequest request,
            @Nullable WebDataBinderFactory binders)
            throws Exception {
        String name = Objects.requireNonNull(parameter.getParameterAnnotation(PublicId.class))
                .value();
        Class<?> type = parameter.getParameterType();
        if (type != long.class && type != Long.class) {
            throw new IllegalStateException("@PublicId is on a " + type.getSimpleName() + ": " + parameter
                    + "; it can only be on a long or a Long");
        }
        dev.tenon.id.codec.PublicId codec = ids.named(name);
        return usual.resolveArgument(
                parameter, container, request, (one, target, object) -> new Binder(target, object, codec));
    }

    /** Makes a number of the text, or refuses it, which is a bad request. */
    private static final class Binder extends WebDataBinder {
        private final dev.tenon.id.codec.PublicId codec;

        Binder(@Nullable Object target, String name, dev.tenon.id.codec.PublicId codec) {
            super(target, name);
            this.codec = codec;
        }

        @Override
        public <T> @Nullable T convertIfNecessary(
                @Nullable Object value, @Nullable Class<T> type, @Nullable MethodParameter parameter) {
            if (value == null) {
                return null;
            }
            try {
                return cast(codec.decode(value.toString()));
            } catch (IllegalArgumentException e) {
                throw new TypeMismatchException(value, type, e);
            }
        }

        /** The parameter is a long or a Long, so that T is Long. */
        @SuppressWarnings("unchecked")
        private static <T> T cast(Long number) {
            return (T) number;
        }
    }

    /** Puts it before the others. */
    static final class Installer implements BeanPostProcessor {
        private final Supplier<PublicIds> ids;

        Installer(Supplier<PublicIds> ids) {
            this.ids = ids;
        }

        @Override
        public Object postProcessAfterInitialization(Object bean, String beanName) {
            if (bean instanceof RequestMappingHandlerAdapter adapter) {
                List<HandlerMethodArgumentResolver> usual =
                        Objects.requireNonNullElse(adapter.getArgumentResolvers(), List.of());
                List<HandlerMethodArgumentResolver> all = new ArrayList<>();
                all.add(new PublicIdArguments(
                        new HandlerMethodArgumentResolverComposite().addResolvers(usual), ids.get()));
                all.addAll(usual);
                adapter.setArgumentResolvers(all);
            }
            return bean;
        }
    }
}

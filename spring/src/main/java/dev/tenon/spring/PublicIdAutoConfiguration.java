package dev.tenon.spring;

import com.fasterxml.jackson.databind.Module;
import dev.tenon.jackson.PublicId;
import dev.tenon.jackson.PublicIdModule;
import dev.tenon.jackson.PublicIdModule2;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.function.SingletonSupplier;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;
import tools.jackson.databind.JacksonModule;

/** Numbers with {@link PublicId}, in requests and in JSON. */
@AutoConfiguration(after = TenonAutoConfiguration.class)
final class PublicIdAutoConfiguration {
    @Bean
    PublicIds tenonPublicIds(TenonProperties properties) {
        return PublicIds.of(properties.publicIds());
    }

    /** Spring MVC. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RequestMappingHandlerAdapter.class)
    static class WithMvc {
        @Bean
        static PublicIdArguments.Installer tenonPublicIdArguments(ObjectProvider<PublicIds> ids) {
            return new PublicIdArguments.Installer(SingletonSupplier.of(ids::getObject));
        }
    }

    /** Jackson 3, with Spring Boot 4. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JacksonModule.class)
    static class WithJackson {
        @Bean
        JacksonModule tenonPublicIdJson(PublicIds ids) {
            return PublicIdModule.over(ids::named);
        }
    }

    /** Jackson 2, with Spring Boot 3. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Module.class)
    static class WithJackson2 {
        @Bean
        Module tenonPublicIdJson2(PublicIds ids) {
            return PublicIdModule2.over(ids::named);
        }
    }
}

package starters;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;

/** Nothing but what starters configure by themselves. Starts, says what that took, and ends. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class Application {
    public static void main(String[] args) throws Exception {
        start(Application.class, args);
    }

    static void start(Class<?> application, String[] args) throws Exception {
        long from = System.nanoTime();
        ConfigurableApplicationContext context = SpringApplication.run(application, args);
        long millis = (System.nanoTime() - from) / 1_000_000;
        long cpu = ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
        String expected = context.getEnvironment().getProperty("expected");
        if (expected != null) {
            context.getBean(Class.forName(expected)); // the starter did its work
        }
        System.out.println("STARTED " + millis + " " + cpu / 1_000_000 + " "
                + ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount() + " "
                + context.getBeanDefinitionCount() + " " + Thread.activeCount());
        Runtime.getRuntime().halt(0);
    }
}

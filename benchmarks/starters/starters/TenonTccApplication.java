package starters;

import dev.tenon.tx.Reply;
import dev.tenon.tx.tcc.TccParticipant;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;

/** With a participant: without one, Tenon makes neither a log nor recovery. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class TenonTccApplication {
    public static void main(String[] args) throws Exception {
        Application.start(TenonTccApplication.class, args);
    }

    @Bean
    TccParticipant wallet() {
        return TccParticipant.of(call -> Reply.done(), call -> Reply.done(), call -> Reply.done());
    }
}

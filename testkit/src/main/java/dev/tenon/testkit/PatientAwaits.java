package dev.tenon.testkit;

import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Lets conditions that do not say how long to wait for them have longer than Awaitility's ten seconds, for machines
 * that are busy. Found by JUnit itself where {@code junit.jupiter.extensions.autodetection.enabled} is set, as in
 * Tenon's build.
 */
public final class PatientAwaits implements BeforeAllCallback {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** For JUnit. */
    public PatientAwaits() {}

    @Override
    public void beforeAll(ExtensionContext context) {
        Awaitility.setDefaultTimeout(PATIENCE);
    }
}

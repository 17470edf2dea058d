package dev.tenon.redis;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.MaintNotificationsConfig;

/**
 * What Lettuce asks servers for from 7.0 on, and 6.x knows nothing of: to be told before a managed Redis moves. It
 * would hold back answers and time out later then, where this backend has time limits of its own.
 */
final class MaintenanceNotices {
    private static final String TYPE = "io.lettuce.core.MaintNotificationsConfig";

    private MaintenanceNotices() {}

    /** Asks for none, with each Lettuce. */
    static void switchOff(ClientOptions.Builder options) {
        if (areKnown()) {
            Newer.switchOff(options);
        }
    }

    private static boolean areKnown() {
        try {
            Class.forName(TYPE, false, ClientOptions.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }

    /** Linked only where there is something to link to. */
    private static final class Newer {
        static void switchOff(ClientOptions.Builder options) {
            options.maintNotificationsConfig(MaintNotificationsConfig.disabled());
        }
    }
}

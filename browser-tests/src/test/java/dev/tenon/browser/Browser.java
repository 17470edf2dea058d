package dev.tenon.browser;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.assertj.core.api.ThrowingConsumer;
import org.awaitility.Awaitility;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;

/**
 * A headless Chromium that reaches nothing but this machine. Everything waits until the page is as it is asked to be.
 */
final class Browser implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final ChromeDriver driver;

    private Browser(ChromeDriver driver) {
        this.driver = driver;
    }

    static Browser start() {
        ChromeOptions options = new ChromeOptions();
        options.setBinary(found("chromium", "chromium-browser", "google-chrome").toString());
        options.addArguments(
                "--headless=new",
                "--no-sandbox", // it refuses root otherwise, and what it shows is ours
                "--disable-dev-shm-usage",
                "--disable-gpu",
                "--disable-extensions",
                "--disable-background-networking",
                "--disable-component-update",
                "--no-first-run",
                "--window-size=1280,900",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1");
        ChromeDriverService service = new ChromeDriverService.Builder()
                .usingDriverExecutable(found("chromedriver").toFile())
                .usingAnyFreePort()
                .withTimeout(Duration.ofSeconds(60))
                .build();
        return new Browser(new ChromeDriver(service, options));
    }

    private static Path found(String... names) {
        String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/bin" + File.pathSeparator
                + "/usr/lib/chromium";
        return Arrays.stream(names)
                .flatMap(name -> Arrays.stream(path.split(File.pathSeparator)).map(dir -> Path.of(dir, name)))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "No " + names[0] + " found on the PATH: run scripts/install-test-servers as root."));
    }

    /** Opens an address anew, as in a tab of its own: without a key, in the system's colours. */
    void open(String address) {
        driver.get(address);
        script("sessionStorage.clear(); localStorage.clear()");
        driver.get("about:blank");
        driver.get(address);
        await("the page", () -> !driver.findElements(By.id("heading")).isEmpty());
    }

    /** Goes to another page of the console by its address, without loading anything. */
    void go(String hash) {
        script("location.hash = arguments[0]", hash);
    }

    ChromeDriver driver() {
        return driver;
    }

    Object script(String text, Object... arguments) {
        return driver.executeScript(text, arguments);
    }

    /** What a reader sees of the whole page. */
    String text() {
        return String.valueOf(script("return document.body.innerText"));
    }

    String heading() {
        return String.valueOf(script("return document.getElementById('heading')?.innerText ?? ''"));
    }

    void awaitHeading(String heading) {
        await("the page " + heading, () -> heading().equals(heading));
    }

    void awaitText(String... parts) {
        for (String part : parts) {
            await("\"" + part + "\"", () -> text().contains(part));
        }
    }

    void awaitNoText(String part) {
        await("no \"" + part + "\"", () -> !text().contains(part));
    }

    void awaitNoDialog() {
        await("no dialog", () -> driver.findElements(By.tagName("dialog")).isEmpty());
    }

    /** What a screen reader was told last. */
    void awaitAnnounced(String part) {
        await(
                "\"" + part + "\" to be said",
                () -> String.valueOf(script("return document.getElementById('announcer').textContent"))
                        .contains(part));
    }

    void click(String role, String name) {
        act("the " + role + " " + name, named(role, name), WebElement::click);
    }

    /** Clicks on a button by what a screen reader calls it. */
    void click(String name) {
        click("button", name);
    }

    boolean has(String role, String name) {
        return !driver.findElements(named(role, name)).isEmpty();
    }

    /** A button or link whose text or label begins so, in the dialog if there is one. */
    private static By named(String role, String name) {
        String tag = role.equals("link") ? "a" : role;
        String matches = "[starts-with(normalize-space(@aria-label),\"" + name + "\") or (not(@aria-label) and "
                + "starts-with(normalize-space(.),\"" + name + "\"))]";
        return By.xpath("//dialog//" + tag + matches + "|//" + tag + matches + "[not(//dialog)]");
    }

    /** Types into the field with this label, in place of what is there. */
    void fill(String label, String text) {
        act("the field " + label, field(label), field -> {
            field.sendKeys(Keys.chord(Keys.CONTROL, "a"), Keys.BACK_SPACE);
            field.sendKeys(text);
        });
    }

    /** Chooses an option of the list with this label. */
    void choose(String label, String option) {
        act(
                "the list " + label,
                field(label),
                field -> field.findElement(By.xpath("option[.='" + option + "']"))
                        .click());
    }

    private static By field(String label) {
        return By.xpath("//*[@id=(//label[normalize-space(.)=\"" + label + "\"]/@for)]");
    }

    void keys(CharSequence... keys) {
        driver.switchTo().activeElement().sendKeys(keys);
    }

    /** What has the focus: its label or text. */
    String focused() {
        return String.valueOf(
                        script(
                                "const e = document.activeElement; return e.ariaLabel || (e.labels && e.labels[0]?.innerText) || e.innerText || e.tagName"))
                .strip();
    }

    /** The texts of all cells of all rows of the tables that are shown. */
    List<String> rows() {
        return Arrays.stream(String.valueOf(script("return [...document.querySelectorAll('tbody tr')]"
                                + ".map(row => row.innerText.replace(/\\s+/g, ' ').trim()).join('\\n')"))
                        .split("\n"))
                .filter(row -> !row.isEmpty())
                .toList();
    }

    void awaitRow(String... parts) {
        await(
                "a row with " + String.join(", ", parts),
                () -> rows().stream().anyMatch(row -> Arrays.stream(parts).allMatch(row::contains)));
    }

    /** Light or dark, as the system would prefer it. */
    void prefer(String scheme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", scheme))));
    }

    void size(int width, int height) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
    }

    byte[] screenshot() {
        return driver.getScreenshotAs(OutputType.BYTES);
    }

    void await(String what, Callable<Boolean> condition) {
        Awaitility.await(what)
                .pollInSameThread()
                .pollInterval(Duration.ofMillis(25))
                .pollDelay(Duration.ZERO)
                .atMost(PATIENCE)
                .ignoreException(StaleElementReferenceException.class)
                .until(condition);
    }

    private void act(String what, By by, ThrowingConsumer<WebElement> action) {
        await(what, () -> {
            Optional<WebElement> element = driver.findElements(by).stream()
                    .filter(found -> found.isDisplayed() && found.isEnabled())
                    .findFirst();
            element.ifPresent(action);
            return element.isPresent();
        });
    }

    @Override
    public void close() {
        driver.quit();
    }
}

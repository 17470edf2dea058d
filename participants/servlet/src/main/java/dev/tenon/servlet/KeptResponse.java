package dev.tenon.servlet;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpServletResponseWrapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A response whose body goes out when it is known whether what it says has come true. Of one thread. */
final class KeptResponse extends HttpServletResponseWrapper {
    private final ByteArrayOutputStream body = new ByteArrayOutputStream();
    private @Nullable PrintWriter writer;
    private int status = SC_OK;
    private boolean run;

    KeptResponse(HttpServletResponse response) {
        super(response);
    }

    void runs() {
        run = true;
    }

    boolean wasRun() {
        return run;
    }

    boolean isDone() {
        return status >= 200 && status < 300;
    }

    String text() {
        flush();
        return body.toString(charset());
    }

    /** Sends it as it was written. */
    void send() throws IOException {
        flush();
        HttpServletResponse real = (HttpServletResponse) getResponse();
        real.setStatus(status);
        real.setContentLength(body.size());
        body.writeTo(real.getOutputStream());
    }

    private void flush() {
        if (writer != null) {
            writer.flush();
        }
    }

    private Charset charset() {
        // Unless it is said, containers take ISO 8859-1, which JSON is not.
        String type = getContentType();
        boolean said = type != null && type.toLowerCase(Locale.ROOT).contains("charset=");
        return said ? Charset.forName(getCharacterEncoding()) : StandardCharsets.UTF_8;
    }

    @Override
    public void setStatus(int code) {
        status = code;
    }

    @Override
    public int getStatus() {
        return status;
    }

    @Override
    public void sendError(int code) {
        status = code;
        resetBuffer();
    }

    @Override
    public void sendError(int code, @Nullable String message) {
        sendError(code);
        if (message != null) {
            body.writeBytes(message.getBytes(charset()));
        }
    }

    @Override
    public void sendRedirect(String location) {
        throw new IllegalStateException("Whoever calls a participant follows no redirect");
    }

    @Override
    public PrintWriter getWriter() {
        PrintWriter known = writer;
        if (known == null) {
            known = new PrintWriter(new OutputStreamWriter(body, charset()));
            writer = known;
        }
        return known;
    }

    @Override
    public ServletOutputStream getOutputStream() {
        return new ServletOutputStream() {
            @Override
            public boolean isReady() {
                return true;
            }

            @Override
            public void setWriteListener(WriteListener listener) {
                throw new IllegalStateException("A participant answers in the thread that it was called in");
            }

            @Override
            public void write(int b) {
                body.write(b);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) {
                body.write(bytes, offset, length);
            }
        };
    }

    @Override
    public void flushBuffer() {
        flush(); // nothing goes out before the commit
    }

    @Override
    public boolean isCommitted() {
        return false;
    }

    @Override
    public void resetBuffer() {
        flush();
        body.reset();
    }

    @Override
    public void reset() {
        super.reset();
        resetBuffer();
        status = SC_OK;
    }

    @Override
    public void setContentLength(int length) {
        // It is counted when it goes out.
    }

    @Override
    public void setContentLengthLong(long length) {
        // It is counted when it goes out.
    }
}

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.SequenceInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Collections;

/** Uploads with java.net.http; see ../clients.ts for what is asked and answered. */
class Upload {
  public static void main(String[] arguments) throws Exception {
    HttpClient client = HttpClient.newHttpClient();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      String[] asked = line.split("\t");
      // JDK-8286171: earlier ones wait for ever if the answer is not 100.
      if (asked[2].equals("expect") && Runtime.version().feature() < 20) {
        System.out.println("unsupported: Expect: 100-continue needs Java 20, this is " + Runtime.version());
        continue;
      }
      HttpRequest.Builder request =
          HttpRequest.newBuilder(URI.create(asked[0]))
              .header("x-api-key", asked[1])
              .header("content-type", "multipart/form-data; boundary=refused")
              .expectContinue(asked[2].equals("expect"))
              .POST(body(asked[2], Integer.parseInt(asked[3]), asked[4]));
      try {
        HttpResponse<String> answer = client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        System.out.println(answer.statusCode() + " " + answer.body());
      } catch (Exception error) {
        System.out.println("broken " + error);
      }
    }
  }

  private static BodyPublisher body(String sending, int size, String fields) {
    StringBuilder head = new StringBuilder();
    for (String pair : fields.split("&")) {
      String[] parts = pair.split("=", 2);
      head.append("--refused\r\nContent-Disposition: form-data; name=\"").append(parts[0]);
      head.append("\"\r\n\r\n").append(parts[1]).append("\r\n");
    }
    head.append("--refused\r\nContent-Disposition: form-data; name=\"file\"; filename=\"a.pdf\"\r\n\r\n%PDF-1.7\n");
    byte[] begin = head.toString().getBytes();
    byte[] end = "\r\n--refused--\r\n".getBytes();
    if (sending.equals("chunked")) {
      return BodyPublishers.ofInputStream(
          () -> {
            InputStream file = new ByteArrayInputStream(new byte[size]);
            InputStream last = new ByteArrayInputStream(end);
            return new SequenceInputStream(
                Collections.enumeration(List.of(new ByteArrayInputStream(begin), file, last)));
          });
    }
    byte[] whole = new byte[begin.length + size + end.length];
    System.arraycopy(begin, 0, whole, 0, begin.length);
    System.arraycopy(end, 0, whole, begin.length + size, end.length);
    return BodyPublishers.ofByteArray(whole);
  }
}

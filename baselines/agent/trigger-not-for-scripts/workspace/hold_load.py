import time
import urllib.request

RATE, SECONDS = 50, 60
for _ in range(SECONDS):
    started = time.monotonic()
    for _ in range(RATE):
        urllib.request.urlopen("https://lantern.example/hold", data=b"")
    time.sleep(max(0, 1 - time.monotonic() + started))

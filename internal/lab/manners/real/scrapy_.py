import itertools
import os
import sys
import threading

import scrapy
from scrapy.crawler import CrawlerProcess

url, seconds, pages, throttled = sys.argv[1:]
left = itertools.count(int(pages) - 1, -1)  # pages after this one; 0 pages are any number


class Crawl(scrapy.Spider):
    name = "crawl"

    def start_requests(self):
        # A spider that is closed would first fetch what AutoThrottle still has.
        threading.Timer(float(seconds), os._exit, (0,)).start()
        for number in itertools.count():
            yield scrapy.Request(f"{url}/{number}")

    def parse(self, response):
        if next(left) == 0:
            os._exit(0)


process = CrawlerProcess({
    "AUTOTHROTTLE_ENABLED": throttled == "true",
    "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
    "HTTPPROXY_ENABLED": False,
    "LOG_LEVEL": "CRITICAL",
    "TELNETCONSOLE_ENABLED": False,
})
process.crawl(Crawl)
process.start()

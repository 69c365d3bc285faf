import os
import scrapy


class Spider(scrapy.Spider):
    name = "example"
    start_urls = os.environ["URLS"].split()
    custom_settings = {
        "ROBOTSTXT_OBEY": True,
        "USER_AGENT": "ExampleBot/1.0 (+https://example.com/bot)",
    }

    def parse(self, response):
        pass

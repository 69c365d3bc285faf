import sys
import scrapy
from scrapy.crawler import CrawlerProcess


class Shop(scrapy.Spider):
    name = "shop"
    start_urls = sys.argv[1:]
    handle_httpstatus_all = True

    def parse(self, response):
        print(response.status, response.url)


process = CrawlerProcess({"LOG_LEVEL": "ERROR", "ROBOTSTXT_OBEY": False})
process.crawl(Shop)
process.start()

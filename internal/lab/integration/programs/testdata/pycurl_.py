import sys
import pycurl

for url in sys.argv[1:]:
    curl = pycurl.Curl()
    curl.setopt(pycurl.URL, url)
    curl.setopt(pycurl.WRITEFUNCTION, lambda page: None)
    try:
        curl.perform()
        print(curl.getinfo(pycurl.RESPONSE_CODE))
    except pycurl.error as e:
        print(e)

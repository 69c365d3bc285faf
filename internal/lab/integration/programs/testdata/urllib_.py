import sys
import urllib.error
import urllib.request

for url in sys.argv[1:]:
    try:
        print(urllib.request.urlopen(url).status)
    except urllib.error.HTTPError as e:
        print(e.code)

const puppeteer = require('puppeteer-core')

async function main() {
  const browser = await puppeteer.launch({ executablePath: '/usr/bin/chromium', acceptInsecureCerts: true, args: ['--no-sandbox'] })
  const page = await browser.newPage()
  await page.goto(process.argv[2])
  await page.waitForFunction(() => document.querySelector('#told').textContent.startsWith('told'))
  console.log(await page.content())
  await browser.close()
}
main()

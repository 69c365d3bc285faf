const { chromium } = require('playwright-core')

async function main() {
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox'] })
  const page = await browser.newPage({ ignoreHTTPSErrors: true })
  await page.goto(process.argv[2])
  await page.waitForFunction(() => document.querySelector('#told').textContent.startsWith('told'))
  console.log(await page.content())
  await browser.close()
}
main()

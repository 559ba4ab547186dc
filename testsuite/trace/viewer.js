// node viewer.js TRACE: loads a Chrome trace into speedscope, in Chromium, and
// prints a line for each thread that it has found, "profile NAME", then one for
// each row of its table, "frame TOTAL (SHARE) SELF (SHARE) NAME", and one for
// each complaint, "complaint TEXT".
// NODE_PATH says where playwright-core and speedscope are, CHROMIUM the browser.

const fs = require('fs')
const http = require('http')
const path = require('path')
const os = require('os')
const { chromium } = require('playwright-core')

const viewer = path.join(process.env.NODE_PATH, 'speedscope/dist/release')
const trace = process.argv[2]
const types = { '.html': 'text/html', '.js': 'text/javascript',
                '.css': 'text/css', '.wasm': 'application/wasm' }

function serve(request, response) {
  const name = request.url.split('?')[0]
  const file = name === '/trace.json' ? trace : path.join(viewer, name)
  if (!fs.existsSync(file)) {
    response.writeHead(404)
    return response.end()
  }
  response.setHeader('Content-Type',
                     types[path.extname(file)] || 'application/octet-stream')
  fs.createReadStream(file).pipe(response)
}

const flags = ['--no-sandbox', '--disable-gpu', '--disable-quic',
  '--no-first-run', '--disable-background-networking',
  '--disable-component-update', '--disable-sync']

async function load(address) {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'chromium-'))
  const browser = await chromium.launchPersistentContext(profile, {
    executablePath: process.env.CHROMIUM, headless: true, args: flags,
    viewport: { width: 1280, height: 4000 } })
  try {
    const page = await browser.newPage()
    page.setDefaultTimeout(20000)
    page.on('console', message => {
      if (['warning', 'error'].includes(message.type()))
        console.log('complaint', message.text())
    })
    page.on('dialog', dialog => {
      console.log('complaint', dialog.message())
      dialog.dismiss()
    })
    await page.goto(`${address}/index.html#profileURL=` +
                    encodeURIComponent(`${address}/trace.json`))
    // Its table is made of text, its flame graphs of pixels.
    await page.getByText('Sandwich').click()
    for (let i = 1, count = 1; i <= count; i++) {
      await page.waitForFunction(i =>
        document.body.innerText.includes(` (${i}/`) &&
        document.querySelectorAll('tr').length > 1, i)
      const text = await page.locator('body').innerText()
      const title = text.match(/^(.*) \(\d+\/(\d+)\)$/m)
      count = Number(title[2])
      console.log('profile', title[1])
      for (const row of await page.locator('tr').allInnerTexts())
        console.log('frame', row.trim().replace(/\s+/g, ' '))
      await page.keyboard.press('n')
    }
  } finally {
    await browser.close()
    fs.rmSync(profile, { recursive: true, force: true })
  }
}

const server = http.createServer(serve)
server.listen(0, '127.0.0.1', () =>
  load(`http://127.0.0.1:${server.address().port}`)
    .then(() => server.close(), error => {
      console.error(String(error).split('\n')[0])
      process.exit(1)
    }))

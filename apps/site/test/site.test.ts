import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { createRequire, stripTypeScriptTypes } from 'node:module'
import { basename, dirname, join, posix } from 'node:path'
import { pathToFileURL } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { Browser, Frame, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { PlacementPolicy } from '@cloister/placement'
import { jigsaw } from '@cloister/policy-jigsaw'
import { run as simulateRun } from '@cloister/run'
import { nodeServices } from '@cloister/run/node'
import { Effect } from 'effect'
import { section } from '../src/documents.ts'
import { withLinks } from '../src/links.ts'
import { shiftsOf } from '../src/paper-charts.ts'
import { storedOutputs, withResults } from '../src/paper-pages.ts'
import { meaningOf, membersAfter } from '../src/playground/contract-types.ts'
import { conditionsOf } from '../src/playground/exercise-checks.ts'
import { exercises } from '../src/playground/exercises.ts'
import { outagesText, secondsOf, timeText } from '../src/playground/outages.ts'
import { firstSetup, linkOf, setupOf } from '../src/playground/setup.ts'
import { partOf } from '../src/playground/viewed-part.ts'
import { buildOnce, root, siteFile, siteFolder } from './built-site.ts'
import { type ServedSite, serve } from './served-site.ts'

/** Module of the tests of apps/cli that starts Chromium. */
interface ChromiumOfTests {
  readonly hasChromium: boolean
  readonly launchChromium: () => Promise<Browser>
}
const { hasChromium, launchChromium } = (await import(
  pathToFileURL(join(root, 'apps/cli/test/chromium.ts')).href
)) as ChromiumOfTests

/** Module of the tests of apps/cli that measures the layout of pages. */
interface LayoutOfTests {
  readonly widths: ReadonlyArray<number>
  readonly layoutFaults: (page: Page | Frame) => Promise<ReadonlyArray<string>>
}
const { layoutFaults, widths } = (await import(
  pathToFileURL(join(root, 'apps/cli/test/layout-faults.ts')).href
)) as LayoutOfTests

// Each page has an own test, so the site is built before the tests are collected.
buildOnce()

const htmlFiles = (): ReadonlyArray<string> => globSync('**/*.html', { cwd: siteFolder }).sort()

describe('the built site', () => {
  it('the site has a page for each command, policy and package, and no broken link', () => {
    const files = htmlFiles()
    for (const page of ['cli/sweep', 'policies/jigsaw', 'packages/topology', 'log/format'])
      expect(files).toContain(`reference/${page}.html`)
    expect(siteFile('reference/cli/sweep.html')).toMatch(
      /<code>--shard<\/code><\/td><td><code>I\/N<\/code><\/td><td>Run part I of N[^]*id="cloister-sweep-merge"/,
    )
    expect(siteFile('reference/cli/index.html')).toMatch(/id="real-machines"[^]*import.html"><code>import<\/code>/)
    expect(siteFile('reference/policies/jigsaw.html')).toContain('densest-first')
    expect(siteFile('reference/packages/topology.html')).toMatch(/<code>parseTopology<\/code><\/a><\/td><td>\w+ .*\w/)
    const broken = files.filter((file) => file !== '404.html').flatMap((file) => brokenLinks(file))
    expect(broken).toEqual([])
  })
})

/** Returns the addresses of links, pictures and scripts of a page that lead to a missing file or a missing heading. */
function brokenLinks(file: string): ReadonlyArray<string> {
  const html = siteFile(file).replaceAll(/<script>.*?<\/script>/gs, '')
  return [...html.matchAll(/ (?:href|src)="([^"]*)"/g)].flatMap(([, link]) => {
    if (/^(https?|data|mailto):/.test(link)) return []
    const [path, hash = ''] = link.replaceAll('&amp;', '&').split('#')
    const target = path === '' ? file : posix.join(dirname(file), path)
    const found = path.endsWith('/') ? posix.join(target, 'index.html') : target
    if (!existsSync(join(siteFolder, found))) return [`${file}: ${link}`]
    const isThere = hash === '' || siteFile(found).includes(` id="${decodeURIComponent(hash)}"`)
    return isThere ? [] : [`${file}: ${link}`]
  })
}

describe.skipIf(!hasChromium)('the site in Chromium', () => {
  let browser: Browser
  let page: Page
  let site: ServedSite
  let complaints: Array<string>
  let requests: Array<string>

  beforeAll(async () => {
    site = await serve(siteFolder)
    browser = await launchChromium()
  })
  afterAll(async () => {
    await browser.close()
    site.server.close()
  })

  /** Makes an empty page whose errors and requests the tests see. */
  async function newPage(width: number): Promise<Page> {
    const made = await browser.newPage({ viewport: { width, height: 800 } })
    made.setDefaultTimeout(300_000)
    made.on('pageerror', (error) => complaints.push(String(error)))
    made.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    made.on('request', (request) => requests.push(request.url()))
    return made
  }

  async function goTo(path: string): Promise<void> {
    complaints = []
    requests = []
    await page.goto(site.url + path)
  }

  /** Opens a path of the site in a new page with empty storage and caches. The page is closed after the test. */
  async function open(path: string, width = 1280): Promise<void> {
    page = await newPage(width)
    const opened = page
    onTestFinished(() => opened.close())
    await goTo(path)
  }

  it('the first page takes less than 200 kB, and shows a run in the viewer after a reader touches the picture', async () => {
    await open('')
    await page.waitForLoadState('networkidle')
    const bytes = await page.evaluate(() =>
      [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')].reduce(
        (sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize,
        0,
      ),
    )
    expect(bytes).toBeGreaterThan(20_000)
    expect(bytes).toBeLessThan(200_000)
    expect(await findings(page)).toEqual([])
    await page.getByRole('button', { name: 'Move through this run' }).hover()
    await page.frameLocator('iframe').getByTestId('status-a').filter({ hasText: 'whole' }).waitFor()
    await page.getByRole('button', { name: 'Move through this run' }).waitFor({ state: 'detached' })
    expect(requests.filter((url) => !/^(blob:)?http:..127|^data:/.test(url))).toEqual([])
    expect(complaints).toEqual([])
  })

  // All these tests load their pages in one tab, because a new tab with empty caches takes most of a test's time.
  describe('on a small screen', () => {
    let tab: Page

    beforeAll(async () => {
      tab = await newPage(390)
    })
    afterAll(() => tab.close())

    // Each page has an own test. A single test of all pages took longer than any time limit on a busy machine.
    it.each(htmlFiles().filter((name) => !/^(404|playground|papers\/runs)/.test(name)))(
      'page %s of the site does not scroll sideways on a small screen and has no cut block of code on a large one, and axe finds no fault',
      async (file) => {
        page = tab
        await goTo(file)
        await page.locator('h1').first().waitFor()
        const beyond = () => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
        expect(await beyond()).toBeLessThanOrEqual(0)
        expect(await findings(page)).toEqual([])
        const folded = page.locator('details.name')
        await folded.evaluateAll((all) => all.forEach((each) => ((each as HTMLDetailsElement).open = true)))
        expect(await beyond()).toBeLessThanOrEqual(0)
        await folded.evaluateAll((all) => all.forEach((each) => ((each as HTMLDetailsElement).open = false)))
        expect(complaints).toEqual([])
        expect(requests.filter((url) => !url.startsWith(site.url) && !url.startsWith('data:'))).toEqual([])
        await page.setViewportSize({ width: 1280, height: 800 })
        expect(await cutBlocks(page)).toEqual([])
        const height = await page.evaluate(() => document.documentElement.scrollHeight)
        expect(height).toBeLessThan(12_000)
        await page.setViewportSize({ width: 390, height: 800 })
      },
    )
  })

  it('axe finds no fault in pages of the site with dark colours, and on four screens nothing in the pages is cut or overlaps', async () => {
    await open('404.html')
    for (const file of [
      'index.html',
      'papers/jigsaw.html',
      'papers/mishra.html',
      'papers/pollard.html',
      'project/speed.html',
      'reference/apps/viewer.html',
      'reference/cli/index.html',
      'reference/cli/simulate.html',
      'tutorials/write-a-policy.html',
      'reference/api/run.html',
    ]) {
      await page.emulateMedia({ colorScheme: 'light' })
      await goTo(file)
      await page.locator('h1').first().waitFor()
      expect(await faultsOnScreens(), file).toEqual([])
      await page.emulateMedia({ colorScheme: 'dark' })
      await page.locator('html.dark').waitFor()
      expect(await faultsOnScreens(), file).toEqual([])
      expect(await findings(page), file).toEqual([])
    }
  })

  /** Returns the faults of a layout that stay: parts of a page that load late may move others for some pictures. */
  async function settledFaults(frame: Page | Frame): Promise<ReadonlyArray<string>> {
    let faults = await layoutFaults(frame)
    for (let more = 10; more > 0 && faults.length > 0; more--) faults = await layoutFaults(frame)
    return faults
  }

  /** Returns the faults of the layout of the page, and of a run inside the page, on screens of all sizes. */
  async function faultsOnScreens(): Promise<ReadonlyArray<string>> {
    const faults: Array<string> = []
    // The last measurement waits until the page has settled at the usual width.
    for (const width of [...widths, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      // A browser does not paint the frame of a folded run, so nothing can be measured there.
      const painted = page.frames().filter((frame) => frame === page.mainFrame() || frame.url().startsWith('blob:'))
      for (const frame of painted) faults.push(...(await settledFaults(frame)).map((fault) => `${width} px: ${fault}`))
    }
    return faults
  }

  /** Presses Run, and returns the text of the time or of the problem that the playground then shows. */
  async function run(): Promise<string> {
    await page.locator('button.run').click()
    const said = page.locator('.problem, [data-testid=status]:has-text("click")')
    return (await said.textContent()) ?? ''
  }

  /** Loads the playground again, in the same tab, and waits for the editor. */
  async function show(path: string): Promise<void> {
    // A change of the fragment alone would not load the page.
    await page.goto('about:blank')
    await page.goto(site.url + path)
    await page.locator('.cm-content').waitFor()
  }

  const small = { options: { topology: 'radix:8', trace: 'synth:8:200', queue: 'easy:20' } } as const
  const playground = (policies: readonly [string, string], code?: string): string =>
    `playground/index.html${linkOf({ ...small, policies, code })}`

  it('the playground shows two finished runs on its first screen, before the scripts of the simulator and of the editor', async () => {
    const size = (file: string): number => gzipSync(readFileSync(join(siteFolder, 'playground', file))).length
    const first = ['index.html', 'main.css', 'stored-a.svg', 'stored-b.svg', 'main.js']
    expect(first.reduce((sum, file) => sum + size(file), 0)).toBeLessThan(40_000)
    // The page's file has the results; a browser without scripts shows the results, too.
    expect(siteFile('playground/index.html')).toMatch(/mean wait<\/th><td>[\d.]+ h<\/td>.*src=".\/stored-b.svg"/)
    await open('playground/index.html')
    const viewer = page.frameLocator('iframe')
    await viewer.getByTestId('status-b').filter({ hasText: 'whole' }).waitFor()
    const scripts = (): ReadonlyArray<string> =>
      requests.map((url) => basename(url)).filter((url) => url.endsWith('.js'))
    expect(scripts().filter((file) => !/^(main|chunk-\w+)\.js$/.test(file))).toEqual([])
    await page.locator('h1').hover()
    await expect.poll(scripts).toContain('worker.js')
    expect(await page.locator('.pictures').count()).toBe(0)
    const bottom = async (element: Locator): Promise<number> => {
      const { y, height } = (await element.boundingBox())!
      return y + height
    }
    expect(await bottom(page.getByTestId('results'))).toBeLessThan(800)
    expect(await bottom(page.locator('iframe'))).toBeLessThan(810)
    const tops = ['select[name=policy-0]', 'select[name=policy-1]', 'input[name=topology]', 'input[name=queue]']
    const [a, b, c, d] = await Promise.all(tops.map(async (each) => (await page.locator(each).boundingBox())!.y))
    expect([a, c]).toEqual([b, d])
    const cells = await page.locator('tr', { hasText: 'mean wait' }).locator('td').allTextContents()
    const [baseline, jigsaw] = cells.map((text) => Number.parseFloat(text))
    expect(jigsaw, 'as in npm start, jobs wait longer under Jigsaw').toBeGreaterThan(baseline)
    const shown = new URLSearchParams(
      await page.locator('iframe').evaluate((frame: HTMLIFrameElement) => frame.contentWindow!.location.hash.slice(1)),
    )
    const [from, to] = shown.get('zoom')!.split(',').map(Number)
    expect(to - from, 'about 220 of 1000 jobs are visible').toBeLessThan(54 * 3600 * 0.25)
    expect(await findings(page)).toEqual([])
    await page.locator('select[name=appearance]').selectOption('dark')
    await viewer.locator('html[data-theme=dark]').waitFor()
    expect(await findings(page)).toEqual([])
    expect(await faultsOnScreens()).toEqual([])
    // The script that draws pictures is fetched when the first picture is saved, and not for numbers.
    await Promise.all([
      page.waitForEvent('download'),
      viewer
        .getByRole('button', { name: /^Save .* as CSV$/ })
        .first()
        .click(),
    ])
    expect(scripts()).not.toContain('pictures.js')
    const [picture] = await Promise.all([
      page.waitForEvent('download'),
      viewer
        .getByRole('button', { name: /^Save .* as SVG$/ })
        .first()
        .click(),
    ])
    expect(picture.suggestedFilename()).toMatch(/\.svg$/)
    expect(scripts()).toContain('pictures.js')
    expect(complaints).toEqual([])
  })

  it('the playground has the appearance that the site stores, and lets a node fail in both runs', async () => {
    await open('404.html')
    await page.evaluate(() => localStorage.setItem('vitepress-theme-appearance', 'dark'))
    await page.goto(site.url + playground(['baseline', 'own-code'], exercises[1].code))
    await page.locator('html.dark').waitFor()
    await page.locator('summary', { hasText: 'Fail a node' }).click()
    await page.getByLabel('Fails at').fill('1h')
    await page.locator('button.fail').click()
    await page.locator('[data-testid=status]', { hasText: 'click' }).waitFor()
    expect(await page.getByTestId('results').textContent()).toMatch(/jobs finished200200.*auditok.*ok/)
    await page.frameLocator('iframe').locator('[role=tabpanel]', { hasText: '1 down' }).waitFor()
    expect(setupOf(new URL(page.url()).hash)?.outages).toEqual([{ part: 'node', id: 17, at: 3600, length: 21_600 }])
    await page.locator('.outages button').click()
    expect(await page.getByTestId('status').textContent()).toBe('The results are of an earlier set-up.')
    expect(await findings(page)).toEqual([])
  })

  it('the playground runs two policies, and shows both runs in the viewer', async () => {
    await open(playground(['baseline', 'jigsaw']), 390)
    expect(await page.getByTestId('from-link').textContent()).toContain('The set-up does not run before you press Run')
    expect(await run()).toMatch(/^[\d.]+ s from the click to the picture/)
    const results = (await page.getByTestId('results').textContent()) ?? ''
    expect(results).toMatch(/baseline@.*jigsaw@.*jobs finished200200.*auditok.*ok/)
    const viewer = page.frameLocator('iframe')
    expect(await viewer.getByTestId('status-b').textContent()).toContain('whole')
    expect(await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)).toBe(false)
    expect(await findings(page)).toEqual([])
    expect(complaints).toEqual([])
    const { origin } = new URL(site.url)
    expect(requests.filter((url) => !url.replace('blob:', '').startsWith(origin) && !url.startsWith('data:'))).toEqual(
      [],
    )
  })

  it('the results of the playground show rejected jobs first, with their share of jobs and node-time', async () => {
    const options = { ...small.options, topology: 'radix:4' }
    await open(`playground/index.html${linkOf({ options, policies: ['baseline', 'contiguous'], code: undefined })}`)
    await run()
    expect(await page.getByTestId('results').textContent()).toMatch(
      /baseline@[\d.]+contiguous@[\d.]+jobs rejected(\d+ \(\d+\.\d+ %, \d+\.\d+ % of node-time\)){2}jobs finished/,
    )
  })

  it('the playground simulates the jobs of a chosen file, on the machine of a second file, without sending the file anywhere', async () => {
    const line = (job: number): string => `${job} ${job} 0 100 4 -1 -1 4 120 -1 1 1 1 -1 -1 -1 -1 -1`
    await open(playground(['baseline', 'contiguous']))
    const buffer = Buffer.from(Array.from({ length: 30 }, (_, job) => `${line(job + 1)}\n`).join(''))
    await page.locator('input[type=file]').setInputFiles({ name: 'secret.swf', mimeType: 'text/plain', buffer })
    await page.waitForURL(/trace=file%3Asecret.swf/)
    await run()
    expect(await page.getByTestId('results').textContent()).toContain('jobs finished3030')
    const machine = Buffer.from(
      'SwitchName=leaf1 Nodes=cn[01-04]\nSwitchName=leaf2 Nodes=cn[05-08]\nSwitchName=top Switches=leaf[1-2]\n',
    )
    await page
      .locator('input[type=file]')
      .setInputFiles({ name: 'secret.conf', mimeType: 'text/plain', buffer: machine })
    await page.waitForURL(/topology=slurm%3Asecret.conf/)
    await run()
    expect(await page.getByTestId('results').textContent()).toContain('jobs finished3030')
    expect(site.asked.filter((url) => url.includes('secret'))).toEqual([])
    await page.reload()
    expect(await run()).toContain(
      'secret.conf: drop a file topology.conf or topology.yaml of this name on the page first',
    )
    await page.locator('input[name=topology]').fill('radix:8')
    expect(await run()).toContain('choose the file with the jobs first: no link contains the file')
  })

  it('the playground takes a file of sacct that is dropped on the page, on its lower margin or on the field for code', async () => {
    const jobs = Array.from({ length: 20 }, (_, job) => `${job}|2024-01-01T00:00:0${job % 10}|60|4|COMPLETED`)
    const text = `JobID|Submit|ElapsedRaw|NNodes|State\n${jobs.join('\n')}\n`
    await open(playground(['baseline', 'own-code']))
    await page.locator('.cm-content').waitFor()
    for (const [name, on] of [
      ['below.psv', 'html'],
      ['on-code.psv', '.cm-content'],
    ] as const) {
      const isTaken = await page.evaluate(
        ([file, content, target]) => {
          const dataTransfer = new DataTransfer()
          dataTransfer.items.add(new File([content], file))
          const drop = new DragEvent('drop', { bubbles: true, cancelable: true, dataTransfer })
          document.querySelector(target)!.dispatchEvent(drop)
          return drop.defaultPrevented
        },
        [name, text, on] as const,
      )
      expect(isTaken, `${on}: else the browser opens the file`).toBe(true)
      await page.waitForURL(`**trace=file%3A${name}**`)
    }
    expect(await page.locator('.cm-content').textContent()).not.toContain('COMPLETED')
    await run()
    expect(await page.getByTestId('results').textContent()).toContain('jobs finished2020')
    expect(complaints).toEqual([])
  })

  it('the playground runs the code of a link only after a click on Run, without network, storage and pages', async () => {
    const code = `
const ways: Record<string, () => unknown> = {
  fetch: () => fetch('${site.url}leak-1'),
  script: () => importScripts('${site.url}leak-2'),
  module: () => import('${site.url}leak-3'),
  request: () => { const r = new XMLHttpRequest(); r.open('GET', '${site.url}leak-4', false); r.send() },
  database: () => indexedDB.open('x'),
  caches: () => caches.open('x'),
  worker: () => { new Worker('${site.url}playground/worker.js?leak-5') },
}
const reached: string[] = []
for (const [name, way] of Object.entries(ways)) try { await way(); reached.push(name) } catch {}
new EventSource('${site.url}leak-6')
new WebSocket('${site.url}leak-7'.replace('http', 'ws'))
throw new Error('from ' + origin + ' reached: ' + reached.join())`
    await open(playground(['own-code', 'baseline'], code))
    await page.locator('.cm-content').waitFor()
    await page.waitForLoadState('networkidle')
    expect(await page.locator('iframe').count()).toBe(0)
    expect(requests.filter((url) => url.includes('sandbox'))).toEqual([])
    expect(await run()).toBe('Line 15: from null reached: ')
    expect(requests.filter((url) => url.includes('sandbox'))).toHaveLength(1)
    expect(site.asked.filter((url) => url.includes('leak'))).toEqual([])
  })

  it('the playground refuses a log of a different run that a policy’s code posts as its result', async () => {
    const posting = async (trace: string, queue = 'easy:20'): Promise<string> => {
      const chunks: Array<Uint8Array> = []
      const services = nodeServices({ policies: [jigsaw] })
      const spec = { trace, topology: 'radix:8', policy: 'jigsaw', queue }
      await Effect.runPromise(simulateRun(spec, { sink: (chunk) => chunks.push(chunk) }).pipe(Effect.provide(services)))
      const log = Buffer.concat(chunks).toString()
      return `postMessage({ kind: 'simulated', simulated: { log: new TextEncoder().encode(${JSON.stringify(log)}), jobs: 1, seconds: 0 } })
for (;;);`
    }
    await open('404.html')
    for (const [code, found] of [
      [await posting('synth:8:20'), "the log's header has workload "],
      [await posting('synth:8:200', 'easy:10'), "the log's header has "],
      ['postMessage({ kind: "simulated", simulated: { log: new Uint8Array(9) } })', 'the log has no header'],
    ]) {
      await show(playground(['baseline', 'own-code'], code))
      expect(await run()).toContain(`the code returned a log of a different run than requested: ${found}`)
      expect(await page.getByTestId('results').count()).toBe(0)
    }
    await show(playground(['baseline', 'own-code'], await posting('synth:8:200')))
    expect(await run()).toContain('from the click to the picture')
    expect(await page.getByTestId('results').textContent()).toContain('own code: jigsaw@')
  })

  it('the playground runs and stops a policy written in the page, and shows the faults of the policy at their lines', async () => {
    await open('playground/index.html')
    await page.locator('select[name=policy-1]').selectOption('own-code')
    await page.locator('input[name=trace]').fill('synth:8:100')
    expect(await run()).toContain('from the click to the picture')
    expect(await page.getByTestId('results').textContent()).toMatch(/emptiest-first@.*jobs finished100100.*auditok.*ok/)
    // The playground's link contains the code of the policy.
    const { code = '' } = setupOf(new URL(page.url()).hash) ?? {}
    const lines = code.split('\n')
    const at = lines.findIndex((line) => line.includes('let taken = 0'))
    const with_ = (line: string): string => playground(['baseline', 'own-code'], lines.with(at, line).join('\n'))
    await show(with_("  throw new Error('not today')"))
    expect(await run()).toMatch(new RegExp(`^Line ${at + 1}: .*not today`))
    await page.locator('.cm-lintRange-error').first().waitFor()
    expect(await page.getByTestId('fault').textContent()).toMatch(
      /request{"purpose":"start","job":"1",.*none: the code threw/,
    )
    // The answer of the next code is wrong, so the page names the last line that read the request.
    await show(
      with_(
        '  let taken = 0; if (request.nodes > 1) return { ok: true, nodes: Array(request.nodes).fill(3), links: [] }',
      ),
    )
    expect(await run()).toMatch(new RegExp(`^Line ${at + 1}: .*node 3 follows 3`))
    const fault = page.getByTestId('fault')
    expect(await fault.textContent()).toMatch(/free nodes\d+ \(leaves 0 to .*wrong nodes3 \(given twice\)/)
    expect(await fault.locator('.wrong').count()).toBe(1)
    expect(await findings(page)).toEqual([])
    await show(playground(['baseline', 'own-code'], code.replace("'shared'", "'owned'")))
    await run()
    expect(await page.locator('.problem').textContent()).toMatch(
      /^Line \d+: the audit found: leaf 0 has no minimal route/,
    )
    expect(await fault.textContent()).toContain('"type":"allocate"')
    await show(with_('  let taken = ;'))
    expect(await run()).toMatch(new RegExp(`^Line ${at + 1}: Expression expected`))
    await show(playground(['baseline', 'own-code'], 'enum Size { Small }\nexport default 0'))
    expect(await run()).toBe(
      'Line 1: this syntax is not allowed, because it is more than a type: write JavaScript instead',
    )
    await show(with_('  let taken = 0; for (;;);'))
    await page.locator('button.run').click()
    await page.locator('button.run', { hasText: 'Stop' }).click()
    await page.locator('.problem', { hasText: 'stopped' }).waitFor()
  })

  it('an exercise of the playground shows its failed checks, and turns green for a solution', async () => {
    await open(playground(['baseline', 'jigsaw']))
    await page.locator('summary', { hasText: 'Exercises' }).click()
    const [{ title }, , { name }] = exercises
    await page.locator('.exercises button', { hasText: title }).click()
    await page.locator('.cm-content').waitFor()
    await page.locator('button.check').click()
    const checked = page.getByTestId('checked').filter({ hasText: 'checks pass' })
    expect(await checked.textContent()).toMatch(/^\d+ of \d+ checks pass/)
    expect(await page.locator('.checks .failed').first().innerText()).toMatch(
      /^✗ failed a job gets the first free nodes/,
    )
    expect(await page.locator('.checks .not-run').first().innerText()).toMatch(/^– not run /)
    expect(await findings(page)).toEqual([])
    const setup = { ...firstSetup, policies: ['baseline', 'own-code'], code: solutions[2], exercise: name } as const
    await show(`playground/index.html${linkOf(setup)}`)
    await page.locator('button.check').click()
    expect(await checked.textContent()).toMatch(/^✓ Solved: all \d+ checks pass/)
    expect(await page.locator('.checks .failed, .checks .not-run').count()).toBe(0)
    expect(await findings(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it("the playground's editor offers the members of the contract's types, with descriptions", async () => {
    await open(playground(['baseline', 'own-code'], 'const place = (state, request) => state.freeNodeIds(0)\n'))
    const word = await page.locator('.cm-line', { hasText: 'freeNodeIds' }).evaluate((line) => {
      const texts = document.createTreeWalker(line, NodeFilter.SHOW_TEXT)
      while (!texts.nextNode()?.textContent?.includes('freeNodeIds'));
      const range = document.createRange()
      range.selectNodeContents(texts.currentNode)
      range.setStart(texts.currentNode, texts.currentNode.textContent!.indexOf('freeNodeIds'))
      const { x, y, height } = range.getBoundingClientRect()
      return { x: x + 5, y: y + height / 2 }
    })
    await page.mouse.move(word.x, word.y)
    await page.locator('.meaning', { hasText: 'StateView.freeNodeIds(leaf: number, out: Int32Array' }).waitFor()
    await page.mouse.move(0, 0)
    await page.locator('.cm-content').click()
    await page.keyboard.press('Control+End')
    await page.keyboard.type('request.')
    await page.locator('.cm-tooltip-autocomplete', { hasText: 'purpose' }).waitFor()
    await page.keyboard.type('submi')
    await page.locator('.cm-tooltip-autocomplete [aria-selected]', { hasText: 'submitted' }).waitFor()
    expect(complaints).toEqual([])
    const code = requests.filter((url) => /code-editor/.test(url)).map((url) => basename(url))
    expect(code).toHaveLength(1)
    expect(gzipSync(readFileSync(join(siteFolder, 'playground', code[0]))).length).toBeLessThan(200_000)
  })

  it('the editor of the playground marks and explains type errors, and marks nothing in correct code', async () => {
    await open(playground(['baseline', 'jigsaw']))
    await page.waitForLoadState('networkidle')
    expect(requests.filter((url) => /playground\/(compiler|code-editor)/.test(url))).toEqual([])
    await page.locator('select[name=policy-1]').selectOption('own-code')
    await page.locator('.cm-line', { hasText: 'state.freeNodes)' }).click()
    const marks = page.locator('.cm-lintRange-error')
    const type = async (text: string): Promise<void> => {
      await page.keyboard.press('Home')
      await page.keyboard.type(text)
    }
    // On a busy machine the compiler checks code with words that are not completely typed yet.
    const marked = (texts: ReadonlyArray<string>): Promise<void> =>
      expect.poll(() => marks.allTextContents()).toEqual(texts)
    await type('state.freeKnots; ')
    await marked(['freeKnots'])
    await marks.hover()
    await page.locator('.cm-tooltip-lint', { hasText: "Property 'freeKnots' does not exist" }).waitFor()
    expect(await findings(page)).toEqual([])
    await page.mouse.move(0, 0)
    for (let key = 0; key < 'state.freeKnots; '.length; key++) await page.keyboard.press('Backspace')
    await marked([])
    // The first statement is correct, so only the error in the second statement is marked.
    await type('request.nodes.toFixed(1); request.sise; ')
    await marked(['sise'])
    expect(complaints).toEqual([])
    const compiler = gzipSync(readFileSync(join(siteFolder, 'playground/compiler.js'))).length
    expect(compiler).toBeLessThan(1_600_000)
  })

  it('the playground stops a run that has not begun yet', async () => {
    await open(playground(['baseline', 'jigsaw']))
    let load = (): void => {}
    const stopped = new Promise<void>((resolve) => (load = resolve))
    await page.route('**/compiler.js', async (route) => {
      await stopped
      await route.continue()
    })
    await show(playground(['baseline', 'own-code'], 'export default 0; for (;;);'))
    await page.locator('button.run').click()
    await page.locator('button.run', { hasText: 'Stop' }).click()
    load()
    await page.locator('.problem', { hasText: 'stopped' }).waitFor()
  })

  it("each paper's page shows a table and a chart, the chart on the first screen, and axe finds no fault in dark colours", async () => {
    const papers = globSync('papers/*.html', { cwd: siteFolder }).filter(
      (file) => !/index|figures|necessity/.test(file),
    )
    expect(papers).toHaveLength(15)
    await open('papers/jigsaw.html', 1440)
    await page.emulateMedia({ colorScheme: 'dark' })
    for (const file of papers) {
      await page.goto(site.url + file)
      expect(await page.locator('.result table td.number').count(), file).toBeGreaterThan(0)
      const chart = await page.locator('.result .chart [role=img]').first().boundingBox()
      expect(chart?.y, file).toBeLessThan(700)
    }
    await page.goto(`${site.url}papers/jigsaw.html`)
    // A paper's page opens with its verdicts, in words.
    expect(await page.locator('h1 + .result tr', { hasText: /utilization under Baselineholds/ }).textContent()).toMatch(
      /^6\.1 utilization under Baselineholds in 4 of 497\.0 to\s100\.0\s%98\.2 to\s99\.7\s%0$/,
    )
    const folded = page.locator('.result details', { hasText: 'LC without sharing is behind Jigsaw: Atlas' })
    expect(await folded.locator('summary').textContent()).toBe('42 more rows')
    await folded.locator('summary').click()
    expect(await folded.getByText('LC without sharing is behind Jigsaw: Atlas').isVisible()).toBe(true)
    expect(await findings(page)).toEqual([])
    await page.goto(`${site.url}papers/figures.html`)
    expect(await page.locator('.result svg.rows').count()).toBeGreaterThan(15)
    const numbers = page.locator('.result').first()
    expect(await numbers.textContent()).toContain('The most important numbers of the papers')
    expect(await numbers.locator('tbody tr').count()).toBe(20)
    // The paper states no number about this experiment: the page has its statements.
    expect(await page.getByRole('heading', { name: 'Average system utilization on 1024 nodes' }).count()).toBe(1)
    expect(complaints).toEqual([])
  })

  it("each paper's page shows a run after a reader opens the run", async () => {
    const runs = globSync('papers/runs/*.html', { cwd: siteFolder })
    for (const paper of ['jigsaw', 'pollard', 'mishra', 'pascual', 'combal']) {
      expect(siteFile(`papers/${paper}.html`)).toContain(`src="./runs/${paper}.html"`)
      expect(runs).toContain(`papers/runs/${paper}.html`)
    }
    for (const file of runs) expect(statSync(join(siteFolder, file)).size).toBeLessThan(150_000)
    // Most readers come to the paper's page from a different page of the site.
    await open('papers/index.html', 390)
    await page.locator('main a', { hasText: 'jigsaw' }).first().click()
    await page.locator('.run summary').waitFor()
    await page.waitForLoadState('networkidle')
    expect(requests.filter((url) => url.includes('/runs/'))).toEqual([])
    await page.locator('.run summary').click()
    await page.frameLocator('iframe').getByTestId('status-a').filter({ hasText: 'whole' }).waitFor()
    expect(requests.filter((url) => url.includes('/runs/'))).toEqual([`${site.url}papers/runs/jigsaw.html`])
    expect(await findings(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('the search of the site finds tutorials, the glossary and commands before names of the API', async () => {
    await open('papers/jigsaw.html')
    await page.getByRole('button', { name: 'Search' }).click()
    const results = page.locator('#localsearch-list a')
    for (const [word, first] of [
      ['sacct', 'Your own cluster'],
      ['backfill', 'Glossary'],
      ['reservation', 'Glossary'],
      ['simulate', 'cloister simulate'],
      ['shadow time', 'Glossary'],
    ]) {
      await page.locator('#localsearch-input').fill(word)
      await results.first().filter({ hasText: first }).waitFor()
      const pages = await results.evaluateAll((links) => links.slice(0, 5).map((link) => link.getAttribute('href')))
      expect(pages.join(), word).not.toContain('/api/')
    }
    await results.first().click()
    await page.waitForURL(`${site.url}glossary.html**`)
    await page.locator('h1', { hasText: 'Glossary' }).waitFor()
    expect(complaints).toEqual([])
  })

  it('a page of the API opens the folded section of a name after a click on the name', async () => {
    await open('reference/api/placement.html')
    expect(await page.locator('.VPSidebar a').nth(1).textContent()).toBe('placement')
    await page.locator('main').getByRole('link', { name: 'StateView', exact: true }).first().click()
    await page.locator('details[open] h4').first().waitFor()
    expect(await page.locator('details[open] h3').textContent()).toContain('StateView')
    await goTo('reference/api/placement.html#freenodeids')
    const name = page.locator('#freenodeids')
    await page.locator('details[open] #freenodeids').waitFor()
    const barEnd = await page.locator('.VPLocalNav').evaluate((bar) => bar.getBoundingClientRect().bottom)
    await expect.poll(() => name.evaluate((heading) => heading.getBoundingClientRect().top)).toBeGreaterThan(barEnd)
  })
})

/** Returns the beginnings of the blocks of code and of the tables that readers must scroll to the side. */
function cutBlocks(page: Page): Promise<ReadonlyArray<string>> {
  return page
    .locator(':is(.vp-doc pre, .vp-doc table, .result .wide):visible')
    .evaluateAll((blocks) =>
      blocks
        .filter((block) => block.scrollWidth > block.clientWidth + 1)
        .map((block) => block.textContent.slice(0, 80)),
    )
}

/** Code that solves each exercise: an exercise starts from a solution of the exercise before. */
const solutions = [exercises[1].code, exercises[2].code, isolatedJob(exercises[2].code)]

/** Returns a solution of the last exercise, made from the exercise's code. */
function isolatedJob(code: string): string {
  const [head, tail] = code.split('const policy:')
  const isSmall = '  const isSmall = request.nodes <= leafSize\n'
  return `${head.replace(isSmall, `${isSmall}  if (!isSmall) return wholeLeaves(topology, state, request.nodes, leafSize)\n`)}
function wholeLeaves(topology: Topology, state: StateView, size: number, leafSize: number): Outcome {
  const { firstLeafOfPod, pods, levels } = topology
  const { firstPort } = levels[0]
  if (size > firstLeafOfPod[1] * leafSize) return { ok: false, code: 'never', constraint: 'pod size' }
  for (let pod = 0; pod < pods; pod++) {
    const [nodes, links]: [Array<number>, Array<number>] = [[], []]
    for (let leaf = firstLeafOfPod[pod]; leaf < firstLeafOfPod[pod + 1] && nodes.length < size; leaf++) {
      const [first, end] = [firstPort[leaf], firstPort[leaf + 1]]
      if (state.freeNodesOnLeaf(leaf) < leafSize || state.portMask(0, leaf, 0) >>> 0 !== 2 ** (end - first) - 1) continue
      nodes.push(...freeNodes(state, leaf, leafSize).slice(0, size - nodes.length))
      for (let link = first; link < end; link++) links.push(link)
    }
    if (nodes.length === size) return { ok: true, nodes, links: [links] }
  }
  return { ok: false, code: 'no-placement', constraint: 'whole leaves of a pod' }
}

const policy:${tail.replace("'shared'", "'owned'")}`
}

/** Returns axe's findings: the broken rules, with the places in the page. */
async function findings(page: Page): Promise<ReadonlyArray<string>> {
  // The page's content security policy allows no script of axe, so the browser's own tools insert the script.
  await page.evaluate(readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8'))
  return page.evaluate(async () => {
    const { axe } = globalThis as unknown as { axe: { run: (what: object, options: object) => Promise<Axe> } }
    // Without details of the places that keep the rules.
    const { violations } = await axe.run({ exclude: ['iframe'] }, { resultTypes: ['violations'] })
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`))
  })
}

interface Axe {
  readonly violations: ReadonlyArray<{ readonly id: string; readonly nodes: ReadonlyArray<{ readonly html: string }> }>
}

describe('linkOf and setupOf', () => {
  it('linkOf puts a set-up into a link, with the code if a policy of the set-up is the code', () => {
    const setup = { options: { topology: 'radix:8', trace: 'a b&c', seed: '7' }, code: 'x = "é"\n' } as const
    const used = { ...setup, policies: ['own-code', 'ta'], outages: [], exercise: 'first-fit' } as const
    expect(setupOf(linkOf(used))).toEqual({ ...used, options: { ...used.options, queue: 'easy:50' } })
    expect(linkOf({ ...setup, policies: ['laas', 'ta'] })).not.toContain('code')
    expect(setupOf('')).toBeUndefined()
    expect(setupOf('#a=x&b=y&outages=file')?.options).not.toHaveProperty('outages')
    const outages = [{ part: 'leaf-link', id: 3, at: 60, length: 5 }] as const
    expect(setupOf(linkOf({ ...used, outages }))?.outages).toEqual(outages)
    expect(setupOf('#a=x&b=y&fail=node:1&fail=pod:1:2:3')?.outages).toEqual([])
  })
})

describe('exercises', () => {
  it.each(exercises)(
    'exercise $name refuses the code from which it starts, and accepts a solution',
    async (exercise) => {
      const broken = async (code: string): Promise<ReadonlyArray<string>> => {
        const module = `data:text/javascript,${encodeURIComponent(stripTypeScriptTypes(code))}`
        const { default: policy } = (await import(module)) as { readonly default: PlacementPolicy<object> }
        return conditionsOf(exercise.name).flatMap(({ name, run }) => (isBroken(() => run(policy)) ? [name] : []))
      }
      expect((await broken(exercise.code)).length).toBeGreaterThan(0)
      expect(await broken(solutions[exercises.indexOf(exercise)])).toEqual([])
    },
  )
})

function isBroken(run: () => void): boolean {
  try {
    run()
    return false
  } catch {
    return true
  }
}

describe('outages and the shown part', () => {
  it('outagesText orders the failures and repairs of all chosen nodes and links by time', () => {
    const link = { part: 'l2-link', id: 5, at: 20, length: 100 } as const
    expect(outagesText([link, { part: 'node', id: 17, at: 10, length: 50 }])).toBe(
      `{"t":10,"type":"down","nodes":"17","links":[]}
{"t":20,"type":"down","nodes":"","links":["","5"]}
{"t":60,"type":"up","nodes":"17","links":[]}
{"t":120,"type":"up","nodes":"","links":["","5"]}
`,
    )
  })

  it('secondsOf reads times with units, and timeText writes them', () => {
    expect(['24h', '1.5h', '30m', '2 d', '90', '5s'].map(secondsOf)).toEqual([86_400, 5400, 1800, 172_800, 90, 5])
    expect(['', 'h', '-1h', '1w'].map(secondsOf)).toEqual([undefined, undefined, undefined, undefined])
    expect([86_400, 5400, 90].map(timeText)).toEqual(['24h', '90m', '90s'])
  })

  it('partOf shows so few jobs and nodes of a run that single jobs are visible', () => {
    expect(partOf(2200, 1024, 1000)).toEqual({ from: 450, to: 550, at: 500, nodes: 128 })
    expect(partOf(10, 16, 1000, 900)).toEqual({ from: 0, to: 1000, at: 900, nodes: 16 })
    expect(partOf(2200, 16, 1000, 990)).toMatchObject({ from: 900, to: 1000 })
  })
})

describe('membersAfter and meaningOf', () => {
  const member = (name: string, type?: string) => ({
    name,
    declaration: `${name}: x`,
    about: '',
    ...(type && { type }),
  })
  const types = {
    StateView: { about: 'What is free.', members: [member('freeNodes')] },
    Request: { about: '', members: [member('nodes'), member('communication', 'Communication')] },
    Communication: { about: '', members: [member('share')] },
  }
  const after = (code: string): string | undefined => membersAfter(types, code, code)?.type

  it('membersAfter and meaningOf know the types of names in the code of a policy', () => {
    expect(after('(state) => state.')).toBe('StateView')
    expect(after('(wish: Request) => wish.no')).toBe('Request')
    expect(after('request.communication?.sh')).toBe('Communication')
    for (const code of ['other.', 'request.nodes.', 'f(state).', 'list[0].', 'toString.', 'my.state.', '3.', '.', ''])
      expect(after(code), code).toBeUndefined()
    const code = 'const n = state.freeNodes'
    expect(meaningOf(types, code, 16, 25)).toEqual({ declaration: 'StateView.freeNodes: x', about: '' })
    expect(meaningOf(types, code, 10, 15)).toEqual({ declaration: 'state: StateView', about: 'What is free.' })
    expect(meaningOf(types, code, 6, 7)).toBeUndefined()
  })
})

describe('making pages', () => {
  const page = { path: 'a/b', name: 'B', document: 'docs/clusters.md', part: 'whole' } as const
  const targets = { root, pages: new Map([['apps/cli/README.md', 'reference/apps/cli']]), repository: undefined }
  const linked = (markdown: string, more: object = {}): string =>
    withLinks({ ...page, markdown }, { ...targets, ...more }).markdown

  it('withLinks turns links from file to file into links from page to page', () => {
    expect(linked('[x](../apps/cli#a)')).toBe('[x](../reference/apps/cli.md#a)')
    expect(linked('[x](#a) [y](https://example.org)')).toBe('[x](#a) [y](https://example.org)')
    expect(linked('[x](../package.json)')).toBe('x')
    expect(linked('[x](../package.json)', { repository: 'https://example.org/c' })).toBe(
      '[x](https://example.org/c/blob/main/package.json)',
    )
    expect(linked('```md\n[x](../apps/cli)\n```\n')).toBe('```md\n[x](../apps/cli)\n```\n')
    const picture = withLinks({ ...page, markdown: '![x](run.png)' }, targets)
    expect(picture).toEqual({ markdown: '![x](../pictures/docs/run.png)', pictures: ['docs/run.png'] })
  })

  it('section ends at the next heading of the same level, and not at a line of code that looks like a heading', () => {
    const text = '# T\n\n## A\n\n```sh\n# no heading\n```\n\n### B\n\n## C\n'
    expect(section(text, 'A', 'x.md')).toBe('## A\n\n```sh\n# no heading\n```\n\n### B\n')
    expect(() => section(text, 'D', 'x.md')).toThrow('x.md has no section "D"')
  })

  it('marks with about equal values stand apart in the row of a chart, and other marks in the middle', () => {
    expect(shiftsOf([0.2, 0.5, null, 0.9])).toEqual([0, 0, 0, 0])
    expect(shiftsOf([0, 0.005, null, 0, 0.9])).toEqual([-5, 0, 0, 5, 0])
    expect(shiftsOf([0.3, 0.31])).toEqual([-5, 5])
  })

  it("withResults replaces the blocks of a paper's page, and refuses a block that no stored output has", () => {
    const outputs = storedOutputs(root)
    const block = (...lines: ReadonlyArray<string>): string =>
      withResults('papers/x', `# X\n\nText.\n\n\`\`\`console\n${lines.join('\n')}\n\`\`\`\n`, outputs)
    const row = 'A    -0.5 % (-1.3 to 0.3)  6.1 % (5.2 to 6.7)     6.1 % (5.1 to 6.8)'
    const shown = block('$ cloister reproduce mishra-fig6', row, '…')
    expect(shown).toContain('$ cloister reproduce mishra-fig6\n```')
    expect(shown).toContain('./outputs/reproduce-mishra-fig6.txt')
    expect(withResults('tutorials/x', '# X\n\nText.\n', outputs)).toBe('# X\n\nText.\n')
    expect(() => block('$ cloister reproduce y', 'x')).toThrow(
      'a block without a stored output: $ cloister reproduce y',
    )
    expect(() => block('$ cloister reproduce mishra-fig6', 'A 1')).toThrow('did not print: A 1')
  })
})

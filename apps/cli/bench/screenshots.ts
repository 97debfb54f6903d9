/**
 * Takes the pictures of the viewer's README, from two runs of the same jobs. With `every`, takes pictures of every view
 * on screens of all sizes. Run in apps/cli after a build: node --conditions=@cloister/source bench/screenshots.ts LOG
 * OTHER FOLDER [every]
 */
import { join } from 'node:path'
import { Viewer } from '../test/viewer-page.ts'

const [log, other, folder, every] = process.argv.slice(2)
if (folder === undefined) throw new Error('usage: bench/screenshots.ts LOG OTHER FOLDER [every]')

const screens = [
  { width: 1440, height: 900, theme: 'light' },
  { width: 1440, height: 900, theme: 'dark' },
  { width: 1024, height: 768, theme: 'light' },
  { width: 390, height: 844, theme: 'light' },
]
const tabs = ['queue', 'fits', 'jobs', 'job', 'area', 'record', 'figures', 'notes']
/** Moment and job in the first tenth of a run of the trace `thunder`, for the pictures. */
const moment = 't=100000&zoom=80000,130000&fold=&job=1000'

const pictures: ReadonlyArray<{
  readonly name: string
  readonly logs: ReadonlyArray<string>
  readonly address: string
  readonly part?: string
}> = [
  { name: 'run', logs: [log], address: 't=1000000&zoom=900000,1100000' },
  { name: 'job', logs: [log], address: 'seq=190107&job=30088&tab=job&zoom=960000,1040000&rows=480,900&theme=light' },
  { name: 'pod', logs: [log], address: 'seq=200000&tab=record&zoom=1100000,1130000&color=backfilled&pod=1&theme=dark' },
  { name: 'two', logs: [other, log], address: 't=100000&tab=compare&zoom=80000,130000' },
  { name: 'figures', logs: [other, log], address: 't=100000&tab=figures', part: '.panels' },
]

const viewer = await Viewer.launch()
if (every === undefined) await ofReadme()
else await ofEveryView()
await viewer.close()

async function ofReadme(): Promise<void> {
  for (const { name, logs, address, part } of pictures) {
    const page = await viewer.open(`${await viewer.serve(process.cwd(), ...logs)}#${address}`)
    await page.locator('[data-testid^=status]:not(.reading)').last().waitFor()
    await page.waitForTimeout(9000)
    // The tabs that wait for the policy of the log come last.
    await page.waitForFunction(() => !/Running the policy again|Asking…/.test(document.body.innerText))
    await page.locator(part ?? 'body').screenshot({ path: join(folder, `${name}.png`) })
    await viewer.endTest()
  }
}

async function ofEveryView(): Promise<void> {
  const one = await viewer.open(await viewer.serve(process.cwd(), log))
  const two = await viewer.open(await viewer.serve(process.cwd(), other, log))
  for (const { width, height, theme } of screens)
    for (const tab of [...tabs, 'compare', 'whole']) {
      const page = tab === 'compare' ? two : one
      await page.setViewportSize({ width, height })
      const address = tab === 'whole' ? 't=100000' : `${moment}&tab=${tab}`
      await page.evaluate((hash) => {
        location.hash = hash
      }, `${address}&theme=${theme}`)
      await page.waitForTimeout(2500)
      await page.screenshot({ path: join(folder, `${tab}-${width}-${theme}.png`), fullPage: width < 900 })
    }
}
